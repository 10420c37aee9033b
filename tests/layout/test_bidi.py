"""From the page to the order of reading; python-bidi, which goes the other way, is the judge."""

from __future__ import annotations

import pytest
from bidi.algorithm import get_display

from pdfmill.transforms.layout.lines.base_direction import base_of_line, count_letters
from pdfmill.transforms.layout.lines.bidi import mirrored, reading_order

LOGICAL = [
    "שלום עולם",
    "مرحبا بالعالم",
    "عندي 47 قطط",
    "اسمي Jeremy في الانجليزية",
    "A line with an Arabic العربية word embedded.",
    "plain English, 12 words",
    "סעיף 3.14 של החוק",
    "قبل (بعد) ذلك",
    "3.5 גרסה Python and more",
    "Version 3.5 גרסה and more",
]


@pytest.mark.parametrize("logical", LOGICAL)
def test_undoes_the_display_order(logical: str) -> None:
    rtl = base_of_line(*count_letters([ord(c) for c in logical]), page_rtl=False) and not logical[0].isascii()
    visual = [ord(c) for c in get_display(logical, base_dir="R" if rtl else "L")]
    order, odd = reading_order(visual, rtl)
    assert "".join(chr(mirrored(visual[i])) if odd[i] else chr(visual[i]) for i in order) == logical


def test_a_line_without_letters_has_no_direction_of_its_own() -> None:
    letters = count_letters([ord(c) for c in "12 / 34"])
    assert [base_of_line(*letters, page_rtl=rtl) for rtl in (False, True)] == [False, True]
