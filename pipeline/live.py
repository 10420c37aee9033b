"""The progress line of a local run: rewritten in place on a terminal, plain log lines elsewhere."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from transforms.progress import FOLDER_VARIABLE, Progress, read_progress

log = logging.getLogger("pdfmill")

TERMINAL_SECONDS: Final = 0.2
LOG_SECONDS: Final = 10.0

_PREFIX: Final = "pdfmill-progress-"
#: A folder without a lock that is younger may just be on its way to get one.
_ABANDONED_SECONDS: Final = 60.0


@dataclass(slots=True)
class Expectation:
    """What is known of the work ahead. listed: documents found so far; complete: the listing has ended."""

    listed: int = 0
    complete: bool = False
    started: float = field(default_factory=time.monotonic)


def progress_text(progress: Progress, expectation: Expectation, now: float) -> str:
    """One line: documents, pages, pages per second, failures, time left when it can be told."""
    seconds = max(now - expectation.started, 1e-9)
    of = f"/{expectation.listed:,}" if expectation.complete else ""
    parts = [f"{progress.documents:,}{of} documents", f"{progress.pages:,} pages", f"{progress.pages / seconds:,.0f} pages/s", f"{progress.failures:,} failed"]
    if expectation.complete and 0 < progress.documents < expectation.listed:
        left = seconds / progress.documents * (expectation.listed - progress.documents)
        parts.append(f"about {left:,.0f} s left")
    return ", ".join(parts)


@contextmanager
def live_progress(expectation: Expectation) -> Iterator[None]:
    """Show progress until the block ends. Workers started inside inherit where to report."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder, _locked(folder):
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = folder
        done = threading.Event()
        reporter = threading.Thread(target=_report, args=(Path(folder), expectation, done), daemon=True)
        reporter.start()
        try:
            yield
        finally:
            done.set()
            reporter.join()
            _restore(before)


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold a lock on the folder, which the kernel takes back when this process dies."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _remove_abandoned() -> None:
    """Remove the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # in use, another user's, or just removed
            if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                with _locked(str(folder)):
                    shutil.rmtree(folder)


def _restore(before: str | None) -> None:
    if before is None:
        os.environ.pop(FOLDER_VARIABLE, None)
    else:
        os.environ[FOLDER_VARIABLE] = before


def _report(folder: Path, expectation: Expectation, done: threading.Event) -> None:
    terminal = sys.stderr.isatty()
    while not done.wait(TERMINAL_SECONDS if terminal else LOG_SECONDS):
        text = progress_text(read_progress(folder), expectation, time.monotonic())
        if terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            log.info(text)
    if terminal:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
