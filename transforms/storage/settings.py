"""Limits of the clients of object stores, with units and defaults."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct


class StorageSettings(Struct, frozen=True):
    """Timeouts, sizes of requests, and the number of attempts before a store counts as failed."""

    #: Attempts at one request, including the first. S3 and GCS advise exponential backoff with jitter; five attempts survive throttling.
    attempts: int = 5
    first_wait_s: float = 0.5  # seconds before the second attempt; the wait doubles before each further one
    longest_wait_s: float = 8.0  # seconds, the longest wait before an attempt
    retry_deadline_s: float = 60.0  # seconds after which no further attempt begins
    connect_timeout_s: float = 10.0  # seconds without a connection that count as an error
    read_timeout_s: float = 60.0  # seconds without data that count as an error
    copy_deadline_s: float = 600.0  # seconds that a copy within Azure may take; tables of some hundred MB take a few
    page_size: int = 1000  # objects per request of a listing; 1,000 is the maximum of S3 and GCS, Azure allows more
    chunk_bytes: int = 4 * 1024 * 1024  # bytes read at once if the size is unknown
    part_bytes: int = 16 * 1024 * 1024  # size of the parts of an upload; S3 takes 10,000 parts, and our files have some hundred MB
    #: A Parquet column of a row group is refused if it decompresses to more than this, and to more than `inflated_times` its stored size.
    inflated_bytes: int = 16 * 1024 * 1024
    inflated_times: int = 1000  # for PDFs, which are compressed themselves, the ratio is 1 or 2


SETTINGS: Final = StorageSettings()

#: Suffixes of the objects that are taken from a folder or prefix; case does not matter.
SUFFIXES: Final = (".pdf", ".fdf", ".xfdf")  # web archives and their indexes are read where they are named or matched

#: `@list` files may name further lists up to this depth; deeper ones are considered circular.
LIST_DEPTH: Final = 8


# Bounded tries with exponential backoff and full jitter.


T = TypeVar("T")

#: HTTP statuses of temporary errors: timeouts, too many requests, and what servers and proxies return when overloaded.
BUSY: Final = (408, 429, 500, 502, 503, 504)


def with_retries(action: Callable[[], T], is_transient: Callable[[Exception], bool], settings: StorageSettings = SETTINGS) -> T:
    """Return the result of `action`. After an error that `is_transient` accepts it is called again, `settings.attempts` times in all.
    The wait before attempt n+1 is drawn uniformly from half to the whole of first_wait_s * 2**(n-1), bounded by longest_wait_s (M. Brooker,
    "Exponential Backoff And Jitter", AWS Architecture Blog 2015: "equal jitter")."""
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
    raise AssertionError("settings.attempts must be at least 1")
