"""Text layer and structure alone: what peers that only extract text are compared with (`benchmarks.peers`).

    python -m benchmarks.blocks FILE...

A process opens each file, reads the glyphs and graphics of each page, and makes text lines, the document's style and blocks of them, as
`pdfmill index` does. Not counted, because text extractors have nothing like it: facts and annotations, language, rows of tables,
Parquet, Beam.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from schemas.records import Block
from schemas.statistics import DocumentStatistics
from transforms.layout.columns import split_lines
from transforms.layout.lines import find_lines
from transforms.layout.statistics import measure_page
from transforms.layout.structure import structure_page
from transforms.layout.style import decide_style
from transforms.pdf.document import open_document
from transforms.pdf.errors import DocumentError, PageError
from transforms.pdf.page import read_page


def document_blocks(path: Path) -> list[Block]:
    """The blocks of a PDF in page and reading order; a page that cannot be read has none.

    Raises:
        DocumentError: the file cannot be opened.
    """
    document = open_document(path.read_bytes(), name=str(path))
    statistics, pages = DocumentStatistics(), []
    for number in range(1, document.page_count + 1):
        try:
            page = split_lines(find_lines(read_page(document.pdfium, number, document=document)))
        except PageError as error:
            print(error, file=sys.stderr)
            continue
        statistics.add(measure_page(page))
        pages.append(page)
    document.close()
    style = decide_style(statistics)
    return [block for page in pages for block in structure_page(page, style.for_pages(page.page, page.page)).blocks]


def main(paths: Sequence[str]) -> None:
    """Make the blocks of every file and drop them, as the peers drop their text."""
    for path in paths:
        try:
            document_blocks(Path(path))
        except DocumentError as error:
            print(error, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
