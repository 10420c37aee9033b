"""The plan of many objects."""

import os
import resource  # noqa: F401  # for the process of its own below
import subprocess
import sys
from datetime import UTC, datetime

import pytest

import transforms.snapshots.plan as plans
from schemas.crawl import SourceState
from schemas.records import DocumentRef, Failure, document_id
from transforms.snapshots.decide import Policy
from transforms.snapshots.disk import DiskFlow
from transforms.snapshots.runs import CrawlRun

NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)


def ref(number, etag="e"):
    uri = f"s3://bucket/folder/{number // 1000:05d}/object-{number:08d}.pdf"
    return DocumentRef(document_id(uri), uri, etag=f"{etag}{number}", size=number, modified=NOW)


def state(number):
    each = ref(number)
    return SourceState(
        each.doc_id, each.doc_id, each.uri, each.etag, each.size, NOW, None, "ok", None, 1, "sig", 0, NOW, NOW, None, None, "part", False
    )


def run_plan(monkeypatch, refs, states, flow=None):
    """The summary of a plan over a listing and states that are given."""
    monkeypatch.setattr(plans, "list_source", lambda source, listings, bound: refs)
    monkeypatch.setattr(plans, "state_parts", lambda key, crawl: [("known_part", "part", False)])
    monkeypatch.setattr(plans, "read_states", lambda output, stem, staged: states)
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


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_objects(pytestconfig):
    """1,000,000 objects where `PDFMILL_PLAN_OBJECTS` asks for them (`make test-crawl`), else 100,000."""
    count = int(os.environ.get("PDFMILL_PLAN_OBJECTS", "100000"))
    peaks = {}
    for number in (count // 10, count):
        code = f"from tests.crawl.test_plan import *; plan_synthetic({number}); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=pytestconfig.rootpath)
        peaks[number] = int(done.stdout) // 1024
    print(f"peak memory of the plan in MB by objects: {peaks}")
    assert peaks[count] - peaks[count // 10] < 64
