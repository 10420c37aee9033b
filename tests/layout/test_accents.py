"""Accents drawn apart from their letters: what they join, and that looking for it costs no square of the page."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.records import FontStyle
from pdfmill.transforms.layout.lines import accents
from pdfmill.transforms.layout.lines.accents import compose_accents
from pdfmill.transforms.layout.settings.text_settings import TextSettings

SETTINGS = TextSettings()


def drawn(placed: Sequence[tuple[str, float, float]], size: float = 10.0) -> Glyphs:
    """Glyphs half an em wide: character, left edge, baseline."""
    n = len(placed)
    x, y = (np.array([each[column] for each in placed], np.float32) for column in (1, 2))
    half = np.float32(0.5 * size)
    none = np.zeros(n, np.int32)
    return Glyphs(
        np.array([ord(each[0]) for each in placed], np.uint32), x, y - half, x + half, y, x, y,
        none.astype(np.int16), none, np.arange(n, dtype=np.int32), none - 1, none.astype(np.uint8), [FontStyle("Times-Roman", size)],
    )  # fmt: skip


def composed(glyphs: Glyphs) -> str:
    whole, gone = compose_accents(glyphs, np.ones(len(glyphs.unicode), np.bool_), SETTINGS)
    return "".join(map(chr, whole.unicode[~gone].tolist()))


def test_an_accent_drawn_elsewhere_joins_the_last_letter_under_it():
    glyphs = drawn(
        [("a", 100, 50), ("e", 200, 50), ("e", 200, 50), ("x", 300, 50), ("y", 300, 80), ("´", 201, 48), ("z", 400, 50), ("´", 500, 50)]
    )
    assert composed(glyphs) == "aeéxyz´"


@pytest.mark.parametrize("seed", range(8))
def test_places_give_what_a_search_of_the_whole_page_gives(seed: int, monkeypatch: pytest.MonkeyPatch):
    source = random.Random(seed)
    width, height = source.choice([(30, 30), (600, 5), (5, 800), (600, 800)])
    glyphs = drawn([(source.choice("aeioub´¨¸^"), source.random() * width, source.random() * height) for _ in range(300)])
    found = composed(glyphs)
    monkeypatch.setattr(accents.GlyphIndex, "near", lambda places, accent, reach: np.arange(300))
    assert found == composed(glyphs)
    assert len(found) < 300


@pytest.mark.parametrize(
    "place",
    [lambda n: (20.0 * n, 50.0), lambda n: (50.0, 20.0 * n), lambda n: (20.0 * (n % 60), 20.0 * (n // 60))],
    ids=["line", "column", "grid"],
)
def test_an_accent_is_compared_with_its_neighbourhood_only(place, monkeypatch: pytest.MonkeyPatch):
    letters = [("b", *place(n)) for n in range(2000)]
    glyphs = drawn([*letters, *(("´", x, y) for _, x, y in letters)])  # which join no letter b
    compared = []
    under = accents._under
    monkeypatch.setattr(
        accents, "_under", lambda glyphs, accent, others, settings: compared.append(len(others)) or under(glyphs, accent, others, settings)
    )
    assert composed(glyphs).count("´") == 2000
    assert max(compared) <= 130, "a row of the grid, with its accents; the page has 4,000"
