"""Begin and end a run of a crawl. Runs on one machine and runs on a Beam engine both use these functions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from pdfmill.pipeline.crawl.config import CrawlConfig
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.plan import PlanSummary
from pdfmill.pipeline.crawl.report import RunReport, new_report
from pdfmill.pipeline.crawl.runs import CrawlRun, Written, base_of, keep_unlisted, unlisted_before, written
from pdfmill.transforms.delta.delta_log import load_snapshot
from pdfmill.transforms.delta.run_ids import new_run_id


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
