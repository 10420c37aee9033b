"""Listings that others have made: reports of S3 and of Google Cloud Storage, files of keys; whole or told."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.crawl.listings import ANYTHING, hidden_by
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.sources import list_source
from tests.crawl.conftest import LoggingServer
from tests.crawl.help import configure, snapshot_tables, tiny
from tests.crawl.test_bars import put_all
from tests.crawl.test_cuts import taken_as_whole
from tests.servers import GcsServer

KEYS = ["in/a.pdf", "in/b c+ü.pdf", "in/c.txt", "other/d.pdf"]
COLUMNS = ["Bucket", "Key", "VersionId", "IsLatest", "IsDeleteMarker", "Size", "LastModifiedDate", "ETag"]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


def s3_report(bucket: str, objects: list[dict[str, Any]], form: str) -> dict[str, bytes]:
    """As S3 writes it: old versions and delete markers beside the objects; keys of CSV are encoded."""
    past = [{**objects[0], "ETag": "old", "IsLatest": False}, {**objects[-1], "Key": "in/gone.pdf", "IsDeleteMarker": True}]
    rows = [{"VersionId": "v", "IsLatest": True, "IsDeleteMarker": False, **each} for each in [*objects, *past]]
    if form == "CSV":
        told = [
            [bucket, quote(row["Key"]), "v", str(row["IsLatest"]).lower(), str(row["IsDeleteMarker"]).lower(), *more(row)] for row in rows
        ]
        data = gzip.compress("".join(",".join(f'"{each}"' for each in line) + "\n" for line in told).encode())
        name, schema = "data/1.csv.gz", ", ".join(COLUMNS)
    else:
        names = ["bucket", "key", "version_id", "is_latest", "is_delete_marker", "size", "last_modified_date", "e_tag"]
        data = parquet([dict(zip(names, [row.get(column, bucket) for column in COLUMNS], strict=True)) for row in rows])
        name, schema = "data/1.parquet", "message s3.inventory { required binary bucket (STRING); }"
    file = {"key": f"daily/{name}", "size": len(data), "MD5checksum": hashlib.md5(data).hexdigest()}
    manifest = {
        "sourceBucket": bucket,
        "destinationBucket": "arn:aws:s3:::reports",
        "fileFormat": form,
        "fileSchema": schema,
        "files": [file],
    }
    text = json.dumps(manifest).encode()
    when = "daily/2026-11-22T01-00Z"
    return {f"{when}/manifest.json": text, f"{when}/manifest.checksum": hashlib.md5(text).hexdigest().encode(), f"daily/{name}": data}


def more(row: dict[str, Any]) -> list[str]:
    return [str(row["Size"]), row["LastModifiedDate"].isoformat(), row["ETag"]]


def told(refs: list[DocumentRef]) -> list[tuple[str, str | None, int | None, str | None]]:
    assert not [ref.failure for ref in refs if ref.failure]
    return [(ref.uri, ref.etag, ref.size, ref.checksum) for ref in refs]


@pytest.mark.servers
@pytest.mark.parametrize("form", ["CSV", "Parquet"])
def test_a_report_of_s3_says_what_the_store_says(crawl_server: LoggingServer, form: str, tmp_path: Path) -> None:
    source, reports = crawl_server.make_bucket(), crawl_server.make_bucket()
    put_all(crawl_server, source, {key: tiny(key) for key in KEYS})
    listed = [
        {"Key": each["Key"], "Size": each["Size"], "LastModifiedDate": each["LastModified"], "ETag": each["ETag"].strip('"')}
        for each in crawl_server.client().list_objects_v2(Bucket=source)["Contents"]
    ]
    old = {name.replace("11-22", "11-21"): b"{}" for name in ("daily/2026-11-22T01-00Z/manifest.json",)}
    put_all(crawl_server, reports, {**old, **s3_report(source, listed, form)})
    spec = f"inventory+s3://{reports}/daily/"
    assert told(list(list_source(spec))) == told(list(list_source(f"s3://{source}/")))
    assert told(list(list_source(f"{spec}#below=s3://{source}/in/"))) == told(list(list_source(f"s3://{source}/in/")))
    if form == "CSV":
        crawl = configure(tmp_path, f"s3://{source}/", str(tmp_path / "out"))
        assert crawl.report()["plan"] == {"new": 3}
        crawl.path.write_text(crawl.path.read_text().replace(f'"s3://{source}/"', f'"{spec}"'))
        crawl_server.client().delete_object(Bucket=reports, Key="daily/data/1.csv.gz")
        broken = crawl.report()
        assert (broken["exit_code"], broken["unlisted_sources"][0]["error_code"]) == (1, "not_found"), "nothing at all could be listed"
        assert snapshot_tables(crawl.output)["documents"].num_rows == 3, "nothing is deleted"
        put_all(crawl_server, reports, s3_report(source, listed, form))
        assert crawl.report()["plan"] == {"unchanged": 3}, "a listing by the store or by its report is one"


@pytest.mark.servers
@pytest.mark.parametrize("form", ["header", "columns", "parquet"])
def test_a_report_of_google_cloud_storage(strict_gcs_server: GcsServer, form: str) -> None:
    source = strict_gcs_server.make_bucket({key: tiny(key) for key in KEYS})
    columns = ["project", "bucket", "name", "size", "updated", "etag", "md5Hash", "generation", "timeDeleted", "contentType"]
    rows = [
        ["p", source, each.name, each.size, each.updated.isoformat(), "CAE=", each.md5_hash, each.generation, "", "application/pdf"]
        for each in strict_gcs_server.client().list_blobs(source)
    ]
    begin = "id_2026-11-22T01:00_"
    names = [f"{begin}{number}.{'parquet' if form == 'parquet' else 'csv'}" for number in range(2)]
    shards = [rows[:1], rows[1:]]
    if form == "parquet":
        files = [parquet([dict(zip(columns, row, strict=True)) for row in shard]) for shard in shards]
    else:
        head = [columns] if form == "header" else []
        files = ["".join("|".join(map(str, line)) + "\r\n" for line in [*head, *shard]).encode() for shard in shards]
    manifest = {
        "report_config": {
            "csv_options": {"delimiter": "|", "header_required": form == "header"},
            "object_metadata_report_options": {"metadata_fields": columns},
        },
        "records_processed": len(rows),
        "report_shards_file_names": names,
    }
    objects = dict(zip(names, files, strict=True)) | {f"{begin}manifest.json": json.dumps(manifest).encode()}
    other = {"zz_2026-11-21T01:00_manifest.json": b"{}"}
    reports = strict_gcs_server.make_bucket({f"r/{name}": data for name, data in {**objects, **other}.items()})
    spec = f"inventory+gs://{reports}/r/"
    assert told(list(list_source(spec))) == told(list(list_source(f"gs://{source}/")))
    strict_gcs_server.put(reports, f"r/{names[1]}", files[0])
    *_, last = list_source(spec)
    assert last.failure is not None
    assert last.failure.code == "damaged"


FILES: dict[str, Callable[[str], bytes]] = {
    "keys.csv": lambda text: text.encode(),
    "keys.csv.gz": lambda text: gzip.compress(text.encode()),
    "keys.parquet": lambda text: parquet([dict(zip(["key", "etag", "size"], line.split(","), strict=True)) for line in text.split()[1:]]),
}


@pytest.mark.parametrize("name", FILES)
def test_any_file_of_keys_is_a_listing_and_none_of_its_cuts(tmp_path: Path, name: str) -> None:
    text = "key,etag,size\na.pdf,x1,7\nb.data,x2,8\n"
    path, spec = tmp_path / name, f"inventory+{tmp_path / name}#below=s3://bucket/in/"
    path.write_bytes(FILES[name](text))
    assert told(list(list_source(spec))) == [("s3://bucket/in/a.pdf", "x1", 7, "x1"), ("s3://bucket/in/b.data", "x2", 8, "x2")]
    whole = [len("key,etag,size\n"), len("key,etag,size\na.pdf,x1,7\n")] if name == "keys.csv" else []
    assert taken_as_whole(path, path.read_bytes(), spec) == whole
    assert hidden_by(spec) == ANYTHING


@pytest.mark.parametrize("form", ["CSV", "Parquet"])
def test_every_cut_of_a_report_is_told(tmp_path: Path, form: str) -> None:
    """One that was copied to a disk."""
    objects = [{"Key": key, "Size": 7, "LastModifiedDate": datetime(2026, 11, 22, tzinfo=UTC), "ETag": "x"} for key in KEYS]
    for name, data in s3_report("bucket", objects, form).items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(data)
    spec = f"inventory+{tmp_path / 'manifest.json'}"
    assert [ref.uri for ref in list_source(spec)] == [f"s3://bucket/{key}" for key in KEYS if key.endswith(".pdf")]
    for path in sorted(tmp_path.iterdir()):
        if path.name != "manifest.checksum":
            assert taken_as_whole(path, path.read_bytes(), spec) == [], path.name
    (tmp_path / "manifest.checksum").unlink()
    assert taken_as_whole(tmp_path / "manifest.json", (tmp_path / "manifest.json").read_bytes(), spec) == []


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (
            {"sourceBucket": "b", "fileFormat": "ORC", "fileSchema": "", "files": []},
            "an inventory in ORCis not supported; configure it as CSV or Parquet",
        ),
        ({"files": []}, "is not a manifest of an S3 or Google Cloud Storage inventory"),
        ({"sourceBucket": "b", "files": 1, "fileFormat": "CSV", "fileSchema": "Key"}, "the manifest of the inventory cannot be read"),
    ],
)
def test_what_is_no_report_is_refused_in_a_sentence(tmp_path: Path, manifest: dict[str, Any], sentence: str) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (ref,) = list_source(f"inventory+{tmp_path / 'manifest.json'}")
    assert ref.failure is not None
    assert sentence in ref.failure.message
    (tmp_path / "k.csv").write_text("etag\nx\n")
    for spec in (f"inventory+{tmp_path / 'k.csv'}", f"inventory+{tmp_path / 'k.csv'}#above=x", f"inventory+{tmp_path}/nothing/"):
        (ref,) = list_source(spec)
        assert ref.failure is not None
        assert ref.failure.code in ("bad_source", "not_found")
