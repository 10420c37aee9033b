"""Limit the time of a block of code in a guarded process, by the kernel's timer. Unlike `isolation`, it does not import a process pool."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_is_guarded = False


def allow_time_limits() -> None:
    """From now on, `time_limit` may end this process. Only guarded processes call this, when they start."""
    global _is_guarded
    _is_guarded = True
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Let the kernel end this process if the block takes longer than `seconds`, also in native code; None for no limit. The caller of the
    guarded process gets LostError(timed_out). In other processes this does nothing."""
    if seconds is None or not _is_guarded:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
