"""Errors that end a run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from types import FrameType
from typing import Final, NoReturn

# Exit codes of the commands (docs/commands.md).


EXIT_OK: Final = 0
EXIT_SOME_FAILED: Final = 1
EXIT_NOTHING_DONE: Final = 2
EXIT_JOB_ENDED: Final = 3
EXIT_DELETES_WITHHELD: Final = 4
EXIT_CONFLICT: Final = 5
EXIT_LOCKED: Final = 6
EXIT_INTERRUPTED: Final = 130


#: Finds the last line of a Python traceback, or the last cause of a Java exception.
_CAUSE: Final = re.compile(r"^(?:Caused by: )?((?:\w+\.)*\w*(?:Error|Exception): .+)$", re.MULTILINE)


class JobFailedError(RuntimeError):
    """The job did not complete on the engine: it failed, or was cancelled or drained. The message has the engine's reason."""


class JobNotTakenError(JobFailedError):
    """The engine did not accept the job, or could not be reached."""


def in_a_line(message: str) -> str:
    """Return an engine's description of a failure without tracebacks: the first line, and the last cause.

    >>> in_a_line("Pipeline a failed: Traceback (most recent call last):\\n  File a\\nKeyError: 'b'\\n\\n\\tat java.lang.Thread.run")
    "Pipeline a failed: Traceback (most recent call last):; KeyError: 'b'"
    >>> in_a_line("Pipeline a failed")
    'Pipeline a failed'
    """
    first, _, more = message.strip().partition("\n")
    causes = _CAUSE.findall(more)
    return f"{first}; {causes[-1]}" if causes and causes[-1] not in first else first


# Handling of signals that ask a command to end.


def interrupter(met: Callable[[], None] = lambda: None) -> Callable[[int, FrameType | None], NoReturn]:
    """Return a signal handler that raises KeyboardInterrupt, so that locks are released; a forked copy of this process ends at once.
    met: called when a signal arrives, before the error is raised."""
    owner = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        if os.getpid() != owner:
            os._exit(128 + number)
        met()
        raise KeyboardInterrupt

    return interrupt
