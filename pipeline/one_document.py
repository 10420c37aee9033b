"""One document through the whole road without Beam: the same functions, so the same rows as `pdfmill index` writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pipeline.page_selection import PageSelection
from pipeline.render.rows import DocumentRows
from schemas.records import DocumentRef, PageLines, PageRange, Recovery, Row, StructColumns
from schemas.statistics import DocumentStatistics
from transforms.documents import describe_document
from transforms.layout.settings import LayoutSettings
from transforms.layout.statistics import measure_page
from transforms.pages import page_losses, page_rows
from transforms.parsing import read_document, read_pages
from transforms.settings import ReadSettings
from transforms.storage.sources import list_source


class OneSourceError(ValueError):
    """A source that does not name exactly one document."""


@dataclass(slots=True)
class OneDocument:
    """The rows of a document, the text lines of the pages asked for, and those of them that OCR was to read and could not."""

    rows: DocumentRows
    lines: list[PageLines] = field(default_factory=list)
    ocr_failures: list[Recovery] = field(default_factory=list)


def find_one(source: str) -> DocumentRef:
    """The only document that a source names.

    Raises:
        OneSourceError: it names none, or more than one.
    """
    listing = list_source(source)
    found = [ref for _, ref in zip(range(2), listing, strict=False)]
    if len(found) == 1:
        return found[0]
    raise OneSourceError(f"{source}: names {'more than one document' if found else 'no document'}; one is needed")


def read_one(ref: DocumentRef, read: ReadSettings, layout: LayoutSettings, wanted: PageSelection) -> OneDocument:
    """Read the document and make the rows of the wanted pages.

    All its pages are read, because what a heading is follows from the whole document; only wanted ones are kept, and recognised
    where OCR is asked for.
    """
    reading = read_document(ref, read)
    statistics = DocumentStatistics()
    losses: list[Recovery] = []
    lines: list[PageLines] = []
    for page in _pages(ref, reading.page_count, read, wanted):
        statistics.add(measure_page(page))
        losses += page_losses(page)
        if page.page in wanted:
            lines.append(page)
    row, style = describe_document(reading, statistics, losses, layout)
    made = [_readable(page_rows(ref.doc_id, page, style.for_pages(page.page, page.page), layout)) for page in lines]
    blocks = [block for _, of_page in made for block in of_page]
    failures = [loss for loss in losses if loss.code == "ocr_failed"]
    return OneDocument(DocumentRows(row, [page for page, _ in made], blocks, reading.assets), lines, failures)


def _pages(ref: DocumentRef, count: int, read: ReadSettings, wanted: PageSelection) -> Iterator[PageLines]:
    if not read.ocr:
        yield from read_pages(PageRange(ref, 1, count), read)
        return
    for page in range(1, count + 1):
        yield from read_pages(PageRange(ref, page, page), replace(read, ocr=page in wanted))


def _readable(made: tuple[Row, list[Row]]) -> tuple[Row, list[Row]]:
    """The page's words as dictionaries, as a table read back would give them."""
    row, blocks = made
    words = row["words"]
    return row | {"words": words.rows() if isinstance(words, StructColumns) else words}, blocks
