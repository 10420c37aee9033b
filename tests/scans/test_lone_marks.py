"""Page numbers that a recogniser leaves out are shown to it again; dirt, frames and what was read are not numbers."""

import numpy as np
import pytest

from pdfmill.transforms.scans.installed import missing, recognizer
from pdfmill.transforms.scans.missed_page_numbers import find_marks, read_with_marks
from pdfmill.transforms.scans.recognizers import Word
from tests.scans.drawn import SCALE, PretendedRecognizer, draw, plain

BODY = [plain(60, 120 + 14 * n, 10, "Letters from the archive came in boxes") for n in range(20)]
DPI = SCALE * 72


def page(number="17"):
    """A picture with a page number at its foot, and its words without that one."""
    picture, words = draw([*BODY, plain(250, 570, 10, number)])
    return picture, words[:-1], words[-1].box


def test_a_number_alone_is_found():
    picture, _, box = page()
    assert find_marks(picture, DPI) == [pytest.approx(box, abs=4)]
    assert find_marks(draw(BODY)[0], DPI) == []


def test_dirt_and_frames_are_none():
    picture, _, _ = page()
    spoiled = picture.copy()
    spoiled[1540:1600] = 250
    spoiled[:, :8] = spoiled[:8] = 0
    spoiled[1560:1562, 300:302] = 0
    assert find_marks(spoiled, DPI) == []


class Says(PretendedRecognizer):
    """A recogniser that reads a page's words, and says this of what stands below it."""

    def __init__(self, words, copies, confidence=0.9):
        self.words, self.copies, self.confidence = words, copies, confidence

    def read(self, picture, dpi, language, seconds):
        self.picture = picture
        rows = np.flatnonzero((picture[1660:] < 100).any(axis=1)) + 1660
        if not len(rows):
            return self.words
        top, bottom = int(rows[0]), int(rows[-1]) + 1
        row = [Word(("9",), text, (90 * n, top, 90 * n + 30, bottom), self.confidence) for n, text in enumerate(self.copies.split())]
        return [*self.words, *row]


def test_what_is_read_alike_each_time_is_a_word_of_the_page():
    picture, words, box = page()
    for copies in ("17 17 17 17", "1717 1717"):
        reader = Says(words, copies)
        *others, found = read_with_marks(picture, reader, DPI, "eng", 9)
        assert others == words
        assert (found.text, found.box, found.confidence) == ("17", pytest.approx(box, abs=4), 0.9)
        assert np.array_equal(reader.picture[: len(picture)], picture)


def test_what_is_no_number_is_none():
    picture, words, box = page()
    for copies, confidence in (("oes oes oes oes", 0.9), ("17 17 17 1", 0.9), ("17 17 17 17", 0.2)):
        assert read_with_marks(picture, Says(words, copies, confidence), DPI, "eng", 9) == words
    seen = [*words, Word(("8",), "17", box)]
    assert read_with_marks(picture, Says(seen, "17 17 17 17"), DPI, "eng", 9) == seen


def test_a_page_without_marks_is_shown_as_it_is():
    picture, words = draw(BODY)
    reader = Says(words, "")
    assert read_with_marks(picture, reader, DPI, "eng", 9) == words
    assert reader.picture is picture


@pytest.mark.skipif(missing("tesseract") is not None, reason="tesseract is not installed")
def test_with_tesseract():
    picture, _, box = page("7")
    read = recognizer("tesseract")
    assert "7" not in [word.text for word in read.read(picture, DPI, "eng", 60)]
    found = read_with_marks(picture, read, DPI, "eng", 60)[-1]
    assert (found.text, found.box) == ("7", pytest.approx(box, abs=4))
