"""Examples in docstrings (`>>>`) give what stands below them."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.docs_blocks import ROOT

MODULES = sorted(
    ".".join(("pdfmill", *path.relative_to(ROOT).with_suffix("").parts)).replace("pdfmill.pdfmill", "pdfmill")
    for package in ("pdfmill", "pipeline", "schemas", "transforms")
    for path in (ROOT / package).rglob("*.py")
    if "\n    >>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
