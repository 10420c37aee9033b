"""Submit a job to an engine without waiting for its end, for the launcher of a Dataflow template. This is no command of `pdfmill`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from apache_beam.runners.runner import PipelineRunner

from pdfmill.pipeline.crawl.config import parse_crawl
from pdfmill.pipeline.crawl.local_run import begin
from pdfmill.pipeline.crawl.on_engine import build_job
from pdfmill.pipeline.engine.engine import submit
from pdfmill.pipeline.engine.engine_flags import check_engine, runner_name
from pdfmill.pipeline.jobs.template import command_line
from pdfmill.pipeline.options.options import INDEX_OPTIONS, SUBMITTED_OPTIONS, UsageError, parse_index
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, JobFailedError
from pdfmill.pipeline.run.local import LOCAL
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source


def run(parameters: Sequence[str], runner: PipelineRunner | None = None) -> int:
    """Submit a job of `pdfmill index` and return the exit code: 0 the engine accepted it, 2 it did not. parameters: as `--name=value`."""
    return _launched(_index, parameters, runner)


def run_crawl(parameters: Sequence[str], runner: PipelineRunner | None = None) -> int:
    """Submit a job of `pdfmill crawl`, which commits and writes its report itself; parameters and result as in `run`."""
    return _launched(_crawl, parameters, runner)


def _launched(launch: Callable[[list[str], PipelineRunner | None], None], parameters: Sequence[str], runner: PipelineRunner | None) -> int:
    try:
        launch(command_line(parameters), runner)
    except (UsageError, SourceError, JobFailedError) as error:
        print(f"pdfmill: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    return EXIT_OK


def _index(words: list[str], runner: PipelineRunner | None) -> None:
    flags, beam_flags = parse_index(words, (*INDEX_OPTIONS, *SUBMITTED_OPTIONS))
    flags.output = absolute_source(flags.output)
    _check(flags, beam_flags)
    submit(flags, beam_flags, runner)


def _check(flags: argparse.Namespace, beam_flags: list[str]) -> None:
    if runner_name(beam_flags) == LOCAL:
        raise UsageError("a template's launcher needs an engine for the job: give --runner, e.g. --runner=DataflowRunner")
    check_engine(flags, beam_flags)


def _crawl(words: list[str], runner: PipelineRunner | None) -> None:
    config, allow_mass_delete = parse_crawl(words)
    build_job(config, *begin(config), allow_mass_delete=allow_mass_delete, upkeep=True, runner=runner).run()
