"""What a run writes beside what it reads: tombstones, pointers to the same bytes, parts without what went, changes; each is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

import pyarrow as pa

from schemas.crawl import CRAWL_TABLES, PlanEntry
from schemas.records import DocId, Row
from transforms.snapshots.decide import change_rows
from transforms.snapshots.delta_log import PartFile
from transforms.snapshots.duplicates import Twin
from transforms.snapshots.parts import document_rows, point_at, rewrite_part, tombstones, write_table_part
from transforms.snapshots.runs import SAME, CrawlRun, record_files


def write_changes(crawl: CrawlRun, stem: str, rows: Iterable[Row], beside: Iterable[PartFile] = ()) -> str:
    """Write and record a part of `changes`; beside: what else the stem has. The stem."""
    table = pa.Table.from_pylist(list(rows), schema=CRAWL_TABLES["changes"])
    record_files(crawl, stem, [*beside, *write_table_part(crawl.output, "changes", stem, table)])
    return stem


def cut_part(crawl: CrawlRun, stem: str, files: Sequence[PartFile], gone: Sequence[DocId]) -> str:
    """Write a part again without some documents; the new stem."""
    new_stem = f"{crawl.run}-cut-{crc32(stem.encode()):08x}"
    record_files(crawl, new_stem, rewrite_part(crawl.output, files, gone, new_stem), stem)
    return new_stem


def bury(crawl: CrawlRun, number: str, entries: Sequence[PlanEntry]) -> str:
    """Tombstones for what is gone; changes for that and for what is adopted. The stem."""
    stem = f"{crawl.run}-gone-{number}"
    gone = tombstones((entry for entry in entries if entry.kind == "gone"), crawl.signature, crawl.started)
    rows = [row for entry in entries for row in change_rows(entry, entry.adopted, crawl.snapshot)]
    return write_changes(crawl, stem, rows, write_table_part(crawl.output, "sources", stem, gone))


def point(crawl: CrawlRun, number: str, twins: Sequence[Twin]) -> str:
    """Rows of objects whose bytes were read elsewhere, after the row of the document that was read. The stem."""
    stem = f"{crawl.run}{SAME}{number}"
    wanted, parts = {twin.same_as for twin in twins}, {twin.part for twin in twins}
    originals = {DocId(str(row["doc_id"])): row for part in sorted(parts) for row in document_rows(crawl.output, part, wanted)}
    rows = [row for twin in twins for row in change_rows(twin.entry, [(twin.entry.doc_id, 0)], crawl.snapshot)]
    return write_changes(crawl, stem, rows, point_at(crawl.output, stem, twins, originals, crawl.signature, crawl.started))
