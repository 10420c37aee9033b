"""The configuration of a crawl: a TOML file, which is checked before anything is changed. Every error names its line."""

from __future__ import annotations

import argparse
import difflib
import hashlib
import importlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pdfmill.pipeline.crawl.decide import Budget, Policy, Rules
from pdfmill.pipeline.crawl.listings import folder_uri
from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.pipeline.options.flag_values import at_least, real_number
from pdfmill.pipeline.options.options import OPTIONS, Option, UsageError, job_settings, parse_index, reach_of
from pdfmill.schemas.public import without_secrets
from pdfmill.schemas.version import version
from pdfmill.transforms.delta.delta_log import TABLE_FOLDER
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.storage.access import stores_of
from pdfmill.transforms.storage.addresses import UrlAddress
from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.objects import join_uri, read_file, write_new
from pdfmill.transforms.storage.sources import absolute_source, split_mark
from pdfmill.transforms.storage.store import kind_of

_TABLES: Final = ("crawl", "options", "beam")
_KEYS: Final = ("sources", "source", "store", "output", *_TABLES)
#: Keys of a `[[source]]` table, besides those of `[crawl]` that a source may override.
_OF_A_SOURCE: Final = ("name", "from", "include", "exclude", "max_bytes", "priority", "id_base", "events")

#: Settings of reading that do not change the rows: folders, speed and safety. Whether `assets_uri` is set does, but `export` shows that;
#: passwords count by the content of their file.
_NO_EFFECT_ON_ROWS: Final = frozenset(
    {
        "assets_uri", "passwords_uri", "pages_per_range", "isolate", "seconds_per_document", "seconds_per_page", "max_memory",
        "cache_documents", "cache_bytes", "reach", "sample_pages",
    }
)  # fmt: skip


#: Folders of exported assets. Tools that clean Delta tables spare names that begin with _; older versions of pdfmill used the second name.
ASSET_FOLDERS: Final = ("_files", "files")


class Setting(Struct, frozen=True):
    """A key of the configuration's table `[crawl]`. least: the smallest allowed value of a number."""

    default: float | int | bool
    help: str
    least: float = 0


SETTINGS: Final = {
    "retry_after_hours": Setting(1.0, "After a reading that failed temporarily, the object is read again after this time."),
    "max_attempts": Setting(
        5, "After this many failed readings in a row, an object is not read again until it changes; failures of the store do not count.", 1
    ),
    "stale_days": Setting(30.0, "If later readings fail temporarily, the rows of the last good reading are kept for this time ..."),
    "stale_attempts": Setting(0, "... or until this many readings have failed; 0: no such limit."),
    "redo": Setting(True, "Read documents again that were read by another version of pdfmill, or with settings that give other rows."),
    "max_documents": Setting(0, "A command reads about this many documents, and leaves the others to the next command. 0: all."),
    "max_hours": Setting(0.0, "A command publishes its last snapshot after about this many hours. 0: when everything is read."),
    "snapshot_documents": Setting(100_000, "After about this many documents a snapshot is published, and the sources are listed again.", 1),
    "redo_share": Setting(
        0.1, "New and changed documents are read first; this share is kept for documents that are only read again."
    ),
    "max_delete_count": Setting(10, "Deletes are withheld if they concern more than this many objects of a source ..."),
    "max_delete_share": Setting(0.1, "... and more than this share of it."),
    "dead_days": Setting(0.0, "Documents of a source that cannot be listed are deleted after this time; 0: they are kept."),
    "keep_days": Setting(7.0, "vacuum keeps the files of snapshots and runs of the last days."),
    "keep_changes_days": Setting(90.0, "The table of changes goes back this far; 0: to the first run."),
    "keep_deleted_days": Setting(365.0, "Rows about deleted objects are kept for this time; 0: for ever."),
    "part_bytes": Setting(128 << 20, "compact makes Parquet files of up to this size.", 1),
    "mark_deletes": Setting(True, "Deleted rows are only marked (deletion vectors); false, for Trino and Iceberg: files are rewritten."),
    "each_table": Setting(False, "Each table is a Delta table of its own too, over the same files, as in OUTPUT/table_name=pages."),
    "upkeep": Setting(True, "After a run has published its snapshot, it merges small files and, once a day, deletes old ones (vacuum)."),
    "compact_parts": Setting(50, "When there are this many small files (under a quarter of part_bytes), they are merged; 0: never."),
    "upkeep_bytes": Setting(1 << 30, "A run merges files of at most this many bytes in all.", 1),
}  # fmt: skip

_OF_A_RUN: Final = {
    "retry_after_hours": "hours", "max_attempts": "readings", "stale_days": "days", "stale_attempts": "readings",
    "max_delete_count": "objects", "max_delete_share": "", "dead_days": "days",
}  # fmt: skip

_OF_UPKEEP: Final = {
    "keep_days": "days", "keep_changes_days": "days", "keep_deleted_days": "days", "part_bytes": "bytes", "compact_parts": "parts",
    "upkeep_bytes": "bytes",
}  # fmt: skip


def _number(setting: Setting) -> Callable[[str], float]:
    if isinstance(setting.default, int):
        return at_least(int(setting.least))

    return real_number(setting.least)


#: Settings of the budget, with their units, that also apply to a job without a configuration file, which makes only one snapshot.
_OF_A_BUDGET: Final = {"max_documents": "documents", "redo_share": ""}
_NUMBERS: Final = {**_OF_A_RUN, **_OF_A_BUDGET, **_OF_UPKEEP}
#: The keys of `[crawl]` as options of a job that has no configuration file.
CRAWL_OPTIONS: Final = (
    *(Option(name, SETTINGS[name].default, SETTINGS[name].help, _number(SETTINGS[name]), unit) for name, unit in _NUMBERS.items()),
    Option(
        "no_redo",
        False,
        "Do not read documents again that were read by another version of pdfmill, or with settings that give other rows.",
        None,
    ),
    Option(
        "no_mark_deletes",
        False,
        "Files are written again without deleted rows, instead of marking these rows (Delta deletion vectors).",
        None,
    ),
    Option("each_table", False, "Each table is a Delta table of its own too, over the same files, as in OUTPUT/table_name=pages.", None),
    Option("no_upkeep", False, "The job does not merge small files, and deletes no old ones.", None),
    Option("allow_mass_delete", False, "Carry out deletes that would otherwise be withheld because they are many.", None),
)


def rules_of(given: Mapping[str, float | int | bool], source: Mapping[str, Any] | None = None) -> Rules:
    """Return the rules (filters, retries, limits of deletion) for the objects of a source.
    given: values of the keys in `SETTINGS`. source: its `[[source]]` table, whose values take precedence, or None."""
    own = source or {}
    given = {**given, **{key: own[key] for key in _OF_A_RUN if key in own}}
    return Rules(
        dead_for=timedelta(days=float(given["dead_days"])) if given["dead_days"] else None,
        include=tuple(own.get("include", ())),
        exclude=tuple(own.get("exclude", ())),
        max_bytes=own.get("max_bytes"),
        priority=int(own.get("priority", 0)),
        id_base=own.get("id_base"),
        retry_after=timedelta(hours=float(given["retry_after_hours"])),
        max_attempts=int(given["max_attempts"]),
        stale_for=timedelta(days=float(given["stale_days"])),
        stale_attempts=int(given["stale_attempts"]),
        max_delete_count=int(given["max_delete_count"]),
        max_delete_share=float(given["max_delete_share"]),
    )


class CrawlConfig(Struct, frozen=True):
    """The configuration of a crawl, after all checks. flags: the table `[options]`, parsed as flags of `pdfmill index`. beam: words of
    Beam's command line. settings: the values of `[crawl]`. names: names of sources by address. queues, rules: queues of S3 events, and
    filters, retries and limits of deletion, by name of the source."""

    path: str  # of the file, "" without one
    sources: tuple[str, ...]
    output: str
    flags: argparse.Namespace
    beam: tuple[str, ...]
    settings: Mapping[str, float | int | bool] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    queues: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, Rules] = field(default_factory=dict)

    def named(self, source: str) -> tuple[str, str]:
        """Return (name, address) of a source. A source without a `[[source]]` table has its address as its name."""
        return self.names.get(source) or without_secrets(source), source

    def job(self, part_prefix: str, shards: int) -> JobSettings:
        """Return the settings of the steps that read documents. part_prefix: begin of the Parquet files' names. shards: files per table."""
        job = job_settings(self.flags, part_prefix, shards)
        assets = join_uri(self.output, ASSET_FOLDERS[0]) if job.read.assets_uri else None
        return replace(job, read=replace(job.read, assets_uri=assets), write=replace(job.write, table_folder=TABLE_FOLDER))

    def policy(self, crawl: CrawlRun, *, allow_mass_delete: bool = False) -> Policy:
        """Return the settings for comparing the sources with the last snapshot. allow_mass_delete: carry out any number of deletes."""
        return Policy(
            crawl.signature, crawl.started, bool(self.settings["redo"]), allow_mass_delete, rules_of(self.settings), self.rules,
            dict(crawl.unlisted), reach_of(self.flags), Budget(crawl.documents, float(self.settings["redo_share"]), crawl.run),
        )  # fmt: skip

    @property
    def on_engine(self) -> bool:
        """Whether a runner of Beam reads the documents."""
        return bool(self.beam)

    def signature(self) -> str:
        """Return a digest of pdfmill's version and of the settings that influence rows.

        Raises:
            pdfmill.transforms.storage.errors.SourceError: the file of passwords cannot be read.
        """
        job = self.job("", 1)
        read = job.read
        kept = {name: value for name, value in to_builtins(read, order="deterministic").items() if name not in _NO_EFFECT_ON_ROWS}
        matters = {
            "version": version(),
            "layout": to_builtins(job.layout),
            "sections": to_builtins(job.sections),
            "read": kept,
            "passwords": hashlib.sha256(read_file(read.passwords_uri)).hexdigest() if read.passwords_uri else None,
        }
        return hashlib.sha256(json.dumps(matters, sort_keys=True, default=str).encode()).hexdigest()[:16]


def load_config(path: str) -> CrawlConfig:
    """Read and check a configuration, local or in a store. Paths in it are relative to its folder.

    Raises:
        UsageError: the configuration has an error; the message has file and line.
        pdfmill.transforms.storage.errors.SourceError: the file cannot be read.
    """
    try:
        text = read_file(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: {error}") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}") from error
    return _Checker(path, text).config(data)


def parse_crawl(argv: Sequence[str]) -> tuple[CrawlConfig, bool]:
    """Return a configuration made from command-line options instead of a file, and whether mass deletes are allowed.

    Raises:
        UsageError: a flag is unknown, a value is not allowed, or the command for the requested OCR is not installed.
    """
    flags, beam = parse_index(argv, CRAWL_OPTIONS)
    flags.output = absolute_source(flags.output)
    settings = {name: getattr(flags, name, setting.default) for name, setting in SETTINGS.items()}
    settings |= {"redo": not flags.no_redo, "mark_deletes": not flags.no_mark_deletes, "upkeep": not flags.no_upkeep}
    return CrawlConfig(
        "", tuple(absolute_source(each) for each in flags.sources), flags.output, flags, tuple(beam), settings
    ), flags.allow_mass_delete


class _Checker:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def wrong(self, table: str, key: str, message: str) -> UsageError:
        """Return a UsageError with this message that names the line of the key in the file. table: the key's TOML table."""
        place = f"[{table}] {key}" if table and key else key or f"[{table}]"
        return UsageError(f"{self._path}:{self.line(table, key)}: {place}: {message}")

    def line(self, table: str, key: str) -> int:
        """Return the number, from 1, of the line of a key or, if the key has none of its own, of the line where its TOML table begins."""
        now, header = "", 1
        for number, line in enumerate(self._lines, 1):
            if found := re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line):
                now = found[1]
                header = number if now == table else header
            elif key and now == table and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", line):
                return number
            elif table and not now and re.match(rf"\s*{re.escape(table)}\s*[=.]", line):
                header = number
        return header

    def config(self, data: Mapping[str, Any]) -> CrawlConfig:
        for key in data:
            if key not in _KEYS:
                raise self.unknown("" if not isinstance(data[key], dict) else key, key, _KEYS)
        for table in _TABLES:
            if not isinstance(data.get(table, {}), dict):
                raise self.wrong("", table, f"must be a table: write [{table}] and its keys below it")
        tables, output = data.get("source", []), data.get("output")
        sources = data.get("sources", [] if tables else None)
        if not _texts(sources) or not (sources or tables):
            raise self.wrong("", "sources", 'must be a list of texts, e.g. sources = ["s3://bucket/prefix/"]')
        if not isinstance(output, str) or not output.strip():
            raise self.wrong("", "output", 'must be a folder or prefix, e.g. output = "s3://bucket/tables"')
        settings = self.crawl_settings(data.get("crawl", {}))
        beam = self.beam_flags(data.get("beam", {}))
        output, sources = self.placed(output), [self.placed(each) for each in sources]
        names, rules = self.source_tables(tables, settings)
        queues = {table["name"]: table["events"] for table in tables if "events" in table}
        sources += [each for each in names if each not in sources]
        flags = self.index_flags(data.get("options", {}), output, beam)
        flags.sources = sources
        if flags.passwords:
            flags.passwords = self.placed(flags.passwords)
        if beam:  # its checks bring Beam along
            try:
                importlib.import_module("pdfmill.pipeline.engine.engine_flags").check_engine(flags, beam)
            except UsageError as error:
                raise self.wrong("beam", "", str(error)) from error
        if "store" in data:
            try:
                stores_of(data["store"], f"{self._path}:{self.line('store', '')}")
            except SourceError as error:
                raise UsageError(str(error)) from error
        return CrawlConfig(self._path, tuple(sources), output, flags, tuple(beam), settings, names, queues, rules)

    def placed(self, source: str) -> str:
        """Return a source with a relative path resolved against the configuration's folder."""
        mark, rest = split_mark(source)
        folder, slash, _ = self._path.rpartition("/")
        return absolute_source(source if "://" in rest or os.path.isabs(rest) else f"{mark}{folder}{slash}{rest}")

    def unknown(self, table: str, key: str, known: tuple[str, ...]) -> UsageError:
        """Return the error for an unknown key of a TOML table; it names the most similar known key."""
        near = difflib.get_close_matches(key, known, n=1)
        return self.wrong(
            table,
            key if table != key else "",
            "there is no such key" + (f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"),
        )

    def source_tables(self, tables: Any, settings: Mapping[str, float | int | bool]) -> tuple[dict[str, str], dict[str, Rules]]:
        """Check the `[[source]]` tables; return the names of the sources by address, and their rules by name."""
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            raise self.wrong("", "source", "must be a list of tables: write [[source]] and its keys below it")
        names: dict[str, str] = {}
        rules: dict[str, Rules] = {}
        for table in tables:
            for key in table:
                if key not in (*_OF_A_SOURCE, *_OF_A_RUN):
                    raise self.unknown("source", key, (*_OF_A_SOURCE, *_OF_A_RUN))
            name, given = table.get("name"), table.get("from")
            given = [given] if isinstance(given, str) else given
            if not isinstance(name, str) or not name.strip() or name in rules:
                raise self.wrong("source", "name", f"{name!r}: each source needs a name of its own")
            if not _texts(given) or not given:
                raise self.wrong("source", "from", f'of {name}: must be a text or a list of texts, e.g. from = "s3://bucket/prefix/"')
            for key in ("include", "exclude"):
                if not _texts(table.get(key, [])):
                    raise self.wrong("source", key, f'of {name}: must be a list of patterns, e.g. {key} = ["drafts/**"]')
            for key in ("max_bytes", "priority"):
                if type(table.get(key, 0)) is not int:
                    raise self.wrong("source", key, f"of {name}: {table[key]!r} is not a whole number")
            for key in _OF_A_RUN:
                if key in table:
                    self.check_setting("source", key, table[key])
            rules[name] = rules_of(settings, table | self.of_one_folder(table, given))
            names |= {self.placed(each): name for each in given}
        return names, rules

    def of_one_folder(self, table: Mapping[str, Any], given: list[str]) -> dict[str, Any]:
        """Check the keys `id_base` and `events`, which only a source with a single folder or prefix may have.
        Return {"id_base": (folder of the source, folder that replaces it when document ids are computed)}, or {}. given: its addresses."""
        for key in {"id_base", "events"} & table.keys():
            try:
                (spec,) = given
                here, other = (folder_uri(self.placed(each)) for each in (spec, table["id_base"] if key == "id_base" else spec))
            except (AttributeError, SourceError, TypeError, ValueError) as error:
                told = f"of {table['name']}: from and {key} must each be one address of a folder, prefix or glob"
                raise self.wrong("source", key, told) from error
            store, queue = kind_of(here), kind_of(str(table[key]))
            if key == "events" and not (store and store.events and queue and queue.address is UrlAddress):
                told = f'of {table["name"]}: needs a prefix of S3, and the address of a queue of SQS, e.g. "https://sqs.eu-west-1.amazonaws.com/1/name"'
                raise self.wrong("source", key, told)
        return {"id_base": (here, other)} if "id_base" in table else {}

    def check_setting(self, table: str, key: str, value: object) -> None:
        setting = SETTINGS[key]
        kind = type(setting.default)
        fits = isinstance(value, int | float) and not isinstance(value, bool) if kind is float else type(value) is kind
        if not fits:
            raise self.wrong(table, key, f"{value!r} is not {_KIND_NAMES[kind]}")
        if isinstance(value, int | float) and kind is not bool and value < setting.least:
            raise self.wrong(table, key, f"{value} is less than {setting.least:g}")

    def crawl_settings(self, given: Mapping[str, Any]) -> dict[str, float | int | bool]:
        """Check the keys of the table `[crawl]` (`given`) and add the defaults of the others."""
        for key, value in given.items():
            if key not in SETTINGS:
                raise self.unknown("crawl", key, tuple(SETTINGS))
            self.check_setting("crawl", key, value)
        return {key: given.get(key, setting.default) for key, setting in SETTINGS.items()}

    def index_flags(self, given: Mapping[str, Any], output: str, beam: list[str]) -> argparse.Namespace:
        """Parse the keys of `[options]` (`given`), flags of `pdfmill index`. beam: words for Apache Beam."""
        known = tuple(option.name for option in OPTIONS if option.name not in ("output", "stores"))
        base = ["-", "--output", output]
        words: list[str] = []
        for key, value in given.items():
            if key not in known:
                raise self.unknown("options", key, known)
            word = self.word(key, value)
            try:
                parse_index([*base, *word])
            except UsageError as error:
                raise self.wrong("options", key, str(error)) from error
            words += word
        return parse_index([*base, *words, *beam])[0]

    def word(self, key: str, value: object) -> list[str]:
        """Return a key and its value as words of a command line: a flag, and its value if it has one."""
        switch = next(option.convert is None for option in OPTIONS if option.name == key)
        if switch != isinstance(value, bool):
            raise self.wrong("options", key, f"{value!r} is no {'true or false' if switch else 'text or number'}")
        if switch:
            return [f"--{key}"] if value else []
        if isinstance(value, list):
            value = ",".join(str(each) for each in value)
        if not isinstance(value, str | int | float):
            raise self.wrong("options", key, f"{value!r} is not a text or number")
        return [f"--{key}={value}"]

    def beam_flags(self, given: Mapping[str, Any]) -> list[str]:
        """Return the keys of the table `[beam]` as words of Beam's command line: true gives a switch, a list repeats the flag."""
        flags: list[str] = []
        for key, value in given.items():
            values = value if isinstance(value, list) else [value]
            new = [f"--{key}" if each is True else f"--{key}={each}" for each in values if each is not False]
            try:
                parse_index(["-", "--output", "-", *new])
            except UsageError as error:
                raise self.wrong("beam", key, str(error)) from error
            flags += new
        return flags


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and each.strip() for each in value)


_KIND_NAMES: Final[dict[Callable[..., object], str]] = {bool: "true or false", int: "a whole number", float: "a number"}


# Write a first configuration of a crawl from sources on the command line, with every setting, its default and a sentence.


def write_config(path: str, sources: Sequence[str], output: str) -> CrawlConfig:
    """Write a new configuration, to a local path or a store, and check it as a run would.

    Raises:
        UsageError: the file exists already.
        pdfmill.transforms.storage.errors.SourceError: it cannot be written.
    """
    text = "".join(f"{line}\n" for line in config_lines(path, [absolute_source(each) for each in sources], absolute_source(output)))
    try:
        write_new(path, text.encode())
    except AlreadyExistsError as error:
        raise UsageError(f"{path}: exists already; --init does not replace a file") from error
    return load_config(path)


def config_lines(path: str, sources: Sequence[str], output: str) -> Iterator[str]:
    """Yield the lines of a new configuration file. JSON values are valid TOML."""
    yield f"# pdfmill crawl {path}"
    yield f"sources = {json.dumps(list(sources), ensure_ascii=False)}"
    yield f"output = {json.dumps(output, ensure_ascii=False)}"
    yield ""
    yield "[crawl]"
    for name, setting in SETTINGS.items():
        yield f"# {name} = {json.dumps(setting.default)}  # {setting.help}"
    yield ""
    yield "# [[source]]  # a source with rules of its own, see docs/crawl.md"
    yield "[options]  # the flags of pdfmill index"
