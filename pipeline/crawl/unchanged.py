"""Recognise unchanged objects by hash, for a plan in one process over millions of objects that rarely change.
The listed properties of each successfully read document are hashed to 64 bits, 8 bytes per object. Objects with a new hash go through the
full comparison of `pdfmill.pipeline.crawl.plan`. Two objects collide once in 300,000 crawls of 10 million objects, and that only hides that
one of them is gone."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import compress
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field
from numpy.typing import NDArray

from pdfmill.pipeline.crawl.crawl_parts import EPOCH, STATE_COLUMNS, part_uri, states_in
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.duplicates import Known, content_key
from pdfmill.schemas.crawl import SourceState
from pdfmill.schemas.records import DocId, DocumentRef
from pdfmill.transforms.delta.deletion_vectors import ShownRows
from pdfmill.transforms.delta.delta_log import PartFile, group_of
from pdfmill.transforms.storage.addresses import WARC_PREFIX

#: The columns that are hashed, and those that decide whether a row's hash is used.
_COLUMNS: Final = [
    "doc_id", "root_doc_id", "source_uri", "source_etag", "source_size", "source_modified", "status", "deleted_at", "duplicate_of",
    "config_signature",
]  # fmt: skip
_MICROSECOND: Final = timedelta(microseconds=1)
#: Number of objects, or of rows, that are hashed and looked up together: more would take more memory and no less time.
AT_ONCE: Final = 8192

Numbers = NDArray[np.int64]


class Unchanged(Struct):
    """Hashes of a snapshot's objects, by which most unchanged objects are recognised. numbers: sorted hashes of objects that may be
    unchanged. seen: for each of these, whether it was listed. others: hashed ids of objects that need the full comparison, because they
    have no good reading, or several. listed, keys: hashed ids and content keys (checksum and size, or size) of the listed objects in the
    full comparison. mixed: stems of the files of `sources` with rows of the objects in `others`."""

    policy: Policy
    numbers: Numbers = field(default_factory=lambda: np.empty(0, np.int64))
    seen: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    others: Numbers = field(default_factory=lambda: np.empty(0, np.int64))
    listed: array[int] = field(default_factory=lambda: array("q"))
    keys: array[int] = field(default_factory=lambda: array("q"))
    mixed: set[str] = field(default_factory=set)

    @staticmethod
    def of(output: str, policy: Policy, sources: Sequence[PartFile], others: Iterable[DocId]) -> Unchanged:
        """Collect hashes of a snapshot's objects. sources: the files of `sources`. others: ids of objects that need the full comparison."""
        made = Unchanged(policy)
        numbers, known = np.empty(sum(file.shown for file in sources), np.int64), 0
        found = array("q", (hash(doc_id) for doc_id in others))
        for file in sources:
            with ShownRows(part_uri(output, "sources", file.stem), file.vector) as part:
                for batch in part.batches(_COLUMNS, AT_ONCE):
                    fits = _fit(batch, policy)
                    some = batch.filter(pa.array(fits))
                    numbers[known : known + len(some)] = _numbers(some)
                    known += len(some)
                    if len(some) < len(batch):
                        made.mixed.add(file.stem)
                        found.extend(hash(root) for root in batch.column("root_doc_id").filter(pa.array(~fits)).to_pylist())
        made.numbers = numbers[:known]
        made.numbers.sort()
        made.seen, made.others = np.zeros(known, np.bool_), np.unique(_as_numbers(found))
        return made

    def changed(self, refs: Sequence[DocumentRef]) -> tuple[list[DocumentRef], int]:
        """Return the listed objects that need the full comparison, and the number of unchanged objects, each counted once."""
        if not len(self.numbers):
            return list(refs), 0
        numbers = np.fromiter(map(_number_of, refs), np.int64, len(refs))
        at, known = _find(self.numbers, numbers)
        known &= ~_find(self.others, np.fromiter((hash(ref.doc_id) for ref in refs), np.int64, len(refs)))[1]
        known &= np.fromiter((not ref.uri.startswith(WARC_PREFIX) for ref in refs), np.bool_, len(refs))
        fresh = np.unique(at[known])
        fresh = fresh[~self.seen[fresh]]
        self.seen[fresh] = True
        changed = list(compress(refs, ~known))
        self.listed.extend(hash(ref.doc_id) for ref in changed)
        self.keys.extend(hash(key) for ref in changed if (key := content_key(ref.checksum, ref.size)))
        return changed, len(fresh)

    def settled(self) -> Settled:
        """Return an object that selects the rows of `sources` to load; call this after all sources have been listed."""
        ids, keys = np.union1d(self.others, _as_numbers(self.listed)), np.unique(_as_numbers(self.keys))
        return Settled(self, ids, keys, quiet=bool(self.seen.all()) and not len(self.listed))


class Settled(Struct, frozen=True):
    """Selects the rows of `sources` that the full comparison needs: of listed objects that may have changed, and of known objects that were
    not listed. ids, keys: hashed ids and content keys of the listed objects in the comparison. quiet: no object needs it."""

    known: Unchanged
    ids: Numbers
    keys: Numbers
    quiet: bool

    def rows(self, output: str, stem: str, vector: str | None) -> Iterator[SourceState | Known]:
        """Yield the rows of a file of `sources` that need the full comparison, and unchanged documents of which new objects may be
        duplicates."""
        if self.quiet and stem not in self.known.mixed:
            return
        with ShownRows(part_uri(output, "sources", stem), vector) as part:
            times = dict[int, datetime]()
            for batch in part.batches(STATE_COLUMNS, AT_ONCE):
                away = self._away(batch)
                yield from states_in(batch.filter(pa.array(away)), group_of(stem), times)
                if len(self.keys):
                    yield from self._same(batch.filter(pa.array(~away)), group_of(stem))

    def _away(self, batch: pa.RecordBatch) -> NDArray[np.bool_]:
        known = self.known
        away = ~_fit(batch, known.policy) | _find(self.ids, _hashes(batch.column("root_doc_id").to_pylist()))[1]
        at, _ = _find(known.numbers, _numbers(batch.filter(pa.array(~away))))
        away[~away] = ~known.seen[at]
        return away

    def _same(self, batch: pa.RecordBatch, group: str) -> Iterator[Known]:
        """Yield the unchanged documents of a batch that share a content key with an object in the full comparison. group: stem of their
        files."""
        columns = [_values(batch, name) for name in ("source_checksum", "source_size", "doc_id", "content_sha256")]
        keys = [content_key(checksum, size) for checksum, size in zip(*columns[:2], strict=True)]
        wanted = _find(self.keys, _hashes(keys))[1]
        for key, doc_id, digest in compress(zip(keys, *columns[2:], strict=True), wanted):
            if key is not None:
                yield Known(key, doc_id, group, digest)


def _fit(batch: pa.RecordBatch, policy: Policy) -> NDArray[np.bool_]:
    """Return bool[rows]: whether the object was read successfully, need not be read for new settings, and contains no documents."""
    told = pc.or_(pc.is_valid(batch.column("source_etag")), pc.is_valid(batch.column("source_modified")))
    fits = pc.and_(pc.equal(batch.column("doc_id"), batch.column("root_doc_id")), pc.equal(batch.column("status"), "ok"))
    for name in ("deleted_at", "duplicate_of"):
        if name in batch.schema.names:
            fits = pc.and_(fits, pc.is_null(batch.column(name)))
    if policy.redo:
        fits = pc.and_(fits, pc.equal(batch.column("config_signature"), policy.signature))
    return np.asarray(pc.fill_null(pc.and_(fits, told), False).to_numpy(zero_copy_only=False), np.bool_)


def _numbers(batch: pa.RecordBatch) -> Numbers:
    times = pc.cast(pc.cast(batch.column("source_modified"), pa.timestamp("us", tz="UTC")), pa.int64()).to_pylist()
    etags = batch.column("source_etag").to_pylist()
    told = (time if etag is None else etag for etag, time in zip(etags, times, strict=True))
    names = (batch.column(name).to_pylist() for name in ("doc_id", "source_uri", "source_size"))
    return _hashes(zip(*names, told, strict=True), len(batch))


def _number_of(ref: DocumentRef) -> int:
    """Return a hash of an object's id, address, size, and etag or time, as its store listed them."""
    told = ref.etag if ref.etag is not None or ref.modified is None else (ref.modified - EPOCH) // _MICROSECOND
    return hash((ref.doc_id, ref.uri, ref.size, told))


def _hashes(values: Iterable[Any], count: int = -1) -> Numbers:
    return np.fromiter(map(hash, values), np.int64, count)


def _values(batch: pa.RecordBatch, name: str) -> list[Any]:
    return batch.column(name).to_pylist() if name in batch.schema.names else [None] * len(batch)


def _as_numbers(kept: array[int]) -> Numbers:
    return np.array(kept, np.int64)


def in_runs(refs: Iterable[DocumentRef], most: int) -> Iterator[list[DocumentRef]]:
    """Yield lists of at most `most` references. If the iterator raises an error, the references before it are yielded first."""
    run: list[DocumentRef] = []
    try:
        for ref in refs:
            run.append(ref)
            if len(run) == most:
                yield run
                run = []
    except Exception:
        yield run
        raise
    yield run


def _find(ordered: Numbers, numbers: Numbers) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return for each of `numbers` its position in the sorted array `ordered`, and whether it occurs there."""
    if not len(ordered):
        return np.zeros(len(numbers), np.intp), np.zeros(len(numbers), np.bool_)
    at = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    return at, ordered[at] == numbers
