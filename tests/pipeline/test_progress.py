import logging
import os
import pty
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress

import pytest

from pdfmill.pipeline.run import progress as told
from pdfmill.pipeline.run.progress import Progress, live_progress, progress_text
from pdfmill.transforms.storage.scratch import scratch_folder, sockets_folder


def test_the_line_tells_what_is_known():
    text = progress_text(Progress(50, 200, 1, listed=100, complete=True, started=0.0), now=40.0)
    assert text == "50/100 documents, 200 pages, 5 pages/s, 1 failed, about 40 s left"
    assert "40 pages, 1 page/s, " in progress_text(Progress(20, 40, 0, listed=100, complete=True, started=0.0), now=40.0)


def test_no_time_left_before_the_listing_has_ended():
    assert "left" not in progress_text(Progress(50, 200, 0, listed=60, started=0.0), now=40.0)


def test_without_a_terminal_it_is_log_lines(monkeypatch, caplog):
    monkeypatch.setattr(told, "LOG_SECONDS", 0.01)
    seen = threading.Event()
    monkeypatch.setattr(told.log, "info", lambda text: seen.set() if "3 pages" in text else None)
    with live_progress(progress := Progress(), told.on_the_terminal), caplog.at_level(logging.INFO):
        progress.add(documents=1, pages=3)
        assert seen.wait(10)


def test_folders_of_killed_runs_are_removed_and_no_others(tmp_path, monkeypatch):
    sockets_folder()  # of this process, which is made once
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed, young = tmp_path / "pdfmill-run-killed", tmp_path / "pdfmill-run-young"
    for folder in (killed, young):
        folder.mkdir()
        (folder / "rows").write_bytes(bytes(24))
    os.utime(killed, (0, 0))
    with scratch_folder() as running:
        os.utime(running, (0, 0))
        assert not killed.exists()
        with scratch_folder() as other:
            assert sorted(map(str, tmp_path.iterdir())) == sorted([str(young), running, other])
    assert list(tmp_path.iterdir()) == [young]


@pytest.mark.parametrize(
    ("flags", "term", "rewritten"),
    [((), "xterm", True), (("-q",), "xterm", False), (("--log_format", "json"), "xterm", False), ((), "dumb", False)],
)
def test_a_terminal_is_written_over_where_that_can_be_read(samples, tmp_path, flags, term, rewritten):
    """And nothing is ever coloured."""
    terminal, its_end = pty.openpty()
    command = [sys.executable, "-m", "pdfmill", "index", samples / "letter.pdf", "--output", tmp_path / "out", *flags]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its_end, env={**os.environ, "TERM": term}) as job:
        os.close(its_end)
        shown = b""
        with suppress(OSError):  # nobody is at the other end any more
            while data := os.read(terminal, 4096):
                shown += data
    os.close(terminal)
    assert job.returncode == 0, shown
    assert (b"\r\x1b[K" in shown) == rewritten, shown
    assert b"\x1b" not in shown.replace(b"\r\x1b[K", b"")
    assert shown == b"" or "-q" not in flags


def test_nothing_is_guessed_in_the_first_half_minute():
    early = Progress(1, 2, 0, listed=100, complete=True, started=0.0)
    assert progress_text(early, now=29.0) == "1/100 documents, 2 pages, 0 failed"
    assert "about 2,970 s left" in progress_text(early, now=30.0)
    assert "pages/s" not in progress_text(Progress(0, 0, 0, listed=100, complete=True, started=0.0), now=60.0)


def test_from_the_half_minute_on_the_speed_is_told():
    counted = Progress(10, 20, 0, listed=10, complete=True, started=0.0)
    assert progress_text(counted, now=29.9) == "10/10 documents, 20 pages, 0 failed"
    assert progress_text(counted, now=30.0) == "10/10 documents, 20 pages, 1 page/s, 0 failed", "nothing is left"
    assert "/s" not in progress_text(Progress(0, 0, 0, started=0.0), now=60.0)


def test_the_slowest_documents_are_kept():
    progress = Progress()
    for number in range(told.SLOWEST + 5):
        progress.took(f"{number}.pdf", float(number % 18))
    kept = sorted(progress.slowest, reverse=True)
    assert len(kept) == told.SLOWEST
    assert kept[0] == (17.0, "17.pdf")
    assert kept[-1][0] == 3.0, "what took less made room"
