"""Run a crawl on an engine of Apache Beam: either this process plans and a job only reads, or one job does everything."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, Final

import apache_beam as beam
import msgspec

from pdfmill.pipeline.crawl.begin_run import commit
from pdfmill.pipeline.crawl.config import CrawlConfig
from pdfmill.pipeline.crawl.crawl_parts import OWN
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.finish_parts import FinishedParts, FinishParts, WrittenParts
from pdfmill.pipeline.crawl.flow_on_beam import BeamFlow, Pairs
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow, DiskItems
from pdfmill.pipeline.crawl.local_run import run_here
from pdfmill.pipeline.crawl.plan import Planned, PlanSummary, carry_out, plan
from pdfmill.pipeline.crawl.report import SHOWN, RunReport, new_report, report_uri
from pdfmill.pipeline.crawl.runs import CrawlRun, forget_records, placed_by
from pdfmill.pipeline.crawl.upkeep import after_run, show_tables
from pdfmill.pipeline.engine.engine import new_pipeline, run_to_end
from pdfmill.pipeline.engine.graph import write_together
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.count_shards import CountShards
from pdfmill.transforms.steps.find_documents import Sources
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.storage.access import carrying
from pdfmill.transforms.storage.objects import exists, join_uri, read_file, write_bytes
from pdfmill.transforms.tables.shards import ShardCounts, as_one

log = logging.getLogger("pdfmill")

#: Number of plan entries in each file that is passed to a job; an entry takes a kilobyte.
_ENTRIES_OF_A_FILE: Final = 1_000


def read_documents(entries: beam.PCollection[PlanEntry], settings: JobSettings, crawl: CrawlRun, shards: int | None) -> FinishedParts:
    """Read the documents of plan entries into Parquet files, which are recorded in the output; see `FinishParts`. shards: number of files
    per table; None to choose it by the amount of data."""
    refs = entries | "References" >> beam.Map(attrgetter("ref")) | "Redistribute" >> Redistribute(attrgetter("place"), attrgetter("uri"))
    counted = (
        None if shards else refs | "CountShards" >> CountShards(settings) | "As one" >> beam.Map(as_one).with_output_types(ShardCounts)
    )
    sides: WrittenParts = {"written": write_together(refs, settings, counted), "notes": entries}
    parts = settings.write.shards if counted is None else counted
    done: FinishedParts = sides | "FinishParts" >> FinishParts(crawl, settings.write.part_prefix, parts)
    return done


def build_job(
    config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool, upkeep: bool = False, runner: Any = None
) -> beam.Pipeline:
    """Build the job that plans, reads, commits and writes the report to the output, without starting it.
    upkeep: the job also does the maintenance, because no command waits for its end. runner: replaces the configured one."""
    pipeline = new_pipeline(config.beam, runner, f"pdfmill-crawl-{crawl.run.lower()}")
    flow, policy = BeamFlow(pipeline), config.policy(crawl, allow_mass_delete=allow_mass_delete)
    settings = config.job(f"{crawl.run}-00000", config.flags.shards or 1)
    planned = _plan_on_beam(flow, pipeline, config, crawl, policy)

    def read(entries: Pairs) -> tuple[Pairs, Pairs]:
        done = read_documents(entries | "To read" >> beam.Values(), settings, crawl, config.flags.shards)
        return done["placed"], done["changed"] | "Changed" >> beam.Map(lambda stem: (stem, stem))

    done, shown = carry_out(flow, planned, crawl, policy, read, max_bytes=settings.read.max_bytes, cuts_at_once=1)
    outcome = flow.one("commit", partial(_commit_job, crawl=crawl, policy=policy, report=report), done, shown, seen=planned.summary)
    if upkeep:
        _ = outcome | "upkeep" >> beam.Map(carrying(_upkeep_job), config)
    return pipeline


def _plan_on_beam(flow: BeamFlow, pipeline: beam.Pipeline, config: CrawlConfig, crawl: CrawlRun, policy: Policy) -> Planned[Pairs]:
    return plan(flow, pipeline | "Sources" >> Sources(config.sources) | "By name" >> beam.Map(config.named), crawl, policy)


def _commit_job(_: object, shown: list[tuple[str, str]], summary: PlanSummary, crawl: CrawlRun, policy: Policy, report: RunReport) -> str:
    """Commit when all files are written, write the report, and return the outcome. If Beam repeats this step, it finds its own commit.
    shown: pairs that begin with a stem of files that this run takes over from an interrupted run."""
    if exists(uri := report_uri(crawl.output, crawl.run)):
        return str(json.loads(read_file(uri))["outcome"])
    everything = commit(shown, summary, crawl, policy, report)
    report.seconds = {"run": round(crawl.age(), 3)}
    report.end(report.exit_code)
    report.save(crawl.output)
    if report.outcome == "committed":
        forget_records(crawl, everything)
    return report.outcome


def _upkeep_job(outcome: str, config: CrawlConfig) -> None:
    if outcome in SHOWN:
        if config.settings["upkeep"]:
            for line in after_run(config):
                log.info("%s", line)
        show_tables(config)


def run_on_engine(config: CrawlConfig, crawl: CrawlRun, report: RunReport, *, allow_mass_delete: bool) -> RunReport:
    """Run a crawl on an engine and return its report. This process plans and commits, and a job reads; if a source cannot be listed here,
    one job does everything. allow_mass_delete: carry out any number of deletes.

    Raises:
        pdfmill.pipeline.run.errors.JobFailedError: the engine's job failed; the next run uses the files that are complete.
    """
    here = run_here(config, crawl, report, allow_mass_delete=allow_mass_delete, read=_read_by_job)
    if here is not None:
        return here
    run_to_end(build_job(config, crawl, new_report(crawl, config), allow_mass_delete=allow_mass_delete))
    return RunReport(**json.loads(read_file(report_uri(crawl.output, crawl.run))))


def _read_by_job(flow: DiskFlow, config: CrawlConfig, crawl: CrawlRun, entries: DiskItems) -> tuple[DiskItems, DiskItems]:
    """Run a job that reads the objects of the plan entries, passed through files in the output. Return (document id, stem of its files or
    failure with which it keeps old rows), and an empty collection, because the job has recorded its files of `changes` itself."""
    if given := list(_left_for_job(crawl, (entry for _, entry in entries.pairs()))):
        run_to_end(reading_job(config, crawl, given))
    return flow.given("placed", placed_by(crawl)), flow.given("changed", ())


def reading_job(config: CrawlConfig, crawl: CrawlRun, given: Sequence[str | PlanEntry], runner: Any = None) -> beam.Pipeline:
    """Build, without starting it, the Beam job that reads a crawl's documents and writes their rows to Parquet files, with a record for the
    commit. given: plan entries, or addresses of files of plan entries. runner: replaces the configured one."""
    pipeline = new_pipeline(config.beam, runner, f"pdfmill-crawl-{crawl.run.lower()}")
    entries = pipeline | "Plan" >> beam.Create(given) | "Entries" >> beam.FlatMap(carrying(_entries)).with_output_types(PlanEntry)
    read_documents(entries, config.job(f"{crawl.run}-00000", config.flags.shards or 1), crawl, config.flags.shards)
    return pipeline


def _left_for_job(crawl: CrawlRun, entries: Iterator[PlanEntry]) -> Iterator[str | PlanEntry]:
    """Write the plan entries to files in the output and yield their addresses. An entry with a secret address is yielded itself."""
    for number, some in enumerate(iter(lambda: list(islice(entries, _ENTRIES_OF_A_FILE)), [])):
        plain = [entry for entry in some if entry.ref is None or entry.ref.secret_uri is None]
        uri = join_uri(crawl.output, f"{OWN}/runs/{crawl.run}/to-read/{number:05d}.json.gz")
        write_bytes(uri, gzip.compress(msgspec.json.encode(plain), mtime=0))
        yield uri
        yield from (entry for entry in some if entry not in plain)


def _entries(given: str | PlanEntry) -> Iterator[PlanEntry]:
    if isinstance(given, PlanEntry):
        yield given
    else:
        yield from msgspec.json.decode(gzip.decompress(read_file(given)), type=list[PlanEntry])
