"""`pdfmill export`: send rows of the tables to a search engine, a database or a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from msgspec.structs import replace

from pdfmill.pipeline.jobs.export_job import REFUSED, ExportOptions, export
from pdfmill.pipeline.options.flag_values import CommandParser, at_least
from pdfmill.pipeline.run.errors import EXIT_INTERRUPTED, EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.embeddings import BATCH, Embeddings, load_function
from pdfmill.transforms.tables.sinks.fields import EXPORTED
from pdfmill.transforms.tables.sinks.sink import API_KEY, PASSWORD, SINKS, SinkError, parse_target, target_examples


def export_parser() -> argparse.ArgumentParser:
    told = "\n".join(f"  {example:42} {kind.says}" for example, kind in zip(target_examples(), SINKS.values(), strict=True))
    parser = CommandParser(
        prog="pdfmill export",
        description="Send rows of the tables to a search engine, a database or a file.",
        epilog=(
            f"targets:\n{told}\n\nGive a user name in the target (https://user@host), and the password in the environment as\n{PASSWORD}, "
            f"or an API key of the engine in {API_KEY}.\n\n"
            "exit codes: 0 the target accepted all rows, 1 it refused some, 2 the export failed: the same command continues it,\n"
            "            130 interrupted: the same\n\n"
            "example:\n  pdfmill export out --to opensearch+https://feeder@search:9200/reports --follow"
        ),
    )
    parser.add_argument("output", metavar="DIR", help="the output of `pdfmill index` or of a crawl; may be in a store")
    parser.add_argument("--to", metavar="TARGET", required=True, help="where to send the rows, see below")
    parser.add_argument("--table", choices=EXPORTED, default=EXPORTED[0], help=f"the table whose rows are sent (default: {EXPORTED[0]})")
    parser.add_argument("--follow", action="store_true", help="send only what a crawl has changed since the last export to this target")
    parser.add_argument(
        "--refused",
        metavar="FILE",
        type=Path,
        default=REFUSED,
        help=f"file for rows that the target refuses, with the reason (default: {REFUSED})",
    )
    parser.add_argument(
        "--embed",
        metavar="MODULE:FUNCTION",
        help="your function that takes a list of texts and returns a vector for each, which becomes the row's `embedding`",
    )
    parser.add_argument(
        "--embed_batch",
        "--embed-batch",
        metavar="N",
        type=at_least(1),
        default=BATCH,
        help=f"number of texts per call of that function (default: {BATCH})",
    )
    parser.add_argument(
        "--embed_store",
        "--embed-store",
        metavar="FILE",
        default="embeddings.sqlite",
        help="file that stores the vectors, so that no text is computed twice",
    )
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 all rows were accepted, 1 some were refused, 2 nothing could be done, 130 interrupted."""
    flags = export_parser().parse_args(list(argv))
    try:
        target = parse_target(flags.to)
        options = ExportOptions(absolute_source(flags.output), target, flags.table, flags.follow, flags.refused)
        with closing(_embeddings(flags)) if flags.embed else nullcontext() as embeddings:
            if embeddings is not None:
                options = replace(options, embeddings=embeddings, dimensions=embeddings.dimensions)
            report = export(options)
            if embeddings is not None:
                report.notes.append(f"{embeddings.computed:,} embeddings were computed, the others were in {flags.embed_store}")
    except (SinkError, SourceError) as error:
        print(f"pdfmill export: {error}{_hint(error)}", file=sys.stderr)
        return EXIT_NOTHING_DONE
    except KeyboardInterrupt:
        print("pdfmill export: interrupted; run the same command again to continue", file=sys.stderr)
        return EXIT_INTERRUPTED
    for line in report.lines(options):
        print(line)
    return EXIT_SOME_FAILED if report.refused else EXIT_OK


def _hint(error: Exception) -> str:
    """Return a hint for the user if the tables were probably replaced while they were read; "" for any other error."""
    replaced = isinstance(error, SourceError) and error.code in ("not_found", "changed")
    return "; the tables were probably replaced while they were read: export again" if replaced else ""


def _embeddings(flags: argparse.Namespace) -> Embeddings:
    return Embeddings(load_function(flags.embed), flags.embed, flags.embed_store, flags.embed_batch)
