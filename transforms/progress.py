"""What the local run shows while it runs: each worker process keeps its sums in a small file of its own.

The embedded runner has no live metrics and its workers may be other processes, so a folder named by the environment is the
meeting place. Without that variable, ticks cost nothing and leave nothing.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "PDFMILL_PROGRESS_DIR"
_SUMS: Final = struct.Struct("<qqq")


@dataclass(frozen=True, slots=True)
class Progress:
    """Documents opened, pages read, documents or pages that failed, so far."""

    documents: int = 0
    pages: int = 0
    failures: int = 0


@cache
def _board(folder: str, pid: int) -> mmap.mmap:
    path = Path(folder) / str(pid)
    path.write_bytes(bytes(_SUMS.size))
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), _SUMS.size)


def tick(*, documents: int = 0, pages: int = 0, failures: int = 0) -> None:
    """Add to this process's sums, if anyone is looking."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return
    board = _board(folder, os.getpid())
    old = _SUMS.unpack_from(board)
    _SUMS.pack_into(board, 0, old[0] + documents, old[1] + pages, old[2] + failures)


def each_progress(folder: Path) -> list[Progress]:
    """The sums of each worker process."""
    return [Progress(*_SUMS.unpack(data)) for path in folder.iterdir() if len(data := path.read_bytes()) == _SUMS.size]


def read_progress(folder: Path) -> Progress:
    """The sums over all worker processes."""
    each = each_progress(folder)
    return Progress(sum(one.documents for one in each), sum(one.pages for one in each), sum(one.failures for one in each))
