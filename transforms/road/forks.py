"""Processes forked from a small server, which has imported the modules that they need (Python's "forkserver").

`multiprocessing` imports the main module of the caller's program in each process that it starts, for functions that were defined there. In
a notebook, or a script that imports pandas or torch, this takes seconds; without `if __name__ == "__main__":` it ends the process. pdfmill
never sends anything of a main module to its processes, so they are started as if the program had no main file.
"""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

#: The module whose imports the server makes before it forks processes.
PRELOAD: Final = "pdfmill.transforms.road.preload"
#: Seconds to wait for a test process. Its imports take a few seconds, on a busy machine many times as long.
_PROBE_SECONDS: Final = 60.0

_SERVER: Final[Any] = multiprocessing.get_context("forkserver")
_STARTING: Final = threading.Lock()


@contextmanager
def _without_main_file() -> Iterator[None]:
    """Hide the file and the import name of the program's main module while a process starts.

    The module's contents stay, so that other threads can pickle them meanwhile.
    """
    main = sys.modules["__main__"]
    names = ("__spec__", "__file__")
    with _STARTING:
        before = {name: main.__dict__[name] for name in names if name in main.__dict__}
        for name in before:
            setattr(main, name, None)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(main, name, value)


class _Process(_SERVER.Process):
    def start(self) -> None:
        with _without_main_file():
            super().start()


class Forks(type(_SERVER)):  # type: ignore[misc]
    """A `multiprocessing` context whose processes do not import the caller's main module."""

    Process = _Process

    def __init__(self) -> None:
        super().__init__()
        self.set_forkserver_preload([PRELOAD])


def why_none_begins() -> str | None:
    """Start a test process that imports our modules. If it fails, return the last line of its error output; None if it succeeds or prints
    nothing."""
    code = f"import sys; sys.path[:] = {sys.path!r}; import {PRELOAD}"
    try:
        probe = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = probe.stderr.decode(errors="replace").strip()
    return said.splitlines()[-1] if probe.returncode and said else None
