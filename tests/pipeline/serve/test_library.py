"""Rows of a document out of the tables, without the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.serve import library as library_module
from pdfmill.pipeline.serve.library import Catalogue, Library
from pdfmill.pipeline.serve.outlines import reference_of
from pdfmill.schemas.records import document_id
from pdfmill.schemas.tables import TABLES
from tests.pipeline.serve.shelf import Shelf


def doc(number: int) -> str:
    return document_id(f"file:///{number}.pdf")


def put_tables(folder: Path, parts: list[list[int]], *, group_rows: int = 5, pages: int = 4) -> str:
    """Tables of these documents, a list for each part; row groups of few rows, so that documents lie across them."""
    for number, documents in enumerate(parts):
        ids = sorted(doc(each) for each in documents)
        rows = {
            "documents": [{"doc_id": each, "source_uri": f"file:///{each}", "status": "ok", "page_count": pages} for each in ids],
            "pages": [
                {"doc_id": each, "page": page, "status": "ok", "text": f"{each} {page}"} for each in ids for page in range(1, pages + 1)
            ],
            "blocks": [],
            "assets": [],
        }
        for table in TABLES:
            (folder / table).mkdir(parents=True, exist_ok=True)
            batch = pa.Table.from_pylist(rows.get(table, []), pa.schema([each.with_nullable(True) for each in TABLES[table]]))
            pq.write_table(batch, folder / table / f"part-{number:05d}-of-{len(parts):05d}.parquet", row_group_size=group_rows)
    return str(folder)


def test_a_document_is_found_in_whatever_part_and_group(tmp_path: Path) -> None:
    library = Library(put_tables(tmp_path, [[0, 1, 2, 3], [4, 5, 6], [7]]))
    for number in range(8):
        row = library.document(doc(number))
        assert row is not None
        assert row["doc_id"] == doc(number)
        assert [each["text"] for each in library.rows("pages", doc(number), ["text"])] == [f"{doc(number)} {page}" for page in range(1, 5)]
        assert [each["text"] for each in library.rows("pages", doc(number), ["text"], frozenset({3}))] == [f"{doc(number)} 3"]
    assert library.document(doc(99)) is None
    assert library.rows("pages", doc(99), ["text"]) == []
    assert library.counts() == {"ok": 8}


def test_only_what_holds_the_document_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = put_tables(tmp_path, [list(range(number * 100, number * 100 + 100)) for number in range(3)], group_rows=40)
    library = Library(output)
    decoded: list[tuple[int, ...]] = []
    whole = pq.ParquetFile.iter_batches

    def noted(self: pq.ParquetFile, *args: Any, **named: Any) -> Any:
        decoded.append(tuple(named["row_groups"]))
        return whole(self, *args, **named)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", noted)
    assert len(library.rows("pages", doc(150), ["text"])) == 4
    assert 1 <= len(decoded) <= 2, "of 30 row groups in 3 parts those that hold the document"


def test_ids_that_share_a_half_are_told_apart() -> None:
    one, other = "0" * 16 + "1" * 16, "0" * 16 + "2" * 16
    catalogue = Catalogue.of([(["f" * 32, one], ["ok", "ok"], np.arange(2)), ([other], ["failed"], np.array([3]))])
    assert catalogue.find(one) == catalogue.find(other) == [(0, 1), (1, 3)]
    assert catalogue.find("e" * 32) == []


def test_listed_by_status_in_order(shelf: Shelf) -> None:
    library = Library(shelf.output)
    everything = library.listed(None, 0, 1000)[0]
    assert len(everything) == sum(library.counts().values())
    assert library.listed(None, 2, 3)[0] == everything[2:5]
    failed = library.listed("failed", 0, 10)[0]
    assert [row["status"] for row in failed] == ["failed"] * library.counts()["failed"]


def test_replaced_tables_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "REFRESH_SECONDS", -1.0)
    output = put_tables(tmp_path, [[0], [1]])
    library = Library(output)
    assert library.document(doc(1)) is not None
    for table in TABLES:  # a part goes away behind its back; no manifest tells of it
        (tmp_path / table / "part-00001-of-00002.parquet").unlink()
    library._shown.files = type(library._shown.files)(1)
    assert library.document(doc(1)) is None
    assert library.document(doc(0)) is not None


def test_a_folder_that_is_no_output_is_told(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match="is no output of pdfmill"):
        Library(str(tmp_path))


def test_references_say_what_was_listed(shelf: Shelf) -> None:
    library = Library(shelf.output)
    for row in (library.document(str(each["doc_id"])) for each in library.listed(None, 0, 100)[0]):
        assert row is not None
        ref = reference_of(library, row)
        assert ref.doc_id == row["doc_id"]
        assert (ref.uri, ref.size) == (row["source_uri"], row["source_size"]) or ref.attachment_path
    inner = [row for row in library.listed(None, 0, 100)[0] if row["parent_doc_id"]]
    assert sorted(reference_of(library, library.document(str(row["doc_id"])) or {}).attachment_path for row in inner) == [(1,), (1, 1)]
