"""The metrics of a run for monitoring systems."""

from __future__ import annotations

from collections.abc import Iterator

from pdfmill.pipeline.crawl.report import RunReport
from pdfmill.pipeline.run.run_metrics import Gauge, run_gauges


def gauges(report: RunReport) -> Iterator[Gauge]:
    """Yield all metrics of a run. A label only names what is counted, such as a status; the crawl's name is added by the collector."""
    yield from run_gauges(report.exit_code, report.started, report.ended)
    yield Gauge("snapshot_version", "Version that readers see.", "", {"": report.version})
    yield Gauge("run_seconds", "Wall time of the last run by phase.", "phase", report.seconds)
    yield Gauge("objects", "Objects by what was planned for them.", "plan", report.plan)
    yield Gauge("waiting_documents", "Documents that are left for a later run, about.", "", {"": report.waiting})
    yield Gauge("listed_objects", "Objects that the sources named.", "", {"": report.listed})
    yield Gauge("read_documents", "Documents that were read, by status.", "status", report.statuses)
    yield Gauge("read_pages", "Pages that were read.", "", {"": report.pages})
    counts = {"new": report.failed_new, "again": report.failed_again, "left": report.failed_left}
    yield Gauge("failing_documents", "Documents that are not ok: new ones, read again, left alone.", "since", counts)
    yield Gauge("stale_objects", "Objects that could not be read in this run and keep the rows they had.", "", {"": report.stale})
    yield Gauge("unlisted_sources", "Sources that could not be listed to their end.", "", {"": len(report.unlisted_sources)})
    yield Gauge("deletes_withheld", "1 when deletes wait for a word.", "", {"": int(bool(report.deletes_withheld))})
