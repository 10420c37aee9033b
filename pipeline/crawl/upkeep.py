"""Cleaning up after runs: parts put together, files that nobody can see deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from pipeline.crawl.config import CrawlConfig
from schemas.crawl import CRAWL_TABLES
from transforms.snapshots.delta_log import TABLE_FOLDER, PartFile, commit, load_snapshot
from transforms.snapshots.names import new_run_id, start_of
from transforms.snapshots.parts import OWN, merge_parts
from transforms.storage.errors import SourceError
from transforms.storage.local import UNFINISHED
from transforms.storage.objects import delete_file, join_uri, list_files, look_up


def vacuum(config: CrawlConfig, now: datetime | None = None) -> int:
    """Delete files that no snapshot of the last `keep_days` shows, and what runs older than that have left; returns how many.

    Older snapshots can then no longer be read; the current one, and a run under way, lose nothing.
    """
    limit = (now or datetime.now(UTC)) - timedelta(days=float(config.settings["keep_days"]))
    snapshot = load_snapshot(config.output)
    recent = {path for path, removed in snapshot.removed.items() if removed >= limit.timestamp() * 1000}
    doomed = [uri for table in CRAWL_TABLES for uri in _garbage(config.output, table, snapshot.files.keys() | recent, limit)]
    doomed += [uri for uri in list_files(config.output, "") if _is_torn(uri, limit)]
    doomed += [
        uri for folder in ("parts", "runs") for uri in list_files(join_uri(config.output, f"{OWN}/{folder}"), "") if _is_old(uri, limit)
    ]
    for uri in doomed:
        delete_file(uri)
    return len(doomed)


def _garbage(output: str, table: str, shown: Iterable[str], limit: datetime) -> Iterator[str]:
    folder = TABLE_FOLDER.format(table=table)
    names = {path.rpartition("/")[2] for path in shown if path.startswith(f"{folder}/")}
    for uri in list_files(join_uri(output, folder), ".parquet"):
        if uri.rpartition("/")[2] not in names and _is_old(uri, limit):
            yield uri


def _is_torn(uri: str, limit: datetime) -> bool:
    """Whether a process that died long ago had begun to write it; only on local disks, stores put objects whole."""
    if not uri.rpartition("/")[2].startswith(UNFINISHED):
        return False
    try:
        modified = look_up(uri).modified
    except SourceError as error:
        if error.code != "not_found":
            raise
        return False  # it is whole now, under its name
    return modified is not None and modified < limit


def _is_old(uri: str, limit: datetime) -> bool:
    """Whether the run that a name begins with started before the limit; what no run of ours wrote is left alone."""
    parts = uri.split("/")
    started = next((start for name in (parts[-1], *parts[-3:-1]) if (start := start_of(name))), None)
    return started is not None and started < limit


def compact(config: CrawlConfig) -> str:
    """Put parts together while they stay under `part_bytes`, in one commit that changes no row; returns what was done.

    Raises:
        transforms.snapshots.delta_log.CommitConflictError: a run has committed meanwhile; nothing has changed.
    """
    base = load_snapshot(config.output)
    run = new_run_id(datetime.now(UTC))
    groups = list(_groups(base.stems(), int(config.settings["part_bytes"])))
    added = [file for number, group in enumerate(groups) for file in merge_parts(config.output, group, f"{run}-whole-{number:05d}")]
    removed = [file for group in groups for files in group for file in files]
    if not removed:
        return f"snapshot {base.version}: nothing to put together"
    version = commit(config.output, base, added, removed, {"run": run, "operation": "OPTIMIZE"}, data_change=False)
    return f"snapshot {version}: {len(removed):,} files put together to {len(added):,}"


def _groups(stems: dict[str, list[PartFile]], part_bytes: int) -> Iterator[list[list[PartFile]]]:
    """Stems, oldest first, in groups whose largest table stays under the bound; groups of one are left as they are."""
    group: list[list[PartFile]] = []
    sizes: dict[str, int] = {}
    for _, files in sorted(stems.items()):
        after = {**sizes, **{file.table: sizes.get(file.table, 0) + file.size for file in files}}
        if group and max(after.values()) > part_bytes:
            if len(group) > 1:
                yield group
            group, sizes = [], {}
            after = {file.table: file.size for file in files}
        group.append(files)
        sizes = after
    if len(group) > 1:
        yield group
