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
from transforms.snapshots.parts import STALE_STEM, document_rows, point_at, rewrite_part, tombstones, write_table_part
from transforms.snapshots.runs import SAME, CrawlRun, record_files


def write_changes(crawl: CrawlRun, stem: str, rows: Iterable[Row], beside: Iterable[PartFile] = ()) -> str:
    """Write and record a part of `changes`; beside: what else the stem has. The stem."""
    table = pa.Table.from_pylist(list(rows), schema=CRAWL_TABLES["changes"])
    record_files(crawl, stem, [*beside, *write_table_part(crawl.output, "changes", stem, table)])
    return stem


def cut_part(crawl: CrawlRun, stem: str, files: Sequence[PartFile], gone: Sequence[DocId]) -> str:
    """Write a part again without some documents; the new stem."""
    new_stem = f"{crawl.run}{STALE_STEM if STALE_STEM in stem else '-'}cut-{crc32(stem.encode()):08x}"
    record_files(crawl, new_stem, rewrite_part(crawl.output, files, gone, new_stem), stem)
    return new_stem


def bury(crawl: CrawlRun, number: str, entries: Sequence[PlanEntry]) -> str:
    """Tombstones for what is gone; changes for that and for what is adopted. The stem."""
    stem = f"{crawl.run}-gone-{number}"
    gone = tombstones((entry for entry in entries if entry.kind == "gone"), crawl.signature, crawl.started)
    rows = [row for entry in entries for row in change_rows(entry, entry.adopted, crawl.snapshot)]
    return write_changes(crawl, stem, rows, write_table_part(crawl.output, "sources", stem, gone))


def point(crawl: CrawlRun, number: str, twins: Sequence[Twin]) -> tuple[list[str], list[DocId]]:
    """Rows of objects whose bytes were read elsewhere, after the row of the document that was read. Stems, and objects that could not be
    read and keep the rows that they have."""
    stem = f"{crawl.run}{SAME}{number}"
    wanted, parts = {twin.same_as for twin in twins}, {twin.part for twin in twins if twin.part}
    originals = {DocId(str(row["doc_id"])): row for part in sorted(parts) for row in document_rows(crawl.output, part, wanted)}
    files, stale = point_at(crawl.output, stem, twins, originals, crawl.signature, crawl.started)
    kept = {row["doc_id"] for row in stale}
    entries = [twin.entry for twin in twins if twin.entry.doc_id not in kept]
    rows = [row for entry in entries for row in change_rows(entry, [(entry.doc_id, 0)], crawl.snapshot)]
    stems = [write_changes(crawl, stem, rows, files), *write_stale(crawl, f"{crawl.run}{STALE_STEM}same-{number}", stale)]
    return stems, [DocId(str(doc_id)) for doc_id in sorted(map(str, kept))]


def write_stale(crawl: CrawlRun, stem: str, rows: Iterable[Row]) -> list[str]:
    """Write and record a part of `stale`, if it has rows. The stem."""
    table = pa.Table.from_pylist(list(rows), schema=CRAWL_TABLES["stale"])
    if not table.num_rows:
        return []
    record_files(crawl, stem, write_table_part(crawl.output, "stale", stem, table))
    return [stem]
