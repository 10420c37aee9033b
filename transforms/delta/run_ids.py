"""Ids of runs. The name of every file that a run writes begins with the run's id."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Final

_RUN_TIME: Final = "%Y%m%dT%H%M%S%fZ"


def new_run_id(now: datetime) -> str:
    """Return a new id for a run that begins at `now`. Ids sort by time, and no two runs have the same."""
    return f"{now:{_RUN_TIME}}-{secrets.token_hex(4)}"


def run_of(part: str) -> str:
    """Return the id of the run that wrote a file. part: the file's name without suffix.

    >>> run_of("20261121T020000000000Z-1f2e3d4c-00003-00000-of-00001")
    '20261121T020000000000Z-1f2e3d4c'
    """
    return "-".join(part.split("-")[:2])


def start_of(name: str) -> datetime | None:
    """Return the time when a run began, from its id or from a file name that begins with it; None for other names.

    >>> start_of("20261121T020000000000Z-1f2e3d4c-00003").isoformat()
    '2026-11-21T02:00:00+00:00'
    """
    try:
        return datetime.strptime(name.split("-")[0], _RUN_TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
