"""A few rows of each table, for `make demo`: what a reader of the output sees first."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq

SHOWN = {
    "documents": ["source_uri", "status", "error_code", "page_count", "title", "language"],
    "pages": ["page", "label", "char_count", "column_count", "needs_ocr", "text"],
    "blocks": ["page", "role", "level", "heading_path", "text"],
    "sections": ["section", "kind", "first_page", "heading_path", "text"],
    "assets": ["kind", "name", "mime_type", "byte_size"],
}
ROWS = 8
WIDTH = 44


def shorten(value: object) -> str:
    """One line, at most WIDTH characters, the end of addresses and the start of everything else."""
    text = " > ".join(map(str, value)) if isinstance(value, list) else str("" if value is None else value)
    text = " ".join(text.split())
    if len(text) <= WIDTH:
        return text
    return "…" + text[-WIDTH + 1 :] if "://" in text else text[: WIDTH - 1] + "…"


def main(folder: str) -> None:
    """Print the head of every table and where it lies."""
    for table, columns in SHOWN.items():
        path = Path(folder) / table
        rows = pq.read_table(path, columns=columns)
        print(f"\n{table}: {rows.num_rows} rows in {path.resolve()}")
        cells = [columns, *([shorten(row[name]) for name in columns] for row in rows.slice(0, ROWS).to_pylist())]
        widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
        for row in cells:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main(sys.argv[1])
