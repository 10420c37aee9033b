"""Text of pages that show text and do not hold it, by Tesseract, where it is installed and asked for.

A page is rendered and handed to the command `tesseract`, whose TSV output has each word with its box (tesseract(1), config `tsv`).
"""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.records import FontStyle, PageLines, Recovery, TextLine
from transforms.pdf.document import PdfDocument
from transforms.pdf.errors import PageError
from transforms.pdf.render import render_page
from transforms.settings import OCR_COMMAND

#: Dots per inch that it is trained for.
DPI: Final = 300
#: Heights of lines that differ by less from the page's usual one are that one: boxes follow the ink of each line.
_SAME_SIZE: Final = 0.25
#: Ink of a line with ascenders and descenders, em.
_INK_HEIGHT: Final = 0.9
_WORD_LEVEL: Final = "5"


class OcrError(Exception):
    """Tesseract is not there, or gave up; the message says which and how."""


@dataclass(frozen=True, slots=True)
class Word:
    """line: what is the same for all words of a line. box: x0, top, x1, bottom in pixels."""

    line: tuple[str, ...]
    text: str
    box: tuple[int, int, int, int]


def recognize_page(page: PageLines, document: PdfDocument, language: str, seconds: float) -> PageLines:
    """The page with the lines that Tesseract reads, marked `ocr`; with a warning where it cannot or finds nothing."""
    try:
        pixels = render_page(document.pdfium, page.page, DPI / 72)
        words = list(read_words(run_tesseract(pixels, language, seconds)))
    except (OcrError, PageError) as error:
        return replace(page, warnings=[*page.warnings, Recovery("ocr_failed", page.page, str(error))])
    if not words:
        return page
    return with_words(page, words, page.width / pixels.shape[1])


def run_tesseract(pixels: NDArray[np.uint8], language: str, seconds: float) -> str:
    """Its TSV of a picture, uint8[height, width, 3].

    Raises:
        OcrError: not installed, no such language, out of time, or any other failure.
    """
    height, width = pixels.shape[:2]
    picture = b"P6 %d %d 255\n" % (width, height) + np.ascontiguousarray(pixels).tobytes()
    command = [OCR_COMMAND, "-", "-", "-l", language, "--dpi", str(DPI), "tsv"]
    try:
        done = subprocess.run(
            command, input=picture, capture_output=True, timeout=seconds, check=False, env=os.environ | {"OMP_THREAD_LIMIT": "1"}
        )
    except FileNotFoundError as error:
        raise OcrError(f"OCR was asked for, and the command {OCR_COMMAND} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise OcrError(f"{OCR_COMMAND} took more than {seconds:.0f} seconds") from error
    except OSError as error:
        raise OcrError(f"{OCR_COMMAND} cannot be run: {error}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OcrError(f"{OCR_COMMAND} -l {language} ended with {done.returncode}: {said[0] if said else 'no message'}")
    return done.stdout.decode("utf-8", "replace")


def read_words(tsv: str) -> Iterator[Word]:
    """The words of a TSV, in its order."""
    for row in tsv.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != _WORD_LEVEL or not (text := unicodedata.normalize("NFC", cells[11].strip())):
            continue
        left, top, width, height = map(int, cells[6:10])
        yield Word(tuple(cells[1:5]), text, (left, top, left + width, top + height))


def with_words(page: PageLines, words: list[Word], scale: float) -> PageLines:
    """The page with these words in place of its text. scale: points per pixel."""
    lines = [list(members) for _, members in groupby(words, key=lambda word: word.line)]
    heights = [max(word.box[3] for word in line) - min(word.box[1] for word in line) for line in lines]
    usual = median(heights)
    sizes = [round((usual if abs(height - usual) <= _SAME_SIZE * usual else height) * scale * _INK_HEIGHT, 1) for height in heights]
    styles = sorted(set(sizes))
    spans: list[tuple[int, int]] = []
    for line in lines:
        start = 0
        for word in line:
            spans.append((start, start + len(word.text)))
            start += len(word.text) + 1
    boxes = np.array([word.box for word in words], np.float32) * np.float32(scale)
    counts = [len(line) for line in lines]
    starts = np.cumsum([0, *counts])
    return replace(
        page,
        styles=[FontStyle("", size) for size in styles],
        lines=[
            _line(line, boxes[start : start + len(line)], styles.index(size))
            for line, start, size in zip(lines, starts.tolist(), sizes, strict=False)
        ],
        word_lines=np.repeat(np.arange(len(lines)), counts).astype(np.int32),
        word_spans=np.array(spans, np.int32),
        word_boxes=boxes,
        untrusted_chars=0,
        ocr=True,
    )


def _line(words: list[Word], boxes: NDArray[np.float32], style: int) -> TextLine:
    text = " ".join(word.text for word in words)
    x0, top = boxes[:, :2].min(axis=0).tolist()
    x1, bottom = boxes[:, 2:].max(axis=0).tolist()
    strong = next((kind for character in text if (kind := unicodedata.bidirectional(character)) in ("L", "R", "AL")), "L")
    return TextLine(text, x0, top, x1, bottom, float(np.median(boxes[:, 3])), style, ((0, style),), rtl=strong != "L")
