"""What is to be done about one object."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from schemas.crawl import SourceState
from schemas.records import DocId, DocumentRef, document_id
from transforms.snapshots.decide import Policy, change_rows, decide

NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)
POLICY = Policy("sig", NOW)
URI = "s3://bucket/a.pdf"
ID = document_id(URI)
REF = DocumentRef(ID, URI, etag="e1", size=10, modified=NOW)
STATE = SourceState(ID, ID, URI, "e1", 10, NOW, "aa", "ok", None, 3, "sig", 0, NOW, NOW, None, None, "20261101T020000Z-1-0")
CHILD = replace(STATE, doc_id=DocId("f" * 32), page_count=1)


def staged(state, run="20261120T020000Z-2"):
    return replace(state, staged=True, part=f"{run}-0")


def kind(ref, *states, policy=POLICY):
    entry = decide(ID, [ref] if ref else [], states, policy)
    return entry.kind if entry else None


@pytest.mark.parametrize(
    ("ref", "state", "expected"),
    [
        (REF, None, "new"),
        (REF, STATE, None),
        (replace(REF, etag="e2"), STATE, "changed"),
        (replace(REF, size=11), STATE, "changed"),
        (replace(REF, etag=None), STATE, "changed"),
        (replace(REF, modified=NOW + timedelta(1)), STATE, None),
        (REF, replace(STATE, signature="older"), "redo"),
        (REF, replace(STATE, deleted_at=NOW), "new"),
        (REF, replace(STATE, status="encrypted", error_code="password_needed"), None),
        (REF, replace(STATE, status="failed", error_code="timed_out", attempts=1), None),
        (REF, replace(STATE, status="failed", error_code="timed_out", attempts=1, read_at=NOW - timedelta(hours=2)), "retry"),
        (REF, replace(STATE, status="failed", error_code="timed_out", attempts=5, read_at=NOW - timedelta(hours=2)), None),
        (REF, replace(STATE, status="failed", error_code="damaged", attempts=0, read_at=NOW - timedelta(hours=2)), None),
        (None, STATE, "gone"),
        (None, replace(STATE, deleted_at=NOW), None),
    ],
)
def test_kinds(ref, state, expected):
    assert kind(ref, *([state] if state else [])) == expected


def test_without_etag_size_and_time_count_and_without_them_nothing_does():
    local = replace(REF, etag=None)
    known = replace(STATE, etag=None)
    assert kind(local, known) is None
    assert kind(replace(local, modified=NOW + timedelta(seconds=1)), known) == "changed"
    assert kind(replace(local, modified=None), replace(known, modified=None)) == "changed"


def test_redo_can_be_switched_off():
    assert kind(REF, replace(STATE, signature="older"), policy=replace(POLICY, redo=False)) is None


def test_a_changed_object_takes_its_embedded_documents_with_it():
    entry = decide(ID, [replace(REF, etag="e2")], [STATE, CHILD], POLICY)
    assert entry.before == ((ID, 3), (DocId("f" * 32), 1))
    assert {doc_id for _, doc_id in entry.drops} == {ID, "f" * 32}
    assert entry.first_seen == NOW


def test_what_a_dead_run_read_is_adopted_and_the_older_rows_go():
    older, newer = staged(replace(STATE, etag="e2")), staged(replace(STATE, etag="e2", page_count=4), "20261120T030000Z-3")
    entry = decide(ID, [replace(REF, etag="e2")], [STATE, CHILD, older, newer], POLICY)
    assert (entry.kind, entry.ref, entry.adopted, entry.adopted_parts) == ("adopted", None, ((ID, 4),), (newer.part,))
    assert set(entry.drops) == {(STATE.part, ID), (STATE.part, CHILD.doc_id), (older.part, ID)}


def test_what_a_dead_run_read_does_not_count_when_the_object_changed_since_or_was_read_otherwise():
    assert kind(replace(REF, etag="e3"), staged(STATE)) == "new"
    assert kind(REF, staged(replace(STATE, signature="older"))) == "new"


def test_rows_of_dead_runs_are_left_out_where_nothing_else_is_to_be_done():
    for ref, states in ((REF, [STATE, staged(STATE)]), (None, [staged(STATE)])):
        entry = decide(ID, [ref] if ref else [], states, POLICY)
        assert (entry.kind, entry.drops) == ("", ((staged(STATE).part, ID),))


def test_a_gone_object_that_is_kept_keeps_its_rows():
    entry = decide(ID, [], [STATE, staged(STATE)], POLICY).without_delete(frozenset({STATE.part}))
    assert (entry.kind, entry.before, entry.drops) == ("", (), ((staged(STATE).part, ID),))


def test_changes_of_a_shrunk_document():
    entry = decide(ID, [replace(REF, etag="e2")], [STATE, CHILD], POLICY)
    rows = [(row["change"], row["changed_table"], row["doc_id"], row["page"]) for row in change_rows(entry, [(ID, 2)], 7)]
    assert rows == [
        ("replaced", "documents", ID, None),
        ("replaced", "pages", ID, 1),
        ("replaced", "pages", ID, 2),
        ("removed", "pages", ID, 3),
        ("removed", "documents", "f" * 32, None),
        ("removed", "pages", "f" * 32, 1),
    ]
