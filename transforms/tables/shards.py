"""Choose the number of Parquet files ("parts", "shards") of each table, and of jobs, before all documents are read.
Sizes of documents say little about sizes of rows, so a sample of each size class is read first and multiplied by the number of documents
(stratified sampling: Cochran, Sampling Techniques, 3rd edition, chapter 5)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.tables.output_layout import WriteSettings

#: Intended size of a shard, in bytes of packed rows of `pages`, the largest table: some 20,000 pages. Flink holds a shard in memory while
#: sending it (apache/beam#18848). The Parquet file has some 0.84 of that size. This lies between 64 MB, below which opening files
#: dominates, and 512 MB, above which a part is split, so that the estimate may be off by a factor of two and a half either way.
SHARD_BYTES: Final = 192 << 20
#: Documents of one page range and books (longer ones) have separate parts. The kind with fewer shards gets at least this share of the
#: other's number, because the sample may have missed it: while the kind is at most an eighth of the archive, its parts are then no larger
#: than the others.
LEAST_SHARE: Final = 1 / 8
#: Most bytes of packed `pages` rows that one job of an engine writes, since they are lost if it ends early: some 5 million pages, by
#: docs/scale.md 65 hours of one core, four hours of sixteen.
WAVE_BYTES: Final = 256 * SHARD_BYTES
#: Number of documents of each size that are read as a sample.
SAMPLED: Final = 16
#: At most one document in this many is read as a sample.
ONE_IN: Final = 100
#: Bytes of packed `pages` rows per byte of a document, for size classes of which no document was read: the ratio of letters and papers.
USUAL: Final = 0.25
#: The same ratio for the densest documents: text without pictures and fonts. If one part suffices at this ratio, no sample is read.
DENSEST: Final = 2.0
#: Bytes assumed for a document whose size the listing lacks: the median of PDFs on the web is 100 to 200 kB.
UNKNOWN_BYTES: Final = 150_000


class Sizes(NamedTuple):
    """The size of packed rows of `pages`, in bytes: of short documents, and of long ones ("books"), which have more than one page range."""

    documents: int = 0  # of documents with one page range
    books: int = 0  # of books: documents with more than one page range


class Shards(NamedTuple):
    """The number of Parquet files of each table that a job writes, for short documents and for long ones ("books"). waves: number of jobs
    into which a run is split."""

    documents: int = 1  # for documents of one page range
    books: int = 1  # for books: documents with more than one page range
    waves: int = 1  # number of jobs that together process all documents


#: `Shards` as a plain tuple, as steps pass it on.
ShardCounts = tuple[int, int, int]


def as_one(counts: ShardCounts) -> ShardCounts:
    """Return the numbers of Parquet files for tables in which long and short documents share files: the sum of both less 1.
    counts: the fields of `Shards`.

    >>> as_one((8, 1, 1))
    (8, 8, 1)
    """
    documents, books, waves = counts
    return documents + books - 1, documents + books - 1, waves


def in_shards(settings: WriteSettings, counts: ShardCounts | None, *, books: bool = False) -> WriteSettings:
    """Return the settings with the number of Parquet files per table taken from `counts`, the fields of `Shards`; None changes nothing.
    books: take the number for long documents."""
    if counts is None:
        return settings
    shards = Shards(*counts)
    return replace(settings, shards=shards.books if books else shards.documents)


class Listed(Struct):
    """The listed documents of one size class (sizes between two powers of two): number, bytes, and a sample as (rank, document id,
    reference). The rank is a hash of the id; the lowest are in the sample."""

    count: int = 0  # number of documents
    size: int = 0  # bytes of all of them
    #: (rank, document id, reference) of the documents with the lowest ranks.
    sample: list[tuple[int, str, DocumentRef]] = field(default_factory=list)

    def add(self, other: Listed) -> None:
        """Add the counts and the sample of another record of the same size class, in place."""
        self.count += other.count
        self.size += other.size
        if other.sample:
            self.sample = heapq.nsmallest(SAMPLED, [*self.sample, *other.sample], key=lambda each: each[:2])


#: The listed documents by size class, see `size_class`.
Listing = dict[int, Listed]


def size_class(ref: DocumentRef) -> int:
    """Return the number n of the size class of a document, of 2**(n - 1) to less than 2**n bytes; 0 if its size is unknown."""
    return (ref.size or 0).bit_length()


def count_in(listing: Listing, ref: DocumentRef) -> None:
    """Add a document to a listing, in place. A listing has a `Listed` for each size class."""
    rank = crc32(ref.doc_id[::-1].encode())  # not what the shards go by
    sample = [(rank, str(ref.doc_id), ref)] if rank % ONE_IN == 0 and ref.failure is None else []
    listing.setdefault(size_class(ref), Listed()).add(Listed(1, ref.size or UNKNOWN_BYTES, sample))


def joined(listings: Iterable[Listing]) -> Listing:
    """Return the sum of several listings."""
    total: Listing = {}
    for listing in listings:
        for size, listed in listing.items():
            total.setdefault(size, Listed()).add(listed)
    return total


def sampled(listing: Listing) -> list[DocumentRef]:
    """Return the documents to read as a sample; [] if one Parquet file per table is certainly enough for all documents."""
    if sum(listed.size for listed in listing.values()) * DENSEST <= SHARD_BYTES:
        return []
    return [ref for _, listed in sorted(listing.items()) for _, _, ref in listed.sample]


def shards_for(listing: Listing, read: Mapping[int, list[Sizes]], wave_bytes: float = math.inf) -> Shards:
    """Return the number of Parquet files and of jobs for a listing.
    read: by size class, the `Sizes` of each sampled document. wave_bytes: the most bytes of packed rows of `pages` that one job may
    write."""
    documents = books = 0.0
    for size, listed in listing.items():
        found = read.get(size)
        if found:
            documents += listed.count * sum(each.documents for each in found) / len(found)
            books += listed.count * sum(each.books for each in found) / len(found)
        else:
            documents += listed.size * USUAL
    waves = max(1, math.ceil((documents + books) / wave_bytes))
    return Shards(_shards(documents / waves, books / waves), _shards(books / waves, documents / waves), waves)


def _shards(size: float, other: float) -> int:
    return max(1, math.ceil(size / SHARD_BYTES), math.ceil(other / SHARD_BYTES * LEAST_SHARE))
