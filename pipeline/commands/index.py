"""`pdfmill index`: read PDFs from storage, write the tables, say what happened."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from types import FrameType
from typing import Final, NoReturn

from pipeline.main import EXIT_INTERRUPTED, EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pipeline.options import INDEX_OPTIONS, UsageError, job_settings, parse_index
from pipeline.run.errors import JobFailedError
from pipeline.run.local import LOCAL, batches, local_workers, run_batch
from pipeline.run.progress import Progress, live_progress
from pipeline.run.scratch import scratch_folder
from pipeline.staging import (
    KeptError,
    Stage,
    check_replaces,
    check_run_file,
    is_publishing,
    left_line,
    old_tables,
    settle_output,
    unfinished_lines,
)
from pipeline.summary import RunFile, Summary, summary_lines
from schemas.records import DocumentRef
from transforms.storage.errors import SourceError
from transforms.storage.objects import list_files
from transforms.storage.sources import absolute_source, list_sources
from transforms.tables.lock import LockedError, OutputLock
from transforms.version import version

#: A source that failed so names nothing; of others there may be documents.
_NOTHING_THERE: Final = frozenset({"not_found", "no_such_bucket", "bad_source"})
#: Sources that a message names.
_SHOWN: Final = 20


def run(argv: Sequence[str]) -> int:
    """The exit code: 0 all inputs read, 1 some failed, 2 nothing could be done, 130 interrupted."""
    try:
        flags, beam_flags = parse_index(argv, INDEX_OPTIONS)
        if beam_flags:
            importlib.import_module("pipeline.engine_flags").check_engine(flags, beam_flags)
        flags.output = absolute_source(flags.output)
        check_run_file(flags.output)
        interrupts = _Interrupts()
        with interrupts.heeded():
            return _index(flags, beam_flags, interrupts)
    except KeptError as error:
        print("\n".join(error.reasons))
        print(f"pdfmill index: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    except SourceError as error:
        print(f"pdfmill index: {error.code}: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    except (UsageError, JobFailedError, LockedError) as error:
        print(f"pdfmill index: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE


class _Interrupts:
    """SIGTERM (a scheduler, a shutdown) ends the run as Ctrl-C does: the lock is given back, and the message says what is left."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._met = False

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        if os.getpid() != self._owner:  # a copy of this process, made by fork
            os._exit(128 + number)
        self._met = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """Raise the interrupt again: Python drops one that comes while it calls back for an object that is no more."""
        if self._met:
            raise KeyboardInterrupt

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """While the block runs; only a main thread is told of signals."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _index(flags: argparse.Namespace, beam_flags: list[str], interrupts: _Interrupts) -> int:
    found = iter(()) if beam_flags else _heeding(_found(flags), interrupts)
    stage = Stage.of_job(flags.output) if beam_flags else Stage.of_settings(flags.output, job_settings(flags, "part", flags.shards or 1))
    try:
        with _locked(flags.output) as lock:
            return _indexed(flags, beam_flags, found, stage, lock)
    except KeyboardInterrupt:
        print(f"pdfmill index: interrupted\n{chr(10).join(_interrupted(flags.output))}", file=sys.stderr)
        return EXIT_INTERRUPTED


@contextmanager
def _locked(output: str) -> Iterator[OutputLock]:
    """Hold the lock of the output, which is also how it shows that it can be written."""
    try:
        lock = OutputLock(output)
    except SourceError as error:
        raise SourceError(error.code, f"--output {output} cannot be written: {error.message}") from error
    try:
        yield lock
    finally:
        lock.release()


def _indexed(flags: argparse.Namespace, beam_flags: list[str], found: Iterable[DocumentRef], stage: Stage, lock: OutputLock) -> int:
    started, clock = datetime.now(UTC), time.monotonic()
    settle_output(flags.output, stage)
    if beam_flags:  # Beam is only imported where it runs the job: that takes longer than a small job takes
        importlib.import_module("pipeline.engine").run_on_engine(flags, beam_flags, stage)
    else:
        _run_here(flags, found, stage)
    summary = stage.summary()
    if not flags.replace_anyway:
        _check(stage, summary, flags)
    runner = importlib.import_module("pipeline.engine_flags").runner_name(beam_flags) if beam_flags else LOCAL
    run_file = RunFile(started.isoformat(timespec="seconds"), round(time.monotonic() - clock, 3), version(), runner, list(flags.sources))
    stage.publish(lock, run_file)
    for line in summary_lines(summary, run_file):
        print(line)
    print(f"written to {flags.output}")
    return exit_code(summary)


def _check(stage: Stage, summary: Summary, flags: argparse.Namespace) -> None:
    """Raises KeptError; what was read stays for the next run, unless that was nothing, or nobody can go on with it."""
    try:
        check_replaces(summary, flags.sources, flags.output)
    except KeptError as error:
        if not summary.readable or not stage.resumable:
            stage.drop()
            raise
        raise KeptError(
            f"{error}; what was read is kept, and the same command again goes on with it (see --replace_anyway)", error.reasons
        ) from error


def exit_code(summary: Summary) -> int:
    """0 when everything was read, 2 when nothing was, 1 between."""
    if not summary.readable:
        return EXIT_NOTHING_DONE
    return EXIT_SOME_FAILED if summary.bad else EXIT_OK


def _interrupted(output: str) -> Iterator[str]:
    """What an interrupted run leaves."""
    if not is_publishing(output):
        old = old_tables(output)
        yield left_line(output, old) if old.documents else f"no tables were there before in {output}, and none are now"
    yield from unfinished_lines(output)


def _found(flags: argparse.Namespace) -> Iterator[DocumentRef]:
    """What the sources name.

    Raises:
        KeptError: nothing at all, and the output has nothing yet: then there shall be no folder with a table of mistakes either.
    """
    found, missing = list_sources(flags.sources), []
    for document in found:
        missing.append(document)
        if document.failure is None or document.failure.code not in _NOTHING_THERE:
            return chain(missing, found)
    if list_files(flags.output, ""):
        return iter(missing)
    told = [f"  {each.failure.code}: {each.failure.message}" for each in missing if each.failure is not None]
    raise KeptError("there is nothing to read, and nothing was written", [*told[:_SHOWN], *(["  ..."] if len(told) > _SHOWN else [])])


def _heeding(documents: Iterable[DocumentRef], interrupts: _Interrupts) -> Iterator[DocumentRef]:
    for document in documents:
        interrupts.check()
        yield document
    interrupts.check()


def _listed(documents: Iterable[DocumentRef], progress: Progress) -> Iterator[DocumentRef]:
    for document in documents:
        progress.listed += 1
        yield document
    progress.complete = True


def _run_here(flags: argparse.Namespace, found: Iterable[DocumentRef], stage: Stage) -> None:
    progress = Progress()
    settings = job_settings(flags, "part", flags.shards or 1)
    with live_progress(progress), scratch_folder() as scratch, local_workers(flags.workers, settings.read) as workers:
        work = partial(run_batch, workers=workers, scratch=scratch, progress=progress)
        for batch in batches(_listed(found, progress), flags.batch_documents, flags.batch_bytes):
            if not stage.batch(batch, settings, work):
                progress.listed -= len(batch)
