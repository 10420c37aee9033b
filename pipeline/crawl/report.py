"""The report of a run of a crawl: for people, for alerts, for the history."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pdfmill.pipeline.crawl.config import CrawlConfig
from pdfmill.pipeline.crawl.crawl_parts import OWN
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.plan import PlanSummary
from pdfmill.pipeline.crawl.runs import CrawlRun, Failed, Written, show
from pdfmill.pipeline.run.exit_codes import EXIT_CONFLICT, EXIT_DELETES_WITHHELD, EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.schemas.public import without_secrets
from pdfmill.schemas.version import version
from pdfmill.transforms.delta.delta_log import CommitConflictError, Snapshot
from pdfmill.transforms.storage.objects import join_uri, list_files, read_file, write_bytes

#: Outcomes of runs after which readers see what is there.
SHOWN: Final = ("committed", "unchanged")

#: Failed sources that a report names.
_NAMED: Final = 20


class RunReport(Struct):
    """The machine-readable report of a run.

    run: its id, "" where none began. ended: when the command, or the engine's job, did. mass_delete: deletes wait for
    `--allow-mass-delete`, not only for a source that is away. outcome: committed, unchanged, conflict or error. version: of the snapshot
    that readers see after the run. exit_code: as returned. plan: objects by what was planned for them; waiting: about how many of them a
    later run reads. statuses, pages: of what was read; duplicates: objects that point at a document with the same bytes instead; stale:
    objects that could not be read and keep the rows they had. Of documents that are not ok, or stale: failed_new: those that were not so
    before, and failures: some of these (uri, status, error_code, since); failed_again: those that were read again and are as they were;
    failed_left: those that were left alone. seconds: wall time by phase.
    """

    run: str
    started: str
    pdfmill: str
    sources: list[str]
    ended: str = ""
    outcome: str = "error"
    exit_code: int = 2
    version: int = -1
    listed: int = 0
    known: int = 0
    plan: dict[str, int] = field(default_factory=dict)
    unlisted_sources: list[dict[str, str]] = field(default_factory=list)
    deletes_withheld: str = ""
    mass_delete: bool = False
    waiting: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    duplicates: int = 0
    stale: int = 0
    failed_new: int = 0
    failed_again: int = 0
    failed_left: int = 0
    failures: list[dict[str, str | None]] = field(default_factory=list)
    files_added: int = 0
    files_removed: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    message: str = ""

    def planned(self, summary: PlanSummary, policy: Policy) -> None:
        """Add the totals of the plan."""
        self.deletes_withheld, self.mass_delete = summary.withheld(policy), summary.is_mass_delete(policy)
        self.listed, self.known, self.plan = summary.listed, summary.known, summary.kinds
        self.unlisted_sources = summary.failures[:_NAMED]
        self.failed_left = summary.failing
        self.waiting = policy.budget.left(summary.kinds)

    def committed(self, crawl: CrawlRun, base: Snapshot, everything: Written) -> None:
        """Add the written documents and the outcome."""
        told = everything.readings
        self.statuses, self.pages, self.duplicates = dict(sorted(told.statuses.items())), told.pages, everything.duplicates
        self.stale, self.failed_new, self.failed_again = told.stale, told.failed_new, told.failed_again
        self.failures = [told_of(each) for each in told.failures]
        try:
            self.version = show(crawl, base, everything, {"plan": self.plan, "statuses": self.statuses})
        except CommitConflictError as error:
            self.outcome, self.exit_code, self.message = "conflict", EXIT_CONFLICT, f"{error}; what was read is kept for the next run"
            return
        self.outcome = "committed" if self.version > base.version else "unchanged"
        self.files_added, self.files_removed = len(everything.add), len(everything.remove)
        self.exit_code = self._code()

    def _code(self) -> int:
        if self.listed == 0 and self.unlisted_sources:
            return EXIT_NOTHING_DONE
        if self.mass_delete:
            return EXIT_DELETES_WITHHELD
        return EXIT_SOME_FAILED if self.unlisted_sources or self.failed_new else EXIT_OK

    def after(self, before: RunReport | None) -> RunReport:
        """Join reports of a command with several snapshots: the plan of the first, the readings of all, the state after the last."""
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
        """Store the report with the output, for the history."""
        write_bytes(report_uri(output, self.run), self.text().encode())

    def text(self) -> str:
        """Return the report as JSON."""
        return json.dumps(to_builtins(self), indent=1) + "\n"

    def lines(self) -> Iterator[str]:
        """Return the report as lines for a terminal."""
        yield f"{self.listed:,} objects listed, {self.known:,} known: " + (
            ", ".join(f"{count:,} {kind}" for kind, count in self.plan.items()) or "nothing"
        )
        for each in self.unlisted_sources:
            yield f"  not listed: {each['error_code']}: {each['error_message']}"
        if self.deletes_withheld:
            yield f"deletes withheld: {self.deletes_withheld}"
        if self.waiting:
            yield f"waiting   about {self.waiting:,} documents are left for a later snapshot"
        if self.statuses:
            yield f"read      {self.pages:,} pages; " + ", ".join(f"{status} {count:,}" for status, count in self.statuses.items())
        if self.stale:
            yield f"stale     {self.stale:,} objects could not be read and keep the rows of their last good reading"
        yield from (f"  {failed['status']}: {failed['error_code']}: {failed['uri']}" for failed in self.failures)
        if self.failed_again or self.failed_left:
            yield f"failing   {self.failed_again:,} documents as before, {self.failed_left:,} left alone: pdfmill report --failing"
        if self.duplicates:
            yield f"same      {self.duplicates:,} objects have the bytes of another one, which stands for them"
        yield f"snapshot  {self.version} ({self.outcome}), {sum(self.seconds.values()):.1f} s" + (
            f"; {self.message}" if self.message else ""
        )


def told_of(failed: Failed) -> dict[str, str | None]:
    """Return a failed document as JSON."""
    since = failed.since.isoformat(timespec="seconds") if failed.since else None
    return {"uri": failed.uri, "status": failed.status, "error_code": failed.error_code, "since": since}


def now() -> str:
    """Return the time in the form of reports."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_report(crawl: CrawlRun, config: CrawlConfig) -> RunReport:
    """Return the empty report of a run."""
    return RunReport(
        crawl.run,
        crawl.started.isoformat(timespec="seconds"),
        version(),
        [without_secrets(each) for each in config.sources],
        version=crawl.snapshot - 1,
    )


def report_uri(output: str, run: str) -> str:
    """Return the address of a run's report."""
    return join_uri(output, f"{OWN}/reports/{run}.json")


def history(output: str) -> list[dict[str, Any]]:
    """Return the reports of earlier runs, oldest first."""
    return [json.loads(read_file(uri)) for uri in list_files(join_uri(output, f"{OWN}/reports"), ".json")]


def history_lines(reports: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Return a line for each run."""
    yield f"{'started':20} {'snapshot':>8} {'outcome':10} {'listed':>9} {'read':>7} {'gone':>6} {'failed':>6} {'pages':>8} {'s':>8}"
    for each in reports:
        plan, statuses = each["plan"], each["statuses"]
        read = sum(plan.get(kind, 0) for kind in ("new", "changed", "retry", "redo"))
        failed = sum(count for status, count in statuses.items() if status != "ok")
        yield (
            f"{each['started'][:19]:20} {each['version']:>8} {each['outcome']:10} {each['listed']:>9,} "
            f"{read:>7,} {plan.get('gone', 0):>6,} {failed:>6,} {each['pages']:>8,} {sum(each['seconds'].values()):>8.1f}"
        )
