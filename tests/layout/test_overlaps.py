"""Copies of a text are reduced to one; what is written twice stays."""

import numpy as np
import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.layout.lines.overlaps import find_copies
from pdfmill.transforms.layout.settings.text_settings import TextSettings
from tests.layout.test_accents import drawn
from tests.pdf.pages import make_page, read, standard


def _told(content):
    return [line.text for line in find_lines(read(make_page(content))).lines]


def _at(x, y, text, color="0 g"):
    return f"{color} BT /F1 12 Tf {x} {y} Td ({text}) Tj ET "


@pytest.mark.parametrize("shift", [(0.3, 0), (0.5, -0.5), (1, -1), (2, -2), (0, 3)])
def test_a_shadow_goes(shift):
    content = _at(20 + shift[0], 100 + shift[1], "Shadow text", "0.7 g") + _at(20, 100, "Shadow text") + _at(20, 60, "plain")
    assert _told(content) == ["Shadow text", "plain"]


@pytest.mark.parametrize(("letter", "copies"), [("m", [True, False]), ("م", [False, False])])
def test_equal_letters_of_a_joined_script_are_no_copies(letter, copies):
    glyphs = drawn([(letter, 100, 50), (letter, 101.5, 50)])
    assert find_copies(glyphs, np.ones(2, np.bool_), TextSettings()).tolist() == copies


def test_fake_bold_of_many_copies():
    assert _told("".join(_at(20 + 0.2 * step, 100, "Bold") for step in range(4))) == ["Bold"]


def test_repetition_stays():
    words = _at(20, 100, "had ") + _at(43.4, 100, "had ") + _at(20, 86, "had ") + _at(100, 100, "l") + _at(102.7, 100, "l")
    assert " ".join(_told(words)).replace(" ", "").count("had") == 3
    assert "ll" in " ".join(_told(words))


def test_other_text_in_the_same_place_stays():
    assert sorted("".join(_told(_at(20, 100, "ab") + _at(20.5, 100, "xc")))) == sorted("abxc")


def _letters(x, y, text, color="0 g"):
    """Each letter a text object of its own, placed by Courier's width."""
    return "".join(f"{color} BT /F3 12 Tf {x + 7.2 * n} {y} Td ({letter}) Tj ET " for n, letter in enumerate(text) if letter != " ")


def _courier(x, y, text, color="0 g"):
    return f"{color} BT /F3 12 Tf {x} {y} Td ({text}) Tj ET "


_SPLIT = {
    "two words": lambda x, y, color: _courier(x, y, "Hello", color) + _courier(x + 43.2, y, "World", color),
    "within a word": lambda x, y, color: _courier(x, y, "Hel", color) + _courier(x + 21.6, y, "lo World", color),
    "letters": lambda x, y, color: _letters(x, y, "Hello World", color),
}


@pytest.mark.parametrize("split", _SPLIT)
@pytest.mark.parametrize("shift", [(0.5, -0.5), (1, 0), (0, 2)])
@pytest.mark.parametrize("first", [True, False])
def test_a_shadow_cut_otherwise_goes(split, shift, first):
    shadow, text = _SPLIT[split](20 + shift[0], 100 + shift[1], "0.7 g"), _courier(20, 100, "Hello World")
    content = (shadow + text if first else text + shadow) + _courier(20, 60, "plain")
    page = read(make_page(content, fonts={"F3": standard("Courier")}))
    assert [line.text for line in find_lines(page).lines] == ["Hello World", "plain"]


def test_a_shadow_of_part_of_a_line_goes():
    page = read(make_page(_letters(20.5, 99.5, "Hello") + _courier(20, 100, "Hello World"), fonts={"F3": standard("Courier")}))
    assert [line.text for line in find_lines(page).lines] == ["Hello World"]


def test_more_letters_than_can_be_compared_with_each_other():
    text = "seven trees seem green here"
    content = "".join(_letters(20.4, 180 - 10 * n, text) + _letters(20, 180 - 10 * n, text) for n in range(12))
    page = read(make_page(content, fonts={"F3": standard("Courier")}))
    assert [line.text for line in find_lines(page).lines] == [text] * 12


@pytest.mark.parametrize("text", ["llllll", "had had had had", "1 1 1 1 1", "........", "ababab"])
def test_letters_written_one_by_one_stay(text):
    page = read(make_page(_letters(20, 100, text) + _courier(20, 86, text) + _letters(20, 60, text), fonts={"F3": standard("Courier")}))
    assert [line.text for line in find_lines(page).lines] == [text] * 3


def test_a_text_that_goes_on_otherwise_stays():
    page = read(make_page(_courier(20, 100, "Hello") + _courier(22, 98, "Help"), fonts={"F3": standard("Courier")}))
    assert sum(len(line.text.replace(" ", "")) for line in find_lines(page).lines) == len("HelloHelp")
