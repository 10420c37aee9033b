"""What layout makes of 500 documents stays as it is, so that no condition of it moves unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.layout.structures import FILE, FOLDERS, digests, documents

KEPT: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.corpus
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_layout_makes_is_as_it_was(corpus: Path, folder: str) -> None:
    found = {name: path for name, path in documents(corpus).items() if name.startswith(f"{folder}/")}
    assert found.keys() == {name for name in KEPT if name.startswith(f"{folder}/")}
    moved: dict[str, list[str]] = {}
    for name, path in found.items():
        now = digests(path)
        if now != KEPT[name]:
            moved[name] = [part for part, digest in now.items() if digest != KEPT[name][part]]
    assert not moved, f"documents that layout makes otherwise; if on purpose: python -m tests.layout.structures {corpus}"
