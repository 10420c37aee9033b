"""The beginning and the end of a run of a crawl, wherever it runs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.report import RunReport, new_report
from transforms.snapshots.decide import Policy
from transforms.snapshots.delta_log import load_snapshot
from transforms.snapshots.names import new_run_id
from transforms.snapshots.plan import PlanSummary
from transforms.snapshots.runs import CrawlRun, Written, base_of, keep_unlisted, unlisted_before, written


def begin(config: CrawlConfig, now: datetime | None = None) -> tuple[CrawlRun, RunReport]:
    """A run, and its report before anything is known."""
    started = now or datetime.now(UTC)
    version = load_snapshot(config.output).version + 1
    marks = bool(config.settings["mark_deletes"])
    crawl = CrawlRun(config.output, new_run_id(started), config.signature(), started, version, unlisted_before(config.output), marks)
    return crawl, new_report(crawl, config)


def commit(shown: Iterable[tuple[str, str]], summary: PlanSummary, crawl: CrawlRun, policy: Policy, report: RunReport) -> Written:
    """Show what was written, and have the report say so. shown: parts of dead runs, by stem."""
    base = base_of(crawl)
    everything = written(crawl, base, {stem for stem, _ in shown})
    report.planned(summary, policy)
    report.committed(crawl, base, everything)
    keep_unlisted(crawl, summary.failures)
    return everything
