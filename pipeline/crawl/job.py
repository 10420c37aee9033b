"""One run of a crawl: plan, read what is to be read, commit."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import Final

import apache_beam as beam
import pyarrow as pa
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.on_engine import run_plan, run_work
from pipeline.crawl.plan import PlanSummary, known_states, listing, plan
from pipeline.crawl_graph import crawl_documents
from pipeline.embedded import EMBEDDED_RUNNERS, embedded_options
from schemas.crawl import CRAWL_TABLES, PlanEntry
from schemas.records import DocId, DocumentRef
from transforms.finish_parts import CrawlRun, bury, cut_part, files_uri, record_files
from transforms.snapshots.decide import Policy, change_rows
from transforms.snapshots.delta_log import PartFile, Snapshot, commit, load_snapshot
from transforms.snapshots.duplicates import Duplicates, Twin
from transforms.snapshots.parts import document_rows, part_record_uri, point_at, read_states, whole_parts, write_table_part
from transforms.snapshots.spill import Spill
from transforms.storage.errors import SourceError
from transforms.storage.objects import delete_file, list_files, read_bytes, read_file

#: Tombstones and adopted objects that one part takes.
_ROWS_OF_A_PART: Final = 50_000
#: Parts that one small pipeline writes again.
_CUTS_AT_ONCE: Final = 64
#: Objects with another's bytes that one part takes; each has a whole row of `documents`.
_TWINS_OF_A_PART: Final = 5_000


def new_run_id(now: datetime) -> str:
    """A name that sorts by time and that no other run has."""
    return f"{now:%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}"


class CrawlJob:
    """A run from its start: what the last snapshot shows and what dead runs have left is read here."""

    def __init__(self, config: CrawlConfig, now: datetime | None = None) -> None:
        self.config = config
        self.started = now or datetime.now(UTC)
        self.base = load_snapshot(config.output)
        self.crawl = CrawlRun(config.output, new_run_id(self.started), config.signature(), self.started, self.base.version + 1)
        self.staged = staged_parts(self.base, config.output)
        self.adopted_parts: set[str] = set()
        self.duplicates = Duplicates()
        self.duplicate_count = 0

    @property
    def on_engine(self) -> bool:
        """Whether another runner than the embedded one does the work."""
        runner = PipelineOptions(list(self.config.beam)).view_as(StandardOptions).runner
        return runner is not None and runner not in EMBEDDED_RUNNERS

    def _state_parts(self) -> list[tuple[str, bool]]:
        """The parts of `sources` that the plan joins the listing with."""
        shown = [(file.stem, False) for file in self.base.of("sources")]
        return shown + [(stem, True) for stem, files in sorted(self.staged.items()) if any(file.table == "sources" for file in files)]

    @property
    def policy(self) -> Policy:
        """What the plan holds the last snapshot against."""
        settings = self.config.settings
        return Policy(self.crawl.signature, self.started, self.config.retry_after, int(settings["max_attempts"]), bool(settings["redo"]))

    def plan(self, entries: Spill) -> PlanSummary:
        """List the sources and decide about every object; on an engine the entries stay in files of the output."""
        if self.on_engine:
            return run_plan(self.crawl, self.policy, self.config, self._state_parts())
        known = known_states(self.config.output, self.base, self.staged)
        return plan(listing(self.config.sources), known, self.policy, entries, self.duplicates)

    def withheld(self, summary: PlanSummary, allow_mass_delete: bool) -> str:
        """Why the deletes of a plan are not carried out; empty when they are."""
        gone, settings = summary.kinds["gone"], self.config.settings
        if not gone:
            return ""
        if not summary.complete and not (allow_mass_delete and all(failure.code == "not_found" for _, failure in summary.failures)):
            return f"{len(summary.failures)} sources could not be listed to their end"
        share = gone / max(1, summary.known)
        if gone > int(settings["max_delete_count"]) and share > float(settings["max_delete_share"]) and not allow_mass_delete:
            return f"{gone:,} of {summary.known:,} objects would go, more than {float(settings['max_delete_share']):.0%}; --allow-mass-delete carries it out"
        return ""

    def execute(self, entries: Spill, keep_gone: bool) -> None:
        """Read, cut and bury, as planned; nothing of it shows before the commit. keep_gone: leave gone objects as they are."""
        committed = frozenset(self.base.stems())
        if self.on_engine:
            self.adopted_parts = run_work(self.crawl, self.config, keep_gone, self.base.stems(), self.staged)
            return
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
        for each in self.duplicates.resolve(self._digest):
            if isinstance(each, Twin):
                twins.put("", each)
            else:
                yield each

    def _digest(self, ref: DocumentRef) -> str | None:
        try:
            return sha256(read_bytes(ref, max_bytes=self.config.flags.max_bytes)).hexdigest()
        except SourceError:  # its own reading will tell, in its row
            return None

    def _point(self, twins: Iterable[Twin]) -> None:
        """Rows of objects whose bytes were read elsewhere, beside the row of the document that was read."""
        remaining, number = iter(twins), 0
        while some := list(islice(remaining, _TWINS_OF_A_PART)):
            stem = f"{self.crawl.run}-same-{number:05d}"
            wanted = {twin.same_as for twin in some}
            parts = {twin.part for twin in some if twin.part} | set(whole_parts(self.config.output, self.crawl.run))
            originals = {DocId(str(row["doc_id"])): row for part in sorted(parts) for row in document_rows(self.config.output, part, wanted)}
            files = point_at(self.config.output, stem, some, originals, self.crawl.signature, self.started)
            rows = [row for twin in some for row in change_rows(twin.entry, [(twin.entry.doc_id, 0)], self.crawl.snapshot)]
            files += write_table_part(self.config.output, "changes", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["changes"]))
            record_files(self.crawl, stem, files)
            self.duplicate_count += len(some)
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
        with beam.Pipeline(options=self._options()) as pipeline:
            crawl_documents(pipeline | "Entries" >> beam.Create(entries, reshuffle=False), settings, self.crawl)

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
        if cuts:
            with beam.Pipeline(options=self._options()) as pipeline:
                _ = pipeline | beam.Create(cuts) | "Cut" >> beam.Map(cut_part, self.crawl)

    def commit(self, info: dict[str, object]) -> tuple[int, int, int]:
        """Show what was written. Returns the version and how many files came and went; the old version when there is nothing new.

        Raises:
            transforms.snapshots.delta_log.CommitConflictError: another run was first.
        """
        add, remove = self._actions()
        if not add and not remove:
            return self.base.version, 0, 0
        version = commit(self.config.output, self.base, add, remove, {"run": self.crawl.run, **info})
        for stem in {file.stem for file in add}:
            delete_file(part_record_uri(self.config.output, stem))
        return version, len(add), len(remove)

    def readings(self) -> tuple[dict[str, int], int]:
        """Documents by status, and pages, that this run has read."""
        statuses: Counter[str] = Counter()
        pages = 0
        for stem, files in whole_parts(self.config.output, self.crawl.run).items():
            if not any(file.table == "sources" for file in files):  # a shard that no document fell into
                continue
            for state in read_states(self.config.output, stem):
                statuses[state.status] += 1
                pages += state.page_count
        return dict(sorted(statuses.items())), pages

    def _actions(self) -> tuple[list[PartFile], list[PartFile]]:
        output, stems = self.config.output, self.base.stems()
        add: dict[str, list[PartFile]] = {stem: self.staged[stem] for stem in self.adopted_parts}
        remove: list[PartFile] = []
        for uri in list_files(files_uri(output, self.crawl.run), ".json"):
            record = json.loads(read_file(uri))
            add[uri.rpartition("/")[2].removesuffix(".json")] = [PartFile(**file) for file in record["files"]]
            replaced = record["replaces"]
            if replaced in stems:
                remove += stems[replaced]
            elif replaced:
                add.pop(replaced, None)
        add |= whole_parts(output, self.crawl.run)
        return [file for _, files in sorted(add.items()) for file in files], remove


def staged_parts(base: Snapshot, output: str) -> dict[str, list[PartFile]]:
    """Whole parts that no snapshot shows or has shown: what dead runs, and runs under way, have left."""
    shown = set(base.stems()) | {path.rpartition("/")[2].removesuffix(".parquet") for path in base.removed}
    return {stem: files for stem, files in whole_parts(output).items() if stem not in shown}


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
