"""The recognisers that there are, by the name that `--recognizer` gives."""

from __future__ import annotations

from typing import Final

from pdfmill.transforms.scans.rapid import RapidOcr
from pdfmill.transforms.scans.recognizers import OcrError, Recognizer
from pdfmill.transforms.scans.tesseract import Tesseract

RECOGNIZERS: Final[dict[str, Recognizer]] = {"tesseract": Tesseract(), "rapidocr": RapidOcr()}


def recognizer(name: str) -> Recognizer:
    """The one of this name.

    Raises:
        OcrError: there is none.
    """
    if name not in RECOGNIZERS:
        raise OcrError(f"there is no recogniser {name!r}; there are: {', '.join(sorted(RECOGNIZERS))}")
    return RECOGNIZERS[name]


def missing(name: str) -> str | None:
    """What the recogniser of this name lacks on this machine, as a sentence; None where it can be called."""
    return recognizer(name).missing()
