"""Decide what a crawl does with one object, by comparing its listing with its rows in the last snapshot and in interrupted runs.
A run reads a part of the plan, within its budget: first new and changed documents, then those read again only because of new settings.
The rest is chosen pseudo-randomly by the run's id, so that workers agree without communication and no document waits for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.crawl.texts import ChangedTexts
from pdfmill.schemas.crawl import READ_KINDS, Failing, Member, PlanEntry, SourceState, StaleState
from pdfmill.schemas.records import DocId, DocumentRef, object_id
from pdfmill.transforms.delta.run_ids import run_of
from pdfmill.transforms.storage.access import Reach

_REDO: Final = "redo"
_RANKS: Final = 1 << 32


class Budget(Struct, frozen=True):
    """The budget of a run: about how many documents it reads (0: all). redo_share: the share of them, 0 to 1, reserved for documents read
    again only because pdfmill's version or the settings changed. run: id of the run."""

    documents: int = 0
    redo_share: float = 0.0
    run: str = ""

    def shares(self, kinds: Mapping[str, int]) -> tuple[float, float]:
        """Return the share, 0 to 1, of the new, changed and failed objects that the run reads, and that of the objects read again for new
        settings.
        The second group gets what the first leaves of the budget, but at least `redo_share`. kinds: number of objects by kind (see
        `KINDS`).

        >>> Budget(100, 0.1).shares({"new": 40, "redo": 1000}), Budget(100, 0.1).shares({"new": 180, "redo": 1000})
        ((1.0, 0.06), (0.5, 0.01))
        """
        redo = kinds.get(_REDO, 0)
        first = sum(kinds.get(kind, 0) for kind in READ_KINDS) - redo
        if not self.documents or first + redo <= self.documents:
            return 1.0, 1.0
        for_redo = min(redo, max(self.documents - first, int(self.documents * self.redo_share)))
        return min(1.0, (self.documents - for_redo) / max(1, first)), for_redo / max(1, redo)

    def waits(self, entry: PlanEntry, kinds: Mapping[str, int]) -> bool:
        """Return whether the object of a plan entry is left for a later run. kinds: number of objects by kind (`KINDS`)."""
        if not entry.may_wait:
            return False
        share = self.shares(kinds)[entry.kind == _REDO]
        return crc32(f"{entry.place} {self.run}".encode("utf-8", "surrogatepass")) >= share * _RANKS

    def left(self, kinds: Mapping[str, int]) -> int:
        """Estimate how many objects are left for later runs. kinds: number of objects by kind (`KINDS`)."""
        first, redo = self.shares(kinds)
        number = kinds.get(_REDO, 0)
        return round((1 - first) * (sum(kinds.get(kind, 0) for kind in READ_KINDS) - number) + (1 - redo) * number)


#: Error codes caused by the store and not by the document: the number of attempts to read it is then not limited.
OF_THE_STORE: Final = frozenset({"store_error", "changed", "not_found", "no_such_bucket", "permission_denied", "archived"})
#: Error codes of errors that may be temporary, because the document did not necessarily cause them.
MAY_PASS: Final = OF_THE_STORE | {"timed_out", "out_of_memory", "crashed", "internal"}

#: The status of a tombstone (a row that marks an object as deleted) in `sources`.
DELETED: Final = "deleted"
#: Statuses of a reading whose rows are kept when a later reading fails temporarily.
_WORTH_KEEPING: Final = frozenset({"ok", "partial", "encrypted", "not_pdf"})


class Rules(Struct, frozen=True):
    """The settings for the objects of one source of a crawl. stale_for, stale_attempts: how long, and for how many failed readings (0: any
    number), the rows of the last good reading stay visible. Deletes are withheld if they exceed both `max_delete_count` and
    `max_delete_share`, or both `few` and `share_of_few`. id_base: (folder of the addresses, folder that replaces it in ids)."""

    retry_after: timedelta = timedelta(hours=1)  # least time between a failed reading and the next
    max_attempts: int = 5  # failed readings in a row after which an object is no longer read; failures of the store do not count
    stale_for: timedelta = timedelta(days=30)
    stale_attempts: int = 0
    max_delete_count: int = 10
    max_delete_share: float = 0.1
    share_of_few: float = 0.5
    few: int = 2
    dead_for: timedelta | None = None  # documents of a source that could not be listed for this long are deleted; None: never
    include: tuple[str, ...] = ()  # patterns of paths; others are ignored; () for all
    exclude: tuple[str, ...] = ()  # patterns of paths to ignore
    max_bytes: int | None = None  # larger objects are ignored
    priority: int = 0  # sources with a higher one are read first
    id_base: tuple[str, str] | None = None

    def with_id(self, ref: DocumentRef) -> DocumentRef:
        """Return a listed object with its document id computed as if it were in the folder that `id_base` names."""
        here, other = self.id_base or ("", "")
        container, found, rest = ref.uri.partition(here) if here else (ref.uri, "", "")
        return replace(ref, doc_id=object_id(container + other + rest)) if found and "/" not in container else ref


class Policy(Struct, frozen=True):
    """The settings with which a crawl compares its sources with the last snapshot. signature: `CrawlConfig.signature`. redo: read again
    what was read under another signature. sources: rules by source; `rules` for all others. unlisted_since: start of the first run that
    could not list a source. reach: web hosts that requests may reach."""

    signature: str
    now: datetime  # start of the run
    redo: bool = True
    allow_mass_delete: bool = False  # carry out deletes that are otherwise withheld
    rules: Rules = field(default_factory=Rules)
    sources: Mapping[str, Rules] = field(default_factory=dict)
    unlisted_since: Mapping[str, datetime] = field(default_factory=dict)
    reach: Reach = field(default_factory=Reach)
    budget: Budget = field(default_factory=Budget)  # limit on the number of documents read

    def of(self, source: str) -> Rules:
        """Return the rules of a source, or the default rules."""
        return self.sources.get(source, self.rules)

    def has_moved(self, ref: DocumentRef, state: SourceState) -> bool:
        """Return whether an object's stored rows (`state`, its row of `sources`) were read from another address than it has now (`ref`)."""
        return self.of(ref.source).id_base is not None and ref.uri != state.uri


def is_same_object(ref: DocumentRef, state: SourceState | StaleState) -> bool:
    """Return whether a listed object is still the version that was read: by ETag or generation, else by size and time.
    False if the store gives none of these, because only the bytes could tell."""
    if ref.size is not None and state.size is not None and ref.size != state.size:
        return False
    if ref.etag is not None or state.etag is not None:
        return ref.etag == state.etag
    return ref.modified is not None and ref.modified == state.modified


def reason_to_read(ref: DocumentRef, state: SourceState | None, policy: Policy, stale: StaleState | None = None) -> str | None:
    """Return why a listed object is to be read, one of `READ_KINDS`; None if it is not. An object in an archive storage class is read only
    if it is new or has changed, if the last attempt failed for another reason than this class, or if its stale rows have expired.
    state: its row of `sources`, None if it is new. stale: its row of `stale`, if older rows are shown because the last reading failed."""
    reason = _reason(ref, state, policy, stale)
    if ref.archived and not (stale is not None and is_over(stale, policy.now, policy.of(ref.source))):
        tried = stale or state
        if reason == "redo" or (reason == "retry" and tried is not None and tried.error_code == "archived"):
            return None
    return reason


def _reason(ref: DocumentRef, state: SourceState | None, policy: Policy, stale: StaleState | None) -> str | None:
    due, rules = _due(ref, state, policy), policy.of(ref.source)
    if state is not None and due is None:
        failed = state.status == "failed" and _may_pass(state.error_code, state.attempts, rules)
        return "retry" if failed and (state.read_at is None or policy.now - state.read_at >= rules.retry_after) else None
    if stale is None or not is_same_object(ref, stale) or stale.signature != policy.signature:
        return due
    tried = _may_pass(stale.error_code, stale.attempts, rules) and policy.now - stale.read_at >= rules.retry_after
    return "retry" if tried or is_over(stale, policy.now, rules) else None


def _due(ref: DocumentRef, state: SourceState | None, policy: Policy) -> str | None:
    if state is None or state.deleted_at is not None:
        return "new"
    if not is_same_object(ref, state) or policy.has_moved(ref, state):
        return "changed"
    return "redo" if policy.redo and state.signature != policy.signature else None


def _may_pass(code: str | None, attempts: int, rules: Rules) -> bool:
    return code in OF_THE_STORE or (code in MAY_PASS and attempts < rules.max_attempts)


def is_over(stale: StaleState | None, now: datetime, rules: Rules) -> bool:
    """Return whether the next failed reading of an object replaces the rows of its last good reading, by `stale_for` or `stale_attempts`.
    stale: the object's row of `stale`; None if the object's last reading did not fail."""
    attempts, since = (stale.attempts, stale.failed_since) if stale else (0, now)
    return now - since >= rules.stale_for or bool(rules.stale_attempts and attempts + 1 >= rules.stale_attempts)


def decide(
    doc_id: DocId, listed: Sequence[DocumentRef], known: Sequence[SourceState], policy: Policy, stale: StaleState | None = None
) -> PlanEntry | None:
    """Return the plan entry for one object; None if it is unchanged and needs no action.
    listed: references to the object in the listings; none if it is gone. known: rows of `sources` of the object and of the PDFs embedded in
    it. stale: its row of `stale`."""
    committed = [state for state in known if not state.staged]
    live = [state for state in committed if state.deleted_at is None]
    staged = [state for state in known if state.staged]
    if not listed:
        return _gone(doc_id, live, staged, stale)
    ref = _first(listed)
    root = next((state for state in committed if state.doc_id == doc_id), None)
    kind = reason_to_read(ref, root, policy, stale)
    if kind is None:
        return _leave_out(doc_id, ref.uri, staged, None if _due(ref, root, policy) else stale)  # it is again what was read
    before = _members(live)
    adopted = _adoptable(doc_id, ref, staged, policy, keeps=root is not None and root.status in _WORTH_KEEPING)
    if adopted:
        parts = {state.part for state in adopted}
        drops = _drops((state for state in (*committed, *staged) if state.part not in parts), stale)
        return PlanEntry(
            "adopted", doc_id, ref.uri, None, before, _members(adopted), tuple(sorted(parts)), drops, source=ref.source,
            why=f"read by run {run_of(adopted[0].part)}",
        )  # fmt: skip
    tried = stale if root and root.status in _WORTH_KEEPING else root
    return PlanEntry(
        kind, doc_id, ref.uri, ref, before, drops=_drops(staged, stale), replaces=_drops(committed), size=ref.size, source=ref.source,
        first_seen=root.first_seen if root else None,
        attempts=tried.attempts if tried and kind == "retry" else 0,
        keeps=root is not None and root.status in _WORTH_KEEPING and not is_over(stale, policy.now, policy.of(ref.source)),
        stale_since=stale.failed_since if stale else None,
        failing=_failing(live, stale),
        why=_why(kind, ref, root, tried, policy),
        may_wait=root is None or root.duplicate_of is None,  # the bytes that another stands for may be read, and be others, in this run
    )  # fmt: skip


def _why(kind: str, ref: DocumentRef, root: SourceState | None, tried: SourceState | StaleState | None, policy: Policy) -> str:
    """Return a phrase for people with the reason for reading an object. kind: a key of `KINDS`. root: its row of `sources`, None if it is
    new.
    tried: the row that describes the last attempt to read it."""
    if root is None:
        return "new"
    if kind == "new":
        return f"deleted on {root.deleted_at:%Y-%m-%d}, listed again"
    if kind == "redo":
        return f"read with version and settings {root.signature}, now {policy.signature}"
    if kind == "retry" and tried is not None:
        return f"{tried.error_code}, {tried.attempts} readings, the last on {tried.read_at:%Y-%m-%d %H:%M}"
    pairs = (
        ("address", root.uri, ref.uri),
        ("size", root.size, ref.size),
        ("etag", root.etag, ref.etag),
        ("time", root.modified, ref.modified),
    )
    return next((f"{name} {old} -> {new}" for name, old, new in pairs if old != new), "the store states neither etag nor time")


def _first(listed: Sequence[DocumentRef]) -> DocumentRef:
    return listed[0] if len(listed) == 1 else min(listed, key=lambda each: (each.source, each.etag or "", str(each.modified), each.uri))


def _failing(live: Iterable[SourceState], stale: StaleState | None) -> tuple[Failing, ...]:
    told = {each.doc_id: Failing(each.doc_id, each.status, each.error_code, each.failed_since) for each in live if each.status != "ok"}
    if stale:
        told[stale.doc_id] = Failing(stale.doc_id, "failed", stale.error_code, stale.failed_since)
    return tuple(told.values())


def too_many(gone: int, known: int, rules: Rules) -> str:
    """Return why the missing objects of a source are not deleted, because they are too many; "" if they may be.
    gone: number of missing objects. known: number of the source's objects in the last snapshot."""
    share = gone / max(1, known)
    many = gone > rules.max_delete_count and share > rules.max_delete_share
    if not (many or (gone > rules.few and share > rules.share_of_few)):
        return ""
    limit = rules.max_delete_share if many else rules.share_of_few
    return f"{gone:,} of {known:,} objects would be deleted, more than {limit:.0%}; --allow-mass-delete carries this out"


def read_again(doc_id: DocId, listed: Sequence[DocumentRef], known: Sequence[SourceState], stale: StaleState | None = None) -> PlanEntry:
    """Return the plan entry to read an unchanged object itself, because the document with the same bytes is now deleted or replaced.
    listed: references to the object. known, stale: its rows of the tables `sources` and `stale`."""
    ref = _first(listed)
    live = [state for state in known if not state.staged and state.deleted_at is None]
    first_seen = next((state.first_seen for state in live if state.doc_id == doc_id), None)
    return PlanEntry(
        "redo", doc_id, ref.uri, ref, _members(live), drops=_drops(known, stale), first_seen=first_seen, size=ref.size,
        failing=_failing(live, stale), source=ref.source, why="the document with the same bytes is deleted or replaced",
    )  # fmt: skip


def _gone(doc_id: DocId, live: Sequence[SourceState], staged: Sequence[SourceState], stale: StaleState | None) -> PlanEntry | None:
    if not live:
        return _leave_out(doc_id, "", staged, stale)
    root = next((state for state in live if state.doc_id == doc_id), live[0])
    return PlanEntry(
        "gone", doc_id, root.uri, before=_members(live), drops=_drops(staged), replaces=_drops(live, stale), first_seen=root.first_seen,
        size=root.size, source=root.source, why=f"listed by {root.source} before" if root.source else "listed before",
    )  # fmt: skip


def _leave_out(doc_id: DocId, uri: str, staged: Sequence[SourceState], stale: StaleState | None) -> PlanEntry | None:
    return PlanEntry("", doc_id, uri, drops=_drops(staged, stale)) if staged or stale else None


def _adoptable(doc_id: DocId, ref: DocumentRef, staged: Sequence[SourceState], policy: Policy, *, keeps: bool) -> list[SourceState]:
    """Return the rows of `sources` that this run can take over from the newest interrupted run that read this version of the object under
    the present settings. staged: rows from all interrupted runs. keeps: a failed reading must not replace older rows."""
    fresh = [state for state in staged if state.doc_id == doc_id and reason_to_read(ref, state, policy) is None]
    newest = max((run_of(state.part) for state in fresh if not (keeps and state.error_code in MAY_PASS)), default=None)
    return [state for state in staged if run_of(state.part) == newest]


def _members(states: Iterable[SourceState]) -> tuple[Member, ...]:
    return tuple(sorted((state.doc_id, state.page_count) for state in states))


def _drops(states: Iterable[SourceState], stale: StaleState | None = None) -> tuple[tuple[str, DocId], ...]:
    told = {(stale.part, stale.doc_id)} if stale else set()
    return tuple(sorted(told | {(state.part, state.doc_id) for state in states}))


def change_rows(
    entry: PlanEntry,
    after: Sequence[Member],
    snapshot: int,
    texts: ChangedTexts | None = None,
    duplicate_of: DocId | None = None,
    moved_from: DocId | None = None,
) -> Iterator[dict[str, object]]:
    """Yield the rows of the table `changes` for one object: a row for each of its documents, and for their pages.
    after: its documents in the new snapshot. texts: changed texts of documents that existed before. duplicate_of: id of the document with
    the same bytes. moved_from: the object's id at its former address."""
    old, new = dict(entry.before), dict(after)
    for doc_id in sorted(old.keys() | new.keys()):
        known = (texts or {}).get(doc_id)
        changed = None if known is None else known.pages
        pages = max(old.get(doc_id, 0), new.get(doc_id, 0))
        row: dict[str, object] = {"snapshot": snapshot, "doc_id": doc_id, "source_uri": entry.uri}
        rows = [
            row | {"changed_table": "pages", "page": page} | _page_change(page, old.get(doc_id, 0), new.get(doc_id, 0), changed)
            for page in range(1, pages + 1)
        ]
        change = _change(doc_id in old, doc_id in new)
        told = {
            "change": change,
            "changed_table": "documents",
            "page": None,
            "duplicate_of": duplicate_of if doc_id == entry.doc_id else None,
            "moved_from": moved_from if doc_id == entry.doc_id else None,
            "changed_sections": known.sections if known is not None and change == "replaced" else None,
        }
        yield row | told | {"text_changed": None if known is None and change == "replaced" else any(each["text_changed"] for each in rows)}
        yield from rows


def _page_change(page: int, old: int, new: int, known: Mapping[int, list[int]] | None) -> dict[str, object]:
    """Return a page's row of `changes`, without the columns of its document. old, new: number of pages before and now. known: numbers of
    the changed blocks by page, None if unknown."""
    change = _change(page <= old, page <= new)
    if change != "replaced" or known is None:
        return {"change": change, "text_changed": None if change == "replaced" else True}
    return {"change": change, "text_changed": page in known, "changed_blocks": known.get(page)}


def _change(before: bool, after: bool) -> str:
    return "replaced" if before and after else "added" if after else "removed"
