"""Start a process that keeps Tesseract loaded (`transforms.scans.tesseract_server`), so that languages are not loaded for each image.
It uses the shared library of the installed program; without one, the caller must run the program instead."""

from __future__ import annotations

import atexit
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from pdfmill.transforms.scans.recognizers import OcrError, Picture
from pdfmill.transforms.scans.tesseract_server import OUT_OF_TIME, READ

_SERVER: Final = Path(__file__).with_name("tesseract_server.py")
#: Paths of Tesseract's and Leptonica's libraries in the output of `ldd` for the program.
_NEEDED: Final = re.compile(r"^\s*lib(tesseract|lept\w*)\.so\S* => (\S+)", re.MULTILINE)
_LIST_SECONDS: Final = 10
#: Seconds to wait beyond the time limit of an image, because the server itself enforces the limit.
_GRACE_SECONDS: Final = 2.0
_SILENT: Final = "silent"
#: Bytes of a word in Leptonica's images, to which lines are padded.
_WORD_BYTES: Final = 4


@lru_cache(maxsize=4)
def libraries(program: str) -> tuple[str, str] | None:
    """Return the paths of the Tesseract and Leptonica libraries that a program uses; None if it is a script, or is linked statically."""
    try:
        listing = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=_LIST_SECONDS, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = {name[:4]: where for name, where in _NEEDED.findall(listing)}
    return (found["tess"], found["lept"]) if found.keys() >= {"tess", "lept"} else None


class LoadedTesseract:
    """A process that keeps Tesseract loaded. It is started at the first image, and reads one image at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._started_as: tuple[str | None, ...] = ()
        self._refused: tuple[str | None, ...] | None = None
        self._answered = False
        self._picture = self._text = -1
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """The id of the process; None if it does not run."""
        return self._process.pid if self._process is not None else None

    def read(self, command: str, picture: Picture, dpi: float, language: str, seconds: float) -> str | None:
        """Return the TSV output for an image, without header; None if Tesseract cannot be loaded or languages are missing.
        command: the program's name. language: names joined by +. seconds: time limit.

        Raises:
            OcrError: the image took longer than `seconds`.
        """
        with self._lock:
            if (process := self._running(command)) is None:
                return None
            height, width = picture.shape
            os.ftruncate(self._picture, 0)
            os.pwrite(self._picture, as_words(picture), 0)
            request = {"width": width, "height": height, "dpi": round(dpi), "language": language, "seconds": seconds}
            answer = _ask(process, json.dumps(request), max(0.0, seconds) + _GRACE_SECONDS)
            tsv = os.pread(self._text, os.fstat(self._text).st_size, 0).decode("utf-8", "replace") if answer == READ else None
            if answer is None and not self._answered:  # it cannot be started at all; a process that dies later is started again
                self._refused = self._started_as
            self._answered = self._answered or answer is not None
            if answer in (None, _SILENT):
                self.close()
        if answer in (OUT_OF_TIME, _SILENT):
            raise OcrError(f"{command} took more than {seconds:.0f} seconds")
        return tsv

    def close(self) -> None:
        """End the process, even while it reads an image."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):  # it ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        self._let_go(process)
        process.wait()

    def _running(self, command: str) -> subprocess.Popen[str] | None:
        """Return the process for the program `command` and the current language folder, started now if needed; None if it cannot be
        started."""
        program = shutil.which(command)
        wanted = (program, os.environ.get("TESSDATA_PREFIX"))
        if self._process is not None and (self._started_as != wanted or self._process.poll() is not None):
            self.close()
        if self._process is None and program and wanted != self._refused and (paths := libraries(program)) is not None:
            self._answered = False
            self._picture, self._text = os.memfd_create("picture"), os.memfd_create("text")
            self._started_as = wanted
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SERVER), *paths, str(self._picture), str(self._text)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
                pass_fds=(self._picture, self._text), env=os.environ | {"OMP_THREAD_LIMIT": "1"},
            )  # fmt: skip
        return self._process

    def _forget(self) -> None:
        """Forget the Tesseract process in a fork of this process, and close the fork's copy of the pipe, which would keep Tesseract
        running."""
        process, self._process, self._lock = self._process, None, threading.Lock()
        if process is not None:
            process.returncode = 0  # the process is no child of this fork, which must not wait for it
            self._let_go(process)

    def _let_go(self, process: subprocess.Popen[str]) -> None:
        for end in (process.stdin, process.stdout):
            assert end is not None
            with suppress(OSError):  # data not yet written to it is not needed
                end.close()
        os.close(self._picture)
        os.close(self._text)


def _ask(process: subprocess.Popen[str], request: str, seconds: float) -> str | None:
    """Send a request of one line to the process, and return its answer of one line; `_SILENT` after `seconds`, None if the process has
    ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(request + "\n")
        process.stdin.flush()
    except OSError:
        return None
    answers = select.poll()  # select(2) only accepts descriptors below 1,024
    answers.register(process.stdout, select.POLLIN)
    if not answers.poll(1000 * seconds):
        return _SILENT
    answer = process.stdout.readline()
    return answer.rstrip("\n") if answer else None


def as_words(picture: Picture) -> bytes:
    """Return grey pixels in Leptonica's format: four pixels per 32-bit word, the first in its highest byte, and lines padded to whole
    words."""
    height, width = picture.shape
    filled = np.zeros((height, -(-width // _WORD_BYTES) * _WORD_BYTES), np.uint8)
    filled[:, :width] = picture
    return filled.view(">u4").astype("=u4").tobytes()
