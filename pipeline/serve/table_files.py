"""Which Parquet files hold the tables of an output folder, and how to tell that they were replaced."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pipeline.search.read_tables import shown_parts
from schemas.records import TABLE_NAMES
from transforms.snapshots.delta_log import LOG
from transforms.storage.objects import join_uri, list_files
from transforms.tables.places import MANIFEST, read_if_there


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of each table, as addresses in order. version: another one when they were replaced. vectors: see `Shown`."""

    version: str
    files: dict[str, tuple[str, ...]]
    vectors: dict[str, str]


def find_table_files(output: str) -> TableFiles:
    """The files that `pdfmill index` or `pdfmill crawl` published last.

    Raises:
        pipeline.search.answers.SearchError: the folder cannot be read, or holds no tables.
        transforms.storage.errors.SourceError: it cannot be told whether they were replaced.
    """
    version = version_of(output)
    shown = shown_parts(output)
    files = {name: tuple(sorted(uri for (table, _), uri in shown.parts.items() if table == name)) for name in TABLE_NAMES}
    return TableFiles(version, files, shown.vectors)


def version_of(output: str) -> str:
    """What changes when the tables are replaced: cheap enough to be asked again and again.

    Raises:
        transforms.storage.errors.SourceError: the folder cannot be listed or read.
    """
    if log := list_files(join_uri(output, LOG), ".json"):
        return log[-1].rpartition("/")[2]
    manifest = read_if_there(join_uri(output, MANIFEST))
    return "without manifest" if manifest is None else hashlib.sha256(manifest).hexdigest()
