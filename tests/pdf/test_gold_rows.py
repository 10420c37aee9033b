"""What is read of the documents of the feature corpus stays as it is, so that no condition of the readers moves unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pdf.rows import FILE, digests, documents


@pytest.mark.corpus
def test_what_is_read_is_as_it_was(corpus: Path) -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    assert kept.keys() == {path.name for path in documents(corpus)}
    moved = {
        path.name: [part for part, digest in now.items() if digest != kept[path.name][part]]
        for path in documents(corpus)
        if (now := digests(path)) != kept[path.name]
    }
    assert not moved, f"documents that are read otherwise; if on purpose: python -m tests.pdf.rows {corpus}"
