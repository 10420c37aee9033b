"""Choose among the objects that a source lists, by patterns over their names and by size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from re import Pattern

from pdfmill.pipeline.crawl.decide import Rules
from pdfmill.schemas.records import TAR_PREFIX, DocumentRef
from pdfmill.transforms.storage.addresses import WARC_PREFIX, PathAddress, record_of
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.globs import fixed_prefix, glob_regex
from pdfmill.transforms.storage.inventory import is_inventory
from pdfmill.transforms.storage.store import parse


def is_wanted(spec: str, ref: DocumentRef, rules: Rules) -> bool:
    """Return whether an object that `spec` lists is taken."""
    if rules.max_bytes is not None and ref.size is not None and ref.size > rules.max_bytes:
        return False
    if not rules.include and not rules.exclude:
        return True
    path = path_below(spec, ref)
    return (not rules.include or _matches(path, rules.include)) and not _matches(path, rules.exclude)


def path_below(spec: str, ref: DocumentRef) -> str:
    """Return the path for patterns: below the folder that the source names; the URL of a record in an archive; the key of an object in a
    listing; the name of a member of a tar archive.

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


def _matches(path: str, patterns: Sequence[str]) -> bool:
    """Match a path; a pattern without a slash is matched with the name alone."""
    return any(_compiled(each).fullmatch(path if "/" in each else path.rpartition("/")[2]) for each in patterns)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Pattern[str]:
    return glob_regex(pattern)
