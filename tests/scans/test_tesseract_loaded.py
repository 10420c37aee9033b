"""Tesseract that stays loaded reads a picture as the command does, whatever it read before, and is replaced when it ends."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pdfmill.transforms.scans.recognizers import OcrError, Picture
from pdfmill.transforms.scans.tesseract import run_tesseract
from pdfmill.transforms.scans.tesseract_loaded import LoadedTesseract, as_words, libraries
from pdfmill.transforms.scans.tesseract_server import OUT_OF_TIME, READ, in_fork

COMMAND = "tesseract"
PROGRAM = shutil.which(COMMAND)
needs_tesseract = pytest.mark.skipif(PROGRAM is None or libraries(PROGRAM) is None, reason="no tesseract that runs on a library")


def picture(text: str) -> Picture:
    drawn = Image.new("L", (601, 90), 250)
    ImageDraw.Draw(drawn).text((20, 20), text, fill=20, font=ImageFont.load_default(size=40))
    return np.asarray(drawn)


@pytest.fixture
def loaded() -> Iterator[LoadedTesseract]:
    kept = LoadedTesseract()
    yield kept
    kept.close()


def test_pixels_are_words_of_leptonica() -> None:
    assert as_words(np.array([[1, 2, 3, 4, 5]], np.uint8)) == bytes((4, 3, 2, 1, 0, 0, 0, 5))


@needs_tesseract
def test_it_reads_as_the_command_does_whatever_it_read_before(loaded: LoadedTesseract) -> None:
    first, second = picture("Letters from the archive"), picture("Bridges and harbours")
    read = loaded.read(COMMAND, first, 200, "eng", 60)
    assert read is not None
    assert read.splitlines() == run_tesseract(first, 200, "eng", 60).splitlines()[1:]
    pid = loaded.pid
    assert "harbours" in (loaded.read(COMMAND, second, 200, "eng", 60) or "")
    assert loaded.read(COMMAND, first, 200, "eng", 60) == read
    assert loaded.pid == pid
    assert loaded.read(COMMAND, first, 200, "no-such-language", 60) is None  # the command says why
    os.kill(pid or 0, signal.SIGKILL)
    os.waitpid(pid or 0, 0)
    assert loaded.read(COMMAND, first, 200, "eng", 60) in (None, read)  # whether or not its end was noticed
    assert loaded.read(COMMAND, first, 200, "eng", 60) == read
    assert loaded.pid != pid


@needs_tesseract
def test_a_fork_leaves_the_process_to_the_one_that_started_it(loaded: LoadedTesseract) -> None:
    shown = picture("Letters from the archive")
    read = loaded.read(COMMAND, shown, 200, "eng", 60)
    child = os.fork()
    if not child:
        os._exit(loaded.pid is not None)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert loaded.read(COMMAND, shown, 200, "eng", 60) == read


@needs_tesseract
def test_time_is_bounded(loaded: LoadedTesseract, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdfmill.transforms.scans.tesseract_loaded._GRACE_SECONDS", 0.0)
    with pytest.raises(OcrError, match="took more than 0 seconds"):
        loaded.read(COMMAND, picture("Letters from the archive"), 200, "eng", 0)
    assert loaded.pid is None


def test_what_happens_in_a_fork_ends_with_it() -> None:
    asker, asks = os.pipe()
    killed = f"ended with {-signal.SIGKILL}"
    assert in_fork(lambda: None, 9, asker) == READ
    assert in_fork(lambda: os.kill(os.getpid(), signal.SIGKILL), 9, asker) == killed
    assert in_fork(lambda: time.sleep(30), 0.1, asker) == OUT_OF_TIME
    os.close(asks)
    started = time.monotonic()
    assert in_fork(lambda: time.sleep(30), 30, asker) == killed
    assert time.monotonic() - started < 20
    os.close(asker)


def test_a_command_that_runs_on_no_library(tmp_path, loaded: LoadedTesseract) -> None:
    script = tmp_path / "tesseract"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert libraries(str(script)) is None
    for command in (str(script), "tesseract-that-is-not-there"):
        assert loaded.read(command, picture("Letters"), 200, "eng", 9) is None


def test_a_library_that_is_none(tmp_path, loaded: LoadedTesseract, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdfmill.transforms.scans.tesseract_loaded.libraries", lambda program: ("/dev/null", "/dev/null"))
    assert loaded.read(COMMAND, picture("Letters"), 200, "eng", 9) is None
    assert loaded.read(COMMAND, picture("Letters"), 200, "eng", 9) is None
    assert loaded.pid is None
