"""The registry of stores, and the functions that each store's module offers.
A new store needs a module with the functions of `Store` (of `Source` if it cannot be written), and a line in `STORES`. Modules are imported
when an address first needs them, because the client of a store takes 0.3 s to import."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from importlib import import_module
from itertools import takewhile
from types import ModuleType
from typing import BinaryIO, Final, Protocol, cast
from unicodedata import normalize
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.schemas.extras import missing_extra
from pdfmill.schemas.public import printable
from pdfmill.schemas.records import PARQUET_PREFIX, TAR_PREFIX, WARC_PREFIX, DocumentRef
from pdfmill.transforms.storage.addresses import (
    Address,
    PathAddress,
    UrlAddress,
    VersionedAddress,
    fixed_prefix,
    found,
    glob_regex,
    has_glob,
    is_flat,
    record_of,
)
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.settings import SUFFIXES


class Listed(Struct, frozen=True):
    """An object in a store's listing. size: bytes. modified: time of the last change. archived: it cannot be read before it is restored."""

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
    """Yield the documents in a folder whose keys the listing contains. listing: lists the objects under a prefix, in a range of keys.
    Raises SourceError."""
    return (item.reference(at) for item in _wanted(at, listing))


def within(items: Iterator[Listed], keys: KeyRange) -> Iterator[Listed]:
    """Yield the objects in a range of keys. items: a listing, ordered by key, that starts at or before the range's lower bound."""
    from_there = (item for item in items if keys.after is None or item.key > keys.after)
    return takewhile(lambda item: keys.upto is None or item.key <= keys.upto, from_there)


def list_documents(at: Address, head: Callable[[Address], DocumentRef | None], listing: Listing) -> Iterator[DocumentRef]:
    """Yield the object with this key, else the documents whose keys begin with it or match it as a glob. Raises SourceError.
    head: returns the object with exactly this key, or None; it is called first, because that needs no permission to list the bucket.
    listing: lists the objects under a prefix."""
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
    """Return a function that returns whether the address names a key, as a glob or as the prefix of a document's key (.pdf, .fdf,
    .xfdf)."""
    regex = glob_regex(at.key) if has_glob(at.key) else None

    def is_named(key: str) -> bool:
        named = key == at.key or regex.fullmatch(key) if regex else key.startswith(at.key) and key.lower().endswith(SUFFIXES)
        return bool(named) and not key.endswith("/")

    return is_named


def names_below(at: Address, suffix: str, listing: Listing) -> Iterator[str]:
    """Yield the URIs of the objects below a folder whose keys end with `suffix`. listing: lists the objects under a prefix."""
    return (at.beside(item.key).uri for item in listing(at.beside(at.folder), False) if item.key.endswith(suffix))


def listed_by(
    head: Callable[[Address], DocumentRef | None], listing: Listing
) -> tuple[Callable[[Address], Iterator[DocumentRef]], Callable[[Address, str], Iterator[str]]]:
    """Return the functions `list_objects` and `names` of a store with buckets, made of its `head` and its listing."""

    def list_objects(at: Address) -> Iterator[DocumentRef]:
        return list_documents(at, head, listing)

    def names(at: Address, suffix: str) -> Iterator[str]:
        return names_below(at, suffix, listing)

    return list_objects, names


def cut_by(
    listing: Callable[..., Iterator[Listed]],
) -> tuple[Callable[[Address, KeyRange], Iterator[DocumentRef]], Callable[..., Iterator[str]]]:
    """Return the functions `list_keys` and `keys_after` of a `CutSource`. listing: also takes a range of keys and the keys per request."""

    def keys_after(at: Address, after: str | None, at_once: int | None = None) -> Iterator[str]:
        return (item.key for item in listing(at, keys=KeyRange(after), at_once=at_once))

    def list_keys(at: Address, keys: KeyRange) -> Iterator[DocumentRef]:
        return list_range(at, partial(listing, keys=keys))

    return list_keys, keys_after


class Source(Protocol):
    """The functions that every store's module has. If the store fails, they raise SourceError, and no other error."""

    def list_objects(self, at: Address) -> Iterator[DocumentRef]:
        """Yield the object of exactly this name, else the documents in the folder or under the prefix, or the matches of the glob, in any
        order."""

    def head(self, at: Address) -> DocumentRef | None:
        """Return the reference to the object of exactly this name; None if there is none, or if we have no permission to see it."""

    def read(self, at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
        """Return the object's bytes. Raises SourceError: changed if it is not the version listed as `ref`; too_large above `max_bytes`."""

    def open_stream(self, at: Address, offset: int, length: int) -> BinaryIO:
        """Return the object as a stream of `length` bytes from `offset` on; -1 means to its end."""

    def open_file(self, at: Address, ref: DocumentRef) -> BinaryIO:
        """Return the object as a seekable file. ref: the listed version."""


class CutSource(Source, Protocol):
    """A store that can list from any key on, so that several workers can each list a range of one bucket."""

    def list_keys(self, at: Address, keys: KeyRange) -> Iterator[DocumentRef]:
        """Yield those documents of a folder or bucket whose keys lie in the range; nothing if there are none."""

    def keys_after(self, at: Address, after: str | None, at_once: int = ...) -> Iterator[str]:
        """Yield the keys of objects under a prefix that sort after a given key, in order. at_once: keys per request."""


class Store(Source, Protocol):
    """A store that can be written to."""

    def write(self, at: Address, data: bytes, *, new: bool) -> None:
        """Write an object; readers see it complete or not at all. new: raise AlreadyExistsError if there is one; of several writers, one
        succeeds."""

    def move(self, at: Address, to: Address) -> None:
        """Rename an object within this store, replacing an object of the new name. Readers see the new object complete or not at all."""

    def delete(self, at: Address) -> None:
        """Delete an object; a missing one is no error."""

    def names(self, at: Address, suffix: str) -> Iterator[str]:
        """Yield the URIs of the objects below a folder whose names end with `suffix`; nothing if there is no such folder."""


class Kind(Struct, frozen=True):
    """A store in the registry. place: form of its addresses, for messages. shared: workers on other machines reach it. cuts: it can list
    from any key on. generations: a version has a number. heeds: the fields of `Access` that have an effect. events: a queue can name
    changed objects."""

    module: str  # name of its module
    place: str  # form of its addresses for messages, without the name of a prefix or object
    address: type[Address] = Address  # class that parses them
    writable: bool = True  # the module is a `Store`
    shared: bool = True  # workers on other machines see the same objects
    cuts: bool = False  # the module is a `CutSource`
    #: A reference names an object's version by generation and has its checksum besides; otherwise the etag serves as both.
    generations: bool = False
    heeds: frozenset[str] = frozenset()  # fields of `pdfmill.transforms.storage.access.Access` that have an effect
    events: bool = False  # a queue can name changed objects


_OF_S3: Final = frozenset({"endpoint", "region", "profile", "requester_pays", "kms_key", "customer_key"})
_OF_GCS: Final = frozenset({"endpoint", "billed_project"})
#: The stores by scheme.
STORES: Final[Mapping[str, Kind]] = {
    "file": Kind("pdfmill.transforms.storage.local", "file:///", PathAddress, shared=False),
    "s3": Kind("pdfmill.transforms.storage.s3", "s3://bucket/", VersionedAddress, cuts=True, heeds=_OF_S3, events=True),
    "gs": Kind("pdfmill.transforms.storage.gcs", "gs://bucket/", VersionedAddress, cuts=True, generations=True, heeds=_OF_GCS),
    "az": Kind("pdfmill.transforms.storage.azure", "az://container/", heeds=frozenset({"endpoint"})),
    "https": Kind("pdfmill.transforms.storage.web", "https://host/", UrlAddress, writable=False),
    "http": Kind("pdfmill.transforms.storage.web", "http://host/", UrlAddress, writable=False),
    "memory": Kind("pdfmill.transforms.storage.memory", "memory://digest/", writable=False, shared=False),
}


def parse(spec: str) -> Address:
    """Parse an address of any known scheme; an address without a scheme is a local path.

    Raises SourceError(bad_source) for an unknown scheme, a missing bucket or host, and names that no file system allows.
    """
    scheme, mark, rest = spec.partition("://")
    if not spec.strip() or "\0" in spec:
        raise SourceError("bad_source", f"{spec!r}: the address is empty or contains a null character")
    if not mark or not scheme.isalnum():
        return PathAddress("file", "", os.path.abspath(spec))
    kind = STORES.get(scheme.lower())
    if kind is None:
        raise SourceError(
            "bad_source", f"{spec}: the scheme {scheme!r} is unknown; give a local path or one of {', '.join(shared_schemes())}"
        )
    if kind.shared and any("\ud800" <= char <= "\udfff" for char in rest):
        raise SourceError("bad_source", f"{spec}: the address contains bytes that are not UTF-8")
    return kind.address.parse(spec, scheme.lower(), rest)


def kind_of(uri: str) -> Kind | None:
    """Return the registry entry of a canonical URI's store; None for a record of an archive or a row of a Parquet file."""
    return STORES.get(uri.partition("://")[0])


def shown_address(uri: str) -> str:
    """Format a canonical URI for people: a local path, or a URL without percent-encoding. Keys in buckets are not encoded.

    >>> shown_address("file:///my%20papers/a.pdf"), shown_address("https://host/my%20papers/a.pdf"), shown_address("s3://b/50%25.pdf")
    ('/my papers/a.pdf', 'https://host/my papers/a.pdf', 's3://b/50%25.pdf')
    """
    kind, local = kind_of(uri), STORES["file"].place[:-1]  # the path keeps its slash
    return uri if kind and kind.address not in (PathAddress, UrlAddress) else unquote(uri.removeprefix(local))


def file_name(uri: str) -> str | None:
    """Return the file name of an object for people, in Unicode NFC; None if it has none. A record with a URL has the name in its URL.

    >>> file_name("file:///my%20papers/R%C3%A9sum%C3%A9.pdf"), file_name("https://host/a.pdf?page=2"), file_name("s3://b/x/50%25.pdf")
    ('Résumé.pdf', 'a.pdf', '50%25.pdf')
    """
    if uri.startswith(TAR_PREFIX):
        return printable(normalize("NFC", record_of(uri).get("name", "").rpartition("/")[2])) or None
    if uri.startswith((WARC_PREFIX, PARQUET_PREFIX)):
        uri = record_of(uri).get("url") or uri.partition("#")[0].partition("+")[2]
    try:
        return printable(normalize("NFC", parse(uri).name)) or None
    except SourceError:  # what could not be listed may be no address
        return None


def source_of(at: Address) -> Source:
    """Return the module of an address's store. Raises SourceError(bad_source) if its client is not installed."""
    return cast(Source, module_of_client(STORES[at.scheme].module, at.uri, f"{at.scheme}://"))


def module_of_client(name: str, uri: str, asked: str) -> ModuleType:
    """Import a module that needs a client library. uri: the address to open. asked: what needs the client, for the message.

    Raises:
        SourceError: with the code bad_source, if the client is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if (lack := missing_extra(error, asked)) is None:
            raise
        raise SourceError("bad_source", f"{uri}: {lack}") from error


def cut_source_of(at: Address) -> CutSource | None:
    """Return the module of an address's store if the store can list from any key on, else None. Raises SourceError without its client."""
    return cast(CutSource, source_of(at)) if STORES[at.scheme].cuts else None


def store_of(at: Address) -> Store:
    """Return the module of an address's store, for writing. Raises SourceError(bad_source) if the store cannot be written."""
    if not STORES[at.scheme].writable:
        raise SourceError("bad_source", f"{at.uri}: cannot be written or listed; an output must be a local path, {output_places()}")
    return cast(Store, source_of(at))


def output_places() -> str:
    """Return the address forms of stores that can be written, for help and messages.

    >>> output_places()
    's3://bucket/prefix, gs://bucket/prefix or az://container/prefix'
    """
    *most, last = [STORES[scheme].place + "prefix" for scheme in shared_schemes(writable=True)]
    return f"{', '.join(most)} or {last}"


def source_places(name: str) -> str:
    """Return the address forms of stores that can be read, for help and messages. name: placeholder for the object or prefix.

    >>> source_places("key")
    's3://bucket/key, gs://bucket/key, az://container/key, https://host/file.pdf'
    """
    stores = [STORES[scheme].place + name for scheme in shared_schemes(writable=True)]
    return ", ".join([*stores, "https://host/file.pdf"])


def is_shared_output(spec: str) -> bool:
    """Return whether workers on other machines can write to an address."""
    return spec.partition("://")[0] in shared_schemes(writable=True) and "://" in spec


def is_shared(spec: str) -> bool:
    """Return whether workers on other machines can read an address; True for an unknown scheme."""
    try:
        return STORES[parse(spec).scheme].shared
    except SourceError:
        return True


def shared_schemes(*, writable: bool = False) -> list[str]:
    """Return the schemes of addresses that workers on other machines can read, or with `writable` write."""
    return [scheme for scheme, kind in STORES.items() if kind.shared and (kind.writable or not writable)]
