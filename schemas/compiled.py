"""Choose between two builds of a module: the compiled one if pdfmill was installed with a C compiler, else its Python source.
`setup.py` compiles the modules of `COMPILED` by Cython in its pure Python mode, with the C types of the `.pxd` file beside each. The name
begins with an underscore. A compiled module is used only if it was built from the current source."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from zlib import crc32

#: Modules that are compiled. They loop over glyphs, characters, n-grams, words, lines, or pairs of lines or rows.
COMPILED: Final = (
    "pdfmill.pipeline.search.term_loops",
    "pdfmill.transforms.language.ngram_loops",
    "pdfmill.transforms.layout.blocks.pair_loops",
    "pdfmill.transforms.layout.page.gutter_loops",
    "pdfmill.transforms.layout.lines.line_loops",
    "pdfmill.transforms.layout.page.neighbour_loops",
    "pdfmill.transforms.layout.lines.text_loops",
    "pdfmill.transforms.layout.tables.gap_loops",
    "pdfmill.transforms.pdf.text.glyph_loops",
)
#: The warning that a command prints once if no compiled modules are installed.
SLOW: Final = (
    "pages take four to five times as long as usual, because pdfmill has no compiled loops: it was installed without a C compiler or by "
    "`make demo`, or its source has changed since"
)


def compiled_name(module: str) -> str:
    """Return the name of the compiled module.

    >>> compiled_name("pdfmill.transforms.layout.lines.line_loops")
    'pdfmill.transforms.layout.lines._line_loops'
    """
    package, _, name = module.rpartition(".")
    return f"{package}._{name}"


def source_mark(source: bytes) -> int:
    """Return the checksum of a module's source. A compiled module stores as `SOURCE_MARK` the checksum of the source it was built from."""
    return crc32(source)


def compiled(module: str) -> ModuleType | None:
    """Import the compiled build of a module; None if there is none, or if it was built from another version of the source."""
    try:
        found = import_module(compiled_name(module))
    except ImportError:
        return None
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return None
    return found if source_mark(Path(spec.origin).read_bytes()) == found.SOURCE_MARK else None


def fastest(module: str) -> Any:
    """Import the compiled build of a module if it is usable, else the Python source. module: the dotted name of the source."""
    return compiled(module) or import_module(module)


def runs_slowly() -> bool:
    """Return whether any module of `COMPILED` has no usable compiled build."""
    return any(compiled(module) is None for module in COMPILED)
