"""The Beam steps that complete the Parquet files which a crawl has written for the documents it read (see `finish`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Final, TypedDict

import apache_beam as beam

from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.pipeline.crawl.write import finish_stem, object_changes, placed, write_changes
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import TABLE_NAMES, DocId, Failure, Row
from pdfmill.transforms.steps.write_tables import shards_beside
from pdfmill.transforms.storage.access import carrying
from pdfmill.transforms.tables.output_layout import shard_of
from pdfmill.transforms.tables.shards import ShardCounts
from pdfmill.transforms.tables.write_summary import Written

PLACED: Final = "placed"
CHANGED: Final = "changed"
_ROWS: Final = "rows"


class WrittenParts(TypedDict):
    """The input of `FinishParts`: records of written Parquet files, and the plan entries (`notes`) of the objects that they contain."""

    written: beam.PCollection[Written]
    notes: beam.PCollection[PlanEntry]


class FinishedParts(TypedDict):
    """The output of `FinishParts`. placed: (document id, stem of the files with its rows, or failure of a document that keeps its old
    rows). changed: stems of the files of the table `changes`."""

    placed: beam.PCollection[tuple[DocId, str | Failure]]
    changed: beam.PCollection[str]


def stem_of(uri: str) -> str:
    """Return the stem (file name without suffix) in a file's address."""
    return uri.rpartition("/")[2].removesuffix(".parquet")


def stem_for(doc_id: DocId, prefix: str, shards: int) -> str:
    """Return the stem (file name without suffix) of the Parquet files for a document's rows. prefix: of this run. shards: files per
    table."""
    return f"{prefix}-{shard_of(doc_id, shards):05d}-of-{shards:05d}"


def change_stem(doc_id: DocId, prefix: str, shards: int) -> str:
    """Return the stem (file name without suffix) of the file of `changes` for an object's rows. prefix: of this run. shards: files per
    table."""
    return f"{prefix}-changes-{shard_of(doc_id, shards):05d}"


def finish(keyed: tuple[str, dict[str, Iterable[Any]]], crawl: CrawlRun) -> Iterator[Any]:
    """Complete the Parquet files with one stem (name without suffix) if the files of all tables are written, else do nothing.
    keyed: the stem, the addresses of the files (`written`) and the plan entries of the objects in them (`notes`).
    Yields for each object its id, and id, page count and changed texts of each document in it, or None if it keeps its old rows; then, as
    tagged outputs, (document id, stem or failure)."""
    stem, sides = keyed
    if len(list(sides["written"])) < len(TABLE_NAMES):
        return
    finished = finish_stem(crawl, stem, sides["notes"])
    for row in finished.sources:
        told = {"doc_id": row["doc_id"], "page_count": row["page_count"], "texts": finished.texts.get(DocId(str(row["doc_id"])))}
        yield row["root_doc_id"], told
    for row in finished.stale:
        yield row["doc_id"], None
    yield from (beam.pvalue.TaggedOutput(PLACED, pair) for pair in placed(finished, stem))


def changes(keyed: tuple[DocId, dict[str, Iterable[Any]]], snapshot: int) -> list[Row]:
    """Return the rows of the table `changes` for one object that was read; [] if it keeps its old rows.
    keyed: its id, its plan entry (`notes`), and what `finish` yields for it (`rows`). snapshot: the version that will contain the rows."""
    rows = list(keyed[1]["rows"])
    if None in rows:
        return []
    texts = {row["doc_id"]: row["texts"] for row in rows if row["texts"] is not None}
    return object_changes(keyed[1]["notes"], rows, snapshot, texts)


def _write_changes(crawl: CrawlRun, stem: str, groups: Iterable[Iterable[Row]]) -> str:
    return write_changes(crawl, stem, chain.from_iterable(groups))


@beam.typehints.with_input_types(written=Written, notes=PlanEntry)
class FinishParts(beam.PTransform[WrittenParts, FinishedParts]):
    """Complete the written Parquet files by their rows of the tables `sources` and `changes`, so that a snapshot can contain them."""

    def __init__(self, crawl: CrawlRun, part_prefix: str, shards: int | beam.PCollection[ShardCounts]) -> None:
        """Make the transform. part_prefix: of the files' names. shards: number of files per table, or a collection with the result of
        `CountShards`."""
        super().__init__()
        self._crawl = crawl
        self._prefix = part_prefix
        self._shards = shards

    def expand(self, sides: WrittenParts) -> FinishedParts:
        """Group files and plan entries by stem to complete them, then rows and plan entries by object to write `changes`."""
        crawl, prefix = self._crawl, self._prefix
        beside = (self._shards,) if isinstance(self._shards, int) else shards_beside(self._shards)
        written = sides["written"] | "Stem" >> beam.FlatMap(lambda each: [(stem_of(part.uri), part.uri) for part in each.parts])
        notes = sides["notes"] | "Place" >> beam.Map(lambda note, shards: (stem_for(note.doc_id, prefix, shards[0]), note), beside)
        rows = {"written": written, "notes": notes} | "By part" >> beam.CoGroupByKey()
        finished = rows | "Finish" >> beam.FlatMap(carrying(finish), crawl).with_outputs(PLACED, main=_ROWS)
        noted = sides["notes"] | "Object" >> beam.Map(lambda note: (note.doc_id, note))
        written_changes = (
            {"rows": finished[_ROWS], "notes": noted}
            | "By object" >> beam.CoGroupByKey()
            | "Changes"
            >> beam.Map(lambda keyed, shards: (change_stem(keyed[0], prefix, shards[0]), changes(keyed, crawl.snapshot)), beside)
            | "Gather" >> beam.GroupByKey()
            | "Write" >> beam.MapTuple(carrying(partial(_write_changes, crawl)))
        )
        return {PLACED: finished[PLACED], CHANGED: written_changes}
