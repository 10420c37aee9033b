"""What is measured on a picture: how far it is turned, and the height, stem and slant of its words."""

import numpy as np
import pytest

from pdfmill.transforms.scans.ink import darkness, measure_words
from pdfmill.transforms.scans.recognizers import Word
from pdfmill.transforms.scans.straighten import find_turn, turned_up
from tests.scans.drawn import SCALE, draw, plain

BODY = [plain(40, 60 + 14 * n, 10, "Letters from the archive came in boxes that no person had opened since") for n in range(20)]


@pytest.mark.parametrize("degrees", [-2.5, -0.4, 0.3, 1.2])
def test_a_turned_page_is_made_straight(degrees):
    picture, _ = draw(BODY, degrees=degrees)
    found = find_turn(picture)
    assert found == pytest.approx(degrees, abs=0.06)
    assert abs(find_turn(turned_up(picture, found))) <= 0.06


def test_a_straight_page_and_an_empty_one_stay():
    assert find_turn(draw(BODY)[0]) == 0
    assert find_turn(np.full((800, 600), 240, np.uint8)) == 0


def test_a_shadow_and_a_frame_do_not_turn_it():
    picture, _ = draw(BODY, degrees=0.5)
    shaded = (picture * np.linspace(0.6, 1.0, picture.shape[1])[None, :]).astype(np.uint8)
    shaded[:, :12] = 10
    assert find_turn(shaded) == pytest.approx(0.5, abs=0.06)


def by_line(words):
    numbers = sorted({word.line for word in words}, key=lambda line: int(line[0]))
    return [[word for word in words if word.line == number] for number in numbers]


def test_heights_and_baselines():
    picture, words = draw([plain(40, 60, 10, "once Hall ones"), plain(40, 90, 20, "once Hall ones"), plain(40, 120, 10, "gypsy")])
    ink = measure_words(darkness(picture), by_line(words))
    assert (ink.baselines / SCALE).tolist() == pytest.approx([60, 90, 120], abs=0.7)
    small, tall = ink.heights[0, 0] / SCALE, ink.heights[1, 2] / SCALE
    assert small == pytest.approx(5.5, abs=0.3)  # Vera's x-height and ascender, em: .55 and .76
    assert tall == pytest.approx(7.8, abs=0.4)
    assert ink.heights[3, 0] == pytest.approx(2 * ink.heights[0, 0], rel=0.07)  # small type is drawn to whole pixels
    assert np.isnan(ink.heights[1, 0])


def test_stems_and_slants():
    text = "minimal hundred multitude"
    picture, words = draw(
        [plain(40, 60, 10, text), plain(40, 90, 10, text, "Bd"), plain(40, 120, 10, text, "It"), plain(40, 160, 20, text)]
    )
    ink = measure_words(darkness(picture), by_line(words))
    stems, slants = ink.stems.reshape(4, 3), ink.slants.reshape(4, 3)
    assert (stems[1] > 1.4 * stems[0]).all()
    assert stems[3] == pytest.approx(2 * stems[0], rel=0.15)
    assert (slants[2] > 0.02).all()
    assert (slants[[0, 1, 3]] < -0.03).all()


def test_faint_paper_and_nothing_on_it():
    picture, words = draw([plain(40, 60, 10, "once Hall")])
    ink = measure_words(darkness(np.full_like(picture, 200)), by_line(words))
    assert np.isnan(ink.heights).all()
    assert not ink.runs.any()


def test_letters_that_stand_apart():
    texts = "minimal hundred multitude"
    lines = [plain(40, 60 + 14 * n, 10, texts) for n in range(3)]
    picture, words = draw([*lines, plain(40, 120, 10, texts, "Bd"), plain(40, 140, 10, "a")])
    apart, boxes = draw([plain(40 + 8.5 * n, 160, 10, letter) for n, letter in enumerate("multitude")])
    spaced = Word(("9",), "multitude", (boxes[0].box[0], boxes[0].box[1], boxes[-1].box[2], boxes[0].box[3]))
    ink = measure_words(darkness(np.minimum(picture, apart)), [*by_line(words), [spaced]])
    usual, one, wide = ink.gaps[:12] / SCALE / 10, ink.gaps[12], ink.gaps[13] / SCALE / 10
    assert (usual < 0.2).all()
    assert np.isnan(one)
    assert wide > usual.max() + 0.1
