"""The loops over PDFium's functions: compiled and in Python they give the same."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import pdfmill.transforms.pdf.open.pdfium_api as loops
from pdfmill.schemas.glyphs import PageContent
from tests.pdf.pages import make_page, read

MIXED = (
    "q 0 0 300 100 re W n BT /F1 20 Tf 50 100 Td (Hello) Tj 1 0 0 rg /F2 12 Tf 0 -30 Td (AV away) Tj ET Q "
    "BT /F1 9 Tf 0 1 -1 0 20 20 Tm (turned) Tj ET 0.5 w 20 10 m 220 10 l 220 60 l h S 0 1 0 rg 100 150 60 30 re f"
)


def columns(content: PageContent) -> dict[str, object]:
    glyphs = content.glyphs
    arrays = {
        name: getattr(glyphs, name).tolist()
        for name in ("unicode", "x0", "top", "x1", "bottom", "origin_x", "origin_y", "angle", "style", "run", "mcid", "flags")
    }
    return {**arrays, "styles": glyphs.styles, **{name: getattr(content, name).tolist() for name in ("rules", "fills", "images")}}


def test_a_page_reads_the_same_with_and_without_the_compiled_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = columns(read(make_page(MIXED)))
    monkeypatch.setattr(loops, "_compiled", None)
    assert columns(read(make_page(MIXED))) == with_them
    assert len(with_them["unicode"]) == 18  # type: ignore[arg-type]
    assert len(with_them["rules"]) >= 2  # type: ignore[arg-type]


def test_the_loops_are_compiled_where_a_compiler_and_pythons_headers_are() -> None:
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    assert (loops._compiled is not None) or shutil.which("cc") is None or not headers.exists()


@pytest.mark.skipif(loops._compiled is None, reason="the loops were not compiled: no C compiler where pdfmill was installed")
@pytest.mark.parametrize(
    ("shape", "keys", "rows"),
    [
        (99, np.zeros(1, np.int32), np.zeros((1, 4), np.float32)),
        (0, np.zeros(3, np.int32), np.zeros((2, 4), np.float32)),
        (2, np.zeros(2, np.int32), np.zeros((2, 2))),
    ],
)
def test_keys_that_do_not_fit_the_rows_are_refused(shape: int, keys: np.ndarray, rows: np.ndarray) -> None:
    assert loops._compiled is not None
    with pytest.raises(ValueError, match=r"shape|fit"):
        loops._compiled(shape, loops.LOOSE_BOX.address, 0, keys, rows)
