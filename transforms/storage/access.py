"""Credentials, endpoints and options for stores: from environment variables for each scheme, or from `[[store]]` tables.

    [[store]]
    at = "s3://arxiv/"            # for addresses with this prefix; the longest match counts
    requester_pays = true

    [[store]]
    at = "s3://archive/"
    endpoint = "https://minio.example.org:9000"
    variables = "MINIO_"          # MINIO_AWS_ACCESS_KEY_ID and so on, instead of AWS_ACCESS_KEY_ID

The variable PDFMILL_STORES or the flag `--stores` names their file; a crawl's configuration may contain them. They contain no secrets, and
are part of a job's settings: a process that unpickles `Stores` uses these options from then on.

`Reach` limits requests on the web: a list of URLs may come from a stranger, and any host may redirect; neither may make us request an
address that only this network can reach (server-side request forgery). Sources that the user names may have any address."""

from __future__ import annotations

import base64
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field
from msgspec.structs import fields, replace

from pdfmill.transforms.storage.addresses import Address, UrlAddress
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import STORES, parse

T = TypeVar("T")

VARIABLE: Final = "PDFMILL_STORES"
#: Length of an AES-256 key in bytes.
_KEY_BYTES: Final = 32


class Access(Struct, frozen=True, forbid_unknown_fields=True):
    """Access options for the objects whose addresses begin with `at` ("" for all). variables: prefix of the names of the store's
    environment variables. The comments explain the other fields."""

    at: str = ""  # an address prefix; "" for all addresses
    endpoint: str | None = None  # URL of the service
    region: str | None = None  # of an S3 bucket, e.g. eu-west-1
    profile: str | None = None  # section of the AWS credentials file, for S3
    variables: str = ""  # prefix of the names of the store's environment variables
    requester_pays: bool = False  # S3 bills the requester
    billed_project: str | None = None  # the project that GCS bills
    kms_key: str | None = None  # key with which S3 encrypts what is written, "" for the account's own
    customer_key: str | None = None  # name of the variable with a key, 32 bytes in base64, with which S3 encrypts (SSE-C)

    def variable(self, name: str) -> str | None:
        """Return the value of an environment variable of the store; None if it is unset or empty. name: without the prefix `variables`."""
        return os.environ.get(self.variables + name) or None

    def key_of_customer(self) -> bytes | None:
        """Return the key (32 bytes) with which S3 encrypts objects (SSE-C), or None. Raises SourceError(bad_source) if its variable holds
        no key."""
        if self.customer_key is None:
            return None
        try:
            key = base64.b64decode(os.environ.get(self.customer_key, ""), validate=True)
        except ValueError:
            key = b""
        if len(key) != _KEY_BYTES:
            raise SourceError(
                "bad_source", f"{self.at}: the variable {self.customer_key} must contain a key of {_KEY_BYTES} bytes in base64"
            )
        return key


class Stores(Struct, frozen=True):
    """Access options for buckets and prefixes; the longest matching prefix counts."""

    known: tuple[Access, ...] = ()

    def __post_init__(self) -> None:
        global _stores
        if self.known:
            _stores = self

    def of(self, at: Address) -> Access:
        """Return the options for an address."""
        fitting = (each for each in self.known if at.uri.startswith(each.at))
        return max(fitting, key=lambda each: len(each.at), default=USUAL)


#: The options of an address for which no `[[store]]` table is given.
USUAL: Final = Access()
#: The options of this process; None until they are set, or first read from the environment.
_stores: Stores | None = None


def stores() -> Stores:
    """Return the access options of this process: those that were set, else those in the file that PDFMILL_STORES names.
    Raises SourceError(bad_source) if that file is wrong."""
    global _stores
    if _stores is None:
        path = os.environ.get(VARIABLE)
        _stores = load_stores(path) if path else Stores()
    return _stores


def access_of(at: Address) -> Access:
    """Return the access options for an address. Raises SourceError(bad_source) if the file of options is wrong."""
    return stores().of(at)


def use_stores(path: str | None) -> None:
    """Set the access options of this process from the file at `path`; None for the file that PDFMILL_STORES names. Raises SourceError."""
    global _stores
    _stores = load_stores(path) if path is not None else None


def load_stores(path: str) -> Stores:
    """Load a TOML file with access options for object stores (`[[store]]` tables), and use them from now on.
    Raises SourceError: bad_source for wrong contents; other codes if the file cannot be read."""
    global _stores
    from pdfmill.transforms.storage.objects import read_file  # every store's module needs this one

    _stores = Stores()  # what the file itself is read by
    try:
        data = tomllib.loads(read_file(path).decode())
    except ValueError as error:
        raise SourceError("bad_source", f"{path}: is not a valid file of [[store]] tables: {error}") from error
    if data.keys() != {"store"}:
        raise SourceError("bad_source", f"{path}: may only contain [[store]] tables; it has {', '.join(data) or 'none'}")
    return stores_of(data["store"], path)


def stores_of(tables: Any, place: str) -> Stores:
    """Check parsed `[[store]]` tables, and use them from now on. place: name of their file. Raises SourceError(bad_source) if they are
    wrong."""
    try:
        known = msgspec.convert(tables, tuple[Access, ...])
    except msgspec.ValidationError as error:
        raise SourceError("bad_source", f"{place}: [[store]]: {error}") from error
    for each in known:
        for wrong in _wrong(each):
            raise SourceError("bad_source", f"{place}: [[store]] at = {each.at!r}: {wrong}")
    return Stores(known)


def _wrong(access: Access) -> Iterator[str]:
    scheme, mark, _ = access.at.partition("://")
    kind = STORES.get(scheme) if mark else None
    if kind is None or not kind.heeds:
        yield f"must begin with {', '.join(f'{each}://' for each, kind in STORES.items() if kind.heeds)}"
        return
    given = {each.name for each in fields(access) if getattr(access, each.name) != each.default} - {"at", "variables"}
    if without := sorted(given - kind.heeds):
        yield f"{', '.join(without)}: has no effect on {scheme}://"
    if access.kms_key is not None and access.customer_key is not None:
        yield "kms_key and customer_key exclude each other"


def carrying(action: Callable[..., T]) -> Callable[..., T]:
    """Wrap a function so that a worker that unpickles it uses the access options of this process."""
    options = stores()
    return partial(_call, options, action) if options.known else action


def _call(_: Stores, action: Callable[..., T], *given: Any) -> T:
    return action(*given)


SAME_HOST: Final = "same-host"
PUBLIC: Final = "public"
ANY: Final = "any"
#: The values of `--redirects`, the default first.
REDIRECTS: Final = (PUBLIC, SAME_HOST, ANY)


class Reach(Struct, frozen=True):
    """Limits of requests on the web. redirects: which redirections are followed (public, same-host or any). hosts: names of the hosts that
    may have private addresses; None for only the host of each request's own URL. stores: access options for object stores, for workers."""

    #: `same-host` follows redirections within one host name; `public` also to hosts with public addresses; `any` follows all, and
    #: lets lists name private hosts.
    redirects: str = PUBLIC
    #: Names of hosts that may have private addresses, sorted; None: only the host of each request's own URL.
    hosts: tuple[str, ...] | None = None
    stores: Stores = field(default_factory=Stores)  # access options of stores, which are sent to workers with these limits

    @staticmethod
    def of_sources(redirects: str, sources: Iterable[str]) -> Reach:
        """Return the limits for a job: hosts in its sources may be private. redirects: public, same-host or any.

        >>> Reach.of_sources("public", ["@https://Intranet/list.txt", "s3://b/"]).hosts
        ('intranet',)
        """
        return Reach(redirects, tuple(sorted({host for source in sources if (host := _host_of_source(source.removeprefix("@")))})))

    def from_url(self, url: str) -> Reach:
        """Return the limits for a request of this URL and its redirections. If `hosts` is None, only the URL's host may be private."""
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
    """Apply the limits `bound` to requests of this thread while the block runs; None keeps the present limits."""
    if bound is None:
        yield
        return
    token = _REACH.set(bound)
    try:
        yield
    finally:
        _REACH.reset(token)


def each_reaching(bound: Reach | None, found: Iterator[T]) -> Iterator[T]:
    """Yield the values of an iterator, with the limits `bound` only while it makes its next value. None keeps the present limits."""
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
    try:
        address = parse(source)
    except SourceError:  # it will be told when it is listed
        return ""
    return host_of(address.uri) if isinstance(address, UrlAddress) else ""
