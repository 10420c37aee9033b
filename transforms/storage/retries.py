"""Bounded tries with exponential backoff and full jitter."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from pdfmill.transforms.storage.settings import SETTINGS, StorageSettings

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
