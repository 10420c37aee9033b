"""Limits of sinks: sizes of requests, timeouts and attempts, with units and defaults."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class SinkSettings(Struct, frozen=True):
    """Settings for sending rows.

    max_bytes, max_rows: of one bulk request; Amazon's service takes 10 MiB, and the engines' manuals advise 5 to 15 MB.
    attempts: attempts at rows that a busy engine returns (429, 5xx), including the first. first_wait_s, longest_wait_s: seconds before the
        second attempt, which double before each further one, and their limit; together half a minute, in which an engine's queue empties.
    connect_timeout_s, read_timeout_s: seconds without a response that count as an error; a bulk request on a busy node takes some 10 s.
    page_size: ids requested at once; 10,000 is the most that a search returns (`index.max_result_window`).
    documents_at_once: changed documents in one query; an engine takes 65,536 terms.
    """

    max_bytes: int = 5 << 20
    max_rows: int = 1000
    attempts: int = 6
    first_wait_s: float = 1.0
    longest_wait_s: float = 15.0
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 120.0
    page_size: int = 5000
    documents_at_once: int = 1000


SETTINGS: Final = SinkSettings()
