"""Limits of requests on the web: which redirections are followed, and which hosts may have private addresses.

A list of URLs, a feed or an index may come from a stranger, and any host may redirect. Neither may make us request an address that only
this network can reach (server-side request forgery). Sources that the user names may have any address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.transforms.storage.access import Stores
from pdfmill.transforms.storage.addresses import UrlAddress
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import parse

T = TypeVar("T")

SAME_HOST: Final = "same-host"
PUBLIC: Final = "public"
ANY: Final = "any"
#: The values of `--redirects`, the default first.
REDIRECTS: Final = (PUBLIC, SAME_HOST, ANY)


class Reach(Struct, frozen=True):
    """Limits of requests on the web: to which hosts they may go."""

    #: `same-host` follows redirections within one host name; `public` also to hosts with public addresses; `any` follows all, and
    #: lets lists name private hosts.
    redirects: str = PUBLIC
    #: Names of hosts that may have private addresses, sorted; None: only the host of each request's own URL.
    hosts: tuple[str, ...] | None = None
    stores: Stores = field(default_factory=Stores)  # access options of stores, which are sent to workers with these limits

    @staticmethod
    def of_sources(redirects: str, sources: Iterable[str]) -> Reach:
        """Return the limits for a job: hosts in its sources may be private, since the user named them. redirects: see `Reach`.

        >>> Reach.of_sources("public", ["@https://Intranet/list.txt", "s3://b/"]).hosts
        ('intranet',)
        """
        return Reach(redirects, tuple(sorted({host for source in sources if (host := _host_of_source(source.removeprefix("@")))})))

    def from_url(self, url: str) -> Reach:
        """Return these limits for requests that begin with this URL: if `hosts` is None, only the URL's host may have a private address."""
        return self if self.hosts is not None else replace(self, hosts=(host_of(url),))

    def may_be_private(self, host: str) -> bool:
        """Return whether a host of this name may have a private address."""
        return self.redirects == ANY or self.hosts is None or host.lower() in self.hosts


_USUAL: Final = Reach()
_REACH: Final[ContextVar[Reach]] = ContextVar("reach", default=_USUAL)


def reach() -> Reach:
    """Return the limits that apply to requests of this thread now."""
    return _REACH.get()


@contextmanager
def reaching(bound: Reach | None) -> Iterator[None]:
    """Apply these limits to requests of this thread while the block runs; None changes nothing."""
    if bound is None:
        yield
        return
    token = _REACH.set(bound)
    try:
        yield
    finally:
        _REACH.reset(token)


def each_reaching(bound: Reach | None, found: Iterator[T]) -> Iterator[T]:
    """Yield from an iterator, whose requests have the limits `bound`; while the caller handles a value, the caller's own limits apply. None
    for no change."""
    if bound is None:
        yield from found
        return
    while True:
        with reaching(bound):
            try:
                item = next(found)
            except StopIteration:
                return
        yield item


def host_of(url: str) -> str:
    """Return the host of a URL in small letters; "" if it has none, or is no URL."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:  # an unclosed [ of an IPv6 host
        return ""


def _host_of_source(source: str) -> str:
    """Return the host of a source on the web; "" for every other source."""
    try:
        address = parse(source)
    except SourceError:  # it will be told when it is listed
        return ""
    return host_of(address.uri) if isinstance(address, UrlAddress) else ""
