"""A lock that lets only one run at a time write into an output folder.
Locks are objects `lock-N.json` that can only be created; the highest number is valid. A run that died is recognised by its process on the
same machine, elsewhere by its old heartbeat. The next run then creates the next lock; if several try, one succeeds."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field, to_builtins

from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.local import drop_empty
from pdfmill.transforms.storage.objects import delete_file, join_uri, list_files, look_up_if_there, read_if_there, write_bytes
from pdfmill.transforms.tables.output_layout import OWN, claim

log = logging.getLogger("pdfmill")

_LOCK: Final = re.compile(r"lock-(\d{5})\.json")


class LockSettings(Struct, frozen=True):
    """Timing of locks: seconds between two heartbeats, and the age of the last heartbeat, in seconds, at which a lock has expired."""

    beat_s: float = 20.0  # seconds between two heartbeats
    #: Age of the last heartbeat in seconds at which the run counts as dead: many beats, so that neither a store unavailable for a minute
    #: nor clocks that differ break the lock of a living run.
    expiry_s: float = 300.0


DEFAULT_LOCK: Final = LockSettings()


class LockedError(Exception):
    """Another run writes into the output folder, or has taken over the lock because this run stalled. The message names that run."""


class Holder(Struct, frozen=True):
    """The process that holds a lock. began: its start time, in the system's units. started: when it took the lock. token: a random id."""

    host: str  # host name, for messages
    machine: str  # identifies machine and container
    pid: int  # process id
    began: str  # start time of the process, in the system's units; tells apart two processes with the same id
    started: str  # time when the lock was taken, for messages
    token: str = field(default_factory=lambda: secrets.token_hex(8))  # random id of this lock

    @staticmethod
    def me() -> Holder:
        """Return the record of this process, as the holder of a new lock."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return Holder(socket.gethostname(), _machine(), os.getpid(), _began(os.getpid()) or "", now)

    def describe(self) -> str:
        """Return a description of the process, for a message."""
        return f"process {self.pid} on {self.host}, since {self.started}"


@cache
def _machine() -> str:
    """Return an identifier of the machine since its last boot, and of the process namespace (container), within which process ids are
    unique."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip() + os.readlink("/proc/self/ns/pid")
    except OSError:  # no Linux
        return socket.gethostname()


def _began(pid: int) -> str | None:
    """Return the start time of a process, in the system's units; "" if it cannot be determined, None if the process has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # it is another user's
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return None if after_name[0] == "Z" else after_name[19]  # proc(5): field 22, starttime


def _is_alive(uri: str, holder: Holder, settings: LockSettings) -> bool:
    if holder.machine == _machine():
        return _began(holder.pid) == holder.began
    if (ref := look_up_if_there(uri)) is None:
        return False
    return ref.modified is None or (datetime.now(UTC) - ref.modified).total_seconds() < settings.expiry_s


def _locks(output: str) -> dict[int, str]:
    named = ((_LOCK.fullmatch(uri.rpartition("/")[2]), uri) for uri in list_files(join_uri(output, OWN), ".json"))
    return {int(match[1]): uri for match, uri in named if match and uri == _uri(output, int(match[1]))}


def _uri(output: str, number: int) -> str:
    return join_uri(output, f"{OWN}/lock-{number:05d}.json")


def _read(uri: str) -> Holder | None:
    text = read_if_there(uri)
    return None if text is None else Holder(**json.loads(text))


def holder_of(output: str, settings: LockSettings = DEFAULT_LOCK) -> Holder | None:
    """Return the process that writes into the output folder now, or None.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be read.
    """
    return _living(_locks(output), settings)


def _living(locks: dict[int, str], settings: LockSettings, but: str = "") -> Holder | None:
    for _, uri in sorted(locks.items(), reverse=True):
        holder = _read(uri)
        if holder is not None and holder.token != but and _is_alive(uri, holder, settings):
            return holder
    return None


class OutputLock:
    """The lock of an output folder, held by this process. A thread renews its heartbeat until `release`."""

    def __init__(self, output: str, settings: LockSettings = DEFAULT_LOCK) -> None:
        """Take the lock.

        Raises:
            LockedError: another run has it.
            pdfmill.transforms.storage.errors.SourceError: the folder cannot be written.
        """
        self._output, self._settings = output, settings
        self._holder = Holder.me()
        self._number = self._take()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="pdfmill-lock", daemon=True)
        self._thread.start()

    def _take(self) -> int:
        before = _locks(self._output)
        self._refuse_for(_living(before, self._settings))
        number = max(before, default=0) + 1
        try:
            claim(_uri(self._output, number), self._text())
        except AlreadyExistsError as error:
            self._refuse_for(_read(_uri(self._output, number)))
            raise LockedError(f"another run has just ended in {self._output}; try again") from error
        self._hold_against_others(number)
        return number

    def _hold_against_others(self, number: int) -> None:
        """Check for another run that created a lock at the same time with another number. If two runs see each other's lock, both give
        up."""
        locks = _locks(self._output)
        other = _living(locks, self._settings, but=self._holder.token)
        if other is not None:
            delete_file(_uri(self._output, number))
            self._refuse_for(other)
        for each, uri in locks.items():
            if each < number:
                delete_file(uri)

    def _refuse_for(self, holder: Holder | None) -> None:
        if holder is not None:
            raise LockedError(
                f"another run writes into {self._output} ({holder.describe()}); wait until it has ended, or give another --output"
            )

    def _text(self) -> bytes:
        return json.dumps(to_builtins(self._holder)).encode()

    def check(self) -> None:
        """Raise LockedError if another run has taken over the lock."""
        locks = _locks(self._output)
        mine = _read(_uri(self._output, self._number)) if self._number in locks else None
        if mine is None or mine.token != self._holder.token or max(locks) > self._number:
            raise LockedError(f"another run has taken over {self._output} because this run did not respond; this run has replaced nothing")

    def _beat(self) -> None:
        while not self._ended.wait(self._settings.beat_s):
            try:
                self.check()
                write_bytes(_uri(self._output, self._number), self._text())
            except LockedError as error:
                log.warning("%s", error)
                return
            except SourceError as error:  # it may pass; what matters is checked before anything is replaced
                log.warning("the lock of %s cannot be renewed: %s", self._output, error)

    def release(self) -> None:
        """Release the lock."""
        self._ended.set()
        self._thread.join()
        try:
            mine = _read(_uri(self._output, self._number))
            if mine is not None and mine.token == self._holder.token:
                delete_file(_uri(self._output, self._number))
        except SourceError as error:  # what was done is done; the lock of an ended process holds nobody up for long
            log.warning("the lock of %s cannot be released: %s", self._output, error)
        drop_empty(join_uri(self._output, OWN))


@contextmanager
def locked(output: str, settings: LockSettings = DEFAULT_LOCK) -> Iterator[OutputLock]:
    """Hold the lock of an output folder while the block runs; raises LockedError if another run has it."""
    lock = OutputLock(output, settings)
    try:
        yield lock
    finally:
        lock.release()
