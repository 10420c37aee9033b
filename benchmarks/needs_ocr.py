"""Which pages need OCR? Precision and recall of `pages.needs_ocr` over made pages whose answer is known.

    python -m benchmarks.needs_ocr [--pages 12] [--out FOLDER] [--labels TSV --corpus FOLDER]

Kinds that need it: scans of text, straight or turned, light or shaded; such scans with a printed page number or a stamp in letters;
scanned forms; white letters on black. Kinds that do not: photographs with a caption, pages of text with photographs or over a picture of
paper, empty pages, pictures of empty paper, drawings, slides with a title over a photograph, dark photographs, small squares. Nineteen
more kinds (`benchmarks.needs_ocr_kinds`) were drawn and labelled by their look before the rule was asked about them.

--out: keeps the pages that were judged wrongly. --labels: real
pages besides, a line each: file below the corpus, page, and 1 where somebody who looked at it says that it needs OCR, else 0.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from reportlab.pdfgen.canvas import Canvas

from benchmarks.needs_ocr_kinds import MORE_DO_NOT, MORE_NEED
from benchmarks.needs_ocr_pages import DO_NOT, HEIGHT, NEED, WIDTH, Maker, Random
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.road.document_road import read_page_lines
from pdfmill.transforms.road.page_rows import needs_ocr


def make_page(maker: Maker, random: Random) -> bytes:
    """A document of one such page."""
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(WIDTH, HEIGHT), invariant=1)
    maker(canvas, random)
    canvas.showPage()
    canvas.save()
    return sink.getvalue()


def judge(data: bytes) -> bool:
    """What is said of the page."""
    return needs_ocr(read_page_lines(open_document(data, name="made.pdf"), 1))


def judge_labels(labels: Path, corpus: Path) -> np.ndarray:
    """int[2, 2]: labelled pages by whether they need OCR and whether that is said; prints those that are judged wrongly."""
    counts = np.zeros((2, 2), np.int64)
    for line in labels.read_text(encoding="utf-8").splitlines():
        name, page, needed = line.split("\t")
        document = open_document((corpus / name).read_bytes(), name=name)
        said = needs_ocr(read_page_lines(document, int(page)))
        counts[int(needed), int(said)] += 1
        if said != bool(int(needed)):
            print(f"{name} page {page}: {'said' if said else 'not said'} to need OCR")
    return counts


def print_scores(counts: np.ndarray) -> tuple[float, float]:
    """Precision and recall."""
    (_, false), (missed, found) = counts.tolist()
    precision, recall = found / max(1, found + false), found / max(1, found + missed)
    print(f"precision {precision:.3f}, recall {recall:.3f} of {found + missed} among {int(counts.sum())} pages")
    return precision, recall


def main(argv: Sequence[str] | None = None) -> int:
    """Print how many of each kind are said to need OCR, and precision and recall; 1 where one is under the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=12, help="of each kind")
    parser.add_argument("--out", type=Path, help="keep pages that are judged wrongly here")
    parser.add_argument("--labels", type=Path, help="labels of real pages")
    parser.add_argument("--corpus", type=Path, default=Path("../shared/corpus"), help="folder of the labelled files")
    parser.add_argument("--bar", type=float, default=0.97)
    args = parser.parse_args(argv)
    counts = np.zeros((2, 2), np.int64)
    for needed, makers in ((True, NEED + MORE_NEED), (False, DO_NOT + MORE_DO_NOT)):
        for maker in makers:
            pages = [make_page(maker, np.random.default_rng(number)) for number in range(args.pages)]
            said = [judge(page) for page in pages]
            for number, (page, each) in enumerate(zip(pages, said, strict=True)):
                counts[int(needed), int(each)] += 1
                if args.out and each != needed:
                    args.out.mkdir(parents=True, exist_ok=True)
                    (args.out / f"{maker.__name__}-{number}.pdf").write_bytes(page)
            print(f"{maker.__name__.replace('_', ' '):24} {sum(said):3} of {len(said)} need OCR; expected {'all' if needed else 'none'}")
    scores = [*print_scores(counts)]
    if args.labels:
        scores += print_scores(judge_labels(args.labels, args.corpus))
    return 0 if min(scores) >= args.bar else 1


if __name__ == "__main__":
    sys.exit(main())
