"""`pdfmill index`: read PDFs from storage, write the tables, say what happened."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from pipeline.main import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pipeline.options import UsageError, job_settings, parse_index
from pipeline.run.errors import JobFailedError
from pipeline.run.local import LOCAL, batches, local_workers, run_batch
from pipeline.run.progress import Progress, live_progress
from pipeline.run.scratch import scratch_folder
from pipeline.summary import RunFile, Summary, summarize, summary_lines
from schemas.public import without_secrets
from schemas.records import TABLE_NAMES, DocumentRef
from transforms.storage.errors import SourceError
from transforms.storage.local import UNFINISHED
from transforms.storage.objects import check_writable, delete_file, join_uri, list_files
from transforms.storage.sources import absolute_source, list_sources
from transforms.tables.names import part_names
from transforms.version import version


def run(argv: Sequence[str]) -> int:
    """The exit code: 0 all inputs read, 1 some failed, 2 nothing could be done."""
    try:
        flags, beam_flags = parse_index(argv)
        if beam_flags:
            importlib.import_module("pipeline.engine_flags").check_engine(flags, beam_flags)
        flags.output = absolute_source(flags.output)
        check_writable(flags.output)
        return _index(flags, beam_flags)
    except (UsageError, SourceError, JobFailedError) as error:
        print(f"pdfmill index: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE


def _index(flags: argparse.Namespace, beam_flags: list[str]) -> int:
    started, clock = datetime.now(UTC), time.monotonic()
    runner = importlib.import_module("pipeline.engine_flags").runner_name(beam_flags) if beam_flags else LOCAL
    # Beam is only imported where it runs the job: that takes longer than a small job takes.
    written = importlib.import_module("pipeline.engine").run_on_engine(flags, beam_flags) if beam_flags else _run_here(flags)
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


def _listed(sources: Iterable[str], progress: Progress) -> Iterator[DocumentRef]:
    for document in list_sources(sources):
        progress.listed += 1
        yield document
    progress.complete = True


def stale_parts(output: str, written: set[str]) -> list[str]:
    """Parts of an earlier run, whose rows would mix with ours, and what a process that was killed had begun to write."""
    files = [uri for table in TABLE_NAMES for uri in list_files(join_uri(output, table), "")]
    return [uri for uri in files if uri not in written and (uri.endswith(".parquet") or uri.rpartition("/")[2].startswith(UNFINISHED))]


def _run_here(flags: argparse.Namespace) -> set[str]:
    written: set[str] = set()
    progress = Progress()
    first = job_settings(flags, "part", 1)
    with live_progress(progress), scratch_folder() as scratch, local_workers(flags.workers, first.read) as workers:
        found = _listed(flags.sources, progress)
        for number, batch in enumerate(batches(found, flags.batch_documents, flags.batch_bytes)):
            job = job_settings(flags, f"part-{number:05d}", flags.shards or 1)
            run_batch(batch, job, workers, scratch, progress)
            written.update(part_names(job.write))
    return written
