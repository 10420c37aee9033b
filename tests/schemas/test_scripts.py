"""A script has one direction everywhere, as Unicode says."""

from __future__ import annotations

import ast
import unicodedata
from pathlib import Path

import numpy as np

from pdfmill.schemas.scripts import FIRST_RIGHT_TO_LEFT, RIGHT_TO_LEFT, holds_rtl, rtl_mask

ROOT = Path(__file__).resolve().parent.parent.parent
EVERY = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def test_every_letter_that_unicode_knows_is_in_the_ranges_and_no_other() -> None:
    mask = rtl_mask(np.array(EVERY, np.uint32))
    strong = {"R": True, "AL": True, "L": False}
    wrong = [
        hex(code)
        for code, found in zip(EVERY, mask.tolist(), strict=True)
        if strong.get(unicodedata.bidirectional(chr(code)), found) != found
    ]
    assert wrong == ["0x200f"]  # a mark of direction, which is no script's


def test_text_and_arrays_agree() -> None:
    edges = [code + step for pair in RIGHT_TO_LEFT for code in pair for step in (-1, 0, 1)]
    assert [holds_rtl(chr(code)) for code in edges] == rtl_mask(np.array(edges, np.uint32)).tolist()
    assert not any(holds_rtl(chr(code)) for code in range(FIRST_RIGHT_TO_LEFT))


def test_no_other_module_has_ranges_of_its_own() -> None:
    starts = {0x590, 0x5D0, 0x8FF, 0xFB1D, 0xFB50}
    found = [
        path.name
        for room in ("transforms", "pipeline", "schemas")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and (
            node.value in starts
            if isinstance(node.value, int)
            else node.value in set(map(chr, starts))
            if isinstance(node.value, str)
            else False
        )
    ]
    assert sorted(set(found)) == ["scripts.py"]
