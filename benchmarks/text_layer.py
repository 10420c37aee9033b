"""How much the text layer adds to what PDFium needs for loading a page and its text: medians over the pages of a folder of PDFs.

    python -m benchmarks.text_layer FOLDER [--pages 8]

All are timed in the same run, in processor time, page by page, each page once to warm the caches, then the best of some rounds; garbage is
looked for as seldom as in a worker.
What `read_page` spends on drawings and on the cells of ruled tables is timed too, and told apart: it is no part of glyphs to lines.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pypdfium2

from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.open import pdfium_calls as calls
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS as LIMITS
from pdfmill.transforms.pdf.text.graphics import read_graphics
from pdfmill.transforms.pdf.text.page import loaded_page, page_space, read_page
from pdfmill.transforms.pdf.text.ruled_tables import find_ruled_tables
from pdfmill.transforms.road.isolation import rare_collections


def pdfium_alone(pdf: pypdfium2.PdfDocument, number: int) -> None:
    """Load page and text page, and let go of them."""
    page = calls.load_page(ctypes.cast(pdf.raw, ctypes.c_void_p).value, number - 1)
    text_page = calls.load_text(page)
    calls.close_text(text_page)
    calls.close_page(page)


def drawings(pdf: pypdfium2.PdfDocument, number: int) -> float:
    """Seconds for the drawings of a page, and for the tables that they rule."""
    with loaded_page(pdf, number) as (page, _):
        space = page_space(page, None, number)
        start = time.process_time()
        find_ruled_tables(read_graphics(page, space, max_objects=LIMITS.max_objects, max_depth=LIMITS.max_depth).edges, LIMITS.max_edges)
        return time.process_time() - start


def seconds(work: Callable[[], object]) -> float:
    """Processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Print one line per document and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=8, help="pages measured of each document")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rare_collections()
    rows = []
    for path in sorted(options.folder.glob("*.pdf")):
        pdf = pypdfium2.PdfDocument(path)
        for number in range(1, min(len(pdf), options.pages) + 1):
            find_lines(read_page(pdf, number))
            rounds = [
                (
                    seconds(partial(pdfium_alone, pdf, number)),
                    seconds(lambda pdf=pdf, number=number: read_page(pdf, number)),  # type: ignore[misc]
                    seconds(lambda pdf=pdf, number=number: find_lines(read_page(pdf, number))),  # type: ignore[misc]
                    drawings(pdf, number),
                )
                for _ in range(options.rounds)
            ]
            rows.append([min(column) * 1000 for column in zip(*rounds, strict=True)])
    floor, page, total, drawn = (statistics.median(column) for column in zip(*rows, strict=True))
    print(
        f"pages {len(rows)}; medians: PDFium {floor:.2f} ms, read_page {page:.2f} ms, "
        f"with find_lines {total:.2f} ms, drawings in it {drawn:.2f} ms"
    )
    for name, part in (("glyphs to lines", 1.0), ("with drawings and ruled tables", 0.0)):
        ratios = [(row[2] - part * row[3]) / row[0] for row in rows]
        sums = sum(row[2] - part * row[3] for row in rows) / sum(row[0] for row in rows)
        print(f"{name}: median ratio {statistics.median(ratios):.2f}; of the sums {sums:.2f}")


if __name__ == "__main__":
    main()
