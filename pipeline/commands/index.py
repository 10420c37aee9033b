"""`pdfmill index`: read PDFs from storage, write the tables, say what happened."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from pipeline.embedded import EMBEDDED_RUNNERS, batches, embedded_options, run_batch, settle_process
from pipeline.engine import JobFailedError, run_on_engine, stale_parts
from pipeline.engine_flags import check_engine, runner_name
from pipeline.live import Expectation, live_progress
from pipeline.main import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pipeline.options import UsageError, job_settings, parse_index
from pipeline.summary import RunFile, Summary, summarize, summary_lines
from schemas.public import without_secrets
from schemas.records import DocumentRef
from transforms.storage.errors import SourceError
from transforms.storage.objects import check_writable, delete_file
from transforms.storage.sources import absolute_source, list_sources
from transforms.version import version
from transforms.write_tables import part_names


def run(argv: Sequence[str]) -> int:
    """The exit code: 0 all inputs read, 1 some failed, 2 nothing could be done."""
    try:
        flags, beam_flags = parse_index(argv)
        check_engine(flags, beam_flags)
        settle_process()
        flags.output = absolute_source(flags.output)
        check_writable(flags.output)
        return _index(flags, beam_flags)
    except (UsageError, SourceError, JobFailedError) as error:
        print(f"pdfmill index: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE


def _index(flags: argparse.Namespace, beam_flags: list[str]) -> int:
    started, clock = datetime.now(UTC), time.monotonic()
    runner = runner_name(beam_flags)
    written = _run_embedded(flags, beam_flags) if runner in EMBEDDED_RUNNERS else run_on_engine(flags, beam_flags)
    for uri in stale_parts(flags.output, written):
        delete_file(uri)
    run_file = RunFile(started.isoformat(timespec="seconds"), round(time.monotonic() - clock, 3), version(), runner, [without_secrets(each) for each in flags.sources])
    run_file.save(flags.output)
    summary = summarize(flags.output)
    for line in summary_lines(summary, run_file):
        print(line)
    print(f"written to {flags.output}")
    return exit_code(summary)


def exit_code(summary: Summary) -> int:
    """0 when everything was read, 2 when nothing was, 1 between."""
    if not summary.readable:
        return EXIT_NOTHING_DONE
    return EXIT_SOME_FAILED if summary.bad else EXIT_OK


def _listed(sources: Iterable[str], expectation: Expectation) -> Iterator[DocumentRef]:
    for document in list_sources(sources):
        expectation.listed += 1
        yield document
    expectation.complete = True


def _run_embedded(flags: argparse.Namespace, beam_flags: Sequence[str]) -> set[str]:
    written: set[str] = set()
    expectation = Expectation()
    options = embedded_options(beam_flags, flags.workers)
    with live_progress(expectation):
        found = _listed(flags.sources, expectation)
        for number, batch in enumerate(batches(found, flags.batch_documents, flags.batch_bytes)):
            settings = job_settings(flags, f"part-{number:05d}", flags.shards or 1)
            run_batch(batch, settings, options)
            written.update(part_names(settings.write))
    return written
