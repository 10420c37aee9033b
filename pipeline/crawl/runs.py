"""Runs of a crawl: records of the files that a run has written, and the commit that publishes all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, NamedTuple

from msgspec import Struct, field, to_builtins

from pdfmill.pipeline.crawl.crawl_parts import OWN, STALE_STEM, part_record_uri, read_stale, read_states, whole_parts
from pdfmill.schemas.records import DocId, Failure
from pdfmill.transforms.delta.delta_log import TABLE_FOLDER, PartFile, Snapshot, commit, load_snapshot
from pdfmill.transforms.delta.run_ids import run_of
from pdfmill.transforms.storage.objects import delete_file, join_uri, list_files, read_file, read_if_there, write_bytes

#: Occurs in the stems of parts with rows of duplicates, whose originals are in other parts.
SAME: Final = "-same-"
#: Occurs in the stems of parts with rows of moved objects.
MOVED: Final = "-moved-"


#: File with the sources that could not be listed, each with the time of the first such run.
_UNLISTED: Final = f"{OWN}/unlisted.json"
#: Status in reports of an object that could not be read and keeps its old rows.
STALE: Final = "stale"
#: Most documents of which a report gives the names.
_NAMED: Final = 100


class Failed(NamedTuple):
    """A document whose status is not ok, for a report. since: start of the run that first gave it this status."""

    uri: str
    status: str
    error_code: str | None
    since: datetime | None


class CrawlRun(Struct, frozen=True):
    """A run of a crawl. run: its id, with which the names of its files begin. snapshot: version of the snapshot that it will make.
    unlisted: sources that the last run could not list, each with the start of the first such run. marks: mark removed rows in deletion
    vectors. documents: about how many to read; 0: all. events: by source, the addresses that events in its queue name."""

    output: str  # folder of the tables
    run: str
    signature: str  # see `CrawlConfig.signature`
    started: datetime
    snapshot: int
    unlisted: tuple[tuple[str, datetime], ...] = ()
    marks: bool = True
    documents: int = 0
    events: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def age(self) -> float:
        """Return the time since the run began, in seconds."""
        return (datetime.now(UTC) - self.started).total_seconds()


@cache
def base_of(crawl: CrawlRun) -> Snapshot:
    """Return the snapshot from which the run began, read once in each process."""
    return load_snapshot(crawl.output, crawl.snapshot - 1)


def unlisted_before(output: str) -> tuple[tuple[str, datetime], ...]:
    """Return the sources that the last run could not list, each with the start of the first run that could not list the source."""
    told = json.loads(read_if_there(join_uri(output, _UNLISTED)) or "{}")
    return tuple((source, datetime.fromisoformat(since)) for source, since in told.items())


def keep_unlisted(crawl: CrawlRun, failures: Iterable[Mapping[str, str]]) -> None:
    """Record for the next run the sources that could not be listed. failures: dictionaries with `source` and `since`."""
    since = {each["source"]: each["since"] for each in failures}
    if since or crawl.unlisted:
        write_bytes(join_uri(crawl.output, _UNLISTED), json.dumps(since, indent=1).encode())


def files_uri(output: str, run: str) -> str:
    """Return the folder in which a run records all files that it writes, except those of complete parts (sets of files, one per table)."""
    return join_uri(output, f"{OWN}/runs/{run}/files")


def record_files(crawl: CrawlRun, name: str, files: Iterable[PartFile], replaces: str | None = None) -> None:
    """Record written files, so that the commit adds them.
    replaces: the stem (file name without suffix) or path of files that the commit removes instead; None if nothing is removed."""
    record = {"files": [to_builtins(file) for file in files], "replaces": replaces}
    write_bytes(join_uri(files_uri(crawl.output, crawl.run), f"{name}.json"), json.dumps(record).encode())


def record_marks(crawl: CrawlRun, name: str, marked: Sequence[tuple[PartFile, PartFile | None]]) -> None:
    """Record the files of the previous snapshot in which more rows are now deleted. marked: pairs of the file's entry before and after,
    None if no row is left."""
    record = {"files": [to_builtins(left) for _, left in marked if left], "instead_of": [file.path for file, _ in marked]}
    write_bytes(join_uri(files_uri(crawl.output, crawl.run), f"{name}.json"), json.dumps(record).encode())


def staged_parts(base: Snapshot, output: str) -> dict[str, list[PartFile]]:
    """Return by stem (file name without suffix) the complete files that no snapshot has ever contained, of interrupted runs and of runs in
    progress. base: the last snapshot."""
    shown = {file.stem for file in base.files.values()} | {path.rpartition("/")[2].removesuffix(".parquet") for path in base.removed}
    staged = {stem: files for stem, files in whole_parts(output).items() if stem not in shown}
    tables = {file.table for files in staged.values() for file in files}
    there = {
        f"{folder}/{uri.rpartition('/')[2]}"
        for folder in (TABLE_FOLDER.format(table=table) for table in tables)
        for uri in list_files(join_uri(output, folder), ".parquet")
    }
    return {stem: files for stem, files in staged.items() if all(file.path in there for file in files)}  # no tool has taken them away


class Readings(Struct):
    """Counts of the documents that a run has read. stale: objects that could not be read and keep their old rows. failed_new: documents
    that failed and did not fail before; failures: the first of these."""

    statuses: Counter[str] = field(default_factory=Counter)  # number of documents by status
    pages: int = 0  # pages of these documents
    stale: int = 0
    failed_new: int = 0
    failures: list[Failed] = field(default_factory=list)

    def failed(self, failed: Failed, started: datetime) -> None:
        """Count a document whose status is not ok. It is a new failure if it has failed only since `started`, the start of this run."""
        if failed.since is None or failed.since >= started:
            self.failed_new += 1
            self.failures += [failed] * (len(self.failures) < _NAMED)

    @property
    def failed_again(self) -> int:
        """The number of failures that are not new."""
        return self.statuses.total() - self.statuses["ok"] + self.stale - self.failed_new


class Written(Struct, frozen=True):
    """The files that a run has written (`add`), and older ones that they replace (`remove`), without the Delta log. readings: counts of the
    documents read."""

    add: list[PartFile]
    remove: list[PartFile]
    readings: Readings
    duplicates: int


def written(crawl: CrawlRun, base: Snapshot, adopted: Collection[str]) -> Written:
    """Return all files that a run has recorded, with the counts of documents read. adopted: stems of files taken over from interrupted
    runs."""
    output, stems = crawl.output, base.stems()
    whole = whole_parts(output)
    own = {stem: files for stem, files in whole.items() if run_of(stem) == crawl.run}
    add = {stem: whole[stem] for stem in adopted if stem in whole}
    remove: list[PartFile] = []
    stale: list[str] = []
    for uri in list_files(files_uri(output, crawl.run), ".json"):
        record, stem = json.loads(read_file(uri)), uri.rpartition("/")[2].removesuffix(".json")
        add[stem] = [PartFile(**file) for file in record["files"]]
        replaced = record.get("replaces")
        if "instead_of" in record:
            remove += [base.files[path] for path in record["instead_of"]]
        elif replaced in stems:
            remove += stems[replaced]
        elif replaced in base.files:
            remove.append(base.files[replaced])
        elif replaced:
            add.pop(replaced, None)
        elif STALE_STEM in stem:
            stale.append(stem)
    same = sum(file.rows for stem, files in add.items() if SAME in stem for file in files if file.table == "sources")
    readings = _readings(crawl, sorted(own), sorted(stale))
    return Written([file for _, files in sorted((add | own).items()) for file in files], remove, readings, same)


def placed_by(crawl: CrawlRun) -> Iterator[tuple[DocId, str | Failure]]:
    """Yield for each document that a run has read its id, and the stem of its files or the failure with which it keeps its old rows."""
    for stem in sorted(stem for stem in whole_parts(crawl.output, crawl.run) if run_of(stem) == crawl.run):
        yield from ((state.doc_id, stem) for state in read_states(crawl.output, stem))
    for uri in list_files(files_uri(crawl.output, crawl.run), ".json"):
        if STALE_STEM in (stem := uri.rpartition("/")[2].removesuffix(".json")):
            yield from ((each.doc_id, Failure(each.error_code, each.error_message)) for each in read_stale(crawl.output, stem))


def _readings(crawl: CrawlRun, parts: Iterable[str], stale: Iterable[str]) -> Readings:
    """Return the counts of what was read. parts, stale: stems (file names without suffix) of the files of `sources` and of `stale`."""
    told = Readings()
    for stem in parts:
        for state in read_states(crawl.output, stem):
            told.statuses[state.status] += 1
            told.pages += state.page_count
            if state.status != "ok":
                told.failed(Failed(state.uri, state.status, state.error_code, state.failed_since), crawl.started)
    for stem in stale:
        for each in read_stale(crawl.output, stem):
            told.stale += 1
            told.failed(Failed(each.uri, STALE, each.error_code, each.failed_since), crawl.started)
    return told


def show(crawl: CrawlRun, base: Snapshot, all_written: Written, info: Mapping[str, Any]) -> int:
    """Commit the written files as the next snapshot, and return its version; the old version if nothing has changed. info: what the log
    records about the commit.

    Raises:
        pdfmill.transforms.delta.delta_log.CommitConflictError: another run committed first.
    """
    if not all_written.add and not all_written.remove:
        return base.version
    return commit(crawl.output, base, all_written.add, all_written.remove, {"run": crawl.run, **info}, keeps_marks=crawl.marks)


def forget_records(crawl: CrawlRun, all_written: Written) -> None:
    """Delete the records of the files that a snapshot now contains. Call this last, because a repeated commit needs the records."""
    for stem in {file.stem for file in all_written.add if not file.vector}:
        delete_file(part_record_uri(crawl.output, stem))
