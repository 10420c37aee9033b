"""The plan of a run in this process: a join of any size in the memory of one share of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from schemas.crawl import PlanEntry, SourceState
from schemas.records import DocId, DocumentRef, Failure
from transforms.snapshots.decide import Policy, decide, withheld
from transforms.snapshots.delta_log import Snapshot
from transforms.snapshots.duplicates import Duplicates, roles
from transforms.snapshots.parts import read_states
from transforms.snapshots.spill import Spill
from transforms.storage.sources import expand_lists, list_source

#: Entries of each kind that a plan shows by name, and failed sources that a report names.
SHOWN = 20


@dataclass(slots=True)
class PlanSummary:
    """What a plan comes to. known: objects that the last snapshot has. failures: (source, failure) of what could not be listed."""

    listed: int = 0
    known: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    bytes_to_read: int = 0
    failures: list[tuple[str, Failure]] = field(default_factory=list)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def withheld(self, policy: Policy) -> str:
        """Why its deletes are not carried out; empty when they are."""
        return withheld(self.kinds["gone"], self.known, [failure for _, failure in self.failures], policy)

    @property
    def complete(self) -> bool:
        """Whether every source was listed to its end: only then is what is missing gone."""
        return not self.failures

    def count(self, entry: PlanEntry) -> None:
        """Add an entry."""
        self.kinds[entry.kind] += 1
        if entry.ref is not None:
            self.bytes_to_read += entry.size or 0
        shown = self.examples.setdefault(entry.kind, [])
        if len(shown) < SHOWN:
            shown.append(entry.uri)


def listing(sources: Iterable[str]) -> Iterator[DocumentRef]:
    """Every object that the sources name; one that two of them name comes twice."""
    for item in (item for source in sources for item in expand_lists(source)):
        if isinstance(item, DocumentRef):
            yield item
        else:
            yield from list_source(item)


def known_states(output: str, snapshot: Snapshot, staged: Iterable[str]) -> Iterator[SourceState]:
    """The rows of `sources` of the last snapshot, then those of parts that no snapshot shows."""
    for file in snapshot.of("sources"):
        yield from read_states(output, file.stem)
    for stem in sorted(staged):
        yield from read_states(output, stem, staged=True)


def plan(
    refs: Iterable[DocumentRef], states: Iterable[SourceState], policy: Policy, plan_spill: Spill, duplicates: Duplicates | None = None
) -> PlanSummary:
    """Join both by object and put an entry for every object to which something is to be done into `plan_spill`.

    duplicates: hears what stays and what does not, where objects with the same bytes are to be read once.
    """
    summary = PlanSummary()
    with Spill() as spill:
        for ref in refs:
            if ref.failure is None:
                spill.put(ref.doc_id, ref)
            else:
                summary.failures.append((ref.uri, ref.failure))
        for state in states:
            spill.put(state.root_doc_id, state)
        for share in spill.shares():
            for entry in _decided(share, policy, summary, duplicates):
                plan_spill.put(entry.place, entry)
    for entry in duplicates.lost() if duplicates else ():
        summary.kinds["unchanged"] -= 1
        summary.count(entry)
        plan_spill.put(entry.place, entry)
    return summary


def _decided(
    share: Iterable[DocumentRef | SourceState], policy: Policy, summary: PlanSummary, duplicates: Duplicates | None
) -> Iterator[PlanEntry]:
    listed: dict[DocId, list[DocumentRef]] = {}
    known: dict[DocId, list[SourceState]] = {}
    for record in share:
        if isinstance(record, DocumentRef):
            listed.setdefault(record.doc_id, []).append(record)
        else:
            known.setdefault(record.root_doc_id, []).append(record)
    summary.listed += len(listed)
    for doc_id in sorted(listed.keys() | known.keys()):
        states = known.get(doc_id, [])
        summary.known += any(state.doc_id == doc_id and not state.staged and state.deleted_at is None for state in states)
        entry = decide(doc_id, listed.get(doc_id, []), states, policy)
        if doc_id in listed and (entry is None or not entry.kind):
            summary.kinds["unchanged"] += 1
        if duplicates is not None:
            for role in roles(doc_id, entry, listed.get(doc_id, []), states):
                duplicates.hear(role)
        if entry is not None:
            if entry.kind:
                summary.count(entry)
            yield entry
