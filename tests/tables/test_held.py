"""What readers of an output folder are given: every row once, whichever files hold it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.transforms.delta.deletion_vectors import ShownRows, with_deleted
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables.table_reader import changed_documents, held_tables, new_stems, read_rows, rows_of_part
from tests.crawl.help import configure, tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("held")
    (folder / "in").mkdir()
    for number in range(4):
        (folder / "in" / f"{number}.pdf").write_bytes(tiny(f"document {number}", 3))
    assert run(["index", str(folder / "in"), "--output", str(folder / "out"), "--no_isolation", "--batch_documents", "2"]) == 0
    return folder / "out"


@pytest.fixture
def output(made: Path, tmp_path: Path) -> Path:
    """A copy to be changed."""
    shutil.copytree(made, tmp_path / "out")
    return tmp_path / "out"


def exported(output: Path, table: str = "pages") -> list[str]:
    held = held_tables(str(output))
    return sorted(str(row["id"]) for stem in held.stems(table) for rows in rows_of_part(held, table, stem) for row in rows)


def test_every_row_is_given_once(output):
    assert len(exported(output)) == len(set(exported(output))) == 12
    assert len(held_tables(str(output)).stems("pages")) == 2


def test_a_part_may_go_on_in_further_files(output):
    before = exported(output)
    (output / "_pdfmill" / "manifest.json").unlink()
    part = next((output / "pages").glob("*.parquet"))
    rows = pq.read_table(part)
    pq.write_table(rows.slice(0, 4), part)
    pq.write_table(rows.slice(4), part.with_name(f"{part.stem}.2.parquet"))
    assert exported(output) == before


def test_a_file_that_the_manifest_does_not_name_is_not_read(output):
    part = next((output / "pages").glob("*.parquet"))
    shutil.copy(part, part.with_name("copy.parquet"))
    assert len(exported(output)) == 12
    (output / "_pdfmill" / "manifest.json").unlink()
    with pytest.raises(SourceError, match=r"copy\.parquet: there is no file of documents with that name"):
        exported(output)


def test_tables_have_another_name_when_they_are_others(output, made):
    assert held_tables(str(output)).source == held_tables(str(made)).source
    (output.parent / "in").mkdir()
    (output.parent / "in" / "a.pdf").write_bytes(tiny("another", 1))
    assert run(["index", str(output.parent / "in"), "--output", str(output), "--no_isolation"]) == 0
    assert held_tables(str(output)).source != held_tables(str(made)).source


def test_a_column_that_an_older_part_lacks_is_left_out(output):
    part = next((output / "pages").glob("*.parquet"))
    pq.write_table(pq.read_table(part).drop_columns(["label"]), part)
    held = held_tables(str(output))
    ((first, *_),) = list(read_rows(held, part.stem, "pages", ["doc_id", "page", "label"]))
    assert first.keys() == {"doc_id", "page"}


def test_changes_name_each_document_once(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    for number in range(3):
        (source / f"{number}.pdf").write_bytes(tiny(f"document {number}", 2))
    crawl = configure(tmp_path, str(source), str(tmp_path / "out"))
    crawl.report()
    for text in ("second", "third"):
        (source / "0.pdf").write_bytes(tiny(f"{text} text", 2))
        crawl.report()
    held = held_tables(crawl.output)
    assert [len(changed_documents(held, since)) for since in (-1, 0, 1, 2)] == [3, 1, 1, 0]
    assert [len(new_stems(held, "pages", since)) for since in (0, 1, 2)] == [1, 1, 0]


def test_row_groups_of_other_documents_are_skipped_and_deleted_rows_left_out(tmp_path):
    """The marks count rows from the start of the file, whichever row groups are read."""
    path = tmp_path / "part.parquet"
    pq.write_table(pa.table({"doc_id": [*"aabbccdd"], "page": [1, 2] * 4}), path, row_group_size=2)
    with ShownRows(path.as_uri(), with_deleted(None, [0, 3, 4])) as part:
        read = [row for batch in part.batches(ids=("b", "c")) for row in batch.to_pylist()]
        whole = [row["doc_id"] for batch in part.batches() for row in batch.to_pylist()]
    assert read == [{"doc_id": "b", "page": 1}, {"doc_id": "c", "page": 2}]
    assert whole == [*"abcdd"]
