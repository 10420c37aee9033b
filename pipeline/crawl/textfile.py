"""The report of a run as metrics for Prometheus: a file for the textfile collector of its node exporter.

The text format of exposition (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4); the file appears whole or not at all,
as the collector asks for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from pipeline.crawl.report import RunReport

#: Ends the name of a file while it is written; the collector reads `*.prom` only.
_UNFINISHED = ".writing"


def write_metrics(report: RunReport, path: str) -> None:
    """Replace the file at a local path."""
    unfinished = Path(path + _UNFINISHED)
    unfinished.write_text("".join(f"{line}\n" for line in metric_lines(report)), encoding="utf-8")
    os.replace(unfinished, path)


def metric_lines(report: RunReport) -> Iterator[str]:
    """All metrics of a run, labelled by nothing but what they count: which crawl it is says the name of the file, or a label of the
    collector."""
    yield from _gauge("exit_code", "Exit code of the last run.", {"": report.exit_code})
    yield from _gauge("snapshot_version", "Version that readers see.", {"": report.version})
    yield from _gauge("run_start_seconds", "Start of the last run.", {"": datetime.fromisoformat(report.started).timestamp()})
    yield from _gauge("run_seconds", "Wall time of the last run by phase.", _by("phase", report.seconds))
    yield from _gauge("objects", "Objects by what was planned for them.", _by("plan", report.plan))
    yield from _gauge("listed_objects", "Objects that the sources named.", {"": report.listed})
    yield from _gauge("read_documents", "Documents that were read, by status.", _by("status", report.statuses))
    yield from _gauge("read_pages", "Pages that were read.", {"": report.pages})
    counts = {"new": report.failed_new, "again": report.failed_again, "left": report.failed_left}
    yield from _gauge("failing_documents", "Documents that are not ok: new ones, read again, left alone.", _by("since", counts))
    yield from _gauge("stale_objects", "Objects that could not be read in this run and keep the rows they had.", {"": report.stale})
    yield from _gauge("unlisted_sources", "Sources that could not be listed to their end.", {"": len(report.unlisted_sources)})
    yield from _gauge("deletes_withheld", "1 when deletes wait for a word.", {"": int(bool(report.deletes_withheld))})


def _by(label: str, numbers: Mapping[str, float]) -> dict[str, float]:
    """Numbers by label; labels are words of ours, which need no quoting."""
    return {f'{{{label}="{name}"}}': number for name, number in numbers.items()}


def _gauge(name: str, sentence: str, values: Mapping[str, float]) -> Iterator[str]:
    if values:
        yield f"# HELP pdfmill_crawl_{name} {sentence}"
        yield f"# TYPE pdfmill_crawl_{name} gauge"
        yield from (f"pdfmill_crawl_{name}{labels} {value}" for labels, value in values.items())
