"""A strict S3 server that logs every access."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers import S3Server, environment_of, free_port, go_tool, running


@dataclass(frozen=True)
class LoggingServer(S3Server):
    """A server with its access log."""

    log: Path = Path()


@pytest.fixture(scope="session")
def logging_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoggingServer]:
    """versitygw with an access log, for the whole session."""
    tool, port, folder = go_tool("versitygw"), free_port(), tmp_path_factory.mktemp("logging")
    (folder / "data").mkdir()
    server = LoggingServer(f"http://127.0.0.1:{port}", log=folder / "access.log")
    keys = {"ROOT_ACCESS_KEY": server.access_key, "ROOT_SECRET_KEY": server.secret_key}
    command = [tool, "--port", f"127.0.0.1:{port}", "--access-log", str(server.log), "posix", str(folder / "data")]
    with running(command, port, folder / "log", keys):
        yield server


@pytest.fixture
def crawl_server(logging_process: LoggingServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoggingServer]:
    """It, with the environment pointing at it."""
    with environment_of(logging_process.environment, monkeypatch):
        yield logging_process
