"""One client per store and process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

T = TypeVar("T")

_LOCK: Final = threading.Lock()
_CLIENTS: Final[dict[tuple[int, str], object]] = {}


def per_process(make: Callable[[], T]) -> Callable[[], T]:
    """`make` called once in each process: connections must not be shared over a fork."""

    @wraps(make)
    def get() -> T:
        key = (os.getpid(), make.__module__)
        with _LOCK:
            if key not in _CLIENTS:
                _CLIENTS[key] = make()
            return _CLIENTS[key]  # type: ignore[return-value]

    return get


def forget_clients() -> None:
    """Make new clients from now on; for when the environment they were made from has changed."""
    with _LOCK:
        _CLIENTS.clear()
