"""A mistake of ours on one page or document must not cost the job the others."""

from __future__ import annotations

import numpy as np
import pytest

from pdfmill.schemas.codes import ERROR_CODES
from pdfmill.schemas.records import DocId, DocumentRef, Notice, PageLines, StructuredPage, WordInk
from pdfmill.schemas.statistics import DocumentStatistics, DocumentStyle
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.road import document_rows as documents
from pdfmill.transforms.road import page_rows as pages
from pdfmill.transforms.road.document_road import finish
from pdfmill.transforms.road.document_rows import DocumentReading, describe_document
from pdfmill.transforms.road.page_rows import measure_pages, needs_ocr, page_rows, place_blocks
from tests.layout.pages import Piece, make_page

REF = DocumentRef.of_uri("file:///a.pdf")


def stumble(*_: object, **__: object) -> None:
    raise IndexError("our mistake")


def test_a_page_we_stumble_over_is_a_failed_page(monkeypatch):
    monkeypatch.setattr(pages, "structure_page", stumble)
    row, blocks, _, warnings = page_rows(DocId("d"), PageLines(3, 100.0, 200.0), DocumentStyle(), DEFAULTS)
    assert warnings == [Notice("internal", 3, "IndexError: our mistake")]
    assert (row["page"], row["status"], row["error_code"], row["text"], blocks) == (3, "failed", "internal", "", [])


def test_a_page_that_cannot_be_measured_counts_as_a_page(monkeypatch):
    monkeypatch.setattr(pages, "measure_page", stumble)
    found = measure_pages([PageLines(4)])
    assert found.statistics.pages == 1
    assert found.warnings == [Notice("page_unmeasured", 4, "IndexError: our mistake")]


def test_scans_whose_looks_cannot_be_decided_are_told_in_the_row_of_their_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "pool_ink", stumble)
    reading = DocumentReading(REF, {**documents.source_row(REF), "status": "ok", "page_count": 2})
    nothing = np.zeros(0, np.float32)
    scan = PageLines(2, 100.0, 200.0, ink=WordInk(np.zeros((0, 4), np.float32), nothing, nothing, nothing, nothing))
    found = finish(reading, [PageLines(1, 100.0, 200.0), scan], DEFAULTS)
    assert found.document["warnings"] == [{"code": "looks_undecided", "page": 2, "message": "IndexError: our mistake"}]
    assert [found.document["status"], *(row["status"] for row in found.pages)] == ["ok", "ok", "ok"]


def test_a_document_without_a_style_keeps_its_row(monkeypatch):
    monkeypatch.setattr(documents, "decide_style", stumble)
    row, _ = describe_document(DocumentReading(REF, {"status": "ok", "page_count": 1}), DocumentStatistics(), DEFAULTS)
    assert row["status"] == "ok"
    assert [warning["code"] for warning in row["warnings"]] == ["internal"]  # type: ignore[attr-defined]


def test_images_without_text_need_ocr():
    page = PageLines(1, images=np.zeros((1, 4), np.float32))
    assert needs_ocr(page)
    assert not needs_ocr(PageLines(1))


def test_lines_without_a_place_are_told_in_the_row_of_their_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(view: PageLines, style: DocumentStyle, settings: LayoutSettings) -> StructuredPage:
        found = structure_page(view, style, settings)
        found.unplaced = (0,)
        return found

    monkeypatch.setattr(pages, "structure_page", forget)
    early = Notice("repaired", 2, "found again")
    reading = DocumentReading(REF, {**documents.source_row(REF), "status": "ok", "page_count": 1}, warnings=[early])
    found = finish(reading, [make_page(1, [Piece("one line", 72, 80)])], DEFAULTS)
    warnings = found.document["warnings"]
    assert isinstance(warnings, list)
    assert [(each["code"], each["page"]) for each in warnings] == [("lines_unplaced", 1), ("repaired", 2)]
    assert found.pages[0]["error_code"] == "lines_unplaced"
    assert "lines_unplaced" in ERROR_CODES


GERMAN = "Der alte Mann ging am Abend durch die Stadt und dachte an die Zeit, in der er mit seinen Kindern am Fluss gewohnt hatte."


def test_the_language_of_a_block_is_that_of_its_text_but_for_code() -> None:
    blocks = structure_page(make_page(1, [Piece("one", 72, 80), Piece("two", 72, 200)]), DocumentStyle(), DEFAULTS).blocks
    for block, role in zip(blocks, ("paragraph", "code"), strict=True):
        block.role, block.text = role, GERMAN
    place_blocks(DocId("d"), 3, blocks, ("de", 0.99))
    assert [(each.page, each.block, each.language, each.language_confidence) for each in blocks] == [(3, 1, "de", 0.99), (3, 2, None, None)]
