"""Run an index job without a terminal: read documents from their sources into tables in a folder, here or on an engine of Beam.
The command `pdfmill index` and the function `pdfmill.index` call it."""

from __future__ import annotations

import argparse
import importlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Final

from msgspec import Struct

from pdfmill.pipeline.options.options import UsageError, job_settings, reach_of
from pdfmill.pipeline.run.local import LOCAL, batches, local_workers, run_batch
from pdfmill.pipeline.run.progress import Progress, Show, live_progress, on_the_terminal
from pdfmill.pipeline.run.staging import KeptError, Stage, asked_for, check_replaces, check_run_file, settle_output
from pdfmill.pipeline.run.summary import RunFile
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import list_files
from pdfmill.transforms.storage.scratch import scratch_folder
from pdfmill.transforms.storage.sources import list_sources
from pdfmill.transforms.tables.lock import OutputLock
from pdfmill.transforms.tables.write_summary import Summary

log = logging.getLogger("pdfmill")

#: Error codes of sources that name no object. With other errors, documents may exist.
_NOTHING_THERE: Final = frozenset({"not_found", "no_such_bucket", "bad_source"})
#: Most sources that a message lists.
_SHOWN: Final = 20


def _no_check() -> None:
    """Do nothing; the default of `Watch.check`."""


class Watch(Struct, frozen=True):
    """Functions that a run calls: `show` with the progress, `check` before each document, so that it can end the run by raising an
    error."""

    show: Show = on_the_terminal
    check: Callable[[], None] = _no_check


#: Callbacks that show the progress on the terminal, and check nothing.
_USUAL_WATCH: Final = Watch()


def run_job(flags: argparse.Namespace, beam_flags: list[str], watch: Watch = _USUAL_WATCH) -> tuple[Summary, RunFile]:
    """Read the documents of `flags.sources` and publish the tables in `flags.output`; return the summary and the record of the run.
    beam_flags: words for Apache Beam.

    Raises:
        KeptError: the tables of an earlier run were kept unchanged; the message has the reasons.
        pdfmill.transforms.storage.errors.SourceError: the output cannot be written.
        pdfmill.transforms.tables.lock.LockedError: another run writes into the output.
        pdfmill.pipeline.run.errors.JobFailedError: the engine's job failed.
        UsageError: a number of jobs ("waves") was given for a local run.
    """
    if flags.waves > 1 and not beam_flags:
        raise UsageError("--waves is for jobs on an engine, with --runner; a local run can always be continued")
    check_run_file(flags.output)
    found = iter(()) if beam_flags else _heeding(_found(flags), watch.check)
    stage = (
        Stage.of_job(flags.output, waves=_waves(flags))
        if beam_flags
        else Stage.of_settings(flags.output, job_settings(flags, "part", flags.shards or 1))
    )
    with _locked(flags.output) as lock:
        return _indexed(flags, beam_flags, found, stage, lock, watch.show)


def _waves(flags: argparse.Namespace) -> int:
    """Return into how many Beam jobs a long run is split; 0 to choose it from the listing. A given number of Parquet files means one
    job."""
    return flags.waves or (1 if flags.shards else 0)


@contextmanager
def _locked(output: str) -> Iterator[OutputLock]:
    """Hold the lock of the output while the block runs; taking it also checks that the folder can be written."""
    try:
        lock = OutputLock(output)
    except SourceError as error:
        where, _, reason = error.message.partition(": ")  # where is the lock, of which its user knows nothing
        reason = reason if where.startswith(output) else error.message
        raise SourceError(error.code, f"--output {output} cannot be written: {reason}") from error
    try:
        yield lock
    finally:
        lock.release()


def _indexed(
    flags: argparse.Namespace, beam_flags: list[str], found: Iterable[DocumentRef], stage: Stage, lock: OutputLock, show: Show
) -> tuple[Summary, RunFile]:
    started, clock = datetime.now(UTC), time.monotonic()
    asked = asked_for(flags.sources, job_settings(flags, "part", flags.shards or 1), _waves(flags)) if beam_flags else None
    new, stage = stage.name, settle_output(flags.output, stage, asked)
    slowest: list[tuple[float, str]] = []
    if asked is not None and stage.name != new and stage.is_whole():
        log.warning("an earlier job had written all rows but was lost before its tables were published; they are published now")
        stage.whole()
    elif asked is not None:  # Beam is only imported where it runs the job: that takes longer than a small job takes
        if stage.name == new:
            stage.asks(asked)
        else:
            log.info("continuing an earlier job, of which %s of %s waves are complete", len(stage.whole_waves()), stage.number_of_waves())
        importlib.import_module("pdfmill.pipeline.engine.engine").run_on_engine(flags, beam_flags, stage, show)
    else:
        try:
            slowest = _run_here(flags, found, stage, show)
        except (SourceError, KeyboardInterrupt):  # a full disk needs the space of parts that nothing can be done with
            stage.drop_incomplete()
            raise
    summary = stage.summary()
    if not flags.replace_anyway:
        _check(stage, summary, flags)
    runner = importlib.import_module("pdfmill.pipeline.engine.engine_flags").runner_name(beam_flags) if beam_flags else LOCAL
    took = [(uri, seconds) for seconds, uri in sorted(slowest, reverse=True)]
    run_file = RunFile.of_run(started, time.monotonic() - clock, runner, flags.sources, summary, took)
    stage.publish(lock, run_file)
    return summary, run_file


def _check(stage: Stage, summary: Summary, flags: argparse.Namespace) -> None:
    """Raise KeptError if the new tables must not replace the old ones. The new rows stay in the staging folder if the next run can use
    them."""
    try:
        check_replaces(summary, flags.sources, flags.output)
    except KeptError as error:
        if not summary.readable or not stage.resumable:
            stage.drop()
            raise
        raise KeptError(
            f"{error}; what was read is kept, and the same command continues with it (see --replace_anyway)", error.reasons
        ) from error


def _found(flags: argparse.Namespace) -> Iterator[DocumentRef]:
    """Yield the documents that the sources name.

    Raises:
        KeptError: the sources name no object, and the output is empty, so that no folder is made.
    """
    found, missing = list_sources(flags.sources, reach_of(flags)), []
    for document in found:
        missing.append(document)
        if document.failure is None or document.failure.code not in _NOTHING_THERE:
            return chain(missing, found)
    if list_files(flags.output, ""):
        return iter(missing)
    told = [f"  {each.failure.code}: {each.failure.message}" for each in missing if each.failure is not None]
    raise KeptError("there is nothing to read, and nothing was written", [*told[:_SHOWN], *(["  ..."] if len(told) > _SHOWN else [])])


def _heeding(documents: Iterable[DocumentRef], check: Callable[[], None]) -> Iterator[DocumentRef]:
    for document in documents:
        check()
        yield document
    check()


def _listed(documents: Iterable[DocumentRef], progress: Progress) -> Iterator[DocumentRef]:
    for document in documents:
        progress.listed += 1
        yield document
    progress.complete = True


def _run_here(flags: argparse.Namespace, found: Iterable[DocumentRef], stage: Stage, show: Show) -> list[tuple[float, str]]:
    """Read the documents on this machine; return the slowest ones as (seconds, address)."""
    progress = Progress()
    settings = job_settings(flags, "part", flags.shards or 1)
    with live_progress(progress, show), scratch_folder() as scratch, local_workers(flags.workers, settings.read) as workers:
        work = partial(run_batch, workers=workers, scratch=scratch, progress=progress)
        for batch in batches(_listed(found, progress), flags.batch_documents, flags.batch_bytes):
            if not stage.batch(batch, settings, work):
                progress.listed -= len(batch)
    return progress.slowest
