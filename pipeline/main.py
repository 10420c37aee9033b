"""The command `pdfmill`: which words it knows, and what each of them runs."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final

from pipeline.logs import configure_logging

#: Command, and its sentence. Each is a module of `pipeline.commands` with `run(argv) -> exit code`, imported when asked for.
COMMANDS: Final = {
    "index": "the main job: PDFs in storage to Parquet tables",
    "show": "one PDF as text, Markdown, HTML or JSON, at once",
    "draw": "a page with its blocks, lines and reading order drawn over it",
    "highlight": "where words stand on the pages: boxes, Acrobat's highlight file, a picture",
    "crawl": "what has changed since the last run, read and shown in one step; for schedulers",
    "search": "pages of an output that answer a query, with heading, passage and the boxes of the words",
    "serve": "the tables in a browser: search, and pages with their marks",
    "report": "what a run did: documents by status, reasons, sizes",
}

EXIT_OK: Final = 0
EXIT_SOME_FAILED: Final = 1
EXIT_NOTHING_DONE: Final = 2
EXIT_INTERRUPTED: Final = 130


def usage() -> str:
    """The help of the command itself."""
    lines = [f"  {name:9} {sentence}" for name, sentence in COMMANDS.items()]
    return "\n".join(["usage: pdfmill COMMAND ...", "", *lines, "", "pdfmill COMMAND --help tells more."])


def run(argv: Sequence[str]) -> int:
    """Run a command line and return its exit code: 0 all fine, 1 some inputs failed, 2 nothing could be done."""
    if not argv or argv[0] in ("-h", "--help"):
        print(usage())
        return EXIT_OK if argv else EXIT_NOTHING_DONE
    if argv[0] in ("-V", "--version"):
        print(f"pdfmill {importlib.import_module('transforms.version').version()}")
        return EXIT_OK
    if argv[0] not in COMMANDS:
        print(f"pdfmill: no command {argv[0]!r}\n\n{usage()}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    configure_logging()
    gc.disable()  # modules leave no garbage: to look for it takes a tenth of the time that they take to import
    command = importlib.import_module(f"pipeline.commands.{argv[0]}")
    gc.enable()
    code = command.run(list(argv[1:]))
    assert isinstance(code, int)
    return code


def main() -> int:
    """Entry point of the console script."""
    try:
        return run(sys.argv[1:])
    except KeyboardInterrupt:
        print("pdfmill: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # `pdfmill show ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
