"""Copies of a text are reduced to one; what is written twice stays."""

import pytest

from tests.pdf.pages import make_page, read
from transforms.layout.lines import find_lines


def _told(content):
    return [line.text for line in find_lines(read(make_page(content))).lines]


def _at(x, y, text, color="0 g"):
    return f"{color} BT /F1 12 Tf {x} {y} Td ({text}) Tj ET "


@pytest.mark.parametrize("shift", [(0.3, 0), (0.5, -0.5), (1, -1), (2, -2), (0, 3)])
def test_a_shadow_goes(shift):
    content = _at(20 + shift[0], 100 + shift[1], "Shadow text", "0.7 g") + _at(20, 100, "Shadow text") + _at(20, 60, "plain")
    assert _told(content) == ["Shadow text", "plain"]


def test_fake_bold_of_many_copies():
    assert _told("".join(_at(20 + 0.2 * step, 100, "Bold") for step in range(4))) == ["Bold"]


def test_repetition_stays():
    words = _at(20, 100, "had ") + _at(43.4, 100, "had ") + _at(20, 86, "had ") + _at(100, 100, "l") + _at(102.7, 100, "l")
    assert " ".join(_told(words)).replace(" ", "").count("had") == 3
    assert "ll" in " ".join(_told(words))


def test_other_text_in_the_same_place_stays():
    assert sorted("".join(_told(_at(20, 100, "ab") + _at(20.5, 100, "xc")))) == sorted("abxc")
