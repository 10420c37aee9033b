"""Limits of the object stores' clients: names, units, defaults."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct


class StorageSettings(Struct, frozen=True):
    """Timeouts and tries for a store before it counts as failed.

    attempts: tries of one request, the first included. Five tries with doubling waits ride out the throttling of S3 and GCS, whose
        own guides ask for exponential backoff with jitter.
    first_wait_s, longest_wait_s: wait before the second try, and the bound of every wait; seconds.
    retry_deadline_s: no new try begins after this; seconds.
    connect_timeout_s, read_timeout_s: silence of the peer that counts as an error; seconds.
    copy_deadline_s: how long a copy within Azure may be pending; what is moved are tables of some hundred MB, copied in seconds.
    page_size: objects asked for in one listing call; 1,000 is the most that S3 and GCS give, and Azure gives more.
    chunk_bytes: bytes read at once where the size is unknown.
    part_bytes: what is written goes in parts of this size; S3 takes 10,000 of them, and parts of tables come to some hundred MB.
    inflated_bytes, inflated_times: a column of a row group that comes to more bytes than the first, and to more times what is stored,
        is not read: PDFs, which are compressed themselves, come to one or two times.
    """

    attempts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 8.0
    retry_deadline_s: float = 60.0
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 60.0
    copy_deadline_s: float = 600.0
    page_size: int = 1000
    chunk_bytes: int = 4 * 1024 * 1024
    part_bytes: int = 16 * 1024 * 1024
    inflated_bytes: int = 16 * 1024 * 1024
    inflated_times: int = 1000


SETTINGS: Final = StorageSettings()

#: What a folder or prefix is searched for, whatever the case of the letters.
SUFFIXES: Final = (".pdf", ".fdf", ".xfdf")  # web archives and their indexes are read where they are named or matched

#: `@list` files may name further lists this deep; a deeper one is taken for a circle.
LIST_DEPTH: Final = 8


# Bounded tries with exponential backoff and full jitter.


T = TypeVar("T")

#: Statuses of HTTP that pass: too slow, too many, and what servers and the proxies before them say when they are busy.
BUSY: Final = (408, 429, 500, 502, 503, 504)


def with_retries(action: Callable[[], T], is_transient: Callable[[Exception], bool], settings: StorageSettings = SETTINGS) -> T:
    """Return the result of `action`, which is repeated while its error is transient, at most `settings.attempts` times; then the last error
    is raised.

    The wait before try n+1 is drawn evenly from half to the whole of first_wait_s * 2**(n-1), bounded by longest_wait_s
    (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015: "equal jitter").
    """
    begin = time.monotonic()
    for attempt in range(1, settings.attempts + 1):
        try:
            return action()
        except Exception as error:  # each store names its transient errors; every other one flies on at once
            late = time.monotonic() - begin > settings.retry_deadline_s
            if attempt == settings.attempts or late or not is_transient(error):
                raise
        wait = min(settings.longest_wait_s, settings.first_wait_s * 2 ** (attempt - 1))
        time.sleep(wait * random.uniform(0.5, 1.0))
    raise AssertionError("settings.attempts is below 1")
