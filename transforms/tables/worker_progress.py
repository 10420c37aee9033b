"""The progress of a job on an engine: each worker process writes its counts to an object of its own and renews it.
Beam's counters come too late: with Flink only after the end of a stage or job. Work that an engine repeats is counted twice."""

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
from pdfmill.transforms.storage.objects import join_uri, list_files, read_if_there, write_bytes

log = logging.getLogger("pdfmill")

#: Seconds between two notes of one process: a thousand processes then write a hundred small objects per second.
NOTE_S: Final = 10.0
#: The same interval at the end of a bundle, after which a process may have nothing more to do.
END_NOTE_S: Final = 1.0


class Done(Struct):
    """Counts of finished work: documents found, documents and pages read, and documents and pages that failed."""

    listed: int = 0  # documents found
    documents: int = 0  # documents read
    pages: int = 0  # pages read
    failures: int = 0  # documents and pages that failed

    def add(self, other: Done) -> None:
        for name in Done.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Notes:
    """Counts the work of this process for one job, and writes the counts to an object in `folder`. Any thread may call `add`."""

    def __init__(self, folder: str) -> None:
        self._uri = join_uri(folder, f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}.json")
        self._done = Done()
        self._told_at = -NOTE_S
        self._untold = False
        self._lock = threading.Lock()

    def add(self, done: Done) -> None:
        """Add finished work to the counts, and write them if `NOTE_S` seconds have passed since they were last written."""
        with self._lock:
            self._done.add(done)
            self._untold = True
            self._tell(NOTE_S)

    def settle(self) -> None:
        """At the end of a bundle, write the counts if `END_NOTE_S` seconds have passed since they were last written."""
        with self._lock:
            self._tell(END_NOTE_S)

    def _tell(self, after: float) -> None:
        if not self._untold or time.monotonic() - self._told_at < after:
            return
        self._told_at, self._untold = time.monotonic(), False
        try:
            write_bytes(self._uri, json.dumps(asdict(self._done)).encode())
        except SourceError as error:  # the next one may be taken; the work itself does not hang on it
            log.warning("the progress could not be written: %s", error)


@cache
def notes_of_process(folder: str) -> Notes:
    """Return the object with which this process counts its work for the job whose counts are written to this folder."""
    return Notes(folder)


def note(folder: str | None, *, listed: int = 0, documents: int = 0, pages: int = 0, failures: int = 0) -> None:
    """Count finished work of this process for the job whose counts are written to this folder; do nothing if `folder` is None."""
    if folder is not None:
        notes_of_process(folder).add(Done(listed, documents, pages, failures))


def settle_notes(folder: str | None) -> None:
    """At the end of a bundle, write the counts of this process to `folder` if `END_NOTE_S` seconds have passed since the last time."""
    if folder is not None:
        notes_of_process(folder).settle()


def begin_notes(folder: str | None) -> None:
    """Write counts of zero, so that the job shows up before its workers start, and to check that the folder can be written.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be written.
    """
    if folder is not None:
        write_bytes(join_uri(folder, "begun.json"), json.dumps(asdict(Done())).encode())


def read_notes(folder: str) -> Done:
    """Return the sum of the counts that all processes of a job have written to this folder.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be read.
    """
    total = Done()
    for uri in list_files(folder, ".json"):
        text = read_if_there(uri)  # gone when the job has just ended
        total.add(Done(**json.loads(text)) if text is not None else Done())
    return total
