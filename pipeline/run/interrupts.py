"""Handling of signals that ask a command to end."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FrameType
from typing import NoReturn


def interrupter(met: Callable[[], None] = lambda: None) -> Callable[[int, FrameType | None], NoReturn]:
    """Return a signal handler that raises KeyboardInterrupt, so that locks are released and temporary files removed.

    In a forked copy of this process it ends the copy at once. met: called before.
    """
    owner = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        if os.getpid() != owner:
            os._exit(128 + number)
        met()
        raise KeyboardInterrupt

    return interrupt
