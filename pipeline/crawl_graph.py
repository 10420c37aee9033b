"""The road of a crawl: what the plan reads, through the main job's road, to parts that a snapshot can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter

import apache_beam as beam

from pipeline.graph import index_documents
from schemas.crawl import PlanEntry
from schemas.records import DocId
from transforms.finish_parts import CrawlRun, FinishParts, bury, cut_part
from transforms.plan_crawl import read_plan
from transforms.redistribute import Redistribute
from transforms.settings import JobSettings
from transforms.snapshots.delta_log import PartFile


def crawl_documents(entries: beam.PCollection[PlanEntry], settings: JobSettings, crawl: CrawlRun) -> beam.PCollection[str]:
    """Entries of kinds that are read to the stems of the parts of `changes`; the parts themselves are recorded in the output."""
    refs = entries | "References" >> beam.Map(attrgetter("ref")) | "Redistribute" >> Redistribute(attrgetter("place"), attrgetter("uri"))
    written = index_documents(refs, settings)
    return {"written": written, "notes": entries} | "FinishParts" >> FinishParts(crawl, settings.write.part_prefix, settings.write.shards)


def crawl_plan(
    plan_files: beam.PCollection[str],
    settings: JobSettings,
    crawl: CrawlRun,
    parts: Mapping[str, list[PartFile]],
    kept: frozenset[str] | None,
) -> None:
    """All that a plan in files asks for, in one pipeline.

    parts: the files of every part that may lose documents, by stem. kept: stems of the last snapshot when gone objects are to be left
    as they are, else None.
    """
    entries = plan_files | "Read plan" >> beam.FlatMap(_entries, kept)
    crawl_documents(entries | "To read" >> beam.Filter(lambda entry: entry.ref is not None), settings, crawl)
    others = entries | "Others" >> beam.Filter(lambda entry: entry.ref is None and entry.kind)
    shards = settings.write.shards
    placed = others | "Place others" >> beam.Map(lambda entry: (int(entry.doc_id[:6], 16) % shards, entry))
    _ = placed | "Gather others" >> beam.GroupByKey() | "Bury" >> beam.Map(_bury, crawl)
    drops = entries | "Drops" >> beam.FlatMap(attrgetter("drops")) | "By part" >> beam.GroupByKey()
    _ = drops | "Cut" >> beam.FlatMap(_cut, parts, crawl)


def _entries(uri: str, kept: frozenset[str] | None) -> Iterator[PlanEntry]:
    for _, entry in read_plan(uri):
        if isinstance(entry, PlanEntry):
            yield entry.without_delete(kept) if kept is not None and entry.kind == "gone" else entry


def _bury(keyed: tuple[int, Iterable[PlanEntry]], crawl: CrawlRun) -> None:
    bury(crawl, f"{crawl.run}-gone-{keyed[0]:05d}", sorted(keyed[1], key=lambda entry: entry.doc_id))


def _cut(keyed: tuple[str, Iterable[DocId]], parts: Mapping[str, list[PartFile]], crawl: CrawlRun) -> Iterator[str]:
    if keyed[0] in parts:
        yield cut_part((keyed[0], parts[keyed[0]], sorted(keyed[1])), crawl)
