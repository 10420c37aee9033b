"""What ends a run."""

from __future__ import annotations


class JobFailedError(RuntimeError):
    """The engine's job did not come to its end: it failed, or was cancelled or drained; the message says what the engine said."""


class JobNotTakenError(JobFailedError):
    """No engine could be asked to take the job."""
