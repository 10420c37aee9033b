"""What ends a run."""

from __future__ import annotations

import re
from typing import Final

#: What a traceback of Python, or the last cause of one of Java, ends with.
_CAUSE: Final = re.compile(r"^(?:Caused by: )?((?:\w+\.)*\w*(?:Error|Exception): .+)$", re.MULTILINE)


class JobFailedError(RuntimeError):
    """The engine's job did not come to its end: it failed, or was cancelled or drained; the message says what the engine said."""


class JobNotTakenError(JobFailedError):
    """No engine could be asked to take the job."""


def in_a_line(told: str) -> str:
    """What an engine says of a failure without its tracebacks: the first line, and the last cause.

    >>> in_a_line("Pipeline a failed: Traceback (most recent call last):\\n  File a\\nKeyError: 'b'\\n\\n\\tat java.lang.Thread.run")
    "Pipeline a failed: Traceback (most recent call last):; KeyError: 'b'"
    >>> in_a_line("Pipeline a failed")
    'Pipeline a failed'
    """
    first, _, more = told.strip().partition("\n")
    causes = _CAUSE.findall(more)
    return f"{first}; {causes[-1]}" if causes and causes[-1] not in first else first
