"""A run of a crawl on an engine: one job that plans, reads, commits and leaves its report in the output."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import apache_beam as beam

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.job import new_run
from pipeline.crawl.plan import PlanSummary
from pipeline.crawl.report import RunReport, new_report, report_uri
from pipeline.crawl_graph import crawl_sources, plan_sources
from pipeline.engine import SHARDS, new_pipeline, run_to_end
from schemas.records import Failure
from transforms.snapshots.decide import Policy
from transforms.snapshots.delta_log import load_snapshot
from transforms.snapshots.parts import OWN
from transforms.snapshots.runs import CrawlRun, forget_records, written
from transforms.steps.find_documents import Sources
from transforms.storage.objects import exists, join_uri, read_file, write_bytes


def begin(config: CrawlConfig) -> tuple[CrawlRun, RunReport]:
    """A run, and its report before anything is known."""
    crawl = new_run(config, load_snapshot(config.output).version)
    return crawl, new_report(crawl, config)


def build_crawl(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool, runner: Any = None) -> beam.Pipeline:
    """The job, not yet running. runner: instead of the one that the configuration names."""
    pipeline = new_pipeline(config.beam, runner)
    policy = config.policy(crawl, allow_mass_delete=allow_mass_delete)
    sources = pipeline | "Sources" >> Sources(config.sources)
    settings = config.job(f"{crawl.run}-00000", config.flags.shards or SHARDS)
    crawl_sources(sources, settings, crawl, policy, partial(_commit, crawl=crawl, policy=policy, report=report))
    return pipeline


def _commit(_: int, summary: PlanSummary, adopted: list[str], crawl: CrawlRun, policy: Policy, report: RunReport) -> None:
    """Show what was written and leave the report; a step that is tried again meets its own commit and says the same."""
    if exists(report_uri(crawl.output, crawl.run)):
        return
    base = load_snapshot(crawl.output, crawl.snapshot - 1)
    everything = written(crawl, base, adopted)
    report.planned(summary, policy)
    report.committed(crawl, base, everything)
    report.seconds = {"run": round(crawl.age(), 3)}
    report.save(crawl.output)
    if report.outcome == "committed":
        forget_records(crawl, everything)


def run_crawl(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool) -> RunReport:
    """Run the job to its end; the report that it leaves.

    Raises:
        pipeline.engine.JobFailedError: the engine gave the job up.
    """
    run_to_end(build_crawl(config, crawl, report, allow_mass_delete=allow_mass_delete))
    return RunReport(**json.loads(read_file(report_uri(crawl.output, crawl.run))))


def run_plan(config: CrawlConfig) -> PlanSummary:
    """Plan on the engine, and nothing else.

    Raises:
        pipeline.engine.JobFailedError: the engine gave the job up.
    """
    crawl, _ = begin(config)
    uri = join_uri(crawl.output, f"{OWN}/runs/{crawl.run}/plan.json")
    pipeline = new_pipeline(config.beam)
    sources = pipeline | "Sources" >> Sources(config.sources)
    _ = plan_sources(sources, crawl, config.policy(crawl))[1] | "Keep" >> beam.Map(_keep, uri)
    run_to_end(pipeline)
    found = json.loads(read_file(uri))
    summary = PlanSummary(found["listed"], found["known"], bytes_to_read=found["bytes_to_read"])
    summary.kinds.update(found["kinds"])
    summary.failures = [(source, Failure(code, message)) for source, code, message in found["failures"]]
    return summary


def _keep(summary: PlanSummary, uri: str) -> None:
    failures = [(source, failure.code, failure.message) for source, failure in summary.failures]
    found = {"listed": summary.listed, "known": summary.known, "bytes_to_read": summary.bytes_to_read, "kinds": summary.kinds, "failures": failures}
    write_bytes(uri, json.dumps(found).encode())
