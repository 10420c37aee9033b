"""Run index jobs on Beam: one pipeline over all sources, which are listed on the workers."""

from __future__ import annotations

import argparse
import logging
import math
import os
import secrets
import sys
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import apache_beam as beam
import grpc
from apache_beam.options.pipeline_options import (
    FlinkRunnerOptions,
    GoogleCloudOptions,
    PipelineOptions,
    SetupOptions,
    StandardOptions,
    TestOptions,
)
from apache_beam.runners.runner import PipelineRunner, PipelineState
from msgspec import Struct

from pdfmill.pipeline.engine.engine_flags import cancel_at, runner_called, runner_name, where_it_failed
from pdfmill.pipeline.engine.graph import index_documents
from pdfmill.pipeline.options.options import UsageError, job_settings
from pdfmill.pipeline.run.errors import JobFailedError, JobNotTakenError, in_a_line
from pdfmill.pipeline.run.progress import Progress, Show, alongside, live_progress
from pdfmill.pipeline.run.staging import KeptError, Stage, asked_for, check_replaces, earlier_stage, interrupted_runs, settle_output
from pdfmill.pipeline.run.summary import RunFile
from pdfmill.schemas.extras import FOR_WORKERS_VARIABLE
from pdfmill.transforms.steps.count_shards import CountShards
from pdfmill.transforms.steps.display import Shown
from pdfmill.transforms.steps.find_documents import FindDocuments, Sources
from pdfmill.transforms.steps.write_tables import shards_beside
from pdfmill.transforms.storage.access import carrying
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.lock import LockedError, OutputLock, holder_of, locked
from pdfmill.transforms.tables.output_layout import Manifest
from pdfmill.transforms.tables.shards import WAVE_BYTES
from pdfmill.transforms.tables.worker_progress import begin_notes, read_notes

log = logging.getLogger("pdfmill")

#: Seconds between two readings of the workers' progress.
FOLLOW_S: Final = 5.0

#: Number of random bytes in the name of each attempt at a wave (a job over a share of the documents).
_TRY_BYTES: Final = 4
#: Replacements for flags that name Beam's `DirectRunner`, which would first try to download another runner.
_IN_PROCESS: Final = {f"--runner{between}{name}": "--runner=FnApiRunner" for between in ("=",) for name in ("DirectRunner", "direct")}


def new_pipeline(beam_flags: Sequence[str], runner: PipelineRunner | None = None, name: str = "") -> beam.Pipeline:
    """Make an empty pipeline. runner: used instead of the runner that the flags name. name: name of the job, used if the flags give none.

    Raises:
        UsageError: Beam refuses the flags.
    """
    options = PipelineOptions([_IN_PROCESS.get(flag, flag) for flag in beam_flags])
    setup = options.view_as(SetupOptions)
    setup.save_main_session = False
    if setup.setup_file:  # what Beam makes of it when the job begins is for workers, which know no extras
        os.environ[FOR_WORKERS_VARIABLE] = "1"
    named = options.view_as(GoogleCloudOptions)  # whose name for a job every engine shows
    named.job_name = named.job_name or name or None
    try:
        return beam.Pipeline(runner=runner, options=options)
    except (ValueError, ImportError) as error:  # its checks of the options; a runner whose package is not installed
        raise UsageError(str(error)) from error


def build_pipeline(
    flags: argparse.Namespace,
    beam_flags: Sequence[str],
    stage: Stage,
    at_end: AtEnd | None = None,
    runner: PipelineRunner | None = None,
    wave: int = 0,
) -> beam.Pipeline:
    """Build the Beam job that reads documents and writes their Parquet files to the stage (a staging folder).
    at_end: called when all files are written. runner: used instead of the one in the flags. wave: number, from 0, of this job among those
    into which the run is split."""
    sources = [absolute_source(source) for source in flags.sources]
    waves = stage.number_of_waves()
    # A try's own names: an earlier one of the same wave may not have ended on the engine.
    prefix = "part" if waves == 1 else f"wave-{wave:05d}-{secrets.token_hex(_TRY_BYTES)}"
    settings = stage.settings(job_settings(flags, "part", flags.shards or 1), prefix)
    pipeline = new_pipeline(beam_flags, runner, stage.job_name if waves < 2 else f"{stage.job_name}-{wave + 1}-of-{waves}")
    notes_uri = settings.notes_uri if stage.waves or not wave else None  # where the first wave counts all that is listed, it notes all
    documents = (
        pipeline
        | "Sources" >> Sources(sources)
        | "FindDocuments" >> FindDocuments(notes_uri, whole=not flags.replace_anyway, bound=settings.read.reach, wave=(wave, waves or 1))
    )
    shards = None if flags.shards else documents | "CountShards" >> CountShards(settings, math.inf if waves else WAVE_BYTES)
    written = index_documents(documents, settings, shards)
    kept = written | "Keep record" >> beam.Map(carrying(stage.keep), wave, *([] if shards is None else [shards_beside(shards)]))
    if at_end is not None:
        _ = kept | "Publish" >> beam.ParDo(_Publish(at_end))
    return pipeline


def run_on_engine(flags: argparse.Namespace, beam_flags: Sequence[str], stage: Stage, show: Show) -> None:
    """Run the jobs into which the run is split one after the other, and collect the records of what they wrote.
    If a job fails, the output of complete jobs is kept; if none is complete, all output is deleted. show: displays progress.

    Raises:
        JobFailedError: a job failed or was cancelled.
    """
    try:
        progress = Progress()
        with live_progress(progress, show), alongside(partial(_follow, stage.notes_uri, progress, stage.waves < 2)):
            for wave in _waves_to_run(stage):
                run_to_end(build_pipeline(flags, beam_flags, stage, wave=wave))
    except (JobNotTakenError, KeyboardInterrupt):
        _kept(stage)
        raise
    except JobFailedError as error:
        kept, waves = _kept(stage)
        some = f"continues after {kept} of {waves} jobs" if kept else "starts again"
        again = "publishes the tables, which are complete" if 0 < kept == waves else some
        raise JobFailedError(f"{error}; running the same command again {again}") from error
    stage.whole()


def _waves_to_run(stage: Stage) -> Iterator[int]:
    """Yield the numbers, from 0, of the jobs that are not complete. Their number may be unknown until the first has listed the sources."""
    done, wave = set(stage.whole_waves()), 0
    while wave < (stage.number_of_waves() or 1):
        if wave not in done:
            log.info("job %s, wave %s of %s", stage.job_name, wave + 1, stage.number_of_waves() or "as many as are needed")
            yield wave
        wave += 1


def _kept(stage: Stage) -> tuple[int, int]:
    """Return, after a failure, the number of complete jobs and of all jobs. If none is complete, all output is deleted."""
    try:
        if whole := len(stage.whole_waves()):
            return whole, stage.number_of_waves()
        stage.drop()
    except SourceError as error:  # how the job ended is told all the same; the next run deletes it
        log.warning("the output of the failed job could not be deleted: %s", error)
    return 0, 0


def _follow(notes_uri: str | None, progress: Progress, lists_once: bool, ended: threading.Event) -> None:
    """Update the progress from the files of counts that workers write to `notes_uri`, until the event is set, and once after that.
    lists_once: the sources are listed before they are read. ended: set when the job has ended."""
    at_end = False
    while notes_uri is not None and not at_end:
        at_end = ended.wait(FOLLOW_S)
        try:
            done = read_notes(notes_uri)
        except SourceError as error:  # the next look may see more; the job does not hang on it
            log.warning("the job's progress cannot be read: %s", error)
            continue
        progress.pages, progress.failures, progress.listed = done.pages, done.failures, done.listed
        progress.documents = min(done.documents, done.listed)  # what an engine repeats is noted twice
        progress.complete = lists_once and progress.documents > 0  # none is read before all are listed


def run_to_end(pipeline: beam.Pipeline) -> None:
    """Run a Beam job and wait for its end; an interrupt (Ctrl-C) cancels the job.

    Raises:
        JobFailedError: the job failed or was cancelled.
    """
    flink = _flink_of(pipeline.options)  # before it runs: Beam's runner overwrites the address
    name = ""
    try:
        job = pipeline.run()
        name = pipeline.options.view_as(GoogleCloudOptions).job_name
        state = _end_of(job, name, flink)
    except grpc.FutureTimeoutError as error:
        raise JobNotTakenError("the job failed: the job server at --job_endpoint does not answer") from error
    except _failures() as error:
        log.info("the job failed: %s", error)
        said = f"the call of the job server failed: {error.details()}" if isinstance(error, grpc.Call) else str(error)
        raise JobFailedError(f"the job failed, and no table was replaced: {in_a_line(said)}{_failure_place(flink, name)}") from error
    if state not in (None, PipelineState.DONE):
        told = _failure_place(flink, name) if state == PipelineState.FAILED else ""
        raise JobFailedError(f"the job ended as {state}, and no table was replaced{told}")


def _failure_place(flink: str | None, name: str) -> str:
    """Return a sentence that names the machine where a job failed, according to Flink, or "". flink: its address, None for other
    runners."""
    if not flink or not name:
        return ""
    try:
        told = where_it_failed(flink, name)
    except (OSError, ValueError, LookupError) as error:
        told = f"Flink cannot be asked where it failed: {error}"
    return f"; {told}" if told else ""


def _failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that Beam's runners raise for a failed job. Dataflow's is in a module that only its runner imports."""
    dataflow = sys.modules.get("apache_beam.runners.dataflow.dataflow_runner")
    return (RuntimeError, grpc.RpcError, *([dataflow.DataflowRuntimeException] if dataflow else []))


def _refusals() -> tuple[type[Exception], ...]:
    """Return the exceptions that mean that a service refuses a job: gRPC's, Google's if its client is imported, OSError for failed
    uploads."""
    google = sys.modules.get("google.api_core.exceptions")
    return (OSError, grpc.RpcError, grpc.FutureTimeoutError, *([google.GoogleAPIError] if google else []))


def _flink_of(options: PipelineOptions) -> str | None:
    """Return the address of Flink's REST API, "" if it is unknown; None if the runner is not Flink's."""
    if runner_called(options.view_as(StandardOptions).runner or "") != "FlinkRunner":
        return None
    master = str(options.view_as(FlinkRunnerOptions).flink_master)
    return master if ":" in master else ""


def _end_of(job: Any, name: str, flink: str | None) -> str | None:
    try:
        state: str | None = job.wait_until_finish()
    except KeyboardInterrupt:
        _cancel(job, name, flink)
        raise
    return state


def _cancel(job: Any, name: str, flink: str | None) -> None:
    """Ask the engine to cancel a job; log a failure, because no process waits for the job any more.
    flink: address of Flink, "" if it is unknown, None for other runners."""
    try:
        job.cancel()
        if flink is None or (flink and cancel_at(flink, name)):
            return
        reason = "Beam's job server does not pass this on to Flink; give --flink_master HOST:8081, so that this command does"
    except (RuntimeError, NotImplementedError, OSError, grpc.RpcError) as error:
        reason = str(error)
    log.warning("job %s may still be running on the engine, without effect on the tables; cancel it there: %s", name, reason)


def submit(flags: argparse.Namespace, beam_flags: Sequence[str], runner: PipelineRunner | None = None) -> None:
    """Submit one job and return, as a template's launcher must. Of a run split into several jobs (`flags.waves`), it is the first that is
    not complete; the last publishes the tables. `pdfmill report` shows the progress and later the result.

    Raises:
        UsageError: another run writes into the output.
        JobFailedError: the engine does not accept the job.
        pdfmill.transforms.storage.errors.SourceError: the output cannot be written.
    """
    holder = holder_of(flags.output)
    if holder is not None:
        raise UsageError(f"another run writes into {flags.output} ({holder.describe()}); wait until it has ended, or give another --output")
    new = Stage.of_job(flags.output, handed_over=True, waves=flags.waves)
    dry_run = PipelineOptions(beam_flags).view_as(TestOptions).dry_run  # in which no store is asked
    asked = "" if dry_run else asked_for(flags.sources, job_settings(flags, "part", flags.shards or 1), flags.waves)
    earlier = None if dry_run else earlier_stage(new, interrupted_runs(flags.output), asked)
    stage, wave = (earlier, next(_waves_to_run(earlier), None)) if earlier else (new, 0)
    at_end = AtEnd(
        stage.name,
        flags.output,
        tuple(flags.sources),
        flags.replace_anyway,
        runner_name(beam_flags),
        flags.waves,
    )
    if wave is None:
        pipeline = new_pipeline(beam_flags, runner, stage.job_name)
        _ = pipeline | "Complete" >> beam.Create([None]) | "Publish" >> beam.ParDo(_Publish(at_end))
    else:
        pipeline = build_pipeline(flags, beam_flags, stage, at_end, runner, wave)
    if earlier is None and not dry_run:
        stage.asks(asked)
        begin_notes(stage.notes_uri)
    try:
        pipeline.run()
    except _refusals() as error:
        if earlier is None:  # the stage of a job that nobody has would look like one under way
            stage.drop()
        raise JobFailedError(f"the engine did not accept the job: {error}") from error


class AtEnd(Struct, frozen=True):
    """The last step of a job for which no command waits: it publishes the tables. stage: name of the staging folder. replace_anyway:
    replace the old tables even if the new ones lack documents of a failed source. waves: number of the jobs that together write the
    tables."""

    stage: str
    output: str  # folder of the tables
    sources: tuple[str, ...]
    replace_anyway: bool
    runner: str
    waves: int = 1

    def __call__(self) -> None:
        """Publish the tables if all jobs of the run are complete; if an earlier attempt has begun to publish them, complete that.

        Raises:
            JobFailedError: the old tables are kept; the message has the reason.
        """
        try:
            with locked(self.output) as lock:
                self._publish(lock)
        except (KeptError, LockedError) as error:
            raise JobFailedError(str(error)) from error

    def _publish(self, lock: OutputLock) -> None:
        stage = Stage(self.output, self.stage, waves=self.waves)
        settle_output(self.output, stage)
        manifest = Manifest.load(self.output)
        if (manifest is not None and manifest.run == stage.name) or not stage.is_whole():
            return
        stage.whole()
        try:
            if not self.replace_anyway:
                check_replaces(stage.summary(), self.sources, self.output)
        except KeptError:
            stage.asks("")  # so that the next launch reads everything again
            raise
        now = datetime.now(UTC)
        started = stage.started or now
        stage.publish(lock, RunFile.of_run(started, (now - started).total_seconds(), self.runner, self.sources, stage.summary()))


class _Publish(beam.DoFn):
    def __init__(self, at_end: AtEnd) -> None:
        self._at_end, self._publish = at_end, carrying(at_end)

    def display_data(self) -> dict[str, Shown]:
        return {"replace_anyway": self._at_end.replace_anyway}

    def process(self, element: None) -> None:
        self._publish()
