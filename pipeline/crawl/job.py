"""One run of a crawl in this process: plan, read what is to be read, commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.plan import PlanSummary, known_states, listing, plan
from pipeline.crawl_graph import crawl_documents
from pipeline.embedded import embedded_options, run_to_end
from schemas.crawl import PlanEntry
from schemas.records import DocId
from transforms.finish_parts import bury, cut_part, point
from transforms.snapshots.delta_log import PartFile, load_snapshot
from transforms.snapshots.duplicates import Duplicates, Twin, digest
from transforms.snapshots.names import new_run_id
from transforms.snapshots.parts import whole_parts
from transforms.snapshots.runs import SAME, CrawlRun, Written, staged_parts, written
from transforms.snapshots.spill import Spill

#: Tombstones and adopted objects that one part takes.
_ROWS_OF_A_PART: Final = 50_000
#: Parts that one small pipeline writes again.
_CUTS_AT_ONCE: Final = 64
#: Objects with another's bytes that one part takes; each has a whole row of `documents`.
_TWINS_OF_A_PART: Final = 5_000


class CrawlJob:
    """A run from its start: what the last snapshot shows and what dead runs have left is read here."""

    def __init__(self, config: CrawlConfig, now: datetime | None = None) -> None:
        self.config = config
        self.base = load_snapshot(config.output)
        self.crawl = new_run(config, self.base.version, now)
        self.staged = staged_parts(self.base, config.output)
        self.adopted_parts: set[str] = set()
        self.duplicates = Duplicates()

    def plan(self, entries: Spill) -> PlanSummary:
        """List the sources and decide about every object."""
        known = known_states(self.config.output, self.base, self.staged)
        return plan(listing(self.config.sources), known, self.config.policy(self.crawl), entries, self.duplicates)

    def execute(self, entries: Spill, keep_gone: bool) -> None:
        """Read, cut and bury, as planned; nothing of it shows before the commit. keep_gone: leave gone objects as they are."""
        committed = frozenset(self.base.stems())
        with Spill() as cuts, Spill(1) as others, Spill(1) as twins:
            to_read = self._once(self._entries(entries, keep_gone, committed, cuts, others), twins)
            for batch in _read_batches(to_read, self.config):
                self._read(batch)
            self._point(twins.all())
            self._bury(others.all())
            self._cut(cuts)

    def _once(self, entries: Iterable[PlanEntry], twins: Spill) -> Iterator[PlanEntry]:
        """The entries that are read; those whose bytes are another's go to `twins`."""
        for entry in entries:
            if not self.duplicates.reads(entry):
                yield entry
        for each in self.duplicates.resolve(lambda ref: digest(ref, self.config.flags.max_bytes)):
            if isinstance(each, Twin):
                twins.put("", each)
            else:
                yield each

    def _point(self, twins: Iterable[Twin]) -> None:
        remaining, number = iter(twins), 0
        while some := list(islice(remaining, _TWINS_OF_A_PART)):
            parts = {twin.part for twin in some if twin.part} | set(whole_parts(self.config.output, self.crawl.run))
            point(self.crawl, f"{self.crawl.run}{SAME}{number:05d}", some, parts)
            number += 1

    def _entries(self, entries: Spill, keep_gone: bool, committed: frozenset[str], cuts: Spill, others: Spill) -> Iterator[PlanEntry]:
        for entry in (entry for share in entries.shares() for entry in sorted(share, key=lambda each: each.uri)):
            if entry.kind == "gone" and keep_gone:
                entry = entry.without_delete(committed)
            for part, doc_id in entry.drops:
                cuts.put(part, (part, doc_id))
            self.adopted_parts.update(entry.adopted_parts)
            if entry.ref is not None:
                yield entry
            elif entry.kind:
                others.put("", entry)

    def _read(self, batch: tuple[int, list[PlanEntry]]) -> None:
        number, entries = batch
        settings = self.config.job(f"{self.crawl.run}-{number:05d}", 1)

        def run() -> None:
            with beam.Pipeline(options=self._options()) as pipeline:
                crawl_documents(pipeline | "Entries" >> beam.Create(entries, reshuffle=False), settings, self.crawl)

        run_to_end(run, len(entries))

    def _options(self) -> PipelineOptions:
        return embedded_options(self.config.beam, self.config.flags.workers)

    def _bury(self, entries: Iterable[PlanEntry]) -> None:
        """Tombstones for what is gone; changes for that and for what is adopted."""
        remaining, number = iter(entries), 0
        while some := list(islice(remaining, _ROWS_OF_A_PART)):
            bury(self.crawl, f"{self.crawl.run}-gone-{number:05d}", some)
            number += 1

    def _cut(self, cuts: Spill) -> None:
        """Parts that lose documents, written again; a part of a dead run that nothing is adopted from needs none of it."""
        stems = self.base.stems()
        waiting: list[tuple[str, list[PartFile], list[DocId]]] = []
        for share in cuts.shares():
            gone: dict[str, list[DocId]] = {}
            for part, doc_id in share:
                gone.setdefault(part, []).append(doc_id)
            waiting += [(part, stems.get(part) or self.staged[part], ids) for part, ids in sorted(gone.items()) if part in stems or part in self.adopted_parts]
            if len(waiting) >= _CUTS_AT_ONCE:
                self._cut_some(waiting)
                waiting = []
        self._cut_some(waiting)

    def _cut_some(self, cuts: list[tuple[str, list[PartFile], list[DocId]]]) -> None:
        def run() -> None:
            with beam.Pipeline(options=self._options()) as pipeline:
                _ = pipeline | beam.Create(cuts) | "Cut" >> beam.Map(cut_part, self.crawl)

        if cuts:
            run_to_end(run, sum(len(gone) for _, _, gone in cuts))

    def written(self) -> Written:
        """What is to be shown."""
        return written(self.crawl, self.base, self.adopted_parts)


def new_run(config: CrawlConfig, base_version: int, now: datetime | None = None) -> CrawlRun:
    """A run that begins now."""
    started = now or datetime.now(UTC)
    return CrawlRun(config.output, new_run_id(started), config.signature(), started, base_version + 1)


def _read_batches(entries: Iterable[PlanEntry], config: CrawlConfig) -> Iterator[tuple[int, list[PlanEntry]]]:
    """Entries bounded in number and listed size, numbered."""
    flags = config.flags
    batch: list[PlanEntry] = []
    size = number = 0
    for entry in entries:
        if batch and (len(batch) >= flags.batch_documents or size + (entry.size or 0) > flags.batch_bytes):
            yield number, batch
            batch, size, number = [], 0, number + 1
        batch.append(entry)
        size += entry.size or 0
    if batch:
        yield number, batch
