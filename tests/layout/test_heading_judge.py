"""Signs for and against headings add up; candidates are joined before they are judged; levels follow the sequence."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import FontStyle, PageLines
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.document.document_style import decide_style, find_profile
from pdfmill.transforms.layout.document.heading_judge import (
    EVIDENCE,
    OWN,
    REFUSALS,
    RELATED,
    RELATIONS,
    judge_headings,
    refusal_of,
    relate,
    signs_of,
)
from pdfmill.transforms.layout.document.heading_levels import in_reading_order, without_jumps
from pdfmill.transforms.layout.document.heading_signs import BYLINE, SIGNS
from pdfmill.transforms.layout.document.headings import HeadingFinder
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.page.patterns import LABEL, number_kinds
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from tests.layout.pages import BODY, BOLD, LARGE, SMALL, Piece, blocks_of, flow, make_page, sentence

SLANTED = FontStyle("Times-BoldItalic", 16.0, bold=True, italic=True)
EYEBROW = FontStyle("Times-Roman", 7.0)


def measured(pages: list[PageLines]) -> DocumentStatistics:
    statistics = DocumentStatistics()
    for page in pages:
        statistics.add(measure_page(page))
    return statistics


def finder_of(pages: list[PageLines], *, explain: bool = False) -> HeadingFinder:
    profile = find_profile(measured(pages), (), replace(DEFAULTS, explain=explain))
    assert profile is not None
    return profile.finder


def headings(pages: list[PageLines]) -> list[tuple[str, int | None]]:
    return [(block.text, block.level) for block in blocks_of(pages) if block.role in ("heading", "title")]


def sections(titles: list[str], style: FontStyle = BOLD) -> list[PageLines]:
    """A page for each title, with a paragraph under it; titles stand at different heights."""
    return [
        make_page(
            n + 1,
            [*flow(sentence(40, n + 9), 72, 80, 80), Piece(title, 72, 190 + 17 * n, style), *flow(sentence(120, n), 72, 214 + 17 * n, 80)],
        )
        for n, title in enumerate(titles)
    ]


def test_every_sign_has_a_weight_and_every_weight_a_sign() -> None:
    signs = signs_of(finder_of(sections(["The Hills", "The Plain"])))
    assert signs
    assert all(set(each) == {*SIGNS, BYLINE} for _, each in signs)
    assert set(OWN.weights) == set(SIGNS)
    assert set(RELATED.weights) == set(EVIDENCE)


def test_no_single_sign_decides() -> None:
    """Titles that end in a full stop are headings where all else speaks for them; a bold sentence in the text is none."""
    assert [text for text, _ in headings(sections(["1 The hills.", "2 The plain.", "3 The towns."]))] == [
        "1 The hills.",
        "2 The plain.",
        "3 The towns.",
    ]


def test_what_decided_is_told_for_whom_asks() -> None:
    pages = sections(["The Hills", "The Plain"])
    told = [why for each in judge_headings(finder_of(pages, explain=True)).why.values() for why in each]
    taken = [why for why in told if why.taken]
    assert [pages[n].lines[why.lines[0]].text for n, why in enumerate(taken)] == ["The Hills", "The Plain"]
    assert all(why.question == "heading" and why.rule in {*EVIDENCE, *(refusal.name for refusal in REFUSALS)} for why in told)
    assert judge_headings(finder_of(pages)).why == {}
    assert decide_style(measured(pages), (), replace(DEFAULTS, explain=True)).why.keys() == {1, 2}


def test_a_heading_weighs_more_than_a_piece_of_a_sentence() -> None:
    pages = sections(["The Hills", "and of the barley,"])
    told = judge_headings(finder_of(pages, explain=True)).why
    odds = {pages[page - 1].lines[why.lines[0]].text: float(why.says.partition(":")[0]) for page in told for why in told[page]}
    assert odds["The Hills"] > odds["and of the barley,"] + 1


def test_a_line_that_ends_within_a_word_is_no_heading() -> None:
    found = [text for text, _ in headings(sections(["The Hills of Bar-", "The Plain of Barley"]))]
    assert found == ["The Plain of Barley"]


def related(looks: str, odds: list[float]) -> list[float]:
    """What relations add to the log odds of each candidate, all of one indent on one page."""
    found = relate(list(looks), [0] * len(looks), np.array(odds), 1)
    added: list[float] = (found @ np.array([RELATED.weights[name] for name in RELATIONS])).tolist()
    return added


def test_lines_of_one_look_are_judged_together() -> None:
    """What its own signs leave open follows the others of its look."""
    odds = related("aaaabbbb", [3.0, 3.0, 3.0, 0.0, -3.0, -3.0, -3.0, 0.0])
    assert odds[3] > odds[7] + 1


def test_looks_are_held_against_the_best_of_the_document() -> None:
    """The same odds say more where no other look has better ones."""
    assert related("aab", [-0.5, -0.5, -4.0])[0] > related("aab", [-0.5, -0.5, 4.0])[0] + 0.5


def test_relations_of_looks() -> None:
    """By hand: two looks on one page, their means 1 and -1."""
    found = relate(["a", "a", "b"], [0, 4, 4], np.array([0.0, 2.0, -1.0]), 1)
    chance = 1 / (1 + np.exp([0.0, -2.0, 1.0]))
    expected = {
        "own": [0, 2, -1],
        "look": [1, 1, -1],
        "place": [0, 2, -1],
        "least": [0, 0, -1],
        "best": [1, 1, 1],
        "better": [0, 0, chance[:2].sum()],
        "so_far": [chance[:2].sum(), chance[:2].sum(), chance.sum()],
        "headings": [chance.sum()] * 3,
    }
    for n, name in enumerate(RELATIONS):
        assert found[:, n] == pytest.approx(expected[name], abs=1e-5), name
    assert relate([], [], np.zeros(0), 0).shape == (0, len(RELATIONS))


def test_a_heading_at_the_head_of_its_page_is_no_running_head() -> None:
    """Section heads that look alike once digits are masked stand where running heads do; their words differ."""
    titles = [f"4.{n}.1 {word}" for n, word in enumerate(("Port", "Power", "Audio", "Clock", "Reset", "Flags"), start=1)]
    pages = [make_page(n + 1, [Piece(title, 72, 40, BOLD), *flow(sentence(150, n), 72, 70, 80)]) for n, title in enumerate(titles)]
    assert [text for text, _ in headings(pages)] == titles


def test_what_is_known_is_outweighed_by_no_look() -> None:
    signs = dict.fromkeys([*SIGNS, BYLINE], 0.0)
    (c,) = (c for c in measured([make_page(1, [Piece("The Hills 12", 72, 80, BOLD)])]).notes[1].candidates)
    assert refusal_of(c, signs) is None

    def name(**more: float) -> str | None:
        refusal = refusal_of(c, signs | more)
        return refusal.name if refusal else None

    assert name(furniture=1.0) == "running_head"
    assert name(furniture=1.0, own_words=1.0) is None
    assert name(furniture=1.0, named=1.0) is None
    assert name(contents_page=1.0) == "entry"


def test_a_running_head_stays_one() -> None:
    pages = [make_page(n + 1, [Piece("The Hills", 72, 40, BOLD), *flow(sentence(150, n), 72, 90, 80)]) for n in range(6)]
    assert headings(pages) == []


def test_titles_of_slides_that_go_on_are_headings() -> None:
    """Heads that change along the way, each in the largest type of its slides and above the body."""
    titles = ["Rain", "Rain", "Rain", "Wind", "Wind", "Wind", "Snow", "Snow"]
    pages = [
        make_page(n + 1, [Piece(title, 72, 60, LARGE), *flow(sentence(40, n), 72, 110, 60)], 800, 600) for n, title in enumerate(titles)
    ]
    assert [text for text, _ in headings(pages)] == titles


def test_a_title_with_slanted_words_is_one_heading() -> None:
    pieces = [
        Piece("Fever can be cured after the end of", 72, 80, LARGE),
        Piece("Silt river", 72, 98, SLANTED),
        *flow(sentence(120), 72, 140, 80),
    ]
    assert [text for text, _ in headings([make_page(1, pieces)])] == ["Fever can be cured after the end of Silt river"]


def test_the_label_above_a_heading_goes_to_it() -> None:
    pages = []
    for n, title in enumerate(("Rain", "Wind")):
        pieces = [
            *flow(sentence(40, n), 72, 80, 80),
            Piece(f"LESSON {n + 1}", 72, 200, EYEBROW),
            Piece(title, 72, 218, LARGE),
            *flow(sentence(80, n), 72, 244, 80),
        ]
        pages.append(make_page(n + 1, pieces))
    assert [text for text, _ in headings(pages)] == ["LESSON 1 Rain", "LESSON 2 Wind"]


@pytest.mark.parametrize(("title", "text"), [("5.3 The Silt", "5.3 The Silt"), ("The Silt", "Chapter 5 The Silt")])
def test_a_title_with_a_number_of_its_own_stands_under_a_running_head(title: str, text: str) -> None:
    pages = [make_page(1, [Piece("Chapter 5", 72, 60, BOLD), Piece(title, 72, 90, LARGE), *flow(sentence(120), 72, 120, 80)])]
    assert text in [f.text for f in judge_headings(finder_of(pages)).found]


@pytest.mark.parametrize(
    ("text", "label"),
    [("PRINCIPLE 1", True), ("Success criterion 1.1.1 (Level A)", True), ("Part IV", True), ("In 1984 it rained", False), ("Rain", False)],
)
def test_labels(text: str, label: bool) -> None:
    assert bool(LABEL.match(text)) == label


def test_a_plain_number_beside_a_bold_title_goes_to_it() -> None:
    pages = [
        make_page(
            n + 1,
            [
                *flow(sentence(40, n), 72, 80, 80),
                Piece(f"{n + 1}.", 72, 200),
                Piece(title, 100, 200, BOLD),
                *flow(sentence(80, n), 72, 226, 80),
            ],
        )
        for n, title in enumerate(("Rain", "Wind"))
    ]
    assert [text for text, _ in headings(pages)] == ["1. Rain", "2. Wind"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("V. Wind", {"letter": 22, "roman": 5}),
        ("XIV. Wind", {"roman": 14}),
        ("3 Wind", {"arabic": 3}),
        ("B. Wind", {"letter": 2}),
        ("2.1 Wind", {}),
        ("Wind", {}),
    ],
)
def test_number_kinds(text: str, kinds: dict[str, int]) -> None:
    assert number_kinds(text) == kinds


def test_kinds_of_numbers_nest() -> None:
    titles = ["I. Rain", "A. Hills", "B. Plains", "II. Wind", "A. Coast", "B. Sea"]
    assert [level for _, level in headings(sections(titles))] == [1, 2, 2, 1, 2, 2]


def test_an_appendix_does_not_nest_under_the_last_chapter() -> None:
    titles = ["1. Rain", "2. Wind", "3. Snow", "A. Tables", "B. Names"]
    assert [level for _, level in headings(sections(titles))] == [1, 1, 1, 1, 1]


def test_titles_of_slides_are_equals() -> None:
    sizes = (30.0, 24.0, 34.0, 24.0)
    pages = [
        make_page(
            n + 1,
            [
                Piece(f"The {word}", 72, 60, FontStyle("Times-Bold", size, bold=True)),
                *flow(sentence(40, n), 72, 130, 40, FontStyle("Times-Roman", 18.0), 24.0),
            ],
            800,
            600,
        )
        for n, (word, size) in enumerate(zip(("rain", "wind", "snow", "silt"), sizes, strict=True))
    ]
    assert [level for _, level in headings(pages)] == [1, 1, 1, 1]


def test_levels_that_no_heading_has_are_left_out() -> None:
    assert without_jumps([1, 3, 3, 1, 5]) == [1, 2, 2, 1, 3]
    assert without_jumps([2, 4]) == [1, 2]
    assert without_jumps([]) == []


def test_headings_are_read_column_by_column() -> None:
    """The right column's heading stands higher on the page than the last of the left column."""
    pieces = [*flow(sentence(150), 50, 80, 46), Piece("A. Left", 50, 500, BOLD), *flow(sentence(50, 2), 50, 520, 46)]
    pieces += [*flow(sentence(50, 3), 310, 80, 46), Piece("B. Right", 310, 300, BOLD), *flow(sentence(100, 4), 310, 320, 46)]
    finder = finder_of([make_page(1, pieces)])
    assert finder.gutters
    found = judge_headings(finder).found
    assert [f.text for f in in_reading_order(sorted(found, key=lambda f: f.candidate.top), finder.gutters)] == ["A. Left", "B. Right"]


def test_another_font_of_one_size_parts_lines() -> None:
    """A heading in another family over its text of one size is a group of its own."""
    sans = FontStyle("Helvetica", BODY.size)
    pages = [
        make_page(n + 1, [*flow(sentence(40, n + 5), 72, 80, 80), Piece(title, 72, 160, sans), *flow(sentence(80, n), 72, 172, 80)])
        for n, title in enumerate(("The Rain", "The Wind"))
    ]
    texts = [c.text for note in measured(pages).notes.values() for c in note.candidates]
    assert "The Rain" in texts
    assert "The Wind" in texts


def test_small_type_alone_is_no_heading() -> None:
    pages = [
        make_page(
            n + 1, [*flow(sentence(90, n), 72, 80, 80), Piece("A note on silt,", 72, 300, SMALL), *flow(sentence(90, n + 3), 72, 330, 80)]
        )
        for n in range(2)
    ]
    assert headings(pages) == []
