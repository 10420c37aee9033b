"""A line of both directions runs as its block does: in paragraphs and cells, in English documents and in Hebrew and Arabic ones."""

from __future__ import annotations

import pytest
from bidi.algorithm import get_display

from tests.layout.test_lines import Page, texts

#: Widths of a letter and a space that `Page.put` draws, points.
LETTER, SPACE = 5.0, 2.5


def put(page: Page, logical: str, y: float, *, rtl: bool, begin: float = 50, end: float = 350) -> None:
    """A line as it is displayed: flush left from `begin`, or flush right up to `end`."""
    shown = get_display(logical, base_dir="R" if rtl else "L")
    page.put(shown, end - sum(SPACE if letter == " " else LETTER for letter in shown) if rtl else begin, y)


ENGLISH = ["It was called", "שלום עולם מאוד גדול by them", "for some years and then it was not."]
HEBREW = ["כך הוא נקרא אז", "John Smith Limited London של העיר", "במשך כמה שנים ואחר כך לא עוד בכלל."]


def test_a_line_of_mostly_hebrew_words_in_an_english_paragraph() -> None:
    page = Page()
    for n, line in enumerate(ENGLISH):
        put(page, line, 100 + 12 * n, rtl=False)
    assert texts(page) == ENGLISH


def test_a_line_of_mostly_english_words_in_a_hebrew_paragraph() -> None:
    page = Page()
    for n, line in enumerate(HEBREW):
        put(page, line, 100 + 12 * n, rtl=True)
    assert texts(page) == HEBREW


def test_a_hebrew_paragraph_in_an_english_document() -> None:
    page = Page()
    for n in range(20):
        put(page, "An English line as there are many.", 300 + 12 * n, rtl=False)
    for n, line in enumerate(HEBREW):
        put(page, line, 100 + 12 * n, rtl=True)
    assert texts(page)[20:] == HEBREW


def test_an_english_paragraph_in_an_arabic_document() -> None:
    page = Page()
    for n in range(20):
        put(page, "هذا سطر عربي وهناك الكثير منه", 300 + 12 * n, rtl=True)
    lines = ["It is called", "the كتاب in their language, and it", "was found in the desert."]
    for n, line in enumerate(lines):
        put(page, line, 100 + 12 * n, rtl=False)
    assert texts(page)[20:] == lines


@pytest.mark.parametrize(("first", "whole"), [("כל אדם זכאי (ISO) לזכויות", True), ("כל (ISO 32000) זה", False)])
def test_a_hebrew_paragraph_that_is_set_flush_left(first: str, whole: bool) -> None:
    """Where nearly all of its letters are Hebrew; with a quarter of others the flush side tells."""
    lines, page = [first, "שנקבעו בהכרזה זו ללא הפליה", "במשך כמה שנים"][: 3 if whole else 1], Page()
    lines += [] if whole else ["ISO IEC שם"]
    for n in range(20):
        page.put(get_display("זה הוא שורה של טקסט בעברית", base_dir="R"), 150, 300 + 12 * n)
    for n, line in enumerate(lines):
        page.put(get_display(line, base_dir="R"), 50, 100 + 12 * n)
    assert (texts(page)[20:] == lines) is whole


def test_cells_have_directions_of_their_own() -> None:
    """Two columns of cells: English ones with Hebrew words to the left, Hebrew ones with English words to the right."""
    left = ["Name: שלום עולם", "Town: ירושלים", "Kind: ספר"]
    right = ["שם: John Smith", "עיר: London", "סוג: Book"]
    page = Page()
    for n, (a, b) in enumerate(zip(left, right, strict=True)):
        put(page, a, 100 + 14 * n, rtl=False, begin=50)
        put(page, b, 100 + 14 * n, rtl=True, end=500)
    assert sorted(texts(page)) == sorted(left + right)


def test_a_line_alone_runs_as_most_of_its_letters_do() -> None:
    page = Page()
    put(page, "It is a שלום of theirs", 100, rtl=False)
    put(page, "זה ספר של John לכל אחד", 200, rtl=True)
    assert texts(page) == ["It is a שלום of theirs", "זה ספר של John לכל אחד"]
