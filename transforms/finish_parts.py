"""Parts of a crawl that were written, to parts that a snapshot can show: their `sources` rows, their changes, their record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from zlib import crc32

import apache_beam as beam
import pyarrow as pa

from schemas.crawl import CRAWL_TABLES, PlanEntry
from schemas.records import DocId, Row
from transforms.snapshots.decide import change_rows
from transforms.snapshots.delta_log import PartFile
from transforms.snapshots.parts import OWN, finish_part, members_of, rewrite_part, tombstones, write_table_part
from transforms.storage.objects import join_uri, write_bytes

_TABLES_OF_A_PART: Final = 4


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """What the steps of a run must know. run: its id, with which all its names begin. snapshot: the version it will make."""

    output: str
    run: str
    signature: str
    started: datetime
    snapshot: int


def files_uri(output: str, run: str) -> str:
    """Folder of the records of what a run wrote beside whole parts."""
    return join_uri(output, f"{OWN}/runs/{run}/files")


def record_files(crawl: CrawlRun, name: str, files: Iterable[PartFile], replaces: str | None = None) -> None:
    """Say what was written; replaces: the stem whose files these stand for."""
    record = {"files": [asdict(file) for file in files], "replaces": replaces}
    write_bytes(join_uri(files_uri(crawl.output, crawl.run), f"{name}.json"), json.dumps(record).encode())


def stem_of(uri: str) -> str:
    """The stem of a part's address."""
    return uri.rpartition("/")[2].removesuffix(".parquet")


def stem_for(doc_id: DocId, prefix: str, shards: int) -> str:
    """The stem of the part that a document's rows go to (see `transforms.write_tables`)."""
    return f"{prefix}-{crc32(doc_id.encode()) % shards:05d}-of-{shards:05d}"


def finish(keyed: tuple[str, dict[str, Iterable[Any]]], crawl: CrawlRun) -> Iterator[tuple[DocId, Row]]:
    """Finish one part; gives its `sources` rows by the object they belong to."""
    stem, sides = keyed
    if len(list(sides["written"])) < _TABLES_OF_A_PART:
        return
    notes = {note.doc_id: note for note in sides["notes"]}
    for row in finish_part(crawl.output, stem, notes, crawl.signature, crawl.started):
        yield DocId(str(row["root_doc_id"])), {"doc_id": row["doc_id"], "page_count": row["page_count"]}


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


class FinishParts(beam.PTransform[object, str]):
    """Addresses of written parts, and the plan's entries they were read for, to the stems of the parts of `changes`."""

    def __init__(self, crawl: CrawlRun, part_prefix: str, shards: int) -> None:
        super().__init__()
        self._crawl = crawl
        self._prefix = part_prefix
        self._shards = shards

    def expand(self, sides: dict[str, beam.PCollection[object]]) -> beam.PCollection[str]:
        """Bring a part's files and notes together, then an object's rows and note."""
        crawl, prefix, shards = self._crawl, self._prefix, self._shards
        written = sides["written"] | "Stem" >> beam.Map(lambda uri: (stem_of(uri), uri))
        placed = sides["notes"] | "Place" >> beam.Map(lambda note: (stem_for(note.doc_id, prefix, shards), note))
        rows = {"written": written, "notes": placed} | "By part" >> beam.CoGroupByKey() | "Finish" >> beam.FlatMap(finish, crawl)
        noted = sides["notes"] | "Object" >> beam.Map(lambda note: (note.doc_id, note))
        return (
            {"rows": rows, "notes": noted}
            | "By object" >> beam.CoGroupByKey()
            | "Changes" >> beam.Map(lambda keyed: (f"{prefix}-changes-{crc32(keyed[0].encode()) % shards:05d}", changes(keyed, crawl.snapshot)))
            | "Gather" >> beam.GroupByKey()
            | "Write" >> beam.Map(write_changes, crawl)
        )
