"""A book among letters is read by all workers."""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.made_documents import book, letters


def test_two_workers_share_a_book(tmp_path):
    letters(tmp_path, 10)
    book(tmp_path / "book.pdf", 320)
    code = f"from pathlib import Path; from benchmarks.workers import shares; print(shares(Path({str(tmp_path)!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    read = json.loads(done.stdout)
    assert sum(read) == 330
    assert len(read) == 2
    assert max(read) <= 0.6 * sum(read)
