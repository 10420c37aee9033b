"""What an address names in a listing, the same for all stores with buckets: no server is asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import Address
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import KeyRange, Listed, list_documents, list_range, names_below, parse, within

KEYS = ("in/a.pdf", "in/b.PDF", "in/b.txt", "in/deep/", "in/deep/c.pdf", "in/deep/d.fdf", "in/e.pdf/", "out/f.pdf", "sole")


def listing(at: Address, flat: bool) -> Iterator[Listed]:
    """What a store gives: all keys that begin so; flat, none of deeper folders."""
    found = (key for key in KEYS if key.startswith(at.key))
    return (Listed(key, size=len(key)) for key in found if not flat or "/" not in key[len(at.key) :])


def head(at: Address) -> DocumentRef | None:
    return Listed(at.key, size=len(at.key)).reference(at) if at.key in KEYS else None


def keys(spec: str) -> list[str]:
    return [ref.uri.removeprefix("s3://b/") for ref in list_documents(parse(spec), head, listing)]


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("s3://b/", ["in/a.pdf", "in/b.PDF", "in/deep/c.pdf", "in/deep/d.fdf", "out/f.pdf"]),
        ("s3://b/in/", ["in/a.pdf", "in/b.PDF", "in/deep/c.pdf", "in/deep/d.fdf"]),
        ("s3://b/in/de", ["in/deep/c.pdf", "in/deep/d.fdf"]),
        ("s3://b/in/b.txt", ["in/b.txt"]),  # what is named in full is read, whatever it is called
        ("s3://b/sole", ["sole"]),
        ("s3://b/in/*", ["in/a.pdf", "in/b.PDF", "in/b.txt"]),  # a glob decides by itself, and takes no folder
        ("s3://b/in/*.pdf", ["in/a.pdf"]),
        ("s3://b/**/*.pdf", ["in/a.pdf", "in/deep/c.pdf", "out/f.pdf"]),
    ],
)
def test_what_an_address_names(spec: str, named: list[str]) -> None:
    assert keys(spec) == named


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("s3://b/in/c", "s3://b/in/c: no object in the bucket is named so, or begins so and ends in .pdf, .fdf, .xfdf"),
        ("s3://b/in/*.docx", "s3://b/in/*.docx: no object in the bucket matches"),
    ],
)
def test_what_names_nothing_is_an_error(spec: str, says: str) -> None:
    with pytest.raises(SourceError) as raised:
        keys(spec)
    assert (raised.value.code, raised.value.message) == ("not_found", says)


def test_a_range_has_its_last_key_and_not_its_first() -> None:
    assert [each.key for each in within(listing(parse("s3://b/in/"), False), KeyRange("in/a.pdf", "in/b.txt"))] == ["in/b.PDF", "in/b.txt"]
    assert [each.key for each in within(listing(parse("s3://b/"), False), KeyRange())] == list(KEYS)
    assert list(list_range(parse("s3://b/none/"), listing)) == [], "a range may be empty"


def test_names_below_a_folder_have_a_suffix() -> None:
    assert list(names_below(parse("s3://b/in/deep"), "df", listing)) == ["s3://b/in/deep/c.pdf", "s3://b/in/deep/d.fdf"]


def test_a_reference_has_what_the_listing_says() -> None:
    ref = Listed("in/a.pdf", "etag", 7, None, "sum", archived=True).reference(parse("s3://b/in/"))
    assert (ref.uri, ref.etag, ref.size, ref.checksum, ref.archived) == ("s3://b/in/a.pdf", "etag", 7, "sum", True)
    assert not Listed("in/a.pdf").reference(parse("s3://b/in/a.pdf")).archived
