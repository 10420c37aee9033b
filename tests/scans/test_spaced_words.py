"""Words of spaced letters are one, and letters that stand alone stay."""

import numpy as np
import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.document.ink_looks import pool_ink, settle_looks
from pdfmill.transforms.layout.page.text_style import line_look
from pdfmill.transforms.scans.recognize import join_spaced, with_words
from pdfmill.transforms.scans.recognizers import Word
from tests.scans.drawn import SCALE, draw, plain


def words(text: str, gaps: list[int]) -> list[Word]:
    """Words of 8 pixels a letter and 12 high, with these gaps between."""
    found, x = [], 0
    for word, gap in zip(text.split(), [*gaps, 0], strict=True):
        found.append(Word(("1",), word, (x, 0, x + 8 * len(word), 12), 0.9))
        x += 8 * len(word) + gap
    return found


@pytest.mark.parametrize(
    ("text", "gaps", "joined"),
    [
        ("A B S T R A C T", [5] * 7, ["ABSTRACT"]),
        ("O F A L L M E N", [5, 12, 5, 5, 12, 5, 5], ["OF", "ALL", "MEN"]),
        ("see V O R L A G E here", [6, 5, 5, 5, 5, 5, 5, 6], ["see", "VORLAGE", "here"]),
        ("A B C D E", [5] * 4, ["A", "B", "C", "D", "E"]),  # choices
        ("N J Y K", [60] * 3, ["N", "J", "Y", "K"]),  # cells
        ("J R R Tolkien", [5, 5, 6], ["J", "R", "R", "Tolkien"]),
    ],
)
def test_letters_of_a_word_are_joined(text: str, gaps: list[int], joined: list[str]) -> None:
    found = join_spaced(words(text, gaps))
    assert [word.text for word in found] == joined
    assert found[-1].box[2] == words(text, gaps)[-1].box[2]
    assert {word.confidence for word in found} == {0.9}


def test_spaced_letters_are_a_look_of_their_own() -> None:
    body = [plain(40, 60 + 14 * n, 10, "Letters from the archive came in boxes that nobody had opened since") for n in range(6)]
    picture, words = draw(body)
    heading, letters = draw([plain(40 + 9 * n, 30, 10, letter) for n, letter in enumerate("Multitude")])
    read = [*(replace(letter, line=("head",)) for letter in letters), *words]
    page = with_words(PageLines(1, 520.0, 595.0), read, np.minimum(picture, heading), 1 / SCALE)
    settled = settle_looks(page, pool_ink([page]))
    assert settled.lines[0].text == "Multitude"
    assert [settled.styles[line.style].spaced for line in settled.lines] == [True, *[False] * 6]
    families = [line_look(line, settled.styles).family for line in settled.lines[:2]]
    assert families[0] != families[1]
