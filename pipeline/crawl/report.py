"""The report of a run of a crawl, for people, alerts, monitoring systems and the history of runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any, Final

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pdfmill.pipeline.crawl.config import CrawlConfig
from pdfmill.pipeline.crawl.crawl_parts import OWN, read_stale, read_states
from pdfmill.pipeline.crawl.decide import DELETED, Policy
from pdfmill.pipeline.crawl.plan import PlanSummary
from pdfmill.pipeline.crawl.runs import STALE, CrawlRun, Failed, Written, show
from pdfmill.pipeline.run.errors import EXIT_CONFLICT, EXIT_DELETES_WITHHELD, EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.pipeline.run.summary import Gauge, counted, run_gauges
from pdfmill.schemas.public import without_secrets
from pdfmill.schemas.version import version
from pdfmill.transforms.delta.delta_log import CommitConflictError, Snapshot, load_snapshot
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, list_files, look_up, open_file, read_file, write_bytes
from pdfmill.transforms.storage.parquet import table_file
from pdfmill.transforms.tables.output_layout import published_parts

#: Outcomes of runs after which readers see the newest state.
SHOWN: Final = ("committed", "unchanged")

#: Most sources that could not be listed of which a report gives the names.
_NAMED: Final = 20


class RunReport(Struct):
    """The machine-readable report of a run. version: of the snapshot that readers see after the run. mass_delete: deletes wait for the flag
    `--allow-mass-delete`. failed_new, failed_again, failed_left: documents that failed for the first time, once more, or were not read
    again after a failure."""

    run: str  # the run's id, "" if none began
    started: str  # time in UTC, ISO 8601
    pdfmill: str  # version of pdfmill
    sources: list[str]
    ended: str = ""  # time when the command, or the engine's job, ended
    outcome: str = "error"  # committed, unchanged, conflict or error
    exit_code: int = 2  # exit code of the command
    version: int = -1  # version of the snapshot that readers see after the run
    listed: int = 0  # objects in the sources
    known: int = 0  # objects in the previous snapshot
    plan: dict[str, int] = field(default_factory=dict)  # number of objects by planned action
    #: Sources that could not be listed: fields as in `PlanSummary.failures`.
    unlisted_sources: list[dict[str, str]] = field(default_factory=list)
    deletes_withheld: str = ""  # the reason why deletes are withheld, "" if they are not
    mass_delete: bool = False  # deletes wait for `--allow-mass-delete`, not only for an unavailable source
    waiting: int = 0  # about how many objects of the plan are left to a later run
    statuses: dict[str, int] = field(default_factory=dict)  # documents read, by status
    pages: int = 0  # pages of the documents read
    duplicates: int = 0  # objects that point to a document with the same bytes
    stale: int = 0  # objects that could not be read and keep their old rows
    failed_new: int = 0  # documents that are not ok or are stale, and were ok before
    failed_again: int = 0  # those that were read again with the same result
    failed_left: int = 0  # those that were not read again
    failures: list[dict[str, str | None]] = field(default_factory=list)  # some of `failed_new`: uri, status, error_code, since
    files_added: int = 0
    files_removed: int = 0
    seconds: dict[str, float] = field(default_factory=dict)  # wall time in seconds by phase of the run
    message: str = ""  # the error as a sentence, "" if there is none

    def planned(self, summary: PlanSummary, policy: Policy) -> None:
        self.deletes_withheld, self.mass_delete = summary.withheld(policy), summary.is_mass_delete(policy)
        self.listed, self.known, self.plan = summary.listed, summary.known, summary.kinds
        self.unlisted_sources = summary.failures[:_NAMED]
        self.failed_left = summary.failing
        self.waiting = policy.budget.left(summary.kinds)

    def committed(self, crawl: CrawlRun, base: Snapshot, everything: Written) -> None:
        """Commit the written files as a snapshot, and add the outcome and the counts of documents to the report. base: the previous
        snapshot."""
        told = everything.readings
        self.statuses, self.pages, self.duplicates = dict(sorted(told.statuses.items())), told.pages, everything.duplicates
        self.stale, self.failed_new, self.failed_again = told.stale, told.failed_new, told.failed_again
        self.failures = [failure_record(each) for each in told.failures]
        try:
            self.version = show(crawl, base, everything, {"plan": self.plan, "statuses": self.statuses})
        except CommitConflictError as error:
            self.outcome, self.exit_code, self.message = "conflict", EXIT_CONFLICT, f"{error}; the next run uses what was read"
            return
        self.outcome = "committed" if self.version > base.version else "unchanged"
        self.files_added, self.files_removed = len(everything.add), len(everything.remove)
        self.exit_code = self._code()

    @property
    def is_whole(self) -> bool:
        """Whether readers see everything that the sources contain: nothing waits, is withheld, or could not be listed."""
        return self.outcome in SHOWN and not (self.waiting or self.unlisted_sources or self.deletes_withheld)

    def _code(self) -> int:
        if self.unlisted_sources and not (self.listed or self.known):  # else the source was there before, and may be again
            return EXIT_NOTHING_DONE
        if self.mass_delete:
            return EXIT_DELETES_WITHHELD
        return EXIT_SOME_FAILED if self.unlisted_sources or self.failed_new else EXIT_OK

    def after(self, before: RunReport | None) -> RunReport:
        """Return one report for two snapshots that one command has made: the plan of the first, the sums of documents read, all else of the
        second.
        before: the report of the first snapshot; None if this report is the first."""
        if before is None:
            return self
        return replace(
            self,
            started=before.started,
            plan=before.plan,
            statuses=dict(sorted((Counter(self.statuses) + Counter(before.statuses)).items())),
            pages=self.pages + before.pages,
            duplicates=self.duplicates + before.duplicates,
            failed_new=self.failed_new + before.failed_new,
            failures=[*before.failures, *self.failures],
            files_added=self.files_added + before.files_added,
            files_removed=self.files_removed + before.files_removed,
            seconds={
                phase: round(self.seconds.get(phase, 0) + before.seconds.get(phase, 0), 3) for phase in {**before.seconds, **self.seconds}
            },
        )

    def end(self, exit_code: int) -> None:
        """Mark the run as ended, with its exit code."""
        self.exit_code, self.ended = exit_code, now()

    def save(self, output: str) -> None:
        write_bytes(report_uri(output, self.run), self.text().encode())

    def text(self) -> str:
        """Return the report as JSON."""
        return json.dumps(to_builtins(self), indent=1) + "\n"

    def lines(self) -> Iterator[str]:
        """Yield the report as lines for a terminal."""
        yield f"{counted(self.listed, 'object')} listed, {self.known:,} known: " + (
            ", ".join(f"{count:,} {kind}" for kind, count in self.plan.items()) or "nothing"
        )
        for each in self.unlisted_sources:
            yield f"  not listed: {each['error_code']}: {each['error_message']}"
        if self.deletes_withheld:
            yield f"deletes withheld: {self.deletes_withheld}"
        if self.waiting:
            yield f"waiting   about {counted(self.waiting, 'document')} left for a later snapshot"
        if self.statuses:
            yield f"read      {counted(self.pages, 'page')}; " + ", ".join(f"{status} {count:,}" for status, count in self.statuses.items())
        if self.stale:
            yield f"stale     {counted(self.stale, 'object')} that could not be read; the rows of the last good reading are kept"
        yield from (f"  {failed['status']}: {failed['error_code']}: {failed['uri']}" for failed in self.failures)
        if self.failed_again or self.failed_left:
            again = counted(self.failed_again, "document")
            yield f"failing   {again} as before, {self.failed_left:,} not tried again; pdfmill report --failing lists them"
        if self.duplicates:
            yield f"same      {counted(self.duplicates, 'object')} with the same bytes as another one, not read again"
        yield f"snapshot  {self.version} ({self.outcome}), {sum(self.seconds.values()):.1f} s" + (
            f"; {self.message}" if self.message else ""
        )


def failure_record(failed: Failed) -> dict[str, str | None]:
    """Return a failed document as a dictionary for JSON."""
    since = failed.since.isoformat(timespec="seconds") if failed.since else None
    return {"uri": failed.uri, "status": failed.status, "error_code": failed.error_code, "since": since}


def now() -> str:
    """Return the present time in the form of reports."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_report(crawl: CrawlRun, config: CrawlConfig) -> RunReport:
    """Return a report of a run, without results."""
    return RunReport(
        crawl.run,
        crawl.started.isoformat(timespec="seconds"),
        version(),
        [without_secrets(each) for each in config.sources],
        version=crawl.snapshot - 1,
    )


def report_uri(output: str, run: str) -> str:
    return join_uri(output, f"{OWN}/reports/{run}.json")


def history(output: str) -> list[dict[str, Any]]:
    """Return the reports of earlier runs, oldest first."""
    return [json.loads(read_file(uri)) for uri in list_files(join_uri(output, f"{OWN}/reports"), ".json")]


def history_lines(reports: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each run of a crawl, for a terminal. reports: `RunReport`s as dictionaries, the oldest first."""
    yield f"{'started':20} {'snapshot':>8} {'outcome':10} {'listed':>9} {'read':>7} {'gone':>6} {'failed':>6} {'pages':>8} {'s':>8}"
    for each in reports:
        plan, statuses = each["plan"], each["statuses"]
        read = sum(plan.get(kind, 0) for kind in ("new", "changed", "retry", "redo"))
        failed = sum(count for status, count in statuses.items() if status != "ok")
        yield (
            f"{each['started'][:19]:20} {each['version']:>8} {each['outcome']:10} {each['listed']:>9,} "
            f"{read:>7,} {plan.get('gone', 0):>6,} {failed:>6,} {each['pages']:>8,} {sum(each['seconds'].values()):>8.1f}"
        )


# List the documents of a crawl's last snapshot that are not ok, and since when: for people, as JSON, or as a list of sources.


#: Prefixes of the addresses of documents that are inside another file; a list of sources can only name that file.
_INSIDE = ("warc+", "parquet+")


def failing(output: str) -> list[Failed]:
    """Return every document whose status is not ok or whose rows are stale, the longest failing first. output: a folder of `crawl` or
    `index`.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the tables cannot be read.
    """
    base = load_snapshot(output)
    if base.version < 0:
        return _failing_of_index(output)
    found = [
        Failed(state.uri, state.status, state.error_code, state.failed_since)
        for file in base.of("sources")
        for state in read_states(output, file.stem, file.vector)
        if state.status not in ("ok", DELETED)
    ]
    found += [
        Failed(each.uri, STALE, each.error_code, each.failed_since)
        for file in base.of("stale")
        for each in read_stale(output, file.stem, file.vector)
    ]
    return sorted(found, key=lambda each: (each.since is not None, each.since, each.uri))


def _failing_of_index(output: str) -> list[Failed]:
    """Return every document in the tables of `pdfmill index` whose status is not ok. Raises SourceError if there are no tables."""
    parts = [uri for table, uri in published_parts(output) if table == "documents"]
    if not parts:
        raise SourceError("not_found", f"{output} has neither a table documents nor a crawl")
    found = []
    for uri in parts:
        with open_file(look_up(uri)) as file:
            rows = table_file(uri, file).read(columns=["source_uri", "status", "error_code"]).to_pylist()
        found += [Failed(row["source_uri"], row["status"], row["error_code"], None) for row in rows if row["status"] != "ok"]
    return sorted(found, key=lambda each: each.uri)


def failing_lines(found: Iterable[Failed]) -> Iterator[str]:
    """Yield a line for each failed document, and a last line with the number of documents by status and error code."""
    counted: Counter[str] = Counter()
    for each in found:
        counted[f"{each.status} {each.error_code}"] += 1
        yield (
            f"{each.since:%Y-%m-%d %H:%M}  {each.status:9} {each.error_code or '':20} {each.uri}"
            if each.since
            else (f"{'':16}  {each.status:9} {each.error_code or '':20} {each.uri}")
        )
    yield ", ".join(f"{count:,} {name}" for name, count in counted.most_common()) or "nothing fails"


def failing_json(found: Iterable[Failed]) -> str:
    """Return the failed documents as a JSON list of objects with uri, status, error_code and since."""
    return json.dumps([failure_record(each) for each in found], indent=1) + "\n"


def failing_list(found: Iterable[Failed]) -> str:
    """Return the addresses of failed documents, or of the archives or Parquet files around them, each once, as a file of sources."""
    return "".join(f"{uri}\n" for uri in sorted({listable(each.uri) for each in found}))


def listable(uri: str) -> str:
    """Return an address that a file of sources may contain: for a record of an archive or Parquet file that of the file.

    >>> listable("warc+s3://b/a.warc.gz#offset=7&length=9")
    's3://b/a.warc.gz'
    """
    return uri.partition("+")[2].partition("#")[0] if uri.startswith(_INSIDE) else uri


# The history of runs as an SVG picture, without scripts and without fonts from elsewhere.


#: The segments of a bar from bottom to top: planned actions other than leaving an object alone, with their colours.
_STACK: Final = {"new": "#4c78a8", "changed": "#72b7b2", "redo": "#b8b0d8", "retry": "#eeca3b", "adopted": "#9d9d9d", "gone": "#e45756"}
_OUTCOMES: Final = {"committed": "#333", "unchanged": "#999", "conflict": "#b279a2", "error": "#e45756"}
_BAR: Final = 18
_HEIGHT: Final = 160
_LEFT: Final = 60


def history_picture(reports: Sequence[Mapping[str, Any]]) -> str:
    """Return an SVG with a bar for each run, the oldest first: numbers of objects by planned action, and a dot in the colour of the
    outcome."""
    most = max((sum(each["plan"].get(kind, 0) for kind in _STACK) for each in reports), default=0) or 1
    width = _LEFT + max(len(reports), 24) * _BAR + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT + 70}" font-family="sans-serif" font-size="11">',
        f'<text x="4" y="20">{most:,}</text><text x="4" y="{_HEIGHT + 10}">0</text>',
        f'<path d="M{_LEFT - 4} 10V{_HEIGHT + 10}H{width - 6}" fill="none" stroke="#999"/>',
    ]
    for number, report in enumerate(reports):
        parts += _bar(_LEFT + number * _BAR, report, most)
    parts += _legend(_HEIGHT + 50)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bar(x: int, report: Mapping[str, Any], most: int) -> list[str]:
    failed = sum(count for status, count in report["statuses"].items() if status != "ok")
    plan = ", ".join(f"{count:,} {kind}" for kind, count in report["plan"].items())
    parts = [
        f"<g><title>{escape(report['started'])}: snapshot {report['version']}, {report['outcome']}; "
        f"{escape(plan)}; {failed:,} failed</title>"
    ]
    y = _HEIGHT + 10.0
    for kind, color in _STACK.items():
        height = report["plan"].get(kind, 0) / most * _HEIGHT
        y -= height
        if height:
            parts.append(f'<rect x="{x}" y="{y:.1f}" width="{_BAR - 4}" height="{height:.1f}" fill="{color}"/>')
    parts.append(f'<circle cx="{x + _BAR / 2 - 2}" cy="{_HEIGHT + 20}" r="4" fill="{_OUTCOMES.get(report["outcome"], "#333")}"/>')
    if failed:
        parts.append(f'<circle cx="{x + _BAR / 2 - 2}" cy="{_HEIGHT + 31}" r="3" fill="none" stroke="#e45756" stroke-width="2"/>')
    return [*parts, "</g>"]


def _legend(y: int) -> list[str]:
    parts, x = [], 4
    for name, color in [*_STACK.items(), *_OUTCOMES.items()]:
        shape = (
            f'<rect x="{x}" y="{y - 9}" width="9" height="9" fill="{color}"/>'
            if name in _STACK
            else f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{color}"/>'
        )
        parts.append(f'{shape}<text x="{x + 13}" y="{y}">{name}</text>')
        x += 20 + 7 * len(name)
    return parts


def gauges(report: RunReport) -> Iterator[Gauge]:
    """Yield all metrics of a run. A metric's label only says what is counted, such as a status; it does not name the crawl."""
    yield from run_gauges(report.exit_code, report.started, report.ended)
    yield Gauge("snapshot_version", "Version of the snapshot that readers see.", "", {"": report.version})
    yield Gauge("run_seconds", "Wall time of the last run by phase.", "phase", report.seconds)
    yield Gauge("objects", "Objects by planned action.", "plan", report.plan)
    yield Gauge("waiting_documents", "About how many documents are left for a later run.", "", {"": report.waiting})
    yield Gauge("listed_objects", "Objects that the sources listed.", "", {"": report.listed})
    yield Gauge("read_documents", "Documents that were read, by status.", "status", report.statuses)
    yield Gauge("read_pages", "Pages that were read.", "", {"": report.pages})
    counts = {"new": report.failed_new, "again": report.failed_again, "left": report.failed_left}
    yield Gauge("failing_documents", "Documents that are not ok: new failures, read again, not read again.", "since", counts)
    yield Gauge("stale_objects", "Objects that could not be read in this run and keep their old rows.", "", {"": report.stale})
    yield Gauge("unlisted_sources", "Sources that could not be listed completely.", "", {"": len(report.unlisted_sources)})
    yield Gauge("deletes_withheld", "1 if deletes are withheld.", "", {"": int(bool(report.deletes_withheld))})
