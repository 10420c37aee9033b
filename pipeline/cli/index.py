"""`pdfmill index`: read PDFs from storage, write the tables, report the result."""

from __future__ import annotations

import argparse
import importlib
import json
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from pdfmill.pipeline.jobs.index_job import Watch, run_job
from pdfmill.pipeline.options.options import INDEX_OPTIONS, PRINT_OPTIONS, WAITED_OPTIONS, Option, UsageError, parse_index, reach_of
from pdfmill.pipeline.run.errors import (
    EXIT_INTERRUPTED,
    EXIT_JOB_ENDED,
    EXIT_NOTHING_DONE,
    EXIT_OK,
    EXIT_SOME_FAILED,
    JobFailedError,
    JobNotTakenError,
    interrupter,
)
from pdfmill.pipeline.run.staging import KeptError, is_publishing, left_line, old_tables, unfinished_lines
from pdfmill.pipeline.run.summary import RunFile, counted, index_gauges, missing_folder, run_json, summary_lines, write_metrics
from pdfmill.schemas.public import printable, without_secrets
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.scratch import own_temporary_folder
from pdfmill.transforms.storage.sources import absolute_source, list_sources
from pdfmill.transforms.tables.lock import LockedError
from pdfmill.transforms.tables.write_summary import Summary


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 all inputs read, 1 some failed, 2 nothing could be done, 3 the job ended early, 130
    interrupted."""
    try:
        flags, beam_flags = parse_index(argv, (*INDEX_OPTIONS, *WAITED_OPTIONS, *_printing(argv)))
        if lack := missing_folder(flags.report, flags.metrics):
            raise UsageError(lack)
    except UsageError as error:
        return _failed(error, EXIT_NOTHING_DONE)
    ended, code = _Ended(flags), EXIT_NOTHING_DONE
    try:
        code = _coded(flags, beam_flags, ended)
    finally:
        ended.tell(code)
    return code


class _Ended:
    """Writes the report and the metrics of a run. done: (summary, record of the run); None until the run's tables are published."""

    def __init__(self, flags: argparse.Namespace) -> None:
        self._flags, self._started = flags, datetime.now(UTC)
        self.done: tuple[Summary, RunFile] | None = None
        self.message = ""

    def tell(self, code: int) -> None:
        """Write the report and the metrics. code: exit code of the command."""
        summary, run = self.done or (Summary(), RunFile.of_run(self._started, 0.0, "", self._flags.sources, Summary()))
        run.exit_code = code
        if getattr(self._flags, "dry_run", False):
            return
        if self._flags.report:
            report = {**run_json(self._flags.output, run, summary), "message": without_secrets(self.message)}
            Path(self._flags.report).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        if self._flags.metrics:
            write_metrics("index", index_gauges(run), self._flags.metrics)


def _failed(error: Exception, code: int) -> int:
    print(f"pdfmill index: {error}", file=sys.stderr)
    return code


def _coded(flags: argparse.Namespace, beam_flags: list[str], ended: _Ended) -> int:
    try:
        if beam_flags:
            importlib.import_module("pdfmill.pipeline.engine.engine_flags").check_engine(flags, beam_flags)
        flags.output = absolute_source(flags.output)
        if getattr(flags, "dry_run", False):
            return _list(flags)
        interrupts = _Interrupts()
        with interrupts.heeded(), own_temporary_folder() if beam_flags else nullcontext():
            return _index(flags, beam_flags, interrupts, ended)
    except KeyboardInterrupt:
        ended.message = "interrupted"
        return EXIT_INTERRUPTED
    except (KeptError, SourceError, UsageError, LockedError, JobFailedError) as error:
        ended.message = str(error)
        told = f"{error.code}: {error}" if isinstance(error, SourceError) else error
        before = error.reasons if isinstance(error, KeptError) else []
        after = _after_store_error(flags.output) if isinstance(error, SourceError) and error.code == "store_error" else []
        print("\n".join([*before, f"pdfmill index: {told}", *after]), file=sys.stderr)
        return EXIT_JOB_ENDED if isinstance(error, JobFailedError) and not isinstance(error, JobNotTakenError) else EXIT_NOTHING_DONE


def _printing(argv: Sequence[str]) -> list[Option]:
    """Return the options that control what is printed, without `--dry_run` if it has a value, because then it is Beam's flag."""
    beams = any(word.replace("-", "_").startswith("__dry_run=") for word in argv)
    return [option for option in PRINT_OPTIONS if not (beams and option.name == "dry_run")]


class _Interrupts:
    """Makes SIGTERM (from a scheduler or a shutdown) end the run as Ctrl-C does: the lock is released, and a message says what remains."""

    def __init__(self) -> None:
        self._met = False

    def _meet(self) -> None:
        self._met = True

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal has arrived. Python ignores the handler's own error while a finalizer runs."""
        if self._met:
            raise KeyboardInterrupt

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Handle signals while the block runs. Only the main thread receives them, so in other threads this does nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        interrupt = interrupter(self._meet)
        before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _index(flags: argparse.Namespace, beam_flags: list[str], interrupts: _Interrupts, ended: _Ended) -> int:
    try:
        summary, run_file = ended.done = run_job(flags, beam_flags, Watch(check=interrupts.check))
    except KeyboardInterrupt:
        print(f"pdfmill index: interrupted\n{chr(10).join(_interrupted(flags.output))}", file=sys.stderr)
        raise
    if flags.json:
        print(json.dumps(run_json(flags.output, run_file, summary), ensure_ascii=False))
    else:
        end = f"written to {flags.output}" if summary.readable else f"nothing could be read; the table documents in {flags.output} says why"
        print("\n".join([*summary_lines(summary, run_file), end]))
    return run_file.exit_code


def _list(flags: argparse.Namespace) -> int:
    """Print the documents that a run would read to the standard output, and sources that cannot be listed to the standard error."""
    found, size, failed = 0, 0, 0
    for ref in list_sources(flags.sources, reach_of(flags)):
        if ref.failure is not None:
            failed += 1
            print(f"pdfmill index: {ref.failure.code}: {ref.failure.message}", file=sys.stderr)
            continue
        found, size = found + 1, size + (ref.size or 0)
        if flags.json:
            print(json.dumps({"source_uri": ref.uri, "doc_id": ref.doc_id, "size": ref.size}, ensure_ascii=False))
        else:
            print(f"{ref.size if ref.size is not None else '?':>12}  {printable(ref.uri)}")
    print(f"{counted(found, 'document')}, {size / 1e6:,.1f} MB would be read into {flags.output}; this was a dry run", file=sys.stderr)
    return EXIT_NOTHING_DONE if not found else EXIT_SOME_FAILED if failed else EXIT_OK


def _after_store_error(output: str) -> list[str]:
    """Return lines for the user after a failed write: how to continue the run, or why the output cannot be read."""
    try:
        return list(_interrupted(output))
    except SourceError as error:
        return [f"{output} cannot be read either: {error}"]


def _interrupted(output: str) -> Iterator[str]:
    if not is_publishing(output):
        old = old_tables(output)
        yield left_line(output, old) if old.documents else f"{output} had no tables before, and has none now"
    yield from unfinished_lines(output)
