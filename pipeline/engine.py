"""Every other runner of Beam: one pipeline over all sources, which are listed on the workers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

import apache_beam as beam
import grpc
from apache_beam.options.pipeline_options import PipelineOptions, SetupOptions
from apache_beam.runners.runner import PipelineRunner, PipelineState

from pipeline.graph import index_documents
from pipeline.options import UsageError, job_settings
from pipeline.run.errors import JobFailedError
from schemas.tables import TABLES
from transforms.settings import JobSettings
from transforms.steps.find_documents import FindDocuments, Sources
from transforms.storage.local import UNFINISHED
from transforms.storage.objects import join_uri, list_files
from transforms.storage.sources import absolute_source
from transforms.tables.names import part_names

#: Parts per table where the flag says nothing: a part of 1 GB for about five million pages.
SHARDS: Final = 32

#: `DirectRunner` would try to download another runner first.
_IN_PROCESS: Final = {f"--runner{between}{name}": "--runner=FnApiRunner" for between in ("=",) for name in ("DirectRunner", "direct")}


def engine_settings(flags: argparse.Namespace) -> JobSettings:
    """What the steps are told when one pipeline does it all."""
    return job_settings(flags, "part", flags.shards or SHARDS)


def new_pipeline(beam_flags: Sequence[str], runner: PipelineRunner | None = None) -> beam.Pipeline:
    """A pipeline without steps. runner: instead of the one that the flags name.

    Raises:
        UsageError: Beam refuses the flags.
    """
    options = PipelineOptions([_IN_PROCESS.get(flag, flag) for flag in beam_flags])
    options.view_as(SetupOptions).save_main_session = False
    try:
        return beam.Pipeline(runner=runner, options=options)
    except (ValueError, ImportError) as error:  # its checks of the options; a runner whose package is not installed
        raise UsageError(str(error)) from error


def build_pipeline(flags: argparse.Namespace, beam_flags: Sequence[str], runner: PipelineRunner | None = None) -> beam.Pipeline:
    """The job, not yet running. runner: instead of the one that the flags name."""
    sources = [absolute_source(source) for source in flags.sources]
    pipeline = new_pipeline(beam_flags, runner)
    documents = pipeline | "Sources" >> Sources(sources) | "FindDocuments" >> FindDocuments()
    index_documents(documents, engine_settings(flags))
    return pipeline


def run_on_engine(flags: argparse.Namespace, beam_flags: Sequence[str]) -> set[str]:
    """Run the job to its end; the addresses of the parts it wrote.

    Raises:
        JobFailedError: see there.
    """
    run_to_end(build_pipeline(flags, beam_flags))
    return set(part_names(engine_settings(flags).write))


def run_to_end(pipeline: beam.Pipeline) -> None:
    """Run a job and wait for its end.

    Raises:
        JobFailedError: see there.
    """
    try:
        state = pipeline.run().wait_until_finish()
    except grpc.FutureTimeoutError as error:
        raise JobFailedError("the job failed: no job server answers at --job_endpoint") from error
    except (RuntimeError, grpc.RpcError) as error:  # the first is what Beam's runners raise for a job that failed
        raise JobFailedError(f"the job failed: {error}") from error
    if state not in (None, PipelineState.DONE):
        raise JobFailedError(f"the job ended as {state}")


def submit(flags: argparse.Namespace, beam_flags: Sequence[str], runner: PipelineRunner | None = None) -> None:
    """Hand the job over and return, as a template's launcher has to; `pdfmill report` tells later what it did.

    Raises:
        UsageError: the output holds parts that the job would leave among its own.
    """
    strangers = stale_parts(flags.output, set(part_names(engine_settings(flags).write)))
    if strangers:
        raise UsageError(f"{flags.output} holds parts of another run, e.g. {strangers[0]}; give an empty folder or the same --shards")
    build_pipeline(flags, beam_flags, runner).run()


def stale_parts(output: str, written: set[str]) -> list[str]:
    """Parts of an earlier run, whose rows would mix with ours, and what a process that was killed had begun to write."""
    files = [uri for table in TABLES for uri in list_files(join_uri(output, table), "")]
    return [uri for uri in files if uri not in written and (uri.endswith(".parquet") or uri.rpartition("/")[2].startswith(UNFINISHED))]
