"""Plan and carry out a run of a crawl, except for reading PDFs. It uses the operations of `Flow`, in one process or on Beam.

    sources ─► listed ─┐                ┌─► entries ────────────────► withheld? ─► others ─► tombstones
                       ├─► decide ─► lost? ─► alone? ─┤                                  ├─► read ─► parts
    snapshot ─► known ─┘                └─► compared ─► same bytes? ──────┴─► copies ─► pointers
                                                                          drops ─► parts written again

lost?: duplicates are read themselves if their original is deleted or replaced. alone?: an object is not compared if no other object can
have the same bytes. withheld?: deletes are not carried out if they are too many. drops: rows to remove.

Most functions here are steps: they take a key and its values, and yield (tag, key, value). Each can be called by itself.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Final, Generic
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.crawl.crawl_parts import STALE_STEM, read_stale, read_states, recorded_part
from pdfmill.pipeline.crawl.decide import DELETED, Policy, decide, too_many
from pdfmill.pipeline.crawl.duplicates import Known, Pointer, Replaced, digest, key_of, roles, same_content
from pdfmill.pipeline.crawl.events import by_events
from pdfmill.pipeline.crawl.flow import C, Flow, Out, Sides
from pdfmill.pipeline.crawl.listings import KeptListings, beginnings, hidden_by, is_hidden, is_wanted
from pdfmill.pipeline.crawl.moved import Leaving, leaving, moved_to, pair
from pdfmill.pipeline.crawl.runs import CrawlRun, base_of, staged_parts
from pdfmill.pipeline.crawl.unchanged import AT_ONCE, Settled, Unchanged, in_runs
from pdfmill.pipeline.crawl.write import bury, cut_part, move, point
from pdfmill.schemas.crawl import KINDS, READ_KINDS, PlanEntry, SourceState, StaleState
from pdfmill.schemas.records import DocId, DocumentRef, Failure
from pdfmill.transforms.storage.addresses import WARC_PREFIX, is_revisit, record_of, resolved
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import look_up
from pdfmill.transforms.storage.ranges import Item, item_key, items_in, list_item, spec_of

log = logging.getLogger("pdfmill")

#: Number of objects per part: of those marked as deleted, and of those that an interrupted run has read.
_ROWS_OF_A_PART: Final = 50_000
#: Number of duplicate and moved objects per part; each has a whole row of `documents`.
_COPIES_OF_A_PART: Final = 5_000
#: Number of objects that are fetched in parallel to compare their bytes: a store answers in tens of milliseconds, and hashing takes one or
#: two.
_PROOFS_AT_ONCE: Final = 8

#: Prefixes of the names of counts by source; the name of the source follows.
_KNOWN_OF, _GONE_OF, _SAME_OF = "known of ", "gone of ", "same of "
_ITEM, _LISTED, _FAILED, _KNOWN_PART, _STATE, _STALE_PART, _STALE = "item", "listed", "failed", "known_part", "state", "stale_part", "stale"
_LEAVING: Final = "leaving"
_COUNTS, _ENTRY, _COMPARABLE, _STAYS, _POINTERS, _LEAVES = "counts", "entry", "comparable", "stays", "pointers", "leaves"
_GONE, _VANISHED = "gone", "vanished"
_COMPARED, _KNOWN, _READ, _OTHER, _COPY, _DROP, _ADOPTED = "compared", "known", "read", "other", "copy", "drop", "adopted"
_PLACED: Final = "placed"
_DONE, _REPLACES, _KEPT = "done", "replaces", "kept"
_REVISIT, _ORIGINAL = "revisit", "original"


class PlanSummary(Struct):
    """Totals of a plan: how many objects are read, kept or deleted, and what could not be listed. hidden: address prefixes that the
    failures leave unlisted; waiting: number of missing objects under them. failing: number of failed or stale documents that are not
    retried. given_up: address prefixes of sources that failed for so long that their missing objects are deleted. deletes: by source, the
    number of missing objects and of all objects in the snapshot, without those under the prefixes in `hidden` and `given_up`."""

    listed: int = 0  # objects in the sources
    known: int = 0  # objects in the last snapshot
    kinds: dict[str, int] = field(default_factory=dict)  # number of objects by kind (`KINDS`)
    bytes_to_read: int = 0
    #: Sources that could not be listed, and cut archives: source, error_code, error_message, since.
    failures: list[dict[str, str]] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    waiting: int = 0
    failing: int = 0
    given_up: list[str] = field(default_factory=list)
    deletes: dict[str, tuple[int, int]] = field(default_factory=dict)

    def withheld(self, policy: Policy) -> str:
        """Return the reason why deletes are withheld; "" if all are carried out."""
        sources = (
            f"{len(self.failures)} sources could not be listed completely; {self.waiting:,} objects that may still be in them are kept"
        )
        return "; ".join(
            [*([sources] if self.waiting else []), *filter(None, (self._too_many(each, policy) for each in sorted(self.deletes)))]
        )

    def is_mass_delete(self, policy: Policy) -> bool:
        """Return whether more objects of a source would be deleted than its rules allow, so that a user must allow it."""
        return any(self._too_many(each, policy) for each in self.deletes)

    def _too_many(self, source: str, policy: Policy) -> str:
        gone, known = self.deletes.get(source, (0, 0))
        reason = "" if policy.allow_mass_delete else too_many(gone, known, policy.of(source))
        return reason and (f"{source}: {reason}" if source else reason)

    def keeps(self, entry: PlanEntry, policy: Policy) -> bool:
        """Return whether the deletion of a missing object is withheld, so that it keeps its rows. entry: the object's plan entry."""
        if is_hidden(entry.uri, self.hidden):
            return True
        return not is_hidden(entry.uri, self.given_up) and bool(self._too_many(entry.source, policy))

    @property
    def complete(self) -> bool:
        """Whether every source was listed completely; only then does a missing object count as deleted."""
        return not self.failures

    def parts(self, kinds: Iterable[str], objects_of_a_part: int) -> int:
        """Return the number of files per table for the objects whose plan entries have these kinds."""
        return 1 + sum(self.kinds.get(kind, 0) for kind in kinds) // objects_of_a_part


class Unlisted(Struct, frozen=True):
    """A source, or an item of it, such as an archive, that was not listed completely. hides: prefix of the addresses that may be missing.
    may_be_meant: these objects may have been removed on purpose. name: the crawl's name for the source."""

    source: str
    failure: Failure
    hides: str
    may_be_meant: bool
    name: str = ""


class Planned(Struct, Generic[C], frozen=True):
    """The collections of a plan. entries: plan entries, by `PlanEntry.place`. compared: plan entries that may be duplicates, by content key
    (checksum and size, or size). known: stored documents with such a key, by content key and SHA-256. summary: one `PlanSummary`."""

    entries: C
    compared: C
    known: C
    summary: C


def plan(flow: Flow[C], sources: C, crawl: CrawlRun, policy: Policy, unchanged: Unchanged | None = None) -> Planned[C]:
    """Plan the action for every object in the sources (pairs of name and address) or in the last snapshot.
    unchanged: recognises unchanged objects early, so that they are not compared; only for a run in one process."""
    on_engine = unchanged is None  # its workers list side by side
    items = flow.each("expand_lists", sources, partial(expand, policy, cut=on_engine), (_ITEM,))[_ITEM]
    tags = (_LISTED, _FAILED, _REVISIT, _ORIGINAL, _COUNTS)
    listing = partial(list_named, policy, KeptListings(crawl.output), unchanged=unchanged, crawl=crawl)
    found = flow.each("find_documents", flow.spread("spread_sources", items), listing, tags)
    visited = flow.group("revisits", {"revisits": found[_REVISIT], "originals": found[_ORIGINAL]}, resolve, (_LISTED,), of="revisits")[
        _LISTED
    ]
    parts = flow.each("state_parts", flow.given("run", [("", crawl)]), state_parts, (_KNOWN_PART, _STALE_PART))
    settled = unchanged.settled() if unchanged is not None else None
    known = flow.each(
        "states", flow.spread("spread_states", parts[_KNOWN_PART]), partial(states_of, crawl.output, settled), (_STATE, _STAYS)
    )
    stale = flow.each("stale", flow.spread("spread_stale", parts[_STALE_PART]), partial(stale_of, crawl.output), (_STALE,))[_STALE]
    first = flow.group(
        "decide",
        {"listed": flow.merge("listed", found[_LISTED], visited), "known": known[_STATE], "stale": stale},
        partial(decided, policy),
        (_COUNTS, _ENTRY, _COMPARABLE, _STAYS, _POINTERS, _LEAVES, _GONE, _VANISHED, _LEAVING),
    )
    second = flow.group(
        "lost", {"pointers": first[_POINTERS], "leaves": first[_LEAVES]}, lost, (_COUNTS, _ENTRY, _COMPARABLE), of="pointers"
    )
    comparable = flow.merge("comparable", first[_COMPARABLE], second[_COMPARABLE])
    stays = flow.merge("stays", first[_STAYS], known[_STAYS])
    cut = flow.group("shrunk", {"records": first[_VANISHED]}, shrunk, (_FAILED,))[_FAILED]
    failures = flow.one("failures", partial(unknown, policy), flow.merge("failed", found[_FAILED], cut))
    sides = {"entries": comparable, "known": stays, "leaving": first[_LEAVING]}
    third = flow.group("candidates", sides, candidates, (_COUNTS, _ENTRY, _COMPARED, _KNOWN, _GONE), failures)
    gone = flow.each("deletes", flow.merge("gone", first[_GONE], third[_GONE]), count_gone, (_COUNTS, _ENTRY), failures)
    every = (found[_COUNTS], first[_COUNTS], second[_COUNTS], third[_COUNTS], gone[_COUNTS])
    counts = flow.total("totals", flow.merge("counts", *every))
    summary = flow.one("summary", summarize, counts, seen=failures)
    return Planned(
        flow.merge("entries", first[_ENTRY], second[_ENTRY], third[_ENTRY], gone[_ENTRY]), third[_COMPARED], third[_KNOWN], summary
    )


def carry_out(
    flow: Flow[C],
    planned: Planned[C],
    crawl: CrawlRun,
    policy: Policy,
    read: Callable[[C], tuple[C, C]],
    *,
    max_bytes: int | None,
    cuts_at_once: int,
) -> tuple[C, C]:
    """Carry out a plan; readers of the tables see no change before the commit. Return two collections of stems (file names without suffix):
    of the files written here or, for `changes`, by `read`; and of the files of interrupted runs that the commit publishes.
    read: reads plan entries and returns (document id, stem of its files or failure with which it keeps old rows), and stems of `changes`.
    max_bytes: larger objects are not fetched to compare bytes. cuts_at_once: files from which rows are removed in parallel."""
    tags = (_READ, _OTHER, _DROP, _ADOPTED, _REPLACES)
    ready = flow.each("sort_out", planned.entries, partial(sort_out, policy), tags, planned.summary)
    compared = flow.spread("spread_compared", planned.compared)
    proved = flow.each(
        "prove", compared, partial(prove, policy, max_bytes), (_READ, _COMPARED, _DROP, _REPLACES), planned.summary, _PROOFS_AT_ONCE
    )
    sides = {"entries": proved[_COMPARED], "known": planned.known}
    same = flow.group("same", sides, same_bytes, (_READ, _COPY, _OTHER, _DROP), planned.summary, of="entries")
    where, changed = read(flow.merge("to_read", ready[_READ], proved[_READ], same[_READ]))
    read_ones = flow.each("outcomes", where, outcome, (_PLACED, _KEPT))

    sides = {"copies": same[_COPY], "placed": read_ones[_PLACED]}
    copies = flow.group("locate", sides, locate, (_COPY,), planned.summary, of="copies")[_COPY]
    pointed = flow.group("point", {"copies": copies}, partial(_point, crawl), (_DONE, _KEPT))
    others = flow.merge("others", ready[_OTHER], same[_OTHER])
    buried = flow.group("bury", {"entries": others}, partial(_bury, crawl), (_DONE,))[_DONE]
    replaced = flow.merge("replaced", ready[_REPLACES], proved[_REPLACES])
    kept = flow.merge("kept", read_ones[_KEPT], pointed[_KEPT])
    settled = flow.group("settle", {"replaces": replaced, "kept": kept}, settle, (_DROP,), of="replaces")[_DROP]
    drops = flow.merge("drops", ready[_DROP], proved[_DROP], same[_DROP], settled)
    cut = flow.group("cut", {"drops": drops, "adopted": ready[_ADOPTED]}, partial(_cut, crawl), (_DONE, _ADOPTED), at_once=cuts_at_once)
    return flow.merge("written", changed, pointed[_DONE], buried, cut[_DONE]), cut[_ADOPTED]


def expand(policy: Policy, name: str, source: str, *, cut: bool = False) -> Iterator[Out]:
    """Yield each item of a source (which may be a list of sources), with the source's name. cut: split large listings into key ranges."""
    return ((_ITEM, item_key(item), (name, item)) for item in items_in(source, cut=cut, whole=True, bound=policy.reach))


def list_named(
    policy: Policy,
    listings: KeptListings,
    _: str,
    named: tuple[str, Item],
    unchanged: Unchanged | None = None,
    crawl: CrawlRun | None = None,
) -> Iterator[Out]:
    """List one item of a source. Yield (tag, key, value) for each object that passes the source's filters, and for each error, which is not
    raised but becomes an `Unlisted`.
    named: (name of the source, item). listings: cache of archives' records. unchanged: recognises unchanged objects, of which only the
    number is yielded; None if several processes list. crawl: the run, whose events from queues may replace the listing."""
    name, part = named
    item, rules = spec_of(part), policy.of(name)
    try:
        known = by_events(crawl, name, item, listings, policy.reach) if crawl and isinstance(item, str) else None
        for refs in in_runs(known if known is not None else list_item(part, listings, policy.reach), AT_ONCE):
            yield from (_failure(ref.uri, ref.failure, hidden_by(item, ref.uri), name) for ref in refs if ref.failure is not None)
            wanted = (ref for ref in refs if ref.failure is None and (isinstance(item, DocumentRef) or is_wanted(item, ref, rules)))
            listed = [rules.with_id(ref) for ref in wanted]
            if unchanged is not None:
                listed, seen = unchanged.changed(listed)
                yield _COUNTS, _SAME_OF + name, seen
            for ref in listed:
                yield from _found(ref.listed_by(name))
    except Exception as error:  # a mistake of ours, or of a store's client, on one source must not cost the run all others
        log.exception("%s: the listing failed", item)
        yield _failure(str(item), Failure("internal", f"{item}: {type(error).__name__}: {error}"), hidden_by(item), name)


def _found(ref: DocumentRef) -> Iterator[Out]:
    """Yield a listed object by its id; a WARC record also by its digest, so that revisit records of the same content find it."""
    if ref.uri.startswith(WARC_PREFIX) and ref.checksum:
        digest = ref.checksum.removeprefix("sha1:")
        yield (_REVISIT if is_revisit(ref) else _ORIGINAL), digest, ref
    if not is_revisit(ref):
        yield _LISTED, ref.doc_id, ref


def resolve(_: str, sides: Sides) -> Iterator[Out]:
    """Replace WARC revisit records by the original record with the same digest, or drop them. sides: `revisits` and `originals`."""
    revisits = list(sides["revisits"])
    original: DocumentRef | None = min(sides["originals"], key=lambda ref: ref.uri, default=None) if revisits else None
    if original is not None:
        for ref in (resolved(revisit, original) for revisit in revisits):
            yield _LISTED, ref.doc_id, ref


def _failure(source: str, failure: Failure, hides: str, name: str, *, may_be_meant: bool = False) -> Out:
    return _FAILED, source, Unlisted(source, failure, hides, may_be_meant or failure.code == "not_found", name)


def state_parts(_: str, crawl: CrawlRun) -> Iterator[Out]:
    """Yield the files to read for the plan: of `sources` with stem, deletion vector and whether they are unpublished; of `stale` with stem
    and deletion vector."""
    base = base_of(crawl)
    yield from ((_KNOWN_PART, file.stem, (file.vector, False)) for file in base.of("sources"))
    yield from ((_KNOWN_PART, stem, (None, True)) for stem in sorted(_staged(crawl)))
    yield from ((_STALE_PART, file.stem, file.vector) for file in base.of("stale"))


@lru_cache(maxsize=1)
def _staged(crawl: CrawlRun) -> frozenset[str]:
    return frozenset(staged_parts(base_of(crawl), crawl.output))


def unchanged_before(crawl: CrawlRun, policy: Policy) -> Unchanged:
    """Load the hashes of the last snapshot's objects, without objects that are stale or were read by interrupted runs."""
    base = base_of(crawl)
    staged = (state.root_doc_id for stem in _staged(crawl) for state in read_states(crawl.output, stem, staged=True))
    stale = (state.doc_id for file in base.of("stale") for state in read_stale(crawl.output, file.stem, file.vector))
    return Unchanged.of(crawl.output, policy, base.of("sources"), chain(staged, stale))


def states_of(output: str, settled: Settled | None, stem: str, part: tuple[str | None, bool]) -> Iterator[Out]:
    """Yield the rows of a file of the table `sources`, by object id. settled: selects the rows needed, None for all. part: (deletion
    vector, whether the file is unpublished)."""
    vector, staged = part
    rows = read_states(output, stem, vector, staged=staged) if settled is None or staged else settled.rows(output, stem, vector)
    return ((_STAYS, row.key, row) if isinstance(row, Known) else (_STATE, row.root_doc_id, row) for row in rows)


def stale_of(output: str, stem: str, vector: str | None) -> Iterator[Out]:
    """Yield the rows of a file of the table `stale`, by document id. stem: the file's name without suffix. vector: its deletion vector."""
    return ((_STALE, state.doc_id, state) for state in read_stale(output, stem, vector))


def decided(policy: Policy, key: str, sides: Sides) -> Iterator[Out]:
    """Decide what to do with one object; yield its plan entry, its counts for the summary and its role among duplicates.
    sides: its references (`listed`), its rows of `sources` (`known`) and of `stale` (`stale`)."""
    doc_id = DocId(key)
    listed: Sequence[DocumentRef] = list(sides["listed"])
    known: Sequence[SourceState] = list(sides["known"])
    stale: StaleState | None = next(iter(sides["stale"]), None)
    entry = decide(doc_id, listed, known, policy, stale)
    root = next((state for state in known if state.doc_id == doc_id and not state.staged and state.deleted_at is None), None)
    source = min(ref.source for ref in listed) if len(listed) > 1 else listed[0].source if listed else root.source if root else ""
    if listed and root is not None and not (entry and entry.kind):
        yield _COUNTS, _SAME_OF + source, 1  # by far the most: one number instead of four
    else:
        counts = (("listed", listed), ("known", root), (_KNOWN_OF + source, root), ("unchanged", listed and not (entry and entry.kind)))
        yield from ((_COUNTS, name, 1) for name, counted in counts if counted)
    if listed and not (entry and entry.kind):
        failing = sum(not state.staged and state.status not in ("ok", DELETED) for state in known) + (stale is not None and not entry)
        yield from [(_COUNTS, "failing", failing)] * bool(failing)
    for role in roles(doc_id, entry, listed, known, stale):
        match role:
            case Known():
                yield _STAYS, role.key, role
            case Pointer():
                yield _POINTERS, role.target, role.if_lost
            case Replaced():
                yield _LEAVES, role.doc_id, None
    if entry is not None and entry.kind == "gone":
        away = leaving(entry, root)
        yield (_GONE, entry.place, entry) if away is None else (_LEAVING, *away)
        if entry.uri.startswith(WARC_PREFIX):
            yield _VANISHED, entry.uri.removeprefix(WARC_PREFIX).rpartition("#")[0], (entry.uri, entry.source)
    elif entry is not None:
        if entry.kind == "changed" and root is not None and entry.uri != root.uri and (away := leaving(entry, root)) is not None:
            yield _LEAVING, *away
        yield from _counted(entry)


def _counted(entry: PlanEntry) -> Iterator[Out]:
    if entry.kind:
        yield _COUNTS, entry.kind, 1
    if entry.ref is not None:
        yield _COUNTS, "bytes", entry.size or 0
    content = key_of(entry)
    yield (_ENTRY, entry.place, entry) if content is None else (_COMPARABLE, content, entry)


def lost(_: str, sides: Sides) -> Iterator[Out]:
    """If a document is deleted or replaced (`leaves`), yield plan entries to read the objects stored as its duplicates (`pointers`)."""
    if any(True for _ in sides["leaves"]):
        for entry in sides["pointers"]:
            yield _COUNTS, "unchanged", -1
            yield from _counted(entry)


def candidates(key: str, sides: Sides, unlisted: Unknown) -> Iterator[Out]:
    """Yield the plan entries with one content key (checksum and size, or size) for a comparison of bytes, or for reading if only one object
    has this key. A missing object does not count as deleted if it may have the bytes of a new one.
    sides: plan entries (`entries`), stored documents (`known`) and missing objects (`leaving`) with this key. unlisted: listings that
    failed, whose objects may still exist."""
    entries: Iterator[PlanEntry] = iter(sides["entries"])
    known: Sequence[Known] = list(sides["known"])
    away: Sequence[Leaving] = list(sides["leaving"])
    paired: list[Leaving] = []
    if away:
        listed = list(entries)
        entries, paired = iter(listed), pair((each for each in away if not is_hidden(each.entry.uri, unlisted.hidden)), listed)
        yield from ((_GONE, each.entry.place, each.entry) for each in away if each not in paired and each.entry.kind == "gone")
    for each in paired:
        yield _KNOWN, f"{key} {each.state.content_sha256}", each
        yield from ((_COUNTS, name, count) for name, count in (("moved", 1), (each.replaced, -1), ("bytes", -(each.state.size or 0))))
    first = list(islice(entries, 2))
    if len(first) + len(known) + len(paired) == 1:
        yield from ((_ENTRY, entry.place, entry) for entry in first)
    elif first:
        yield from ((_COMPARED, key, replace(entry, may_wait=entry.may_wait and not paired)) for entry in chain(first, entries))
        yield from ((_KNOWN, f"{key} {stays.content_sha256}", stays) for stays in known)


def shrunk(archive: str, sides: Sides) -> Iterator[Out]:
    """Yield a failure for an archive that has become too short to contain its known records. If it is cut off between two records, only
    its size shows that.
    sides: `records` has (address, source) of each known record that the listing lacks."""
    records = list(sides["records"])
    name = min(name for _, name in records)
    end = max(int(each["offset"]) + int(each["length"]) for each in (record_of(uri) for uri, _ in records))
    try:
        size = look_up(archive).size
    except SourceError as error:
        if error.code != "not_found":
            yield _failure(archive, error.failure, archive, name)
        return
    if size is not None and size < end:
        message = f"{archive}: has {size} bytes, but records were read up to byte {end}; it may have been cut off"
        yield _failure(archive, Failure("changed", message), archive, name, may_be_meant=True)


class Unknown(Struct, frozen=True):
    """Failures of listings (as in `PlanSummary`), and the address prefixes that these leave unlisted (`hidden`), or whose missing objects
    are deleted because the source has failed for too long (`given_up`)."""

    failures: list[dict[str, str]]
    hidden: list[str]
    given_up: list[str]


def unknown(policy: Policy, failed: Iterable[tuple[str, Unlisted]]) -> Unknown:
    """Collect the failed listings, whose missing objects are not deleted, unless the source is missing and mass deletes are allowed, or it
    could not be listed for the time `dead_for`."""
    ordered = sorted((each for _, each in failed), key=lambda each: (each.source, each.may_be_meant))
    since = {each.source: policy.unlisted_since.get(each.source, policy.now) for each in ordered}
    reported = [
        {
            "source": each.source, "error_code": each.failure.code, "error_message": each.failure.message,
            "since": since[each.source].isoformat(),
        }
        for each in ordered
    ]  # fmt: skip
    hidden: list[str] = []
    given_up: list[str] = []
    for each in ordered:
        dead_for = policy.of(each.name).dead_for
        if dead_for is not None and policy.now - since[each.source] >= dead_for:
            given_up.append(each.hides)
        elif not (policy.allow_mass_delete and each.may_be_meant):
            hidden.append(each.hides)
    return Unknown(reported, beginnings(hidden), beginnings(given_up))


def count_gone(_: str, entry: PlanEntry, known: Unknown) -> Iterator[Out]:
    """Yield the plan entry of a missing object. If its source was not listed completely, as `known` shows, count the object as waiting."""
    yield _COUNTS, "gone", 1
    if is_hidden(entry.uri, known.hidden):
        yield _COUNTS, "waiting", 1
    elif not is_hidden(entry.uri, known.given_up):
        yield _COUNTS, _GONE_OF + entry.source, 1
    yield _ENTRY, entry.place, entry


def summarize(counts: Iterable[tuple[str, int]], known: Unknown) -> PlanSummary:
    """Build the summary of a plan from its counts and from the failures of listings (`known`)."""
    counted = Counter(dict(counts))
    for key in [key for key in counted if key.startswith(_SAME_OF)]:
        for name in ("listed", "known", "unchanged", _KNOWN_OF + key.removeprefix(_SAME_OF)):
            counted[name] += counted[key]
    kinds = {kind: counted[kind] for kind in KINDS if counted.get(kind)}
    numbers = [counted.get(name, 0) for name in ("listed", "known", "bytes", "waiting", "failing")]
    gone = {key.removeprefix(_GONE_OF): count for key, count in counted.items() if key.startswith(_GONE_OF)}
    deletes = {name: (count, counted.get(_KNOWN_OF + name, 0)) for name, count in sorted(gone.items())}
    return PlanSummary(
        numbers[0], numbers[1], kinds, numbers[2], known.failures, known.hidden, numbers[3], numbers[4], known.given_up, deletes
    )


def sort_out(policy: Policy, _: str, entry: PlanEntry, summary: PlanSummary) -> Iterator[Out]:
    """Yield a plan entry with a tag that says what to do with it: read, delete, or remove old rows. summary: says whether deletes are
    withheld."""
    if policy.budget.waits(entry, summary.kinds):
        yield from _left_out(entry)
        return
    if entry.kind == "gone" and summary.keeps(entry, policy):
        entry = entry.without_delete()
    yield from _dropped(entry)
    yield from ((_ADOPTED, part, None) for part in entry.adopted_parts)
    if entry.ref is not None:
        yield _READ, entry.place, entry
    elif entry.kind:
        yield _OTHER, _place_in(summary.parts(("gone", "moved", "adopted"), _ROWS_OF_A_PART), entry.doc_id), entry


def _left_out(entry: PlanEntry) -> Iterator[Out]:
    """Yield the rows that interrupted runs wrote for an object left to a later run, to remove them. Its row in `stale` is kept."""
    yield from ((_DROP, part, doc_id) for part, doc_id in entry.drops if STALE_STEM not in part)


def _dropped(entry: PlanEntry) -> Iterator[Out]:
    """Yield the old rows of an entry's object, to remove them. Rows that stay if its reading fails go to the step `settle`."""
    yield from ((_DROP, part, doc_id) for part, doc_id in entry.drops)
    if entry.keeps:
        yield _REPLACES, entry.doc_id, entry.replaces
    else:
        yield from ((_DROP, part, doc_id) for part, doc_id in entry.replaces)


def outcome(doc_id: str, placed: str | Failure) -> Iterator[Out]:
    """Yield the stem of the files with a document's new rows, or the failure with which it keeps its old ones."""
    yield _PLACED, doc_id, placed
    if isinstance(placed, Failure):
        yield _KEPT, doc_id, None


def settle(_: str, sides: Sides) -> Iterator[Out]:
    """Yield the old rows of an object, to remove them, unless the object keeps them because reading failed.
    sides: `replaces`, the (part, document id) of its old rows; `kept`, not empty if reading failed."""
    if not any(True for _ in sides["kept"]):
        yield from ((_DROP, part, doc_id) for replaced in sides["replaces"] for part, doc_id in replaced)


def _place_in(parts: int, name: str) -> str:
    return f"{crc32(name.encode()) % parts:05d}"


def prove(policy: Policy, max_bytes: int | None, key: str, entry: PlanEntry, summary: PlanSummary) -> Iterator[Out]:
    """Yield the plan entry of an object by content key and SHA-256; if its bytes cannot be fetched, for reading, which reports the error.
    max_bytes: larger objects are not fetched."""
    if policy.budget.waits(entry, summary.kinds):
        yield from _left_out(entry)
        return
    assert entry.ref is not None
    content = digest(entry.ref, max_bytes, policy.reach)
    yield from _dropped(entry)
    yield (_READ, entry.place, entry) if content is None else (_COMPARED, f"{key} {content}", entry)


def same_bytes(_: str, sides: Sides, summary: PlanSummary) -> Iterator[Out]:
    """Separate the plan entries of objects with the same bytes (`entries`) into objects to read, and those whose rows come from a stored
    document or a moved object (`known`)."""
    known, entries = list(sides["known"]), list(sides["entries"])
    stays = [each for each in known if isinstance(each, Known)]
    gone = pair((each for each in known if isinstance(each, Leaving)), entries)
    for away in gone:
        if away.entry.kind != "gone":
            continue
        yield from _dropped(away.entry)
        yield _OTHER, _place_in(summary.parts(("gone", "moved", "adopted"), _ROWS_OF_A_PART), away.entry.doc_id), away.entry
    for each in (not stays and moved_to(gone, entries)) or same_content(stays, entries):
        yield (_READ, each.place, each) if isinstance(each, PlanEntry) else (_COPY, each.same_as, each)


def locate(_: str, sides: Sides, summary: PlanSummary) -> Iterator[Out]:
    """Add to each duplicate (`copies`) the stem of its original's files or the original's failure (`placed`). Yield it by the number of its
    file."""
    placed = next(iter(sides["placed"]), "")
    for copy in sides["copies"]:
        failed = placed if isinstance(placed, Failure) and not copy.part else None
        located = replace(copy, part=copy.part or ("" if failed else placed), failure=failed)
        yield _COPY, _place_in(summary.parts((*READ_KINDS, "moved"), _COPIES_OF_A_PART), located.part or copy.same_as), located


def _point(crawl: CrawlRun, number: str, sides: Sides) -> Iterator[Out]:
    ordered = sorted(sides["copies"], key=lambda copy: copy.entry.doc_id)
    if moved := [copy for copy in ordered if copy.moves]:
        yield _DONE, number, move(crawl, base_of(crawl), number, moved)
    if refer := [copy for copy in ordered if not copy.moves]:
        stems, kept = point(crawl, base_of(crawl), number, refer)
        yield from ((_DONE, number, stem) for stem in stems)
        yield from ((_KEPT, doc_id, None) for doc_id in kept)


def _bury(crawl: CrawlRun, number: str, sides: Sides) -> Iterator[Out]:
    yield _DONE, number, bury(crawl, number, sorted(sides["entries"], key=lambda entry: entry.doc_id))


def _cut(crawl: CrawlRun, part: str, sides: Sides) -> Iterator[Out]:
    """Remove dropped documents (`drops`) from the files with one stem, `part`. Publish files of an interrupted run with documents that this
    run takes over (`adopted`)."""
    gone, adopted = sorted(DocId(doc_id) for doc_id in sides["drops"]), any(True for _ in sides["adopted"])
    shown = base_of(crawl).stems().get(part)
    files = shown or (recorded_part(crawl.output, part) if adopted else None)
    if gone and files:
        yield from ((_DONE, part, stem) for stem in cut_part(crawl, part, files, gone, shown=bool(shown)))
    if adopted:
        yield _ADOPTED, part, part
