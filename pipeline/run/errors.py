"""Errors that end a run."""

from __future__ import annotations

import re
from typing import Final

#: What a traceback of Python, or the last cause of one of Java, ends with.
_CAUSE: Final = re.compile(r"^(?:Caused by: )?((?:\w+\.)*\w*(?:Error|Exception): .+)$", re.MULTILINE)


class JobFailedError(RuntimeError):
    """The job did not complete on the engine: it failed, was cancelled or drained. The message has the engine's reason."""


class JobNotTakenError(JobFailedError):
    """The engine could not be asked to run the job."""


def in_a_line(told: str) -> str:
    """Return an engine's account of a failure without tracebacks: the first line, and the last cause.

    >>> in_a_line("Pipeline a failed: Traceback (most recent call last):\\n  File a\\nKeyError: 'b'\\n\\n\\tat java.lang.Thread.run")
    "Pipeline a failed: Traceback (most recent call last):; KeyError: 'b'"
    >>> in_a_line("Pipeline a failed")
    'Pipeline a failed'
    """
    first, _, more = told.strip().partition("\n")
    causes = _CAUSE.findall(more)
    return f"{first}; {causes[-1]}" if causes and causes[-1] not in first else first
