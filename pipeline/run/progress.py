"""The progress line of a run: rewritten in place on a terminal, plain log lines elsewhere."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from heapq import heappush, heapreplace
from typing import Final

from msgspec import Struct, field

from pdfmill.pipeline.run.logs import logs_json
from pdfmill.pipeline.run.summary import counted

log = logging.getLogger("pdfmill")

TERMINAL_SECONDS: Final = 0.2
LOG_SECONDS: Final = 10.0
#: Seconds before the remaining time is estimated: in the first ones the processes start, and few documents are finished.
GUESS_SECONDS: Final = 30.0
#: Number of slowest documents that are kept.
SLOWEST: Final = 15


class Progress(Struct):
    """Counts of a run so far. listed: documents found in the sources. complete: the listing has ended. started: by `time.monotonic()`."""

    documents: int = 0  # documents opened
    pages: int = 0  # pages read
    failures: int = 0  # documents and pages that failed
    listed: int = 0
    complete: bool = False
    started: float = field(default_factory=time.monotonic)
    #: (seconds, address) of at most `SLOWEST` documents that took longest, with their attachments; of books only the first page range.
    slowest: list[tuple[float, str]] = field(default_factory=list)

    def took(self, uri: str, seconds: float) -> None:
        """Record how long a document took, for the list of the slowest."""
        if len(self.slowest) < SLOWEST or seconds > self.slowest[0][0]:
            (heappush if len(self.slowest) < SLOWEST else heapreplace)(self.slowest, (seconds, uri))

    def add(self, *, documents: int = 0, pages: int = 0, failures: int = 0) -> None:
        self.documents += documents
        self.pages += pages
        self.failures += failures


def progress_text(progress: Progress, now: float) -> str:
    """Return the progress line: documents, pages, failures; after half a minute also pages per second and the remaining time.
    now: by `time.monotonic()`."""
    seconds = now - progress.started
    guesses = seconds >= GUESS_SECONDS and progress.documents > 0
    of = f"/{progress.listed:,}" if progress.complete else ""
    parts = [
        f"{progress.documents:,}{of} documents",
        f"{progress.pages:,} pages",
        *([f"{counted(round(progress.pages / seconds), 'page')}/s"] if guesses else []),
        f"{progress.failures:,} failed",
    ]
    if guesses and progress.complete and progress.documents < progress.listed:
        left = seconds / progress.documents * (progress.listed - progress.documents)
        parts.append(f"about {left:,.0f} s left")
    return ", ".join(parts)


#: A function that is called with the progress at intervals and at the end; the second argument is True at the end.
Show = Callable[[Progress, bool], None]


@contextmanager
def alongside(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run `work` in a thread while the block runs. The event that `work` is given is set when the block ends; then it must return."""
    done = threading.Event()
    thread = threading.Thread(target=work, args=(done,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def live_progress(progress: Progress, show: Show) -> AbstractContextManager[None]:
    """Call `show` with the progress at intervals until the block ends. show: takes the progress, and whether this is the last call."""
    return alongside(partial(_report, progress, show))


def _report(progress: Progress, show: Show, done: threading.Event) -> None:
    while not done.wait(TERMINAL_SECONDS if show is not on_the_terminal or _writes_over() else LOG_SECONDS):
        show(progress, False)
    show(progress, True)


def _writes_over() -> bool:
    """Return whether progress is one line that is rewritten in place: on a capable terminal, and if the log is not JSON."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not logs_json()


def on_the_terminal(progress: Progress, ended: bool) -> None:
    """Print the progress: on a terminal one line that is overwritten, else as log lines; nothing with --quiet. ended: this is the last
    call."""
    if not log.isEnabledFor(logging.INFO):
        return
    if _writes_over():
        text = "" if ended else progress_text(progress, time.monotonic())
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif not ended:
        log.info(progress_text(progress, time.monotonic()))
