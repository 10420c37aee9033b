"""Page numbers that a recogniser leaves out are read again; dirt, frames and what was read are not."""

import numpy as np
import pytest

from tests.scans.drawn import PretendedRecognizer, draw, plain
from transforms.scans.installed import missing, recognizer
from transforms.scans.lone_marks import find_marks, read_marks
from transforms.scans.recognizers import Word

BODY = [plain(60, 120 + 14 * n, 10, "Letters from the archive came in boxes") for n in range(20)]


def page():
    """A picture with a page number at its foot, and its words without that one."""
    picture, words = draw([*BODY, plain(250, 570, 10, "17")])
    return picture, words[:-1], words[-1].box


def test_a_number_alone_is_found():
    picture, words, box = page()
    assert find_marks(picture, words) == [pytest.approx(box, abs=4)]
    assert find_marks(*draw([*BODY, plain(250, 570, 10, "17")])) == []


def test_dirt_and_frames_are_none():
    picture, words, _ = page()
    spoiled = picture.copy()
    spoiled[1540:1600] = 250
    spoiled[:, :8] = spoiled[:8] = 0
    spoiled[1560:1562, 300:302] = 0
    assert find_marks(spoiled, words) == []


class Says(PretendedRecognizer):
    """A recogniser that says the same of every line."""

    def __init__(self, text, confidence=0.9):
        self.word = Word(("1",), text, (0, 0, 1, 1), confidence)

    def read(self, picture, dpi, language, seconds):
        pytest.fail("only lines are asked for")

    def read_line(self, picture, dpi, seconds):
        assert np.median(picture) > 200
        return [self.word]


def test_what_is_no_number_is_none():
    picture, words, box = page()
    (found,) = read_marks(picture, words, Says("17"), 200)
    assert (found.text, found.box) == ("17", pytest.approx(box, abs=4))
    assert read_marks(picture, words, Says("oes"), 200) == []
    assert read_marks(picture, words, Says("17", 0.2), 200) == []


@pytest.mark.skipif(missing("tesseract") is not None, reason="tesseract is not installed")
def test_with_tesseract():
    picture, words, _ = page()
    assert [word.text for word in read_marks(picture, words, recognizer("tesseract"), 200)] == ["17"]
