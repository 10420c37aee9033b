"""Remove expired rows: old rows of `changes`, and tombstones (rows of `sources`) of objects deleted long ago.
A row with the change `DROPPED` names the last snapshot whose rows may be missing, so that readers learn what they missed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.crawl.crawl_parts import STALE_STEM, in_shape, rewrite_part, write_table_part
from pdfmill.schemas.crawl import CRAWL_TABLES, DROPPED
from pdfmill.schemas.records import DocId
from pdfmill.transforms.delta.deletion_vectors import deleted_rows, shown_rows, with_deleted
from pdfmill.transforms.delta.delta_log import LOOSE, LOOSE_STEM, PartFile, Snapshot
from pdfmill.transforms.storage.objects import join_uri

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
