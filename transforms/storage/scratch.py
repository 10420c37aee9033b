"""Temporary folders of processes. Folders of a process that was killed are removed by the next process."""

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
#: A folder without a lock that is younger may just be on its way to get one.
_ABANDONED_SECONDS: Final = 60.0
#: Bytes that the path of a socket may have (sys/un.h), and those that stand behind the temporary folder: ours, and multiprocessing's.
_SOCKET_PATH: Final = 107
_SOCKET_NAME: Final = len(f"/{_PREFIX}......../pymp-......../listener-........")
#: Where sockets lie when the temporary folder has too long a name.
_SHORT_FOLDER: Final = "/tmp"
#: When multiprocessing's own folder, in ours, has been removed (at -100), as this process ends.
_LAST_OF_ALL: Final = -101
_MAKING_SOCKETS: Final = threading.Lock()


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Make a folder, and remove it when the block ends."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        handle = _lock(folder)
        try:
            yield folder
        finally:
            os.close(handle)


@contextmanager
def own_temporary_folder() -> Iterator[None]:
    """Within the block this process, which must be pdfmill's own, has a temporary folder that is removed when the process ends. Beam leaves
    there what it makes for its jobs, and removes some of it by itself as the process ends."""
    sockets_folder()  # not in it
    with _temporary(_lasting_folder(tempfile.gettempdir())):
        yield


@cache
def sockets_folder() -> str:
    """Return the folder where multiprocessing keeps this process' sockets until it ends; it is made at the first call.

    It lies in one of ours, because only a process that ends by itself removes it; that one lies below /tmp where the temporary folder
    has too long a name for a socket's. Where something else has made it already, it is not ours to sweep, and ours stays empty.
    """
    with _MAKING_SOCKETS:
        below = tempfile.gettempdir()
        if len(os.fsencode(below)) + _SOCKET_NAME > _SOCKET_PATH:
            below = _SHORT_FOLDER
        with _temporary(_lasting_folder(below)):
            return get_temp_dir()


def _lasting_folder(below: str) -> str:
    """Make a folder that is removed when this process ends."""
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
    """Lock the folder, and return a handle that holds the lock until it is closed, or this process dies. Raises OSError."""
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
