"""The plan of many objects."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

import pdfmill.pipeline.crawl.plan as plans
from benchmarks.speed.processes import own_peak_mb
from pdfmill.pipeline.crawl.crawl_parts import write_table_part
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow
from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.schemas.crawl import CRAWL_TABLES, SourceState
from pdfmill.schemas.records import DocumentRef, Failure, document_id
from pdfmill.transforms.delta.delta_log import PartFile, Snapshot

NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)
ROWS_OF_A_PART = 50_000


def ref(number, etag="e"):
    uri = f"s3://bucket/folder/{number // 1000:05d}/object-{number:08d}.pdf"
    return DocumentRef(document_id(uri), uri, etag=f"{etag}{number}", size=number, modified=NOW)


def state(number):
    each = ref(number)
    return SourceState(
        each.doc_id, each.doc_id, each.uri, each.etag, each.size, NOW, None, "ok", None, 1, "sig", 0, NOW, NOW, None, None, "part", False
    )


def run_plan(monkeypatch, refs, states):
    """The summary of a plan over a listing and states that are given."""
    monkeypatch.setattr(plans, "list_item", lambda item, listings, bound: refs)
    monkeypatch.setattr(plans, "state_parts", lambda key, crawl: [("known_part", "part", (None, False))])
    monkeypatch.setattr(plans, "read_states", lambda output, stem, vector, staged: states)
    crawl = CrawlRun("out", "run", "sig", NOW, 1)
    with DiskFlow() as flow:
        return plans.plan(flow, flow.given("sources", [("s3://bucket/", "s3://bucket/")]), crawl, Policy("sig", NOW)).summary.value


def plan_synthetic(count):
    """Of `count` known objects 1% changed, 0.5% are gone, 1% are new."""
    step = count // 200
    refs = (ref(number, "x" if number % 100 == 0 else "e") for number in range(step, count + 2 * step))
    with pytest.MonkeyPatch.context() as patched:
        return run_plan(patched, refs, (state(number) for number in range(count)))


def test_counts():
    summary = plan_synthetic(2000)
    assert summary.kinds == {"changed": 19, "gone": 10, "new": 20, "unchanged": 1971}
    assert (summary.listed, summary.known) == (2010, 2000)


def test_an_object_that_two_sources_list_is_one(monkeypatch):
    assert run_plan(monkeypatch, [ref(1), ref(1)], []).kinds == {"new": 1}


def test_a_source_that_cannot_be_listed_makes_the_listing_incomplete(monkeypatch):
    broken = DocumentRef.of_uri("s3://gone/")
    summary = run_plan(
        monkeypatch, [ref(1), DocumentRef(broken.doc_id, broken.uri, failure=Failure("store_error", "s3://gone/: down"))], []
    )
    assert not summary.complete
    assert summary.failures == [
        {"source": "s3://gone/", "error_code": "store_error", "error_message": "s3://gone/: down", "since": NOW.isoformat()}
    ]


def write_states(folder, count):
    """Parts of `sources` of so many objects that were read well, as a crawl writes them, with signatures that the plan does not need."""
    for begin in range(0, count, ROWS_OF_A_PART):
        refs = [ref(number) for number in range(begin, min(begin + ROWS_OF_A_PART, count))]
        ids = [each.doc_id for each in refs]
        told = {
            "doc_id": ids, "root_doc_id": ids, "source_uri": [each.uri for each in refs], "source_etag": [each.etag for each in refs],
            "source_size": [each.size for each in refs], "source_modified": [NOW] * len(refs), "status": ["ok"] * len(refs),
            "page_count": [1] * len(refs), "attempts": [0] * len(refs), "config_signature": ["sig"] * len(refs),
            "minhash": [[1] * 64] * len(refs),
        }  # fmt: skip
        shape = CRAWL_TABLES["sources"]
        columns = [pa.array(told[each.name], each.type) if each.name in told else pa.nulls(len(refs), each.type) for each in shape]
        write_table_part(folder, "sources", f"20261121T020000000000Z-00000000-{begin:09d}", pa.table(columns, schema=shape))


def plan_of_parts(folder, count):
    """As `plan_synthetic` over the parts of `write_states`: the summary, and the peak of memory in MB."""
    files = [
        PartFile.of("sources", path.stem, path.stat().st_size, min(ROWS_OF_A_PART, count - number * ROWS_OF_A_PART))
        for number, path in enumerate(sorted(Path(folder).rglob("*.parquet")))
    ]
    base, step = Snapshot(version=0, files={file.path: file for file in files}), count // 200
    refs = (ref(number, "x" if number % 100 == 0 else "e") for number in range(step, count + 2 * step))
    crawl, policy = CrawlRun(folder, "run", "sig", NOW, 1), Policy("sig", NOW)
    with pytest.MonkeyPatch.context() as patched, DiskFlow() as flow:
        patched.setattr(plans, "list_item", lambda item, listings, bound: refs)
        patched.setattr(plans, "base_of", lambda crawl: base)
        unchanged = plans.unchanged_before(crawl, policy)
        summary = plans.plan(flow, flow.given("sources", [("s3://bucket/", "s3://bucket/")]), crawl, policy, unchanged).summary.value
    return summary, own_peak_mb()


@pytest.mark.slow
def test_memory_hardly_grows_with_the_number_of_objects(pytestconfig, tmp_path):
    """1,000,000 objects where `PDFMILL_PLAN_OBJECTS` asks for them (`make test-crawl`), else 100,000."""
    count = int(os.environ.get("PDFMILL_PLAN_OBJECTS", "100000"))
    peaks = {}
    for number in (count // 10, count):
        write_states(str(tmp_path / str(number)), number)
        code = f"from tests.crawl.test_plan import *; print(plan_of_parts('{tmp_path}/{number}', {number})[1])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=pytestconfig.rootpath)
        peaks[number] = float(done.stdout)
    print(f"peak memory of the plan in MB by objects: {peaks}")
    assert peaks[count] - peaks[count // 10] < 64
