"""Collect the content of a report from the tables: some columns of `documents` and `pages`, and a few complete pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import Any, Final

from msgspec import Struct, field

from pdfmill.schemas.records import DocId
from pdfmill.transforms.tables.table_reader import HeldTables, held_tables, read_rows
from pdfmill.transforms.tables.write_summary import SUMMARIZED, Summary, count_document

_OF_DOCUMENTS: Final = (*SUMMARIZED, "title", "language")
_OF_PAGES: Final = ("doc_id", "page", "status", "needs_ocr", "untrusted_ratio", "char_count")
_OF_SAMPLES: Final = ("doc_id", "page", "label", "width", "height", "text", "words")
_OF_BLOCKS: Final = ("doc_id", "page", "role", "level", "text", "boxes")
#: Most documents in a list of the report, such as that of the largest.
LISTED: Final = 15
#: Most failures that a report lists, 200 bytes each; the table `documents` has all.
MAX_FAILURES: Final = 5000
#: A page is reported as untrusted if more than this share of its letters is; a smaller share is usually a symbol or two.
UNTRUSTED_SHARE: Final = 0.1
#: Number of pages that the report shows as drawings.
SAMPLES: Final = 8


class ListedDocument(Struct):
    """A document in a list of the report. wanting: the number of its pages that need OCR, or with untrusted text (the Unicode values are
    guesses), in the lists of such documents; else 0."""

    uri: str
    title: str | None
    size: int  # bytes
    pages: int
    wanting: int = 0


class Failed(Struct):
    """A document whose status is not ok."""

    uri: str
    status: str
    code: str
    message: str


class Sample(Struct):
    """A page that is drawn in the report: its row of `pages`, its rows of `blocks`, and the address and the title of its document."""

    uri: str  # address of its document
    title: str | None
    page: dict[str, Any]
    blocks: list[dict[str, Any]]


class Gathered(Struct):
    """The content of a report. pages_by, bytes_by: number of documents by size; the key is the exponent of ten (0: under 10, -1: no pages).
    largest, longest: documents with the most bytes and pages. ocr, untrusted: those with the most pages that need OCR, and of text whose
    Unicode values are guesses. failures: the first documents whose status is not ok."""

    summary: Summary = field(default_factory=Summary)  # as `index` and `report` print it
    characters: int = 0  # number of characters on all pages
    languages: Counter[str] = field(default_factory=Counter)  # number of documents by language
    pages_by: Counter[int] = field(default_factory=Counter)
    bytes_by: Counter[int] = field(default_factory=Counter)
    failures: list[Failed] = field(default_factory=list)
    largest: list[ListedDocument] = field(default_factory=list)
    longest: list[ListedDocument] = field(default_factory=list)
    ocr_pages: int = 0  # number of pages that need OCR
    ocr: list[ListedDocument] = field(default_factory=list)
    untrusted_pages: int = 0  # number of pages with untrusted text
    untrusted: list[ListedDocument] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)


def gather(output: str) -> Gathered:
    """Collect the content of a report from an output folder, with the names of the documents of one Parquet file in memory.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: there are no tables, or a file cannot be read.
    """
    held, found = held_tables(output), Gathered()
    for stem in held.stems("documents"):
        ocr, untrusted = _count_pages(found, _rows(held, stem, "pages", _OF_PAGES))
        here: list[tuple[ListedDocument, DocId]] = []
        part = Summary()
        for row in _rows(held, stem, "documents", _OF_DOCUMENTS):
            count_document(part, row)
            here.append((_count_document(found, row), row["doc_id"]))
        found.summary.add(part)
        found.largest = nlargest(LISTED, [*found.largest, *(document for document, _ in here)], key=lambda document: document.size)
        found.longest = nlargest(LISTED, [*found.longest, *(document for document, _ in here)], key=lambda document: document.pages)
        found.ocr = _most(found.ocr, here, ocr)
        found.untrusted = _most(found.untrusted, here, untrusted)
    found.failures.sort(key=lambda each: (each.code, each.uri))
    found.samples = list(_samples(held))
    return found


def _rows(
    held: HeldTables, stem: str, table: str, columns: Sequence[str], documents: Sequence[DocId] | None = None
) -> Iterator[dict[str, Any]]:
    for rows in read_rows(held, stem, table, columns, documents) if held.uris(table, stem) else ():
        for row in rows:
            yield {**dict.fromkeys(columns), **row}


def _count_pages(found: Gathered, rows: Iterable[dict[str, Any]]) -> tuple[Counter[DocId], Counter[DocId]]:
    """Add the counts of pages to `found`. Return for each document the number of its pages that need OCR, and with untrusted text."""
    ocr: Counter[DocId] = Counter()
    untrusted: Counter[DocId] = Counter()
    for row in rows:
        found.characters += row["char_count"] or 0
        if row["needs_ocr"]:
            ocr[row["doc_id"]] += 1
        if (row["untrusted_ratio"] or 0.0) > UNTRUSTED_SHARE:
            untrusted[row["doc_id"]] += 1
    found.ocr_pages += ocr.total()
    found.untrusted_pages += untrusted.total()
    return ocr, untrusted


def _count_document(found: Gathered, row: dict[str, Any]) -> ListedDocument:
    document = ListedDocument(row["source_uri"], row["title"], row["source_size"] or 0, row["page_count"] or 0)
    if row["language"]:
        found.languages[row["language"]] += 1
    if row["parent_doc_id"] is None:
        found.bytes_by[len(str(document.size)) - 1] += 1
    else:
        document.size = 0  # that of the document it is embedded in
    found.pages_by[len(str(document.pages)) - 1 if document.pages else -1] += 1
    if row["status"] != "ok" and len(found.failures) < MAX_FAILURES:
        found.failures.append(Failed(document.uri, row["status"], row["error_code"] or "", row["error_message"] or ""))
    return document


def _most(before: Sequence[ListedDocument], here: Iterable[tuple[ListedDocument, DocId]], counts: Counter[DocId]) -> list[ListedDocument]:
    """Return the `LISTED` documents with the highest counts. before: those so far. here: further documents. counts: of these, by id."""
    new = [
        ListedDocument(document.uri, document.title, document.size, document.pages, counts[doc_id])
        for document, doc_id in here
        if counts[doc_id]
    ]
    return nlargest(LISTED, [*before, *new], key=lambda document: document.wanting)


def _samples(held: HeldTables) -> Iterator[Sample]:
    """Yield sample pages from documents spread over the tables: of each document the page with the most different roles of blocks."""
    stems = [stem for stem in held.stems("documents") if "blocks" in held.parts[stem]]
    for stem in _spread(stems, SAMPLES):
        share = -(-SAMPLES // min(SAMPLES, len(stems)))
        documents = {
            row["doc_id"]: row for row in _rows(held, stem, "documents", _OF_DOCUMENTS) if row["status"] == "ok" and row["page_count"]
        }
        wanted = _spread(sorted(documents), share)
        blocks: dict[tuple[DocId, int], list[dict[str, Any]]] = {}
        for block in _rows(held, stem, "blocks", _OF_BLOCKS, wanted):
            blocks.setdefault((block["doc_id"], block["page"]), []).append(block)
        richest = {
            doc_id: max((key for key in blocks if key[0] == doc_id), key=lambda key: (len({each["role"] for each in blocks[key]}), -key[1]))
            for doc_id in {key[0] for key in blocks}
        }
        for page in _rows(held, stem, "pages", _OF_SAMPLES, sorted(richest)):
            key = (page["doc_id"], page["page"])
            if richest[page["doc_id"]] == key:
                yield Sample(documents[key[0]]["source_uri"], documents[key[0]]["title"], page, blocks[key])


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    return [items[number * len(items) // count] for number in range(count)] if len(items) > count else list(items)
