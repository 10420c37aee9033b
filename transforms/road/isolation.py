"""Run native parsing in a child process, so that a crash, an endless loop or excessive memory use ends only the current document.

Signals do not interrupt native code, so a process cannot set a deadline for itself. A guarded process serves many calls, keeps its open
documents, and is replaced when it dies (package pebble). They are forked from a small server that has made all imports ("forkserver").

`multiprocessing` imports the caller's main module in each process that it starts; in a notebook this takes seconds, and without `if
__name__ == "__main__":` it ends the process. So processes are started as if the program had no main file."""

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
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as Deadline
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection
from pathlib import Path
from typing import Any, Final, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from pdfmill.transforms.road.time_limits import allow_time_limits
from pdfmill.transforms.storage.scratch import sockets_folder

#: The module whose imports the server makes before it forks processes.
PRELOAD: Final = "pdfmill.transforms.road.preload"
#: Seconds to wait for a test process. Its imports take a few seconds, on a busy machine many times as long.
_PROBE_SECONDS: Final = 60.0

_SERVER: Final[Any] = multiprocessing.get_context("forkserver")
_STARTING: Final = threading.Lock()


@contextmanager
def _without_main_file() -> Iterator[None]:
    """Hide the file and the import name of the program's main module while a process starts. Its contents stay, for other threads to
    pickle."""
    main = sys.modules["__main__"]
    names = ("__spec__", "__file__")
    with _STARTING:
        before = {name: main.__dict__[name] for name in names if name in main.__dict__}
        for name in before:
            setattr(main, name, None)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(main, name, value)


class _Process(_SERVER.Process):
    def start(self) -> None:
        with _without_main_file():
            super().start()


class Forks(type(_SERVER)):  # type: ignore[misc]
    """A `multiprocessing` context whose processes do not import the caller's main module."""

    Process = _Process

    def __init__(self) -> None:
        super().__init__()
        self.set_forkserver_preload([PRELOAD])


def why_none_begins() -> str | None:
    """Start a test process that imports our modules. Return the last line of its error output; None if it succeeds or prints nothing."""
    code = f"import sys; sys.path[:] = {sys.path!r}; import {PRELOAD}"
    try:
        probe = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = probe.stderr.decode(errors="replace").strip()
    return said.splitlines()[-1] if probe.returncode and said else None


T = TypeVar("T")

#: The option of prctl(2) that sets the name of a process.
_PR_SET_NAME: Final = 15
#: Options of mallopt(3), in bytes. The process keeps freed memory up to this size for the next page, so that the kernel need not clear new
#: memory for every page: 45,000 page faults instead of 80,000 for 800 pages.
_MALLOC: Final = {-1: 64 << 20, -3: 32 << 20}

#: Attempts at a call whose process crashes. A crash in native code repeats at the second one; a kill from outside (an operator, the
#: kernel's out-of-memory killer) may not.
_CRASHED_TRIES: Final = 2
_KILLED_TRIES: Final = 4
#: Attempts at a call whose process dies before it takes the task: such a death says nothing about the task.
_UNTAKEN_TRIES: Final = 20
_UNTAKEN_WAIT_SECONDS: Final = 0.5
#: After this many attempts of that kind a test process is started to learn why processes die. If it dies too, no further attempt is made.
_PROBED_TRY: Final = 2
#: Seconds to wait for a new process to take its task. It imports its modules in about a second; a busy machine may take many.
_START_SECONDS: Final = 60.0
#: Seconds between two checks of a waiting caller whether its guard was closed.
_LOOK_SECONDS: Final = 1.0


class LostError(Exception):
    """The guarded process returned no result. code: why (crashed, timed_out, out_of_memory or internal; see `pdfmill.schemas.codes`)."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


#: Thresholds of `gc.set_threshold`. Python's default of 700 objects costs a tenth of all time where pages are read and structured, because
#: their objects live long and hold no cycles.
_COLLECT_AFTER: Final = (50_000, 20, 20)


def rare_collections() -> None:
    """Make Python's cycle collector run less often in this process, and never over the objects that exist now (modules, Beam)."""
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def keep_memory() -> None:
    """Let this process keep up to 64 MB of the memory that it frees, for later use. Without glibc this does nothing."""
    if (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        for parameter, value in _MALLOC.items():
            mallopt(parameter, value)


def name_process(name: str) -> None:
    """Set the name that `ps -o comm` and `top` show, at most 15 characters. A forked process would show its parent's command line."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def end_with_parent() -> None:
    """Let the kernel end this process when its parent ends, even during native code: a pipe that the parent holds closes, which sends
    SIGIO."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, fcntl.fcntl(parent.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if connection.wait([parent.sentinel], timeout=0):  # it was gone before
        os._exit(1)


def _begin(max_memory: int, environment: dict[str, str]) -> None:
    """Prepare a new guarded process, inside it. max_memory: bytes of address space beyond its libraries. environment: the caller's present
    variables, such as credentials; the server that forks the processes still has those of the first call."""
    os.environ.clear()
    os.environ.update(environment)
    name_process("pdfmill-parser")
    # The pool ends a hanging process by SIGTERM and three seconds later by SIGKILL. A handler in Python never runs in native code.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    allow_time_limits()
    rare_collections()
    keep_memory()
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _limit_memory(own + max_memory)


def _limit_memory(most: int | None) -> int:
    """Limit the address space of this process to `most` bytes; None for the system's limit. Return the previous limit in bytes."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = [limit for limit in (most, hard) if limit is not None and limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(allowed, default=resource.RLIM_INFINITY), hard))
    return before


@contextmanager
def all_memory() -> Iterator[None]:
    """Lift the memory limit while the block runs, for work that belongs to no single document, such as writing a Parquet file."""
    before = _limit_memory(None)
    try:
        yield
    finally:
        _limit_memory(None if before == resource.RLIM_INFINITY else before)


def _with_room(function: Callable[..., T] | str, *arguments: object) -> T:
    """Call a function, by its name as `module:function` too. If memory runs out, close the cached open documents, and call it again."""
    if isinstance(function, str):
        module, _, name = function.partition(":")
        function = getattr(importlib.import_module(module), name)
    assert callable(function)
    try:
        return function(*arguments)
    except MemoryError:
        importlib.import_module("pdfmill.transforms.road.open_documents").close_documents()
        gc.collect()
        return function(*arguments)


class _DiedError(Exception):
    """The process ended without a result. exitcode: of the process, or minus the number of the signal that ended it; None if it died before
    it took the task."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode

    @property
    def tries(self) -> int:
        """How often a call that ends with this exit code is attempted: more often after SIGKILL and SIGTERM, which come from outside."""
        if self.exitcode is None:
            return _UNTAKEN_TRIES
        return _KILLED_TRIES if self.exitcode in (-signal.SIGKILL, -signal.SIGTERM) else _CRASHED_TRIES

    def __str__(self) -> str:
        if self.exitcode is None:
            return "no process that parses PDFs lived long enough to begin"
        if self.exitcode < 0:
            return f"the process that parses PDFs died (signal {-self.exitcode})"
        return f"the process that parses PDFs died (exit code {self.exitcode})"


class StoppedError(RuntimeError):
    """The guard was closed while it ran a call."""


class Guard:
    """One guarded process (a child process with limits, which may crash), started at the first call. Calls of several threads run one after
    the other."""

    def __init__(self, max_memory: int) -> None:
        self._max_memory = max_memory
        self._pool: ProcessPool | None = None
        self._lock = threading.RLock()
        #: Held only while the pool is created or handed over, never while waiting, because `close` may be called during calls.
        self._taking = threading.Lock()
        self._closed = False

    def call(
        self, function: Callable[..., T] | str, *arguments: object, seconds: float | None, raises: tuple[type[Exception], ...] = ()
    ) -> T:
        """Call the function in the guarded process and return its result. Function, arguments and result are pickled. If the process dies,
        the call is repeated in a new process; how often depends on how it died.

        function: a function, or its name as `module:function`, so that the caller need not import it. seconds: the time limit; None for
        none.
        raises: exceptions of the function that are passed on to the caller.

        Raises:
            LostError: the process died, ran out of memory, took longer than `seconds`, or the function raised another exception.
            StoppedError: the guard was closed meanwhile.
        """
        tries = 0
        with self._lock:
            while True:
                tries += 1
                try:
                    return self._try(function, arguments, seconds, raises)
                except _DiedError as died:
                    # The pool of a process that died may wait for the rest of an answer: it is not used again.
                    self._abandon()
                    if self._closed:
                        raise StoppedError("the process that parses PDFs was stopped") from died
                    if tries >= died.tries:
                        raise LostError("crashed", f"{died}, {tries} times") from died
                    if died.exitcode is None:
                        if tries == _PROBED_TRY and (reason := why_none_begins()) is not None:
                            raise LostError("crashed", f"no process that parses PDFs can start on this machine: {reason}") from died
                        time.sleep(_UNTAKEN_WAIT_SECONDS)

    def _try(
        self, function: Callable[..., T] | str, arguments: tuple[object, ...], seconds: float | None, raises: tuple[type[Exception], ...]
    ) -> T:
        """Make one attempt at a call. Raises _DiedError if the process died, StoppedError if the guard was closed, the exceptions in
        `raises`, and LostError if time or memory ran out, or after another exception."""
        passing: tuple[type[Exception], ...] = (StoppedError, *raises)
        try:
            answer: T = _wait_for(self._schedule(function, arguments, seconds), lambda: self._closed)
        except CancelledError as error:
            raise StoppedError("the process that parses PDFs was stopped") from error
        except Deadline as error:
            raise LostError("timed_out", _too_long(seconds)) from error
        except MemoryError as error:
            self._abandon()
            raise LostError("out_of_memory", f"reading it needed more memory than the limit of {self._max_memory >> 20} MB") from error
        except ProcessExpired as error:
            if error.exitcode == -signal.SIGALRM:
                self._abandon()
                raise LostError("timed_out", _too_long(seconds)) from error
            raise _DiedError(error.exitcode) from error
        except BrokenProcessPool as error:
            raise _DiedError(None) from error
        except passing:
            raise
        except Exception as error:  # a mistake of ours on this input must not cost the job its other inputs
            raise LostError("internal", f"{type(error).__name__}: {error}") from error
        return answer

    def _schedule(self, function: Callable[..., T] | str, arguments: tuple[object, ...], seconds: float | None) -> ProcessFuture[T]:
        pool = self._running()
        try:
            return pool.schedule(_with_room, args=[function, *arguments], timeout=seconds)
        except RuntimeError as error:
            raise BrokenProcessPool(str(error)) from error

    def _running(self) -> ProcessPool:
        pool = self._pool
        if pool is not None and not pool.active:  # its process was killed while it had nothing to do
            self._abandon()
        with self._taking:
            if self._closed:
                raise StoppedError("the process that parses PDFs was stopped")
            if self._pool is None:
                sockets_folder()
                self._pool = ProcessPool(max_workers=1, context=Forks(), initializer=_begin, initargs=[self._max_memory, dict(os.environ)])
                atexit.register(self.stop)
            return self._pool

    def _take(self) -> ProcessPool | None:
        """Remove and return the pool; None if another thread has taken it. (A pool that two threads stop raises an error.)"""
        with self._taking:
            pool, self._pool = self._pool, None
            return pool

    def _abandon(self) -> None:
        """Drop the pool, whose process is dead, and end it in the background. The next call starts another."""
        pool = self._take()
        atexit.unregister(self.stop)
        if pool is not None:
            threading.Thread(target=_end, args=[pool], daemon=True).start()

    def close(self) -> None:
        """End the process now, even during another thread's call, and refuse further calls."""
        self._closed = True
        if (pool := self._take()) is not None:
            _end(pool)

    def stop(self) -> None:
        """End the process; the next call starts another."""
        with self._lock:
            if (pool := self._take()) is not None:
                _end(pool)


def _too_long(seconds: float | None) -> str:
    return f"reading it took longer than the limit of {seconds or 0:g} s"


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _wait_for(future: ProcessFuture[T], is_closed: Callable[[], bool]) -> T:
    """Return the result of a task, whose time limit begins when the process takes it. is_closed: called every second; True to give up.

    Raises:
        Deadline: the task took longer than its limit.
        BrokenProcessPool: no process took the task in time.
        CancelledError: the guard was closed; the pool does not report this for a task that is just being taken.
    """
    begin = time.monotonic()
    while True:
        try:
            return future.result(timeout=_LOOK_SECONDS)
        except Deadline:
            if future.done():
                raise
            if is_closed():
                raise CancelledError from None
            if not future.running() and time.monotonic() - begin >= _START_SECONDS:
                raise BrokenProcessPool("no process took the task") from None


_guards: Final[dict[int, Guard]] = {}
_guards_lock: Final = threading.Lock()


def guard_of_process(max_memory: int) -> Guard:
    """Return the guard with this memory limit, in bytes, that all threads of this process share."""
    with _guards_lock:
        return _guards.setdefault(max_memory, Guard(max_memory))
