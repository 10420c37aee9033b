"""The interface of sinks (targets of an export), and the registry of them.
A target is given as `NAME:PATH` for a local file and `NAME+https://user@host:port/index` for a server. A new sink needs a module with
`open_sink(target) -> Sink`, and a line in `SINKS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import import_module
from typing import Final, Protocol, cast

from msgspec import Struct

from pdfmill.schemas.public import as_message
from pdfmill.schemas.records import DocId, Row


class SinkError(Exception):
    """A target cannot be written: it is missing, full or busy, or has content of another program. The message contains no secret."""

    def __init__(self, message: str) -> None:
        super().__init__(as_message(message))


class Cursor(Struct, frozen=True):
    """The state of an exported table in a target, from which a later export continues. source: id of a crawl's tables, or digest of others.
    snapshot: version of a crawl's tables, else -1. form: digest of the exported fields. dimensions: of the embeddings, 0 without any."""

    source: str  # id of the crawl's tables, or a digest of other tables
    table: str  # name of the table
    snapshot: int  # the version of a crawl's tables; -1 for others
    form: str  # digest of the fields of exported rows
    dimensions: int = 0  # length of each row's embedding; 0 without embeddings

    @staticmethod
    def of(fields: object) -> Cursor | None:
        """Parse a cursor from JSON; None if another version of pdfmill wrote other fields, so that all rows must be exported again."""
        names = set(Cursor.__struct_fields__)
        return Cursor(**fields) if isinstance(fields, dict) and fields.keys() == names else None

    def is_before(self, other: Cursor) -> bool:
        """Return whether an export of changes can bring a target from this state to `other`: the same table, not later."""
        same = (self.source, self.table, self.form, self.dimensions) == (other.source, other.table, other.form, other.dimensions)
        return same and 0 <= self.snapshot <= other.snapshot


class Refusal(Struct, frozen=True):
    """A row that the target refused. status: HTTP status, 0 for targets without HTTP."""

    row: Row
    status: int  # HTTP status, 0 for targets without HTTP
    reason: str


class Changes(Struct, frozen=True):
    """The documents of a crawl that have changed since the last export. ids_before: returns the ids that their rows had then."""

    documents: Sequence[DocId]  # ids of those added, replaced or removed since the target's cursor, in order, each once
    ids_before: Callable[[], Iterator[str]]  # ids of the rows that they had at the cursor, for sinks that cannot look them up


class Sink(Protocol):
    """The interface of a target for rows. Every row has the keys `id` and `doc_id`, and JSON values, and replaces the row with the same id,
    so that calls can be repeated. All methods raise SinkError if the target fails."""

    def cursor(self, table: str) -> Cursor | None:
        """Return the cursor (state of the exported table) in the target; None if there is no target yet. Raises SinkError for foreign
        rows."""

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Prepare for rows that bring the target to the state `cursor`. Return the names of Parquet files whose rows an interrupted export
        has already sent. changes: what has changed since the target's cursor; None if all rows will be sent."""

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Write rows, and return those that the target refused."""

    def done(self, part: str) -> None:
        """Record that all rows of a Parquet file of the tables were sent. part: its name."""

    def commit(self) -> None:
        """Make readers see the new rows instead of the old ones, and store the cursor."""

    def close(self) -> None:
        """Close the target. Readers never see uncommitted rows; these are kept for the next export, or deleted."""


class Target(Struct, frozen=True):
    """A target of an export, as the user named it. name: of the sink. place: a local path, or a URL without user. user: for a login."""

    name: str  # name of its sink
    place: str  # a path, or an http address without user
    user: str = ""  # user name for a login, without the password

    @property
    def shown(self) -> str:
        """The target in the form in which messages name it."""
        return f"{self.name}{'+' if SINKS[self.name].server else ':'}{self.place}"


class Kind(Struct, frozen=True):
    """An entry of the registry of sinks. says: describes the targets in help and messages. server: the targets are reached by HTTP."""

    sink: str  # module:class
    says: str  # description of its targets for help and messages
    server: bool = False  # the sink is reached by http, also from workers on other machines


_ENGINE: Final = "pdfmill.transforms.tables.sinks.search_engine:SearchEngine"
_LINES: Final = "pdfmill.transforms.tables.sinks.line_files:LineFile"

#: The sinks by name.
SINKS: Final[dict[str, Kind]] = {
    "opensearch": Kind(_ENGINE, "an alias in OpenSearch for the newest index", server=True),
    "elasticsearch": Kind(_ENGINE, "the same in Elasticsearch", server=True),
    "sqlite": Kind("pdfmill.transforms.tables.sinks.sqlite_table:SqliteTable", "a table in an SQLite file"),
    "parquet": Kind("pdfmill.transforms.tables.sinks.parquet_file:ParquetFile", "a Parquet file with one wide table"),
    "ndjson": Kind(_LINES, "rows as JSON, one per line"),
    "langchain": Kind(_LINES, "LangChain's Document, one per line"),
    "llamaindex": Kind(_LINES, "LlamaIndex's TextNode, one per line"),
    "haystack": Kind(_LINES, "Haystack's Document, one per line"),
    "bulk": Kind("pdfmill.transforms.tables.sinks.feeds:Bulk", "a file for _bulk of OpenSearch and Elasticsearch"),
    "solr": Kind("pdfmill.transforms.tables.sinks.feeds:Solr", "a file of commands for Solr's /update"),
    "vespa": Kind("pdfmill.transforms.tables.sinks.feeds:Vespa", "a file for `vespa feed`"),
}

_SERVER: Final = re.compile(r"(?i)(?P<name>[a-z]+)\+(?P<scheme>https?)://(?:(?P<user>[^/@]*)@)?(?P<rest>[^/@\s?#]+(?:/[^@\s?#]*)?)/?")


def parse_target(text: str) -> Target:
    """Parse a target as typed. Raises SinkError if it is invalid, or contains a password."""
    name = re.split(r"[+:]", text, maxsplit=1)[0].lower()
    if name not in SINKS:
        raise SinkError(f"{text!r}: unknown target {name!r}; give one of {', '.join(target_examples())}")
    if not SINKS[name].server:
        place = text[len(name) + 1 :]
        if not place or text[len(name)] != ":" or place.endswith("/") or "://" in place:
            raise SinkError(f"{text!r}: {name} is a file on this machine: write {name}:PATH")
        return Target(name, place)
    found = _SERVER.fullmatch(text)
    user = found["user"] or "" if found else ""
    if ":" in user:
        raise SinkError(f"{name}: others can see a password in the address; give it in the environment variable {PASSWORD}")
    if found is None or found["rest"].strip("/").count("/") < 1:
        raise SinkError(f"{_without_login(text)}: write {name} as {name}+https://user@host:9200/index")
    return Target(name, f"{found['scheme'].lower()}://{found['rest'].rstrip('/')}", user)


def _without_login(text: str) -> str:
    return re.sub(r"://.*@", "://", text)


#: Environment variables with credentials: the password of the target's user, or a key of the engine.
PASSWORD: Final = "PDFMILL_EXPORT_PASSWORD"
API_KEY: Final = "PDFMILL_EXPORT_API_KEY"


def target_examples() -> list[str]:
    """Return examples of targets, for help and messages.

    >>> target_examples()[0]
    'opensearch+https://host:9200/index'
    """
    return [f"{name}+https://host:9200/index" if kind.server else f"{name}:PATH" for name, kind in SINKS.items()]


def open_sink(target: Target) -> Sink:
    """Return the sink of a target. Raises SinkError if it cannot be opened; a server is first contacted by `cursor` or `begin`."""
    module, _, name = SINKS[target.name].sink.partition(":")
    return cast(Sink, getattr(import_module(module), name)(target))
