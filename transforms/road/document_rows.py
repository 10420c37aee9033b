"""Make the row of `documents` from a reference to a document, its facts, and the statistics of its pages."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.schemas.declare import Row, as_row
from pdfmill.schemas.records import PARQUET_PREFIX, DocumentRef, Failure
from pdfmill.schemas.rows import ArchiveRecord, BodyStyle, Notice, StructureEvidence
from pdfmill.schemas.statistics import DocumentStatistics, DocumentStyle
from pdfmill.schemas.version import version
from pdfmill.transforms.language.detect import detect_language
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.headings import OutlineItem
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import WARC_PREFIX, record_of
from pdfmill.transforms.storage.store import file_name

log = logging.getLogger("pdfmill")

#: The value of `documents.status` for an error code; every other code means `failed`.
_STATUS_OF_CODE: Final = {"password_needed": "encrypted", "unsupported_security": "encrypted", "not_pdf": "not_pdf"}

#: Error codes of a page that failed as a whole. After any other error the rest of the page is readable.
_FATAL_FOR_PAGE: Final = frozenset(
    {"page_unreadable", "too_large", "timed_out", "out_of_memory", "crashed", "internal", "damaged", "changed"}
)
#: Warning codes of pages without their content or a part of it, and of books without their sections.
_CONTENT_LOST: Final = frozenset({"content_missing", "content_incomplete", "sections_missing"})


class DocumentReading(Struct):
    """Everything known about a document before its pages are read."""

    ref: DocumentRef
    row: Row  # its row of `documents` without the columns that depend on its pages
    warnings: list[Notice] = field(default_factory=list)
    assets: list[Row] = field(default_factory=list)
    children: list[DocumentRef] = field(default_factory=list)  # its attached PDFs, still to be read

    @property
    def page_count(self) -> int:
        """The number of pages of the document: 0 if it could not be read."""
        count = self.row["page_count"]
        assert isinstance(count, int)
        return count


def source_row(ref: DocumentRef) -> Row:
    """Make the columns of `documents` that come from the store and the reference, even if the document cannot be read."""
    return {
        "doc_id": ref.doc_id,
        "parent_doc_id": ref.parent_doc_id,
        "source_uri": ref.uri,
        "file_name": file_name(ref.uri),
        "source_etag": ref.etag,
        "source_size": ref.size,
        "source_modified": ref.modified,
        "web": archived(ref),
        "page_count": 0,
    }


def archived(ref: DocumentRef) -> Row | None:
    """Return what the address of a document states about its origin, or None: of a web archive's record URL, date and digest; of a Parquet
    file's row the URL."""
    if not ref.uri.startswith((WARC_PREFIX, PARQUET_PREFIX)) or ref.failure is not None:
        return None
    record = record_of(ref.uri)
    if "url" not in record and ref.uri.startswith(PARQUET_PREFIX):
        return None
    return as_row(ArchiveRecord(record.get("url"), record.get("date"), record.get("digest"), record.get("truncated")))


def failed_reading(ref: DocumentRef, failure: Failure, facts: Row | None = None) -> DocumentReading:
    """Make the row of a document that could not be read. facts: columns that were read before the failure."""
    status = _STATUS_OF_CODE.get(failure.code, "failed")
    outcome: Row = {"status": status, "error_code": failure.code, "error_message": failure.message, "page_count": 0}
    return DocumentReading(ref, source_row(ref) | (facts or {}) | outcome)


def keep_children(reading: DocumentReading, holds_itself: bool, settings: ReadSettings, room: int) -> None:
    """Leave out attached PDFs that are not to be read, and add a warning, both in place. Their rows of `assets` stay.
    holds_itself: the document is attached, at any level, to itself. room: how many attached PDFs may still be read."""
    name, found = reading.ref.name(), reading.children
    if not found:
        return
    if holds_itself:
        reading.children = []
        reading.warnings.append(Notice("attachment_loop", None, f"{name} is attached to itself; its attachments are not read again"))
    elif len(reading.ref.attachment_path) >= settings.max_depth:
        reading.children = []
        reading.warnings.append(Notice("too_large", None, f"PDFs attached more than {settings.max_depth} levels deep are not read"))
    elif len(found) > room:
        reading.children = found[: max(0, room)]
        reading.warnings.append(
            Notice("too_large", None, f"there are more than {settings.max_children} attached PDFs; the rest are not read")
        )
    kept = {child.doc_id for child in reading.children}
    for asset in reading.assets:
        if asset.get("child_doc_id") not in kept:
            asset["child_doc_id"] = None


def describe_document(reading: DocumentReading, statistics: DocumentStatistics, settings: LayoutSettings) -> tuple[Row, DocumentStyle]:
    """Return the row of `documents`, without the warnings of the pages, and the style for structuring the document's pages."""
    row = dict(reading.row)
    warnings = []
    try:
        style = decide_style(statistics, outline_items(row), settings, _stated_title(row))
    except Exception as error:  # a mistake of ours on one document must not cost the job all others
        log.exception("%s: the styles of text and headings cannot be decided", reading.ref.name())
        style = DocumentStyle()
        warnings = [Notice("internal", None, f"the styles of text and headings cannot be decided: {type(error).__name__}: {error}")]
    language, confidence = detect_language(statistics.language_sample())
    row["language"], row["language_confidence"] = language, confidence
    style = replace(style, language=language, language_confidence=confidence)
    row["title"], row["title_source"] = style.title, style.title_source
    row["style"] = style_row(style)
    row["structure_evidence"] = [
        as_row(StructureEvidence(each.source, list(each.used_for), each.refused or None)) for each in style.evidence
    ]
    row["warnings"] = [as_row(each) for each in [*reading.warnings, *warnings]]
    row["extractor_version"] = version()
    return row, style


def with_warnings(row: Row, warnings: Sequence[Notice]) -> Row:
    """Return the complete row of `documents`, with these warnings added and the status that follows from them. warnings: in any order."""
    known = row["warnings"]
    assert isinstance(known, list)
    notices = [*(Notice(**each) for each in known), *warnings]
    finished = row | {"warnings": [as_row(each) for each in sorted(notices, key=lambda each: (each.page or 0, each.code, each.message))]}
    _judge(finished, warnings)
    return finished


def outline_items(row: Row) -> list[OutlineItem]:
    """Return the items of the outline (bookmarks) in a row of `documents` as (title, level, page)."""
    outline = row.get("outline")
    return [(str(item["title"]), int(item["level"]), item["page"]) for item in outline] if isinstance(outline, list) else []


def _judge(row: Row, warnings: Sequence[Notice]) -> None:
    """Set the document's status from its warnings: "partial" if pages failed or lost content, "failed" if all pages failed."""
    failed = {each.page for each in warnings if each.code in _FATAL_FOR_PAGE}
    lost = [each for each in warnings if each.code in _FATAL_FOR_PAGE | _CONTENT_LOST]
    if row["status"] != "ok" or not lost:
        return
    first = min(lost, key=lambda each: (each.page is None, each.page or 0, each.code not in _FATAL_FOR_PAGE, each.code, each.message))
    row["status"] = "failed" if len(failed) == row["page_count"] else "partial"
    row["error_code"], row["error_message"] = first.code, first.message


def _stated_title(row: Row) -> str | None:
    info = row.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return title if isinstance(title, str) else None


def style_row(style: DocumentStyle) -> Row | None:
    """Make the value of the column `documents.style`; None for a document without text."""
    if style.body_font is None:
        return None
    return as_row(BodyStyle(style.body_font.font, style.body_font.size, style.line_spacing, list(style.heading_styles)))
