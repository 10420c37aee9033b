"""What ends a run."""

from __future__ import annotations


class JobFailedError(RuntimeError):
    """The engine gave the job up, or could not be asked to take it; the message says what it said."""
