"""The part of a page that a hit shows."""

from __future__ import annotations

import pytest

from pdfmill.pipeline.search.answers import Box, Hit
from pdfmill.pipeline.serve.search_page import STRIP_HEIGHT, STRIP_WIDTH, name_of, strip_of

DOCUMENT: dict[str, object] = {"doc_id": "0" * 32, "content_sha256": "a" * 64}


def a_hit(*boxes: Box) -> Hit:
    return Hit("0" * 32, "s3://b/a.pdf", "A", 2, 1.0, [], [], list(boxes), None, 1)


@pytest.mark.parametrize(("wide", "high"), [(595.0, 842.0), (842.0, 595.0), (200.0, 60.0), (1200.0, 200.0)])
@pytest.mark.parametrize("across", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("down", [0.0, 0.5, 1.0])
def test_the_first_mark_is_in_the_strip_and_the_strip_on_the_page(wide: float, high: float, across: float, down: float) -> None:
    x, y = across * (wide - 40), down * (high - 12)
    strip = strip_of(DOCUMENT, {"width": wide, "height": high}, a_hit(Box(2, x, y, x + 40, y + 12), Box(1, 0, 0, 9, 9)))
    assert strip is not None
    assert 0 <= strip.x <= x
    assert x + 40 <= strip.x + strip.width <= wide + 0.001
    assert 0 <= strip.y <= y
    assert y + 12 <= strip.y + strip.height <= high + 0.001
    assert (strip.width, strip.height) == (min(wide, STRIP_WIDTH), min(high, STRIP_HEIGHT))
    assert len(strip.marks) == 1, "of the other page's mark nothing is shown"


def test_there_is_no_strip_without_a_mark_or_a_page() -> None:
    assert strip_of(DOCUMENT, {"width": 595.0, "height": 842.0}, a_hit()) is None
    assert strip_of(DOCUMENT, {}, a_hit(Box(2, 1, 1, 9, 9))) is None


def test_names_are_the_last_part() -> None:
    assert [name_of(uri) for uri in ("s3://b/x/", "https://h", "file:///a%20b.pdf")] == ["x", "h", "a b.pdf"]
