"""A second recogniser behind the same door: RapidOCR, whose models read Chinese."""

from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.draw.render import render_grey
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.text.page import read_page
from pdfmill.transforms.scans import rapid
from pdfmill.transforms.scans.installed import recognizer
from pdfmill.transforms.scans.recognize import spaces
from pdfmill.transforms.scans.recognizers import OcrError, Word

DPI = 110
#: Share of the page's height that is read.
PART = 0.35


@pytest.mark.corpus
def test_a_chinese_page(corpus: Path):
    document = open_document((corpus / "structure" / "pdf" / "lo-zh-word.pdf").read_bytes(), name="page.pdf")
    page = find_lines(read_page(document.pdfium, 1, document=document))
    true = "".join(line.text for line in page.lines if line.bottom < PART * page.height).replace(" ", "")
    picture = render_grey(document.pdfium, 1, DPI / 72)
    words = recognizer("rapidocr").read(picture[: round(PART * len(picture))], DPI, "", 60)
    read = "".join(word.text for word in words)
    assert len(true) > 100
    assert SequenceMatcher(None, true, read, autojunk=False).ratio() > 0.9
    assert all(0 <= x0 < x1 <= picture.shape[1] and 0 <= top < bottom for word in words for x0, top, x1, bottom in [word.box])
    assert recognizer("rapidocr").read(np.full((200, 300), 255, np.uint8), DPI, "", 60) == []


def test_a_line_and_pieces_of_words():
    square = [(0, 0), (5, 0), (5, 9), (0, 9)]
    later = [(8, 1), (20, 1), (20, 9), (8, 9)]
    assert list(rapid.words_of_line("Debian手 x", [("Debian", square), ("手", later), ("x", square)])) == [
        ("Debian手", (0, 0, 20, 9)),
        ("x", (0, 0, 5, 9)),
    ]
    assert list(rapid.words_of_line("a b", [("a", square)])) == [("a", (0, 0, 5, 9))]


def test_signs_without_spaces_between_them():
    def words(*texts):
        return [Word(("1",), text, (0, 0, 9, 9)) for text in texts]

    assert spaces(words("手", "册", "Debian", "和")) == ["", "", " ", " "]
    assert spaces(words("가나", "다라")) == ["", " "]


def test_without_its_packages(monkeypatch):
    monkeypatch.setattr(rapid, "PACKAGES", ("rapidocr", "a_package_that_is_not_there"))
    with pytest.raises(
        OcrError, match=r"a_package_that_is_not_there cannot be imported on this machine: pip install 'pdfmill\[rapidocr\]'"
    ):
        recognizer("rapidocr").read(np.zeros((9, 9), np.uint8), DPI, "", 60)
