"""What strange text has more of: compiled and as it stands the same, and what patterns find."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compiled import same_in_both

SIGNS = "“”!:;(){}[]#%&*\ufffd"
PATTERNS = [
    re.compile(r"\b[b-df-hj-np-tv-xz]{4,}\b"),
    re.compile(r"\b\w*[a-z][A-Z]\w*[a-z][A-Z]"),
    re.compile(rf"\w[{re.escape(SIGNS)}]\S*\w"),
    re.compile("[À-ÖØ-öø-ÿ]{3,}"),
]


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("aebcdfzAXYZÀÉØéßñ×÷09١_ \n.-!“(%\ufffd°²Ωя漢\u0301\u2003"), max_size=30))
def test_count_odd(text: str) -> None:
    found, _ = same_in_both("pdfmill.transforms.layout.lines.text_loops", "count_odd", text, SIGNS)
    assert found == sum(len(pattern.findall(text)) for pattern in PATTERNS)


def test_each_kind_counts_once() -> None:
    found, _ = same_in_both(
        "pdfmill.transforms.layout.lines.text_loops", "count_odd", "hrngst oNe aBcDeFgH x(y)z #9 ÀÉÉ plain words", SIGNS
    )
    assert found == 4


def test_a_word_may_have_every_letter_digit_and_the_underscore() -> None:
    for edge in "azAZ09_":
        found, _ = same_in_both("pdfmill.transforms.layout.lines.text_loops", "count_odd", f"{edge}!{edge}", SIGNS)
        assert found == 1, edge
    for beside in "@[`{/:":
        assert same_in_both("pdfmill.transforms.layout.lines.text_loops", "count_odd", f"{beside}!{beside}", "!")[0] == 0, beside
