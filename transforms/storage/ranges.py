"""List sources in parallel: split them into items that are listed separately, and find keys that split a bucket's listing into ranges.
S3 and GCS list 1,000 keys per request, each with the last key of the one before: 10 million objects take one worker most of an hour.
A few requests find out which characters follow a prefix, so that ranges have similar sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Final

from msgspec import Struct

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import Reach
from pdfmill.transforms.storage.addresses import Address, failed
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import Listings, expand_lists, list_source
from pdfmill.transforms.storage.store import CutSource, KeyRange, cut_source_of, parse

#: Listings of fewer objects are not split: their ten requests take a second.
CUT_ABOVE: Final = 10_000
#: Number of ranges to split into: some hundred thousand objects each, of ten million.
RANGES: Final = 64
#: Most requests that are made to find the ranges, each for one key: some ten seconds.
PROBES: Final = 300
#: Number of folders and buckets of an `@list` that are split, each in some ten seconds; the lines of a longer list distribute the work
#: anyway.
CUT_OF_LIST: Final = 16
#: A character that sorts after all others in order of UTF-8, so that a prefix with it sorts after all keys with that prefix.
_LAST: Final = "\U0010ffff"


class PartOfSource(Struct, frozen=True):
    """A range of the keys of a source. Each range of a source is listed separately, by any worker."""

    spec: str  # the source, as given
    keys: KeyRange


#: An item of work of a listing: a source, a range of a large source, or the failure of a list that could not be read.
Item = str | PartOfSource | DocumentRef


def items_in(spec: str, *, cut: bool = True, whole: bool = False, bound: Reach | None = None) -> Iterator[Item]:
    """Yield the items of a source that are listed separately: the sources in a list, and ranges of the keys of sources with many objects.
    cut: split sources with many objects into ranges, but only the first `CUT_OF_LIST` such sources of a list. whole: for a list whose last
    line has no line end, yield a reference with a `failure`, too. bound: which addresses on the web may be requested."""
    left = CUT_OF_LIST if cut else 0
    for item in expand_lists(spec, whole=whole, bound=bound):
        if left and isinstance(item, str) and _where_to_cut(item):
            left -= 1
            yield from parts_of_source(item)
        else:
            yield item


def list_item(item: Item, listings: Listings | None = None, bound: Reach | None = None) -> Iterator[DocumentRef]:
    """Yield the objects of one item: a source, or a range of its keys; a reference is yielded unchanged.
    listings: a cache of the records in archives. bound: which addresses on the web may be requested."""
    if isinstance(item, DocumentRef):
        yield item
    elif isinstance(item, PartOfSource):
        yield from list_part(item)
    else:
        yield from list_source(item, listings, bound)


def item_key(item: Item) -> str:
    """Return a text that identifies the item, the same in every process."""
    return item.doc_id if isinstance(item, DocumentRef) else repr(item)


def spec_of(item: Item) -> str | DocumentRef:
    """Return the source to which an item belongs. If the item is a reference (to a list that could not be read), return the item itself."""
    return item.spec if isinstance(item, PartOfSource) else item


def key_cuts(prefix: str, next_key: Callable[[str], str | None], ranges: int = RANGES, probes: int = PROBES) -> list[str]:
    """Return keys, in order, that split a listing below a prefix into about `ranges` ranges, often more.
    next_key: returns the first key below the prefix after a key, or None. probes: how often it may be called.

    >>> keys = [f"in/{number:03d}.pdf" for number in range(60)]
    >>> key_cuts("in/", lambda after: next((key for key in keys if key > after), None), 5)
    ['in/01', 'in/02', 'in/03', 'in/04', 'in/05']
    """
    left = probes

    def longer(found: str) -> Iterator[str]:
        """Yield the prefixes that are one character longer than `found` and with which some keys begin."""
        nonlocal left
        after = found
        while left:
            left -= 1
            key = next_key(after)
            if key is None or not key.startswith(found):
                return
            yield key[: len(found) + 1]
            after = key[: len(found) + 1] + _LAST

    level = [prefix]
    while len(level) < ranges and left:
        deeper = [each for found in level for each in (list(longer(found)) or [found])]
        if deeper == level:
            break
        level = deeper
    return sorted(set(level) - {prefix})[1:]


def parts_of_source(spec: str) -> list[str | PartOfSource]:
    """Return ranges of a folder or bucket with many objects, if its store can list from any key on; else a list with the source alone.
    Errors of the store are not raised; listing the source will report them."""
    found = _where_to_cut(spec)
    if found is None:
        return [spec]
    at, source = found
    try:
        if next(islice(source.keys_after(at, None), CUT_ABOVE, None), None) is None:
            return [spec]
        cuts = key_cuts(at.key, lambda key: next(source.keys_after(at, key, 1), None))
    except SourceError:
        return [spec]
    return [PartOfSource(spec, KeyRange(*bounds)) for bounds in pairwise([None, *cuts, None])] if cuts else [spec]


def _where_to_cut(spec: str) -> tuple[Address, CutSource] | None:
    """Return the address and the store of a folder or bucket whose listing can be split into ranges of keys, else None."""
    try:
        at = parse(spec)
        source = cut_source_of(at)
    except SourceError:
        return None
    return (at, source) if source is not None and at.key == at.folder else None


def list_part(part: PartOfSource) -> Iterator[DocumentRef]:
    """Yield the objects whose keys lie in one range of a source. An error of the store is yielded as a reference with the failure."""
    try:
        at = parse(part.spec)
        source = cut_source_of(at)
        assert source is not None
        yield from source.list_keys(at, part.keys)
    except SourceError as error:
        yield failed(parse(part.spec).uri, error)
