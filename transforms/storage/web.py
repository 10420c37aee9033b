"""Read single objects over http or https. Proxies and .netrc are used as by the package requests."""

from __future__ import annotations

import io
import ipaddress
import math
import socket
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO, Final
from urllib.parse import urljoin, urlsplit

import requests
import smart_open.http
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import requote_uri

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import ANY, SAME_HOST, Access, host_of, reach, reaching
from pdfmill.transforms.storage.addresses import Address, found
from pdfmill.transforms.storage.errors import STRANGE_ANSWERS, SourceError
from pdfmill.transforms.storage.sessions import patient_session, per_process
from pdfmill.transforms.storage.settings import SETTINGS, with_retries
from pdfmill.transforms.storage.streams import check_limit, check_same, read_all

#: Headers of every request: sizes and etags must be those of the plain bytes (RFC 9110 §8.8.3.3: an encoding changes the etag).
_HEADERS: Final = {"Accept-Encoding": "identity"}
_TIMEOUT: Final = (SETTINGS.connect_timeout_s, SETTINGS.read_timeout_s)
#: Most digits of a number in a header: more than any 64-bit integer has. Python refuses to parse numbers of thousands of digits.
_LONGEST_NUMBER: Final = 20
_GONE: Final = (404, 410)
_DENIED: Final = (401, 403, 407, 451)


class _RefusedError(Exception):
    """A request is not allowed, because it leads to a private address or to another host. HTTP clients do not retry it."""


#: Hosts that could not be reached, each with its time of `time.monotonic`; they are not requested again for `_DEAD_S` seconds.
_DEAD: Final[dict[str, float]] = {}
_DEAD_S: Final = 30.0

_BROKEN: Final = (requests.RequestException, urllib3.exceptions.HTTPError, OSError, _RefusedError, *STRANGE_ANSWERS)


class _Connection(urllib3.connection.HTTPConnection):
    """An HTTP connection whose peer address is checked before anything is sent, because DNS may change between the check of the name and
    this."""

    def connect(self) -> None:
        super().connect()
        _check_peer(self)


class _SafeConnection(urllib3.connection.HTTPSConnection):
    """An HTTPS connection whose peer address is checked before anything is sent."""

    def connect(self) -> None:
        super().connect()
        _check_peer(self)


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SafePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SafeConnection


class _Adapter(HTTPAdapter):
    """Sends requests over connections whose peer address is checked. Behind a proxy only host names can be checked."""

    def init_poolmanager(self, *given: Any, **options: Any) -> None:
        super().init_poolmanager(*given, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SafePool}


def _check_peer(connection: Any) -> None:
    """Raise _RefusedError if the peer address of a connection is private and the host may not have a private address."""
    if not reach().may_be_private(connection.host) and not _public(
        ipaddress.ip_address(connection.sock.getpeername()[0].partition("%")[0])
    ):
        connection.close()
        raise _RefusedError(_private(connection.host))


@per_process
def session(_: Access) -> Any:
    """Return the HTTP session of this process. It retries busy servers and waits as long as they ask, up to a limit."""
    made = patient_session(SETTINGS, adapter=_Adapter)
    made.hooks["response"].append(_check_redirect)
    return made


def _check_redirect(answer: Any, **_options: object) -> None:
    """Raise _RefusedError if the redirection `answer` is not allowed, before the package requests follows it."""
    target = answer.headers.get("Location") if answer.is_redirect else None
    if target is None or reach().redirects == ANY:
        return
    here, there = host_of(answer.url), host_of(urljoin(answer.url, target))
    if here != there and reach().redirects == SAME_HOST:
        raise _RefusedError(f"it is redirected to another host, {there}, which --redirects same-host does not allow")
    if here != there and not reach().may_be_private(there) and is_private(there):
        raise _RefusedError(f"it is redirected to the private host {there}, which only --redirects any allows")


def _check_host(url: str) -> None:
    """Raise _RefusedError if the host has a private address that is not allowed, ConnectionError if it could not be reached a short time
    ago."""
    if (ago := time.monotonic() - _DEAD.get(urlsplit(url).netloc, -math.inf)) < _DEAD_S:
        raise requests.ConnectionError(f"its host could not be reached {ago:.0f} s ago")
    if not reach().may_be_private(host_of(url)) and is_private(host_of(url)):
        raise _RefusedError(_private(host_of(url)))


def _private(host: str) -> str:
    return f"the private host {host} is only named by a list; name it as a source, or set --redirects any"


def is_private(host: str) -> bool:
    """Return whether a host is this machine or has a private address; False for an unknown name."""
    try:
        found = {str(info[4][0]).partition("%")[0] for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):  # the request itself will tell
        return False
    return any(not _public(ipaddress.ip_address(each)) for each in found)


#: IPv6 networks whose addresses contain an IPv4 address, each with the number of bits after it: mapped, translated (SIIT), NAT64, 6to4,
#: compatible.
_HOLDING: Final = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
    (ipaddress.IPv6Network("::/96"), 0),
)
_IPV4: Final = (1 << 32) - 1
#: Networks that are not public, though Python calls some of them global: local NAT64 (RFC 8215), site-local, Teredo.
_NEVER_PUBLIC: Final = tuple(map(ipaddress.ip_network, ("64:ff9b:1::/48", "fec0::/10", "2001::/32")))
#: Addresses of services that clouds offer to their own machines: Azure's WireServer, Oracle's metadata.
_OF_CLOUDS: Final = frozenset(map(ipaddress.ip_address, ("168.63.129.16", "192.0.0.192")))


def _public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address is public. An IPv4 address in an IPv6 address decides (`_HOLDING`, RFC 4291, 6052, 3056, 2765)."""
    if address in _OF_CLOUDS or any(address in network for network in _NEVER_PUBLIC if network.version == address.version):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        for network, bits in _HOLDING:
            if address in network:
                return _public(ipaddress.IPv4Address(int(address) >> bits & _IPV4))
    return address.is_global and not address.is_multicast


def list_objects(at: Address) -> Iterator[DocumentRef]:
    """Yield the reference to the object at the URL. Raises SourceError."""
    yield head(at)


def head(at: Address) -> DocumentRef:
    """Return the reference to the object at the URL, from its headers. Raises SourceError, also if it does not exist."""
    headers = _headers(at.uri)
    encoded = headers.get("Content-Encoding", "identity").lower() != "identity"
    return found(at.uri, etag=_etag(headers), size=None if encoded else _size(headers), modified=_modified(headers))


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """Return the bytes of the version listed as `ref`. Raises SourceError: changed, too_large (over `max_bytes`), or the request failed."""
    try:
        return with_retries(lambda: _read_once(at.uri, ref, max_bytes), _is_transient)
    except _BROKEN as error:
        raise _as_source_error(at.uri, error) from error


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Open `length` bytes of the object from `offset` on (-1: to its end) as a stream. The whole object is downloaded, because many servers
    do not support ranges. Raises SourceError."""
    return io.BytesIO(read(at, found(at.uri), None)[offset : None if length < 0 else offset + length])


def open_file(at: Address, ref: DocumentRef) -> BinaryIO:
    """Download the whole object, and return it as a seekable file. ref: the listed version. Raises SourceError."""
    return io.BytesIO(read(at, ref, None))


def _read_once(url: str, ref: DocumentRef, max_bytes: int | None) -> bytes:
    strong = ref.etag is not None and not ref.etag.startswith("W/")  # If-Match takes no weak etag (RFC 9110 §13.1.1)
    headers = _HEADERS | ({"If-Match": ref.etag} if strong and ref.etag else {})
    with reaching(reach().from_url(url)):
        _check_host(url)
        with smart_open.http.open(requote_uri(url), "rb", headers=headers, timeout=_TIMEOUT, session=session()) as stream:
            told = stream.response.headers
            check_same(ref, ref.etag, _etag(told))
            check_limit(ref, _size(told), max_bytes)
            stream.response.raw.decode_content = True  # for servers that compress although asked not to
            return read_all(stream, ref, max_bytes)


def _is_transient(error: Exception) -> bool:
    """Return whether a response broke off. The session itself has already retried busy and unreachable servers."""
    return isinstance(error, urllib3.exceptions.HTTPError | ConnectionResetError | requests.exceptions.ChunkedEncodingError)


def _headers(url: str) -> Mapping[str, str]:
    """Return the headers of the response to a HEAD request, or to a GET request if the server refuses HEAD, as for all signed URLs."""
    try:
        with reaching(reach().from_url(url)):
            _check_host(url)
            answer = session().head(requote_uri(url), headers=_HEADERS, timeout=_TIMEOUT, allow_redirects=True)
            if not answer.ok and answer.status_code not in _GONE:
                with session().get(requote_uri(url), headers=_HEADERS, timeout=_TIMEOUT, stream=True) as answer:
                    answer.raise_for_status()
            answer.raise_for_status()
    except _BROKEN as error:
        raise _as_source_error(url, error) from error
    told: Mapping[str, str] = answer.headers
    return told


def _etag(headers: Mapping[str, str]) -> str | None:
    """Return the ETag header unchanged, with its quotes and, if it is weak, `W/`; None if there is none."""
    return headers.get("ETag") or None


def _size(headers: Mapping[str, str]) -> int | None:
    length = headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < _LONGEST_NUMBER else None


def _modified(headers: Mapping[str, str]) -> datetime | None:
    try:
        modified = parsedate_to_datetime(headers.get("Last-Modified", ""))
    except (ValueError, OverflowError):  # absent, or not a date
        return None
    return modified if modified.tzinfo else modified.replace(tzinfo=UTC)


def _note_dead(error: Exception) -> None:
    """Remember the host of a request that could not connect, even after all retries; later requests then fail at once."""
    reason = getattr(error.args[0], "reason", None) if error.args else None
    asked = getattr(error, "request", None)
    if asked is not None and isinstance(reason, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError):
        _DEAD[urlsplit(asked.url).netloc] = time.monotonic()


def _as_source_error(url: str, error: Exception) -> SourceError:
    _note_dead(error)
    answer = getattr(error, "response", None)
    status = answer.status_code if answer is not None else 0
    if isinstance(error, _RefusedError):
        code = "permission_denied"
    elif status in _GONE:
        code = "not_found"
    elif status in _DENIED:
        code = "permission_denied"
    elif status == 412:
        code = "changed"
    elif isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema):
        code = "bad_source"
    else:
        code = "store_error"
    return SourceError(code, f"{url}: {_why(error)}")


def _why(error: Exception) -> str:
    """Return the message of an error without the addresses and class names that clients add."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"HTTP {answer.status_code} {answer.reason or ''}".rstrip()
    innermost = str(getattr(error.args[0], "reason", error) if error.args else error)
    return innermost.partition("): ")[2] or innermost
