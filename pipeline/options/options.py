"""All flags of `pdfmill index`: name, default, unit, help, validation, for the parser, the docs and the Dataflow templates."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.options.flag_values import at_least, seconds
from pdfmill.transforms.layout.document.sections import SectionSettings
from pdfmill.transforms.layout.settings.layout_settings import HyphenMode, LayoutSettings
from pdfmill.transforms.road.job_settings import JobSettings, ReadSettings
from pdfmill.transforms.scans.installed import ENGINES, missing
from pdfmill.transforms.storage.access import REDIRECTS, Reach, stores, use_stores
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri
from pdfmill.transforms.storage.store import output_places, source_places
from pdfmill.transforms.tables.output_layout import WriteSettings

#: The values of `--export`: kinds of assets.
EXPORT_KINDS: Final = ("attachment", "xfa", "image", "thumbnail")


class UsageError(ValueError):
    """A flag is unknown, missing or has a wrong value; the message names it and says what is accepted."""


def _kinds(text: str) -> frozenset[str]:
    kinds = frozenset(kind for kind in text.split(",") if kind and kind != "none")
    if unknown := kinds - set(EXPORT_KINDS):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: choose from {', '.join(EXPORT_KINDS)}, none")
    return kinds


class Option(Struct, frozen=True):
    """One flag of a command. convert: converts text to the value, or raises ArgumentTypeError; None for a switch. unit: of the value, for
    the help. choices: the allowed values; None for any."""

    name: str
    default: object
    help: str
    convert: Callable[[str], object] | None = str
    unit: str = ""
    choices: tuple[str, ...] | None = None

    @property
    def flag(self) -> str:
        """The flag as typed: `--max_bytes`."""
        return f"--{self.name}"


_READ: Final = ReadSettings()
_SECTIONS: Final = SectionSettings()

OPTIONS: Final = (
    Option("output", None, f"Folder of the tables: a local path, {output_places()}. Tables of an earlier run there are replaced."),
    Option(
        "workers",
        1,
        "Number of processes of a local run (without --runner); runners of Beam have their own flags.",
        at_least(1),
        "processes",
    ),
    Option(
        "shards",
        0,
        "Number of Parquet files per table. 0: one per batch of a local run; on runners of Beam one for about 20,000 pages.",
        at_least(0),
        "parts",
    ),
    Option(
        "batch_documents",
        1000,
        "A local run reads this many documents at a time, and writes a Parquet file of each table for them.",
        at_least(1),
        "documents",
    ),
    Option("batch_bytes", 1 << 30, "A batch of documents also ends when their listed sizes reach this.", at_least(1), "bytes"),
    Option("max_bytes", _READ.max_bytes, "Larger objects are not read; their row has the error code too_large.", at_least(1), "bytes"),
    Option(
        "seconds_per_document",
        _READ.seconds_per_document,
        "Time limit for a document's facts and first pages; then its row has the error code timed_out.",
        seconds,
        "seconds",
    ),
    Option(
        "seconds_per_page",
        _READ.seconds_per_page,
        "Time limit for a page; then its row has the error code timed_out, and the other pages are still read.",
        seconds,
        "seconds",
    ),
    Option(
        "max_memory",
        _READ.max_memory,
        "Memory limit of the parsing process; a document that needs more gets the error code out_of_memory.",
        at_least(1 << 26),
        "bytes",
    ),
    Option(
        "max_pages",
        _READ.max_pages,
        "Documents with more pages are not read; their row has the error code too_large.",
        at_least(1),
        "pages",
    ),
    Option(
        "max_glyphs",
        _READ.max_glyphs,
        "Pages with more characters are not read; their row has the error code too_large.",
        at_least(1),
        "glyphs",
    ),
    Option(
        "max_stream",
        _READ.max_stream,
        "Larger scripts, attachments, XMP or XFA streams, before or after decoding, are left out with a warning.",
        at_least(1),
        "bytes",
    ),
    Option(
        "max_nesting",
        _READ.max_nesting,
        "Depth to which trees of objects (outline, fields, tags, names, pages) are followed.",
        at_least(1),
        "levels",
    ),
    Option(
        "redirects",
        REDIRECTS[0],
        "Redirections that are followed: same-host, within one host; public, to hosts with public addresses; "
        "any, to all hosts; with any, lists may also name private hosts and files of this machine.",
        str,
        "",
        REDIRECTS,
    ),
    Option(
        "stores",
        None,
        "File of [[store]] tables: credentials, endpoint, region, who pays and encryption for buckets and prefixes; for other commands the "
        "variable PDFMILL_STORES names it.",
        str,
        "file",
    ),
    Option("no_isolation", False, "Parse documents in the worker process itself; a crash of a PDF library then ends the worker.", None),
    Option(
        "pages_per_range",
        _READ.pages_per_range,
        "Documents with more pages are split into ranges of this many pages, which several workers share.",
        at_least(1),
        "pages",
    ),
    Option("passwords", None, "File with one password per line to try on encrypted documents; local or in a store."),
    Option("attachment_depth", _READ.max_depth, "Number of levels of attached PDFs that get rows of their own.", at_least(0), "levels"),
    Option(
        "attachment_ratio",
        _READ.attachment_ratio,
        "Streams of 16 MiB or more that decompress to more than this many times their size are left out with a warning.",
        at_least(1),
        "times",
    ),
    Option(
        "attached_documents",
        _READ.max_children,
        "Largest number of attached PDFs of one input that get rows of their own, on all levels together.",
        at_least(0),
        "documents",
    ),
    Option(
        "export",
        ",".join(sorted(_READ.export)),
        "Assets to write under OUTPUT/files, by comma: attachment, xfa, image, thumbnail, or none.",
        _kinds,
    ),
    Option("keep_jpeg", False, "Export JPEG images as JPEG files, not as TIFF files that contain the same bytes.", None),
    Option(
        "hyphens",
        "on",
        "Line-end hyphens: on joins where a word results, soft only joins soft hyphens, off keeps all.",
        str,
        "",
        ("on", "soft", "off"),
    ),
    Option("ocr", False, "Recognise the text of pages that need OCR; the OCR program must be installed on every worker.", None),
    Option("ocr_redo", False, "With --ocr, also recognise pages whose OCR layer is bad (pages.ocr_quality below 0.8).", None),
    Option(
        "recognizer",
        _READ.recognizer,
        f"The OCR program: {', '.join(f'{name} is {engine.what}' for name, engine in ENGINES.items())}.",
        str,
        "",
        tuple(ENGINES),
    ),
    Option(
        "ocr_language",
        _READ.ocr_language,
        "Languages for OCR by Tesseract's names, e.g. eng+deu; auto chooses them from the pages, among those installed.",
    ),
    Option(
        "fold_typography",
        False,
        "Replace curly quotes, dashes, special spaces and compatibility forms (full width, superscripts, fractions) by plain ones.",
        None,
    ),
    Option("keep_furniture", False, "Keep running heads, footers and page numbers in pages.text.", None),
    Option("section_chars", _SECTIONS.chars, "Sections are cut at the ends of paragraphs to about this size.", at_least(100), "characters"),
)

#: Options of `pdfmill index` alone: a crawl has other rules for keeping old tables.
INDEX_OPTIONS: Final = (
    Option(
        "replace_anyway",
        False,
        "Replace the tables of an earlier run even if nothing could be read, or a source could not be listed completely.",
        None,
    ),
)

#: Options of runs whose end the command waits for.
WAITED_OPTIONS: Final = (
    Option(
        "waves",
        0,
        "With --runner: number of jobs that run one after the other, each over a share of the documents. If one ends early, the same "
        "command continues with the incomplete ones within two days. 0: as many as the listing needs, about 5 million pages each; "
        "with --shards 1.",
        at_least(0),
        "waves",
    ),
)

#: Options of submitted jobs, for whose end no command waits.
SUBMITTED_OPTIONS: Final = (
    Option(
        "waves",
        1,
        "Number of jobs that together write the tables, each over a share of the documents. Each launch with the same parameters within "
        "two days reads the first share that is not complete, and the last one publishes the tables.",
        at_least(1),
        "waves",
    ),
)

#: Options of the command but not of submitted jobs, because they control the printed output. `--dry_run=True` is an option of Dataflow.
PRINT_OPTIONS: Final = (
    Option("dry_run", False, "List the documents that would be read, each with its size in bytes, and read and write nothing.", None),
    Option("json", False, "Print the result of the run, or with --dry_run the documents, as JSON.", None),
    Option("report", None, "File to which the result of the run is written as JSON, however the run ends."),
    Option(
        "metrics",
        None,
        "File to which metrics of the run are written for Prometheus' textfile collector (NAME.prom), however the run ends.",
    ),
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _dashed(flag: str) -> tuple[str, ...]:
    return (flag, flag.replace("_", "-")) if "_" in flag else (flag,)


def index_parser(prog: str = "pdfmill index", more: Sequence[Option] = ()) -> argparse.ArgumentParser:
    """Make the parser of `pdfmill index`. Its `parse_known_args` returns flags of Apache Beam unparsed. more: further options."""
    parser = _Parser(
        prog=prog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        description="Read PDFs from storage and write Parquet tables of their text, structure and metadata.",
        epilog=(
            "SOURCE is a file, a folder, a glob (** crosses folders), @LIST (a file with one source a line), or an address or\n"
            f"prefix: {source_places('prefix')}.\n"
            "Credentials and endpoints come from each store's usual environment. With --runner, e.g. FlinkRunner, Apache Beam runs the\n"
            "job, and its own options pass through.\n\n"
            "exit codes: 0 all inputs read, 1 some failed (each has its row and reason), 2 nothing could be done: good tables of\n"
            "an earlier run are then left as they were (see --replace_anyway), 3 the engine's job failed or was cancelled: no table was\n"
            "replaced, 130 interrupted: run it again to go on\n\n"
            "example:\n  pdfmill index reports/ s3://archive/2026/ --output out"
        ),
    )
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="what to read")
    for option in (*OPTIONS, *more):
        _add(parser, option)
    return parser


def _add(parser: argparse.ArgumentParser, option: Option) -> None:
    shown = "" if option.default in (None, False) else f" (default: {option.default}{' ' + option.unit if option.unit else ''})"
    text = option.help + shown
    if option.convert is None:
        parser.add_argument(*_dashed(option.flag), dest=option.name, action="store_true", help=text)
    else:
        convert = option.convert
        parser.add_argument(
            *_dashed(option.flag), dest=option.name, type=convert, default=option.default, choices=option.choices, help=text,
            metavar=None if option.choices else (option.unit or option.name).upper().split("_")[-1],
            required=option.name == "output",
        )  # fmt: skip


def parse_index(argv: Sequence[str], more: Sequence[Option] = ()) -> tuple[argparse.Namespace, list[str]]:
    """Return the parsed flags of pdfmill, and the unparsed words of the command line, which are for Apache Beam. more: further options.

    Raises:
        UsageError: neither pdfmill nor Beam knows a flag; a value is not allowed; OCR was requested, but its command is not installed.
    """
    flags, rest = index_parser(more=more).parse_known_args(list(argv))
    try:
        use_stores(flags.stores)
    except SourceError as error:
        raise UsageError(f"--stores: {error}") from error
    _refuse_unknown(rest)
    if isinstance(flags.export, str):
        flags.export = _kinds(flags.export)
    here = not any(word.startswith("--runner") for word in rest)
    if flags.ocr and here and (lack := missing(flags.recognizer, flags.ocr_language)):
        raise UsageError(f"--ocr: {lack}")
    return flags, rest


def _beam_flags(rest: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of `rest`, which are no flags of pdfmill, that Apache Beam does not accept, and the names of all flags of Beam."""
    from apache_beam.options.pipeline_options import PipelineOptions  # Beam takes longer to import than a small job takes

    parser = _Parser(allow_abbrev=False, add_help=False, conflict_handler="resolve")
    for options in [PipelineOptions, *PipelineOptions.__subclasses__()]:
        add = getattr(options, "_add_argparse_args", None)
        if add is not None:
            add(parser)
    known = [flag for action in parser._actions for flag in action.option_strings]
    return parser.parse_known_args(list(rest))[1], known


def _refuse_unknown(rest: Sequence[str]) -> None:
    """Raise UsageError for flags in `rest` that neither pdfmill nor Beam knows, because Beam itself would ignore them with a warning."""
    if not rest:
        return
    ours = [option.flag for option in OPTIONS]
    if not any(word.startswith("--runner") for word in rest):  # then no flag is Beam's, which takes a second to load
        for word in rest:
            if near := difflib.get_close_matches(word.split("=")[0], ours, n=1, cutoff=0.8):
                raise UsageError(f"unknown flag {word.split('=')[0]!r}; did you mean {near[0]}?")
    try:
        left, known = _beam_flags(rest)
    except ModuleNotFoundError:
        if any(word.startswith("--runner") for word in rest):
            raise
        left, known = [*rest], []  # without Beam no flag can be Beam's
    for word in left:
        flag = word.split("=")[0]
        near = difflib.get_close_matches(flag, [*known, *ours], n=1)
        raise UsageError(f"unknown flag or stray word {word!r}" + (f"; did you mean {near[0]}?" if near else ""))


def reach_of(flags: argparse.Namespace) -> Reach:
    """Return which web hosts a job may send requests to, and the access options of stores. Private hosts that a source names are
    allowed."""
    return replace(Reach.of_sources(flags.redirects, flags.sources), stores=stores())


def job_settings(flags: argparse.Namespace, part_prefix: str, shards: int) -> JobSettings:
    """Make the settings of a job from its flags. part_prefix: of its Parquet files. shards: number of files of each table."""
    same = {name: getattr(flags, name) for name in ReadSettings.__struct_fields__ if name in flags}
    read = ReadSettings(
        **same,
        passwords_uri=flags.passwords,
        assets_uri=join_uri(flags.output, "files") if flags.export else None,
        max_depth=flags.attachment_depth,
        max_children=flags.attached_documents,
        isolate=not flags.no_isolation,
        reach=reach_of(flags),
    )
    layout = LayoutSettings(keep_furniture=flags.keep_furniture, hyphens=HyphenMode(flags.hyphens))
    return JobSettings(
        read, WriteSettings(flags.output, part_prefix, shards, stores=stores()), layout, SectionSettings(flags.section_chars)
    )
