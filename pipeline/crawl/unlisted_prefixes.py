"""Address prefixes that an incomplete listing may have missed. Only deletions under these are postponed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from pdfmill.schemas.records import PARQUET_PREFIX, TAR_PREFIX, DocumentRef
from pdfmill.transforms.storage.addresses import WARC_PREFIX
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.globs import fixed_prefix
from pdfmill.transforms.storage.inventory import is_inventory
from pdfmill.transforms.storage.store import parse

#: An index names records of archives anywhere; a list, or a listing, names anything.
_INDEXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
ANYTHING: Final = ""


def hidden_by(item: str | DocumentRef, failed_uri: str | None = None) -> str:
    """Return the prefixes of addresses that may be missing from the listing.

    item: the source, or the list that could not be read. failed_uri: the part of the source that failed, if not the whole. In doubt it
    covers more, since that only postpones deletions.
    """
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
    """Return the prefixes sorted, without those covered by another, so that one comparison decides among a million."""
    kept: list[str] = []
    for each in sorted(hidden):
        if not kept or not each.startswith(kept[-1]):
            kept.append(each)
    return kept


def is_hidden(uri: str, ordered: Sequence[str]) -> bool:
    """Return whether an address, or that of the file that contains it, begins with one of `beginnings`."""
    plain = uri.removeprefix(WARC_PREFIX).removeprefix(TAR_PREFIX).removeprefix(PARQUET_PREFIX)
    return any(bool(place := bisect_right(ordered, each)) and each.startswith(ordered[place - 1]) for each in {uri, plain})
