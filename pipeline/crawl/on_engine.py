"""Run a crawl on an engine of Apache Beam: either this process plans and a job only reads, or one job does everything.
`BeamFlow` implements the operations of the plan; `FinishParts` completes the files that the steps of reading have written."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypedDict

import apache_beam as beam
import msgspec
from apache_beam.pvalue import AsList, AsSingleton, TaggedOutput

from pdfmill.pipeline.crawl.config import CrawlConfig
from pdfmill.pipeline.crawl.crawl_parts import OWN
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.flow import Step
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow, DiskItems
from pdfmill.pipeline.crawl.local_run import commit, run_here
from pdfmill.pipeline.crawl.plan import Planned, PlanSummary, carry_out, plan
from pdfmill.pipeline.crawl.report import SHOWN, RunReport, new_report, report_uri
from pdfmill.pipeline.crawl.runs import CrawlRun, forget_records, placed_by
from pdfmill.pipeline.crawl.upkeep import after_run, show_tables
from pdfmill.pipeline.crawl.write import finish_stem, object_changes, placed, write_changes
from pdfmill.pipeline.engine.engine import new_pipeline, run_to_end
from pdfmill.pipeline.engine.graph import write_together
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import TABLE_NAMES, DocId, Failure, Row
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.count_shards import CountShards
from pdfmill.transforms.steps.find_documents import Sources
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.steps.write_tables import shards_beside
from pdfmill.transforms.storage.access import carrying
from pdfmill.transforms.storage.objects import join_uri, read_file, read_if_there, write_bytes
from pdfmill.transforms.tables.output_layout import shard_of
from pdfmill.transforms.tables.shards import ShardCounts, as_one
from pdfmill.transforms.tables.write_summary import Written

#: A PCollection of (key, value).
Pairs: TypeAlias = "beam.PCollection[tuple[str, Any]]"


class _Call(beam.DoFn):
    def __init__(self, name: str, step: Step) -> None:
        self._metrics = StepMetrics(name)
        self._step = carrying(step)

    def process(self, element: tuple[str, Any], seen: Any = None) -> Iterator[TaggedOutput]:
        """Apply the step to one (key, value) pair, and count it in the step's metrics. seen: the value of a side input."""
        given = element if seen is None else (*element, seen)
        return self._metrics.measure(TaggedOutput(tag, (key, value)) for tag, key, value in self._step(*given))


class BeamFlow:
    """The implementation of `pdfmill.pipeline.crawl.flow.Flow` on Beam. A collection is a PCollection of pairs, or of one value."""

    def __init__(self, pipeline: beam.Pipeline) -> None:
        self._pipeline = pipeline

    def given(self, name: str, pairs: Iterable[tuple[str, Any]]) -> Pairs:
        return self._pipeline | name >> beam.Create(list(pairs), reshuffle=False)

    def each(
        self, name: str, items: Pairs, step: Step, tags: tuple[str, ...], seen: Pairs | None = None, at_once: int = 1
    ) -> Mapping[str, Pairs]:
        """Apply the step to every pair, and return the outputs by tag. Beam shows metrics of the step under its name."""
        done = items | name >> beam.ParDo(_Call(name, step), *_beside(seen)).with_outputs(*tags)
        return {tag: done[tag] for tag in tags}

    def group(
        self,
        name: str,
        sides: Mapping[str, Pairs],
        step: Step,
        tags: tuple[str, ...],
        seen: Pairs | None = None,
        at_once: int = 1,
        of: str = "",
    ) -> Mapping[str, Pairs]:
        """Join the sides by key, apply the step to every key with its values from each side, and return the outputs by tag.
        The step is also called for keys that the side `of` lacks, and yields nothing for them."""
        return self.each(name, dict(sides) | f"{name}: join" >> beam.CoGroupByKey(), step, tags, seen)

    def spread(self, name: str, items: Pairs) -> Pairs:
        return items | name >> Redistribute(lambda pair: pair[0])

    def merge(self, name: str, *items: Pairs) -> Pairs:
        return items | name >> beam.Flatten()

    def total(self, name: str, numbers: Pairs) -> Pairs:
        return numbers | name >> beam.CombinePerKey(sum)

    def one(self, name: str, make: Callable[..., Any], *items: Pairs, seen: Pairs | None = None) -> Pairs:
        """Compute one value from small collections, which `make` gets as lists of pairs. Beam's `ToList` would add nine steps for each."""
        begin = self._pipeline | f"{name}: begin" >> beam.Impulse()
        return begin | name >> beam.Map(_made, carrying(make), *map(AsList, items), *_beside(seen))


def _made(_: bytes, make: Callable[..., Any], *given: Any) -> Any:
    return make(*given)


def _beside(seen: Pairs | None) -> list[AsSingleton]:
    return [] if seen is None else [AsSingleton(seen)]


PLACED: Final = "placed"
CHANGED: Final = "changed"
_ROWS: Final = "rows"


class WrittenParts(TypedDict):
    """The input of `FinishParts`: records of written Parquet files, and the plan entries (`notes`) of the objects that they contain."""

    written: beam.PCollection[Written]
    notes: beam.PCollection[PlanEntry]


class FinishedParts(TypedDict):
    """The output of `FinishParts`. placed: (document id, stem of the files with its rows, or failure of a document that keeps its old
    rows). changed: stems of the files of the table `changes`."""

    placed: beam.PCollection[tuple[DocId, str | Failure]]
    changed: beam.PCollection[str]


def stem_of(uri: str) -> str:
    """Return the stem (file name without suffix) in a file's address."""
    return uri.rpartition("/")[2].removesuffix(".parquet")


def stem_for(doc_id: DocId, prefix: str, shards: int) -> str:
    """Return the stem (file name without suffix) of the Parquet files for a document's rows. prefix: of this run. shards: files per
    table."""
    return f"{prefix}-{shard_of(doc_id, shards):05d}-of-{shards:05d}"


def change_stem(doc_id: DocId, prefix: str, shards: int) -> str:
    """Return the stem (file name without suffix) of the file of `changes` for an object's rows. prefix: of this run. shards: files per
    table."""
    return f"{prefix}-changes-{shard_of(doc_id, shards):05d}"


def finish(keyed: tuple[str, dict[str, Iterable[Any]]], crawl: CrawlRun) -> Iterator[Any]:
    """Complete the Parquet files with one stem (name without suffix) if the files of all tables are written, else do nothing.
    keyed: the stem, the addresses of the files (`written`) and the plan entries of the objects in them (`notes`).
    Yields for each object its id, and id, page count and changed texts of each document in it, or None if it keeps its old rows; then, as
    tagged outputs, (document id, stem or failure)."""
    stem, sides = keyed
    if len(list(sides["written"])) < len(TABLE_NAMES):
        return
    finished = finish_stem(crawl, stem, sides["notes"])
    for row in finished.sources:
        told = {"doc_id": row["doc_id"], "page_count": row["page_count"], "texts": finished.texts.get(DocId(str(row["doc_id"])))}
        yield row["root_doc_id"], told
    for row in finished.stale:
        yield row["doc_id"], None
    yield from (beam.pvalue.TaggedOutput(PLACED, pair) for pair in placed(finished, stem))


def changes(keyed: tuple[DocId, dict[str, Iterable[Any]]], snapshot: int) -> list[Row]:
    """Return the rows of the table `changes` for one object that was read; [] if it keeps its old rows.
    keyed: its id, its plan entry (`notes`), and what `finish` yields for it (`rows`). snapshot: the version that will contain the rows."""
    rows = list(keyed[1]["rows"])
    if None in rows:
        return []
    texts = {row["doc_id"]: row["texts"] for row in rows if row["texts"] is not None}
    return object_changes(keyed[1]["notes"], rows, snapshot, texts)


def _write_changes(crawl: CrawlRun, stem: str, groups: Iterable[Iterable[Row]]) -> str:
    return write_changes(crawl, stem, chain.from_iterable(groups))


@beam.typehints.with_input_types(written=Written, notes=PlanEntry)
class FinishParts(beam.PTransform[WrittenParts, FinishedParts]):
    """Complete the written Parquet files by their rows of the tables `sources` and `changes`, so that a snapshot can contain them."""

    def __init__(self, crawl: CrawlRun, part_prefix: str, shards: int | beam.PCollection[ShardCounts]) -> None:
        """Make the transform. part_prefix: of the files' names. shards: number of files per table, or a collection with the result of
        `CountShards`."""
        super().__init__()
        self._crawl = crawl
        self._prefix = part_prefix
        self._shards = shards

    def expand(self, sides: WrittenParts) -> FinishedParts:
        """Group files and plan entries by stem to complete them, then rows and plan entries by object to write `changes`."""
        crawl, prefix = self._crawl, self._prefix
        beside = (self._shards,) if isinstance(self._shards, int) else shards_beside(self._shards)
        written = sides["written"] | "Stem" >> beam.FlatMap(lambda each: [(stem_of(part.uri), part.uri) for part in each.parts])
        notes = sides["notes"] | "Place" >> beam.Map(lambda note, shards: (stem_for(note.doc_id, prefix, shards[0]), note), beside)
        rows = {"written": written, "notes": notes} | "By part" >> beam.CoGroupByKey()
        finished = rows | "Finish" >> beam.FlatMap(carrying(finish), crawl).with_outputs(PLACED, main=_ROWS)
        noted = sides["notes"] | "Object" >> beam.Map(lambda note: (note.doc_id, note))
        written_changes = (
            {"rows": finished[_ROWS], "notes": noted}
            | "By object" >> beam.CoGroupByKey()
            | "Changes"
            >> beam.Map(lambda keyed, shards: (change_stem(keyed[0], prefix, shards[0]), changes(keyed, crawl.snapshot)), beside)
            | "Gather" >> beam.GroupByKey()
            | "Write" >> beam.MapTuple(carrying(partial(_write_changes, crawl)))
        )
        return {PLACED: finished[PLACED], CHANGED: written_changes}


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
    if (text := read_if_there(report_uri(crawl.output, crawl.run))) is not None:
        return str(json.loads(text)["outcome"])
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
