"""Which of PDFium's characters belong to which code."""

from __future__ import annotations

import pytest

from pdfmill.transforms.pdf.fonts.cmaps import place_codes


@pytest.mark.parametrize(
    ("texts", "characters", "starts"),
    [
        (["a", "b"], "ab", [0, 1, 2]),
        (["c", "o", " ", " ", "o", "n"], "co on", [0, 1, 2, 3, 3, 4, 5]),  # the second of two spaces is dropped
        ([" ", "a"], "a", [0, 0, 1]),  # of a space of the run before it
        (["a", " "], "a", [0, 1, 1]),
        (["a", "b"], "a b ", [0, 2, 4]),  # spaces in gaps, which have no code
        (["a", " ", "b"], "a b", [0, 1, 2, 3]),
        (["ffi", "x"], "ffix", [0, 3, 4]),
        ([None, None, "c"], "a bc", [0, 2, 3, 4]),
        (["a", "b"], "ac", None),
        (["a", "b"], "a", None),
        (["a"], "ab", None),
        (["ffi"], "ff", None),
    ],
)
def test_codes_have_their_characters(texts: list[str | None], characters: str, starts: list[int] | None) -> None:
    assert place_codes(texts, list(map(ord, characters))) == starts
