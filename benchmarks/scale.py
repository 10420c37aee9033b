"""What a large job costs, predicted from a run over a sample.

    python -m benchmarks.scale PDF_OR_FOLDER... [--documents 10000000] [--pages 10] [--vcpus 100]

One run in this process, with the parser beside it: one worker, warm from a run over a letter. The steps' own metric `msec` gives the
seconds of each step; what the run took beyond them is what Beam takes between the steps (coders, grouping). A document's own seconds
(fetch, open, facts) are taken once more alone. A second run counts what is shuffled. Run it on an idle machine over a sample of the
archive: archives differ by more than anything else here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.made_documents import letters
from benchmarks.processes import run_command
from benchmarks.shuffle import shuffled, table_rows, tapped
from pipeline.engine import new_pipeline
from pipeline.graph import index_documents
from pipeline.options import job_settings, parse_index
from schemas.tables import TABLES
from transforms.road import read_document
from transforms.settings import ReadSettings
from transforms.steps.find_documents import FindDocuments, Sources
from transforms.storage.sources import absolute_source, list_sources

#: CPU of one worker against that of two over the same documents: what a worker beside others does of its own (docs/scale.md).
BUSY: Final = 0.83
#: Parts of a table are written from memory, one at a time on each worker.
PAGES_OF_A_PART: Final = 50_000


@dataclass(frozen=True, slots=True)
class Sample:
    """documents, pages: as read. step_seconds: sum of `msec` by step. run_seconds: wall time of the run, which one worker made.

    facts_seconds: to fetch and open all documents and take their facts, without pages. start_seconds: wall time of a command that reads
    one letter. shuffled_bytes, table_bytes: in all.
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
class Prices:
    """Assumed, in dollars: about what a managed service asked in 2024 in a cheap region. Put in yours."""

    vcpu_hour: float = 0.056
    gb_hour: float = 0.0036
    shuffled_gb: float = 0.011
    gb_per_vcpu: float = 4.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """Of a job over so many documents, on so many vCPUs."""

    vcpu_hours: float
    hours: float
    shuffled_gb: float
    table_gb: float
    shards: int
    dollars: float


def predict(sample: Sample, documents: int, pages: int, vcpus: int, fetch_seconds: float = 0.0, prices: Prices | None = None) -> Prediction:
    """pages: in all. fetch_seconds: what a store takes to hand out a document beyond what the sample's place took.

    Work is shared evenly; a worker is busy for the share `BUSY` of its time.
    """
    prices = prices or Prices()
    vcpu_hours = (documents * (sample.a_document + fetch_seconds) + pages * sample.a_page) / BUSY / 3600
    shuffled_gb = pages * sample.shuffled_bytes / sample.pages / 1e9
    dollars = vcpu_hours * (prices.vcpu_hour + prices.gb_per_vcpu * prices.gb_hour) + shuffled_gb * prices.shuffled_gb
    return Prediction(
        vcpu_hours, vcpu_hours / vcpus + sample.start_seconds / 3600, shuffled_gb, pages * sample.table_bytes / sample.pages / 1e9,
        -(-pages // PAGES_OF_A_PART), dollars,
    )  # fmt: skip


def measure(sources: Sequence[str]) -> Sample:
    """Run the job over the sources with one worker, and once more to count what is shuffled."""
    absolute = [absolute_source(source) for source in sources]
    with tempfile.TemporaryDirectory() as output:
        letters(Path(output, "letter"), 1)
        _run([f"{output}/letter"], f"{output}/letter-tables")
        started = time.perf_counter()
        found = _run(absolute, output)
        run_seconds = time.perf_counter() - started
        documents, pages = table_rows(output, "documents"), table_rows(output, "pages")
        table_bytes = sum(part.stat().st_size for table in TABLES for part in Path(output, table).glob("*.parquet"))
    seconds = {step: sum(each.sum for each in results) / 1000 for step, results in _by_step(found["distributions"], "msec").items()}
    with tapped():
        by_step, _ = shuffled(list_sources(absolute))
    return Sample(
        documents, pages, seconds, run_seconds, _facts_seconds(absolute), _start_seconds(),
        sum(by_step.values()), table_bytes,
    )  # fmt: skip


def _by_step(metrics: Iterable[Any], name: str) -> dict[str, list[Any]]:
    """The results of one metric by the step that counts it, which may stand in the graph more than once."""
    results: dict[str, list[Any]] = {}
    for each in metrics:
        if each.key.metric.name == name:
            results.setdefault(each.key.metric.namespace, []).append(each.result)
    return results


def _run(sources: Sequence[str], output: str) -> dict[str, Any]:
    """The metrics of a run by Beam in this process, which writes the tables where they are read."""
    flags, _ = parse_index([*sources, "--output", output])
    pipeline = new_pipeline(["--runner=FnApiRunner"])
    index_documents(pipeline | "Sources" >> Sources(sources) | "FindDocuments" >> FindDocuments(), job_settings(flags, "part", 1))
    found: dict[str, Any] = pipeline.run().metrics().query()
    return found


def _facts_seconds(sources: Sequence[str]) -> float:
    started = time.perf_counter()
    for ref in list_sources(sources):
        read_document(ref, ReadSettings())
    return time.perf_counter() - started


def _start_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        letters(Path(folder, "in"), 1)
        return run_command([sys.executable, "-m", "pipeline", "index", f"{folder}/in", "--output", f"{folder}/out"]).seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Print the sample's figures and the prediction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--pages", type=float, default=10, help="of a document")
    parser.add_argument("--vcpus", type=int, default=100)
    parser.add_argument("--fetch_seconds", type=float, default=0.05, help="of a document from its store, where the sample is on a disk")
    args = parser.parse_args(argv)
    sample = measure(args.sources)
    print(
        f"{sample.documents:,} documents, {sample.pages:,} pages, {sample.run_seconds:.1f} s with one worker; "
        f"a command with one letter {sample.start_seconds:.1f} s"
    )
    for step, seconds in sample.step_seconds.items():
        print(f"  {step:20} {seconds:8.2f} s {1000 * seconds / sample.pages:8.2f} ms a page")
    between = sample.run_seconds - sum(sample.step_seconds.values())
    print(f"  {'between the steps':20} {between:8.2f} s {1000 * between / sample.pages:8.2f} ms a page")
    print(f"a document {1000 * sample.a_document:.1f} ms, a page {1000 * sample.a_page:.1f} ms")
    print(
        f"shuffled {sample.shuffled_bytes / sample.pages:,.0f} bytes a page, tables {sample.table_bytes / sample.pages:,.0f} bytes a page"
    )
    job = predict(sample, args.documents, int(args.documents * args.pages), args.vcpus, args.fetch_seconds)
    print(
        f"{args.documents:,} documents of {args.pages:g} pages: {job.vcpu_hours:,.0f} vCPU hours, "
        f"{job.hours:,.1f} hours on {args.vcpus} vCPUs,"
    )
    print(
        f"  {job.shuffled_gb:,.0f} GB shuffled, {job.table_gb:,.0f} GB of tables, --shards {job.shards}, "
        f"{job.dollars:,.0f} dollars at {Prices()}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
