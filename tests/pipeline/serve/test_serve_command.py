"""The command line of `pdfmill serve`: what it refuses, and what it says."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest

from pdfmill.pipeline.cli import serve
from pdfmill.pipeline.cli.main import run
from tests.pipeline.serve.shelf import Shelf


def test_a_folder_that_is_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(tmp_path), "--port", "0"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"pdfmill serve: {tmp_path} is no output of pdfmill: it has no table documents"


def test_a_port_that_is_taken(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", shelf.output, "--port", str(port)]) == 2
    assert f"127.0.0.1:{port}: the server cannot listen there" in capsys.readouterr().err


def test_an_address_of_another_machine(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", shelf.output, "--host", "192.0.2.1", "--port", "0"]) == 2
    assert "192.0.2.1:0: the server cannot listen there" in capsys.readouterr().err


def test_a_port_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        run(["serve", "out", "--port", "70000"])
    assert refused.value.code == 2
    assert "pdfmill serve: --port: 70000 is more than 65535" in capsys.readouterr().err


def test_without_the_extra(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "starlette" else known(name, *rest))
    assert run(["serve", "out"]) == 2
    assert capsys.readouterr().err == "pdfmill serve: starlette not installed; pip install 'pdfmill[serve]'\n"


@pytest.mark.parametrize(
    ("host", "shown", "loopback"), [("127.0.0.1", "127.0.0.1", True), ("0.0.0.0", "localhost", False), ("localhost", None, True)]
)
def test_what_it_says_of_its_address(host: str, shown: str | None, loopback: bool) -> None:
    with serve.listen(host, 0) as listening:
        address = serve.address_of(listening)
        assert address.startswith("http://")
        assert address.endswith(f":{listening.getsockname()[1]}/")
        assert shown is None or shown in address
        assert serve.is_loopback(listening) is loopback
