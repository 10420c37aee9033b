"""Make text layer and structure alone, for the comparison with tools that only extract text (`benchmarks.speed.peers`).

    python -m benchmarks.speed.blocks FILE...

One process does for each file the work of `pdfmill index` (`document_road`) up to the blocks: glyphs, graphics and annotations of each
page, text lines, style, blocks. The document's facts and Parquet are left out, because text extractors have nothing like them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pypdfium2

from pdfmill.schemas.records import PageRange, Row
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_pages
from pdfmill.transforms.road.document_rows import DocumentReading
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import close_documents
from pdfmill.transforms.storage.addresses import found, local_uri


def document_blocks(path: Path) -> list[Row]:
    """Return the rows of `blocks` of a PDF, by page and in reading order; a page that cannot be read has none."""
    ref = found(local_uri(str(path)))
    pages = page_count(path)
    reading = DocumentReading(ref, {"status": "ok", "page_count": pages})
    try:
        return finish(reading, read_pages(PageRange(ref, 1, pages), ReadSettings()), DEFAULTS).blocks
    finally:
        close_documents()


def page_count(path: Path) -> int:
    """Return the number of pages by PDFium; 0 if it cannot open the PDF."""
    try:
        with pypdfium2.PdfDocument(path) as document:
            return len(document)
    except pypdfium2.PdfiumError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 0


def main(paths: Sequence[str]) -> None:
    """Make the blocks of every file and drop them, as the peers drop their text."""
    for path in paths:
        document_blocks(Path(path))


if __name__ == "__main__":
    main(sys.argv[1:])
