"""A Delta table for each table of a crawl, over the files that its one table shows: in the folder of the table's parts, so that no file is
copied or named twice. Its columns are the table's own.

Each is brought up to what the one table shows by what it lacks, whoever has committed since and whatever went wrong before: not in the same
step as the commit, and table after table. A version of it names the one table's in `commitInfo`.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from msgspec.structs import replace

from pdfmill.transforms.delta.delta_log import TABLE_FOLDER, commit, load_snapshot
from pdfmill.transforms.storage.objects import join_uri


def show_each_table(output: str, tables: Mapping[str, pa.Schema]) -> None:
    """Update the Delta table of each table to what the one table under `output` shows.

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
