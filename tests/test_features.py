"""The adapter from the tables to the checker's names."""

from __future__ import annotations

from benchmarks.robust.features import observe
from pdfmill.schemas.records import Row
from pdfmill.schemas.tables import to_batch
from pdfmill.transforms.pdf.facts.annotations import read_annotations
from pdfmill.transforms.pdf.facts.facts import failed_facts, read_facts
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import make_pdf
from tests.pdf.test_facts import ASSET, DOCUMENT, rich

PAGE = {"doc_id": "d", "page": 1, "status": "ok", "text": "Hello", "char_count": 5, "column_count": 1, "needs_ocr": False, "ocr": False}


def stored(table: str, rows: list[Row]) -> list[Row]:
    """Rows as they come back from the table."""
    found: list[Row] = to_batch(table, rows).to_pylist()
    return found


def test_every_column_it_asks_for_is_there() -> None:
    data = make_pdf(rich)
    document = open_document(data, name="x")
    facts = read_facts(document, data, export=frozenset({"attachment", "image", "thumbnail", "xfa"}))
    page = PAGE | {"annotations": read_annotations(document, 1), "words": [{"start": 0, "end": 5, "x0": 1, "top": 2, "x1": 3, "bottom": 4}]}
    seen = observe(
        stored("documents", [DOCUMENT | facts.row | {"page_count": 1}])[0],
        stored("pages", [page]),
        [],
        stored("assets", [ASSET | asset.row for asset in facts.assets]),
    )
    assert seen["page_texts"] == ["Hello"]
    assert seen["word_boxes"] == [[1, "Hello", 1, 2, 3, 4]]
    assert seen["annotations"] == [[1, "Text", "c"]]
    assert seen["form_fields"] == [["f", "Tx", "v"]]
    assert seen["outline"] == [["one", 1, 1]]
    assert seen["images"] == [[1, 2, 2, "FlateDecode"]]
    assert (seen["attachment_count"], seen["thumbnail_count"], seen["javascript_count"], seen["xfa"]) == (1, 1, 1, True)
    assert (seen["status"], seen["opens"], seen["encrypted"], seen["metadata"]["title"]) == ("ok", True, False, "T")


def test_a_document_that_does_not_open() -> None:
    row = DOCUMENT | failed_facts(b"GIF89a") | {"status": "not_pdf", "error_code": "not_pdf"}
    seen = observe(stored("documents", [row])[0], [], [], [])
    assert (seen["status"], seen["error"], seen["pages"], seen["opens"]) == ("failed", True, 0, False)
