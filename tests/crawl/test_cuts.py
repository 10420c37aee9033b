"""A source is listed whole or not at all: archives, indexes, lists and Parquet files, cut at every byte."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.listings import KeptListings
from pdfmill.pipeline.crawl.plan import expand, list_named
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.sources import list_source
from tests.crawl.help import configure, snapshot_tables, tiny
from tests.crawl.test_warc import archive, cdxj

POLICY = Policy("sig", datetime(2026, 11, 21, tzinfo=UTC))
Record = tuple[str, str, bytes, dict[str, str]]
SHORT: list[Record] = [(f"http://example.org/{name}.pdf", "application/pdf", f"%PDF of {name}".encode(), {}) for name in "ab"]


def cuts(path: Path, data: bytes, spec: str) -> dict[int, list[DocumentRef]]:
    """What is listed of every cut of a file, by its length."""
    listed = {}
    for length in range(len(data)):
        path.write_bytes(data[:length])
        listed[length] = list(list_source(spec))
    path.write_bytes(data)
    return listed


def taken_as_whole(path: Path, data: bytes, spec: str = "") -> list[int]:
    """The cuts that nobody tells; what is listed of the others is what the whole file has too. spec: how the file is listed."""
    listed = cuts(path, data, spec or str(path))
    whole = {ref.doc_id for ref in list_source(spec or str(path)) if ref.failure is None}
    for length, refs in listed.items():
        assert {ref.doc_id for ref in refs if ref.failure is None} <= whole, length
        assert {ref.failure.code for ref in refs if ref.failure} <= {"damaged", "bad_source"}, length
    return [length for length, refs in listed.items() if not any(ref.failure for ref in refs)]


@pytest.mark.parametrize("compress", [True, False])
def test_an_archive(tmp_path: Path, compress: bool) -> None:
    """Only a cut exactly between two records is not told: what is left is an archive."""
    data = archive(SHORT, compress=compress)
    path = tmp_path / ("a.warc.gz" if compress else "a.warc")
    begin = b"\x1f\x8b\x08" if compress else b"WARC/1."
    places = [place for place in range(1, len(data)) if data.startswith(begin, place)]
    assert len(places) == 4
    assert taken_as_whole(path, data) == places


@pytest.mark.parametrize("name", ["a.cdxj", "a.cdxj.gz", "b.cdx"])
def test_an_index(tmp_path: Path, name: str) -> None:
    whole = tmp_path / "a.warc.gz"
    whole.write_bytes(archive(SHORT))
    lines = cdxj(whole).splitlines(keepends=True)[:2]
    if name == "b.cdx":
        lines = ["a.warc.gz 10 1234\n", "a.warc.gz 2000 56789\n"]
    text = "".join(lines).encode()
    data = gzip.compress(text) if name.endswith(".gz") else text
    assert taken_as_whole(tmp_path / name, data) == ([] if name.endswith(".gz") else [len(lines[0])])


def test_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"url": ["http://x/a", "http://x/b"], "pdf": [b"%PDF a", b"%PDF b"]}), path)
    assert taken_as_whole(path, path.read_bytes()) == []


def test_a_list(tmp_path: Path) -> None:
    for name in ("a.pdf", "ab.pdf"):
        (tmp_path / name).write_bytes(b"%PDF")
    path = tmp_path / "list.txt"
    data = b"ab.pdf\na.pdf\n"
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        failed = [
            out
            for item in expand(POLICY, "", f"@{path}")
            for out in list_named(POLICY, KeptListings("x"), "", item[2])
            if out[0] == "failed"
        ]
        assert bool(failed) == (length not in (len(b"ab.pdf\n"), len(data))), length


def test_a_record_that_is_shorter_than_it_says_does_not_hide_the_next(tmp_path: Path) -> None:
    members = archive(SHORT).split(b"\x1f\x8b\x08")
    response = gzip.decompress(b"\x1f\x8b\x08" + members[3])
    members[3] = gzip.compress(response[:-10])[3:]
    (tmp_path / "a.warc.gz").write_bytes(b"\x1f\x8b\x08".join(members))
    listed = list(list_source(str(tmp_path / "a.warc.gz")))
    assert [ref.failure.code if ref.failure else "" for ref in listed] == ["", "damaged"]


def test_a_source_whose_listing_crashes_stops_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(source: str, *_: object) -> list[DocumentRef]:
        raise AttributeError(source)

    monkeypatch.setattr("pdfmill.transforms.storage.ranges.list_source", crash)
    ((tag, source, unlisted),) = list_named(POLICY, KeptListings("x"), "", ("", "s3://b/"))
    assert (tag, source, unlisted.failure.code, unlisted.hides) == ("failed", "s3://b/", "internal", "s3://b/")


CUTS: dict[str, Callable[[bytes], int]] = {
    "within a record": lambda data: len(data) - 200,
    "within a header": lambda data: data.rindex(b"WARC/1.") + 30,
    "between two records": lambda data: data.rindex(b"WARC/1."),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", CUTS)
def test_a_crawl_over_a_cut_archive_deletes_nothing_and_goes_on(tmp_path: Path, place: str) -> None:
    (tmp_path / "in").mkdir()
    records: list[Record] = [(f"http://example.org/{name}.pdf", "application/pdf", tiny(name), {}) for name in "ab"]
    data = archive(records, compress=False)
    (tmp_path / "in" / "a.warc").write_bytes(data)
    (tmp_path / "in" / "z.warc").write_bytes(archive([("http://example.org/z.pdf", "application/pdf", tiny("z"), {})]))
    crawl = configure(tmp_path, str(tmp_path / "in" / "*.warc"), str(tmp_path / "out"))
    assert crawl.report()["plan"] == {"new": 3}
    (tmp_path / "in" / "a.warc").write_bytes(data[: CUTS[place](data)])
    report = crawl.report()
    assert (report["exit_code"], report["plan"]) == (1, {"gone": 1, "unchanged": 2})
    assert report["unlisted_sources"][0]["source"].endswith("a.warc")
    assert snapshot_tables(crawl.output)["documents"].num_rows == 3
    (tmp_path / "in" / "a.warc").write_bytes(data)
    assert crawl.report()["plan"] == {"unchanged": 3}
    (tmp_path / "in" / "a.warc").unlink()
    assert crawl.report()["plan"] == {"gone": 2, "unchanged": 1}
    assert snapshot_tables(crawl.output)["documents"].num_rows == 1
