"""List the objects of a source, as references. A source is one of these:

    file, folder, glob     a.pdf   scans/   'scans/**/2024-*.pdf'   file:///data/a%20b.pdf
    list of sources        @files.txt   @s3://bucket/lists/today.txt
    rows of Parquet files  'crawl/*.parquet'   's3://bucket/*.parquet#payload=pdf'   (see `pdfmill.transforms.storage.parquet`)
    web archives           'crawl/*.warc.gz'   's3://bucket/index/*.cdxj'   (see `pdfmill.transforms.storage.warc`)
    tar archives           's3://arxiv/pdf/*.tar'   (see `pdfmill.transforms.storage.tar`)
    listings               inventory+s3://reports/my-bucket/daily/   (see `pdfmill.transforms.storage.inventory`)
    object stores          s3://bucket/prefix   'gs://bucket/**/*.pdf'
    one object by http     https://host/a.pdf

From a folder or prefix, objects named *.pdf, *.fdf and *.xfdf are taken, in upper or lower case; an object that is itself a source, or
matches a glob, is taken whatever its name. A prefix matches any key that begins with it: end it with a slash to mean a folder.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Protocol
from urllib.parse import parse_qs, urlsplit

from pdfmill.schemas.public import printable
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import ANY, Reach, each_reaching, reach
from pdfmill.transforms.storage.addresses import (
    INVENTORY,
    Address,
    PathAddress,
    UrlAddress,
    failed,
    fixed_prefix,
    found,
    has_glob,
    is_inventory,
)
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import open_file, open_stream, read_bytes
from pdfmill.transforms.storage.settings import LIST_DEPTH, SUFFIXES
from pdfmill.transforms.storage.store import STORES, parse, source_of

PARQUET: Final = ".parquet"
#: Suffixes of the names of archives.
_ARCHIVES: Final = (".warc", ".warc.gz", ".tar")
_INDEXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
_HOLD_MANY: Final = (*_ARCHIVES, *_INDEXES)
#: Number of URLs that are looked up in parallel, because a host that does not answer takes ten seconds.
_URLS_AT_ONCE: Final = 16


class Listings(Protocol):
    """A cache of the records in archives, so that an unchanged archive need not be read again to list its records."""

    def recall(self, archive: DocumentRef) -> list[DocumentRef] | None:
        """Return the stored records of this version of the archive; None if they are not stored."""

    def keep(self, archive: DocumentRef, records: Sequence[DocumentRef]) -> None:
        """Store the records of an archive that was read to its end."""


def list_source(spec: str, listings: Listings | None = None, bound: Reach | None = None) -> Iterator[DocumentRef]:
    """Yield the objects of a source, in the order of their store (local files by name, folder by folder).
    listings: a cache of the records in archives; with it, revisit records of web archives are yielded too. bound: which addresses on the
    web may be requested.
    An object or source that cannot be listed raises no error: a reference with the `failure` is yielded, and the listing continues."""
    for item in expand_lists(spec, bound=bound):
        if isinstance(item, DocumentRef):
            yield item
        else:
            yield from each_reaching(bound, _list_one(item, listings))


def list_sources(specs: Iterable[str], bound: Reach | None = None) -> Iterator[DocumentRef]:
    """Yield the objects of several sources, each once, where it occurs first. bound: which addresses on the web may be requested.
    URLs are looked up in parallel. Leaving out repeated objects takes some 70 bytes of memory for each."""
    seen: set[int] = set()
    for ref in _listed((item for spec in specs for item in expand_lists(spec, bound=bound)), bound):
        number = int(ref.doc_id[:15], 16)
        if number not in seen:
            seen.add(number)
            yield ref


def _listed(items: Iterable[str | DocumentRef], bound: Reach | None) -> Iterator[DocumentRef]:
    """Yield the objects of each source, in order. The next sources that are URLs are looked up in parallel meanwhile."""
    waiting: deque[Iterable[DocumentRef] | Future[list[DocumentRef]]] = deque()
    pool = ThreadPoolExecutor(_URLS_AT_ONCE, thread_name_prefix="pdfmill-urls")
    try:
        for item in items:
            listed = (item,) if isinstance(item, DocumentRef) else each_reaching(bound, _list_one(item))
            waiting.append(pool.submit(list, listed) if isinstance(item, str) and _is_one_url(item) else listed)
            if len(waiting) > _URLS_AT_ONCE:
                yield from _of(waiting.popleft())
        while waiting:
            yield from _of(waiting.popleft())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _of(listed: Iterable[DocumentRef] | Future[list[DocumentRef]]) -> Iterable[DocumentRef]:
    return listed.result() if isinstance(listed, Future) else listed


def _is_one_url(spec: str) -> bool:
    try:
        return isinstance(parse(spec), UrlAddress) and not urlsplit(spec).path.lower().endswith((*_HOLD_MANY, PARQUET))
    except (SourceError, ValueError):  # `_list_one` tells
        return False


def expand_lists(spec: str, *, whole: bool = False, bound: Reach | None = None) -> Iterator[str | DocumentRef]:
    """Yield the sources in a list (`@list`), else the source itself. For a list that cannot be read, a reference with the `failure` is
    yielded.
    whole: yield such a reference, too, after a list whose last line has no line end. bound: which addresses on the web may be requested.
    A list has one source per line; white space, empty lines and lines that begin with # are ignored. A relative path is relative to the
    list's folder, or to the working directory if it exists only there. Lists may name lists. A list in a store or on the web may not name
    files of this machine, except with `--redirects any`."""
    if spec.startswith("@"):
        yield from each_reaching(bound, _expand(spec[1:], 1, whole))
    else:
        yield spec


def absolute_source(spec: str) -> str:
    """Make a relative local path in the source absolute, so that it is valid on any worker.

    >>> absolute_source("s3://bucket/a")
    's3://bucket/a'
    """
    mark, rest = split_mark(spec)
    if not rest.strip() or "://" in rest or "\0" in rest:
        return spec
    slash = "/" if rest.endswith("/") else ""
    return mark + os.path.abspath(rest).rstrip("/") + slash


def split_mark(spec: str) -> tuple[str, str]:
    """Split a source into its prefix (`@` for a list, `inventory+` for a listing, else "") and its address.

    >>> split_mark("@today.txt"), split_mark("inventory+s3://b/c/"), split_mark("a.pdf")
    (('@', 'today.txt'), ('inventory+', 's3://b/c/'), ('', 'a.pdf'))
    """
    mark = next((mark for mark in ("@", INVENTORY) if spec.startswith(mark)), "")
    return mark, spec.removeprefix(mark)


def _expand(list_spec: str, depth: int, whole: bool) -> Iterator[str | DocumentRef]:
    try:
        address = parse(list_spec)
        if depth > LIST_DEPTH:
            raise SourceError("bad_source", f"@{list_spec}: lists are nested more than {LIST_DEPTH} levels deep; one may contain itself")
        text = _text(address)
    except SourceError as error:
        yield failed(_uri_of(list_spec), error)
        return
    folder = os.path.dirname(address.key) if isinstance(address, PathAddress) else None
    if whole and not text.endswith("\n"):
        yield failed(
            address.uri,
            SourceError("damaged", f"{address.uri}: its last line has no line end, so it may be cut off; add a line end if it is complete"),
        )
    for number, line in _lines(text):
        source = _relative_to(folder, line)
        if folder is None and reach().redirects != ANY and not _is_elsewhere(source):
            told = f"{address.uri}, line {number}: a list in a store or on the web may not name local files; see --redirects any"
            yield failed(f"{address.uri}#line={number}", SourceError("bad_source", told))
        elif source.startswith("@"):
            yield from _expand(source[1:], depth + 1, whole)
        else:
            yield source


def _is_elsewhere(source: str) -> bool:
    """Return whether a line of a list names an object on another machine. Other lines may be text of a private file and are not quoted."""
    try:
        return STORES[parse(split_columns(split_mark(source)[1])[0]).scheme].shared
    except SourceError:
        return False


def _text(address: Address) -> str:
    """Read a list into memory and return its text; a million lines take some 100 MB."""
    data = read_bytes(found(address.uri))
    return os.fsdecode(data) if isinstance(address, PathAddress) else data.decode("utf-8", "replace")


def _lines(text: str) -> Iterable[tuple[int, str]]:
    stripped = enumerate((line.strip() for line in text.removeprefix("\ufeff").splitlines()), 1)
    return ((number, line) for number, line in stripped if line and not line.startswith("#"))


def _relative_to(folder: str | None, line: str) -> str:
    mark, rest = split_mark(line)
    if folder is None or "://" in rest or os.path.isabs(rest):
        return line
    beside = os.path.join(folder, rest)
    return line if _exists(os.path.abspath(rest)) and not _exists(beside) else mark + beside


def _exists(path: str) -> bool:
    fixed = fixed_prefix(path)
    return os.path.lexists(path) or (fixed != path and os.path.isdir(os.path.dirname(fixed)))


def _list_one(spec: str, listings: Listings | None = None) -> Iterator[DocumentRef]:
    try:
        if is_inventory(spec):
            from pdfmill.transforms.storage.inventory import list_inventory  # most sources are no listings

            yield from list_inventory(spec)
            return
        source, columns = split_columns(spec)
        at = parse(source)
        for ref in source_of(at).list_objects(at):
            yield from inside(ref, columns, listings)
    except SourceError as error:
        yield failed(_uri_of(spec), error)


def inside(ref: DocumentRef, columns: dict[str, str], listings: Listings | None) -> Iterator[DocumentRef]:
    """Yield the documents in an archive, an index of archives or a Parquet file; any other object is yielded itself.
    columns: names of Parquet columns, from `split_columns`. listings: a cache of archives. Raises SourceError if it cannot be read."""
    name = ref.uri.lower()
    if ref.failure is None and name.endswith(_ARCHIVES):
        yield from _records_of(ref, listings)
    elif ref.failure is None and name.endswith(_INDEXES):
        from pdfmill.transforms.storage import warc

        yield from warc.index_records(ref, read_bytes(ref), ref.uri.rpartition("/")[0] + "/")
    elif ref.failure is None and name.endswith(PARQUET):
        from pdfmill.transforms.storage import parquet

        with open_file(ref) as file:
            yield from parquet.file_rows(ref, file, columns)
    else:
        yield ref


def _records_of(archive: DocumentRef, listings: Listings | None) -> Iterator[DocumentRef]:
    if listings is not None and (known := listings.recall(archive)) is not None:
        yield from known
        return
    records: list[DocumentRef] = []
    for ref in _read_archive(archive, revisits=listings is not None):
        records += [ref] * (listings is not None)
        yield ref
    if listings is not None and not any(ref.failure for ref in records):
        listings.keep(archive, records)


def _read_archive(archive: DocumentRef, *, revisits: bool) -> Iterator[DocumentRef]:
    from pdfmill.transforms.storage import tar, warc

    if archive.uri.lower().endswith(tar.TAR):
        with open_file(archive) as file:
            yield from tar.archive_members(archive, file)
        return
    with open_stream(archive.address) as stream:
        yield from warc.archive_records(archive, stream, revisits=revisits)


def split_columns(spec: str) -> tuple[str, dict[str, str]]:
    """Split a source into its address and the names of Parquet columns after `#`, by `payload` and `address`.
    Raises SourceError(bad_source) for any other key.

    >>> split_columns("s3://b/*.parquet#payload=pdf")
    ('s3://b/*.parquet', {'payload': 'pdf'})
    """
    source, mark, rest = spec.partition(PARQUET + "#")
    if not mark:
        return spec, {}
    named = {key: values[0] for key, values in parse_qs(rest).items()}
    if not named or named.keys() - {"payload", "address"}:
        raise SourceError("bad_source", f"{spec}: after the # of a Parquet file only payload=COLUMN and address=COLUMN are allowed")
    return source + PARQUET, named


def names_a_document(uri: str) -> bool:
    """Return whether an address names one document, not a folder, prefix or glob."""
    try:
        address = parse(uri)
    except SourceError:
        return True
    return isinstance(address, UrlAddress) or (not has_glob(address.key) and address.key.lower().endswith(SUFFIXES))


def _uri_of(spec: str) -> str:
    """Return the canonical URI of a source that failed; the source unchanged if it is no valid address."""
    if is_inventory(spec):
        return printable(spec)
    try:
        return parse(spec).uri
    except SourceError:
        return printable(spec)
