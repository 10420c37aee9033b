"""How a command ends that is told to, or whose disk or standard output takes no more: in a sentence, with nothing left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed.made_documents import letters
from pdfmill.transforms.storage.scratch import scratch_folder
from tests.invariants import assert_same_tables, read_tables
from tests.pdf.make import make_pdf


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("endings") / "in"
    letters(folder, 30)
    return folder


@pytest.fixture(scope="module")
def tables(source, tmp_path_factory):
    output = tmp_path_factory.mktemp("endings") / "out"
    assert command("index", source / "000" / "letter-000001.pdf", "--output", output, stdout=subprocess.DEVNULL).returncode in (0, 1)
    return output


def command(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pdfmill", *map(str, words)], text=True, stderr=subprocess.PIPE, check=False, **more)


def test_sigterm_ends_a_crawl_as_ctrl_c_does(source, tmp_path):
    (tmp_path / "tmp").mkdir()
    config = tmp_path / "crawl.toml"
    config.write_text(f'sources = ["{source}/"]\noutput = "{tmp_path}/out"\n')
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    process = subprocess.Popen(
        [sys.executable, "-m", "pdfmill", "crawl", config], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not list((tmp_path / "tmp").glob("pdfmill-run-*/rows-*")):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    told = process.communicate(timeout=60)[1]
    assert (process.returncode, told.splitlines()[-1]) == (130, "pdfmill: interrupted"), told
    assert "Traceback" not in told
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [path for path in (tmp_path / "out").rglob("*") if "lock" in path.name] == []
    assert command("crawl", config, stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize(
    "words", [["help"], ["completion", "bash"], ["report", "{tables}"], ["search", "{tables}", "the"]], ids=lambda words: words[0]
)
def test_a_standard_output_that_is_full_is_told(tables, words):
    with open("/dev/full", "w") as full:
        done = command(*(word.format(tables=tables) for word in words), stdout=full)
    assert (done.returncode, done.stderr) == (2, "pdfmill: the standard output cannot be written: No space left on device\n")


def test_a_disk_that_is_full_leaves_the_tables_that_were_there(source, tables, tmp_path):
    """The kernel refuses to let any file grow, which is told as a full disk is."""
    before = read_tables(tables.as_uri())
    (tmp_path / "tmp").mkdir()
    done = command(
        "index",
        source,
        "--output",
        tables,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr
    assert_same_tables(before, read_tables(tables.as_uri()))
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_beam_leaves_in_the_temporary_folder_goes_with_the_command(tmp_path):
    for name in ("in", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(make_pdf(text="Letter"))
    flags = ["--runner", "DirectRunner", "--shards", "1", "--no_isolation", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pdfmill", "index", f"{tmp_path}/in", "--output", f"{tmp_path}/out", *flags],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_folders_of_runs_that_were_killed_are_swept(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    old, young, foreign = tmp_path / "pdfmill-run-old", tmp_path / "pdfmill-run-young", tmp_path / "pymp-foreign"
    for folder in (old / "pymp-old", young, foreign):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    with scratch_folder() as scratch:
        assert {path.name for path in tmp_path.iterdir()} == {"pdfmill-run-young", "pymp-foreign", Path(scratch).name}


#: Where this process keeps its sockets; then it ends by itself, or not.
SOCKETS = "import os, signal, sys; from pdfmill.transforms.storage.scratch import sockets_folder; print(sockets_folder(), flush=True); "


def test_sockets_of_a_process_go_with_it_or_with_the_next_one():
    """Also of a process that is killed when it has read everything, while it writes a snapshot."""
    with tempfile.TemporaryDirectory() as temporary:  # whose name leaves room for a socket's

        def ran(how: str) -> Path:
            environment = {**os.environ, "TMPDIR": temporary}
            shown = subprocess.run([sys.executable, "-c", SOCKETS + how], env=environment, capture_output=True, text=True)
            return Path(shown.stdout.strip()).parent

        killed = ran("os.kill(os.getpid(), signal.SIGKILL)")
        assert list(Path(temporary).iterdir()) == [killed]
        os.utime(killed, (0, 0))
        assert ran("pass") != killed
        assert list(Path(temporary).iterdir()) == []
