"""What a recognised page costs beyond the recogniser: CPU of `--ocr` by that of Tesseract alone on the same picture.

    python -m benchmarks.ocr_cost [--rounds 3] [--pages KIND...] [--scans PDF...]

Made pages of each kind are scans of 200 dpi, grey, slightly turned, blurred and noisy: a title page, one with a page number, half a
page, a full page with a page number, two columns of small print, a form of boxes, an empty page. --scans: pages of such documents
besides. Each page is read by the shipped road and, as the JPEG that a scanner gives, by `tesseract PICTURE - --dpi N tsv` in turn, in
one language and one thread; what counts is the least CPU (user and system, with all processes that were started) of some rounds,
because a busy machine only adds to it. The process that has the language loaded is started before, as for all pages of a run but the first
of each worker. Exits with 1 where the road takes more than 15 % beyond Tesseract, added up over a kind.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from benchmarks.needs_ocr_pages import FONTS, HEIGHT, WIDTH, Random, scanned, sentence
from pdfmill.transforms.pdf.draw.render import POINTS, picture_resolution, render_grey
from pdfmill.transforms.pdf.open.document import PdfDocument, open_document
from pdfmill.transforms.road.document_road import read_page_lines, recognized
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.scans import tesseract
from pdfmill.transforms.scans.recognize import resolution

BAR: Final = 0.15
DPI: Final = 200
JPEG_QUALITY: Final = 75
LANGUAGE: Final = "eng"
#: A busy machine takes longer than the default allows.
SETTINGS: Final = ReadSettings(ocr=True, ocr_language=LANGUAGE, seconds_per_page=300.0)
#: What is measured at once, because the CPU of living processes is told in hundredths of a second; and so often at most.
LEAST_SECONDS, MOST_TIMES = 2.0, 8
#: Of made pages, so many of each kind.
EACH: Final = 2
#: Left, top and width in points, size, lines.
Block = tuple[float, float, int, float, int]
KINDS: Final[dict[str, tuple[Block, ...]]] = {
    "title": ((120, 200, 3, 24, 2), (180, 320, 4, 14, 1), (200, 700, 3, 12, 1)),
    "title, number": ((120, 200, 3, 24, 2), (180, 320, 4, 14, 1), (294, 800, 0, 10, 1)),
    "half a page": ((70, 80, 13, 11, 22),),
    "full, number": ((70, 70, 13, 11, 45), (294, 805, 0, 10, 1)),
    "two columns": ((50, 60, 9, 8.5, 62), (310, 60, 9, 8.5, 62)),
    "form": tuple((70 + 240 * (n % 2), 80 + 36 * (n // 2), 3, 10, 1) for n in range(38)),
    "empty": (),
}


def draw_page(blocks: Sequence[Block], boxes: bool, random: Random) -> Image.Image:
    """A page with these blocks of lines, as a scanner sees it. A block without words is a page number. boxes: one under each line."""
    scale = DPI / POINTS
    image = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), 250)
    pen = ImageDraw.Draw(image)
    for left, top, words, size, lines in blocks:
        font = ImageFont.truetype(str(FONTS / "Vera.ttf"), size * scale)
        for number in range(lines):
            said = sentence(random, words) if words else str(random.integers(1, 400))
            pen.text((left * scale, (top + 1.35 * size * number) * scale), said, font=font, fill=30)
            if boxes:
                pen.rectangle((left * scale, (top + 14) * scale, (left + 210) * scale, (top + 30) * scale), outline=60, width=2)
    return scanned(image, random)


def as_pdf(image: Image.Image) -> bytes:
    """A document of one page that is this picture."""
    picture, sink = io.BytesIO(), io.BytesIO()
    image.save(picture, "JPEG", quality=JPEG_QUALITY)
    canvas = Canvas(sink, pagesize=(WIDTH, HEIGHT), invariant=1)
    canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)
    canvas.showPage()
    canvas.save()
    return sink.getvalue()


def loaded_seconds() -> float:
    """CPU of the process that has Tesseract loaded and of its forks (proc(5), stat): it still runs, so nobody has waited for it."""
    if tesseract.LOADED.pid is None:
        return 0.0
    told = Path(f"/proc/{tesseract.LOADED.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")


def spent() -> float:
    """Seconds of CPU so far, user and system, of this process and of all that it started."""
    ended = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in ended) + loaded_seconds()


def cpu_of(work: Callable[[], object], times: int = 1) -> float:
    """Seconds of CPU that a piece of work takes when it is done so many times, for each."""
    before = spent()
    for _ in range(times):
        work()
    return (spent() - before) / times


def read_by_road(document: PdfDocument, number: int) -> None:
    """The page as `index --ocr` reads it."""
    recognized(read_page_lines(document, number), document, SETTINGS)


def read_alone(picture: Path, dpi: float) -> None:
    """The picture as somebody without pdfmill reads it."""
    command = ["tesseract", str(picture), "-", "-l", LANGUAGE, "--dpi", str(round(dpi)), "tsv"]
    subprocess.run(command, capture_output=True, check=True, env=os.environ | {"OMP_THREAD_LIMIT": "1"})


def cost(data: bytes, rounds: int) -> Iterator[tuple[float, float]]:
    """CPU seconds by the road and by Tesseract of each page of a document."""
    document = open_document(data, name="scan")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, document.page_count + 1):
            dpi = resolution(picture_resolution(document.pdfium, number))
            picture = Path(folder) / "page.jpg"
            Image.fromarray(render_grey(document.pdfium, number, dpi / POINTS)).save(picture, quality=JPEG_QUALITY)
            road, alone = partial(read_by_road, document, number), partial(read_alone, picture, dpi)
            road()
            times = ceil(LEAST_SECONDS / max(cpu_of(alone), LEAST_SECONDS / MOST_TIMES))
            both = [(cpu_of(road, times), cpu_of(alone, times)) for _ in range(rounds)]
            yield min(ours for ours, _ in both), min(theirs for _, theirs in both)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each kind of page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--scans", type=Path, nargs="*", default=[])
    args = parser.parse_args(argv)
    made = {
        kind: [as_pdf(draw_page(KINDS[kind], kind == "form", np.random.default_rng(seed))) for seed in range(EACH)] for kind in args.pages
    }
    worst = 0.0
    for name, documents in [*made.items(), *((path.name, [path.read_bytes()]) for path in args.scans)]:
        pages = [page for data in documents for page in cost(data, args.rounds)]
        road, alone = (sum(each) / len(pages) for each in zip(*pages, strict=True))
        worst = max(worst, road / alone - 1)
        print(f"{name:24} {road:.3f} s a page, Tesseract alone {alone:.3f} s: {100 * (road / alone - 1):+.1f} %", flush=True)
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
