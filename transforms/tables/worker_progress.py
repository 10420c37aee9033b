"""Progress of a job on an engine: each worker process keeps a note beside the parts and renews it as it works.

Beam's own counters do not tell it everywhere: Flink's job server gives them when the job has ended, its job page when a stage has. A
note is an object of some hundred bytes a process, so that whoever sees the output sees the progress, also of a job that nobody waits
for. Work that an engine does twice is counted twice.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import threading
import time
from functools import cache
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, list_files, write_bytes
from pdfmill.transforms.tables.output_layout import read_if_there

log = logging.getLogger("pdfmill")

#: Seconds between two notes of one process: a thousand processes make a hundred small puts a second.
NOTE_S: Final = 10.0
#: The same at the end of a bundle, after which a process may have nothing more to do.
END_NOTE_S: Final = 1.0


class Done(Struct):
    """Counts of work. listed: documents found. documents, pages: read. failures: documents and pages that failed."""

    listed: int = 0
    documents: int = 0
    pages: int = 0
    failures: int = 0

    def add(self, other: Done) -> None:
        """Add the counts of another one."""
        for name in Done.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Notes:
    """The work of this process for one job. Any thread may add."""

    def __init__(self, folder: str) -> None:
        self._uri = join_uri(folder, f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}.json")
        self._done = Done()
        self._told_at = -NOTE_S
        self._untold = False
        self._lock = threading.Lock()

    def add(self, done: Done) -> None:
        """Count work, and renew the note when it is due."""
        with self._lock:
            self._done.add(done)
            self._untold = True
            self._tell(NOTE_S)

    def settle(self) -> None:
        """Renew the note at the end of a bundle."""
        with self._lock:
            self._tell(END_NOTE_S)

    def _tell(self, after: float) -> None:
        if not self._untold or time.monotonic() - self._told_at < after:
            return
        self._told_at, self._untold = time.monotonic(), False
        try:
            write_bytes(self._uri, json.dumps(asdict(self._done)).encode())
        except SourceError as error:  # the next one may be taken; the work itself does not hang on it
            log.warning("progress could not be noted: %s", error)


@cache
def notes_of_process(folder: str) -> Notes:
    """Return the one note of this process in a job's folder of notes."""
    return Notes(folder)


def note(folder: str | None, *, listed: int = 0, documents: int = 0, pages: int = 0, failures: int = 0) -> None:
    """Count work for the job whose notes are in this folder; does nothing if no notes are wanted."""
    if folder is not None:
        notes_of_process(folder).add(Done(listed, documents, pages, failures))


def settle_notes(folder: str | None) -> None:
    """Bring the note up to date at the end of a bundle."""
    if folder is not None:
        notes_of_process(folder).settle()


def begin_notes(folder: str | None) -> None:
    """Write the first note, with no work done, so that the job is visible before its workers and the folder is known to be writable.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: it cannot be.
    """
    if folder is not None:
        write_bytes(join_uri(folder, "begun.json"), json.dumps(asdict(Done())).encode())


def read_notes(folder: str) -> Done:
    """Return the sum of the notes of all processes of a job.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be read.
    """
    total = Done()
    for uri in list_files(folder, ".json"):
        text = read_if_there(uri)  # gone when the job has just ended
        total.add(Done(**json.loads(text)) if text is not None else Done())
    return total
