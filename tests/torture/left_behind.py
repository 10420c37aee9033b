"""A command in processes that can all be found again, and what is there when it has ended: processes, temporary files.

A mark in the environment finds every process that the command started, orphans too; its temporary files lie in a folder of their own.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil

_VARIABLE: Final = "PDFMILL_TEST_MARK"
#: Seconds that processes may take to end when the one that started them is gone: the kernel tells them, a busy machine is slow.
END_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.1


class Marked:
    """A command that runs. process: it; its output goes to `log`, its temporary files to `scratch`, a folder that may have some already."""

    def __init__(self, command: Sequence[object], log: Path, scratch: Path, environment: Mapping[str, str] | None = None) -> None:
        self.mark, self.log, self.scratch = uuid.uuid4().hex, log, scratch
        scratch.mkdir(parents=True, exist_ok=True)
        marked = {**os.environ, **(environment or {}), _VARIABLE: self.mark, "TMPDIR": str(scratch)}
        with log.open("wb") as sink:
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, env=marked, start_new_session=True
            )

    def processes(self) -> list[psutil.Process]:
        """All that run of it."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get(_VARIABLE) == self.mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def told(self) -> str:
        """What it printed so far."""
        return self.log.read_text(errors="replace")

    def end(self) -> None:
        """End what still runs of it."""
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()

    def stayed(self) -> list[psutil.Process]:
        """Processes that are there some time after its end."""
        deadline = time.monotonic() + END_SECONDS
        while (alive := self.processes()) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        return alive

    def temporary(self) -> list[Path]:
        """What lies in its temporary folder: files and folders at the top."""
        return sorted(self.scratch.iterdir())
