"""What stays is left out of the plan by number: with it and without it a plan says the same."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from msgspec.structs import replace

import pdfmill.pipeline.crawl.plan as plans
from pdfmill.pipeline.crawl.crawl_parts import mark_part, write_table_part
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow
from pdfmill.pipeline.crawl.plan import unchanged_before
from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.schemas.crawl import CRAWL_TABLES
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.delta.delta_log import PartFile, Snapshot
from tests.crawl.test_plan import NOW, ref

POLICY = Policy("sig", NOW)


def known_row(each: DocumentRef, **other: Any) -> dict[str, Any]:
    row = {
        "doc_id": each.doc_id, "root_doc_id": each.doc_id, "source_uri": each.uri, "source_etag": each.etag, "source_size": each.size,
        "source_modified": each.modified, "source_checksum": each.checksum, "content_sha256": "x", "status": "ok", "page_count": 1,
        "config_signature": "sig", "attempts": 0, "first_seen": NOW, "read_at": NOW, "source": "s",
    }  # fmt: skip
    return row | other


def some_known(number: int, rng: random.Random) -> list[dict[str, Any]]:
    """Rows of an object, one of every kind of history."""
    each, kind = listed(number), rng.choice(["ok"] * 8 + ["failed", "deleted", "pointer", "old", "parent", "retry", "timed"])
    row = known_row(each)
    match kind:
        case "failed":
            row |= {"status": "failed", "error_code": "damaged"}
        case "retry":
            row |= {"status": "failed", "error_code": "store_error", "read_at": NOW - timedelta(days=1)}
        case "deleted":
            row |= {"status": "deleted", "deleted_at": NOW}
        case "pointer":
            row |= {"duplicate_of": listed(rng.randrange(300)).doc_id}
        case "old":
            row |= {"config_signature": "older"}
        case "timed":
            row |= {"source_etag": None}
        case "parent":
            inner = {"doc_id": f"{number:032x}", "status": rng.choice(["ok", "encrypted"])}
            return [row, row | inner]
    return [row]


def listed(number: int, **other: Any) -> DocumentRef:
    """An object; every seventh has the checksum of others of its size."""
    each = replace(ref(number), size=1 + number // 50, checksum="same" if number % 7 == 0 else f"c{number}")
    return replace(each, **other)


def test_a_plan_says_the_same_with_it_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(6):
        rng, output = random.Random(seed), str(tmp_path / str(seed))
        histories = {number: some_known(number, rng) for number in range(300) if rng.random() < 0.9}
        rows = [row for history in histories.values() for row in history]
        files: list[PartFile] = []
        for number in range(3):
            table = pa.Table.from_pylist(rows[number::3], schema=CRAWL_TABLES["sources"])
            files += write_table_part(output, "sources", f"20261121T020000000000Z-0000000{number}-0", table)
        marked = mark_part(output, files[0], [row["doc_id"] for row in rows[0:30:3] if row["doc_id"] == row["root_doc_id"]])
        assert marked is not None
        base = Snapshot(version=0, files={file.path: file for file in [marked, *files[1:]]})
        refs = [listed(number) for number in range(320) if rng.random() < 0.95]
        refs = [replace(each, etag="other") if rng.random() < 0.1 else each for each in refs]
        refs = [replace(each, etag=None) if rng.random() < 0.1 else each for each in refs]
        refs += [each for each in refs if rng.random() < 0.1]
        monkeypatch.setattr(plans, "list_item", lambda item, listings, bound, refs=refs: refs)
        monkeypatch.setattr(plans, "base_of", lambda crawl, base=base: base)
        monkeypatch.setattr(plans, "AT_ONCE", 37)
        crawl = CrawlRun(output, "run", "sig", NOW, 1)
        told = []
        for unchanged in (None, unchanged_before(crawl, POLICY)):
            with DiskFlow() as flow:
                found = plans.plan(flow, flow.given("sources", [("s", "s3://bucket/")]), crawl, POLICY, unchanged)
                items = (found.entries, found.compared, found.known)
                told.append((found.summary.value, *(sorted(each.pairs(), key=repr) for each in items)))
        assert told[0] == told[1], seed
        assert {"new", "changed", "retry", "redo", "gone", "unchanged"} <= told[0][0].kinds.keys()
        assert told[0][2], "objects are compared"
