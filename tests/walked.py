"""Documents down the whole road as the main job takes them, in one thread and without writing a file."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pyarrow as pa

from pdfmill.schemas.records import TABLE_NAMES, DocumentRef, PackedRows, RowsOfPart, page_ranges
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.guarded_road import Call, calls_of_process, structure_book_guarded, walk_guarded, walk_range_guarded
from pdfmill.transforms.road.job_settings import JobSettings, ReadSettings
from pdfmill.transforms.tables.output_layout import WriteSettings
from pdfmill.transforms.tables.spool import decompress


def job_of(read: ReadSettings) -> JobSettings:
    """A job that reads so, and writes nowhere."""
    return JobSettings(read, WriteSettings("file:///nowhere"), DEFAULTS)


def walk_rows(ref: DocumentRef, job: JobSettings, call: Call | None = None) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table, for the document and the PDFs attached to it, as a reader of the tables gets them."""
    call = call or calls_of_process(job.read)
    packed: dict[str, list[PackedRows]] = defaultdict(list)
    for rows in _rows(ref, job, call):
        packed[rows[0][0]].append(rows[1])
    return {table: [row for _, data in sorted(packed[table]) for row in _unpacked(table, data)] for table in TABLE_NAMES}


def _unpacked(table: str, data: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pa.ipc.read_record_batch(decompress(data), TABLES[table]).to_pylist()
    return rows


def _rows(ref: DocumentRef, job: JobSettings, call: Call) -> list[RowsOfPart]:
    done: list[RowsOfPart] = []
    for found in walk_guarded(ref, job, call):
        done += found.rows
        if found.book is None or found.first is None:
            continue
        ranges = page_ranges(found.book.ref, found.book.page_count, job.read.pages_per_range)
        parts = [found.first, *(walk_range_guarded(pages, job, call) for pages in ranges[1:])]
        done += [rows for each in structure_book_guarded(found.book, parts, job, call) for rows in each]
    return done
