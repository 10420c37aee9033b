"""The plan of a crawl as joins on the workers: 100 million objects do not pass through one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

import apache_beam as beam

from schemas.crawl import PlanEntry, SourceState
from schemas.records import DocId, DocumentRef
from transforms.snapshots.decide import Policy, decide
from transforms.snapshots.delta_log import load_snapshot
from transforms.snapshots.duplicates import Known, Leaves, Pointer, digest, key_of, roles, same_content
from transforms.snapshots.parts import read_states
from transforms.snapshots.runs import CrawlRun, staged_parts
from transforms.steps.find_documents import list_item
from transforms.steps.metrics import Measured
from transforms.steps.redistribute import Redistribute
from transforms.storage.sources import expand_lists

#: Outputs of `PlanCrawl`: what is to be done; (name, number) of what a summary adds up; sources that failed; objects that may have
#: the same bytes as others, and what they may be the same as.
ENTRIES: Final = "entries"
COUNTS: Final = "counts"
FAILED: Final = "failed"
CANDIDATES: Final = "candidates"
KNOWN: Final = "known"
_ROLES: Final = "roles"
_BYTES: Final = "bytes"

#: (stem, whether no snapshot shows it): a part of `sources`.
StatePart = tuple[str, bool]


def state_parts(crawl: CrawlRun) -> Iterator[StatePart]:
    """The parts of `sources` that the listing is joined with."""
    base = load_snapshot(crawl.output, crawl.snapshot - 1)
    yield from ((file.stem, False) for file in base.of("sources"))
    yield from ((stem, True) for stem in sorted(staged_parts(base, crawl.output)))


def _states(part: StatePart, output: str) -> Iterator[SourceState]:
    yield from read_states(output, part[0], staged=part[1])


def decided(keyed: tuple[DocId, dict[str, Iterable[Any]]], policy: Policy) -> Iterator[Any]:
    """What is to be done about one object: its entry, what a summary counts, and its role among objects with the same bytes."""
    doc_id, sides = keyed
    listed, known = list(sides["listed"]), list(sides["known"])
    entry = decide(doc_id, listed, known, policy)
    if listed:
        yield beam.pvalue.TaggedOutput(COUNTS, ("listed", 1))
    if any(state.doc_id == doc_id and not state.staged and state.deleted_at is None for state in known):
        yield beam.pvalue.TaggedOutput(COUNTS, ("known", 1))
    if listed and not (entry and entry.kind):
        yield beam.pvalue.TaggedOutput(COUNTS, ("unchanged", 1))
    for role in roles(doc_id, entry, listed, known):
        yield beam.pvalue.TaggedOutput(_ROLES, role)
    if entry is not None:
        yield from _counted(entry)
        yield entry


def _counted(entry: PlanEntry) -> Iterator[Any]:
    if entry.kind:
        yield beam.pvalue.TaggedOutput(COUNTS, (entry.kind, 1))
    if entry.ref is not None:
        yield beam.pvalue.TaggedOutput(COUNTS, (_BYTES, entry.size or 0))


def _lost(keyed: tuple[DocId, dict[str, Iterable[Any]]]) -> Iterator[Any]:
    """Entries for the objects that point at what does not stay."""
    if any(True for _ in keyed[1]["leaves"]):
        for pointer in keyed[1]["pointers"]:
            yield beam.pvalue.TaggedOutput(COUNTS, ("unchanged", -1))
            yield from _counted(pointer.if_lost)
            yield pointer.if_lost


def _candidates(keyed: tuple[str, dict[str, Iterable[Any]]]) -> Iterator[Any]:
    """Entries that share their key with another object, which are compared; those that are alone are read as they are."""
    key, sides = keyed
    entries, known = iter(sides["entries"]), list(sides["known"])
    first = list(islice(entries, 2))
    if len(first) + len(known) == 1:
        yield from first
    elif first:
        yield from (beam.pvalue.TaggedOutput(CANDIDATES, (key, entry)) for entry in chain(first, entries))
        yield from (beam.pvalue.TaggedOutput(KNOWN, each) for each in known)


def _key(item: str | DocumentRef) -> str:
    return item.doc_id if isinstance(item, DocumentRef) else item


def _of(kind: type) -> Callable[[object], bool]:
    return lambda role: isinstance(role, kind)


class PlanCrawl(beam.PTransform[object, object]):
    """Source specifications to what is to be done about every object that they name or that the last snapshot knows.

    A dictionary: ENTRIES `PlanEntry`, COUNTS (name, number), FAILED `DocumentRef`, CANDIDATES (content key, `PlanEntry`), KNOWN `Known`.
    """

    def __init__(self, crawl: CrawlRun, policy: Policy) -> None:
        super().__init__()
        self._crawl = crawl
        self._policy = policy

    def expand(self, sources: beam.PCollection[str]) -> dict[str, beam.PCollection[Any]]:
        """List, join by object, decide; then find what was lost, then what may have the same bytes."""
        refs = sources | "Expand lists" >> beam.FlatMap(expand_lists) | "Spread" >> Redistribute(_key) | "List" >> beam.ParDo(Measured("find_documents", list_item))
        listed = refs | "Found" >> beam.Filter(lambda ref: ref.failure is None) | "By object" >> beam.Map(lambda ref: (ref.doc_id, ref))
        start = sources.pipeline | "Run" >> beam.Create([self._crawl], reshuffle=False)
        parts = start | "State parts" >> beam.FlatMap(state_parts) | "Spread states" >> Redistribute(lambda part: part[0])
        known = parts | "States" >> beam.FlatMap(_states, self._crawl.output) | "By root" >> beam.Map(lambda state: (state.root_doc_id, state))
        joined = {"listed": listed, "known": known} | "Join" >> beam.CoGroupByKey()
        first = joined | "Decide" >> beam.FlatMap(decided, self._policy).with_outputs(COUNTS, _ROLES, main=ENTRIES)
        role = first[_ROLES]
        pointers = role | "Pointers" >> beam.Filter(_of(Pointer)) | "By target" >> beam.Map(lambda pointer: (pointer.target, pointer))
        leaves = role | "Leave" >> beam.Filter(_of(Leaves)) | "By left" >> beam.Map(lambda leaves: (leaves.doc_id, None))
        pointed = {"pointers": pointers, "leaves": leaves} | "Join pointers" >> beam.CoGroupByKey()
        lost = pointed | "Lost" >> beam.FlatMap(_lost).with_outputs(COUNTS, main=ENTRIES)
        entries = (first[ENTRIES], lost[ENTRIES]) | "All entries" >> beam.Flatten()
        stay = role | "Stay" >> beam.Filter(_of(Known)) | "Stay by key" >> beam.Map(lambda known: (known.key, known))
        keyed = entries | "Comparable" >> beam.Filter(_is_comparable) | "By key" >> beam.Map(lambda entry: (key_of(entry), entry))
        same = {"entries": keyed, "known": stay} | "Join content" >> beam.CoGroupByKey()
        compared = same | "Candidates" >> beam.FlatMap(_candidates).with_outputs(CANDIDATES, KNOWN, main=ENTRIES)
        others = entries | "Others" >> beam.Filter(lambda entry: not _is_comparable(entry))
        return {
            ENTRIES: (others, compared[ENTRIES]) | "Entries" >> beam.Flatten(),
            COUNTS: (first[COUNTS], lost[COUNTS]) | "Counts" >> beam.Flatten(),
            FAILED: refs | "Failed" >> beam.Filter(lambda ref: ref.failure is not None),
            CANDIDATES: compared[CANDIDATES],
            KNOWN: compared[KNOWN],
        }


def _is_comparable(entry: PlanEntry) -> bool:
    return entry.ref is not None and key_of(entry) is not None


def _proved(keyed: tuple[str, PlanEntry], max_bytes: int | None) -> Iterator[Any]:
    key, entry = keyed
    assert entry.ref is not None
    content = digest(entry.ref, max_bytes)
    if content is None:
        yield beam.pvalue.TaggedOutput(ENTRIES, entry)
    else:
        yield (key, content), entry


def _same(keyed: tuple[object, dict[str, Iterable[Any]]]) -> Iterator[Any]:
    yield from same_content(keyed[1]["known"], keyed[1]["entries"])


class ReadOnce(beam.PTransform[object, object]):
    """CANDIDATES and KNOWN of `PlanCrawl` to `PlanEntry` for what is read, `Twin` for what has the bytes of another document."""

    def __init__(self, max_bytes: int | None) -> None:
        super().__init__()
        self._max_bytes = max_bytes

    def expand(self, sides: dict[str, beam.PCollection[Any]]) -> beam.PCollection[Any]:
        """Compare by the SHA-256 of the bytes."""
        spread = sides[CANDIDATES] | "Spread" >> Redistribute(lambda keyed: keyed[1].doc_id)
        proved = spread | "Prove" >> beam.FlatMap(_proved, self._max_bytes).with_outputs(ENTRIES, main=CANDIDATES)
        known = sides[KNOWN] | "By content" >> beam.Map(lambda known: ((known.key, known.content_sha256), known))
        same = {"entries": proved[CANDIDATES], "known": known} | "Join" >> beam.CoGroupByKey() | "Same" >> beam.FlatMap(_same)
        return (same, proved[ENTRIES]) | beam.Flatten()
