"""Texts side by side: columns of few lines, labels with values, heads in the margin, numbers that count along rows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pdfmill.schemas.records import FontStyle
from tests.layout.pages import BODY, LARGE, SMALL, Piece, blocks_of, flow, make_page, sentence


def side_by_side(rows: Sequence[Sequence[str]], places: Sequence[float] = (72, 240, 400), first: FontStyle = BODY) -> list[str]:
    """Texts of the blocks of rows of pieces between two paragraphs. first: the style of what stands in the first place."""
    pieces = [
        Piece(text, x, 200 + 12.0 * n, BODY if k else first)
        for n, row in enumerate(rows)
        for k, (text, x) in enumerate(zip(row, places, strict=False))
        if text
    ]
    page = make_page(1, [*flow(sentence(60), 72, 80, 80), *pieces, *flow(sentence(60, 3), 72, 400, 80)])
    return [block.text for block in blocks_of([page])][1:-1]


def test_texts_of_three_lines_side_by_side_are_read_one_after_the_other_and_are_no_table() -> None:
    rows = [
        ["Carbon we emit from", "Engineer offshore", "Current of the land"],
        ["our eastern fields", "in the north was", "powered by the two"],
        ["operated this year", "employed by us now", "fields as of today"],
    ]
    assert side_by_side(rows) == [" ".join(each) for each in zip(*rows, strict=True)]


def test_addresses_side_by_side_are_two_texts() -> None:
    rows = [["Ada Weber", "", "River Mills"], ["Old Dam Road", "", "Eastern Quay"], ["Lower Valley", "", "Silt Harbour"]]
    assert " ".join(side_by_side(rows)) == "Ada Weber Old Dam Road Lower Valley River Mills Eastern Quay Silt Harbour"


def test_labels_are_read_with_their_values() -> None:
    rows = [
        ["Length", "Twelve miles and a half"],
        ["Source", "The hills, where the snow"],
        ["", "melts each spring"],
        ["Mouth", "Silt Harbour"],
    ]
    expected = "Length Twelve miles and a half Source The hills, where the snow melts each spring Mouth Silt Harbour"
    assert " ".join(side_by_side(rows, (72, 300), replace(BODY, italic=True))) == expected
    with_colons = [[f"{label}:" if label else "", value] for label, value in rows]
    assert " ".join(side_by_side(with_colons, (72, 300))).replace(":", "") == expected


def test_numbers_are_no_column_of_text() -> None:
    rows = [["The spring", "12"], ["The brook", "28"], ["The river", "104"]]
    assert " ".join(" ".join(side_by_side(rows, (72, 400))).split()) == "The spring 12 The brook 28 The river 104"


def test_small_type_above_text_is_no_footnote() -> None:
    title = Piece("Rivers of the plain", 72, 60, LARGE)
    kicker = flow("1 " + sentence(20, 2), 72, 90, 80, SMALL)
    blocks = blocks_of([make_page(1, [title, *kicker, *flow(sentence(200), 72, 160, 80)])])
    assert "footnote" not in {block.role for block in blocks}


def test_two_short_columns_below_full_lines_are_read_one_after_the_other() -> None:
    """Their baselines agree in one row only, and the right one begins higher."""
    left, right = flow(sentence(30, 1), 72, 212, 44, leading=13), flow(sentence(40, 2), 310, 197, 44, leading=15)
    page = make_page(1, [*flow(sentence(150), 72, 40, 90), *left, *right])
    assert [block.text for block in blocks_of([page])] == [sentence(150), sentence(30, 1), sentence(40, 2)]


def columns_read(left: Sequence[tuple[str, float]], right: Sequence[tuple[str, float]]) -> str:
    """Words of two short columns below a full paragraph, the left one drawn first. Each line is a text and its baseline."""
    pieces = [Piece(text, x, y, BODY) for x, lines in ((72, left), (320, right)) for text, y in lines]
    page = make_page(1, [*flow(sentence(60), 72, 80, 80), *pieces])
    return " ".join(" ".join(block.text for block in blocks_of([page])[1:]).split())


def test_columns_of_which_one_begins_half_a_line_lower_are_read_one_after_the_other() -> None:
    left = [
        ("the brook below the village turns", 200),
        ("a mill that nobody has seen since", 216),
        ("the flood of the year before last", 232),
    ]
    right = [
        ("this year the river was late, and", 208),
        ("so were the boats that carry wool", 224),
        ("to the harbour across the estuary", 240),
    ]
    assert columns_read(left, right) == " ".join(text for text, _ in (*left, *right))


def test_a_line_too_long_for_its_column_does_not_end_the_columns() -> None:
    left = [
        ("the brook below the village", 200),
        ("a mill that nobody has seen", 216),
        ("since the flood of the year before last and its storms", 232),
        ("which all remember", 248),
    ]
    right = [
        ("this year the river was late", 200),
        ("and so were the boats", 216),
        ("to the harbour of the town", 264),
        ("across the estuary", 280),
    ]
    assert columns_read(left, right) == " ".join(text for text, _ in (*left, *right))


def test_columns_of_a_script_with_vowel_signs_hold_words() -> None:
    words = ["ಕಾಯಿದೆಯು", "ಸಮಾನರು", "ಮುಂದೆ", "ನಿಷೇಧಿಸಲ್ಪಟ್ಟಿದೆ", "ಹಾಗೂ", "ಗುಲಾಮಗಿರಿ", "ಹಕ್ಕುಂಟು", "ಪ್ರತಿಯೊಬ್ಬನಿಗೂ"]
    rows = [[" ".join(words[n : n + 2]), " ".join(words[n + 3 : n + 5])] for n in range(4)]
    assert side_by_side(rows, (72, 300)) == [" ".join(each) for each in zip(*rows, strict=True)]
