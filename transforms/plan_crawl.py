"""The plan of a crawl as a join on the workers: 100 million objects do not pass through one process."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Iterable, Iterator
from typing import Any, Final

import apache_beam as beam

from schemas.crawl import PlanEntry, SourceState
from schemas.records import DocId, DocumentRef
from transforms.find_documents import list_item
from transforms.redistribute import Redistribute
from transforms.snapshots.decide import Policy, decide
from transforms.snapshots.parts import read_states
from transforms.storage.objects import join_uri, read_file, write_bytes
from transforms.storage.sources import expand_lists

#: Files that a plan is written to.
PLAN_SHARDS: Final = 64
#: The file that holds what is not an entry: counts, sources that failed, parts that are adopted.
SUMMARY: Final = PLAN_SHARDS

#: (stem, whether no snapshot shows it): a part of `sources`.
StatePart = tuple[str, bool]


def states_of(part: StatePart, output: str) -> Iterator[SourceState]:
    """The rows of one part of `sources`."""
    yield from read_states(output, part[0], staged=part[1])


def decided(keyed: tuple[DocId, dict[str, Iterable[Any]]], policy: Policy) -> Iterator[tuple[str, object]]:
    """What is to be done about one object, as (tag, value): entries to carry out, and what a summary counts."""
    doc_id, sides = keyed
    listed, known = list(sides["listed"]), list(sides["known"])
    entry = decide(doc_id, listed, known, policy)
    live = any(state.doc_id == doc_id and not state.staged and state.deleted_at is None for state in known)
    kind = entry.kind if entry is not None else ""
    yield "count", (bool(listed), live, kind or ("unchanged" if listed else ""))
    if entry is not None:
        yield "entry", entry
        for part in entry.adopted_parts:
            yield "part", part


def plan_uri(folder: str, shard: int) -> str:
    """Address of one file of a plan."""
    return join_uri(folder, f"plan-{shard:05d}")


def _pack(keyed: tuple[int, Iterable[tuple[str, object]]], folder: str) -> str:
    shard, records = keyed
    lines = sorted(base64.b64encode(pickle.dumps(record)) for record in records)
    write_bytes(plan_uri(folder, shard), b"\n".join(lines))
    return plan_uri(folder, shard)


def read_plan(uri: str) -> Iterator[tuple[str, object]]:
    """The records of one file of a plan; it is ours, from a folder that only the run writes to."""
    for line in read_file(uri).splitlines():
        yield pickle.loads(base64.b64decode(line))


def _key(item: str | DocumentRef) -> str:
    return item.doc_id if isinstance(item, DocumentRef) else item


def _shard(record: tuple[str, object]) -> int:
    entry = record[1]
    return int(entry.doc_id[:6], 16) % PLAN_SHARDS if isinstance(entry, PlanEntry) else SUMMARY


class _Counts(beam.CombineFn):
    """(listed, known, kind) of every object to how often each came."""

    def create_accumulator(self) -> dict[object, int]:
        return {}

    def add_input(self, counts: dict[object, int], one: object) -> dict[object, int]:
        counts[one] = counts.get(one, 0) + 1
        return counts

    def merge_accumulators(self, several: Iterable[dict[object, int]]) -> dict[object, int]:
        merged: dict[object, int] = {}
        for counts in several:
            for one, count in counts.items():
                merged[one] = merged.get(one, 0) + count
        return merged

    def extract_output(self, counts: dict[object, int]) -> dict[object, int]:
        return counts


class PlanCrawl(beam.PTransform[object, str]):
    """Source specifications and parts of `sources` to the addresses of the files that hold the plan."""

    def __init__(self, output: str, policy: Policy, folder: str) -> None:
        super().__init__()
        self._output = output
        self._policy = policy
        self._folder = folder

    def expand(self, sides: dict[str, beam.PCollection[object]]) -> beam.PCollection[str]:
        """List, join by object, decide, write."""
        refs = sides["sources"] | "Expand lists" >> beam.FlatMap(expand_lists) | "Spread" >> Redistribute(_key) | "List" >> beam.FlatMap(list_item)
        failed = refs | "Failed" >> beam.Filter(lambda ref: ref.failure is not None) | beam.Map(lambda ref: ("failure", ref))
        listed = refs | "Found" >> beam.Filter(lambda ref: ref.failure is None) | "By object" >> beam.Map(lambda ref: (ref.doc_id, ref))
        parts = sides["states"] | "Spread states" >> Redistribute(lambda part: part[0])
        known = parts | "States" >> beam.FlatMap(states_of, self._output) | "By root" >> beam.Map(lambda state: (state.root_doc_id, state))
        records = {"listed": listed, "known": known} | "Join" >> beam.CoGroupByKey() | "Decide" >> beam.FlatMap(decided, self._policy)
        counts = (
            records
            | "Counted" >> beam.Filter(lambda record: record[0] == "count")
            | beam.Map(lambda record: record[1])
            | beam.CombineGlobally(_Counts())
            | "Total" >> beam.Map(lambda counts: ("counts", counts))
        )
        entries = records | "Entries" >> beam.Filter(lambda record: record[0] == "entry")
        parts_adopted = records | "Adopted" >> beam.Filter(lambda record: record[0] == "part") | beam.Distinct()
        return (
            (entries, failed, counts, parts_adopted)
            | beam.Flatten()
            | "Shard" >> beam.Map(lambda record: (_shard(record), record))
            | "Gather" >> beam.GroupByKey()
            | "Write plan" >> beam.Map(_pack, self._folder)
        )
