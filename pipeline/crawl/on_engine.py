"""One run of a crawl as one job on an engine: it plans, reads, commits and leaves its report in the output."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any, Final

import apache_beam as beam

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.report import RunReport, report_uri
from pipeline.crawl.run import begin, commit
from pipeline.engine import new_pipeline, run_to_end
from pipeline.graph import structure_documents
from schemas.crawl import PlanEntry
from transforms.settings import JobSettings
from transforms.snapshots.decide import Policy
from transforms.snapshots.parts import OWN
from transforms.snapshots.plan import Planned, PlanSummary, carry_out, plan
from transforms.snapshots.runs import CrawlRun, forget_records
from transforms.steps.find_documents import Sources
from transforms.steps.finish_parts import FinishedParts, FinishParts, WrittenParts
from transforms.steps.flow_on_beam import BeamFlow, Pairs
from transforms.steps.redistribute import Redistribute
from transforms.steps.write_tables import WriteTables
from transforms.storage.objects import exists, join_uri, read_file, write_bytes

#: Parts of a night where the configuration says nothing: what changed since the last one is small, and upkeep puts small parts together.
SHARDS: Final = 32


def read_documents(entries: beam.PCollection[PlanEntry], settings: JobSettings, crawl: CrawlRun) -> FinishedParts:
    """Entries of kinds that are read to parts, which are recorded in the output; see `FinishParts`."""
    refs = entries | "References" >> beam.Map(attrgetter("ref")) | "Redistribute" >> Redistribute(attrgetter("place"), attrgetter("uri"))
    written = structure_documents(refs, settings) | "WriteTables" >> WriteTables(settings.write)
    sides: WrittenParts = {"written": written, "notes": entries}
    done: FinishedParts = sides | "FinishParts" >> FinishParts(crawl, settings.write.part_prefix, settings.write.shards)
    return done


def build_job(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool, runner: Any = None) -> beam.Pipeline:
    """The run as one job that plans, reads, commits and leaves its report in the output; not yet running. runner: instead of the one
    that the configuration names."""
    pipeline = new_pipeline(config.beam, runner, f"pdfmill-crawl-{crawl.run.lower()}")
    flow, policy = BeamFlow(pipeline), config.policy(crawl, allow_mass_delete=allow_mass_delete)
    settings = config.job(f"{crawl.run}-00000", config.flags.shards or SHARDS)
    planned = _plan_on_beam(flow, pipeline, config, crawl, policy)

    def read(entries: Pairs) -> tuple[Pairs, Pairs]:
        done = read_documents(entries | "To read" >> beam.Values(), settings, crawl)
        return done["placed"], done["changed"] | "Changed" >> beam.Map(lambda stem: (stem, stem))

    done, shown = carry_out(flow, planned, crawl, policy, read, max_bytes=settings.read.max_bytes, cuts_at_once=1)
    flow.one("commit", partial(_commit_job, crawl=crawl, policy=policy, report=report), done, shown, seen=planned.summary)
    return pipeline


def _plan_on_beam(flow: BeamFlow, pipeline: beam.Pipeline, config: CrawlConfig, crawl: CrawlRun, policy: Policy) -> Planned[Pairs]:
    return plan(flow, pipeline | "Sources" >> Sources(config.sources) | "By name" >> beam.Map(config.named), crawl, policy)


def _commit_job(_: object, shown: list[tuple[str, str]], summary: PlanSummary, crawl: CrawlRun, policy: Policy, report: RunReport) -> None:
    """When all is written: commit and leave the report; a step that is tried again meets its own commit and says the same."""
    if exists(report_uri(crawl.output, crawl.run)):
        return
    everything = commit(shown, summary, crawl, policy, report)
    report.seconds = {"run": round(crawl.age(), 3)}
    report.save(crawl.output)
    if report.outcome == "committed":
        forget_records(crawl, everything)


def run_on_engine(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool) -> RunReport:
    """Run the job to its end; the report that it leaves.

    Raises:
        pipeline.run.errors.JobFailedError: the engine gave the job up.
    """
    run_to_end(build_job(config, crawl, report, allow_mass_delete=allow_mass_delete))
    return RunReport(**json.loads(read_file(report_uri(crawl.output, crawl.run))))


def plan_on_engine(config: CrawlConfig) -> tuple[PlanSummary, Policy]:
    """What a run would do.

    Raises:
        pipeline.run.errors.JobFailedError: the engine gave the job up.
    """
    crawl, _ = begin(config)
    policy = config.policy(crawl)
    uri = join_uri(crawl.output, f"{OWN}/runs/{crawl.run}/plan.json")
    pipeline = new_pipeline(config.beam)
    planned = _plan_on_beam(BeamFlow(pipeline), pipeline, config, crawl, policy)
    _ = planned.summary | "Keep" >> beam.Map(lambda summary: write_bytes(uri, json.dumps(asdict(summary)).encode()))
    run_to_end(pipeline)
    return PlanSummary(**json.loads(read_file(uri))), policy
