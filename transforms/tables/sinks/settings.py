"""Limits of sinks: sizes of requests, timeouts and tries, with units and defaults."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class SinkSettings(Struct, frozen=True):
    """Settings for sending rows.

    max_bytes, max_rows: of one bulk request; Amazon's service takes 10 MiB, and 5 to 15 MB are what engines' manuals advise.
    attempts: tries of rows that a busy engine sends back (429, 5xx), the first included. first_wait_s, longest_wait_s: the wait before
        the second try, which doubles, and its bound; together half a minute, in which a queue of the engine empties.
    connect_timeout_s, read_timeout_s: silence that counts as an error; a bulk request on a busy node takes some 10 s.
    page_size: ids asked for at once; 10,000 is the most that a search gives (`index.max_result_window`).
    documents_at_once: changed documents that are asked about at once; an engine takes 65,536 terms.
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
