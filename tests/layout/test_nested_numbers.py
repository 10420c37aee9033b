"""Depths of headings whose numbers have one part: which kind of number is below which."""

from __future__ import annotations

from typing import Any

import pytest

from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.document.heading_levels import nest_numbers
from pdfmill.transforms.layout.document.headings import Found

LARGE = Look("Serif", 16.0, True, False, False, 0, 0)
SMALL = LARGE._replace(size=12.0)


def depths(*headings: tuple[str, Look]) -> list[int]:
    candidate: Any = None  # not looked at
    found = [Found(1, candidate, look, 1, text=text) for text, look in headings]
    nest_numbers(found)
    return [each.depth for each in found]


def test_what_restarts_under_another_number_is_below_it() -> None:
    texts = ("I. One", "A. First", "B. Second", "II. Two", "A. Third", "III. Three")
    assert depths(*((text, LARGE) for text in texts)) == [1, 2, 2, 1, 2, 1]


def test_another_look_is_below_even_if_it_begins_once() -> None:
    assert depths(("1. One", LARGE), ("A. First", SMALL), ("B. Second", SMALL), ("2. Two", LARGE)) == [1, 2, 2, 1]


def test_an_appendix_in_the_look_of_chapters_is_none_of_their_parts() -> None:
    assert depths(("1. One", LARGE), ("2. Two", LARGE), ("A. Proofs", LARGE), ("B. Tables", LARGE)) == [1, 1, 1, 1]


@pytest.mark.parametrize("text", ["One", "1.1 One"])
def test_other_headings_keep_their_depth(text: str) -> None:
    assert depths((text, LARGE), ("1. Two", LARGE), ("a. Three", SMALL)) == [1, 1, 2]
