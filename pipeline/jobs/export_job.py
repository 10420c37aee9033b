"""Export rows of a table to a sink (a search engine, database or file): all, or only changes of a crawl since the last export."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from pdfmill.schemas.records import Row
from pdfmill.schemas.version import version
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables.embeddings import Embeddings
from pdfmill.transforms.tables.sinks.fields import form_of
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, Sink, SinkError, Target, open_sink
from pdfmill.transforms.tables.table_reader import (
    HeldTables,
    changed_documents,
    held_tables,
    ids_at,
    last_dropped_snapshot,
    new_stems,
    rows_of_part,
)

#: Most refused rows that the printed report names.
_NAMED: Final = 20
#: Default path of the file for refused rows.
REFUSED: Final = Path("refused.ndjson")


class ExportOptions(Struct, frozen=True):
    """Options of an export. output: folder of the tables. follow: send only changes, if the target has an earlier snapshot. refused: file
    for rows that the target refuses, as JSON lines. embeddings: computes a vector of `dimensions` numbers for each row."""

    output: str
    target: Target
    table: str  # name of the exported table
    follow: bool = False
    refused: Path = REFUSED
    embeddings: Embeddings | None = None
    dimensions: int = 0


class ExportReport(Struct):
    """Result of an export: number of rows sent and refused. changed: number of changed documents; None if all rows were sent. skipped: file
    sets that an interrupted export had sent. snapshot: version of the exported tables; -1 if no crawl wrote them. reasons: why the first
    refused rows were refused. notes: sentences for the user."""

    rows: int = 0
    refused: int = 0
    changed: int | None = None
    skipped: int = 0
    snapshot: int = -1
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self, options: ExportOptions) -> Iterator[str]:
        """Yield the report as lines for a terminal. options: those of this export."""
        yield from self.notes
        of = f" of {self.changed:,} changed documents" if self.changed is not None else ""
        at = f", snapshot {self.snapshot}" if self.snapshot >= 0 else ""
        yield f"{self.rows:,} rows of {options.table}{of} to {options.target.shown}{at}"
        if self.skipped:
            yield f"{self.skipped:,} files had already been sent by an interrupted export"
        if self.refused:
            yield f"{self.refused:,} rows were refused; they are in {options.refused} with the reasons:"
            yield from (f"  {reason}" for reason in self.reasons)
            yield from ["  ..."] * (self.refused > len(self.reasons))


def export(options: ExportOptions) -> ExportReport:
    """Send rows to the target.

    Raises:
        pdfmill.transforms.tables.sinks.sink.SinkError: the target cannot be written; its readers still see the old rows.
        pdfmill.transforms.storage.errors.SourceError: the tables cannot be read.
    """
    held = held_tables(options.output)
    _check_table(held, options)
    cursor = Cursor(held.source, options.table, held.snapshot, form_of(options.table, version()), options.dimensions)
    report = ExportReport(snapshot=held.snapshot)
    sink = open_sink(options.target)
    try:
        at = sink.cursor(options.table)
        if options.follow and at is not None and _can_follow(held, at, cursor, options, report):
            _export_changes(held, sink, at, cursor, options, report)
        else:
            _export_all(held, sink, cursor, options, report)
    finally:
        sink.close()
    return report


def _check_table(held: HeldTables, options: ExportOptions) -> None:
    if options.follow and not held.has_changes:
        raise SourceError(
            "bad_source", f"{options.output}: was not written by a crawl, so there are no changes to follow; export without --follow"
        )
    if not held.stems(options.table) and held.stems("pages"):
        raise SourceError(
            "bad_source",
            f"{options.output}: has no table {options.table}, since an older pdfmill wrote it; run index again, or give another --table",
        )


def _can_follow(held: HeldTables, at: Cursor, cursor: Cursor, options: ExportOptions, report: ExportReport) -> bool:
    """Return whether `changes` has all changes between the target's snapshot (`at`) and the current one (`cursor`); else report why not.
    Raises SinkError if the target contains rows of other tables."""
    if at.source != cursor.source:
        raise SinkError(
            f"{options.target.shown}: contains rows of other tables than those in {options.output}; export without --follow to replace them"
        )
    if not at.is_before(cursor):
        why = "is newer than the tables" if at.snapshot > cursor.snapshot else "has other fields"
        report.notes.append(f"the target {why}: all rows are exported")
        return False
    if at.snapshot < last_dropped_snapshot(held):
        report.notes.append(
            f"the target has snapshot {at.snapshot}, and the table of changes does not go back that far: all rows are exported"
        )
        return False
    return True


def _export_all(held: HeldTables, sink: Sink, cursor: Cursor, options: ExportOptions, report: ExportReport) -> None:
    sent = sink.begin(cursor)
    letters = _RefusedRows(options.refused, goes_on=bool(sent))
    for stem in held.stems(options.table):
        if stem in sent:
            report.skipped += 1
            continue
        _send(rows_of_part(held, options.table, stem), sink, letters, options, report)
        sink.done(stem)
    sink.commit()


def _export_changes(held: HeldTables, sink: Sink, at: Cursor, cursor: Cursor, options: ExportOptions, report: ExportReport) -> None:
    documents = changed_documents(held, at.snapshot) if at.snapshot < cursor.snapshot else []
    report.changed = len(documents)
    if at == cursor:
        return
    wanted = frozenset(documents)
    sink.begin(cursor, Changes(documents, lambda: ids_at(held, options.table, at.snapshot, wanted)))
    letters = _RefusedRows(options.refused)
    for stem in new_stems(held, options.table, at.snapshot):
        _send(rows_of_part(held, options.table, stem, wanted), sink, letters, options, report)
    sink.commit()


def _send(batches: Iterable[list[Row]], sink: Sink, letters: _RefusedRows, options: ExportOptions, report: ExportReport) -> None:
    for rows in batches:
        given = options.embeddings.added(rows) if options.embeddings is not None else rows
        refused = sink.put(given)
        letters.add(refused)
        report.rows += len(given)
        report.refused += len(refused)
        report.reasons += [f"{each.row['id']}: {each.reason}" for each in refused[: _NAMED - len(report.reasons)]]


class _RefusedRows:
    """The file of the rows that the target refused. Each is written at once, so that it survives a killed export. goes_on: append to the
    existing file, because the export continues an interrupted one."""

    def __init__(self, path: Path, *, goes_on: bool = False) -> None:
        self._path = path
        self._begun = goes_on

    def add(self, refused: Sequence[Refusal]) -> None:
        """Write rows with the reasons for their refusal. Raises SinkError."""
        if not refused:
            return
        told = "".join(
            json.dumps({"status": each.status, "reason": each.reason, "row": each.row}, ensure_ascii=False) + "\n" for each in refused
        )
        try:
            with self._path.open("a" if self._begun else "w", encoding="utf-8") as file:
                file.write(told)
        except OSError as error:
            raise SinkError(f"{self._path}: the file of refused rows cannot be written: {error.strerror or error}") from error
        self._begun = True
