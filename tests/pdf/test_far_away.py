"""Text beyond all pages is read, and no number of it is none."""

from __future__ import annotations

import numpy as np
import pytest

from pdfmill.transforms.pdf.text.user_space import FARTHEST, bounded
from tests.torture.reading import page, read, stream


def test_what_stands_nowhere_stands_at_zero() -> None:
    numbers = np.array([1.0, -np.inf, np.nan, 1e30, FARTHEST], np.float32)
    assert bounded(numbers).tolist() == [1.0, -FARTHEST, 0.0, FARTHEST, FARTHEST]
    assert bounded(np.array([3.5, -2.0])).tolist() == [3.5, -2.0]
    assert bounded(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("matrix", ["99999 0 0 99999 0 0 cm " * 30, "0 99999 -99999 0 7 7 cm " * 30, "1 0 0 1 99999999999999999999 0 cm"])
def test_a_page_with_text_beyond_all_pages_is_read(tmp_path, matrix: str) -> None:
    content = f"q {matrix} BT /F1 12 Tf 20 50 Td (Lost) Tj ET 0 0 9 9 re f Q BT /F1 12 Tf 20 50 Td (Hello) Tj ET".encode()
    outcome = read(tmp_path / "a.pdf", page(stream(content)))
    assert (outcome.reason, outcome.pages[0]["status"]) == (("ok", None), "ok")
    assert "Hello" in outcome.pages[0]["text"]
    places = [word[name] for word in outcome.pages[0]["words"] for name in ("x0", "top", "x1", "bottom")]
    assert np.isfinite(places).all()
