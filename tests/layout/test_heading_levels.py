"""Levels follow numbers, type and sequence; the outline and the table of contents outweigh them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdfmill.schemas.records import FontStyle, PageLines
from pdfmill.transforms.layout.document.document_style import decide_style, find_profile
from pdfmill.transforms.layout.document.heading_judge import judge_headings
from pdfmill.transforms.layout.document.heading_levels import ABOVE, EQUAL, agree, compare_kinds
from pdfmill.transforms.layout.document.heading_witnesses import follow
from tests.layout.pages import BODY, LARGE, Piece, flow, make_page, sentence
from tests.layout.test_heading_judge import headings, measured

HEAD = FontStyle("Times-Bold", 12.0, bold=True)
SMALLER = FontStyle("Times-Bold", 11.0, bold=True)
WHITE = FontStyle("Times-Bold", 12.0, bold=True, color=0xFFFFFF)


def one_after_the_other(titles: list[tuple[str, FontStyle]], x: float = 72) -> list[PageLines]:
    """Two titles a page, each with a paragraph below."""
    pages = []
    for n in range(0, len(titles), 2):
        pieces: list[Piece] = []
        for k, (title, style) in enumerate(titles[n : n + 2]):
            pieces += [Piece(title, x, 80 + 300 * k, style), *flow(sentence(90, n + k), 72, 110 + 300 * k, 80)]
        pages.append(make_page(n // 2 + 1, pieces))
    return pages


def test_an_acronym_is_an_equal_of_the_titles_around_it() -> None:
    titles = [(text, HEAD) for text in ("Templates", "JSON", "Routes", "Databases")]
    assert headings(one_after_the_other(titles)) == [("Templates", 1), ("JSON", 1), ("Routes", 1), ("Databases", 1)]


def test_light_type_on_a_dark_bar_stands_above_dark_type_of_its_size() -> None:
    titles = [
        ("First Part", WHITE),
        ("The Hills", HEAD),
        ("The Plain", HEAD),
        ("Second Part", WHITE),
        ("The Coast", HEAD),
        ("The Sea", HEAD),
    ]
    assert [level for _, level in headings(one_after_the_other(titles))] == [1, 2, 2, 1, 2, 2]


def test_a_title_without_number_is_an_equal_of_the_numbered_ones_of_its_look() -> None:
    titles = [
        ("1 Rain", LARGE),
        ("Aims", HEAD),
        ("Notes", HEAD),
        ("Terms", HEAD),
        ("1.1 Hills", HEAD),
        ("2 Wind", LARGE),
        ("2.1 Coast", HEAD),
    ]
    found = dict(headings(one_after_the_other(titles)))
    assert {found[text] for text in ("Aims", "Notes", "Terms", "1.1 Hills", "2.1 Coast")} == {2}


def test_a_centred_abstract_stands_beside_flush_sections() -> None:
    pieces = [Piece("Abstract", 300 - 8 * 3, 60, HEAD), *flow(sentence(45, 9), 72, 86, 80)]
    for n, text in enumerate(("1 Introduction", "2 Method", "3 Results", "References")):
        pieces += [Piece(text, 72, 210 + 130 * n, HEAD), *flow(sentence(45, n), 72, 236 + 130 * n, 80)]
    found = headings([make_page(1, pieces)])
    assert {text for text, _ in found} >= {"Abstract", "1 Introduction", "References"}
    assert len({level for _, level in found}) == 1


def test_entries_of_contents_are_no_headings() -> None:
    """Those of chapters have no dots; their titles are headings where they stand."""
    chapters = ["1 Rain", "2 Hills", "3 Wind"]
    entries = [Piece("Contents", 72, 60, HEAD)]
    for n, text in enumerate(chapters):
        entries += [
            Piece(text + str(n + 2).rjust(60 - len(text)), 72, 110 + 60 * n, HEAD),
            Piece(f"{n + 1}.1 More of it ".ljust(71, ".") + str(n + 2), 72, 128 + 60 * n),
            Piece(f"{n + 1}.2 All of it ".ljust(71, ".") + str(n + 2), 72, 146 + 60 * n),
        ]
    pages = [make_page(1, entries)]
    for n, text in enumerate(chapters):
        pages.append(make_page(n + 2, [Piece(text, 72, 60, HEAD), *flow(sentence(90, n), 72, 90, 80)]))
    found = [text for text, _ in headings(pages)]
    assert [text for text in found if text[0].isdigit()] == chapters


def test_the_outline_says_the_levels() -> None:
    """All titles look alike; those that the outline leaves out go with their look."""
    texts = ["Rain", "Hills", "Plains", "Wind", "Coast", "Sea"]
    pages = one_after_the_other([(text, HEAD) for text in texts])
    outline = [("Rain", 1, 1), ("Hills", 2, 1), ("Plains", 2, None), ("Wind", 1, 2), ("Coast", 2, 3)]
    marks = decide_style(measured(pages), outline).headings
    assert [mark.level for page in sorted(marks) for mark in marks[page]] == [1, 2, 2, 1, 2, 2]


def test_a_flat_outline_says_nothing_of_levels() -> None:
    titles = [("Rain", LARGE), ("Hills", HEAD), ("Plains", HEAD), ("Wind", LARGE), ("Coast", HEAD), ("Sea", HEAD)]
    outline = [(text, 1, n // 2 + 1) for n, (text, _) in enumerate(titles)]
    marks = decide_style(measured(one_after_the_other(titles)), outline).headings
    assert [mark.level for page in sorted(marks) for mark in marks[page]] == [1, 2, 2, 1, 2, 2]


def test_the_table_of_contents_says_the_levels() -> None:
    """Its entries stand in under each other; the titles all look alike."""
    texts = ["Rain", "Hills", "Plains", "Wind", "Coast", "Sea"]
    pages = one_after_the_other([(text, HEAD) for text in texts])
    entries = [
        Piece(f"{text} {'. ' * 40}{n + 2}", 72 if text in ("Rain", "Wind") else 90, 120 + 14 * n, BODY) for n, text in enumerate(texts)
    ]
    moved = [make_page(1, [Piece("Contents", 72, 80, HEAD), *entries])]
    for page in pages:
        page.page += 1
    found = headings(moved + pages)
    assert [level for text, level in found if text in texts] == [1, 2, 2, 1, 2, 2]


def test_rare_looks_of_a_title_page_take_no_levels_of_their_own() -> None:
    """A book whose front matter has many looks of its own still has levels for its chapters, sections and subsections."""
    rare = [
        (f"The {word} of Rain", FontStyle("Times-Bold", size, bold=True)) for word, size in zip("ABCDE", (40, 36, 32, 29, 26), strict=True)
    ]
    chapter = [("The Hills", FontStyle("Times-Bold", 20.0, bold=True)), ("Of Goats", LARGE), ("Milk", HEAD), ("Wool", HEAD)]
    found = headings(one_after_the_other(rare + chapter * 3))
    levels = [level for text, level in found if not text.endswith("Rain")]
    assert levels[:4] == levels[4:8] == levels[8:]
    assert levels[0] < levels[1] < levels[2] == levels[3] <= 6  # type: ignore[operator]


def test_parts_in_large_type_stand_above_the_numbers_of_a_list() -> None:
    titles = [("PART I RAIN", LARGE), ("1. Goats", SMALLER), ("2. Sheep", SMALLER), ("PART II WIND", LARGE)]
    titles += [("1. Boats", SMALLER), ("2. Nets", SMALLER), ("3. Sails", SMALLER)]
    assert [level for _, level in headings(one_after_the_other(titles))] == [1, 2, 2, 1, 2, 2, 2]


def test_kinds_agree_with_most_pairs_of_headings() -> None:
    """The first kind is above both others, which are equals by a hair less than their order is sure; their uses decide."""
    above = np.array([[0.0, 0.9, 0.8], [0.1, 0.0, 0.45], [0.2, 0.0, 0.0]])
    equal = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.55], [0.0, 0.55, 0.0]])
    first, second, third = agree(above, equal, np.array([1, 5, 5]), 6).tolist()
    assert first < second == third
    sure, unlike = above + np.array([[0, 0, 0], [0, 0, 0.15], [0, 0, 0]]), np.where(equal > 0, 0.4, 0.0)
    first, second, third = agree(sure, unlike, np.array([1, 5, 5]), 6).tolist()
    assert first < second < third
    assert len(set(agree(above, equal, np.array([1, 5, 5]), 1).tolist())) == 1


def test_evidence_of_levels_is_of_pairs() -> None:
    """What speaks for "above" changes its sign with the sides, what speaks for "equal" does not; all of it is weighed."""
    titles = [("1 Rain", LARGE), ("1.1 Hills", HEAD), ("Notes", SMALLER), ("2 Wind", LARGE), ("2.1 Coast", HEAD)]
    profile = find_profile(measured(one_after_the_other(titles)))
    assert profile is not None
    kinds = compare_kinds(judge_headings(profile.finder).found, None, profile.finder.body)
    assert kinds.of.tolist() == [0, 1, 2, 0, 1]
    assert kinds.above.shape == (3, 3, len(ABOVE.weights))
    assert kinds.equal.shape == (3, 3, len(EQUAL.weights))
    assert kinds.above == pytest.approx(-kinds.above.transpose(1, 0, 2))
    assert kinds.equal == pytest.approx(kinds.equal.transpose(1, 0, 2))
    said = dict(zip(ABOVE.weights, kinds.above[0, 1].tolist(), strict=True))
    assert (said["larger"], said["shallower"], said["earlier"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("levels", "known", "followed"),
    [
        ([1, 2, 3], {0: 1}, [1, 2, 3]),  # those without a known level keep their distance to the one above
        ([1, 2, 2, 3], {0: 1, 3: 2}, [1, 1, 1, 2]),  # and stay above the one below
        ([1, 3, 2], {0: 1, 1: 2}, [1, 2, 1]),
    ],
)
def test_headings_follow_those_whose_level_is_known(levels: list[int], known: dict[int, int], followed: list[int]) -> None:
    heads: list[Any] = [object() for _ in levels]
    assert follow(heads, None, levels, known) == followed
