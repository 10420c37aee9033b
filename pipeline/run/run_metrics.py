"""Metrics of a run for Prometheus, as a file for the textfile collector of its node exporter.
The format is Prometheus's text format (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from pdfmill.pipeline.run.errors import EXIT_OK, EXIT_SOME_FAILED

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
