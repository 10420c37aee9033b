"""One run of a crawl: plan, read what is to be read, commit; in this process, or as one job on an engine."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from typing import Any

import apache_beam as beam

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.report import RunReport, new_report, report_uri
from pipeline.embedded import embedded_options, run_to_end
from pipeline.engine import SHARDS, new_pipeline
from pipeline.engine import run_to_end as run_job
from pipeline.graph import index_documents
from schemas.crawl import PlanEntry
from transforms.find_documents import Sources
from transforms.finish_parts import CHANGED, PLACED, FinishParts, stem_for
from transforms.flow_on_beam import BeamFlow, Pairs
from transforms.redistribute import Redistribute
from transforms.settings import JobSettings
from transforms.snapshots.decide import Policy
from transforms.snapshots.delta_log import load_snapshot
from transforms.snapshots.disk import DiskFlow, DiskItems
from transforms.snapshots.names import new_run_id
from transforms.snapshots.parts import OWN
from transforms.snapshots.plan import Planned, PlanSummary, base_of, carry_out, plan
from transforms.snapshots.runs import CrawlRun, Written, forget_records, written
from transforms.storage.objects import exists, join_uri, read_file, write_bytes

#: Objects of each kind that a plan shows by name.
SHOWN = 20


def begin(config: CrawlConfig, now: datetime | None = None) -> tuple[CrawlRun, RunReport]:
    """A run, and its report before anything is known."""
    started = now or datetime.now(UTC)
    crawl = CrawlRun(config.output, new_run_id(started), config.signature(), started, load_snapshot(config.output).version + 1)
    return crawl, new_report(crawl, config)


def read_documents(entries: beam.PCollection[PlanEntry], settings: JobSettings, crawl: CrawlRun) -> dict[str, beam.PCollection[Any]]:
    """Entries of kinds that are read to parts, which are recorded in the output; see `FinishParts`."""
    refs = entries | "References" >> beam.Map(attrgetter("ref")) | "Redistribute" >> Redistribute(attrgetter("place"), attrgetter("uri"))
    sides = {"written": index_documents(refs, settings), "notes": entries}
    done: dict[str, beam.PCollection[Any]] = sides | "FinishParts" >> FinishParts(crawl, settings.write.part_prefix, settings.write.shards)
    return done


def run_here(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool) -> RunReport:
    """The run in this process, and its report.

    Raises:
        pipeline.engine.JobFailedError, transforms.storage.errors.SourceError: it came to no end; what was read is adopted by the next run.
    """
    policy = config.policy(crawl, allow_mass_delete=allow_mass_delete)
    with DiskFlow() as flow:
        with _timed(report, "plan"):
            planned = _plan_on_disk(flow, config, crawl, policy)
        report.planned(planned.summary.value, policy)
        with _timed(report, "read"):
            read = partial(_read_batches, flow, config, crawl)
            flags = config.flags
            _, shown = carry_out(flow, planned, crawl, policy, read, max_bytes=flags.max_bytes, cuts_at_once=flags.workers)
        with _timed(report, "commit"):
            everything = _commit(list(shown.pairs()), planned.summary.value, crawl, policy, report)
            if report.outcome == "committed":
                forget_records(crawl, everything)
    return report


def _plan_on_disk(flow: DiskFlow, config: CrawlConfig, crawl: CrawlRun, policy: Policy) -> Planned[DiskItems]:
    return plan(flow, flow.given("sources", ((source, source) for source in config.sources)), crawl, policy)


def _read_batches(flow: DiskFlow, config: CrawlConfig, crawl: CrawlRun, entries: DiskItems) -> tuple[DiskItems, DiskItems]:
    return flow.given("placed", _placed(config, crawl, entries)), flow.given("changed", ())


def _placed(config: CrawlConfig, crawl: CrawlRun, entries: DiskItems) -> Iterator[tuple[str, str]]:
    """Read entries batch after batch; rows of one file, which are in one share, one after the other."""
    options = embedded_options(config.beam, config.flags.workers)
    ordered = (entry for share in entries.shares() for entry in sorted((entry for _, entry in share), key=attrgetter("uri")))
    for number, batch in enumerate(_batches(ordered, config.flags.batch_documents, config.flags.batch_bytes)):
        settings = config.job(f"{crawl.run}-{number:05d}", 1)

        def run(batch: list[PlanEntry] = batch, settings: JobSettings = settings) -> None:
            with beam.Pipeline(options=options) as pipeline:
                read_documents(pipeline | "Entries" >> beam.Create(batch, reshuffle=False), settings, crawl)

        run_to_end(run, len(batch))
        yield from ((entry.doc_id, stem_for(entry.doc_id, settings.write.part_prefix, 1)) for entry in batch)


def _batches(entries: Iterable[PlanEntry], max_documents: int, max_bytes: int) -> Iterator[list[PlanEntry]]:
    """Entries bounded in number and listed size."""
    batch: list[PlanEntry] = []
    size = 0
    for entry in entries:
        if batch and (len(batch) >= max_documents or size + (entry.size or 0) > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += entry.size or 0
    if batch:
        yield batch


def _commit(shown: Iterable[tuple[str, str]], summary: PlanSummary, crawl: CrawlRun, policy: Policy, report: RunReport) -> Written:
    """Show what was written, and have the report say so. shown: parts of dead runs, by stem."""
    base = base_of(crawl)
    everything = written(crawl, base, {stem for stem, _ in shown})
    report.planned(summary, policy)
    report.committed(crawl, base, everything)
    return everything


def build_job(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool, runner: Any = None) -> beam.Pipeline:
    """The run as one job that plans, reads, commits and leaves its report in the output; not yet running. runner: instead of the one
    that the configuration names."""
    pipeline = new_pipeline(config.beam, runner)
    flow, policy = BeamFlow(pipeline), config.policy(crawl, allow_mass_delete=allow_mass_delete)
    settings = config.job(f"{crawl.run}-00000", config.flags.shards or SHARDS)
    planned = _plan_on_beam(flow, pipeline, config, crawl, policy)

    def read(entries: Pairs) -> tuple[Pairs, Pairs]:
        done = read_documents(entries | "To read" >> beam.Values(), settings, crawl)
        return done[PLACED], done[CHANGED] | "Changed" >> beam.Map(lambda stem: (stem, stem))

    done, shown = carry_out(flow, planned, crawl, policy, read, max_bytes=settings.read.max_bytes, cuts_at_once=1)
    flow.one("commit", partial(_commit_job, crawl=crawl, policy=policy, report=report), done, shown, seen=planned.summary)
    return pipeline


def _plan_on_beam(flow: BeamFlow, pipeline: beam.Pipeline, config: CrawlConfig, crawl: CrawlRun, policy: Policy) -> Planned[Pairs]:
    return plan(flow, pipeline | "Sources" >> Sources(config.sources) | "By name" >> beam.Map(lambda source: (source, source)), crawl, policy)


def _commit_job(_: object, shown: list[tuple[str, str]], summary: PlanSummary, crawl: CrawlRun, policy: Policy, report: RunReport) -> None:
    """When all is written: commit and leave the report; a step that is tried again meets its own commit and says the same."""
    if exists(report_uri(crawl.output, crawl.run)):
        return
    everything = _commit(shown, summary, crawl, policy, report)
    report.seconds = {"run": round(crawl.age(), 3)}
    report.save(crawl.output)
    if report.outcome == "committed":
        forget_records(crawl, everything)


def run_on_engine(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool) -> RunReport:
    """Run the job to its end; the report that it leaves.

    Raises:
        pipeline.engine.JobFailedError: the engine gave the job up.
    """
    run_job(build_job(config, crawl, report, allow_mass_delete=allow_mass_delete))
    return RunReport(**json.loads(read_file(report_uri(crawl.output, crawl.run))))


def plan_only(config: CrawlConfig) -> tuple[PlanSummary, Policy, dict[str, list[str]]]:
    """What a run would do, and in this process some objects of each kind by name.

    Raises:
        pipeline.engine.JobFailedError: the engine gave the job up.
    """
    crawl, _ = begin(config)
    policy = config.policy(crawl)
    if config.on_engine:
        return _plan_on_engine(config, crawl, policy), policy, {}
    with DiskFlow() as flow:
        planned = _plan_on_disk(flow, config, crawl, policy)
        names: dict[str, list[str]] = {}
        for _, entry in flow.merge("all", planned.entries, planned.compared).pairs():
            some = names.setdefault(entry.kind, [])
            some += [entry.uri] * (len(some) < SHOWN)
        return planned.summary.value, policy, names


def _plan_on_engine(config: CrawlConfig, crawl: CrawlRun, policy: Policy) -> PlanSummary:
    uri = join_uri(crawl.output, f"{OWN}/runs/{crawl.run}/plan.json")
    pipeline = new_pipeline(config.beam)
    planned = _plan_on_beam(BeamFlow(pipeline), pipeline, config, crawl, policy)
    _ = planned.summary | "Keep" >> beam.Map(lambda summary: write_bytes(uri, json.dumps(asdict(summary)).encode()))
    run_job(pipeline)
    return PlanSummary(**json.loads(read_file(uri)))


@contextmanager
def _timed(report: RunReport, phase: str) -> Iterator[None]:
    started = time.monotonic()
    try:
        yield
    finally:
        report.seconds[phase] = round(time.monotonic() - started, 3)
