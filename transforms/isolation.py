"""Native parsing in a process of its own, so that a crash, a hang or runaway memory kills only what it was working on.

A deadline cannot come from inside: signals do not interrupt native code. One guarded process serves each Beam worker process;
it lives from call to call, keeps its open documents, and is replaced when it dies (pebble's process pool).
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import importlib
import multiprocessing
import os
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as Deadline
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, forkserver
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from schemas.records import DocumentRef, Failure, PageLines, PageRange
from transforms.documents import DocumentReading, failed_reading, page_ranges
from transforms.settings import ReadSettings

T = TypeVar("T")

#: prctl(2).
_PR_SET_NAME: Final = 15

#: What a fresh guarded process has imported before it is asked for anything.
_PRELOAD: Final = ["transforms.road"]

#: A native crash is met again at the second try; a kill from outside (an operator, the kernel's out-of-memory killer) may come again.
_CRASHED_TRIES: Final = 2
_KILLED_TRIES: Final = 4
#: A process that died before it took the task says nothing about the task.
_UNTAKEN_TRIES: Final = 20
_UNTAKEN_WAIT_SECONDS: Final = 0.5
#: A new process imports what it needs in about a second; a busy machine may take many.
_START_SECONDS: Final = 60.0


class LostError(Exception):
    """The guarded process gave no answer. code: crashed, timed_out, out_of_memory or internal (see `schemas.codes`)."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


#: Objects made between two searches for cycles, and how many searches of a generation make one of the next. Python's own 700
#: costs a tenth of all time where pages are read and structured: their objects live long and hold no cycles.
_COLLECT_AFTER: Final = (50_000, 20, 20)


def rare_collections() -> None:
    """Let Python look for cycles of garbage less often in this process, and never among what is there now (modules, Beam)."""
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def fork_from_here() -> None:
    """Let guarded processes be copies of this one as it is now, with what it has imported, and not of a new Python that imports it again.

    Takes the place of the server that `multiprocessing` would start; should ours die, that one is started. Call it before the
    process has opened connections or started threads of its own: its copies would share the first and miss the second.
    """
    server: Any = forkserver._forkserver
    address = connection.arbitrary_address("AF_UNIX")  # type: ignore[attr-defined]
    alive_r, alive_w = os.pipe()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        pid = os.fork()
        if pid == 0:
            name_process("pdfmill-forks")
            os.close(alive_w)
            try:
                forkserver.main(listener.detach(), alive_r, _PRELOAD)
            finally:
                os._exit(0)
    os.close(alive_r)
    server._forkserver_address, server._forkserver_alive_fd, server._forkserver_pid = address, alive_w, pid


def name_process(name: str) -> None:
    """What `ps -o comm` and `top` show, 15 characters at most: a forked process has the command line of the one it was forked from."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def end_with_parent() -> None:
    """Let the kernel end this process when the one that started it is gone, also in the middle of native code.

    The parent holds the other end of a pipe until it ends; SIGIO, which nobody handles, then ends us.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, fcntl.fcntl(parent.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if connection.wait([parent.sentinel], timeout=0):  # it was gone before
        os._exit(1)


def _begin(max_memory: int) -> None:
    """What a guarded process does first. max_memory: bytes of address space that it may take beyond what its libraries took."""
    name_process("pdfmill-parser")
    # The pool ends a hanging process by SIGTERM and three seconds later by SIGKILL. A handler in Python never runs in native code.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    rare_collections()
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + max_memory, own + max_memory))


def _with_room(function: Callable[..., T], *arguments: object) -> T:
    """The function's answer; when memory runs out, tried again without the documents that were kept open for later pages."""
    try:
        return function(*arguments)
    except MemoryError:
        importlib.import_module("transforms.open_documents").close_documents()
        gc.collect()
        return function(*arguments)


class _DiedError(Exception):
    """The process ended without an answer. exitcode: minus the signal's number; None when it was not at work."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode

    @property
    def tries(self) -> int:
        """How often the same call may end so before its arguments are blamed: nobody crashes by SIGKILL, somebody sent it."""
        if self.exitcode is None:
            return _UNTAKEN_TRIES
        return _KILLED_TRIES if self.exitcode in (-signal.SIGKILL, -signal.SIGTERM) else _CRASHED_TRIES

    def __str__(self) -> str:
        if self.exitcode is None:
            return "no process lived long enough to begin"
        if self.exitcode < 0:
            return f"the parser's process died (signal {-self.exitcode})"
        return f"the parser's process died (exit code {self.exitcode})"


class Guard:
    """One guarded process, started at the first call; calls of several threads take turns."""

    def __init__(self, max_memory: int) -> None:
        self._max_memory = max_memory
        self._pool: ProcessPool | None = None
        self._lock = threading.RLock()

    def call(self, function: Callable[..., T], *arguments: object, seconds: float) -> T:
        """The function's answer; function, arguments and answer are pickled.

        A call whose process died is made again in a new one before it is given up.

        Raises:
            LostError: the process died, ran out of memory, took longer than `seconds`, or the function raised what it should not.
        """
        tries = 0
        with self._lock:
            while True:
                tries += 1
                try:
                    return self._try(function, arguments, seconds)
                except _DiedError as died:
                    # The pool of a process that died may wait for the rest of an answer: it is not used again.
                    self._abandon()
                    if tries >= died.tries:
                        raise LostError("crashed", f"{died}, {tries} times") from died
                    if died.exitcode is None:
                        time.sleep(_UNTAKEN_WAIT_SECONDS)

    def _try(self, function: Callable[..., T], arguments: tuple[object, ...], seconds: float) -> T:
        try:
            answer: T = _wait_for(self._schedule(function, arguments, seconds))
        except Deadline as error:
            raise LostError("timed_out", f"took longer than the limit of {seconds:g} s") from error
        except MemoryError as error:
            self._abandon()
            raise LostError("out_of_memory", f"needed more than the limit of {self._max_memory >> 20} MB") from error
        except ProcessExpired as error:
            raise _DiedError(error.exitcode) from error
        except BrokenProcessPool as error:
            raise _DiedError(None) from error
        except Exception as error:  # a mistake of ours on this input must not cost the job its other inputs
            raise LostError("internal", f"{type(error).__name__}: {error}") from error
        return answer

    def _schedule(self, function: Callable[..., T], arguments: tuple[object, ...], seconds: float) -> ProcessFuture[T]:
        pool = self._running()
        try:
            return pool.schedule(_with_room, args=[function, *arguments], timeout=seconds)
        except RuntimeError as error:
            raise BrokenProcessPool(str(error)) from error

    def _running(self) -> ProcessPool:
        if self._pool is not None and not self._pool.active:  # its process was killed while it had nothing to do
            self._abandon()
        if self._pool is None:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(_PRELOAD)
            self._pool = ProcessPool(max_workers=1, context=context, initializer=_begin, initargs=[self._max_memory])
            atexit.register(self.stop)
        return self._pool

    def _abandon(self) -> None:
        """Leave the pool to end by itself; the next call starts another."""
        pool, self._pool = self._pool, None
        atexit.unregister(self.stop)
        if pool is not None:
            threading.Thread(target=_end, args=[pool], daemon=True).start()

    def stop(self) -> None:
        """End the process; the next call starts another."""
        with self._lock:
            pool, self._pool = self._pool, None
            if pool is not None:
                _end(pool)


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _wait_for(future: ProcessFuture[T]) -> T:
    """The answer; its deadline runs from when the process took the task, so that a process which never takes it is told apart.

    Raises:
        BrokenProcessPool: the task was not taken.
    """
    begin = time.monotonic()
    while True:
        try:
            return future.result(timeout=_START_SECONDS)
        except Deadline:
            if future.done():
                raise
            if not future.running() and time.monotonic() - begin >= _START_SECONDS:
                raise BrokenProcessPool("no process took the task") from None


_guards: Final[dict[int, Guard]] = {}
_guards_lock: Final = threading.Lock()


def stop_guards() -> None:
    """End the guarded processes of this one."""
    with _guards_lock:
        for guard in _guards.values():
            guard.stop()


def _guard(settings: ReadSettings) -> Guard:
    with _guards_lock:
        return _guards.setdefault(settings.max_memory, Guard(settings.max_memory))


def _parsing() -> ModuleType:
    """`transforms.road`, loaded where parsing happens: the parsers cost their process half a second and 60 MB."""
    return importlib.import_module("transforms.road")


def _read_with_first_pages(ref: DocumentRef, settings: ReadSettings) -> tuple[DocumentReading, list[PageLines]]:
    answer: tuple[DocumentReading, list[PageLines]] = _parsing().read_with_first_pages(ref, settings)
    return answer


def _read_document(ref: DocumentRef, settings: ReadSettings) -> DocumentReading:
    answer: DocumentReading = _parsing().read_document(ref, settings)
    return answer


def _page_list(pages: PageRange, settings: ReadSettings) -> list[PageLines]:
    return list(_parsing().read_pages(pages, settings))


def read_guarded(ref: DocumentRef, settings: ReadSettings) -> tuple[DocumentReading, list[PageLines]]:
    """As `road.read_with_first_pages`, whatever the document does to its parser."""
    if not settings.isolate:
        return _read_with_first_pages(ref, settings)
    guard = _guard(settings)
    try:
        return guard.call(_read_with_first_pages, ref, settings, seconds=settings.seconds_per_document)
    except LostError:  # which part was it?
        pass
    try:
        reading = guard.call(_read_document, ref, settings, seconds=settings.seconds_per_document)
    except LostError as lost:
        return failed_reading(ref, Failure(lost.code, f"{ref.name()}: {lost}")), []
    ranges = page_ranges(ref, reading.page_count, settings.pages_per_range)
    return reading, list(_one_by_one(ranges[0], settings)) if ranges else []


def read_pages_guarded(pages: PageRange, settings: ReadSettings) -> list[PageLines]:
    """As `road.read_pages`; a page that kills its parser is a page with a failure, and the pages around it survive."""
    if not settings.isolate:
        return _page_list(pages, settings)
    try:
        return _guard(settings).call(_page_list, pages, settings, seconds=settings.seconds_per_page * (pages.last - pages.first + 1))
    except LostError:
        return list(_one_by_one(pages, settings))


def _one_by_one(pages: PageRange, settings: ReadSettings) -> Iterator[PageLines]:
    for number in range(pages.first, pages.last + 1):
        one = PageRange(pages.document, number, number)
        try:
            yield from _guard(settings).call(_page_list, one, settings, seconds=settings.seconds_per_page)
        except LostError as lost:
            yield PageLines(number, failure=Failure(lost.code, f"{pages.document.name()}, page {number}: {lost}"))
