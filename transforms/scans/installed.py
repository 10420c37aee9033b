"""The OCR engines (recognisers) that pdfmill can use, by their names in `--recognizer`."""

from __future__ import annotations

from typing import Final

from pdfmill.transforms.scans.rapid import RapidOcr
from pdfmill.transforms.scans.recognizers import OcrError, Recognizer
from pdfmill.transforms.scans.tesseract import Tesseract

#: The OCR engines by name.
RECOGNIZERS: Final[dict[str, Recognizer]] = {"tesseract": Tesseract(), "rapidocr": RapidOcr()}


def recognizer(name: str) -> Recognizer:
    """Return the recogniser of this name.

    Raises:
        OcrError: no recogniser has this name.
    """
    if name not in RECOGNIZERS:
        raise OcrError(f"there is no recogniser {name!r}; known are: {', '.join(sorted(RECOGNIZERS))}")
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
