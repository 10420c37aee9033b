"""List sources in parallel: find the items that are listed separately, and keys that cut a bucket's listing into ranges, by few requests.

S3 and GCS list 1,000 keys a request, one request after the other: 10 million objects are 10,000 of them, which a single worker needs the
better part of an hour for. Any keys cut a listing into ranges that together are the whole; good ones make the ranges alike, and follow from
which characters keys go on with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Final

from msgspec import Struct

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import Address, failed
from pdfmill.transforms.storage.buckets import KeyRange
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.reach import Reach
from pdfmill.transforms.storage.sources import Listings, expand_lists, list_source
from pdfmill.transforms.storage.store import CutSource, cut_source_of, parse

#: A listing of fewer objects is not cut: ten requests take a second.
CUT_ABOVE: Final = 10_000
#: Ranges that are looked for: some hundred thousand objects each, of ten million.
RANGES: Final = 64
#: Requests for one key each that are made to find them: some ten seconds.
PROBES: Final = 300
#: Folders and buckets of an `@list` that are cut, each in some ten seconds; a list of more is shared out well by its lines.
CUT_OF_LIST: Final = 16
#: After every key that goes on from a prefix; in order of UTF-8 no character comes behind it.
_LAST: Final = "\U0010ffff"


class PartOfSource(Struct, frozen=True):
    """A range of the objects that a source specification names."""

    spec: str
    keys: KeyRange


#: What is listed by itself: a source, a range of a large one, or a list that could not be read.
Item = str | PartOfSource | DocumentRef


def items_in(spec: str, *, cut: bool = True, whole: bool = False, bound: Reach | None = None) -> Iterator[Item]:
    """Return the parts of a source that are listed separately: the sources in a list, and ranges of sources with many objects.

    cut: large sources are cut, of a list the first `CUT_OF_LIST` that can be. whole, bound: as of
    `pdfmill.transforms.storage.sources.expand_lists`.
    """
    left = CUT_OF_LIST if cut else 0
    for item in expand_lists(spec, whole=whole, bound=bound):
        if left and isinstance(item, str) and _where_to_cut(item):
            left -= 1
            yield from parts_of_source(item)
        else:
            yield item


def list_item(item: Item, listings: Listings | None = None, bound: Reach | None = None) -> Iterator[DocumentRef]:
    """Yield the objects of one item, as `transforms.storage.sources.list_source`. A list that could not be read is already a failure."""
    if isinstance(item, DocumentRef):
        yield item
    elif isinstance(item, PartOfSource):
        yield from list_part(item)
    else:
        yield from list_source(item, listings, bound)


def item_key(item: Item) -> str:
    """Return a key for the item, the same in every process."""
    return item.doc_id if isinstance(item, DocumentRef) else repr(item)


def spec_of(item: Item) -> str | DocumentRef:
    """Return the specification that an item is, or is a range of; a list that could not be read is returned itself."""
    return item.spec if isinstance(item, PartOfSource) else item


def key_cuts(prefix: str, next_key: Callable[[str], str | None], ranges: int = RANGES, probes: int = PROBES) -> list[str]:
    """Keys, in order, at which a listing below a prefix can be cut into about as many ranges. next_key: the first key below the prefix that
    comes after a given one. probes: how often it may be called.

    >>> keys = [f"in/{number:03d}.pdf" for number in range(200)]
    >>> key_cuts("in/", lambda after: next((key for key in keys if key > after), None), 5)
    ['in/01', 'in/02', 'in/03', 'in/04', 'in/05', 'in/06', 'in/07', 'in/08', 'in/09', 'in/10', 'in/11', 'in/12', 'in/13', \
'in/14', 'in/15', 'in/16', 'in/17', 'in/18', 'in/19']
    """
    left = probes

    def longer(found: str) -> Iterator[str]:
        """Return the next prefixes, one character longer, of the keys that begin with a prefix."""
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
    """Return ranges of a folder or bucket with many objects, if its store can list from any key on; else the specification itself.

    Errors of the store are not raised; listing the source will report them.
    """
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
    """Return the address of a folder or bucket, and its store if that can list from any key on; else None."""
    try:
        at = parse(spec)
        source = cut_source_of(at)
    except SourceError:
        return None
    return (at, source) if source is not None and at.key == at.folder else None


def list_part(part: PartOfSource) -> Iterator[DocumentRef]:
    """Yield the objects of a range. Like `pdfmill.transforms.storage.sources.list_source`, errors of the store become references."""
    try:
        at = parse(part.spec)
        source = cut_source_of(at)
        assert source is not None
        yield from source.list_keys(at, part.keys)
    except SourceError as error:
        yield failed(parse(part.spec).uri, error)
