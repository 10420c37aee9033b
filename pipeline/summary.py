"""What a run did, read from its tables and its run file: for the end of `index`, and for `report`."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Final

import pyarrow.parquet as pq

from schemas.public import printable
from schemas.tables import TABLES
from transforms.storage.objects import join_uri, list_files, read_file, write_bytes

RUN_FILE: Final = "run.json"
#: Failures that a summary lists by name; the table holds all.
MAX_LISTED: Final = 20
_READ_COLUMNS: Final = ["source_uri", "parent_doc_id", "status", "error_code", "error_message", "warnings", "page_count", "source_size"]
_BAD: Final = frozenset({"failed", "encrypted", "not_pdf", "partial"})


@dataclass(slots=True)
class RunFile:
    """What only the run itself knows. seconds: wall time. version: of pdfmill. sources: as given."""

    started: str
    seconds: float
    version: str
    runner: str
    sources: list[str]

    def save(self, output: str) -> None:
        """Write it beside the tables."""
        write_bytes(join_uri(output, RUN_FILE), json.dumps(asdict(self), indent=1).encode())

    @staticmethod
    def load(output: str) -> RunFile | None:
        """The last run's file, None where there is none."""
        if join_uri(output, RUN_FILE) not in list_files(output, RUN_FILE):
            return None
        return RunFile(**json.loads(read_file(join_uri(output, RUN_FILE))))


@dataclass(slots=True)
class Summary:
    """Sums over the documents table. failures: (source, error code, message) of the first ones that are not ok."""

    documents: int = 0
    embedded: int = 0
    pages: int = 0
    source_bytes: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    table_bytes: dict[str, int] = field(default_factory=dict)

    @property
    def bad(self) -> int:
        """Documents that are not ok."""
        return sum(count for status, count in self.statuses.items() if status in _BAD)

    @property
    def readable(self) -> int:
        """Documents of which anything was read."""
        return self.statuses["ok"] + self.statuses["partial"]


def table_parts(output: str, table: str) -> list[str]:
    """Addresses of a table's Parquet parts."""
    return list_files(join_uri(output, table), ".parquet")


def summarize(output: str) -> Summary:
    """Read the tables under `output`, one part at a time.

    Raises:
        transforms.storage.errors.SourceError: the folder cannot be listed or read.
    """
    summary = Summary()
    for table in TABLES:
        for uri in table_parts(output, table):
            data = read_file(uri)
            part = pq.ParquetFile(io.BytesIO(data))
            summary.rows[table] = summary.rows.get(table, 0) + part.metadata.num_rows
            summary.table_bytes[table] = summary.table_bytes.get(table, 0) + len(data)
            if table == "documents":
                for batch in part.iter_batches(columns=_READ_COLUMNS):
                    for row in batch.to_pylist():
                        _count(summary, row)
    summary.failures.sort()
    return summary


def _count(summary: Summary, row: dict[str, object]) -> None:
    summary.documents += row["parent_doc_id"] is None
    summary.embedded += row["parent_doc_id"] is not None
    summary.pages += _number(row["page_count"])
    summary.source_bytes += _number(row["source_size"]) if row["parent_doc_id"] is None else 0
    status = str(row["status"])
    summary.statuses[status] += 1
    warnings = row["warnings"]
    summary.warnings.update(str(warning["code"]) for warning in warnings if isinstance(warning, dict)) if isinstance(warnings, list) else None
    if status in _BAD:
        summary.reasons[str(row["error_code"])] += 1
        summary.failures.append((str(row["source_uri"]), str(row["error_code"]), str(row["error_message"])))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def summary_lines(summary: Summary, run: RunFile | None) -> Iterator[str]:
    """The report as lines for a terminal."""
    embedded = f" and {summary.embedded:,} embedded in them" if summary.embedded else ""
    speed = f" in {run.seconds:.1f} s ({summary.pages / run.seconds:,.0f} pages/s)" if run and run.seconds else ""
    yield f"{summary.documents:,} documents{embedded}, {summary.pages:,} pages, {summary.source_bytes / 1e6:,.1f} MB{speed}"
    yield "status    " + ", ".join(f"{status} {count:,}" for status, count in sorted(summary.statuses.items()))
    if summary.reasons:
        yield "reasons   " + ", ".join(f"{code} {count:,}" for code, count in summary.reasons.most_common())
    if summary.warnings:
        yield "warnings  " + ", ".join(f"{code} {count:,}" for code, count in sorted(summary.warnings.items()))
    yield "tables    " + ", ".join(f"{name} {rows:,} rows ({summary.table_bytes[name] / 1e6:,.2f} MB)" for name, rows in summary.rows.items())
    for uri, code, message in summary.failures[:MAX_LISTED]:
        yield f"  {code}: {message if printable(uri) in message else f'{printable(uri)}: {message}'}"
    if len(summary.failures) > MAX_LISTED:
        yield f"  ... and {len(summary.failures) - MAX_LISTED:,} more: see documents where status != 'ok'"
