"""A folder for what a run keeps on disk while it runs; that of a run that was killed is removed by the next one."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from transforms.isolation import SHORT_FOLDER, sockets_folder

_PREFIX: Final = "pdfmill-run-"
#: A folder without a lock that is younger may just be on its way to get one.
_ABANDONED_SECONDS: Final = 60.0
#: File in it that names the folder in which multiprocessing keeps the socket of the server that forks: only a process that ends by itself
#: removes that.
_NOTE: Final = "sockets"
_SOCKETS_PREFIX: Final = "pymp-"


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A new folder below the system's temporary one; it is removed when the block ends."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder, _locked(folder):
        Path(folder, _NOTE).write_text(sockets_folder(), encoding="utf-8")
        yield folder


@contextmanager
def own_temporary_folder() -> Iterator[None]:
    """The temporary folder of this process, which must be pdfmill's own, is one that is removed when the block ends: Beam leaves what it
    makes there for its jobs."""
    with scratch_folder() as folder:
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            yield
        finally:
            tempfile.tempdir = before


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold a lock on the folder, which the kernel takes back when this process dies."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _remove_abandoned() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # in use, another user's, or just removed
            status = folder.stat()
            if status.st_uid == os.getuid() and time.time() - status.st_mtime > _ABANDONED_SECONDS:
                with _locked(str(folder)):
                    _remove_sockets(folder)
                    shutil.rmtree(folder)


def _remove_sockets(folder: Path) -> None:
    note = folder / _NOTE
    sockets = Path(note.read_text(encoding="utf-8", errors="replace")) if note.exists() else folder / "none"
    if sockets.parent in (folder.parent, Path(SHORT_FOLDER)) and sockets.name.startswith(_SOCKETS_PREFIX):
        shutil.rmtree(sockets, ignore_errors=True)
