"""What a large job costs, predicted from a run over a sample.

    python -m benchmarks.speed.scale PDF_OR_FOLDER... [--runs 3] [--documents 10000000] [--pages 10] [--vcpus 100]

Some runs of Beam in one process, with the parser beside it. Seconds are of CPU, of all processes, beyond those of a run over one letter, so
that other work on the machine disturbs them little. The steps' own metric `msec` gives the wall seconds of each step. A document's own
seconds (fetch, open, facts) are taken once more alone. A second run counts what is shuffled. Take a sample of the archive: archives differ
by more than anything else here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.speed.made_documents import letters
from benchmarks.speed.processes import run_command
from benchmarks.speed.shuffle import shuffled, table_rows, tapped
from pdfmill.pipeline.engine.engine import new_pipeline
from pdfmill.pipeline.engine.graph import index_documents
from pdfmill.pipeline.options.options import job_settings, parse_index
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.road.document_road import read_document
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.steps.find_documents import FindDocuments, Sources
from pdfmill.transforms.storage.sources import absolute_source, list_sources

#: CPU of one worker against that of two over the same documents: what a worker beside others does of its own (docs/scale.md).
BUSY: Final = 0.83
#: See `pdfmill.transforms.tables.shards`.
PAGES_OF_A_PART: Final = 20_000
#: CPU of a page on Flink by that of the local run, beyond the job's fixed start, as `benchmarks.speed.flink_job` measured it.
FLINK_FACTOR: Final = 1.5
#: What a job's record takes of each shard, its five tables together (see docs/scale.md), and what the command shall read at most.
RECORD_OF_A_PART: Final = 125.0
RECORD_BYTES: Final = 1_000_000
#: What this module is told to run once.
_ONE: Final = "--one"
#: A small cluster.
WORKERS: Final = 10
DISK_BYTES: Final = 100e9


@dataclass(frozen=True, slots=True)
class Sample:
    """documents, pages: as read. step_seconds: sum of `msec` by step. run_seconds: CPU of the run, which one worker made, beyond that of
    one letter.

    facts_seconds: CPU to fetch and open all documents and take their facts, without pages. start_seconds: wall time of a command that
    reads one letter. shuffled_bytes, table_bytes: in all.
    """

    documents: int
    pages: int
    step_seconds: dict[str, float]
    run_seconds: float
    facts_seconds: float
    start_seconds: float
    shuffled_bytes: int
    table_bytes: int

    @property
    def a_document(self) -> float:
        """Seconds of a document besides its pages; its row counts with the pages."""
        return self.facts_seconds / self.documents

    @property
    def a_page(self) -> float:
        """Seconds of a page in the whole job: the rest of the run."""
        return (self.run_seconds - self.facts_seconds) / self.pages


@dataclass(frozen=True, slots=True)
class Engine:
    """What an engine takes for the same work. factor: its CPU by that of the processes of one machine; start: seconds; shuffles: exchanges
    cross workers. Prices are assumed, in dollars: about what clouds asked in 2024 in a cheap region, of machines that are rented or of a
    managed service. Put in yours."""

    name: str
    factor: float = 1.0
    start: float = 0.0
    shuffles: bool = True
    vcpu_hour: float = 0.033
    gb_hour: float = 0.0045
    shuffled_gb: float = 0.0
    gb_per_vcpu: float = 4.0


#: The factor of Dataflow is taken for Flink's.
ENGINES: Final = (
    Engine("machines of one's own job", shuffles=False),
    Engine("Flink", FLINK_FACTOR, 30.0),
    Engine("Dataflow", FLINK_FACTOR, 240.0, vcpu_hour=0.056, gb_hour=0.0036, shuffled_gb=0.011),
)


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that gives way when a job grows. told: what it is. pages: from how many pages on, of documents like a sample's."""

    told: str
    pages: Callable[[Sample], float]


LIMITS: Final = (
    Limit("one machine with --workers 2 needs more than a week", lambda sample: 2 * 7 * 86400 / (sample.run_seconds / sample.pages)),
    Limit(
        f"{WORKERS} workers with {DISK_BYTES / 1e9:g} GB of disk each are full of shuffled rows",
        lambda sample: WORKERS * DISK_BYTES * sample.pages / sample.shuffled_bytes,
    ),
    Limit(
        f"the record of all parts is more than {RECORD_BYTES / 1e6:g} MB",
        lambda sample: RECORD_BYTES / RECORD_OF_A_PART * PAGES_OF_A_PART,
    ),
)


@dataclass(frozen=True, slots=True)
class Prediction:
    """Of a job over so many documents, on so many vCPUs."""

    vcpu_hours: float
    hours: float
    shuffled_gb: float
    table_gb: float
    shards: int
    dollars: float


def predict(sample: Sample, documents: int, pages: int, vcpus: int, fetch_seconds: float = 0.0, engine: Engine | None = None) -> Prediction:
    """pages: in all. fetch_seconds: what a store takes to hand out a document beyond what the sample's place took.

    Work is shared evenly; a worker is busy for the share `BUSY` of its time.
    """
    engine = engine or Engine("")
    vcpu_hours = (documents * (sample.a_document + fetch_seconds) + pages * sample.a_page * engine.factor) / BUSY / 3600
    shuffled_gb = pages * sample.shuffled_bytes / sample.pages / 1e9 if engine.shuffles else 0.0
    dollars = vcpu_hours * (engine.vcpu_hour + engine.gb_per_vcpu * engine.gb_hour) + shuffled_gb * engine.shuffled_gb
    return Prediction(
        vcpu_hours, vcpu_hours / vcpus + (engine.start + sample.start_seconds) / 3600, shuffled_gb,
        pages * sample.table_bytes / sample.pages / 1e9, -(-pages // PAGES_OF_A_PART), dollars,
    )  # fmt: skip


def measure(sources: Sequence[str]) -> Sample:
    """Run the job over the sources with one worker, and once more to count what is shuffled."""
    absolute = [absolute_source(source) for source in sources]
    with tempfile.TemporaryDirectory() as output:
        letters(Path(output, "letter"), 1)
        start, _ = _run([f"{output}/letter"], f"{output}/letter-tables")
        cpu, seconds = _run(absolute, output)
        documents, pages = table_rows(output, "documents"), table_rows(output, "pages")
        table_bytes = sum(part.stat().st_size for table in TABLES for part in Path(output, table).glob("*.parquet"))
    with tapped():
        by_step, _ = shuffled(list_sources(absolute))
    return Sample(
        documents, pages, seconds, cpu - start, _facts_seconds(absolute), _start_seconds(),
        sum(by_step.values()), table_bytes,
    )  # fmt: skip


def _by_step(metrics: Iterable[Any], name: str) -> dict[str, list[Any]]:
    """The results of one metric by the step that counts it, which may stand in the graph more than once."""
    results: dict[str, list[Any]] = {}
    for each in metrics:
        if each.key.metric.name == name:
            results.setdefault(each.key.metric.namespace, []).append(each.result)
    return results


def _run(sources: Sequence[str], output: str) -> tuple[float, dict[str, float]]:
    """CPU seconds of a run by Beam in a process of its own, and the seconds of each step. Raises RuntimeError: it did not end well."""
    with tempfile.NamedTemporaryFile() as log:
        cost = run_command([sys.executable, "-m", "benchmarks.speed.scale", _ONE, output, *sources], log=log)
        told = Path(log.name).read_text()
    if cost.code:
        raise RuntimeError(told)
    steps: dict[str, float] = json.loads(told.splitlines()[-1])
    return cost.cpu, steps


def _run_here(output: str, *sources: str) -> dict[str, float]:
    """Run Beam in this process, which writes the tables where they are read; the seconds of each step."""
    flags, _ = parse_index([*sources, "--output", output])
    pipeline = new_pipeline(["--runner=FnApiRunner"])
    index_documents(pipeline | "Sources" >> Sources(sources) | "FindDocuments" >> FindDocuments(), job_settings(flags, "part", 1))
    found = pipeline.run().metrics().query()["distributions"]
    return {step: sum(each.sum for each in results) / 1000 for step, results in _by_step(found, "msec").items()}


def _facts_seconds(sources: Sequence[str]) -> float:
    started = time.process_time()
    for ref in list_sources(sources):
        read_document(ref, ReadSettings())
    return time.process_time() - started


def _start_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        letters(Path(folder, "in"), 1)
        return run_command([sys.executable, "-m", "pdfmill", "index", f"{folder}/in", "--output", f"{folder}/out"]).seconds


def spread(figures: Iterable[float]) -> tuple[float, float, float]:
    """The smallest, the middle and the largest."""
    ordered = sorted(figures)
    return ordered[0], ordered[len(ordered) // 2], ordered[-1]


def lines(samples: Sequence[Sample], documents: int, pages: int, vcpus: int, fetch_seconds: float) -> Iterator[str]:
    """The report: what was measured with its spread, what a job costs by that on each engine, and what breaks first."""
    middle = sorted(samples, key=lambda each: each.a_page)[len(samples) // 2]
    yield f"{middle.documents:,} documents, {middle.pages:,} pages, {len(samples)} runs with one worker; smallest, middle and largest:"
    for told, unit, figures in (
        ("a document", "ms", [1000 * each.a_document for each in samples]),
        ("a page", "ms", [1000 * each.a_page for each in samples]),
        ("a command with one letter", "s", [each.start_seconds for each in samples]),
        ("shuffled, a page", "bytes", [each.shuffled_bytes / each.pages for each in samples]),
        ("tables, a page", "bytes", [each.table_bytes / each.pages for each in samples]),
    ):
        yield f"  {told:26} {' '.join(f'{each:10,.1f}' for each in spread(figures))} {unit}"
    for step, seconds in middle.step_seconds.items():
        yield f"  {step:26} {1000 * seconds / middle.pages:10,.2f} ms a page"
    yield f"{documents:,} documents, {pages:,} pages, {vcpus} vCPUs"
    for engine in ENGINES:
        jobs = [predict(each, documents, pages, vcpus, fetch_seconds, engine) for each in samples]
        hours, length, dollars = (spread(getattr(job, name) for job in jobs) for name in ("vcpu_hours", "hours", "dollars"))
        told = f"{_from_to(hours)} vCPU hours, {_from_to(length, 1)} hours, {_from_to(dollars)} dollars"
        yield f"  {engine.name:26} {told}, {jobs[0].shuffled_gb:,.0f} GB shuffled"
    job = predict(middle, documents, pages, vcpus, fetch_seconds)
    yield f"  {job.table_gb:,.0f} GB of tables in {job.shards:,} parts each"
    yield "what gives way first:"
    yield from (f"  {limit.told}: at {limit.pages(middle):,.0f} pages" for limit in LIMITS)


def _from_to(figures: tuple[float, float, float], digits: int = 0) -> str:
    return f"{figures[0]:,.{digits}f} to {figures[2]:,.{digits}f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == [_ONE]:
        print(json.dumps(_run_here(*words[1:])))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--pages", type=float, default=10, help="of a document")
    parser.add_argument("--vcpus", type=int, default=100)
    parser.add_argument("--fetch_seconds", type=float, default=0.05, help="of a document from its store, where the sample is on a disk")
    args = parser.parse_args(words)
    samples = [measure(args.sources) for _ in range(args.runs)]
    for line in lines(samples, args.documents, int(args.documents * args.pages), args.vcpus, args.fetch_seconds):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
