"""Maintenance after runs: merge small files, rewrite files with many deleted rows, and delete files that no snapshot needs."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.crawl.config import ASSET_FOLDERS, CrawlConfig
from pdfmill.pipeline.crawl.crawl_parts import OWN, STALE_STEM, in_shape, merge_parts, rewrite_part, write_table_part
from pdfmill.schemas.crawl import CRAWL_TABLES, DROPPED
from pdfmill.schemas.records import DocId
from pdfmill.transforms.delta.checkpoints import newest_checkpoint, trim_log, write_checkpoint
from pdfmill.transforms.delta.deletion_vectors import deleted_rows, shown_rows, with_deleted
from pdfmill.transforms.delta.delta_log import (
    LOOSE,
    LOOSE_STEM,
    TABLE_FOLDER,
    CommitConflictError,
    PartFile,
    Snapshot,
    commit,
    group_of,
    load_snapshot,
    show_each_table,
)
from pdfmill.transforms.delta.run_ids import new_run_id, run_of, start_of
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.local import UNFINISHED
from pdfmill.transforms.storage.objects import delete_file, exists, join_uri, list_files, look_up_if_there, read_if_there, write_bytes

log = logging.getLogger("pdfmill")

#: A part below 1/4 of `part_bytes` is small and is merged; larger ones are not rewritten only to add a few documents.
_SMALL: Final = 4
#: Share of deleted rows in a file above which it is rewritten. Readers skip deleted rows; if each run changes 1 % of the rows, each byte is
#: rewritten after some 25 runs.
_WORN: Final = 0.25
#: A checkpoint of the log is written after this number of versions, as by other writers of Delta tables.
_CHECKPOINT_EVERY: Final = 10
#: Time between deletions of old files: listing the files costs as much as planning, and they are kept for days anyway.
_VACUUM_EVERY: Final = timedelta(days=1)


def after_run(config: CrawlConfig, now: datetime | None = None) -> list[str]:
    """Maintain the output after a snapshot was committed: merge small Parquet files, and once a day delete files that no snapshot needs.

    Returns sentences about the work done. Errors lose no data; the next run tries again.
    """
    told = []
    try:
        if line := _compact_small(config):
            told.append(line)
        told += _daily(config, now or datetime.now(UTC))
        told += _checkpoint(config, now or datetime.now(UTC))
    except (CommitConflictError, SourceError) as error:
        told.append(f"the maintenance failed; the next run tries again: {error}")
    return told


def _compact_small(config: CrawlConfig) -> str:
    """Merge small Parquet files if there are `compact_parts` of them, and rewrite large ones with many deleted rows, up to `upkeep_bytes`.
    Return a sentence about the work done, or ""."""
    base, settings = load_snapshot(config.output), config.settings
    small = int(settings["part_bytes"]) // _SMALL
    stems = base.stems()
    few = {stem for stem, files in stems.items() if max(file.size for file in files) < small}
    large = stems.keys() - few if settings["mark_deletes"] else stems.keys()
    worn = {stem for stem in large if _is_worn(stems[stem], _worn(config))}
    if not settings["compact_parts"] or len(few) < settings["compact_parts"]:
        few = set()
    left = int(settings["upkeep_bytes"])
    chosen: dict[str, list[PartFile]] = {}
    for stem, files in sorted((stem, stems[stem]) for stem in few | worn):
        left -= sum(file.size for file in files)
        if left < 0:
            break
        chosen[stem] = files
    return _put_together(config, base, chosen)


def _worn(config: CrawlConfig) -> float:
    """Return the share of deleted rows, 0 to 1, above which a file is rewritten: 0 if the configuration does not allow deleted rows."""
    return _WORN if config.settings["mark_deletes"] else 0.0


def _is_worn(files: Iterable[PartFile], worn: float) -> bool:
    return any(file.rows - file.shown > worn * file.rows for file in files)


def _checkpoint(config: CrawlConfig, now: datetime) -> list[str]:
    """Write a checkpoint of the Delta log if the log has grown, and delete log files older than `keep_days`; return sentences about it."""
    base = load_snapshot(config.output)
    if base.version - newest_checkpoint(config.output) < _CHECKPOINT_EVERY:
        return []
    limit = now - timedelta(days=float(config.settings["keep_days"]))
    write_checkpoint(config.output, base, limit - 2 * _VACUUM_EVERY)  # a vacuum has met what is left out
    trimmed = trim_log(config.output, limit)
    return [f"checkpoint of snapshot {base.version}" + (f", {trimmed:,} older files of the log were deleted" if trimmed else "")]


def _daily(config: CrawlConfig, now: datetime) -> list[str]:
    """Do the daily maintenance unless it was done within a day, and record the visible snapshot; return sentences about it."""
    mark = join_uri(config.output, f"{OWN}/vacuumed.json")
    known = json.loads(read_if_there(mark) or "{}")
    if "at" in known and now - datetime.fromisoformat(known["at"]) < _VACUUM_EVERY:
        return []
    days: list[tuple[str, int]] = known.get("days", [])
    told = shed_old(config, [(datetime.fromisoformat(at), version) for at, version in days], now)
    if deleted := vacuum(config, now):
        told.append(f"{deleted:,} files were deleted that no snapshot needs")
    since = now - timedelta(days=float(config.settings["keep_changes_days"]))
    days.append((now.isoformat(), load_snapshot(config.output).version))
    days = [day for day, after in zip(days, [*days[1:], days[-1]], strict=True) if datetime.fromisoformat(after[0]) > since]
    write_bytes(mark, json.dumps({"at": now.isoformat(), "days": days}).encode())
    return told


def shed_old(config: CrawlConfig, days: Iterable[tuple[datetime, int]], now: datetime) -> list[str]:
    """Remove rows of `changes` older than `keep_changes_days`, and rows of `sources` about objects deleted more than `keep_deleted_days`
    ago.
    Return a sentence about it in a list, or []. days: (time, version) of the snapshot that was visible on each day."""
    changes, deleted = (timedelta(days=float(config.settings[name])) for name in ("keep_changes_days", "keep_deleted_days"))
    last = max((version for at, version in days if changes and now - at >= changes), default=-1)
    base, run = load_snapshot(config.output), new_run_id(datetime.now(UTC))
    limits = Limits(last, now - deleted if deleted else None, bool(config.settings["mark_deletes"]), run)
    done = shed(config.output, base, limits)
    if not done.rows:
        return []
    version = commit(config.output, base, done.add, done.remove, {"run": run, "operation": "DELETE"}, keeps_marks=limits.marks)
    return [f"snapshot {version}: {done.rows:,} rows about old changes and deleted objects were removed"]


def vacuum(config: CrawlConfig, now: datetime | None = None) -> int:
    """Delete files that no snapshot of the last `keep_days` contains, and files of interrupted runs; return their number.
    Files of a run that has written within `keep_days` stay, as it may be in progress. Older snapshots can no longer be read afterwards."""
    limit = (now or datetime.now(UTC)) - timedelta(days=float(config.settings["keep_days"]))
    snapshot = load_snapshot(config.output)
    gone = snapshot.removed
    recent = {path for path, removed in gone.items() if removed >= limit.timestamp() * 1000}
    shown = snapshot.files.keys() | recent
    doomed = [uri for table in CRAWL_TABLES for uri in _garbage(config.output, table, shown, limit)]
    doomed += [
        uri for folder in ("parts", "runs") for uri in list_files(join_uri(config.output, f"{OWN}/{folder}"), "") if _is_old(uri, limit)
    ]
    doomed = _of_dead_runs(doomed, limit)
    doomed += [
        uri for path in gone.keys() - shown if group_of(PartFile(path, 0, 0).stem) == LOOSE and exists(uri := join_uri(config.output, path))
    ]
    doomed += [uri for uri in list_files(config.output, "") if _is_torn(uri, limit)]
    doomed += _lost_assets(config.output, snapshot, shown, limit)
    for uri in doomed:
        delete_file(uri)
    return len(doomed)


def _of_dead_runs(doomed: Iterable[str], limit: datetime) -> list[str]:
    """Return those of the files in `doomed` whose run has written nothing since the limit."""
    by_run: dict[str, list[str]] = {}
    for uri in doomed:
        by_run.setdefault(_run_in(uri), []).append(uri)
    return [uri for uris in by_run.values() if all(_written_before(uri, limit) for uri in uris) for uri in uris]


def _written_before(uri: str, limit: datetime) -> bool:
    ref = look_up_if_there(uri)
    return ref is None or ref.modified is None or ref.modified < limit


def _lost_assets(output: str, base: Snapshot, shown: Iterable[str], limit: datetime) -> list[str]:
    """Return addresses of exported assets that were written before the limit and belong to no document. base: the last snapshot.
    shown: paths of the Parquet files that snapshots contain."""
    exported = [uri for folder in ASSET_FOLDERS for uri in list_files(join_uri(output, folder), "")]
    if not exported:
        return []
    since = int(limit.timestamp() * 1000)
    living = {
        uri
        for path in sorted(shown)
        if PartFile(path, 0, 0).table == "assets" and exists(join_uri(output, path))
        for uri in shown_rows(join_uri(output, path), ["uri"], base.vector_since(path, since)).column("uri").to_pylist()
    }
    return [uri for uri in exported if uri not in living and _written_before(uri, limit)]


def _garbage(output: str, table: str, shown: Iterable[str], limit: datetime) -> Iterator[str]:
    folder = TABLE_FOLDER.format(table=table)
    names = {path.rpartition("/")[2] for path in shown if path.startswith(f"{folder}/")}
    for uri in list_files(join_uri(output, folder), ".parquet"):
        if uri.rpartition("/")[2] not in names and _is_old(uri, limit):
            yield uri


def _is_torn(uri: str, limit: datetime) -> bool:
    """Return whether a killed process left the file incomplete before `limit`; False for stores, which never show incomplete objects."""
    ref = look_up_if_there(uri) if uri.rpartition("/")[2].startswith(UNFINISHED) else None  # None: it is whole now, under its name
    return ref is not None and ref.modified is not None and ref.modified < limit


def _is_old(uri: str, limit: datetime) -> bool:
    started = start_of(_run_in(uri))
    return started is not None and started < limit


def _run_in(uri: str) -> str:
    """Return the id of the run in a file's address, from its name or a folder above it; "" if there is none."""
    parts = uri.split("/")
    return next((run_of(name.partition(".")[0]) for name in (parts[-1], *parts[-3:-1]) if start_of(name)), "")


def show_tables(config: CrawlConfig) -> None:
    """Update the separate Delta table of each table, if configured; after an error the next run tries again."""
    if config.settings["each_table"]:
        try:
            show_each_table(config.output, CRAWL_TABLES)
        except (CommitConflictError, SourceError) as error:
            log.warning("not every separate Delta table shows the last snapshot: %s", error)


def compact(config: CrawlConfig) -> str:
    """Merge Parquet files as long as the result stays under `part_bytes`, in one commit that changes no row; return a sentence about the
    work done.

    Raises:
        pdfmill.transforms.delta.delta_log.CommitConflictError: another run has committed meanwhile; nothing has changed.
    """
    base = load_snapshot(config.output)
    return _put_together(config, base, base.stems()) or f"snapshot {base.version}: there was nothing to merge"


def _put_together(config: CrawlConfig, base: Snapshot, stems: Mapping[str, list[PartFile]]) -> str:
    """Merge groups of files (by stem, a name without suffix), and commit the result; return a sentence about the work done, or ""."""
    bound, run = int(config.settings["part_bytes"]), new_run_id(datetime.now(UTC))
    stale = {stem: files for stem, files in stems.items() if STALE_STEM in stem}
    groups = [(each, "-") for each in _groups({stem: stems[stem] for stem in stems.keys() - stale.keys()}, bound, _worn(config))]
    groups += [(each, STALE_STEM) for each in _groups(stale, bound, _worn(config))]
    added = [
        file for number, (group, mark) in enumerate(groups) for file in merge_parts(config.output, group, f"{run}{mark}whole-{number:05d}")
    ]
    removed = [file for group, _ in groups for files in group for file in files]
    if not removed:
        return ""
    info, marks = {"run": run, "operation": "OPTIMIZE"}, bool(config.settings["mark_deletes"])
    version = commit(config.output, base, added, removed, info, data_change=False, keeps_marks=marks)
    return f"snapshot {version}: {len(removed):,} files were merged into {len(added):,}"


def _groups(stems: dict[str, list[PartFile]], part_bytes: int, worn: float) -> Iterator[list[list[PartFile]]]:
    """Yield groups of files to merge, oldest first, as lists of the files of all tables with one stem (name without suffix).
    The files of one table have at most `part_bytes` together. A group of one item is one whose share of deleted rows exceeds `worn`."""
    group: list[list[PartFile]] = []
    sizes: dict[str, int] = {}
    for _, files in sorted(stems.items()):
        after = {**sizes, **{file.table: sizes.get(file.table, 0) + file.size for file in files}}
        if group and max(after.values()) > part_bytes:
            if len(group) > 1 or any(_is_worn(each, worn) for each in group):
                yield group
            group, sizes = [], {}
            after = {file.table: file.size for file in files}
        group.append(files)
        sizes = after
    if len(group) > 1 or any(_is_worn(each, worn) for each in group):
        yield group


#: Share of a file's rows that must have expired before they are removed: otherwise each run would mark a few rows in every file.
_ENOUGH: Final = 0.25


class Limits(Struct, frozen=True):
    """Conditions on the rows to remove. snapshot: rows of `changes` up to this one are removed; -1: none. deleted_before: tombstones of
    objects deleted before are removed; None: none. marks: mark rows in deletion vectors instead of rewriting files. run: prefix of new file
    names."""

    snapshot: int
    deleted_before: datetime | None
    marks: bool
    run: str


class Shed(Struct):
    """The result of removing expired rows: new files (`add`), the files that they replace (`remove`), and the number of rows removed."""

    add: list[PartFile] = field(default_factory=list)
    remove: list[PartFile] = field(default_factory=list)
    rows: int = 0


def shed(output: str, base: Snapshot, limits: Limits) -> Shed:
    """Remove expired rows, by writing new files or deletion vectors; readers see no change before the commit. base: the last snapshot."""
    done = Shed()
    _shed_changes(output, base, limits, done)
    if done.rows:
        mark = {"snapshot": limits.snapshot, "change": DROPPED, "changed_table": "changes", "doc_id": ""}
        table = pa.Table.from_pylist([mark], schema=CRAWL_TABLES["changes"])
        done.add += write_table_part(output, "changes", f"{limits.run}-dropped", table)
    _shed_tombstones(output, base, limits, done)
    return done


def _shed_changes(output: str, base: Snapshot, limits: Limits, done: Shed) -> None:
    for file in base.of("changes") if limits.snapshot >= 0 else ():
        old = pc.less_equal(_column(output, file, "snapshot"), limits.snapshot)
        if not (rows := _enough(file, old)):
            continue
        done.rows += len(rows)
        done.remove.append(file)
        if limits.marks or len(rows) == file.shown:
            done.add += _marked(file, rows)
        else:
            left = shown_rows(join_uri(output, file.path), None, file.vector)
            left = left.filter(pc.greater(left.column("snapshot"), limits.snapshot))
            done.add += write_table_part(output, "changes", f"{limits.run}-cut-{_number(file.path)}", left)


def _shed_tombstones(output: str, base: Snapshot, limits: Limits, done: Shed) -> None:
    if limits.deleted_before is None:
        return
    stems = base.stems()
    for file in base.of("sources"):
        gone = pc.fill_null(pc.less(_column(output, file, "deleted_at"), pa.scalar(limits.deleted_before)), False)
        if not (rows := _enough(file, gone)):
            continue
        done.rows += len(rows)
        if limits.marks or len(rows) == file.shown:
            done.remove.append(file)
            done.add += _marked(file, rows)
            continue
        ids = [DocId(each) for each in _column(output, file, "doc_id").take(pa.array(rows)).to_pylist()]
        files = [file] if file.group == LOOSE else [each for each in stems[file.group] if each.table != "changes"]
        between = LOOSE_STEM if file.group == LOOSE else STALE_STEM if STALE_STEM in file.stem else "-"
        done.remove += files
        done.add += rewrite_part(output, files, ids, f"{limits.run}{between}cut-{_number(file.path)}")


def _column(output: str, file: PartFile, name: str) -> pa.ChunkedArray:
    return in_shape(file.table, shown_rows(join_uri(output, file.path), [name]), [name]).column(name)


def _enough(file: PartFile, over: pa.ChunkedArray) -> list[int]:
    """Return the positions of expired rows of a file that are not yet deleted; [] if they are too few to be worth removing."""
    hidden = deleted_rows(file.vector)
    rows = [row for row in pc.indices_nonzero(over).to_pylist() if row not in hidden]
    return rows if rows and len(rows) >= _ENOUGH * file.shown else []


def _marked(file: PartFile, rows: list[int]) -> Iterator[PartFile]:
    if len(rows) < file.shown:
        yield replace(file, vector=with_deleted(file.vector, rows))


def _number(path: str) -> str:
    return f"{crc32(path.encode()):08x}"
