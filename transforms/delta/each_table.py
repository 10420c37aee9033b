"""Keep a separate Delta table for each table of a crawl, besides the common Delta table with the rows of all. Its log is in the folder of
the table's files and names the same files, so that nothing is copied. Its schema has only the columns of its table.

These logs are brought up to date one after the other, after the commit to the common table. After an interruption some are out of date; the
next call updates them. `commitInfo` of each version names the version of the common table.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from msgspec.structs import replace

from pdfmill.transforms.delta.delta_log import TABLE_FOLDER, commit, load_snapshot
from pdfmill.transforms.storage.objects import join_uri


def show_each_table(output: str, tables: Mapping[str, pa.Schema]) -> None:
    """Bring the log of each table up to date with the common table under `output`.

    Raises:
        pdfmill.transforms.delta.delta_log.CommitConflictError: another process does the same.
        pdfmill.transforms.storage.errors.SourceError: a log cannot be read or written.
    """
    shown = load_snapshot(output)
    for table, schema in tables.items():
        folder = join_uri(output, TABLE_FOLDER.format(table=table))
        files = {name: replace(file, path=name) for file in shown.of(table) for name in [file.path.rpartition("/")[2]]}
        base = load_snapshot(folder)
        add = [file for path, file in files.items() if base.files.get(path) != file]
        remove = [file for path, file in base.files.items() if files.get(path) != file]
        if add or remove or base.version < 0:
            info = {"run": f"{table}-{shown.version}", "version": shown.version}
            commit(folder, base, add, remove, info, keeps_marks=shown.marks, schema=schema)
