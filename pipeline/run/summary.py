"""The summary of a run for people, at the end of `index` and in `report`; and its metrics for Prometheus."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field, to_builtins

from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.schemas.public import printable, with_name, without_secrets
from pdfmill.schemas.version import version
from pdfmill.transforms.storage.objects import join_uri, read_if_there
from pdfmill.transforms.tables.output_layout import RUN_FILE
from pdfmill.transforms.tables.write_summary import Summary

# Sizes in bytes for people.


_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")


def size_text(count: int | None) -> str:
    """Format a number of bytes in three digits with a decimal unit; "" for None.

    >>> size_text(999), size_text(12_345), size_text(999_950), size_text(7 * 10**18), size_text(None)
    ('999 bytes', '12.3 kB', '1 MB', '7,000 PB', '')
    """
    if count is None:
        return ""
    value, unit = float(count), 0
    while float(f"{value:.3g}") >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:,.0f} {_UNITS[unit]}" if value >= 1000 else f"{value:.3g} {_UNITS[unit]}"


#: Fields that the run files of older versions do not have.
_LATER: Final = frozenset({"slowest", "ended", "exit_code", "documents", "pages", "statuses"})


class RunFile(Struct):
    """The record of a run, stored as `run.json`. started, ended: in ISO 8601. seconds: wall time. runner: name of Beam's runner, or
    "local"."""

    started: str
    seconds: float
    version: str  # version of pdfmill
    runner: str
    sources: list[str]  # as given, without passwords
    #: Documents that took longest: `source_uri`, `seconds`; only of a run on one machine.
    slowest: list[dict[str, Any]] = field(default_factory=list)
    ended: str = ""
    exit_code: int = EXIT_OK
    documents: int = 0  # number of documents
    pages: int = 0
    statuses: dict[str, int] = field(default_factory=dict)  # number of documents by status

    @staticmethod
    def of_run(
        started: datetime, seconds: float, runner: str, sources: Iterable[str], summary: Summary, slowest: Iterable[tuple[str, float]] = ()
    ) -> RunFile:
        """Make the record of a run that ends now. seconds: wall time. slowest: (address, seconds) of the documents that took longest."""
        took = [{"source_uri": printable(uri), "seconds": round(each, 3)} for uri, each in slowest]
        begun, ended = (each.isoformat(timespec="seconds") for each in (started, datetime.now(UTC)))
        counts = (exit_code(summary), summary.documents, summary.pages, dict(sorted(summary.statuses.items())))
        return RunFile(begun, round(seconds, 3), version(), runner, list(sources), took, ended, *counts)

    def for_json(self) -> dict[str, Any]:
        """Return the content of the run file. Addresses have no user names and passwords, because people read the file."""
        return {**to_builtins(self), "sources": [without_secrets(source) for source in self.sources]}

    @staticmethod
    def load(output: str) -> RunFile | None:
        """Load the record of the last run; None if there is none, or if pdfmill did not write it."""
        text = read_if_there(join_uri(output, RUN_FILE))
        return None if text is None else RunFile.of(text)

    @staticmethod
    def of(text: bytes) -> RunFile | None:
        """Parse the content of a run file; None if pdfmill did not write it."""
        try:
            found = json.loads(text)
        except ValueError:
            return None
        names = set(RunFile.__struct_fields__)
        if not isinstance(found, dict) or not found.keys() >= names - _LATER:
            return None
        return RunFile(**{name: found[name] for name in names if name in found})


def exit_code(summary: Summary) -> int:
    """Return the exit code: 0 if all documents were read, 2 if none was, else 1."""
    if not summary.readable:
        return EXIT_NOTHING_DONE
    return EXIT_SOME_FAILED if summary.bad else EXIT_OK


def run_json(output: str, run: RunFile | None, summary: Summary) -> dict[str, Any]:
    """Return a run as a dictionary for `index --json`, `--report` and `report --json`. run: its record, None if there is none."""
    return {"output": output, **(run.for_json() if run else {}), **summary.for_json()}


def index_gauges(run: RunFile) -> Iterator[Gauge]:
    """Yield the metrics of a run of `index`."""
    yield from run_gauges(run.exit_code, run.started, run.ended)
    yield Gauge("documents", "Documents that were read, by status.", "status", run.statuses)
    yield Gauge("pages", "Pages that were read.", "", {"": run.pages})


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in singular or plural.

    >>> counted(1, "document"), counted(2000, "page")
    ('1 document', '2,000 pages')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def summary_lines(summary: Summary, run: RunFile | None) -> Iterator[str]:
    """Yield the summary as lines for a terminal. run: the record of the run, None if there is none."""
    embedded = f" and {summary.embedded:,} embedded in them" if summary.embedded else ""
    speed = f" in {run.seconds:.1f} s ({counted(round(summary.pages / run.seconds), 'page')}/s)" if run and run.seconds else ""
    counts = f"{counted(summary.documents, 'document')}{embedded}, {counted(summary.pages, 'page')}"
    yield f"{counts}, {summary.source_bytes / 1e6:,.1f} MB{speed}"
    yield "status    " + ", ".join(f"{status} {count:,}" for status, count in sorted(summary.statuses.items()))
    if summary.reasons:
        yield "reasons   " + ", ".join(f"{code} {count:,}" for code, count in summary.reasons.most_common())
    if summary.warnings:
        yield "warnings  " + ", ".join(f"{code} {count:,}" for code, count in sorted(summary.warnings.items()))
    yield "tables    " + ", ".join(
        f"{name} {counted(rows, 'row')} ({summary.table_bytes[name] / 1e6:,.2f} MB)" for name, rows in summary.rows.items()
    )
    yield from failure_lines(summary)


def failure_lines(summary: Summary) -> Iterator[str]:
    """Yield a line for each of the first documents whose status is not ok, with the reason."""
    for uri, code, message in summary.failures:
        yield f"  {code}: {with_name(message, uri)}"
    if summary.bad > len(summary.failures):
        yield f"  ... and {summary.bad - len(summary.failures):,} more: see documents where status != 'ok'"


#: Suffix of the name of a file that is being written; the collector reads only `*.prom`.
_UNFINISHED: Final = ".writing"
_LAST_SUCCESS: Final = "last_success_seconds"


class Gauge(Struct, frozen=True):
    """A metric. sentence: help text. label: name of its label, "" if it has none. values: a number for each value of the label."""

    name: str
    sentence: str
    label: str
    values: Mapping[str, float]


def run_gauges(exit_code: int, started: str, ended: str) -> Iterator[Gauge]:
    """Yield the metrics common to the runs of all commands. started, ended: in ISO 8601."""
    begin, end = (datetime.fromisoformat(each).timestamp() for each in (started, ended))
    yield Gauge("exit_code", "Exit code of the last run.", "", {"": exit_code})
    yield Gauge("run_start_seconds", "Start of the last run.", "", {"": begin})
    yield Gauge("run_end_seconds", "End of the last run.", "", {"": end})
    if exit_code in (EXIT_OK, EXIT_SOME_FAILED):
        yield Gauge(_LAST_SUCCESS, "End of the last run with exit code 0 or 1.", "", {"": end})


def missing_folder(*paths: str | None) -> str:
    """Return why one of these files could not be written, such as a missing folder; "" if there is no reason. None is skipped."""
    return next(
        (f"{path} cannot be written: there is no folder {Path(path).parent}" for path in paths if path and not Path(path).parent.is_dir()),
        "",
    )


def write_metrics(command: str, gauges: Iterable[Gauge], path: str) -> None:
    """Write the metrics of a command to the file at a local path. If the run failed, the file keeps the time of the last success."""
    lines = [line for each in gauges for line in _lines(command, each)]
    if not any(_LAST_SUCCESS in line for line in lines) and Path(path).exists():
        lines += [line for line in Path(path).read_text(encoding="utf-8").splitlines() if _LAST_SUCCESS in line]
    unfinished = Path(path + _UNFINISHED)
    unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.replace(unfinished, path)


def _lines(command: str, gauge: Gauge) -> Iterator[str]:
    """Yield the lines of a metric in Prometheus's text format. Its labels contain no characters that need escapes."""
    if gauge.values:
        name = f"pdfmill_{command}_{gauge.name}"
        yield f"# HELP {name} {gauge.sentence}"
        yield f"# TYPE {name} gauge"
        for value, number in gauge.values.items():
            label = f'{{{gauge.label}="{value}"}}' if gauge.label else ""
            yield f"{name}{label} {number}"
