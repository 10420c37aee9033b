"""What is to be done about one object."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from pdfmill.pipeline.crawl.decide import Policy, Rules, change_rows, decide
from pdfmill.schemas.crawl import SourceState, StaleState
from pdfmill.schemas.records import DocId, DocumentRef, document_id

NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)
POLICY = Policy("sig", NOW)
URI = "s3://bucket/a.pdf"
ID = document_id(URI)
REF = DocumentRef(ID, URI, etag="e1", size=10, modified=NOW)
STATE = SourceState(ID, ID, URI, "e1", 10, NOW, "aa", "ok", None, 3, "sig", 0, NOW, NOW, None, None, "20261101T020000Z-1-0")
COLD = replace(STATE, status="failed", error_code="archived", attempts=1, read_at=NOW - timedelta(hours=2))
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
        (REF, replace(STATE, status="failed", error_code="store_error", attempts=99, read_at=NOW - timedelta(hours=2)), "retry"),
        (REF, replace(STATE, status="failed", error_code="damaged", attempts=0, read_at=NOW - timedelta(hours=2)), None),
        (replace(REF, archived=True), None, "new"),
        (replace(REF, archived=True), STATE, None),
        (replace(REF, archived=True, etag="e2"), STATE, "changed"),
        (replace(REF, archived=True), replace(STATE, signature="older"), None),
        (replace(REF, archived=True), COLD, None),
        (REF, COLD, "retry"),
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
    assert {doc_id for _, doc_id in entry.replaces} == {ID, "f" * 32}
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
    entry = decide(ID, [], [STATE, staged(STATE)], POLICY).without_delete()
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


EARLIER = NOW - timedelta(hours=2)
STALE = StaleState(ID, URI, "e2", 10, NOW, "store_error", "503", "sig", 1, EARLIER, EARLIER, "20261101T020000Z-1-stale-0")
CHANGED = replace(REF, etag="e2")


def stale_kind(ref=CHANGED, stale=STALE, state=STATE, rules=Rules()):  # noqa: B008 - frozen
    entry = decide(ID, [ref], [state], replace(POLICY, rules=rules), stale)
    return entry and (entry.kind, entry.keeps, entry.attempts)


def test_what_could_not_be_read_is_tried_again_and_kept_for_so_long():
    assert stale_kind() == ("retry", True, 1)
    assert stale_kind(stale=replace(STALE, read_at=NOW)) is None
    assert stale_kind(stale=replace(STALE, attempts=99)) == ("retry", True, 99)
    assert stale_kind(stale=replace(STALE, attempts=99, error_code="crashed")) is None, "left alone until it changes"
    assert stale_kind(ref=replace(REF, etag="e3"), stale=replace(STALE, attempts=99, error_code="crashed")) == ("changed", True, 0)
    assert stale_kind(state=replace(STATE, status="failed")) == ("retry", False, 0)
    over = Rules(stale_for=timedelta(hours=2))
    assert stale_kind(rules=over) == ("retry", False, 1)
    assert stale_kind(stale=replace(STALE, attempts=99, error_code="crashed"), rules=over) == ("retry", False, 99)
    assert stale_kind(rules=Rules(stale_attempts=2)) == ("retry", False, 1)
    assert stale_kind(rules=Rules(stale_attempts=3)) == ("retry", True, 1)


def test_a_reading_for_new_settings_that_fails_is_tried_again():
    older = replace(STATE, signature="older")
    assert stale_kind(ref=REF, state=older, stale=replace(STALE, etag="e1", read_at=NOW)) is None
    assert stale_kind(ref=REF, state=older, stale=replace(STALE, etag="e1", signature="other", read_at=NOW)) == ("redo", True, 0)


def test_an_object_that_is_again_what_was_read_is_stale_no_more():
    entry = decide(ID, [REF], [STATE], POLICY, STALE)
    assert (entry.kind, entry.drops, entry.replaces) == ("", ((STALE.part, ID),), ())


def test_a_stale_object_that_goes_takes_its_mark_with_it():
    entry = decide(ID, [], [STATE], POLICY, STALE)
    assert (entry.kind, set(entry.replaces)) == ("gone", {(STATE.part, ID), (STALE.part, ID)})
    assert entry.without_delete().replaces == ()


def test_what_a_dead_run_could_not_read_replaces_nothing():
    failed = staged(replace(STATE, etag="e2", status="failed", error_code="store_error"))
    assert decide(ID, [CHANGED], [STATE, failed], POLICY).kind == "changed"
