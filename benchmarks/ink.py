"""Do the words' boxes hold ink? Renders the pages of a folder of PDFs and counts the words whose box is blank.

    python -m benchmarks.ink FOLDER [--pages 8] [--scale 2]

A box holds ink when its pixels are not all of one colour. Words of blank-looking characters (unmapped ones) count too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.open.errors import PdfError
from pdfmill.transforms.pdf.text.page import read_page


def blank_words(image: NDArray[np.uint8], page: PageLines, scale: float) -> list[int]:
    """Indices of words whose box shows one colour only."""
    height, width = image.shape[:2]
    found = []
    for index, box in enumerate(page.word_boxes.tolist()):
        x0, top, x1, bottom = (round(side * scale) for side in box)
        part = image[max(top, 0) : min(bottom + 1, height), max(x0, 0) : min(x1 + 1, width)]
        if part.size == 0 or (part == part[:1, :1]).all():
            found.append(index)
    return found


def main() -> None:
    """Print the blank words of each document and the share over all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=8, help="pages rendered of each document")
    parser.add_argument("--scale", type=float, default=2.0, help="pixels per point")
    options = parser.parse_args()
    words = blank = 0
    for path in sorted(options.folder.glob("*.pdf")):
        try:
            document = open_document(path.read_bytes(), name=path.name)
            pdf: pypdfium2.PdfDocument = document.pdfium
        except PdfError:
            continue
        for number in range(1, min(len(pdf), options.pages) + 1):
            try:
                page = find_lines(read_page(pdf, number, document=document))
            except PdfError:
                continue
            if page.ocr or not len(page.word_boxes):
                continue
            image = pdf[number - 1].render(scale=options.scale, rev_byteorder=True).to_numpy()
            empty = blank_words(image, page, image.shape[1] / page.width)  # PDFium does not count UserUnit
            words, blank = words + len(page.word_boxes), blank + len(empty)
            if empty:
                shown = [page.lines[page.word_lines[i]].text[slice(*page.word_spans[i])] for i in empty[:4]]
                print(f"{path.name} page {number}: {len(empty)} of {len(page.word_boxes)} words are blank: {shown}")
    print(f"{words} words, {100 * (1 - blank / max(words, 1)):.3f} % hold ink")


if __name__ == "__main__":
    main()
