"""Measure a command: wall time, CPU time and peak memory of its whole process tree."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

#: Seconds between two samples of the tree's memory; the kernel still records a shorter peak of a single process.
SAMPLE_SECONDS = 0.1
#: Most share of a core that sampling may take: the kernel walks all pages of a process, which would slow the measured command.
WATCHING = 0.02
_SET_CHILD_SUBREAPER = 36


def own_peak_mb() -> int:
    """Return the peak memory of this program in MB; `getrusage` would include that of the process that started it."""
    told = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert told is not None
    return int(told[1]) // 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """The time and memory that a command took."""

    seconds: float  # wall time
    cpu: float  # user and system seconds of all its processes
    peak_mb: float  # peak memory of all its processes together, MB
    code: int  # exit code


def run_command(command: Sequence[str]) -> Cost:
    """Run a command to its end without its output, and return its cost.

    The peak is the largest sampled sum over the tree, with shared memory counted once (proportional set size), or the kernel's peak of the
    largest single process (resident set size), if that is more.
    """
    with _adopting_orphans() as others:
        started = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done, peaks = threading.Event(), [0]
        watcher = threading.Thread(target=_watch, args=(process.pid, done, peaks), daemon=True)
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        done.set()
        watcher.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        used = [usage, *_orphans(others)]
        peak = max(peaks[0], max(each.ru_maxrss for each in used) * 1024)
    return Cost(seconds, sum(each.ru_utime + each.ru_stime for each in used), peak / 1e6, process.returncode)


@contextmanager
def _adopting_orphans() -> Iterator[set[int]]:
    """Make this process the parent of orphaned descendants while the block runs, so that their time is counted (prctl(2),
    PR_SET_CHILD_SUBREAPER). Yields the ids of the children that it already has."""
    _set_subreaper(1)
    try:
        yield _children()
    finally:
        _set_subreaper(0)


def _set_subreaper(value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def _orphans(others: set[int]) -> Iterator[resource.struct_rusage]:
    """Yield the resource usage of adopted processes that have ended. others: ids of children to ignore."""
    while adopted := _children() - others:
        yield os.wait4(adopted.pop(), 0)[2]


def _watch(pid: int, done: threading.Event, peaks: list[int]) -> None:
    pause = SAMPLE_SECONDS
    while not done.wait(pause):
        started = time.thread_time()
        peaks[0] = max(peaks[0], tree_bytes(pid))
        pause = max(SAMPLE_SECONDS, (time.thread_time() - started) / WATCHING)


def tree_bytes(pid: int) -> int:
    """Return the memory of a process and its descendants in bytes, with shared memory counted once; 0 if it has ended."""
    try:
        root = psutil.Process(pid)
        return sum(_share(process) for process in [root, *root.children(recursive=True)])
    except psutil.Error:  # it has just ended
        return 0


def _share(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0
