"""`pdfmill report`: print a summary of a run, computed from its tables."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pdfmill.pipeline.crawl.report import failing, failing_json, failing_lines, failing_list, history, history_lines, history_picture
from pdfmill.pipeline.options.flag_values import CommandParser
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK
from pdfmill.pipeline.run.staging import unfinished_lines
from pdfmill.pipeline.run.summary import RunFile, run_json, summary_lines
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.output_layout import published_parts
from pdfmill.transforms.tables.write_summary import summarize


def run(argv: Sequence[str]) -> int:
    """Print documents by status, errors, pages per second and sizes; return the exit code. argv: words after `pdfmill report`."""
    parser = CommandParser(
        prog="pdfmill report", description="Print what a run did: documents by status, reasons, pages per second, sizes."
    )
    parser.add_argument(
        "output", metavar="DIR", help="the folder given to `pdfmill index --output`, or a crawl's output; may be in a store"
    )
    parser.add_argument("--picture", metavar="FILE", help="also draw the history of a crawl's runs in this file, as SVG")
    parser.add_argument("--html", metavar="FILE", help="write the report to this file as one page for a browser, with sample pages")
    parser.add_argument(
        "--failing", action="store_true", help="list the documents that are not ok, and for a crawl also stale ones, and since when"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON with the names of `index --json`; for a crawl its last run, or with --failing the failing documents",
    )
    parser.add_argument("--list", metavar="FILE", help="write the failing documents to this file, as a list that can be a source (@FILE)")
    flags = parser.parse_args(list(argv))
    output = absolute_source(flags.output)
    try:
        if flags.failing or flags.list:
            return _report_failing(output, flags)
        if flags.html:
            return _report_page(output, flags.html)
        if reports := history(output):
            return _report_crawl(reports, flags)
        summary, run_file, unfinished = summarize(published_parts(output)).summary, RunFile.load(output), list(unfinished_lines(output))
    except SourceError as error:
        print(f"pdfmill report: {error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    except OSError as error:
        if error.filename is None:  # the standard output, of which `main` tells
            raise
        print(f"pdfmill report: {error.filename}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    if not flags.json:
        for line in unfinished:
            print(line)
    if "documents" not in summary.rows:
        print(f"pdfmill report: {output} is no output of pdfmill: it has no table documents", file=sys.stderr)
        return EXIT_NOTHING_DONE
    if flags.json:
        print(json.dumps({**run_json(output, run_file, summary), "unfinished": unfinished}, ensure_ascii=False, indent=1))
        return EXIT_OK
    if run_file is not None:
        print(f"run of {run_file.started} by pdfmill {run_file.version} on {run_file.runner}: {' '.join(run_file.sources)}")
    for line in summary_lines(summary, run_file):
        print(line)
    return EXIT_OK


def _report_page(output: str, path: str) -> int:
    page = importlib.import_module("pdfmill.pipeline.report.report_file")  # what it needs, no other report does
    gathered = importlib.import_module("pdfmill.pipeline.report.gather").gather(output)
    text = page.report_html(page.Page(output, gathered, RunFile.load(output), history(output), list(unfinished_lines(output))))
    Path(path).write_text(text, encoding="utf-8")
    print(f"the report was written to {path}")
    return EXIT_OK


def _report_crawl(reports: Sequence[Mapping[str, Any]], flags: argparse.Namespace) -> int:
    """Print the history of a crawl's runs, draw it as a picture if requested, and return the exit code. reports: the oldest first."""
    if flags.json:
        print(json.dumps(reports[-1], indent=1))
        return EXIT_OK
    for line in history_lines(reports):
        print(line)
    if flags.picture:
        Path(flags.picture).write_text(history_picture(reports), encoding="utf-8")
        print(f"the picture was written to {flags.picture}")
    return EXIT_OK


def _report_failing(output: str, flags: argparse.Namespace) -> int:
    found = failing(output)
    if flags.list:
        Path(flags.list).write_text(failing_list(found), encoding="utf-8")
    if flags.failing and flags.json:
        print(failing_json(found), end="")
    elif flags.failing:
        for line in failing_lines(found):
            print(line)
    return EXIT_OK
