"""Protection of the site: which requests are answered, and what its pages may do in a browser."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

# End connections that send nothing, so that a client who opens thousands of them keeps nobody out.


#: Seconds in which a request must arrive completely, counted from the opening of the connection or from the last response.
REQUEST_SECONDS: Final = 20.0


class PatientProtocol(H11Protocol):
    """HTTP/1.1 connections that are closed if no complete request arrives within `REQUEST_SECONDS`; not while one is answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer of a new connection."""
        super().connection_made(transport)
        self.loop.call_later(REQUEST_SECONDS, self._look, self.cycle)

    def _look(self, before: object) -> None:
        """Close the connection if no request has arrived since the last check and none is being answered. before: the latest at the last
        check."""
        if self.transport.is_closing():
            return
        is_waiting = self.cycle is None or self.cycle.response_complete
        if is_waiting and self.cycle is before:
            self.transport.close()
        else:
            self.loop.call_later(REQUEST_SECONDS, self._look, self.cycle)


#: Content Security Policy. Pages load only files of this server; no inline script or style, no frame, no form that posts elsewhere.
POLICY: Final = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_METHODS: Final = ("GET", "HEAD")


def is_known_host(header: str, names: Iterable[str]) -> bool:
    """Return whether a request is meant for this server: its Host header is an IP address, `localhost` or one of the names.
    A foreign page whose host name resolves to this server (DNS rebinding) sends its own name.

    >>> [is_known_host(host, ["archive"]) for host in ("127.0.0.1:80", "[::1]:80", "localhost", "archive:80", "evil.example", "")]
    [True, True, True, True, False, False]
    """
    try:
        parts = urlsplit(f"//{header}")
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if "@" in header or "/" in header:
        return False
    if host.lower() in ("localhost", *(name.lower() for name in names)):
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Safety:
    """Refuses requests that no page of this site sends, and adds the security headers to every response. names: host names of this
    server."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = tuple(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as an ASGI application, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        await (refusal or self._app)(scope, receive, send_safely)

    def _refusal(self, method: str, headers: Headers) -> PlainTextResponse | None:
        host = headers.get("host", "")
        if not is_known_host(host, self._names):
            return PlainTextResponse(f"pdfmill serve: {host!r} is not a name of this server; see --name", 421)
        if method not in _METHODS:
            return PlainTextResponse("pdfmill serve: only the methods GET and HEAD are allowed", 405, {"allow": ", ".join(_METHODS)})
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("pdfmill serve: other sites may link to pages, but not embed them", 403)
        return None
