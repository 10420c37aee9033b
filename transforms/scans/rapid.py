"""RapidOCR: the models of PaddleOCR in ONNX Runtime, in this process. One model reads Chinese, Japanese and Latin script.
It needs no language data. In Latin text it loses spaces, and it takes several times as long as Tesseract."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from pdfmill.transforms.scans.recognizers import OcrError, Picture, Word

#: Python packages that RapidOCR needs, by the names under which they are imported.
PACKAGES: Final = ("rapidocr", "onnxruntime")
#: Parameters: one thread, because pages are read in parallel; no classifier of upside-down lines, because this package turns pages itself.
_PARAMETERS: Final = {
    "Global.log_level": "critical",
    "Global.use_cls": False,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
#: A recognised piece of a line: its text, and the four corners around it in pixels.
Piece = tuple[str, Sequence[Sequence[float]]]


class RapidOcr:
    """The RapidOCR engine. Its models are loaded at first use and kept; they take some 0.5 GB."""

    def missing(self) -> str | None:
        """Return a sentence that names the packages that cannot be imported; None if all can be."""
        lacks = [name for name in PACKAGES if find_spec(name) is None]
        return f"{' and '.join(lacks)} cannot be imported on this machine: pip install 'pdfmill[rapidocr]'" if lacks else None

    def languages(self) -> tuple[str, ...]:
        """Return (), because one model reads all languages."""
        return ()

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        """Return the words of an image from top to bottom. dpi, language: not used. seconds: no effect, because a call cannot be
        stopped."""
        found = self._run(picture)
        if found is None or found.txts is None:
            return []
        read = zip(found.txts, found.scores, found.word_results, strict=True)
        return [
            Word((str(number),), word, box, float(score))
            for number, (text, score, pieces) in enumerate(read)
            for word, box in words_of_line(text, [(piece, corners) for piece, _, corners in pieces])
        ]

    def _run(self, picture: Picture) -> Any:
        if lack := self.missing():
            raise OcrError(f"OCR was requested, but {lack}")
        coloured = np.repeat(picture[:, :, None], 3, axis=2)
        started = time.monotonic()
        try:
            return _engine()(coloured, return_word_box=True)
        except Exception as error:  # a library of models, whose errors have no common kind
            raise OcrError(f"RapidOCR failed after {time.monotonic() - started:.0f} s: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=1)
def _engine() -> Any:
    from rapidocr import RapidOCR  # a second and half a gigabyte

    return RapidOCR(params=dict(_PARAMETERS))


def words_of_line(text: str, pieces: Sequence[Piece]) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Yield the words of a line (texts between spaces, or single Chinese characters) with their boxes (x0, top, x1, bottom; pixels).
    pieces: the characters or words of the line in order, each with the four corners (x, y) of its box.

    >>> square = [(0, 0), (5, 0), (5, 9), (0, 9)]
    >>> list(words_of_line("ab c", [("ab", square), ("c", [(7, 0), (9, 0), (9, 9), (7, 9)])]))
    [('ab', (0, 0, 5, 9)), ('c', (7, 0, 9, 9))]
    """
    left = iter(pieces)
    for word in text.split():
        held = 0
        corners: list[Sequence[float]] = []
        while held < len(word) and (piece := next(left, None)) is not None:
            held += len(piece[0].replace(" ", ""))
            corners.extend(piece[1])
        if corners:
            across, down = [corner[0] for corner in corners], [corner[1] for corner in corners]
            yield unicodedata.normalize("NFC", word), (round(min(across)), round(min(down)), round(max(across)), round(max(down)))


#: The engine, for the registry (`pdfmill.transforms.scans.installed`).
RECOGNIZER: Final = RapidOcr()
