"""The command `pdfmill`: its subcommands and the functions that run them."""

from __future__ import annotations

import errno
import gc
import importlib
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

from pdfmill.pipeline.options.flag_values import ANY_FORMAT
from pdfmill.pipeline.run.errors import EXIT_INTERRUPTED, EXIT_NOTHING_DONE, EXIT_OK, interrupter
from pdfmill.pipeline.run.logs import LOG_FLAGS, LogFlagError, configure_logging, take_log_flags
from pdfmill.schemas.compiled import SLOW, runs_slowly
from pdfmill.schemas.extras import missing_extra

#: The commands with a description. Each is a module of `pdfmill.pipeline.cli` with `run(argv) -> exit code`, imported when it is used.
COMMANDS: Final = {
    "index": "read PDFs from storage and write Parquet tables",
    "show": f"print one PDF as {ANY_FORMAT}",
    "draw": "draw a page with its blocks, lines and reading order",
    "highlight": "find words on the pages: their boxes, Acrobat's highlight file, a picture",
    "crawl": "read what has changed since the last run and publish it in one step; for schedulers",
    "search": "find the pages of an output that match a query, with heading, passage and boxes",
    "export": "send rows of the tables to a search engine, a database or a file",
    "serve": "show the tables in a browser: search, and pages with matches marked",
    "report": "print what a run did: documents by status, reasons, sizes",
    "completion": "print a script that lets bash, zsh or fish complete commands and flags",
}

#: Commands that read many documents, and warn if no compiled modules are installed.
_JOBS: Final = ("index", "crawl")
#: Error numbers of a full disk; an OSError without file name that has one of these concerns the standard output.
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def usage() -> str:
    """Return the help of `pdfmill` itself."""
    width = max(map(len, [*COMMANDS, "help COMMAND"]))
    lines = [
        f"  {name:{width}} {sentence}" for name, sentence in [*COMMANDS.items(), ("help COMMAND", "explain the command and its flags")]
    ]
    flags = [f"  {flag:{max(map(len, LOG_FLAGS))}} {sentence}" for flag, sentence in LOG_FLAGS.items()]
    return "\n".join(
        ["usage: pdfmill COMMAND ...", "", *lines, "", "flags that every command takes, besides its own:", *flags, "", *_CODES]
    )


_CODES: Final = (
    "exit codes: 0 everything was read, 1 some inputs or pages failed (each is named), 2 nothing could be done, "
    "3 the engine's job failed or was cancelled, 130 interrupted",
)


def complain(command: str, message: str) -> int:
    """Print an error of a command to the standard error, and return the exit code for "nothing done"."""
    print(f"pdfmill {command}: {message}", file=sys.stderr)
    return EXIT_NOTHING_DONE


def run(argv: Sequence[str]) -> int:
    """Run a command line without the word `pdfmill`, and return its exit code: 0 all fine, 1 some inputs failed, 2 nothing could be
    done."""
    try:
        words, logging_wanted = take_log_flags(argv)
    except LogFlagError as error:
        print(f"pdfmill: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if not words or words[0] in ("-h", "--help"):
        print(usage())
        return EXIT_OK if words else EXIT_NOTHING_DONE
    if words[0] in ("-V", "--version"):
        print(f"pdfmill {importlib.import_module('pdfmill.schemas.version').version()}")
        return EXIT_OK
    if words[0] not in COMMANDS:
        import difflib  # only a typo needs it

        near = difflib.get_close_matches(words[0], COMMANDS, n=1)
        asked = f"; did you mean {near[0]}?" if near else ""
        print(f"pdfmill: no command {words[0]!r}{asked}\n\n{usage()}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    configure_logging(logging_wanted)
    try:
        gc.disable()  # modules leave no garbage: to look for it takes a tenth of the time that they take to import
        command = importlib.import_module(f"pdfmill.pipeline.cli.{words[0]}")
        gc.enable()
        if "pyarrow" in sys.modules:
            importlib.import_module("pdfmill.transforms.tables.arrow_alone").probe_without_pandas()
        if words[0] in _JOBS and runs_slowly():
            logging.getLogger("pdfmill").warning(SLOW)
        code = command.run(words[1:])
    except ModuleNotFoundError as error:
        if (lack := missing_extra(error, words[0])) is None:
            raise
        print(f"pdfmill: {lack}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    assert isinstance(code, int)
    return code


def main() -> int:
    """Run the command line of this process, as the installed program `pdfmill` does, and return the exit code."""
    signal.signal(signal.SIGTERM, interrupter())  # of a scheduler, a shutdown: it ends a command as Ctrl-C does
    try:
        code = run(sys.argv[1:])
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("pdfmill: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # `pdfmill show ... | head`
        _drop_output()
        return EXIT_OK
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        _drop_output()
        print(f"pdfmill: the standard output cannot be written: {error.strerror}", file=sys.stderr)
        return EXIT_NOTHING_DONE


def _drop_output() -> None:
    """Discard output that is not printed yet, so that Python reports no broken pipe when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
