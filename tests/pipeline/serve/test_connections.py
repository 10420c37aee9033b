"""Connections that ask nothing end; those that ask are answered."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pdfmill.pipeline.serve import safety

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def slow(request: Request) -> PlainTextResponse:
    await asyncio.sleep(0.5)
    return PlainTextResponse("answered")


async def read_after(port: int, sent: bytes) -> bytes:
    """All that comes until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    found = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    return found


@pytest.mark.parametrize(
    ("sent", "answers"), [(b"", 0), (REQUEST[:-2], 0), (REQUEST, 1), (REQUEST + REQUEST[:9], 1), (REQUEST + REQUEST, 2)]
)
def test_half_open_connections_end(monkeypatch: pytest.MonkeyPatch, sent: bytes, answers: int) -> None:
    monkeypatch.setattr(safety, "REQUEST_SECONDS", 0.2)
    app = Starlette(routes=[Route("/", slow)])
    config = uvicorn.Config(app, port=0, http=safety.PatientProtocol, log_level="error", lifespan="off", timeout_keep_alive=60)

    async def check() -> bytes:
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            return await read_after(port, sent)
        finally:
            server.should_exit = True
            await serving

    with ThreadPoolExecutor(1) as thread:  # a browser of another test keeps a loop in this one
        assert thread.submit(asyncio.run, check()).result().count(b"answered") == answers
