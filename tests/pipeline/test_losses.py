"""What is lost of a document while its pages are structured and cut into sections is told in its own row, of a letter as of a book."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.invariants import assert_same_tables, read_tables
from tests.pipeline.test_index import letter

FAULTY = Path(__file__).resolve().parents[1] / "faulty_layout"
#: What `tests/faulty_layout` costs a document of so many pages: code and page of each warning.
LETTER = [("page_unmeasured", 2), ("lines_unplaced", 3), ("internal", 5)]
BOOK = [("sections_missing", None), *LETTER]


def faulty_index(source: Path | str, output: Path | str, *flags: str, **environment: str) -> None:
    """`pdfmill index` with mistakes in its layout."""
    path = os.pathsep.join(filter(None, [str(FAULTY), str(FAULTY.parents[1]), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pdfmill", "index", str(source), "--output", str(output), *flags]
    done = subprocess.run(command, env={**os.environ, **environment, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr


def told(document: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(each["code"], each["page"]) for each in document["warnings"]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("losses")
    (folder / "book.pdf").write_bytes(letter(40))
    (folder / "letter.pdf").write_bytes(letter(6))
    return folder


@pytest.fixture(scope="module")
def here(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("out")
    faulty_index(source, output, "--workers", "2")
    return output


def test_what_is_lost_is_told_in_the_row_of_the_document(here: Path) -> None:
    tables = read_tables(here.as_uri())
    rows = {Path(row["source_uri"]).name: row for row in tables["documents"].to_pylist()}
    assert {name: told(row) for name, row in rows.items()} == {"book.pdf": BOOK, "letter.pdf": LETTER}
    assert {(row["status"], row["error_code"]) for row in rows.values()} == {("partial", "internal")}
    missing = rows["book.pdf"]["warnings"][0]["message"]
    assert "book.pdf: its sections cannot be made" in missing
    assert "another one" in missing
    assert {row["doc_id"] for row in tables["sections"].to_pylist()} == {rows["letter.pdf"]["doc_id"]}
    failed = [(row["page"], row["error_code"]) for row in tables["pages"].to_pylist() if row["error_code"]]
    assert sorted(failed) == [(3, "lines_unplaced")] * 2 + [(5, "internal")] * 2


@pytest.mark.parametrize("flags", [("--runner", "DirectRunner"), ("--pages_per_range", "1")], ids=" ".join)
def test_it_does_not_depend_on_who_reads(source: Path, here: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
    faulty_index(source, tmp_path, *flags)
    if "--runner" in flags:
        assert_same_tables(read_tables(here.as_uri()), read_tables(tmp_path.as_uri()))
    else:  # every document is a book
        assert {tuple(told(row)) for row in read_tables(tmp_path.as_uri())["documents"].to_pylist()} == {tuple(BOOK)}
