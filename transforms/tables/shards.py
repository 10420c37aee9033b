"""Choose the number of parts of each table, and of jobs that make them, from the listing and a few documents of each size, before all
documents are read.

Bytes of an archive say little about its rows: a scanned page has a hundred times the bytes of a typeset one, and a hundredth of its rows.
So a sample of documents is read twice, about equally many of each size (powers of two), chosen by their ids; the mean of each size is
multiplied by its number of documents (stratified sampling: Cochran, Sampling Techniques, 3rd edition, chapter 5).
"""

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

#: Packed rows of `pages`, the largest table, that a shard is to hold, in bytes: some 20,000 pages. Flink has a shard in memory on its way
#: (apache/beam#18848). The Parquet file, some 0.84 of that, lies amid 64 MB, below which readers do little but open files, and the 512 MB
#: at which a part goes on in a further file, so that the estimate may be off by a factor of two and a half either way.
SHARD_BYTES: Final = 192 << 20
#: Documents of one range of pages and books have parts of their own, and each of both gets at least so large a share of the shards of the
#: other: a kind of which the sample has seen nothing may be an eighth of the archive before its parts are larger than all others.
LEAST_SHARE: Final = 1 / 8
#: Packed rows of `pages` that one job of an engine is to make, where what it has made is lost if it ends early: some 5 million pages, by
#: docs/scale.md 65 hours of one core, four hours of sixteen.
WAVE_BYTES: Final = 256 * SHARD_BYTES
#: Documents of a size that are read for it.
SAMPLED: Final = 16
#: At most one document in so many is read twice.
ONE_IN: Final = 100
#: Packed bytes of `pages` by byte of a document, where none of its size was read: of papers and letters.
USUAL: Final = 0.25
#: The same of the densest documents, text without pictures and fonts: an archive that needs one part even so is not sampled.
DENSEST: Final = 2.0
#: What counts for the bytes of a document whose listing tells none: the median of PDFs of the web is 100 to 200 kB.
UNKNOWN_BYTES: Final = 150_000


class Sizes(NamedTuple):
    """Packed bytes of `pages`: of documents with one range of pages, and of books."""

    documents: int = 0
    books: int = 0


class Shards(NamedTuple):
    """The number of parts of each table that each of so many jobs makes: for documents of one range of pages, and for books."""

    documents: int = 1
    books: int = 1
    waves: int = 1


#: `Shards` as it crosses between steps.
Told = tuple[int, int, int]


def as_one(told: Told) -> Told:
    """Return `Shards` for tables whose parts hold both kinds. No part is larger than with separate parts.

    >>> as_one((8, 1, 1))
    (8, 8, 1)
    """
    documents, books, waves = told
    return documents + books - 1, documents + books - 1, waves


def in_shards(settings: WriteSettings, told: Told | None, *, books: bool = False) -> WriteSettings:
    """Return the settings for the parts of documents of one range, or of books. told: `Shards`, where the listing decides."""
    if told is None:
        return settings
    shards = Shards(*told)
    return replace(settings, shards=shards.books if books else shards.documents)


class Listed(Struct):
    """Documents of about one size. count, size: their number, and their bytes. sample: (rank, reference) of those with the lowest ranks."""

    count: int = 0
    size: int = 0
    sample: list[tuple[int, str, DocumentRef]] = field(default_factory=list)

    def add(self, other: Listed) -> None:
        """Add the counts of another one."""
        self.count += other.count
        self.size += other.size
        if other.sample:
            self.sample = heapq.nsmallest(SAMPLED, [*self.sample, *other.sample], key=lambda each: each[:2])


#: By size class.
Listing = dict[int, Listed]


def size_class(ref: DocumentRef) -> int:
    """Return the power of two above a document's bytes; 0 if they are unknown."""
    return (ref.size or 0).bit_length()


def count_in(listing: Listing, ref: DocumentRef) -> None:
    """Add a document, by its size, to the counts and samples of a listing, in place."""
    rank = crc32(ref.doc_id[::-1].encode())  # not what the shards go by
    sample = [(rank, str(ref.doc_id), ref)] if rank % ONE_IN == 0 and ref.failure is None else []
    listing.setdefault(size_class(ref), Listed()).add(Listed(1, ref.size or UNKNOWN_BYTES, sample))


def joined(listings: Iterable[Listing]) -> Listing:
    """Return the sum of all."""
    total: Listing = {}
    for listing in listings:
        for size, listed in listing.items():
            total.setdefault(size, Listed()).add(listed)
    return total


def sampled(listing: Listing) -> list[DocumentRef]:
    """Return the documents to read as a sample; none if one part is enough in any case."""
    if sum(listed.size for listed in listing.values()) * DENSEST <= SHARD_BYTES:
        return []
    return [ref for _, listed in sorted(listing.items()) for _, _, ref in listed.sample]


def shards_for(listing: Listing, read: Mapping[int, list[Sizes]], wave_bytes: float = math.inf) -> Shards:
    """Return the number of shards.

    read: by size class, the packed bytes of `pages` of each sampled document. wave_bytes: the most that one job may make.
    """
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
