"""The same bytes in any store are read once; what only looks the same is not."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

import pdfmill.pipeline.crawl.plan as plans
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.duplicates import Duplicate, Known, key_of
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import DocumentRef
from tests.crawl.help import configure, one_table, snapshot_tables, tiny
from tests.invariants import check_invariants
from tests.servers import GcsServer, S3Server

SAME = tiny("the same")
OTHER = SAME.replace(b"(opensource)", b"(OPENSOURCE)")
OBJECTS = {"in/a.pdf": SAME, "in/b.pdf": SAME, "in/c.pdf": OTHER}


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def crawl_twice(folder: Path, source: str, late: object) -> list[dict]:
    """The reports of two runs; between them an object with known bytes comes."""
    crawl = configure(folder, source, str(folder / "out"), options='batch_documents = 20\nredirects = "any"')
    reports = [crawl.report()]
    late()  # type: ignore[operator]
    reports.append(crawl.report())
    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=4)
    shas = {row["doc_id"]: row["content_sha256"] for row in tables["documents"].to_pylist()}
    for row in tables["documents"].to_pylist():
        assert row["duplicate_of"] is None or shas[row["duplicate_of"]] == row["content_sha256"]
    assert len(set(one_table(crawl.output, "sources").column("source_checksum").to_pylist())) in (1, 2)
    return reports


def assert_read_once(reports: list[dict]) -> None:
    first, second = reports
    assert (first["plan"], first["duplicates"], first["statuses"]) == ({"new": 3}, 1, {"ok": 2})
    assert (second["plan"], second["duplicates"], second["statuses"]) == ({"new": 1, "unchanged": 3}, 1, {})


def test_in_s3(s3_server: S3Server, tmp_path: Path) -> None:
    bucket = s3_server.make_bucket(OBJECTS)
    assert_read_once(crawl_twice(tmp_path, f"s3://{bucket}/in/", lambda: s3_server.put(bucket, "in/late.pdf", SAME)))


def test_in_gcs(gcs_server: GcsServer, tmp_path: Path) -> None:
    bucket = gcs_server.make_bucket(OBJECTS)
    assert_read_once(crawl_twice(tmp_path, f"gs://{bucket}/in/", lambda: gcs_server.put(bucket, "in/late.pdf", SAME)))


def test_over_http_where_only_sizes_are_told(http_server: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = http_server
    assert len(SAME) == len(OTHER)
    for name, data in OBJECTS.items():
        (folder / name.rpartition("/")[2]).write_bytes(data)
    sources = tmp_path / "list.txt"
    sources.write_text("".join(f"{url}/{name}.pdf\n" for name in "abc"))

    def late() -> None:
        (folder / "late.pdf").write_bytes(SAME)
        sources.write_text(sources.read_text() + f"{url}/late.pdf\n")

    assert_read_once(crawl_twice(tmp_path, f"@{sources}", late))


def entry(name: str, checksum: str = "md5") -> PlanEntry:
    ref = replace(DocumentRef.of_uri(f"s3://b/{name}"), size=7, checksum=checksum)
    return PlanEntry("new", ref.doc_id, ref.uri, ref, size=7)


def compare(
    entries: list[PlanEntry], known: list[Known], proof: object, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[PlanEntry], list[Duplicate]]:
    """What is read, and what has the bytes of another, of entries and documents that may have them."""
    monkeypatch.setattr(plans, "digest", proof)
    with DiskFlow() as flow:
        sides = {
            "entries": flow.given("entries", [(str(key_of(each)), each) for each in entries]),
            "known": flow.given("known", [(each.key, each) for each in known]),
            "leaving": flow.given("leaving", []),
        }
        listed = flow.one("failures", partial(plans.unknown, Policy("sig", NOW)), flow.given("failed", []))
        alike = flow.group("candidates", sides, plans.candidates, ("entry", "compared", "known"), listed)
        summary = flow.one("summary", plans.PlanSummary)
        prove = partial(plans.prove, Policy("sig", NOW), None)
        proved = flow.each("prove", alike["compared"], prove, ("read", "compared", "drop"), summary, 3)
        same = flow.group("same", {"entries": proved["compared"], "known": alike["known"]}, plans.same_bytes, ("read", "copy"), summary)
        read = flow.merge("all", alike["entry"], proved["read"], same["read"])
        return [each for _, each in read.pairs()], [each for _, each in same["copy"].pairs()]


def test_a_checksum_alone_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two PDFs with one MD5 are easily made."""
    content = {"s3://b/a": "1", "s3://b/b": "2", "s3://b/c": "1", "s3://b/d": None}
    entries = [entry(name) for name in "abcd"]
    known = [Known("md5/7", entry("k").doc_id, "part", "2"), Known("md5/7", entry("l").doc_id, "part", None)]
    read, alike = compare(entries, known, lambda ref, *_: content[ref.uri], monkeypatch)
    copies = {each.entry.uri: (each.same_as, each.part) for each in alike}
    first = min(entries[0].doc_id, entries[2].doc_id)
    assert copies["s3://b/b"] == (entry("k").doc_id, "part")
    assert len(copies) == 2
    assert {same_as for same_as, _ in copies.values()} == {entry("k").doc_id, first}
    assert sorted(each.doc_id for each in read) == sorted([first, entries[3].doc_id]), "the reading of d itself tells why it cannot be read"


def test_what_is_alone_is_not_read_for_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def proof(ref: DocumentRef, *_: object) -> str:
        raise AssertionError(ref)

    assert compare([entry("a")], [], proof, monkeypatch) == ([entry("a")], [])
    assert key_of(replace(entry("b"), ref=DocumentRef.of_uri("https://h/b"))) is None
