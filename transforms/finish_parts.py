"""Parts of a crawl that were written, to parts that a snapshot can show: their `sources` rows, their changes, their record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final
from zlib import crc32

import apache_beam as beam
import pyarrow as pa

from schemas.crawl import CRAWL_TABLES, PlanEntry
from schemas.records import DocId, Row
from transforms.snapshots.decide import change_rows
from transforms.snapshots.delta_log import PartFile
from transforms.snapshots.duplicates import Twin
from transforms.snapshots.parts import document_rows, finish_part, members_of, point_at, rewrite_part, tombstones, write_table_part
from transforms.snapshots.runs import CrawlRun, record_files
from transforms.tables.names import shard_of

_TABLES_OF_A_PART: Final = 4
#: Outputs of `FinishParts`: stems of whole parts, stems of parts of `changes`.
FINISHED: Final = "finished"
CHANGED: Final = "changed"
_ROWS: Final = "rows"


def stem_of(uri: str) -> str:
    """The stem of a part's address."""
    return uri.rpartition("/")[2].removesuffix(".parquet")


def stem_for(doc_id: DocId, prefix: str, shards: int) -> str:
    """The stem of the part that a document's rows go to (see `transforms.tables.parts`)."""
    return f"{prefix}-{shard_of(doc_id, shards):05d}-of-{shards:05d}"


def finish(keyed: tuple[str, dict[str, Iterable[Any]]], crawl: CrawlRun) -> Iterator[Any]:
    """Finish one part; gives its `sources` rows by the object they belong to, and its stem."""
    stem, sides = keyed
    if len(list(sides["written"])) < _TABLES_OF_A_PART:
        return
    notes = {note.doc_id: note for note in sides["notes"]}
    for row in finish_part(crawl.output, stem, notes, crawl.signature, crawl.started):
        yield DocId(str(row["root_doc_id"])), {"doc_id": row["doc_id"], "page_count": row["page_count"]}
    yield beam.pvalue.TaggedOutput(FINISHED, stem)


def changes(keyed: tuple[DocId, dict[str, Iterable[Any]]], snapshot: int) -> list[Row]:
    """The rows of `changes` of one object that was read."""
    after = members_of(keyed[1]["rows"])
    return [row for note in keyed[1]["notes"] for row in change_rows(note, after, snapshot)]


def write_changes(keyed: tuple[str, Iterable[list[Row]]], crawl: CrawlRun) -> str:
    """Write and record one part of `changes`."""
    stem, groups = keyed
    rows = pa.Table.from_pylist([row for group in groups for row in group], schema=CRAWL_TABLES["changes"])
    record_files(crawl, stem, write_table_part(crawl.output, "changes", stem, rows))
    return stem


def cut_part(cut: tuple[str, list[PartFile], list[DocId]], crawl: CrawlRun) -> str:
    """Write a part again without some documents, and record it."""
    stem, files, gone = cut
    new_stem = f"{crawl.run}-cut-{crc32(stem.encode()):08x}"
    record_files(crawl, new_stem, rewrite_part(crawl.output, files, gone, new_stem), stem)
    return new_stem


def bury(crawl: CrawlRun, stem: str, entries: Sequence[PlanEntry]) -> None:
    """Tombstones for what is gone; changes for that and for what is adopted."""
    gone = tombstones((entry for entry in entries if entry.kind == "gone"), crawl.signature, crawl.started)
    rows = [row for entry in entries for row in change_rows(entry, entry.adopted, crawl.snapshot)]
    files = write_table_part(crawl.output, "sources", stem, gone)
    files += write_table_part(crawl.output, "changes", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["changes"]))
    record_files(crawl, stem, files)


def point(crawl: CrawlRun, stem: str, twins: Sequence[Twin], parts: Collection[str]) -> None:
    """Rows of objects whose bytes were read elsewhere, beside the row of the document that was read. parts: where the documents' rows are."""
    wanted = {twin.same_as for twin in twins}
    originals = {DocId(str(row["doc_id"])): row for part in sorted(parts) for row in document_rows(crawl.output, part, wanted)}
    files = point_at(crawl.output, stem, twins, originals, crawl.signature, crawl.started)
    rows = [row for twin in twins for row in change_rows(twin.entry, [(twin.entry.doc_id, 0)], crawl.snapshot)]
    files += write_table_part(crawl.output, "changes", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["changes"]))
    record_files(crawl, stem, files)


class FinishParts(beam.PTransform[object, object]):
    """Addresses of written parts, and the plan's entries they were read for, to the stems of whole parts and of parts of `changes`."""

    def __init__(self, crawl: CrawlRun, part_prefix: str, shards: int) -> None:
        super().__init__()
        self._crawl = crawl
        self._prefix = part_prefix
        self._shards = shards

    def expand(self, sides: dict[str, beam.PCollection[object]]) -> dict[str, beam.PCollection[Any]]:
        """Bring a part's files and notes together, then an object's rows and note."""
        crawl, prefix, shards = self._crawl, self._prefix, self._shards
        written = sides["written"] | "Stem" >> beam.Map(lambda uri: (stem_of(uri), uri))
        placed = sides["notes"] | "Place" >> beam.Map(lambda note: (stem_for(note.doc_id, prefix, shards), note))
        rows = {"written": written, "notes": placed} | "By part" >> beam.CoGroupByKey()
        finished = rows | "Finish" >> beam.FlatMap(finish, crawl).with_outputs(FINISHED, main=_ROWS)
        noted = sides["notes"] | "Object" >> beam.Map(lambda note: (note.doc_id, note))
        written_changes = (
            {"rows": finished[_ROWS], "notes": noted}
            | "By object" >> beam.CoGroupByKey()
            | "Changes" >> beam.Map(lambda keyed: (f"{prefix}-changes-{crc32(keyed[0].encode()) % shards:05d}", changes(keyed, crawl.snapshot)))
            | "Gather" >> beam.GroupByKey()
            | "Write" >> beam.Map(write_changes, crawl)
        )
        return {FINISHED: finished[FINISHED], CHANGED: written_changes}
