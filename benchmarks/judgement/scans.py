"""Measure the structure of scans: documents that were typeset, turned into pictures, recognised, and scored by their reference structure
("gold").

    python -m benchmarks.judgement.scans CORPUS [--names STEM...] [--language CODE...] [--tables] [--out DIR]

CORPUS contains `pdf/`, `gold/`, `MANIFEST.tsv` and the scorer, as for `benchmarks.judgement.quality`. Each page is drawn at 200 dpi, grey,
slightly turned, blurred and noisy (seeded), and stored as a JPEG in a PDF without text. The scans are read as by `pdfmill index --ocr`.
Besides the scorer's table, the script prints how well bold and italic words are found, compared with the originals. --tables: CORPUS is a
corpus of tables; its typeset tables with rules are scored. Needs `pdftoppm` (poppler) and Tesseract.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, ImageFilter

from benchmarks.judgement.quality import blocks_to_prediction, blocks_to_tables, manifest, read_lines, scorer_of
from pdfmill.schemas.records import DocumentRef, PageLines, PageRange
from pdfmill.transforms.layout.document.ink_looks import settle_looks
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import local_uri

DOCUMENTS: Final = 8
DPI: Final = 200
#: Standard deviation of the angle by which a page is turned, in degrees.
TURN: Final = 0.4
#: Pixels; radius of the blur. Grey values of 255; standard deviation of the noise.
BLUR, NOISE = 0.6, 8.0
JPEG_QUALITY: Final = 75
SEED: Final = 5
#: Deadline for a page in seconds: a busy machine takes longer than the default.
PAGE_SECONDS: Final = 300.0


def choose(corpus: Path, number: int = DOCUMENTS, languages: Sequence[str] = ("en",)) -> list[str]:
    """Return names of documents in these languages that were typeset for the corpus: one for each producer, then more in the order of the
    manifest."""
    rows = [row for row in manifest(corpus) if row["language"] in languages and row["kind"].startswith("generated")]
    first = {row["producer"].split()[0]: row for row in reversed(rows) if "headings" in row["facets"]}
    chosen = list(first.values()) + [row for row in rows if row not in first.values()]
    return sorted(Path(row["file"]).stem for row in chosen[:number])


def choose_tables(corpus: Path) -> list[str]:
    """Return names of documents that were typeset for the corpus of tables and have rules between cells."""
    ruled = (row for row in manifest(corpus) if row["origin"] == "typeset" and row["ruled"] in ("grid", "rules"))
    return sorted(Path(row["file"]).stem for row in ruled)


def make_scan(source: Path, target: Path, random: np.random.Generator) -> None:
    """Write a PDF as a scanner makes it: with a picture of each page of `source`, and no text."""
    scratch = target.parent / target.stem
    scratch.mkdir(parents=True, exist_ok=True)
    subprocess.run(["pdftoppm", "-r", str(DPI), "-gray", str(source), str(scratch / "page")], check=True)
    pages = []
    for path in sorted(scratch.glob("*.pgm")):
        with Image.open(path) as drawn:
            turned = drawn.convert("L").rotate(float(random.normal(0, TURN)), fillcolor=255, resample=Image.Resampling.BICUBIC)
        blurred = turned.filter(ImageFilter.GaussianBlur(BLUR))
        noisy = np.asarray(blurred, float) + random.normal(0, NOISE, (blurred.height, blurred.width))
        pages.append(Image.fromarray(noisy.clip(0, 255).astype(np.uint8)))
    pages[0].save(target, save_all=True, append_images=pages[1:], resolution=DPI, quality=JPEG_QUALITY)
    shutil.rmtree(scratch)


def make_scans(corpus: Path, names: Sequence[str], out: Path) -> None:
    """Make a corpus of scans of these documents, with their references, in the folder `out`; existing scans are kept."""
    for folder in ("pdf", "gold"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for name in names:
        target = out / "pdf" / f"{name}.pdf"
        if not target.exists():
            make_scan(corpus / "pdf" / f"{name}.pdf", target, np.random.default_rng([SEED, *name.encode()]))
        shutil.copy(corpus / "gold" / f"{name}.json", out / "gold")


class Read(NamedTuple):
    """A scan that was read."""

    rows: list[dict[str, object]]  # rows of `blocks`
    words: list[list[tuple[str, bool, bool]]]  # by page: (word, bold, italic)
    pages: int  # number of pages read
    seconds: tuple[float, float]  # CPU seconds of this process, and of the recogniser


def _seconds() -> tuple[float, float]:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def read_scan(path: Path) -> Read:
    """Read and structure all pages of a scan as `index --ocr` does."""
    ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings(ocr=True, seconds_per_page=PAGE_SECONDS)
    before = _seconds()
    reading = read_document(ref, settings)
    pages = list(read_pages(PageRange(ref, 1, reading.page_count), settings))
    made = finish(reading, pages, DEFAULTS)
    after = _seconds()
    for page in pages:
        for warning in page.warnings:
            print(f"{path.name} page {page.page}: {warning.message}", file=sys.stderr)
    spent = (after[0] - before[0], after[1] - before[1])
    return Read(made.blocks, [words_of(settle_looks(page, made.ink)) for page in pages], len(pages), spent)


def words_of(page: PageLines) -> list[tuple[str, bool, bool]]:
    """Return (word, bold, italic) for each word of a page; a word is bold if most of its characters are."""
    found = []
    for number, (start, end) in zip(page.word_lines.tolist(), page.word_spans.tolist(), strict=True):
        line = page.lines[number]
        drawn = [page.styles[[each for at, each in line.spans if at <= place][-1]] for place in range(start, end)]
        bold, italic = (2 * sum(each) > end - start for each in ([s.bold for s in drawn], [s.italic for s in drawn]))
        found.append((line.text[start:end], bold, italic))
    return found


def count_looks(true: Sequence[tuple[str, bool, bool]], found: Sequence[tuple[str, bool, bool]]) -> np.ndarray:
    """Return int[2, 3]: for bold and italic, the number of words that are so in both, in `found`, and in `true`. Only words that both have
    count."""
    pairs = SequenceMatcher(None, [word for word, *_ in true], [word for word, *_ in found], autojunk=False).get_matching_blocks()
    counts = np.zeros((2, 3), np.int64)
    for a, b, size in pairs:
        for one, other in zip(true[a : a + size], found[b : b + size], strict=True):
            for way in (0, 1):
                counts[way] += (one[1 + way] and other[1 + way], other[1 + way], one[1 + way])
    return counts


def f1(both: int, found: int, true: int) -> float:
    """Return F1 from the counts; 1 if there was nothing to find and nothing was found."""
    return 2 * both / (found + true) if found + true else 1.0


def main(argv: Sequence[str] | None = None) -> int:
    """Make the scans, read them, score them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="folder with pdf/, gold/, MANIFEST.tsv and the scorer")
    parser.add_argument("--names", nargs="*", help="which documents (default: eight of all producers)")
    parser.add_argument("--language", nargs="*", default=["en"], help="of the documents that are chosen where none are named")
    parser.add_argument("--tables", action="store_true", help="score tables")
    parser.add_argument("--out", type=Path, default=Path("build/scans"), help="where scans and predictions go")
    args = parser.parse_args(argv)
    names = args.names or (choose_tables(args.corpus) if args.tables else choose(args.corpus, languages=args.language))
    scans = args.out
    make_scans(args.corpus, names, scans)
    predictions = scans / "predictions"
    predictions.mkdir(exist_ok=True)
    total = np.zeros((2, 3), np.int64)
    for name in names:
        read = read_scan(scans / "pdf" / f"{name}.pdf")
        prediction = (blocks_to_tables if args.tables else blocks_to_prediction)(read.rows, f"{name}.pdf")
        (predictions / f"{name}.json").write_text(json.dumps(prediction, ensure_ascii=False), encoding="utf-8")
        if args.tables:
            continue
        _, originals = read_lines(args.corpus / "pdf" / f"{name}.pdf")
        counts = sum((count_looks(words_of(a), b) for a, b in zip(originals, read.words, strict=True)), np.zeros((2, 3), np.int64))
        total += counts
        told = ", ".join(f"{word} {f1(*row):.3f} of {row[2]}" for word, row in zip(("bold", "italic"), counts.tolist(), strict=True))
        own, recogniser = (each / read.pages for each in read.seconds)
        print(f"{name}: {told}; CPU a page {own:.2f} s and {recogniser:.2f} s in the recogniser", flush=True)
    if not args.tables:
        print("all: " + ", ".join(f"{word} {f1(*row):.3f}" for word, row in zip(("bold", "italic"), total.tolist(), strict=True)))
    script = scorer_of(args.corpus, "tables_score.py") if args.tables else scorer_of(args.corpus)
    gold = scans / "gold" if args.tables else scans
    return subprocess.run([sys.executable, str(script), str(gold), str(predictions)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
