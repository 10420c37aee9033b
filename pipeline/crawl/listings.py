"""A cache of the records in archives, so that an unchanged archive need not be read to list them; and filters of listed objects."""

from __future__ import annotations

import gzip
import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from re import Pattern
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.crawl.crawl_parts import OWN
from pdfmill.pipeline.crawl.decide import Rules
from pdfmill.schemas.records import PARQUET_PREFIX, TAR_PREFIX, DocumentRef
from pdfmill.schemas.version import version
from pdfmill.transforms.storage.addresses import (
    WARC_PREFIX,
    PathAddress,
    UrlAddress,
    fixed_prefix,
    glob_regex,
    is_inventory,
    parse_record_uri,
    record_of,
    reference,
)
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, read_if_there, write_bytes
from pdfmill.transforms.storage.sources import split_mark
from pdfmill.transforms.storage.store import parse

# Choose among the objects that a source lists, by patterns over their names and by size.


def is_wanted(spec: str, ref: DocumentRef, rules: Rules) -> bool:
    """Return whether an object passes the include and exclude patterns and the size limit of its source. spec: the source."""
    if rules.max_bytes is not None and ref.size is not None and ref.size > rules.max_bytes:
        return False
    if not rules.include and not rules.exclude:
        return True
    path = path_below(spec, ref)
    return (not rules.include or _matches(path, rules.include)) and not _matches(path, rules.exclude)


def path_below(spec: str, ref: DocumentRef) -> str:
    """Return the path that include and exclude patterns are compared with: an object's path below the source's folder, the URL of a record
    in a web archive, the key in an inventory, or the name in a tar archive.

    >>> path_below("s3://b/in/", DocumentRef.of_uri("s3://b/in/2026/a.pdf"))
    '2026/a.pdf'
    """
    if ref.uri.startswith(WARC_PREFIX):
        return record_of(ref.uri).get("url", ref.uri)
    if ref.uri.startswith(TAR_PREFIX):
        return record_of(ref.uri)["name"]
    if is_inventory(spec):
        return parse(ref.address).key
    try:
        source, found = parse(spec.partition("#")[0]), parse(ref.uri.partition("+")[2] if "+" in ref.uri.partition(":")[0] else ref.uri)
    except SourceError:
        return ref.uri
    begin = fixed_prefix(source.key)
    if isinstance(source, PathAddress) and found.key.startswith(source.folder):
        begin = source.folder
    return found.key.removeprefix(begin[: begin.rfind("/") + 1]).partition("#")[0]


def folder_uri(spec: str) -> str:
    """Return the address, with a final slash, of the folder that contains everything that a folder, prefix or glob names.

    >>> folder_uri("s3://b/in/**/*.pdf"), folder_uri("/data/in")
    ('s3://b/in/', 'file:///data/in/')

    Raises SourceError(bad_source) for a list, an inventory, or a URL.
    """
    address = parse(spec.partition("#")[0])
    if split_mark(spec)[0] or isinstance(address, UrlAddress):
        raise SourceError("bad_source", f"{spec}: is not a folder, prefix or glob")
    key = fixed_prefix(address.key)
    return address.beside(key[: key.rfind("/") + 1] if key != address.key else address.folder).uri.rstrip("/") + "/"


def _matches(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path matches one of the patterns; a pattern without a slash is compared with the name alone."""
    return any(_compiled(each).fullmatch(path if "/" in each else path.rpartition("/")[2]) for each in patterns)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Pattern[str]:
    return glob_regex(pattern)


class KeptListings(Struct, frozen=True):
    """A cache of the records of archives, one file per archive in a crawl's output folder, valid for the archive's etag and size (or size
    and time) and pdfmill's version."""

    output: str

    def recall(self, archive: DocumentRef) -> list[DocumentRef] | None:
        """Return the cached records of an archive; None if they are not cached or no longer valid."""
        packed = read_if_there(self._uri(archive))
        kept = json.loads(gzip.decompress(packed)) if packed is not None else {}
        if _state(archive) != kept.get("archive"):
            return None
        records = [reference(archive.address, offset, length, told) for offset, length, told in kept["records"]]
        return [replace(ref, size=size) for ref, size in zip(records, kept["sizes"], strict=True)]

    def keep(self, archive: DocumentRef, records: Sequence[DocumentRef]) -> None:
        """Cache the records of an archive, unless its store gives neither etag nor time, by which a change could be seen."""
        state = _state(archive)
        if state["etag"] or (state["size"] is not None and state["modified"]):
            places, sizes = [parse_record_uri(ref.uri)[1:] for ref in records], [ref.size for ref in records]
            told = {"archive": state, "records": places, "sizes": sizes}
            write_bytes(self._uri(archive), gzip.compress(json.dumps(told).encode(), mtime=0))

    def _uri(self, archive: DocumentRef) -> str:
        return join_uri(self.output, f"{OWN}/archives/{archive.doc_id}.json.gz")


def _state(archive: DocumentRef) -> dict[str, str | int | None]:
    modified = archive.modified.isoformat() if archive.modified else None
    return {"etag": archive.etag, "size": archive.size, "modified": None if archive.etag else modified, "pdfmill": version()}


# Address prefixes that an incomplete listing may have missed. Only deletions under these are postponed.


#: Suffixes of indexes, which may name records of archives anywhere, as lists and inventories may name any object.
_INDEXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
ANYTHING: Final = ""


def hidden_by(item: str | DocumentRef, failed_uri: str | None = None) -> str:
    """Return an address prefix under which objects may be missing from an incomplete listing; if in doubt a shorter one.
    item: the source or list whose listing is incomplete. failed_uri: part of it that could not be listed; None for all of it."""
    if isinstance(item, DocumentRef) or is_inventory(item):
        return ANYTHING
    if (failed_uri or item).partition("#line=")[0].lower().endswith(_INDEXES):
        return WARC_PREFIX
    try:
        whole, address = parse(item).uri, parse(item.partition("#")[0])
    except SourceError:
        return ANYTHING
    if failed_uri not in (None, whole):
        return failed_uri or ANYTHING
    return address.beside(fixed_prefix(address.key)).uri


def beginnings(hidden: Iterable[str]) -> list[str]:
    """Return the prefixes (`hidden`) sorted, without those that begin with another one, so that `is_hidden` needs only one comparison."""
    kept: list[str] = []
    for each in sorted(hidden):
        if not kept or not each.startswith(kept[-1]):
            kept.append(each)
    return kept


def is_hidden(uri: str, ordered: Sequence[str]) -> bool:
    """Return whether an address, or that of the archive or Parquet file around it, begins with one of the prefixes (from `beginnings`)."""
    both = {uri, without_container(uri)}
    return any(bool(place := bisect_right(ordered, each)) and each.startswith(ordered[place - 1]) for each in both)


def without_container(uri: str) -> str:
    """Return an address without its first part such as `warc+`, which says that the document is in an archive or a table."""
    return uri.removeprefix(WARC_PREFIX).removeprefix(TAR_PREFIX).removeprefix(PARQUET_PREFIX)
