"""HTTP sessions that retry busy servers, for sources on the web and for search engines."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, Protocol, TypeVar

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from pdfmill.transforms.storage.access import USUAL, Access, use_stores
from pdfmill.transforms.storage.settings import BUSY

# One client for each store, set of access options and process.


T = TypeVar("T")

_LOCK: Final = threading.Lock()
_CLIENTS: Final[dict[tuple[int, str, Access], object]] = {}


def per_process(make: Callable[[Access], T]) -> Callable[..., T]:
    """Wrap `make`, which makes a store's client, so that each process calls it once for each set of access options. Forked processes must
    not share connections."""

    @wraps(make)
    def get(access: Access = USUAL) -> T:
        key = (os.getpid(), make.__module__, access)
        with _LOCK:
            if key not in _CLIENTS:
                _CLIENTS[key] = make(access)
            return _CLIENTS[key]  # type: ignore[return-value]

    return get


def forget_clients() -> None:
    """Forget the clients made so far, so that new ones are made; called after environment variables have changed."""
    use_stores(None)
    with _LOCK:
        _CLIENTS.clear()


class Patience(Protocol):
    """Limits of retries: number of attempts, including the first; seconds before the second attempt; the longest wait in seconds."""

    @property
    def attempts(self) -> int: ...
    @property
    def first_wait_s(self) -> float: ...
    @property
    def longest_wait_s(self) -> float: ...


def patient_session(patience: Patience, connect: int | None = None, adapter: type[HTTPAdapter] = HTTPAdapter) -> requests.Session:
    """Return a session that retries when a server is busy or a connection breaks, after the time that the server asks, up to a limit.
    Requests must be safe to repeat. connect: number of attempts to connect. adapter: class that sends the requests."""
    retry = Retry(
        total=patience.attempts - 1,
        connect=connect,
        status_forcelist=BUSY,
        allowed_methods=None,
        backoff_factor=patience.first_wait_s,
        backoff_max=patience.longest_wait_s,
        backoff_jitter=patience.first_wait_s,
        retry_after_max=int(patience.longest_wait_s),
        raise_on_status=False,
    )
    made = requests.Session()
    for scheme in ("http://", "https://"):
        made.mount(scheme, adapter(max_retries=retry))
    return made
