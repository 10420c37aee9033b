"""Which pages need OCR: every kind of made page gets the right answer, and a wrong one is told."""

import numpy as np
import pytest

from benchmarks import needs_ocr as made
from benchmarks.needs_ocr import judge, main, make_page
from benchmarks.needs_ocr_kinds import MORE_DO_NOT, MORE_NEED
from benchmarks.needs_ocr_pages import DO_NOT, NEED, scan, scan_with_number

KINDS = [*NEED, *MORE_NEED, *DO_NOT, *MORE_DO_NOT]


@pytest.mark.parametrize("maker", KINDS, ids=lambda maker: maker.__name__)
def test_each_kind(maker):
    assert judge(make_page(maker, np.random.default_rng(3))) == (maker in NEED + MORE_NEED)


def test_a_wrong_answer_is_counted_and_kept(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(made, "NEED", (scan_with_number,))
    monkeypatch.setattr(made, "DO_NOT", (scan,))
    monkeypatch.setattr(made, "MORE_NEED", ())
    monkeypatch.setattr(made, "MORE_DO_NOT", ())
    assert main(["--pages", "1", "--out", str(tmp_path)]) == 1
    assert "precision 0.500, recall 1.000" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["scan-0.pdf"]
