"""Line ends that are their author's: verse, addresses; and text that only looks so."""

from __future__ import annotations

import pytest

from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.page.line_breaks import Extent, forced_ends
from tests.layout.pages import Piece, flow, make_page, style_of

VERSE = [
    "Shall I compare thee to a summer's day?",
    "Thou art more lovely and more temperate:",
    "Rough winds do shake the darling buds of May,",
    "And summer's lease hath all too short a date;",
]
ADDRESS = [
    "Corresponding author:",
    "Dr. Frank Messner",
    "Centre for Environmental Research Leipzig-Halle",
    "Department of Economics",
    "P.O. Box 500 135",
    "D-04301 Leipzig",
]
PROSE = (
    "the river of the town flooded every year when the snow of the hills came down in spring and nobody who lived there was afraid of it"
)
GERMAN = "Der Fluss der Stadt Grimma stieg jedes Jahr, Wenn Schnee Von Bergen Kam"


def extents(texts: list[str], start: float = 72.0, indents: tuple[float, ...] = (0.0,)) -> list[Extent]:
    """Lines of 10 points whose characters are 5 points wide."""
    return [
        Extent(start + indents[n % len(indents)], start + indents[n % len(indents)] + 5.0 * len(text), 10.0, text)
        for n, text in enumerate(texts)
    ]


def wrapped(text: str, chars: int) -> list[str]:
    return [piece.text for piece in flow(text, 0, 0, chars)]


def blocks_of(pieces: list[Piece]) -> list[tuple[str, str]]:
    page = make_page(1, pieces)
    return [(block.role, block.text) for block in structure_page(page, style_of([page])).blocks]


def set_lines(texts: list[str], top: float, x: float = 72.0, indents: tuple[float, ...] = (0.0,)) -> list[Piece]:
    return [Piece(text, x + indents[n % len(indents)], top + 12.0 * n) for n, text in enumerate(texts)]


def test_verse_keeps_all_its_lines() -> None:
    assert forced_ends(extents(VERSE), 500.0) == [0, 1, 2]


def test_verse_may_stand_in_and_fill_its_column() -> None:
    assert forced_ends(extents(VERSE, indents=(0.0, 15.0)), 72.0 + 15.0 + 5.0 * 45) != []


def test_an_address_keeps_its_lines() -> None:
    assert forced_ends(extents(ADDRESS), 500.0) == [0, 1, 2, 3, 4]


def ideographs(texts: list[str]) -> list[Extent]:
    """Lines of 10 points whose characters are as wide."""
    return [Extent(72.0, 72.0 + 10.0 * len(text), 10.0, text) for text in texts]


def test_lines_without_capitals_are_their_authors_where_the_script_would_have_filled_them() -> None:
    assert forced_ends(
        ideographs(["東京都千代田区丸の内一丁目九番一号", "丸の内中央ビルディング七階", "文書館資料課", "山田太郎様"]), 400.0
    ) == [0, 1, 2]
    assert forced_ends(
        ideographs(["輕輕的我走了", "正如我輕輕的來", "我輕輕的招手", "作別西天的雲彩那河畔的金柳", "是夕陽中的新娘"]), 400.0
    ) == [0, 1, 2, 3]


def test_lines_that_a_sign_or_a_foreign_word_leaves_unfilled_are_not() -> None:
    text = "この資料は公文書館が保存するすべての書簡を検索できるようにしたものである" * 3
    for ends in ([20, 39, 59, 79, 98], [18, 38, 57, 77, 96], [20, 40, 58, 78, 97]):
        starts = [0, *ends[:-1]]
        assert forced_ends(ideographs([text[a:b] for a, b in zip(starts, ends, strict=True)]), 272.0) == []
    assert (
        forced_ends(
            ideographs(["資料を検索するには", "https://www.example.org/に", "接続して次の画面で", "https://www.example.net/を", "選ぶ"]),
            340.0,
        )
        == []
    )


@pytest.mark.parametrize("chars", [24, 31, 40, 47])
def test_running_text_has_no_forced_ends_in_any_measure(chars: int) -> None:
    lines = extents(wrapped(f"{PROSE} {PROSE}", chars))
    assert forced_ends(lines, lines[0].start + 5.0 * chars) == []
    assert forced_ends(lines, 500.0) == []


def test_capitals_alone_force_nothing() -> None:
    lines = extents(wrapped(GERMAN, 14))
    assert forced_ends(lines, lines[0].start + 5.0 * 14) == []


def test_justified_lines_are_filled_whatever_stands_out() -> None:
    lines = [
        Extent(72.0, end, 10.0, text)
        for end, text in [
            (372.0, "Of words"),
            (372.0, "One line"),
            (372.0, "And an"),
            (420.0, "overfull-address"),
            (372.0, "One more"),
            (120.0, "End"),
        ]
    ]
    assert forced_ends(lines, 372.0) == []


def test_centred_lines_are_measured_on_both_sides() -> None:
    lines = [
        Extent(300 - 2.5 * len(text), 300 + 2.5 * len(text), 10.0, text)
        for text in ["The Archive", "In Memory of the Flood of Grimma", "By Many Hands", "Leipzig 2002"]
    ]
    assert forced_ends(lines, 500.0) == [0, 1, 2]
