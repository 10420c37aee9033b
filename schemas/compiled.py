"""Choose between two builds of a module: the compiled one if pdfmill was installed with a C compiler, else its Python source.

`setup.py` compiles the modules of `COMPILED` by Cython in its pure Python mode: one source, which also runs as it is, with the types of its
`.pxd`. The compiled module has the source's name with an underscore before it, so that tests load both; it counts only where it was made
of the source that stands beside it, so that after an edit without a new build the Python source runs: slower, but correct.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from zlib import crc32

#: Modules that are compiled: loops over glyphs, over characters, n-grams and words, over lines and over pairs of them.
COMPILED: Final = (
    "pdfmill.transforms.language.ngram_loops",
    "pdfmill.transforms.layout.page.gutter_loops",
    "pdfmill.transforms.layout.lines.line_loops",
    "pdfmill.transforms.layout.page.neighbour_loops",
    "pdfmill.transforms.layout.lines.text_loops",
    "pdfmill.transforms.layout.tables.gap_loops",
    "pdfmill.transforms.pdf.text.glyph_loops",
)
#: What is said once by a command that is to be slow.
SLOW: Final = (
    "the loops over glyphs run in Python, and pages take four to five times as long: pdfmill was installed without a C compiler, "
    "or its source has changed since"
)


def compiled_name(module: str) -> str:
    """Return the name of the compiled module.

    >>> compiled_name("pdfmill.transforms.layout.lines.line_loops")
    'pdfmill.transforms.layout.lines._line_loops'
    """
    package, _, name = module.rpartition(".")
    return f"{package}._{name}"


def source_mark(source: bytes) -> int:
    """Return the checksum of a source; a compiled module stores that of its source as `SOURCE_MARK`."""
    return crc32(source)


def compiled(module: str) -> ModuleType | None:
    """Return the compiled module; None if there is none of this source."""
    try:
        found = import_module(compiled_name(module))
    except ImportError:
        return None
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return None
    return found if source_mark(Path(spec.origin).read_bytes()) == found.SOURCE_MARK else None


def fastest(module: str) -> Any:
    """Return the compiled module, or the source itself."""
    return compiled(module) or import_module(module)


def runs_slowly() -> bool:
    """Return whether any of the modules has no compiled build."""
    return any(compiled(module) is None for module in COMPILED)
