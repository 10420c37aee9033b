"""`pdfmill crawl`: read what has changed in the sources since the last run, and publish the changes in one commit."""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

from msgspec.structs import replace

from pdfmill.pipeline.crawl.config import CrawlConfig, load_config, write_config
from pdfmill.pipeline.crawl.events import taken_events
from pdfmill.pipeline.crawl.local_run import begin, plan_here, run_here
from pdfmill.pipeline.crawl.plan import PlanSummary
from pdfmill.pipeline.crawl.report import SHOWN, RunReport, gauges, now
from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.pipeline.crawl.upkeep import after_run, compact, show_tables, vacuum
from pdfmill.pipeline.options.flag_values import CommandParser
from pdfmill.pipeline.options.options import UsageError
from pdfmill.pipeline.run.errors import (
    EXIT_CONFLICT,
    EXIT_INTERRUPTED,
    EXIT_JOB_ENDED,
    EXIT_LOCKED,
    EXIT_NOTHING_DONE,
    EXIT_OK,
    EXIT_SOME_FAILED,
    JobFailedError,
    JobNotTakenError,
)
from pdfmill.pipeline.run.summary import counted, missing_folder, write_metrics
from pdfmill.schemas.crawl import KINDS
from pdfmill.schemas.version import version
from pdfmill.transforms.delta.delta_log import CommitConflictError
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import check_writable
from pdfmill.transforms.storage.scratch import own_temporary_folder
from pdfmill.transforms.tables.lock import LockedError, locked

log = logging.getLogger("pdfmill")

#: Attempts at a run when another process commits first: maintenance commits once per run, a user perhaps once per night.
_TRIES = 3

#: Number of documents in the first snapshot if the budget is in hours. The time that they take determines the size of the next one.
_FIRST_DOCUMENTS = 1000

#: Expected errors, which end a run with a message, and their exit codes; the first class that fits counts.
_ENDS: Final[Mapping[type[Exception], int]] = {
    LockedError: EXIT_LOCKED,
    CommitConflictError: EXIT_CONFLICT,
    JobNotTakenError: EXIT_NOTHING_DONE,
    JobFailedError: EXIT_JOB_ENDED,
    UsageError: EXIT_NOTHING_DONE,
    SourceError: EXIT_NOTHING_DONE,
    FileNotFoundError: EXIT_NOTHING_DONE,
}


def crawl_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="pdfmill crawl",
        description="Read the documents that have changed since the last run, and publish the changes in one step; for any scheduler.",
        epilog=(
            "exit codes: 0 nothing new failed, 1 documents or sources failed that did not before, 2 nothing could be done,\n"
            "            4 deletes were withheld, 5 another run committed first (the next run uses what this one has read),\n"
            "            6 another run is in progress\n\n"
            "example of CONFIG:\n"
            '  sources = ["s3://archive/reports/"]\n'
            '  output = "s3://search/tables"\n'
            "  [crawl]\n  retry_after_hours = 6\n  [options]\n  hyphens = \"on\""
        ),
    )  # fmt: skip
    parser.add_argument("config", metavar="CONFIG", help="a TOML file with sources, output, [crawl], [options] and [beam]")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--plan", action="store_true", help="print what a run would do, and do nothing")
    what.add_argument("--compact", action="store_true", help="merge small Parquet files, as a new snapshot, instead of a run")
    what.add_argument("--vacuum", action="store_true", help="delete files that no recent snapshot (keep_days) contains, instead of a run")
    what.add_argument(
        "--init", nargs="+", metavar="SOURCE", help="write CONFIG for these sources and --output, with every setting explained"
    )
    parser.add_argument("--output", metavar="DIR", help="with --init: the output of the crawl")
    parser.add_argument(
        "--allow-mass-delete", action="store_true", help="carry out deletes that would otherwise be withheld because they are many"
    )
    parser.add_argument("--report", metavar="FILE", help="also write the run's report to this file, as JSON")
    parser.add_argument(
        "--metrics", metavar="FILE", help="write the run's metrics to this file for Prometheus' textfile collector (NAME.prom)"
    )
    parser.add_argument(
        "--otel", action="store_true", help="also send the run's metrics by OpenTelemetry (OTLP) to OTEL_EXPORTER_OTLP_ENDPOINT"
    )
    return parser


class _Execution:
    """One execution of `pdfmill crawl`: one or several runs, and a final report on all of them. report: of the latest run."""

    def __init__(self, flags: argparse.Namespace) -> None:
        self.flags = flags
        self.report = RunReport("", now(), version(), [])
        self._output = ""
        self._before: RunReport | None = None
        self._otel = importlib.import_module("pdfmill.pipeline.crawl.telemetry") if flags.otel else None  # told before anything is read

    def begin(self, config: CrawlConfig, documents: int) -> CrawlRun:
        """Begin a run with a report of its own. documents: about how many documents the run may read."""
        crawl, self.report = begin(config, documents=documents)
        self._output = config.output
        return crawl

    def keep(self) -> None:
        self.report.save(self._output)
        self._before = self.report.after(self._before)

    def failed(self, error: Exception) -> None:
        self.report.message = f"{type(error).__name__}: {error}"

    def end(self, exit_code: int) -> None:
        """Write the report and the metrics of the whole execution. exit_code: that of the command."""
        self.report.end(exit_code)
        try:
            if self._output:
                self.report.save(self._output)
        except SourceError as error:
            log.warning("the report could not be stored with the output: %s", error)
        report = self.report.after(self._before)
        if self.flags.report:
            Path(self.flags.report).write_text(report.text(), encoding="utf-8")
        if self.flags.metrics:
            write_metrics("crawl", gauges(report), self.flags.metrics)
        if self._otel and not self._otel.send_metrics(report):
            log.warning("no OpenTelemetry collector accepted the metrics of this run; check the address in OTEL_EXPORTER_OTLP_ENDPOINT")


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code. argv: words after `pdfmill crawl`."""
    parser = crawl_parser()
    flags = parser.parse_args(list(argv))
    if bool(flags.init) != bool(flags.output):
        parser.error("--init and --output must be given together: pdfmill crawl CONFIG --init SOURCE... --output DIR")
    if lack := missing_folder(flags.report, flags.metrics):
        parser.error(lack)
    if flags.init or flags.plan or flags.vacuum or flags.compact:
        return _reported(partial(_beside, flags), lambda error: None)
    execution, code = _Execution(flags), EXIT_NOTHING_DONE
    try:
        code = _reported(partial(_crawl, execution), execution.failed)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
        raise
    finally:
        execution.end(code)
    return code


def _reported(work: Callable[[], int], failed: Callable[[Exception], None]) -> int:
    """Call `work` and return its exit code. An expected error is printed, passed to `failed`, and gives an exit code."""
    try:
        return work()
    except tuple(_ENDS) as error:
        failed(error)
        print(f"pdfmill crawl: {error}", file=sys.stderr)
        return next(code for kind, code in _ENDS.items() if isinstance(error, kind))


def _beside(flags: argparse.Namespace) -> int:
    """Do what a flag such as --plan or --vacuum requests instead of a run, and return the exit code."""
    if flags.init:
        return _init(flags)
    config = load_config(flags.config)
    if flags.plan:
        return _plan(config)
    check_writable(config.output)
    with locked(config.output):
        print(f"{counted(vacuum(config), 'file')} deleted" if flags.vacuum else compact(config))
        show_tables(config)
    return EXIT_OK


def _init(flags: argparse.Namespace) -> int:
    config = write_config(flags.config, flags.init, flags.output)
    print(f"{config.path} was written; pdfmill crawl {config.path} --plan shows what a run would do")
    return EXIT_OK


def _engine() -> ModuleType:
    return importlib.import_module("pdfmill.pipeline.crawl.on_engine")


def _temporary(config: CrawlConfig) -> AbstractContextManager[None]:
    return own_temporary_folder() if config.on_engine else nullcontext()


def _plan(config: CrawlConfig) -> int:
    summary, policy, names = plan_here(config)
    for line in plan_lines(summary, names):
        print(line)
    if reason := summary.withheld(policy):
        print(f"deletes would be withheld: {reason}")
    return EXIT_OK if summary.complete else EXIT_SOME_FAILED


def plan_lines(summary: PlanSummary, names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a plan for a terminal: totals, kinds of action with some addresses, sources that could not be listed.
    names: the addresses to print, by kind of action (a key of `KINDS`)."""
    yield f"{counted(summary.listed, 'object')} listed, {summary.known:,} known, {summary.bytes_to_read / 1e6:,.1f} MB to read"
    for kind, count in summary.kinds.items():
        yield f"{kind:10} {count:>9,}  {KINDS[kind]}"
        yield from (f"{'':10} {'':>9}    {uri}" for uri in names.get(kind, []))
    for failure in summary.failures:
        uri, message = failure["source"], failure["error_message"]
        yield f"not listed  {failure['error_code']}: {message if uri in message else f'{uri}: {message}'}"


def _crawl(execution: _Execution) -> int:
    """Write snapshots until nothing is left to read or the budget is spent; return the highest exit code of any snapshot."""
    config = load_config(execution.flags.config)
    check_writable(config.output)
    with locked(config.output):
        worst, spent = EXIT_OK, _Spent(config.settings)
        while documents := spent.next_documents():
            worst = max(worst, _snapshot(config, execution, documents))
            if execution.report.outcome not in SHOWN:
                break
            if config.settings["upkeep"]:
                execution.report.save(config.output)  # nobody knows how long upkeep takes
                for line in after_run(config):
                    print(line)
            show_tables(config)
            if not execution.report.waiting:
                break
            spent.documents += sum(execution.report.statuses.values())
            execution.keep()
    return worst


class _Spent:
    """Counts the documents that one command has read, and limits further reading by the crawl's budget."""

    def __init__(self, settings: Mapping[str, float | int | bool]) -> None:
        self._settings = settings
        self._begun = time.monotonic()
        self.documents = 0

    def next_documents(self) -> int:
        """Return how many documents the next snapshot may have at most; 0 if the budget is spent."""
        most = [int(self._settings["snapshot_documents"])]
        if self._settings["max_documents"]:
            most.append(int(self._settings["max_documents"]) - self.documents)
        if self._settings["max_hours"]:
            took = time.monotonic() - self._begun
            left = float(self._settings["max_hours"]) * 3600 - took
            most.append(int(left * self.documents / took) if self.documents else _FIRST_DOCUMENTS)
        return max(0, min(most))


def _snapshot(config: CrawlConfig, execution: _Execution, documents: int) -> int:
    """Write one snapshot and return the exit code. documents: about how many documents it may read."""
    for _ in range(_TRIES - 1):
        code = _run_once(config, execution, documents)
        if code != EXIT_CONFLICT:
            return code
        execution.report.save(config.output)
    return _run_once(config, execution, documents)  # over what the other has shown; what was read is adopted


def _run_once(config: CrawlConfig, execution: _Execution, documents: int) -> int:
    crawl = execution.begin(config, documents)
    run_it = _engine().run_on_engine if config.on_engine else run_here
    try:
        with _temporary(config), taken_events(config.queues) as taken:
            crawl = replace(crawl, events=tuple(taken.uris.items()))
            execution.report = run_it(config, crawl, execution.report, allow_mass_delete=execution.flags.allow_mass_delete)
            taken.done = execution.report.is_whole
    except tuple(_ENDS):
        raise
    except Exception as error:  # a mistake of ours: the report says so, and the exit code is not that of single documents
        log.exception("the run failed")
        execution.failed(error)
    report = execution.report
    for line in report.lines():
        print(line, file=sys.stderr if report.exit_code == EXIT_CONFLICT else sys.stdout)
    return report.exit_code
