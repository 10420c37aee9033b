"""What a signal does that asks a command to end."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FrameType
from typing import NoReturn


def interrupter(met: Callable[[], None] = lambda: None) -> Callable[[int, FrameType | None], NoReturn]:
    """A handler that raises KeyboardInterrupt, so that locks are given back and temporary files removed; a copy of this process, made by
    fork, it ends at once. met: is called before."""
    owner = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        if os.getpid() != owner:
            os._exit(128 + number)
        met()
        raise KeyboardInterrupt

    return interrupt
