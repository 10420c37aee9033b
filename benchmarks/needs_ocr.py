"""Which pages need OCR? Precision and recall of `pages.needs_ocr` over made pages whose answer is known.

    python -m benchmarks.needs_ocr [--pages 12] [--out FOLDER] [--labels TSV --corpus FOLDER]

Kinds that need it: scans of text, straight or turned, light or shaded; such scans with a printed page number or a stamp in letters;
scanned forms; white letters on black. Kinds that do not: photographs with a caption, pages of text with photographs or over a picture of
paper, empty pages, pictures of empty paper, drawings, slides with a title over a photograph, dark photographs, small squares.

--out: keeps the pages that were judged wrongly. --labels: real pages besides, a line each: file below the corpus, page, and 1 where
somebody who looked at it says that it needs OCR, else 0.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from transforms.pages import needs_ocr
from transforms.pdf.document import open_document
from transforms.road import read_page_lines

FONTS: Final = Path(reportlab.__file__).parent / "fonts"
WIDTH, HEIGHT = 595, 842
WORDS: Final = tuple(
    "the archive holds letters that came in boxes from many towns and nobody has read them since year of war Paper 1907 No. Street".split()  # noqa: SIM905
)
Random = np.random.Generator
Maker = Callable[[Canvas, Random], None]


def sentence(random: Random, words: int) -> str:
    """Words in a row."""
    return " ".join(random.choice(WORDS) for _ in range(words))


def paper(random: Random, dpi: int, lines: int, size: float, form: bool = False) -> Image.Image:
    """A page as a scanner sees it: lines of text, or a form with fields, slightly turned, blurred, shaded and noisy."""
    scale = dpi / 72
    image = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), int(random.integers(225, 256)))
    pen, font = ImageDraw.Draw(image), ImageFont.truetype(str(FONTS / "Vera.ttf"), size * scale)
    for number in range(lines):
        top = (70 + number * (700 / max(lines, 1) if form else 1.4 * size)) * scale
        pen.text((60 * scale, top), sentence(random, 3 if form else 9), font=font, fill=int(random.integers(10, 70)))
        if form:
            pen.rectangle((250 * scale, top, 520 * scale, top + 1.6 * size * scale), outline=60, width=2)
    return scanned(image, random)


def scanned(image: Image.Image, random: Random) -> Image.Image:
    """The same from a scanner."""
    turned = image.rotate(float(random.normal(0, 0.6)), fillcolor=240, resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.7)), float) + random.normal(0, 8, (image.height, image.width))
    pixels *= np.linspace(float(random.uniform(0.75, 1)), 1, image.width)[None, :]
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def photograph(random: Random, width: int, height: int) -> Image.Image:
    """Tones like those of a photograph: noise of which coarse parts are the strongest, and some objects with edges."""
    total = np.zeros((height, width))
    for power in range(1, 8):
        small = Image.fromarray(random.normal(0, 1, (2**power + 1, 2**power + 1)).astype(np.float32))
        total += np.asarray(small.resize((width, height), Image.Resampling.BICUBIC)) / 1.7**power
    low, high = np.quantile(total, (0.02, 0.98))
    image = Image.fromarray((255 * (total - low) / (high - low)).clip(0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    for _ in range(int(random.integers(3, 12))):
        x, y, r = (int(random.integers(0, side)) for side in (width, height, max(8, width // 4)))
        pen.ellipse((x - r, y - r // 2, x + r, y + r // 2), fill=int(random.integers(0, 256)))
    return image


def put(canvas: Canvas, image: Image.Image, box: tuple[float, float, float, float] = (0, 0, WIDTH, HEIGHT)) -> None:
    """The picture on the page, as a JPEG."""
    sink = io.BytesIO()
    image.save(sink, "JPEG", quality=75)
    canvas.drawImage(ImageReader(sink), box[0], box[1], box[2] - box[0], box[3] - box[1])


def text(canvas: Canvas, random: Random, lines: int, top: float = 780, size: float = 10) -> None:
    """Lines of text of the page's own."""
    canvas.setFont("Helvetica", size)
    for number in range(lines):
        canvas.drawString(60, top - 1.4 * size * number, sentence(random, 12))


def scan(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, int(random.choice([100, 150, 200, 300])), int(random.integers(3, 48)), float(random.choice([8, 10, 12, 16]))))


def scan_with_number(canvas: Canvas, random: Random) -> None:
    scan(canvas, random)
    canvas.drawString(290, 20, str(random.integers(1, 999)))


def stamped_scan(canvas: Canvas, random: Random) -> None:
    scan(canvas, random)
    canvas.drawString(400, 815, f"Received {random.integers(1, 29)} May 1999 by the archive, copy {random.integers(100, 999)}")


def negative_scan(canvas: Canvas, random: Random) -> None:
    page = paper(random, 150, int(random.integers(20, 45)), 10)
    put(canvas, Image.fromarray(255 - np.asarray(page)))


def stamped_form(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, 200, int(random.integers(8, 22)), 10, form=True))
    canvas.drawString(260, 600, sentence(random, 4))


def captioned_photograph(canvas: Canvas, random: Random) -> None:
    put(canvas, photograph(random, 900, 700), (60, 300, 535, 700))
    text(canvas, random, int(random.integers(1, 3)), top=280)


def lone_photograph(canvas: Canvas, random: Random) -> None:
    put(canvas, photograph(random, 900, 1200))


def illustrated_text(canvas: Canvas, random: Random) -> None:
    text(canvas, random, 25)
    put(canvas, photograph(random, 600, 400), (60, 80, 400, 350))


def text_on_paper(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, 100, 0, 10))
    text(canvas, random, int(random.integers(2, 40)))


def empty(canvas: Canvas, random: Random) -> None:
    canvas.setTitle(sentence(random, 2))


def empty_paper(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, 150, 0, 10))


def drawing(canvas: Canvas, random: Random) -> None:
    for _ in range(40):
        canvas.line(*(float(v) for v in random.uniform(50, 550, 4)))
    if random.random() < 0.5:
        text(canvas, random, 1, top=60)


def dark_photograph(canvas: Canvas, random: Random) -> None:
    put(canvas, Image.fromarray((np.asarray(photograph(random, 900, 1200)) * 0.6).astype(np.uint8)))


def small_square(canvas: Canvas, random: Random) -> None:
    left, top = (float(each) for each in random.uniform(50, 400, 2))
    put(canvas, Image.new("L", (60, 60), int(random.integers(0, 120))), (left, top, left + 40, top + 40))


def slide(canvas: Canvas, random: Random) -> None:
    put(canvas, photograph(random, 1000, 1400))
    canvas.setFillGray(1)
    text(canvas, random, 1, size=24)


NEED: Final[tuple[Maker, ...]] = (scan, scan_with_number, stamped_scan, stamped_form, negative_scan)
DO_NOT: Final[tuple[Maker, ...]] = (
    captioned_photograph, lone_photograph, illustrated_text, text_on_paper, empty, empty_paper, drawing, slide, dark_photograph,
    small_square,
)  # fmt: skip


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
    for needed, makers in ((True, NEED), (False, DO_NOT)):
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
