"""The report of a run as metrics for Prometheus: a file for the textfile collector of its node exporter.

The text format of exposition (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4); the file appears whole or not at all,
as the collector asks for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pdfmill.pipeline.crawl.gauges import Gauge, gauges
from pdfmill.pipeline.crawl.report import RunReport

#: Ends the name of a file while it is written; the collector reads `*.prom` only.
_UNFINISHED = ".writing"


def write_metrics(report: RunReport, path: str) -> None:
    """Replace the file at a local path."""
    unfinished = Path(path + _UNFINISHED)
    unfinished.write_text("".join(f"{line}\n" for each in gauges(report) for line in _lines(each)), encoding="utf-8")
    os.replace(unfinished, path)


def _lines(gauge: Gauge) -> Iterator[str]:
    """Labels are words of ours, which need no quoting."""
    if gauge.values:
        yield f"# HELP pdfmill_crawl_{gauge.name} {gauge.sentence}"
        yield f"# TYPE pdfmill_crawl_{gauge.name} gauge"
        for value, number in gauge.values.items():
            label = f'{{{gauge.label}="{value}"}}' if gauge.label else ""
            yield f"pdfmill_crawl_{gauge.name}{label} {number}"
