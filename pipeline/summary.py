"""What a run did, read from its tables and its run file: for the end of `index`, and for `report`.

Of the tables only the footers are read, and some columns of `documents`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from schemas.public import printable, without_secrets
from transforms.isolation import all_memory
from transforms.storage.objects import join_uri, look_up, open_file
from transforms.tables.places import RUN_FILE, read_if_there
from transforms.tables.places import published_parts as published_parts
from transforms.tables.places import table_parts as table_parts

#: Failures that a summary lists by name; the table holds all.
MAX_LISTED: Final = 20
_READ_COLUMNS: Final = [
    "doc_id", "parent_doc_id", "source_uri", "source_etag", "source_size", "source_modified", "content_sha256", "status",
    "error_code", "error_message", "warnings", "page_count",
]  # fmt: skip
_BAD: Final = frozenset({"failed", "encrypted", "not_pdf", "partial"})
#: Reasons of which the next try may know nothing: the store's, of an object that it had listed.
_OF_STORE: Final = frozenset({"store_error", "changed", "not_found", "no_such_bucket", "permission_denied"})
#: What a listing says of an object.
_OF_LISTING: Final = ("source_etag", "source_size", "source_modified", "parent_doc_id")


#: Fields that files of older versions lack.
_LATER: Final = frozenset({"slowest"})


@dataclass(slots=True)
class RunFile:
    """What only the run itself knows. seconds: wall time. version: of pdfmill. sources: as given, without logins. slowest: documents that
    took longest, with their `source_uri` and `seconds`; of a run on one machine."""

    started: str
    seconds: float
    version: str
    runner: str
    sources: list[str]
    slowest: list[dict[str, Any]] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """The content of the file: people read it, so it holds no login."""
        return {**asdict(self), "sources": [without_secrets(source) for source in self.sources]}

    @staticmethod
    def load(output: str) -> RunFile | None:
        """The last run's file, None where there is none, or one that pdfmill did not write."""
        text = read_if_there(join_uri(output, RUN_FILE))
        return None if text is None else RunFile.of(text)

    @staticmethod
    def of(text: bytes) -> RunFile | None:
        """The file's content; None when pdfmill did not write it."""
        try:
            found = json.loads(text)
        except ValueError:
            return None
        names = {each.name for each in fields(RunFile)}
        if not isinstance(found, dict) or not found.keys() >= names - _LATER:
            return None
        return RunFile(**{name: found[name] for name in names if name in found})


@dataclass(slots=True)
class Summary:
    """Sums over the documents table. failures: (source, error code, message) of the first ones that are not ok.

    unlisted: (source, error code) of failures that stand for a source, or a folder in one, that could not be listed, and of objects that
    were not even looked up. may_pass: documents that may be read if they are tried again. prints: of the parts' contents.
    """

    documents: int = 0
    embedded: int = 0
    pages: int = 0
    source_bytes: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    table_bytes: Counter[str] = field(default_factory=Counter)
    unlisted: list[tuple[str, str]] = field(default_factory=list)
    may_pass: int = 0
    prints: list[str] = field(default_factory=list)

    @property
    def bad(self) -> int:
        """Documents that are not ok."""
        return sum(count for status, count in self.statuses.items() if status in _BAD)

    @property
    def readable(self) -> int:
        """Documents of which anything was read."""
        return self.statuses["ok"] + self.statuses["partial"]

    def add(self, other: Summary) -> None:
        """Count what another one counts."""
        for each in fields(Summary):
            ours, theirs = getattr(self, each.name), getattr(other, each.name)
            if isinstance(ours, Counter):
                ours.update(theirs)
            else:
                setattr(self, each.name, ours + theirs)
        self.failures = sorted(self.failures)[:MAX_LISTED]

    def record(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return {each.name: getattr(self, each.name) for each in fields(Summary)}

    def told(self) -> dict[str, Any]:
        """What a program wants to know of it, for JSON."""
        failures = [{"source_uri": printable(uri), "error_code": code, "error_message": message} for uri, code, message in self.failures]
        return {name: value for name, value in self.record().items() if name not in ("prints", "unlisted")} | {"failures": failures}

    @staticmethod
    def of(record: dict[str, Any]) -> Summary:
        """From what `record` gave."""
        counters = {name: Counter(record[name]) for name in ("statuses", "reasons", "warnings", "rows", "table_bytes")}
        pairs = {name: [tuple(each) for each in record[name]] for name in ("failures", "unlisted")}
        return Summary(**{**record, **counters, **pairs})


@dataclass(frozen=True, slots=True)
class Part:
    """A Parquet part as it was met. size: bytes."""

    table: str
    uri: str
    size: int
    rows: int


def summarize(parts: Iterable[tuple[str, str]]) -> tuple[Summary, list[Part]]:
    """What stands in these parts, (table, address) each, one at a time.

    Raises:
        transforms.storage.errors.SourceError: a part cannot be read.
    """
    import pyarrow.parquet as pq  # slow to import; of a local run a guarded process, which has it, reads the parts

    summary, met = Summary(), []
    for table, uri in parts:
        ref = look_up(uri)
        with open_file(ref) as file:
            part = pq.ParquetFile(file)
            size, rows = ref.size or 0, part.metadata.num_rows
            summary.rows[table] += rows
            summary.table_bytes[table] += size
            content = hashlib.sha256(json.dumps([table, size, part.metadata.to_dict()], default=str).encode())
            if table == "documents":
                for batch in part.iter_batches(columns=_READ_COLUMNS):
                    for row in batch.to_pylist():
                        _count(summary, row)
                        content.update(repr([row[name] for name in ("doc_id", "content_sha256", "status", "error_code")]).encode())
        summary.prints.append(content.hexdigest())
        met.append(Part(table, uri, size, rows))
    summary.failures = sorted(summary.failures)[:MAX_LISTED]
    return summary, met


def summarize_guarded(parts: Sequence[tuple[str, str]]) -> tuple[Summary, list[Part]]:
    """As `summarize`, in a guarded process, whatever limit of memory that has for documents."""
    with all_memory():
        return summarize(parts)


def _count(summary: Summary, row: dict[str, object]) -> None:
    summary.documents += row["parent_doc_id"] is None
    summary.embedded += row["parent_doc_id"] is not None
    summary.pages += _number(row["page_count"])
    summary.source_bytes += _number(row["source_size"]) if row["parent_doc_id"] is None else 0
    status = str(row["status"])
    summary.statuses[status] += 1
    warnings = row["warnings"]
    summary.warnings.update(str(warning["code"]) for warning in warnings if isinstance(warning, dict)) if isinstance(
        warnings, list
    ) else None
    if status in _BAD:
        summary.reasons[str(row["error_code"])] += 1
        summary.failures.append((str(row["source_uri"]), str(row["error_code"]), str(row["error_message"])))
        if status == "failed" and all(row[name] is None for name in _OF_LISTING):
            summary.unlisted.append((str(row["source_uri"]), str(row["error_code"])))
        else:
            summary.may_pass += row["error_code"] in _OF_STORE


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
    yield "tables    " + ", ".join(
        f"{name} {rows:,} rows ({summary.table_bytes[name] / 1e6:,.2f} MB)" for name, rows in summary.rows.items()
    )
    yield from failure_lines(summary)


def failure_lines(summary: Summary) -> Iterator[str]:
    """The first documents that are not ok, each with its reason."""
    for uri, code, message in summary.failures:
        yield f"  {code}: {message if printable(uri) in message else f'{printable(uri)}: {message}'}"
    if summary.bad > len(summary.failures):
        yield f"  ... and {summary.bad - len(summary.failures):,} more: see documents where status != 'ok'"
