"""What layout makes of 500 documents stays as it is, so that no condition of it moves unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.layout.structures import FILE, digests, documents


@pytest.mark.corpus
def test_what_layout_makes_is_as_it_was(corpus: Path) -> None:
    kept, found = json.loads(FILE.read_text(encoding="utf-8")), documents(corpus)
    assert kept.keys() == found.keys()
    moved: dict[str, list[str]] = {}
    for name, path in found.items():
        now = digests(path)
        if now != kept[name]:
            moved[name] = [part for part, digest in now.items() if digest != kept[name][part]]
    assert not moved, f"documents that layout makes otherwise; if on purpose: python -m tests.layout.structures {corpus}"
