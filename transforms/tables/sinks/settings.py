"""Limits of sinks: sizes of requests, timeouts and attempts, with units and defaults."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class SinkSettings(Struct, frozen=True):
    """Settings for sending rows."""

    max_bytes: int = 5 << 20  # of a bulk request; Amazon's service takes 10 MiB, the engines' manuals advise 5 to 15 MB
    max_rows: int = 1000  # of a bulk request
    attempts: int = 6  # attempts at rows that a busy engine returns (429, 5xx), including the first
    first_wait_s: float = 1.0  # seconds before the second attempt; the wait doubles before each further one
    longest_wait_s: float = 15.0  # seconds, the longest wait; all waits together are half a minute, in which an engine's queue empties
    connect_timeout_s: float = 10.0  # seconds without a connection that count as an error
    read_timeout_s: float = 120.0  # seconds without a response that count as an error; a bulk request on a busy node takes some 10 s
    page_size: int = 5000  # ids per search request; 10,000 is the most that a search returns (`index.max_result_window`)
    documents_at_once: int = 1000  # changed documents in one query; an engine takes 65,536 terms


SETTINGS: Final = SinkSettings()
