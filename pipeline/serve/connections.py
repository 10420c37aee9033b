"""End connections that send nothing, so that a client who opens thousands of them keeps nobody out."""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds in which a request must have come whole, from the opening of the connection or from the last answer.
REQUEST_SECONDS: Final = 20.0


class PatientProtocol(H11Protocol):
    """HTTP/1.1 connections that end if no whole request arrives in time. They stay open while one is answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer of a new connection."""
        super().connection_made(transport)
        self.loop.call_later(REQUEST_SECONDS, self._look, self.cycle)

    def _look(self, before: object) -> None:
        """End the connection if no request arrived since the last look. before: the last request at that time."""
        if self.transport.is_closing():
            return
        is_waiting = self.cycle is None or self.cycle.response_complete
        if is_waiting and self.cycle is before:
            self.transport.close()
        else:
            self.loop.call_later(REQUEST_SECONDS, self._look, self.cycle)
