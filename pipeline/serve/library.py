"""Read the rows of single documents from an output's Parquet files, without loading whole tables.
Rows are sorted by document (`transforms.tables.parts`), and footers have the range of document ids in each row group, so that only the row
groups with the document are decoded, each up to its last row."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import date
from functools import partial
from operator import itemgetter
from typing import Final, TypeVar
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct, field
from numpy.typing import NDArray

from pdfmill.pipeline.search.read_tables import shown_tables
from pdfmill.schemas.records import DocumentRef, Row
from pdfmill.schemas.tables import key_of
from pdfmill.transforms.delta.deletion_vectors import deleted_rows, kept_rows, shown_rows
from pdfmill.transforms.delta.delta_log import LOG
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, list_files, look_up, open_file, read_if_there
from pdfmill.transforms.storage.parquet import may_hold, table_file
from pdfmill.transforms.tables.output_layout import MANIFEST
from pdfmill.transforms.tables.table_reader import HeldTables, is_loose

# Find the Parquet files of an output folder's tables, and notice when they are replaced.


class TableFiles(Struct, frozen=True):
    """The tables of an output. version: another value whenever the tables are replaced. documents: (name without suffix, address) of the
    files of `documents`, in order."""

    version: str
    held: HeldTables
    documents: tuple[tuple[str, str], ...]


def find_table_files(output: str) -> TableFiles:
    """Return the files that `pdfmill index` or `pdfmill crawl` published last.

    Raises:
        pdfmill.pipeline.search.answers.SearchError: the folder cannot be read, or has no tables.
        pdfmill.transforms.storage.errors.SourceError: the store failed.
    """
    version = version_of(output)
    held = shown_tables(output)
    return TableFiles(version, held, tuple((stem, uri) for stem in held.stems("documents") for uri in held.uris("documents", stem)))


def version_of(output: str) -> str:
    """Return a value that changes when the tables are replaced. Reading it is cheap.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be listed or read.
    """
    if log := list_files(join_uri(output, LOG), ".json"):
        return log[-1].rpartition("/")[2]
    manifest = read_if_there(join_uri(output, MANIFEST))
    return "without manifest" if manifest is None else hashlib.sha256(manifest).hexdigest()


T = TypeVar("T")

#: Number of rows decoded at once: a few MB, since the words of a page are some 30 kB.
BATCH_ROWS: Final = 128
#: Seconds after which it is checked again whether the tables were replaced.
REFRESH_SECONDS: Final = 3.0
#: Number of row groups whose documents are cached, some 10 kB each, and number of other small cached results.
KEPT_GROUPS: Final = 512
KEPT_ANSWERS: Final = 256
#: Columns of `documents` in a list of documents.
LISTED_COLUMNS: Final = [
    "doc_id", "parent_doc_id", "source_uri", "title", "status", "error_code", "page_count", "language", "source_size", "source_modified",
    "content_sha256",
]  # fmt: skip
#: Column and direction of each order of a list of documents.
ORDERS: Final = {
    "name": ("source_uri", "ascending"), "pages": ("page_count", "descending"), "language": ("language", "ascending"),
    "size": ("source_size", "descending"), "date": ("source_modified", "descending"),
}  # fmt: skip


class Among(Struct, frozen=True):
    """Conditions that documents must meet; a field left at its default is no condition."""

    words: str = ""  # words in title or address
    language: str | None = None  # ISO 639-1; `zh` includes `zh-cn`
    date_from: date | None = None  # first day of the source's last change
    date_to: date | None = None  # last day of the source's last change, included


ALL: Final = Among()


class Kept:
    """A thread-safe cache of results by key; the least recently used one is dropped first. most: largest number of results."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result for this key; call `make` if there is none yet."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]  # type: ignore[return-value]
        made = make()
        with self._lock:
            self._answers[key] = made
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return made


class Catalogue(Struct, frozen=True):
    """An index from document id to the position of the document's row in all files of `documents`. keys: uint64[n], ascending: the first
    half of each id. places: int64[n], position of the row for each key. statuses, rows: by position, the status, and the number of the row
    within its file. starts: int64[files + 1], the first position of each file."""

    keys: NDArray[np.uint64]
    places: NDArray[np.int64]
    statuses: NDArray[np.str_]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]

    @staticmethod
    def of(columns: Sequence[tuple[list[str], list[str], NDArray[np.int64]]]) -> Catalogue:
        """Build the catalogue from the ids, statuses and row numbers of each file of `documents`, in order."""
        ids = [doc_id for part, _, _ in columns for doc_id in part]
        keys = np.array([_key(doc_id) for doc_id in ids], np.uint64)
        order = np.argsort(keys, kind="stable")
        starts = np.cumsum([0, *(len(part) for part, _, _ in columns)])
        words = np.array([word for _, part, _ in columns for word in part], np.str_)
        rows = np.concatenate([np.empty(0, np.int64), *(part for _, _, part in columns)])
        return Catalogue(keys[order], order.astype(np.int64), words, starts, rows)

    def find(self, doc_id: str) -> list[tuple[int, int]]:
        """Return (file number, row in it) where a document may be; several only if ids share their first 16 hexadecimal digits."""
        first, last = (int(np.searchsorted(self.keys, np.uint64(_key(doc_id)), side)) for side in ("left", "right"))
        return [self.part_of(int(place)) for place in self.places[first:last]]

    def part_of(self, place: int) -> tuple[int, int]:
        """Return the number of the file, and the row within it, for a position. place: position when all files are read in order."""
        part = int(np.searchsorted(self.starts, place, "right")) - 1
        return part, int(self.rows[place])


def _key(doc_id: str) -> int:
    return int(doc_id[:16], 16)


class _Shown(Struct):
    """One version of the tables, with caches. files: reference and footer of each Parquet file, by address. groups: the row ranges of each
    document in a row group. answers: results for requests."""

    tables: TableFiles
    catalogue: Catalogue
    files: Kept = field(default_factory=lambda: Kept(KEPT_GROUPS))
    groups: Kept = field(default_factory=lambda: Kept(KEPT_GROUPS))
    answers: Kept = field(default_factory=lambda: Kept(KEPT_ANSWERS))


class Library:
    """Reads the current tables of one output folder. Its methods raise SourceError if the store fails."""

    def __init__(self, output: str) -> None:
        self.output = output
        self._lock = threading.Lock()
        self._looked = time.monotonic()
        self._shown = _load(output)

    @property
    def version(self) -> str:
        """The version of the current tables."""
        return self._now().tables.version

    def counts(self) -> dict[str, int]:
        """Count documents by status."""
        words, counts = np.unique(self._now().catalogue.statuses, return_counts=True)
        return {str(word): int(count) for word, count in zip(words, counts, strict=True)}

    def listed(self, status: str | None, offset: int, limit: int, order: str | None = None, among: Among = ALL) -> tuple[list[Row], int]:
        """Return some columns of a range of the documents that meet the conditions, and the number of all that meet them.
        status: only documents with this status. offset, limit: the range. order: one of `ORDERS`; None for the order of the tables."""
        return self._again(lambda shown: _listed(shown, status, offset, limit, order, among))

    def languages(self) -> list[str]:
        """Return the languages that the documents have, as codes of ISO 639-1."""
        return self._again(lambda shown: sorted(filter(None, _column(shown, "language").unique().to_pylist())))

    def document(self, doc_id: str) -> Row | None:
        """Return the row of a document; None if the tables have none with this id."""
        return self._again(lambda shown: _document(shown, doc_id))

    def rows(self, table: str, doc_id: str, columns: Sequence[str], pages: frozenset[int] | None = None) -> list[Row]:
        """Return these columns of the document's rows in a table (pages, blocks or assets), in order. pages: wanted page numbers; None for
        all."""
        return self._again(lambda shown: _rows(shown, table, doc_id, columns, pages))

    def kept(self, name: str, doc_id: str, make: Callable[[], T]) -> T:
        """Return a cached result about a document, valid as long as the tables are the same. name: the kind of result. make: computes
        it."""
        return self._now().answers.get((name, doc_id), make)

    def _now(self) -> _Shown:
        with self._lock:
            if time.monotonic() - self._looked > REFRESH_SECONDS:
                self._looked = time.monotonic()
                if version_of(self.output) != self._shown.tables.version:
                    self._shown = _load(self.output)
            return self._shown

    def _again(self, read: Callable[[_Shown], T]) -> T:
        """Call `read`, and once more if a file disappeared because the tables were replaced."""
        try:
            return read(self._now())
        except SourceError as error:
            if error.code != "not_found":
                raise
            with self._lock:
                self._shown = _load(self.output)
            return read(self._shown)


def _load(output: str) -> _Shown:
    tables = find_table_files(output)
    columns = []
    for _, uri in tables.documents:
        with open_file(look_up(uri)) as file:
            part = table_file(uri, file).read(["doc_id", "status"])
        kept = kept_rows(deleted_rows(tables.held.vectors.get(uri)), 0, len(part))
        part = part.filter(kept)
        columns.append((part["doc_id"].to_pylist(), part["status"].to_pylist(), np.flatnonzero(kept)))
    return _Shown(tables, Catalogue.of(columns))


def _opened(shown: _Shown, uri: str) -> pq.ParquetFile:
    """Open a Parquet file. Its footer is cached, because a file is never rewritten under the same name."""

    def look() -> tuple[DocumentRef, pq.FileMetaData]:
        ref = look_up(uri)
        with open_file(ref) as file:
            return ref, table_file(uri, file).metadata

    ref, metadata = shown.files.get(uri, look)
    return table_file(uri, open_file(ref), metadata)


def _column(shown: _Shown, name: str) -> pa.ChunkedArray:
    uris, vectors = [uri for _, uri in shown.tables.documents], shown.tables.held.vectors
    return shown.answers.get(
        ("column", name),
        lambda: pa.chunked_array([each for uri in uris for each in shown_rows(uri, [name], vectors.get(uri))[name].chunks]),
    )


def _are(condition: pa.ChunkedArray) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = pc.fill_null(condition, False).to_numpy()
    return found


def _among(shown: _Shown, among: Among) -> NDArray[np.bool_]:
    wanted = np.ones(len(shown.catalogue.statuses), bool)
    for word in among.words.split():
        wanted &= np.logical_or(
            _are(pc.match_substring(_column(shown, "title"), word, ignore_case=True)),
            _are(pc.match_substring_regex(_column(shown, "source_uri"), f"{re.escape(word)}|{re.escape(quote(word))}", ignore_case=True)),
        )
    if among.language:
        wanted &= _are(pc.match_substring_regex(_column(shown, "language"), f"^{re.escape(among.language)}(-|$)"))
    for day, compare in ((among.date_from, pc.greater_equal), (among.date_to, pc.less_equal)):
        if day is not None:
            wanted &= _are(compare(_column(shown, "source_modified").cast(pa.date32()), day))
    return wanted


def _listed(shown: _Shown, status: str | None, offset: int, limit: int, order: str | None, among: Among) -> tuple[list[Row], int]:
    statuses = shown.catalogue.statuses
    wanted = _among(shown, among) & (True if status is None else statuses == status)
    places = np.arange(len(statuses))
    if order is not None:
        name, way = ORDERS[order]
        values = _column(shown, name)
        places = pc.sort_indices(pa.table([values, pa.array(places)], names=["", "place"]), [("", way), ("place", "ascending")]).to_numpy()
    places = places[wanted[places]]
    rows = []
    for place in places[offset : offset + limit].tolist():
        part, row = shown.catalogue.part_of(place)
        rows.append(_row(shown, shown.tables.documents[part][1], row, LISTED_COLUMNS))
    return rows, len(places)


def _document(shown: _Shown, doc_id: str) -> Row | None:
    for part, row in shown.catalogue.find(doc_id):
        found = _row(shown, shown.tables.documents[part][1], row, None)
        if found["doc_id"] == doc_id:
            return found
    return None


def _row(shown: _Shown, uri: str, row: int, columns: list[str] | None) -> Row:
    with _opened(shown, uri) as file:
        for group in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if row < rows:
                return next(_slice(file, group, row, row + 1, columns))
            row -= rows
    raise SourceError("changed", f"{uri}: has fewer rows than when it was first read")


def _rows(shown: _Shown, table: str, doc_id: str, columns: Sequence[str], pages: frozenset[int] | None) -> list[Row]:
    stems = sorted({shown.tables.documents[part][0] for part, _ in shown.catalogue.find(doc_id)})
    order = key_of(table) if any(map(is_loose, stems)) else []
    wanted = list(dict.fromkeys([*columns, *(["page"] if pages is not None else []), *order]))
    found: list[Row] = []
    for stem in stems:
        for uri in shown.tables.held.uris(table, stem):
            with _opened(shown, uri) as file:
                for group in range(file.metadata.num_row_groups):
                    if may_hold(file.metadata.row_group(group), doc_id, doc_id):
                        runs = shown.groups.get((uri, group), partial(_runs, file, group, shown.tables.held.vectors.get(uri)))
                        for first, last in runs.get(doc_id, ()):
                            span = _span_of_pages(file, group, first, last, pages)
                            found += (row for row in _slice(file, group, *span, wanted) if pages is None or row["page"] in pages)
    if order:
        found.sort(key=itemgetter(*order))
    return found


def _runs(file: pq.ParquetFile, group: int, vector: str | None) -> dict[str, list[tuple[int, int]]]:
    """Return for each document id in a row group the row ranges (first, end excluded) with its rows. vector: the file's deletion vector, or
    None; a document's rows are only ever deleted together."""
    begin, gone = sum(file.metadata.row_group(each).num_rows for each in range(group)), deleted_rows(vector)
    column = file.read_row_group(group, columns=["doc_id"])["doc_id"].combine_chunks()
    ends = pc.run_end_encode(column)
    runs: dict[str, list[tuple[int, int]]] = {}
    first = 0
    for doc_id, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist(), strict=True):
        if begin + first not in gone:
            runs.setdefault(doc_id, []).append((first, end))
        first = end
    return runs


def _span_of_pages(file: pq.ParquetFile, group: int, first: int, last: int, pages: frozenset[int] | None) -> tuple[int, int]:
    """Return the smallest row range within `first` to `last` (excluded) that holds all rows of these pages; None for all pages."""
    if pages is None:
        return first, last
    numbers = [row["page"] for row in _slice(file, group, first, last, ["page"])]
    on_them = [place for place, number in enumerate(numbers) if number in pages]
    return (first + on_them[0], first + on_them[-1] + 1) if on_them else (first, first)


def _slice(file: pq.ParquetFile, group: int, first: int, last: int, columns: Sequence[str] | None) -> Iterator[Row]:
    """Yield rows `first` to `last` (excluded) of a row group; rows after them are not decoded."""
    position = 0
    if first >= last:
        return
    for batch in file.iter_batches(batch_size=BATCH_ROWS, row_groups=[group], columns=None if columns is None else list(columns)):
        start, stop = max(first - position, 0), min(last - position, batch.num_rows)
        if start < stop:
            yield from batch.slice(start, stop - start).to_pylist()
        position += batch.num_rows
        if position >= last:
            return
