"""A summary of rows, computed while they are written, so that they need not be read again. Summaries can be added up.
For files without one, `report` reads the Parquet footers and some columns of `documents`."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field, to_builtins
from msgspec.structs import asdict

from pdfmill.schemas.public import printable
from pdfmill.schemas.records import TABLE_NAMES
from pdfmill.transforms.storage.objects import look_up, open_file

if TYPE_CHECKING:
    import pyarrow.parquet as pq

#: Number of failures that a summary lists at most; the table `documents` has all.
MAX_LISTED: Final = 20
#: Columns of `documents` from which a summary is computed.
SUMMARIZED: Final = [
    "doc_id", "parent_doc_id", "source_uri", "source_etag", "source_size", "source_modified", "content_sha256", "status",
    "error_code", "error_message", "warnings", "page_count",
]  # fmt: skip
#: Number of hex digits of the digest of a part's content: 64 bits for some thousand parts.
_DIGITS: Final = 16
_BAD: Final = frozenset({"failed", "encrypted", "not_pdf", "partial"})
#: Error codes of a listed object that come from the store and may not recur at the next attempt.
_OF_STORE: Final = frozenset({"store_error", "changed", "not_found", "no_such_bucket", "permission_denied"})
#: Columns that are filled from a listing.
_OF_LISTING: Final = ("source_etag", "source_size", "source_modified", "parent_doc_id")


class Summary(Struct):
    """Counts over the rows of the table `documents`, and the rows and bytes of each table. documents: number of inputs. embedded: number of
    PDFs attached to them. statuses: documents by status. reasons: documents that are not ok, by error code. warnings: by code. failures:
    (source, error code, message) of the first documents that are not ok. unlisted: (source, error code) of what could not be listed.
    may_pass: failures that may be temporary."""

    documents: int = 0
    embedded: int = 0
    pages: int = 0
    source_bytes: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    #: (source, error code, message) of the first documents that are not ok.
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    table_bytes: Counter[str] = field(default_factory=Counter)
    #: (source, error code) of sources and folders that could not be listed, and of objects that were not looked up.
    unlisted: list[tuple[str, str]] = field(default_factory=list)
    may_pass: int = 0  # number of documents with failures that may be temporary

    @property
    def bad(self) -> int:
        """The number of documents whose status is not ok."""
        return sum(count for status, count in self.statuses.items() if status in _BAD)

    @property
    def readable(self) -> int:
        """The number of documents that were read at least in part."""
        return self.statuses["ok"] + self.statuses["partial"]

    def add(self, other: Summary) -> None:
        for name in Summary.__struct_fields__:
            ours, theirs = getattr(self, name), getattr(other, name)
            if isinstance(ours, Counter):
                ours.update(theirs)
            else:
                setattr(self, name, ours + theirs)
        self.failures = sorted(self.failures)[:MAX_LISTED]

    def record(self) -> dict[str, Any]:
        """Return all fields as a dictionary that JSON can hold."""
        return asdict(self)

    def for_json(self) -> dict[str, Any]:
        """Return the counts as a dictionary for the JSON output of commands."""
        failures = [{"source_uri": printable(uri), "error_code": code, "error_message": message} for uri, code, message in self.failures]
        return {name: value for name, value in self.record().items() if name != "unlisted"} | {"failures": failures}

    @staticmethod
    def of(record: dict[str, Any]) -> Summary:
        """Rebuild the summary from the dictionary that `record` returned."""
        counters = {name: Counter(record[name]) for name in ("statuses", "reasons", "warnings", "rows", "table_bytes")}
        pairs = {name: [tuple(each) for each in record[name]] for name in ("failures", "unlisted")}
        return Summary(**{**record, **counters, **pairs})


class Part(Struct, frozen=True):
    """A Parquet file of a table. size: bytes. rows: number of its rows. content: digest of the values of its rows."""

    table: str
    uri: str
    size: int  # bytes
    rows: int
    content: str  # digest of the values of its rows, computed from footer and ids


class Written(Struct, frozen=True):
    """The record of the Parquet files that were written, with a summary of their rows, so that a run need not read its own output."""

    summary: Summary = field(default_factory=Summary)
    parts: list[Part] = field(default_factory=list)

    def text(self) -> bytes:
        """Return the record as bytes for a file."""
        return json.dumps({"summary": self.summary.record(), "parts": [to_builtins(part) for part in self.parts]}).encode()

    @staticmethod
    def of_text(text: bytes) -> Written:
        """Rebuild the record from the bytes that `text` returned."""
        found: dict[str, Any] = json.loads(text)
        return Written(Summary.of(found["summary"]), [Part(**part) for part in found["parts"]])


def joined(several: Iterable[Written]) -> Written:
    """Join several records into one, with the files in order of table and address."""
    summary, parts = Summary(), []
    for each in several:
        summary.add(each.summary)
        parts += each.parts
    summary.rows = Counter({table: summary.rows[table] for table in TABLE_NAMES if table in summary.rows})
    summary.unlisted.sort()
    return Written(summary, sorted(parts, key=lambda part: (TABLE_NAMES.index(part.table), part.uri)))


def written_part(table: str, uri: str, data: bytes) -> Written:
    """Make the record of a Parquet file that was just written. data: the bytes of the file."""
    import pyarrow.parquet as pq  # slow to import, and in its writer loaded already

    return _read(table, uri, len(data), pq.ParquetFile(io.BytesIO(data)))


def summarize(parts: Iterable[tuple[str, str]]) -> Written:
    """Read and summarize the rows of these files, given as (table, address), one file at a time.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: a file cannot be read.
    """
    from pdfmill.transforms.storage.parquet import table_file  # brings pyarrow, which is slow to import

    found = []
    for table, uri in parts:
        ref = look_up(uri)
        with open_file(ref) as file:
            found.append(_read(table, uri, ref.size or 0, table_file(uri, file)))
    return joined(found)


def _read(table: str, uri: str, size: int, part: pq.ParquetFile) -> Written:
    summary, rows = Summary(), part.metadata.num_rows
    summary.rows[table] += rows
    summary.table_bytes[table] += size
    content = hashlib.sha256(json.dumps([table, size, part.metadata.to_dict()], default=str).encode())
    if table == "documents":
        for batch in part.iter_batches(columns=SUMMARIZED):
            for row in batch.to_pylist():
                count_document(summary, row)
                content.update(repr([row[name] for name in ("doc_id", "content_sha256", "status", "error_code")]).encode())
    summary.failures = sorted(summary.failures)[:MAX_LISTED]
    return Written(summary, [Part(table, uri, size, rows, content.hexdigest()[:_DIGITS])])


def count_document(summary: Summary, row: dict[str, object]) -> None:
    """Add one document to the summary. row: its row of `documents`, of which only the columns `SUMMARIZED` are needed."""
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
