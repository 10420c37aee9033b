"""Runs of a crawl: what they leave in the output, and the commit of all that one of them has written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final

from transforms.snapshots.delta_log import PartFile, Snapshot, commit
from transforms.snapshots.names import run_of
from transforms.snapshots.parts import OWN, part_record_uri, read_states, whole_parts
from transforms.storage.objects import delete_file, join_uri, list_files, read_file, write_bytes

#: In the stems of parts whose objects have the bytes of documents that stand in other parts.
SAME: Final = "-same-"


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """What the steps of a run must know. run: its id, with which all its names begin. snapshot: the version it will make."""

    output: str
    run: str
    signature: str
    started: datetime
    snapshot: int

    def age(self) -> float:
        """Seconds since it began."""
        return (datetime.now(UTC) - self.started).total_seconds()


def files_uri(output: str, run: str) -> str:
    """Folder of the records of what a run wrote beside whole parts."""
    return join_uri(output, f"{OWN}/runs/{run}/files")


def record_files(crawl: CrawlRun, name: str, files: Iterable[PartFile], replaces: str | None = None) -> None:
    """Say what was written; replaces: the stem whose files these stand for."""
    record = {"files": [asdict(file) for file in files], "replaces": replaces}
    write_bytes(join_uri(files_uri(crawl.output, crawl.run), f"{name}.json"), json.dumps(record).encode())


def staged_parts(base: Snapshot, output: str) -> dict[str, list[PartFile]]:
    """Whole parts that no snapshot shows or has shown: what dead runs, and runs under way, have left."""
    shown = set(base.stems()) | {path.rpartition("/")[2].removesuffix(".parquet") for path in base.removed}
    return {stem: files for stem, files in whole_parts(output).items() if stem not in shown}


@dataclass(frozen=True, slots=True)
class Written:
    """What a run has written beside the log. statuses, pages: of the documents that it read. duplicates: objects that point at one."""

    add: list[PartFile]
    remove: list[PartFile]
    statuses: dict[str, int]
    pages: int
    duplicates: int


def written(crawl: CrawlRun, base: Snapshot, adopted: Collection[str]) -> Written:
    """All that a run has recorded. adopted: stems of the parts of dead runs that it shows."""
    output, stems = crawl.output, base.stems()
    whole = whole_parts(output)
    own = {stem: files for stem, files in whole.items() if run_of(stem) == crawl.run}
    add = {stem: whole[stem] for stem in adopted if stem in whole}
    remove: list[PartFile] = []
    for uri in list_files(files_uri(output, crawl.run), ".json"):
        record = json.loads(read_file(uri))
        add[uri.rpartition("/")[2].removesuffix(".json")] = [PartFile(**file) for file in record["files"]]
        replaced = record["replaces"]
        if replaced in stems:
            remove += stems[replaced]
        elif replaced:
            add.pop(replaced, None)
    same = sum(file.rows for stem, files in add.items() if SAME in stem for file in files if file.table == "sources")
    statuses, pages = _readings(output, own)
    return Written([file for _, files in sorted((add | own).items()) for file in files], remove, statuses, pages, same)


def _readings(output: str, parts: Iterable[str]) -> tuple[dict[str, int], int]:
    """Documents by status, and pages."""
    statuses: Counter[str] = Counter()
    pages = 0
    for stem in parts:
        for state in read_states(output, stem):
            statuses[state.status] += 1
            pages += state.page_count
    return dict(sorted(statuses.items())), pages


def show(crawl: CrawlRun, base: Snapshot, all_written: Written, info: Mapping[str, Any]) -> int:
    """Make the next snapshot of what was written; the version, the old one when there is nothing new.

    Raises:
        transforms.snapshots.delta_log.CommitConflictError: another run was first.
    """
    if not all_written.add and not all_written.remove:
        return base.version
    return commit(crawl.output, base, all_written.add, all_written.remove, {"run": crawl.run, **info})


def forget_records(crawl: CrawlRun, all_written: Written) -> None:
    """Delete the records of parts that a snapshot shows. Last of all: a commit that is tried again needs them."""
    for stem in {file.stem for file in all_written.add}:
        delete_file(part_record_uri(crawl.output, stem))
