"""Measure quality on a corpus with reference structure ("gold"): make the structure of each PDF, write the predictions, score them.

    python -m benchmarks.judgement.quality structure CORPUS/structure [--by kind] [--only STEM] [--out DIR] [--docs]
    python -m benchmarks.judgement.quality tables CORPUS/tables

CORPUS contains `pdf/`, `gold/` and the scorer, or a folder `structure` or `tables` beside it does. The corpus is not part of this
repository. Predictions are made by the functions that `pdfmill index` uses (`document_road`), with its defaults. --cache DIR stores the
text lines between runs in which only the structure changes.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import pickle
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from pdfmill.pipeline.render.cells import place, placed_cells, read_cells
from pdfmill.schemas.records import DocumentRef, PageLines, PageRange, Row
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.document_rows import DocumentReading
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import local_uri

#: The role that the scorer uses for each role of a block.
GOLD_ROLES: Final = {
    "title": "heading",
    "heading": "heading",
    "paragraph": "paragraph",
    "list_item": "list",
    "table": "table",
    "caption": "caption",
    "footnote": "paragraph",
    "code": "other",
    "formula": "other",
    "contents": "other",
    "index": "other",
    "reference": "list",
    "page_header": "furniture",
    "page_footer": "furniture",
    "page_number": "furniture",
    "page_margin": "furniture",
    "other": "other",
}


def blocks_to_prediction(rows: Iterable[Mapping[str, object]], file: str) -> dict[str, object]:
    """Convert rows of `blocks` of one document, in order of page and block, to the scorer's form.

    A block that continues one of an earlier page is joined to it, so that a paragraph on two pages counts as one.
    """
    blocks: list[dict[str, object]] = []
    open_block: dict[str, object] | None = None
    for row in rows:
        role = str(row["role"])
        if row["continues"] and open_block is not None:
            open_block["text"] = _join_parts(str(open_block["text"]), str(row["text"]))
            continue
        block: dict[str, object] = {
            "page": row["page"],
            "role": GOLD_ROLES[role],
            "level": row["level"] if role in ("title", "heading") else None,
            "text": row["text"],
        }
        blocks.append(block)
        if block["role"] not in ("furniture", "other", "caption") and role != "footnote":
            open_block = block
    return {"file": file, "blocks": blocks}


def _join_parts(before: str, after: str) -> str:
    if before.endswith(("-", "\u2010", "\u00ad")) and after[:1].islower():
        return before[:-1] + after
    return f"{before} {after}"


def blocks_to_tables(rows: Iterable[Mapping[str, object]], file: str) -> dict[str, object]:
    """Convert the table blocks of one document to the form of the scorer for tables."""
    tables = []
    for row in rows:
        if row["role"] == "table" and row["html"]:
            texts, header_rows = placed_cells(html := str(row["html"]))
            spans = [[top, left, cell.rows, cell.columns] for cell, top, left in place(read_cells(html)) if cell.rows * cell.columns > 1]
            tables.append({"page": row["page"], "bbox": None, "cells": texts, "spans": spans, "header_rows": header_rows})
    return {"file": file, "tables": tables}


def read_lines(path: Path, cache: Path | None = None) -> tuple[DocumentReading, list[PageLines]]:
    """Return the facts of a PDF, and the text lines of all its pages. cache: folder that stores them between runs."""
    kept = cache / f"{hashlib.sha256(str(path).encode()).hexdigest()[:16]}.pickle" if cache else None
    if kept is not None and kept.exists():
        with kept.open("rb") as file:
            reading, pages = pickle.load(file)
            return reading, pages
    ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings()
    reading = read_document(ref, settings)
    pages = list(read_pages(PageRange(ref, 1, reading.page_count), settings))
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("wb") as file:
            pickle.dump((reading, pages), file)
    return reading, pages


def document_rows(read: tuple[DocumentReading, list[PageLines]], settings: LayoutSettings = DEFAULTS) -> list[Row]:
    """Return the rows of `blocks` for the facts and text lines of a document."""
    return finish(*read, settings).blocks


def predict(path: Path, cache: Path | None = None) -> dict[str, object]:
    """Return the structure of a PDF in the scorer's form."""
    return blocks_to_prediction(document_rows(read_lines(path, cache)), path.name)


def predict_tables(path: Path, cache: Path | None = None) -> dict[str, object]:
    """Return the tables of a PDF in the form of the scorer for tables."""
    return blocks_to_tables(document_rows(read_lines(path, cache)), path.name)


def manifest(corpus: Path) -> list[dict[str, str]]:
    """Return the rows of a corpus' MANIFEST.tsv, one for each document."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def scorer_of(corpus: Path, name: str = "score.py", beside: str = "structure") -> Path:
    """Return the path of the scorer of a corpus, which lies in it or in the folder `beside` of the corpora."""
    return next(path for path in (corpus / name, corpus.parent / beside / name) if path.exists())


def _write(job: tuple[Path, Path, Path | None, str]) -> tuple[str, float]:
    path, out, cache, kind = job
    began = time.perf_counter()
    prediction = (predict if kind == "structure" else predict_tables)(path, cache)
    (out / f"{path.stem}.json").write_text(json.dumps(prediction, ensure_ascii=False), encoding="utf-8")
    return path.stem, time.perf_counter() - began


def main(argv: Sequence[str] | None = None) -> int:
    """Predict and score; the scorer prints its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["structure", "tables"])
    parser.add_argument("corpus", type=Path, help="folder with pdf/, gold/ and the scorer")
    parser.add_argument("--out", type=Path, default=Path("build/quality"), help="where predictions go")
    parser.add_argument("--cache", type=Path, help="keep the text layer of each PDF here between runs")
    parser.add_argument("--only", help="only PDFs whose name contains this; not scored")
    parser.add_argument("--by", default="kind")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args(argv)
    out = args.out / args.kind
    out.mkdir(parents=True, exist_ok=True)
    paths = sorted(p for p in (args.corpus / "pdf").glob("*.pdf") if not args.only or args.only in p.name)
    jobs = [(p, out, args.cache, args.kind) for p in paths]
    if args.jobs > 1:
        with ProcessPoolExecutor(args.jobs) as pool:
            times = list(pool.map(_write, jobs))
    else:
        times = [_write(job) for job in jobs]
    print(f"{len(times)} documents, {sum(t for _, t in times):.1f} s", file=sys.stderr)
    if args.only:
        return 0
    script = scorer_of(args.corpus, "score.py" if args.kind == "structure" else "tables_score.py", args.kind)
    extra = ["--by", args.by] if args.kind == "structure" else ["--per-table"]
    gold = args.corpus if args.kind == "structure" else args.corpus / "gold"
    return subprocess.run([sys.executable, str(script), str(gold), str(out), *extra], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
