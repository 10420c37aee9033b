"""The OCR engines (recognisers) that pdfmill can use, by their names in `--recognizer`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pdfmill.transforms.scans.recognizers import Recognizer


class Engine(NamedTuple):
    """An OCR engine in the registry."""

    module: str  # name of its module, which has the engine as `RECOGNIZER`
    what: str  # what must be installed, for help texts


#: The OCR engines by name, the default first. Flags name them, and most commands import none.
ENGINES: Final = {
    "tesseract": Engine("pdfmill.transforms.scans.tesseract", "the command of that name"),
    "rapidocr": Engine("pdfmill.transforms.scans.rapid", "the package, for Chinese and Japanese"),
}
#: The engines that this process has loaded.
RECOGNIZERS: Final[dict[str, Recognizer]] = {}


def recognizer(name: str) -> Recognizer:
    """Return the recogniser of this name.

    Raises:
        OcrError: no recogniser has this name.
    """
    if name not in RECOGNIZERS:
        if name not in ENGINES:
            from pdfmill.transforms.scans.recognizers import OcrError  # brings numpy, which most commands do without

            raise OcrError(f"there is no recogniser {name!r}; known are: {', '.join(sorted(ENGINES))}")
        RECOGNIZERS[name] = import_module(ENGINES[name].module).RECOGNIZER
    return RECOGNIZERS[name]


def missing(name: str, language: str = "auto") -> str | None:
    """Return what the recogniser needs and this machine lacks, as a sentence; None if it can be used.
    language: Tesseract's names, joined by +; "auto" if they are chosen for each document."""
    found = recognizer(name)
    if (lack := found.missing()) or language == "auto":
        return lack
    installed = found.languages()
    unknown = [each for each in language.split("+") if installed and each not in installed]
    return f"the language {unknown[0]!r} is not installed for {name}; there are {', '.join(installed)}" if unknown else None
