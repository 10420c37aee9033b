"""The road of a crawl: the plan, what it reads through the main job's road, and the parts that a snapshot can show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any

import apache_beam as beam

from pipeline.crawl.plan import PlanSummary
from pipeline.graph import index_documents
from schemas.crawl import KINDS, PlanEntry
from schemas.records import DocId, DocumentRef
from transforms.finish_parts import CHANGED, FINISHED, FinishParts, bury, cut_part, point, stem_for
from transforms.plan_crawl import CANDIDATES, COUNTS, ENTRIES, FAILED, KNOWN, PlanCrawl, ReadOnce
from transforms.settings import JobSettings
from transforms.snapshots.decide import Policy
from transforms.snapshots.delta_log import PartFile, load_snapshot
from transforms.snapshots.duplicates import Twin
from transforms.snapshots.parts import whole_parts
from transforms.snapshots.runs import SAME, CrawlRun
from transforms.steps.redistribute import Redistribute

#: What is done with the summary of the plan and the stems of adopted parts when everything is written.
AtEnd = Callable[[int, PlanSummary, list[str]], None]


def crawl_documents(entries: beam.PCollection[PlanEntry], settings: JobSettings, crawl: CrawlRun) -> dict[str, beam.PCollection[Any]]:
    """Entries of kinds that are read to parts, which are recorded in the output; see `FinishParts`."""
    refs = entries | "References" >> beam.Map(attrgetter("ref")) | "Redistribute" >> Redistribute(attrgetter("place"), attrgetter("uri"))
    written = index_documents(refs, settings)
    sides = {"written": written, "notes": entries}
    done: dict[str, beam.PCollection[Any]] = sides | "FinishParts" >> FinishParts(crawl, settings.write.part_prefix, settings.write.shards)
    return done


def plan_sources(sources: beam.PCollection[str], crawl: CrawlRun, policy: Policy) -> tuple[dict[str, Any], beam.PCollection[PlanSummary]]:
    """The plan, and the one element that sums it up."""
    planned = sources | "PlanCrawl" >> PlanCrawl(crawl, policy)
    totals = planned[COUNTS] | "Totals" >> beam.CombinePerKey(sum) | "All totals" >> beam.combiners.ToList()
    return planned, totals | "Summary" >> beam.Map(_summary, beam.pvalue.AsList(planned[FAILED]))


def crawl_sources(sources: beam.PCollection[str], settings: JobSettings, crawl: CrawlRun, policy: Policy, at_end: AtEnd) -> None:
    """A whole run as one job: plan, read, cut, and at its end, when all is written, whatever `at_end` does."""
    planned, summary = plan_sources(sources, crawl, policy)
    entries = planned[ENTRIES] | "Deletes" >> beam.Map(_withheld, beam.pvalue.AsSingleton(summary), policy, crawl)
    once = {name: planned[name] for name in (CANDIDATES, KNOWN)} | "ReadOnce" >> ReadOnce(settings.read.max_bytes)
    to_read = once | "Entries of once" >> beam.Filter(lambda each: isinstance(each, PlanEntry))
    reading = (entries | "To read" >> beam.Filter(lambda entry: entry.ref is not None), to_read) | "Readings" >> beam.Flatten()
    done = crawl_documents(reading, settings, crawl)

    shards = settings.write.shards
    others = entries | "Others" >> beam.Filter(lambda entry: entry.ref is None and entry.kind)
    buried = others | "Place others" >> beam.Map(lambda entry: (int(entry.doc_id[:6], 16) % shards, entry)) | "Gather others" >> beam.GroupByKey()
    prefix = settings.write.part_prefix
    twins = once | "Twins" >> beam.Filter(lambda each: isinstance(each, Twin)) | "By original" >> beam.Map(_by_original, prefix, shards)
    finished = done[FINISHED] | "By stem" >> beam.Map(lambda stem: (stem, None))
    pointed = {"twins": twins, "finished": finished} | "Join originals" >> beam.CoGroupByKey() | "Point" >> beam.FlatMap(_point, crawl)

    compared = planned[CANDIDATES] | "Compared" >> beam.Values()
    planned_entries = (entries, compared) | "Planned" >> beam.Flatten()
    adopted = planned_entries | "Adopted" >> beam.FlatMap(attrgetter("adopted_parts")) | "Adopted once" >> beam.Distinct()
    drops = planned_entries | "Drops" >> beam.FlatMap(attrgetter("drops"))
    losing = {"drops": drops, "adopted": adopted | "By part" >> beam.Map(lambda stem: (stem, None))} | "Join parts" >> beam.CoGroupByKey()
    cut = losing | "Cut" >> beam.FlatMap(_cut, crawl)

    everything = (done[CHANGED], buried | "Bury" >> beam.Map(_bury, crawl), pointed, cut) | "Everything" >> beam.Flatten()
    count = everything | "Whole" >> beam.combiners.Count.Globally()
    _ = count | "End" >> beam.Map(at_end, beam.pvalue.AsSingleton(summary), beam.pvalue.AsList(adopted))


def _summary(totals: Iterable[tuple[str, int]], failed: Iterable[DocumentRef]) -> PlanSummary:
    counted = dict(totals)
    summary = PlanSummary(counted.get("listed", 0), counted.get("known", 0), bytes_to_read=counted.get("bytes", 0))
    summary.kinds.update({kind: counted[kind] for kind in KINDS if counted.get(kind)})
    summary.failures = sorted(((ref.uri, ref.failure) for ref in failed if ref.failure is not None), key=lambda each: each[0])
    return summary


def _withheld(entry: PlanEntry, summary: PlanSummary, policy: Policy, crawl: CrawlRun) -> PlanEntry:
    return entry.without_delete(frozenset(_parts(crawl))) if entry.kind == "gone" and summary.withheld(policy) else entry


@cache
def _parts(crawl: CrawlRun) -> dict[str, list[PartFile]]:
    """The files of the snapshot that the run began with, by stem; read once in each process."""
    return load_snapshot(crawl.output, crawl.snapshot - 1).stems()


def _bury(keyed: tuple[int, Iterable[PlanEntry]], crawl: CrawlRun) -> str:
    stem = f"{crawl.run}-gone-{keyed[0]:05d}"
    bury(crawl, stem, sorted(keyed[1], key=lambda entry: entry.doc_id))
    return stem


def _by_original(twin: Twin, prefix: str, shards: int) -> tuple[str, Twin]:
    return twin.part or stem_for(twin.same_as, prefix, shards), twin


def _point(keyed: tuple[str, dict[str, Iterable[Any]]], crawl: CrawlRun) -> Iterator[str]:
    part, twins = keyed[0], sorted(keyed[1]["twins"], key=lambda twin: twin.entry.doc_id)
    if twins:
        point(crawl, f"{crawl.run}{SAME}{part}", twins, [part])
        yield part


def _cut(keyed: tuple[str, dict[str, Iterable[Any]]], crawl: CrawlRun) -> Iterator[str]:
    """A part of a dead run that nothing is adopted from needs none of it."""
    part, gone = keyed[0], sorted(DocId(doc_id) for doc_id in keyed[1]["drops"])
    files = _parts(crawl).get(part) or (whole_parts(crawl.output, part).get(part) if any(True for _ in keyed[1]["adopted"]) else None)
    if gone and files:
        yield cut_part((part, files, gone), crawl)
