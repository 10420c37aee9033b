"""How many parts there are follows from a listing and a few documents of it: parts are neither small nor large, whatever the archive."""

import random

import pytest

from pdfmill.schemas.records import DocumentRef, Failure, document_id
from pdfmill.transforms.tables.shards import (
    ONE_IN,
    SAMPLED,
    SHARD_BYTES,
    WAVE_BYTES,
    Listed,
    Listing,
    Shards,
    Sizes,
    count_in,
    joined,
    sampled,
    shards_for,
    size_class,
)

MB = 1 << 20
DOCUMENTS = 8000
#: Pages of a document that is no book.
A_RANGE = 32


def of_pages(pages, size, packed):
    """Bytes of a document, and of its rows in `pages`, by bytes of a page."""
    return pages * size, Sizes(0, pages * packed) if pages > A_RANGE else Sizes(pages * packed)


#: Archives, as bytes of a document and packed bytes of its rows of `pages`, drawn for each.
ARCHIVES = {
    "letters": lambda drawn: (drawn.lognormvariate(10.5, 0.5), Sizes(9000 * drawn.randint(1, 3))),
    "scans": lambda drawn: of_pages(drawn.randint(1, 200), 400_000.0, 300),
    "dense text": lambda drawn: of_pages(drawn.randint(1, 2000), 5_000.0, 9000),
    "mixed": lambda drawn: of_pages(drawn.randint(1, 40), drawn.choice([8e3, 4e4, 4e5]), drawn.choice([300, 9000])),
    "papers and books": lambda drawn: of_pages(drawn.choice([12] * 9 + [300]), drawn.choice([8e3, 4e4]), 9000),
}
#: Kinds of which an archive has next to nothing: the parts of those are small.
FEW = {("letters", "books"), ("dense text", "documents"), ("scans", "documents")}


def listed(kind, documents=DOCUMENTS):
    """A listing, and what each of its documents has in `pages`."""
    drawn, rows = random.Random(7), {}
    listing: Listing = {}
    for number in range(documents):
        size, packed = ARCHIVES[kind](drawn)
        ref = DocumentRef(document_id(f"s3://archive/{number}.pdf"), f"s3://archive/{number}.pdf", size=int(size))
        count_in(listing, ref)
        rows[ref.doc_id] = packed
    return listing, rows


def read(listing, rows):
    found: dict[int, list[Sizes]] = {}
    for ref in sampled(listing):
        found.setdefault(size_class(ref), []).append(rows[ref.doc_id])
    return found


@pytest.mark.parametrize("kind", ARCHIVES)
def test_parts_of_any_archive_are_neither_small_nor_large(kind):
    """Of 10 million documents and more: the same again and again."""
    listing, rows = listed(kind)
    times = 10**7 // DOCUMENTS
    for each in listing.values():
        each.count, each.size = each.count * times, each.size * times
    shards = shards_for(listing, read(listing, rows))
    for of in ("documents", "books"):
        part = 0.84 * sum(getattr(each, of) for each in rows.values()) * times / getattr(shards, of)
        assert part < 512 * MB, (kind, of, shards, part / MB)
        assert part > 64 * MB or (kind, of) in FEW, (kind, of, shards, part / MB)


@pytest.mark.parametrize("kind", ARCHIVES)
def test_few_documents_are_read_twice(kind):
    listing, _ = listed(kind)
    chosen = sampled(listing)
    assert len(chosen) <= min(2 * DOCUMENTS / ONE_IN, SAMPLED * len(listing))
    assert {size_class(ref) for ref in chosen} <= set(listing)


def test_a_small_archive_is_one_part_and_nothing_of_it_is_read_for_that():
    listing, _ = listed("letters", 1000)
    assert sampled(listing) == []
    assert shards_for(listing, {}) == shards_for({}, {}) == Shards(1, 1)


def test_the_answer_does_not_hang_on_how_the_listing_is_shared_out():
    refs = [DocumentRef(document_id(str(number)), str(number), size=1 + 1000 * number) for number in range(4000)]
    whole, odd, even = Listing(), Listing(), Listing()
    for number, ref in enumerate(refs):
        count_in(whole, ref)
        count_in(odd if number % 2 else even, ref)
    assert joined([odd, even]) == joined([even, odd]) == whole


def test_what_no_document_was_read_of_counts_by_its_bytes():
    assert shards_for({30: Listed(8, 8 * 4 * SHARD_BYTES)}, {}) == Shards(8, 1)


def test_a_kind_of_which_the_sample_has_nothing_gets_an_eighth_of_the_parts():
    listing = {20: Listed(800, 1 << 40)}
    assert shards_for(listing, {20: [Sizes(SHARD_BYTES)]}) == Shards(800, 100)
    assert shards_for(listing, {20: [Sizes(0, SHARD_BYTES)]}) == Shards(100, 800)


def test_a_large_archive_is_made_by_several_jobs_each_with_its_share_of_the_parts():
    listing = {20: Listed(800, 1 << 40)}
    assert shards_for(listing, {20: [Sizes(SHARD_BYTES)]}, WAVE_BYTES) == Shards(200, 25, 4)
    assert shards_for({20: Listed(200, 1 << 38)}, {20: [Sizes(SHARD_BYTES)]}, WAVE_BYTES) == Shards(200, 25)


def test_documents_of_unknown_size_count_and_those_that_failed_are_not_read():
    listing: Listing = {}
    for number in range(20_000):
        failure = Failure("not_found", "gone") if number % 2 else None
        count_in(listing, DocumentRef(document_id(str(number)), str(number), failure=failure))
    assert shards_for(listing, {}).documents == 4
    assert sampled(listing)
    assert all(ref.failure is None for ref in sampled(listing))
