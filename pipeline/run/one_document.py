"""Read one document without Beam, by the functions that `pdfmill index` uses, into rows of the same form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.options.flag_values import PageSelection
from pdfmill.pipeline.render.rows import DocumentRows
from pdfmill.schemas.records import DocumentRef, Notice, PageLines, PageRange, Row, StructColumns
from pdfmill.transforms.layout.document.derotate import lines_on_page
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.page_rows import page_warnings
from pdfmill.transforms.storage.memory import hold
from pdfmill.transforms.storage.sources import list_source

#: The name of the standard input as a source.
STDIN: Final = "-"


class OneSourceError(ValueError):
    """Raised if a source does not name exactly one document, or the options for reading it cannot be used."""


class OneDocument(Struct):
    """One document that was read. lines: text lines of the requested pages. ocr_failures: warnings of requested pages on which OCR
    failed."""

    rows: DocumentRows
    lines: list[PageLines] = field(default_factory=list)
    ocr_failures: list[Notice] = field(default_factory=list)


def find_one(source: str) -> DocumentRef:
    """Return the only document that a source names; for `-` the document is read from the standard input into memory.

    Raises:
        OneSourceError: the source names no document, or more than one.
    """
    listing = list_source(_stdin() if source == STDIN else source)
    found = [ref for _, ref in zip(range(2), listing, strict=False)]
    if len(found) == 1:
        return found[0]
    raise OneSourceError(f"{source}: names {'more than one document' if found else 'no document'}; name exactly one")


def _stdin() -> str:
    """Read the standard input, at most one byte more than a document may have, keep it in memory and return its address."""
    return hold(sys.stdin.buffer.read(ReadSettings().max_bytes + 1), "stdin")


def read_one(ref: DocumentRef, read: ReadSettings, layout: LayoutSettings, wanted: PageSelection) -> OneDocument:
    """Read the document and make the rows of the pages in `wanted`; only these are recognised by OCR, if requested.
    All pages are read, because whether a line is a heading depends on the whole document."""
    reading = read_document(ref, read)
    lines: list[PageLines] = []
    failures: list[Notice] = []

    def pages() -> Iterator[PageLines]:
        for page in _pages(ref, reading.page_count, read, wanted):
            failures.extend(each for each in page_warnings(page) if each.code == "ocr_failed")
            if page.page in wanted:
                lines.append(page)
            yield page

    made = finish(reading, pages(), layout, wanted)
    return OneDocument(
        DocumentRows(made.document, list(map(_readable, made.pages)), made.blocks, made.assets, why=made.why),
        [lines_on_page(page, made.ink) for page in lines],
        failures,
    )


def _pages(ref: DocumentRef, count: int, read: ReadSettings, wanted: PageSelection) -> Iterator[PageLines]:
    if not read.ocr:
        yield from read_pages(PageRange(ref, 1, count), read)
        return
    for page in range(1, count + 1):
        yield from read_pages(PageRange(ref, page, page), replace(read, ocr=page in wanted))


def _readable(row: Row) -> Row:
    words = row["words"]
    return row | {"words": words.rows() if isinstance(words, StructColumns) else words}
