"""A run of a crawl on an engine: two pipelines, one that plans and one that does what the plan says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions, SetupOptions

from pipeline.crawl.config import CrawlConfig
from pipeline.crawl.plan import PlanSummary
from pipeline.crawl_graph import crawl_plan
from pipeline.engine import SHARDS
from schemas.records import DocumentRef
from transforms.finish_parts import CrawlRun
from transforms.plan_crawl import PLAN_SHARDS, SUMMARY, PlanCrawl, StatePart, plan_uri, read_plan
from transforms.snapshots.decide import Policy
from transforms.snapshots.delta_log import PartFile
from transforms.snapshots.parts import OWN
from transforms.storage.objects import join_uri, list_files


def _options(config: CrawlConfig) -> PipelineOptions:
    options = PipelineOptions(list(config.beam))
    options.view_as(SetupOptions).save_main_session = False
    return options


def plan_folder(crawl: CrawlRun) -> str:
    """Where the plan of a run lies."""
    return join_uri(crawl.output, f"{OWN}/runs/{crawl.run}/plan")


def run_plan(crawl: CrawlRun, policy: Policy, config: CrawlConfig, states: Sequence[StatePart], runner: Any = None) -> PlanSummary:
    """Plan on the engine; the entries stay in files. runner: instead of the one that the configuration names."""
    with beam.Pipeline(runner=runner, options=_options(config)) as pipeline:
        sources = pipeline | "Sources" >> beam.Create(list(config.sources), reshuffle=False)
        known = pipeline | "State parts" >> beam.Create(list(states), reshuffle=False)
        _ = {"sources": sources, "states": known} | PlanCrawl(crawl.output, policy, plan_folder(crawl))
    return _summary(crawl)


def _summary(crawl: CrawlRun) -> PlanSummary:
    summary = PlanSummary()
    for tag, value in read_plan(plan_uri(plan_folder(crawl), SUMMARY)):
        if tag == "failure":
            ref = cast(DocumentRef, value)
            assert ref.failure is not None
            summary.failures.append((ref.uri, ref.failure))
        elif tag == "counts":
            for (listed, known, kind), count in cast(dict[tuple[bool, bool, str], int], value).items():
                summary.listed += count * listed
                summary.known += count * known
                if kind:
                    summary.kinds[kind] += count
    return summary


def run_work(
    crawl: CrawlRun,
    config: CrawlConfig,
    keep_gone: bool,
    shown: Mapping[str, list[PartFile]],
    staged: Mapping[str, list[PartFile]],
    runner: Any = None,
) -> set[str]:
    """Do what the plan says; returns the parts of dead runs that it adopts."""
    adopted = {str(value) for tag, value in read_plan(plan_uri(plan_folder(crawl), SUMMARY)) if tag == "part"}
    parts = {**shown, **{stem: staged[stem] for stem in adopted}}
    written = set(list_files(plan_folder(crawl), ""))
    files = [uri for uri in (plan_uri(plan_folder(crawl), shard) for shard in range(PLAN_SHARDS)) if uri in written]
    settings = config.job(f"{crawl.run}-00000", config.flags.shards or SHARDS)
    with beam.Pipeline(runner=runner, options=_options(config)) as pipeline:
        plan_files = pipeline | "Plan" >> beam.Create(files)
        crawl_plan(plan_files, settings, crawl, parts, frozenset(shown) if keep_gone else None)
    return adopted
