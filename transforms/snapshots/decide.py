"""What is to be done about one object: the listing against what the last snapshot, and runs that died, know of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from schemas.crawl import Member, PlanEntry, SourceState
from schemas.records import DocId, DocumentRef
from transforms.snapshots.names import run_of

#: Failures that the document need not have caused: another try may end well.
MAY_PASS: Final = frozenset(
    {"store_error", "changed", "not_found", "no_such_bucket", "permission_denied", "timed_out", "out_of_memory", "crashed", "internal"}
)

#: The status of a tombstone in `sources`.
DELETED: Final = "deleted"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a run holds the last snapshot against.

    signature: of the version and the settings, see `pipeline.crawl.config`. now: start of the run. retry_after: since the last
    reading. max_attempts: readings in a row that failed. redo: read again what another signature read. max_delete_count,
    max_delete_share: more deletes than both are withheld, unless allow_mass_delete; so are more than share_of_few where they are more
    than few objects: of a small set nearly all may be lost before the count is reached.
    """

    signature: str
    now: datetime
    retry_after: timedelta = timedelta(hours=1)
    max_attempts: int = 5
    redo: bool = True
    max_delete_count: int = 10
    max_delete_share: float = 0.1
    allow_mass_delete: bool = False
    share_of_few: float = 0.5
    few: int = 2


def is_same_object(ref: DocumentRef, state: SourceState) -> bool:
    """Whether the store lists what was read: by etag or generation where there is one, else by size and time.

    An object of which the store tells neither is never the same: only its bytes can tell.
    """
    if ref.size is not None and state.size is not None and ref.size != state.size:
        return False
    if ref.etag is not None or state.etag is not None:
        return ref.etag == state.etag
    return ref.modified is not None and ref.modified == state.modified


def reason_to_read(ref: DocumentRef, state: SourceState | None, policy: Policy) -> str | None:
    """The kind of reading that is due, a key of `READ_KINDS`; None when there is none."""
    if state is None or state.deleted_at is not None:
        return "new"
    if not is_same_object(ref, state):
        return "changed"
    if policy.redo and state.signature != policy.signature:
        return "redo"
    failed = state.status == "failed" and state.error_code in MAY_PASS and state.attempts < policy.max_attempts
    if failed and (state.read_at is None or policy.now - state.read_at >= policy.retry_after):
        return "retry"
    return None


def decide(doc_id: DocId, listed: Sequence[DocumentRef], known: Sequence[SourceState], policy: Policy) -> PlanEntry | None:
    """The entry for one object; None when it is unchanged and nothing else is to be done.

    listed: its references, none when it is gone, several when several sources list it. known: rows of the object and of the PDFs
    embedded in it.
    """
    committed = [state for state in known if not state.staged]
    live = [state for state in committed if state.deleted_at is None]
    staged = [state for state in known if state.staged]
    if not listed:
        return _gone(doc_id, live, staged)
    ref = min(listed, key=lambda each: (each.etag or "", str(each.modified)))
    root = next((state for state in committed if state.doc_id == doc_id), None)
    kind = reason_to_read(ref, root, policy)
    if kind is None:
        return _leave_out(doc_id, ref.uri, staged)
    before = _members(live)
    first_seen = root.first_seen if root else None
    adopted = _adoptable(doc_id, ref, staged, policy)
    if adopted:
        parts = {state.part for state in adopted}
        drops = _drops(state for state in (*committed, *staged) if state.part not in parts)
        return PlanEntry("adopted", doc_id, ref.uri, None, before, _members(adopted), tuple(sorted(parts)), drops)
    attempts = root.attempts if root and kind == "retry" else 0
    return PlanEntry(
        kind, doc_id, ref.uri, ref, before, drops=_drops((*committed, *staged)), first_seen=first_seen, attempts=attempts, size=ref.size
    )


def too_many(gone: int, known: int, policy: Policy) -> str:
    """Why so many deletes at once are not carried out; empty when they are."""
    share = gone / max(1, known)
    many = gone > policy.max_delete_count and share > policy.max_delete_share
    if policy.allow_mass_delete or not (many or (gone > policy.few and share > policy.share_of_few)):
        return ""
    limit = policy.max_delete_share if many else policy.share_of_few
    return f"{gone:,} of {known:,} objects would go, more than {limit:.0%}; --allow-mass-delete carries it out"


def read_again(doc_id: DocId, listed: Sequence[DocumentRef], known: Sequence[SourceState]) -> PlanEntry:
    """The entry for an unchanged object that is to be read all the same."""
    ref = min(listed, key=lambda each: (each.etag or "", str(each.modified)))
    live = [state for state in known if not state.staged and state.deleted_at is None]
    first_seen = next((state.first_seen for state in live if state.doc_id == doc_id), None)
    return PlanEntry("redo", doc_id, ref.uri, ref, _members(live), drops=_drops(known), first_seen=first_seen, size=ref.size)


def _gone(doc_id: DocId, live: Sequence[SourceState], staged: Sequence[SourceState]) -> PlanEntry | None:
    if not live:
        return _leave_out(doc_id, "", staged)
    root = next((state for state in live if state.doc_id == doc_id), live[0])
    return PlanEntry(
        "gone", doc_id, root.uri, before=_members(live), drops=_drops((*live, *staged)), first_seen=root.first_seen, size=root.size
    )


def _leave_out(doc_id: DocId, uri: str, staged: Sequence[SourceState]) -> PlanEntry | None:
    return PlanEntry("", doc_id, uri, drops=_drops(staged)) if staged else None


def _adoptable(doc_id: DocId, ref: DocumentRef, staged: Sequence[SourceState], policy: Policy) -> list[SourceState]:
    """The rows of the newest dead run that read this very object as it would be read now."""
    fresh = (state for state in staged if state.doc_id == doc_id and reason_to_read(ref, state, policy) is None)
    newest = max((run_of(state.part) for state in fresh), default=None)
    return [state for state in staged if run_of(state.part) == newest]


def _members(states: Iterable[SourceState]) -> tuple[Member, ...]:
    return tuple(sorted((state.doc_id, state.page_count) for state in states))


def _drops(states: Iterable[SourceState]) -> tuple[tuple[str, DocId], ...]:
    return tuple(sorted({(state.part, state.doc_id) for state in states}))


def change_rows(entry: PlanEntry, after: Sequence[Member], snapshot: int) -> Iterator[dict[str, object]]:
    """Rows of `changes` for one object: each of its documents, and each page of these. after: its documents in the new snapshot."""
    old, new = dict(entry.before), dict(after)
    for doc_id in sorted(old.keys() | new.keys()):
        row: dict[str, object] = {"snapshot": snapshot, "doc_id": doc_id, "source_uri": entry.uri}
        yield row | {"change": _change(doc_id in old, doc_id in new), "changed_table": "documents", "page": None}
        for page in range(1, max(old.get(doc_id, 0), new.get(doc_id, 0)) + 1):
            change = _change(page <= old.get(doc_id, 0), page <= new.get(doc_id, 0))
            yield row | {"change": change, "changed_table": "pages", "page": page}


def _change(before: bool, after: bool) -> str:
    return "replaced" if before and after else "added" if after else "removed"
