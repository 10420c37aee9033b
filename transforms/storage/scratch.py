"""Temporary folders of processes. If a process is killed, the next process of pdfmill removes its folders."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path
from typing import Final

_PREFIX: Final = "pdfmill-run-"
#: Seconds for which a folder without a lock is kept: its process may be about to lock it.
_ABANDONED_SECONDS: Final = 60.0
#: Most bytes of the path of a socket (sys/un.h).
_SOCKET_PATH: Final = 107
_SOCKET_NAME: Final = len(f"/{_PREFIX}......../pymp-......../listener-........")
#: The folder for sockets if the path of the temporary folder is too long.
_SHORT_FOLDER: Final = "/tmp"
#: Priority of our clean-up when this process ends: it comes after that of multiprocessing (-100), whose folder is inside ours.
_LAST_OF_ALL: Final = -101
_MAKING_SOCKETS: Final = threading.Lock()


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Make a temporary folder, and remove it when the block ends."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        handle = _lock(folder)
        try:
            yield folder
        finally:
            os.close(handle)


@contextmanager
def own_temporary_folder() -> Iterator[None]:
    """Give this process its own temporary folder within the block. It is removed when the process ends, because Beam uses files in it until
    then. Call it only in processes of pdfmill."""
    sockets_folder()  # not in it
    with _temporary(_lasting_folder(tempfile.gettempdir())):
        yield


@cache
def sockets_folder() -> str:
    """Return the folder where multiprocessing keeps this process's sockets until the process ends. The first call makes it.
    It is below /tmp if the usual path is too long for sockets. The next process removes it if this one is killed. A folder that
    multiprocessing made before the first call is returned, and not removed."""
    with _MAKING_SOCKETS:
        below = tempfile.gettempdir()
        if len(os.fsencode(below)) + _SOCKET_NAME > _SOCKET_PATH:
            below = _SHORT_FOLDER
        with _temporary(_lasting_folder(below)):
            return get_temp_dir()


def _lasting_folder(below: str) -> str:
    """Make a folder in the folder `below`, and return its path; it is removed when this process ends."""
    _remove_abandoned()
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=below)
    _lock(folder)
    Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=_LAST_OF_ALL)
    return folder


@contextmanager
def _temporary(folder: str) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        yield
    finally:
        tempfile.tempdir = before


def _lock(folder: str) -> int:
    """Lock the folder, and return a file descriptor that holds the lock until it is closed. Raises OSError if another process holds it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _remove_abandoned() -> None:
    for below in {tempfile.gettempdir(), _SHORT_FOLDER}:
        for folder in Path(below).glob(f"{_PREFIX}*"):
            with suppress(OSError):  # in use, another user's, or just removed
                status = folder.stat()
                if status.st_uid == os.getuid() and time.time() - status.st_mtime > _ABANDONED_SECONDS:
                    handle = _lock(str(folder))
                    try:
                        shutil.rmtree(folder)
                    finally:
                        os.close(handle)
