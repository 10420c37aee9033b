"""One client for each store, set of access options and process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

from pdfmill.transforms.storage.access import USUAL, Access, use_stores

T = TypeVar("T")

_LOCK: Final = threading.Lock()
_CLIENTS: Final[dict[tuple[int, str, Access], object]] = {}


def per_process(make: Callable[[Access], T]) -> Callable[..., T]:
    """Call `make` once in each process for each set of access options, because connections must not be shared over a fork."""

    @wraps(make)
    def get(access: Access = USUAL) -> T:
        key = (os.getpid(), make.__module__, access)
        with _LOCK:
            if key not in _CLIENTS:
                _CLIENTS[key] = make(access)
            return _CLIENTS[key]  # type: ignore[return-value]

    return get


def forget_clients() -> None:
    """Make new clients from now on, after the environment has changed."""
    use_stores(None)
    with _LOCK:
        _CLIENTS.clear()
