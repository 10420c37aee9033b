"""Functions that all stores with buckets and keys share: they select the documents that an address names from a listing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import takewhile
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import Address, fixed_prefix, found, glob_regex, has_glob, is_flat
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.settings import SUFFIXES


class Listed(Struct, frozen=True):
    """An object in a store's listing; fields as in `DocumentRef`."""

    key: str
    etag: str | None = None
    size: int | None = None
    modified: datetime | None = None
    checksum: str | None = None
    archived: bool = False

    def reference(self, at: Address) -> DocumentRef:
        """Return the reference to this object. at: an address in the object's bucket."""
        named = at if self.key == at.key else at.beside(self.key)
        ref = found(named.uri, etag=self.etag, size=self.size, modified=self.modified, checksum=self.checksum)
        return replace(ref, archived=True) if self.archived else ref


class KeyRange(Struct, frozen=True):
    """The keys of a bucket that sort after `after` (excluded) and up to `upto` (included); None for no bound."""

    after: str | None = None
    upto: str | None = None


#: The range of all keys.
EVERY_KEY: Final = KeyRange()
#: A function of (address whose key is a prefix, flat) that yields the objects with that prefix, in order of their keys. flat: leave out
#: objects in deeper folders.
Listing = Callable[[Address, bool], Iterator[Listed]]


def list_range(at: Address, listing: Listing) -> Iterator[DocumentRef]:
    """Yield the documents in a folder, as `list_documents` does, from a listing of a range of its keys; nothing if there are none. Raises
    SourceError."""
    return (item.reference(at) for item in _wanted(at, listing))


def within(items: Iterator[Listed], keys: KeyRange) -> Iterator[Listed]:
    """Yield the objects in a range of keys. items: a listing, ordered by key, that starts at or before the range's lower bound."""
    from_there = (item for item in items if keys.after is None or item.key > keys.after)
    return takewhile(lambda item: keys.upto is None or item.key <= keys.upto, from_there)


def list_documents(at: Address, head: Callable[[Address], DocumentRef | None], listing: Listing) -> Iterator[DocumentRef]:
    """Yield the object with this key; if there is none, the documents under it as a prefix, or the matches of a glob. Raises SourceError.

    head: returns the object with exactly this key, or None; it is called first, because that needs no permission to list the bucket.
    listing: lists the objects under a prefix.
    """
    glob = has_glob(at.key)
    if not glob and at.key and not at.key.endswith("/"):
        named = head(at)
        if named is not None:
            yield named
            return
    empty = True
    for item in _wanted(at, listing):
        empty = False
        yield item.reference(at)
    if empty:
        wanted = "matches" if glob else f"is named so, or begins so and ends in {', '.join(SUFFIXES)}"
        raise SourceError("not_found", f"{at.uri}: no object in the bucket {wanted}")


def _wanted(at: Address, listing: Listing) -> Iterator[Listed]:
    items = listing(at.beside(fixed_prefix(at.key)), has_glob(at.key) and is_flat(at.key))
    is_named = matcher(at)
    return (item for item in items if is_named(item.key))


def matcher(at: Address) -> Callable[[str], bool]:
    """Return a function that says of a key whether it belongs to the address: it matches the glob or, under a prefix, has the suffix of a
    document."""
    regex = glob_regex(at.key) if has_glob(at.key) else None

    def is_named(key: str) -> bool:
        named = key == at.key or regex.fullmatch(key) if regex else key.startswith(at.key) and key.lower().endswith(SUFFIXES)
        return bool(named) and not key.endswith("/")

    return is_named


def names_below(at: Address, suffix: str, listing: Listing) -> Iterator[str]:
    """Yield the URIs of the objects below a folder whose keys end with `suffix`. listing: lists the objects under a prefix."""
    return (at.beside(item.key).uri for item in listing(at.beside(at.folder), False) if item.key.endswith(suffix))
