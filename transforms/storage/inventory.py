"""Sources that are listings made earlier: inventory reports of stores, and CSV or Parquet files of keys.

    inventory+s3://reports/my-bucket/daily/                        the newest report below a folder
    inventory+s3://reports/my-bucket/daily/2026-11-22T01-00Z/manifest.json
    inventory+gs://reports/inventory/#below=gs://my-bucket/2026/   only objects under this prefix
    inventory+s3://lists/keys.csv.gz#below=s3://my-bucket/         a file of keys; keys without a bucket are relative to this one

Amazon S3 Inventory (user guide, "Locating your inventory list") and Storage Insights inventory reports of Google Cloud Storage have a
manifest, which is written last. A report with missing or changed files raises an error."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final
from urllib.parse import parse_qs, unquote_plus

from msgspec import Struct, field

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import INVENTORY, Address, PathAddress, found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import list_files, look_up, open_file, open_stream, read_bytes, read_if_there
from pdfmill.transforms.storage.settings import SUFFIXES
from pdfmill.transforms.storage.store import STORES, parse

#: The columns that we use, each with its names in different reports, in small letters without `_`; the first that exists is used.
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "key": ("key", "uri", "url", "name"),
    "bucket": ("bucket",),
    "size": ("size",),
    "etag": ("etag",),
    "generation": ("generation",),
    "modified": ("lastmodifieddate", "lastmodified", "updated", "modified"),
    "checksum": ("md5hash",),
    "latest": ("islatest",),
    "marker": ("isdeletemarker",),
    "deleted": ("timedeleted",),
}
_BROKEN: Final = (OSError, EOFError, ValueError, csv.Error, zlib.error)


class _Report(Struct, frozen=True):
    """The description of a listing: its files, their sizes and digests. records: number of objects, None if it is not stated. quoted: keys
    are percent-encoded. is_whole: it lists a whole bucket, not chosen keys."""

    files: list[Address]  # files that contain the listing, in order
    sizes: dict[str, int] = field(default_factory=dict)  # bytes of each file, if the report states them
    digests: dict[str, str] = field(default_factory=dict)  # digest of each file, if the report states it
    scheme: str = ""  # of the listed objects' addresses
    bucket: str = ""  # of the listed objects
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    records: int | None = None
    quoted: bool = False
    is_whole: bool = False


def list_inventory(spec: str) -> Iterator[DocumentRef]:
    """Yield the objects that a listing names, in its order; of a store's inventory report only the documents (*.pdf, *.fdf, *.xfdf).

    Raises:
        SourceError: the listing cannot be read completely; bad_source if the file is no listing.
    """
    at, below = _parts(spec)
    report = _report(at)
    rows = 0
    for file in report.files:
        columns: dict[str, str] | None = None
        for row in _rows(file, report):
            rows += 1
            columns = columns or _columns_of(file, row)
            ref = _reference({what: row[name] for what, name in columns.items()}, report, below)
            if ref is not None:
                yield ref
    if report.records is not None and rows != report.records:
        raise SourceError("damaged", f"{at.uri}: its report states {report.records:,} objects, but its files list {rows:,}")


def _parts(spec: str) -> tuple[Address, str]:
    """Split a source into the address of the listing and the prefix of the objects to be returned ("" for all)."""
    source, mark, rest = spec.removeprefix(INVENTORY).partition("#")
    named = {key: values[0] for key, values in parse_qs(rest).items()}
    if mark and named.keys() != {"below"}:
        raise SourceError(
            "bad_source", f"{spec}: after the # of a listing only below=ADDRESS is allowed, the prefix of the objects to be read"
        )
    return parse(source), named.get("below", "")


def _report(at: Address) -> _Report:
    name = at.key.lower()
    if name.endswith((".csv", ".csv.gz", ".parquet")):
        return _Report([at])
    if not name.endswith(".json"):
        at = _newest(at)
    data = read_bytes(found(at.uri))
    try:
        manifest = json.loads(data)
        if "files" in manifest and "sourceBucket" in manifest:
            return _of_s3(at, data, manifest)
        if "report_shards_file_names" in manifest:
            return _of_gcs(at, manifest)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("damaged", f"{at.uri}: the manifest of the inventory cannot be read: {type(error).__name__}: {error}") from error
    raise SourceError("bad_source", f"{at.uri}: is not a manifest of an S3 or Google Cloud Storage inventory")


def _newest(folder: Address) -> Address:
    """Return the manifest of the newest report below a folder, by the time in the name of its folder (S3) or after an id in its own
    (GCS)."""
    uris = list_files(folder.uri, "manifest.json")
    if not uris:
        raise SourceError("not_found", f"{folder.uri}: contains no manifest of an inventory report")
    return parse(max(uris, key=_time_of))


def _time_of(manifest: str) -> tuple[str, str]:
    parts = manifest.rsplit("/", 2)
    time = parts[-1].removesuffix("manifest.json").strip("_").rpartition("_")[2]
    return (time or parts[-2]), manifest


def _of_s3(at: Address, data: bytes, manifest: Mapping[str, Any]) -> _Report:
    digest = _beside(at, f"{at.key.rpartition('/')[0]}/manifest.checksum")
    expected = (read_if_there(digest.uri) or b"").decode("ascii", "replace").strip()
    if expected and expected != hashlib.md5(data, usedforsecurity=False).hexdigest():
        raise SourceError("damaged", f"{at.uri}: does not match the checksum in manifest.checksum")
    if manifest["fileFormat"] not in ("CSV", "Parquet"):
        raise SourceError(
            "bad_source", f"{at.uri}: an inventory in {manifest['fileFormat']}is not supported; configure it as CSV or Parquet"
        )
    files = [(_beside(at, str(each["key"])), each) for each in manifest["files"]]
    return _Report(
        [file for file, _ in files],
        {file.uri: int(each["size"]) for file, each in files if "size" in each},
        {file.uri: str(each["MD5checksum"]) for file, each in files if each.get("MD5checksum")},
        "s3",
        str(manifest["sourceBucket"]),
        tuple(name.strip() for name in manifest["fileSchema"].split(",")) if manifest["fileFormat"] == "CSV" else (),
        quoted=manifest["fileFormat"] == "CSV",
        is_whole=True,
    )


def _beside(at: Address, key: str) -> Address:
    """Return the address of a file of an inventory report. key: as the manifest states it. On a disk, the file lies in the manifest's
    folder.
    at: address of the manifest."""
    return at.beside(f"{at.key.rpartition('/')[0]}/{key.rpartition('/')[2]}") if isinstance(at, PathAddress) else at.beside(key)


def _of_gcs(at: Address, manifest: Mapping[str, Any]) -> _Report:
    config = manifest.get("report_config") or {}
    form = config.get("csv_options") or {}
    fields = (config.get("object_metadata_report_options") or {}).get("metadata_fields") or ()
    folder = at.key.rpartition("/")[0]
    files = [at.beside(f"{folder}/{name}" if folder else name) for name in manifest["report_shards_file_names"]]
    records = manifest.get("records_processed")
    return _Report(
        files,
        scheme="gs",
        columns=() if form.get("header_required", True) else tuple(fields),
        delimiter=form.get("delimiter") or ",",
        records=None if records is None else int(records),
        is_whole=True,
    )


def _rows(file: Address, report: _Report) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file of the listing as dictionaries by column. Raises SourceError(damaged) if the file is not as the report
    states."""
    ref = look_up(file.uri)
    size = report.sizes.get(file.uri, ref.size)
    if ref.size is not None and ref.size != size:
        raise SourceError("damaged", f"{file.uri}: has {ref.size} bytes, but its report states {size}")
    try:
        yield from _parquet_rows(ref) if file.key.lower().endswith(".parquet") else _csv_rows(file, report)
    except _BROKEN as error:
        raise SourceError("damaged", f"{file.uri}: the listing cannot be read completely: {error}") from error


def _parquet_rows(ref: DocumentRef) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa  # every command asks whether a source is a listing
    import pyarrow.parquet as pq

    try:
        with open_file(ref) as stream, pq.ParquetFile(stream) as parquet:
            known = {each for names in _COLUMNS.values() for each in names}
            names = [name for name in parquet.schema_arrow.names if _plain(name) in known]
            if not names:
                raise SourceError("bad_source", f"{ref.uri}: has no column {' or '.join(_COLUMNS['key'])}")
            for batch in parquet.iter_batches(columns=names, use_threads=False):
                yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise ValueError(str(error)) from error


class _Hashed(io.RawIOBase):
    """A stream that computes a hash of the bytes read through it, and remembers the last byte."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.md5 = hashlib.md5(usedforsecurity=False)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.md5.update(data)
        return len(data)


def _csv_rows(file: Address, report: _Report) -> Iterator[Mapping[str, Any]]:
    expected = report.digests.get(file.uri)
    with closing(open_stream(file.uri)) as stream:
        hashed = _Hashed(stream)
        raw = io.BufferedReader(hashed)
        plain: Any = gzip.GzipFile(fileobj=raw) if file.key.lower().endswith(".gz") else raw
        lines = _whole_lines(io.TextIOWrapper(plain, "utf-8", newline=""))
        columns = report.columns
        for number, row in enumerate(csv.reader(lines, delimiter=report.delimiter)):
            if not columns:
                columns = tuple(row)
                continue
            if len(row) != len(columns):
                raise ValueError(f"row {number + 1} has {len(row)} fields instead of {len(columns)}")
            yield dict(zip(columns, row, strict=True))
        if not columns:
            raise ValueError("it is empty")
        if expected and hashed.md5.hexdigest() != expected:
            raise ValueError("its MD5 differs from that in its report")


def _whole_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines. Raises an error if one has no line end, because the file was cut off."""
    for line in lines:
        yield line
        if not line.endswith(("\n", "\r")):
            raise ValueError("its last line has no line end, so it may be cut off; add a line end if it is complete")


def _columns_of(file: Address, row: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the columns by property (a key of `_COLUMNS`, such as key or size).
    Raises SourceError(bad_source) if no column holds the object's key."""
    there = {_plain(name): name for name in reversed(list(row))}
    entry = {what: there[name] for what, names in _COLUMNS.items() for name in reversed(names) if name in there}
    if "key" not in entry:
        raise SourceError("bad_source", f"{file.uri}: has no column {' or '.join(_COLUMNS['key'])}; its columns: {', '.join(row)}")
    return entry


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace(" ", "").lstrip("\ufeff")


def _reference(entry: Mapping[str, Any], report: _Report, below: str) -> DocumentRef | None:
    """Return the reference to the object in a row of an inventory; None if it was deleted or is not below the prefix `below`.
    entry: the row's values by property (a key of `_COLUMNS`)."""
    if _is(entry.get("latest"), "false") or _is(entry.get("marker"), "true") or entry.get("deleted"):
        return None
    key = unquote_plus(str(entry["key"])) if report.quoted else str(entry["key"])
    bucket = entry.get("bucket") or report.bucket
    if "://" in key:
        address = parse(key)
    elif bucket and (scheme := report.scheme or (parse(below).scheme if below else "")):
        address = Address(scheme, str(bucket), key)
    elif below:
        address = parse(f"{below}{key}")
    else:
        raise SourceError("bad_source", f"{key}: the key has no bucket; name the bucket after the listing, as in #below=s3://bucket/")
    uri = address.uri
    if below and not uri.startswith(below):
        return None
    if report.is_whole and not key.lower().endswith(SUFFIXES):
        return None
    generations = STORES[address.scheme].generations
    etag = entry.get("generation") if generations else str(entry.get("etag") or "").strip('"')
    size = entry.get("size")
    return found(
        uri,
        etag=str(etag) if etag not in (None, "") else None,
        size=int(size) if size not in (None, "") else None,
        modified=_time(entry.get("modified")),
        checksum=(str(entry.get("checksum") or "") if generations else str(etag or "")) or None,
    )


def _is(value: Any, word: str) -> bool:
    return value is not None and str(value).lower() == word


def _time(value: Any) -> datetime | None:
    if value in (None, ""):
        return None
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
