"""One run of a crawl on this machine, without Beam: plan, read, commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from typing import overload

from pdfmill.pipeline.crawl.config import CrawlConfig
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.flow_on_disk import SHARES, DiskFlow, DiskItems
from pdfmill.pipeline.crawl.plan import Planned, PlanSummary, carry_out, plan, unchanged_before
from pdfmill.pipeline.crawl.report import RunReport, new_report
from pdfmill.pipeline.crawl.runs import CrawlRun, Written, base_of, forget_records, keep_unlisted, unlisted_before, written
from pdfmill.pipeline.crawl.write import finish_batch
from pdfmill.pipeline.run.local import batches, local_workers, run_batch
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import Failure
from pdfmill.transforms.delta.delta_log import load_snapshot
from pdfmill.transforms.delta.run_ids import new_run_id
from pdfmill.transforms.storage.scratch import scratch_folder
from pdfmill.transforms.tables.output_layout import part_stem


def begin(config: CrawlConfig, now: datetime | None = None, documents: int | None = None) -> tuple[CrawlRun, RunReport]:
    """Begin a run of a crawl, and return it with an empty report. now: its start. documents: about how many it may read."""
    started = now or datetime.now(UTC)
    version = load_snapshot(config.output).version + 1
    marks = bool(config.settings["mark_deletes"])
    most = int(config.settings["max_documents"]) if documents is None else documents
    crawl = CrawlRun(config.output, new_run_id(started), config.signature(), started, version, unlisted_before(config.output), marks, most)
    return crawl, new_report(crawl, config)


def commit(shown: Iterable[tuple[str, str]], summary: PlanSummary, crawl: CrawlRun, policy: Policy, report: RunReport) -> Written:
    """Publish the files of a run as a snapshot, record the result in the report, and return what was published.
    shown: pairs that begin with a stem (name without suffix) of files that an interrupted run had already written."""
    base = base_of(crawl)
    everything = written(crawl, base, {stem for stem, _ in shown})
    report.planned(summary, policy)
    report.committed(crawl, base, everything)
    keep_unlisted(crawl, summary.failures)
    return everything


#: Number of objects of each kind that the output of `plan` names at most.
SHOWN = 20


#: A function of (flow, configuration, run, plan entries) that returns the two collections described at `read` of `carry_out`.
Reader = Callable[[DiskFlow, CrawlConfig, CrawlRun, DiskItems], tuple[DiskItems, DiskItems]]


@overload
def run_here(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool) -> RunReport: ...
@overload
def run_here(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool, read: Reader) -> RunReport | None: ...
def run_here(
    config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool, read: Reader | None = None
) -> RunReport | None:
    """Run a crawl in this process, and return the report. read: a function that reads the documents outside this process, for instance by a
    job on an engine; None to read them here. If `read` is given and a source cannot be listed here, nothing is done and None is returned.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the run failed; the next run uses the files that were written.
    """
    policy = config.policy(crawl, allow_mass_delete=allow_mass_delete)
    with DiskFlow() as flow:
        with _timed(report, "plan"):
            planned = _plan_on_disk(flow, config, crawl, policy)
        if read is not None and planned.summary.value.failures:
            return None
        report.planned(planned.summary.value, policy)
        with _timed(report, "read"):
            reads = partial(read or _read_batches, flow, config, crawl)
            flags = config.flags
            _, shown = carry_out(flow, planned, crawl, policy, reads, max_bytes=flags.max_bytes, cuts_at_once=flags.workers)
        with _timed(report, "commit"):
            everything = commit(list(shown.pairs()), planned.summary.value, crawl, policy, report)
            if report.outcome == "committed":
                forget_records(crawl, everything)
    return report


def _plan_on_disk(flow: DiskFlow, config: CrawlConfig, crawl: CrawlRun, policy: Policy) -> Planned[DiskItems]:
    return plan(flow, flow.given("sources", map(config.named, config.sources)), crawl, policy, unchanged_before(crawl, policy))


def _read_batches(flow: DiskFlow, config: CrawlConfig, crawl: CrawlRun, entries: DiskItems) -> tuple[DiskItems, DiskItems]:
    return flow.given("placed", _placed(config, crawl, entries)), flow.given("changed", ())


def _placed(config: CrawlConfig, crawl: CrawlRun, entries: DiskItems) -> Iterator[tuple[str, str | Failure]]:
    """Read the planned objects in batches, and yield for each document its id, and the stem of its files or the failure with which it keeps
    its old rows. PDFs in the rows of one Parquet file are read one after the other."""
    ordered = by_priority(entries, config)
    flags = config.flags
    with scratch_folder() as scratch, local_workers(flags.workers, config.job("", 1).read) as workers:
        for number, batch in enumerate(batches(ordered, flags.batch_documents, flags.batch_bytes)):
            prefix = f"{crawl.run}-{number:05d}"
            job = config.job(prefix, 1)
            run_batch([entry.ref for entry in batch if entry.ref is not None], job, workers, scratch)
            yield from finish_batch(crawl, prefix, part_stem(0, job.write), batch)


def by_priority(entries: DiskItems, config: CrawlConfig) -> Iterator[PlanEntry]:
    """Yield the plan entries to read by the priority of their source, the highest first. PDFs in one Parquet file stay together."""
    of = {name: rules.priority for name, rules in config.rules.items()}
    for priority in sorted({0, *of.values()}, reverse=True):
        for number in range(SHARES):
            share = (entry for _, entry in entries.share(number) if of.get(entry.source, 0) == priority)
            yield from sorted(share, key=attrgetter("uri"))
    entries.close()


def plan_here(config: CrawlConfig) -> tuple[PlanSummary, Policy, dict[str, list[str]]]:
    """Plan a run without carrying it out. Return the summary, the settings, and for each kind of action a few addresses with the reason."""
    crawl, _ = begin(config)
    policy = config.policy(crawl)
    with DiskFlow() as flow:
        planned = _plan_on_disk(flow, config, crawl, policy)
        names: dict[str, list[str]] = {}
        for _, entry in flow.merge("all", planned.entries, planned.compared).pairs():
            some = names.setdefault(entry.kind, [])
            kept = entry.kind == "gone" and planned.summary.value.keeps(entry, policy)
            some += [f"{entry.uri}  ({entry.why}{'; it is kept, see below' if kept else ''})"] * (len(some) < SHOWN)
        return planned.summary.value, policy, names


@contextmanager
def _timed(report: RunReport, phase: str) -> Iterator[None]:
    started = time.monotonic()
    try:
        yield
    finally:
        report.seconds[phase] = round(time.monotonic() - started, 3)
