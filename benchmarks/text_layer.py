"""How much the text layer adds to what PDFium needs for loading a page and its text: medians over the pages of a folder of PDFs.

    python -m benchmarks.text_layer FOLDER [--pages 8]

Both are timed in the same run, in processor time, page by page, each page once to warm the caches, then the better of two.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pypdfium2

from transforms.layout.lines import find_lines
from transforms.pdf import calls
from transforms.pdf.page import read_page


def pdfium_alone(pdf: pypdfium2.PdfDocument, number: int) -> None:
    """Load page and text page, and let go of them."""
    page = calls.load_page(ctypes.cast(pdf.raw, ctypes.c_void_p).value, number - 1)
    text_page = calls.load_text(page)
    calls.close_text(text_page)
    calls.close_page(page)


def milliseconds(work: Callable[[], object], rounds: int = 2) -> float:
    """The better of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best * 1000


def main() -> None:
    """Print one line per document and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=8, help="pages measured of each document")
    options = parser.parse_args()
    floors, glyphs, totals = [], [], []
    for path in sorted(options.folder.glob("*.pdf")):
        pdf = pypdfium2.PdfDocument(path)
        for number in range(1, min(len(pdf), options.pages) + 1):
            pdfium_alone(pdf, number)
            floors.append(milliseconds(lambda pdf=pdf, number=number: pdfium_alone(pdf, number)))  # type: ignore[misc]
            glyphs.append(milliseconds(lambda pdf=pdf, number=number: read_page(pdf, number)))  # type: ignore[misc]
            totals.append(milliseconds(lambda pdf=pdf, number=number: find_lines(read_page(pdf, number))))  # type: ignore[misc]
    ratios = [total / floor for total, floor in zip(totals, floors, strict=True)]
    print(f"pages {len(floors)}; PDFium {statistics.median(floors):.2f} ms, read_page {statistics.median(glyphs):.2f} ms, with find_lines {statistics.median(totals):.2f} ms")
    print(f"median ratio {statistics.median(ratios):.2f}; of the medians {statistics.median(totals) / statistics.median(floors):.2f}; of the sums {sum(totals) / sum(floors):.2f}")


if __name__ == "__main__":
    main()
