"""Tables typeset here, read by the road that is shipped: their cells come out as they were set, and what is no table is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import local_uri
from tests.layout.made_tables import KEPT_KINDS, OPEN_KINDS, make

CELLS = [
    "none_numbers",
    "none_sparse",
    "rules_booktabs",
    "rules_columns",
    "shaded_wrapped",
    "rules_five",
    "rules_frame",
    "ledger",
    "finance_plain",
    "beside_rules",
    "beside_none",
]
NO_TABLE = ["chart", "three_columns", "contents", "form", "addresses", "references", "index", "equations", "diagram"]


def tables_of(folder: Path, data: bytes) -> list[list[list[str]]]:
    """The texts of the cells of each table, without empty ones."""
    path = folder / "made.pdf"
    path.write_bytes(data)
    ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings()
    reading = read_document(ref, settings)
    blocks = finish(reading, read_pages(PageRange(ref, 1, 1), settings), DEFAULTS).blocks
    return [
        [[cell for cell in row.split("\t") if cell] for row in str(block["text"]).split("\n")]
        for block in blocks
        if block["role"] == "table"
    ]


@pytest.mark.parametrize("kind", CELLS)
def test_the_cells_of_a_table_come_out_as_they_were_set(kind: str, tmp_path: Path) -> None:
    data, gold = make(kind, 0)
    expected = [[[cell for cell in row if cell] for row in rows] for table in gold for rows in [table["cells"]] if isinstance(rows, list)]
    assert tables_of(tmp_path, data) == expected


@pytest.mark.parametrize("kind", NO_TABLE)
def test_what_is_no_table_is_none(kind: str, tmp_path: Path) -> None:
    data, gold = make(kind, 0)
    assert gold == []
    assert tables_of(tmp_path, data) == []


def test_kinds_are_apart() -> None:
    assert not OPEN_KINDS.keys() & KEPT_KINDS.keys()
    assert {*CELLS, *NO_TABLE} <= OPEN_KINDS.keys() | KEPT_KINDS.keys()
