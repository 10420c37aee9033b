"""Hand a job over and return: what the launcher of a template runs. Not a word of the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from apache_beam.runners.runner import PipelineRunner

from pipeline.engine import submit
from pipeline.main import EXIT_NOTHING_DONE, EXIT_OK
from pipeline.options import UsageError, parse_index
from pipeline.template import command_line
from transforms.storage.errors import SourceError
from transforms.storage.sources import absolute_source


def run(parameters: Sequence[str], runner: PipelineRunner | None = None) -> int:
    """The exit code: 0 the engine has the job, 2 it has not. runner: instead of the one that the parameters name."""
    try:
        flags, beam_flags = parse_index(command_line(parameters))
        flags.output = absolute_source(flags.output)
        submit(flags, beam_flags, runner)
    except (UsageError, SourceError) as error:
        print(f"pdfmill: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    return EXIT_OK
