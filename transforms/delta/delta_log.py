"""The log of a Delta table: the Parquet files that a snapshot shows, and the atomic commit of the next one.

Delta Transaction Log Protocol (github.com/delta-io/delta, PROTOCOL.md): version n is the file `_delta_log/<n, 20 digits>.json` with a JSON
action per line. A commit creates the file of the next version, which the store must refuse if it exists, so that one of two writers
succeeds. A new table has reader version 1 and writer version 2; the first commit that marks rows as deleted raises them to 3 and 7.

Each table of a crawl may also have a log of its own, which names the same files (`show_each_table`). It is updated after the commit to the
common table, whose version is in its `commitInfo`."""

from __future__ import annotations

import io
import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, unquote
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.schemas.crawl import SNAPSHOT, tables_with
from pdfmill.transforms.delta.deletion_vectors import deleted_rows, descriptor
from pdfmill.transforms.delta.run_ids import start_of
from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.objects import join_uri, list_files, read_file, write_new

LOG: Final = "_delta_log"
#: The suffix of the name of a checkpoint that consists of one file.
CHECKPOINT: Final = ".checkpoint.parquet"
PARTITION: Final = "table_name"
#: The folder of a table's files. Readers take the value of the partition column from the log, or from this form of the path.
TABLE_FOLDER: Final = PARTITION + "={table}"

_SIMPLE: Final = {
    "string": "string",
    "int32": "integer",
    "int64": "long",
    "float": "float",
    "double": "double",
    "bool": "boolean",
    "binary": "binary",
    "timestamp[us, tz=UTC]": "timestamp",
}


#: The group of all files that other tools have written when compacting. Such tools compact each table separately, so that the rows of a
#: document may be in any of these files.
LOOSE: Final = "loose"
#: Part of the stems (names without suffix) of files that were later made from such files.
LOOSE_STEM: Final = "-loose-"
#: Protocol versions up to which a table needs no special feature of its readers and writers.
_READER, _WRITER = 1, 2
#: Protocol versions at which a table lists the features that it needs by name.
_NAMED_READER, _NAMED_WRITER = 3, 7
_VECTORS: Final = "deletionVectors"
_ENABLED: Final = "delta.enableDeletionVectors"
#: The names of the table features that we can write: deletion vectors, and those that writer version 2 includes.
_KNOWN_FEATURES: Final = frozenset({_VECTORS, "appendOnly", "invariants"})


class CommitConflictError(Exception):
    """Another run has committed this version of the table already."""


class PartFile(Struct, frozen=True):
    """A Parquet file of the Delta table. path: relative to the output folder. size: bytes. rows: number of rows, including deleted ones.
    vector: its deletion vector; None if no row is deleted."""

    path: str  # relative to the output folder, e.g. `table_name=pages/x.parquet`
    size: int  # bytes
    rows: int  # number of rows in the file, including deleted ones
    vector: str | None = None  # its deletion vector, see `pdfmill.transforms.delta.deletion_vectors`

    @property
    def shown(self) -> int:
        """The number of rows that are not deleted."""
        return self.rows - len(deleted_rows(self.vector))

    @property
    def table(self) -> str:
        """The name of the pdfmill table whose rows the file holds, such as `pages`."""
        return self.path.partition("/")[0].partition("=")[2]

    @property
    def stem(self) -> str:
        """The file's name without suffix, which the files of the same documents in other tables share."""
        return self.path.rpartition("/")[2].removesuffix(".parquet")

    @property
    def group(self) -> str:
        """The file's stem (name without suffix), which files of the same documents share, or `LOOSE` for a file that another tool wrote."""
        return group_of(self.stem)

    @staticmethod
    def of(table: str, stem: str, size: int, rows: int) -> PartFile:
        """Make the record of a newly written file. table: name of the table whose rows it holds. size: bytes. rows: their number."""
        return PartFile(part_path(table, stem), size, rows)


def group_of(stem: str) -> str:
    """Return the group of files with this stem (name without suffix), kept or removed together: the stem, or `LOOSE` for other tools'
    files.

    >>> group_of("20261121T020000000000Z-1f2e3d4c-00003"), group_of("part-00000-9b1c-c000.zstd")
    ('20261121T020000000000Z-1f2e3d4c-00003', 'loose')
    """
    return LOOSE if LOOSE_STEM in stem or start_of(stem) is None else stem


def part_path(table: str, stem: str) -> str:
    """Return the path of the file with this stem (name without suffix) of a table, relative to the output folder.

    >>> part_path("pages", "a")
    'table_name=pages/a.parquet'
    """
    return f"{TABLE_FOLDER.format(table=table)}/{stem}.parquet"


class Snapshot(Struct):
    """The state of a Delta table at one version. files: by path. before: by path, earlier states of changed or removed files, as (end of
    the state in ms since 1970, deletion vector). marks: deletion vectors are required. needs: why we cannot read the table, or ""."""

    version: int = -1  # -1 before the first version
    files: dict[str, PartFile] = field(default_factory=dict)  # the files that are part of the table, by path
    metadata: dict[str, Any] = field(default_factory=dict)  # the action `metaData` of the log
    #: Earlier states of changed or removed paths, oldest first: (time in ms since 1970 until which the state held, deletion vector then).
    before: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    marks: bool = False  # the protocol requires deletion vectors
    needs: str = ""  # the reason why we cannot read the table, as a clause; "" if we can

    @property
    def table_id(self) -> str:
        """The id of the table, the same in all versions."""
        return str(self.metadata.get("id", ""))

    @property
    def removed(self) -> dict[str, int]:
        """The files that are no longer part of the table: by path, the time of removal in ms since 1970."""
        return {path: times[-1][0] for path, times in self.before.items() if path not in self.files}

    def stems(self) -> dict[str, list[PartFile]]:
        """Return the files by stem (name without suffix), which files of the same documents share; files of other tools are under
        `LOOSE`."""
        grouped: dict[str, list[PartFile]] = {}
        for file in self.files.values():
            grouped.setdefault(file.group, []).append(file)
        return grouped

    def of(self, table: str) -> list[PartFile]:
        """Return the files of one pdfmill table, such as `pages`, sorted by path."""
        return sorted((file for file in self.files.values() if file.table == table), key=lambda file: file.path)

    def vector_since(self, path: str, since: int) -> str | None:
        """Return the deletion vector that a file had at the time `since` (ms since 1970); None without one."""
        file = self.files.get(path)
        return next((vector for until, vector in self.before.get(path, ()) if until >= since), file.vector if file else None)

    def names(self) -> dict[str, str]:
        """Return for each stem a name that changes when rows of its files are marked as deleted. `stem_of` returns the stem of a name."""
        vectors: dict[str, list[str]] = {}
        for file in sorted(self.files.values(), key=lambda file: file.path):
            vectors.setdefault(file.stem, []).extend([f"{file.table} {file.vector}"] if file.vector else [])
        return {stem: f"{stem}{_SHOWN}{crc32(repr(each).encode()):08x}" if each else stem for stem, each in vectors.items()}


#: Separates the stem from the checksum of its deletion vectors in a name of `Snapshot.names`.
_SHOWN: Final = "+"


def stem_of(name: str) -> str:
    """Return the stem (file name without suffix) from a name of `Snapshot.names`."""
    return name.partition(_SHOWN)[0]


def delta_type(kind: pa.DataType) -> Any:
    """Return an Arrow type in the JSON form of the protocol's "Schema Serialization Format"."""
    if pa.types.is_list(kind):
        return {"type": "array", "elementType": delta_type(kind.value_type), "containsNull": True}
    if pa.types.is_struct(kind):
        return {"type": "struct", "fields": [_delta_field(each, {}) for each in kind]}
    return _SIMPLE[str(kind)]


def _delta_field(each: pa.Field, metadata: Mapping[str, str]) -> dict[str, Any]:
    return {"name": each.name, "type": delta_type(each.type), "nullable": True, "metadata": dict(metadata)}


def schema_string(schema: pa.Schema) -> str:
    """Return the value of `metaData.schemaString`; the comment of each column is its description, with the names of its tables."""
    fields = [
        _delta_field(each, {"comment": (each.metadata or {}).get(b"doc", b"").decode(), "tables": " ".join(tables_with(each.name))})
        for each in schema
    ]
    return json.dumps({"type": "struct", "fields": fields})


def log_name(version: int) -> str:
    """Return the path of a version's log file, relative to the output folder.

    >>> log_name(7)
    '_delta_log/00000000000000000007.json'
    """
    return f"{LOG}/{version:020d}.json"


def load_snapshot(output: str, version: int | None = None) -> Snapshot:
    """Load the state of the table under `output` at one version; None means the last. If there is no table, the version of the returned
    state is -1.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the log cannot be listed or read, or needs features that pdfmill does not support.
        FileNotFoundError: there is no such version.
    """
    names = {uri.rpartition("/")[2]: uri for uri in list_files(join_uri(output, LOG), "")}
    numbered = {int(name[:20]): uri for name, uri in names.items() if name[:20].isdigit() and name[20:] == ".json"}
    snapshot = _from_checkpoint(names, version)
    last = max(numbered, default=-1) if version is None else version
    for number in range(snapshot.version + 1, last + 1):
        if number not in numbered:
            raise FileNotFoundError(f"{output}: the log has no version {number}")
        _apply(snapshot, (json.loads(line) for line in read_file(numbered[number]).splitlines() if line.strip()))
        snapshot.version = number
    if snapshot.needs:
        raise SourceError("bad_source", f"{output}: {snapshot.needs}; pdfmill cannot continue such a table")
    return snapshot


def checkpoints_in(names: Mapping[str, str]) -> dict[int, str]:
    """Return the addresses of single-file checkpoints by version. names: the address of each file of the log, by file name."""
    return {int(name[:20]): uri for name, uri in names.items() if name[:20].isdigit() and name[20:] == CHECKPOINT}


def _from_checkpoint(names: Mapping[str, str], version: int | None) -> Snapshot:
    """Load the newest single-file checkpoint not later than the version (None: of all); an empty snapshot if there is none.
    names: addresses of the log's files by file name."""
    found = checkpoints_in(names)
    usable = [number for number in found if version is None or number <= version]
    snapshot = Snapshot()
    if usable:
        file = pq.ParquetFile(io.BytesIO(read_file(found[max(usable)])), pre_buffer=False)  # a third less than `read_table` takes
        table = file.read(use_threads=False)
        _apply(snapshot, ({name: action for name, action in row.items() if action is not None} for row in table.to_pylist()))
        snapshot.version = max(usable)
    return snapshot


def _apply(snapshot: Snapshot, actions: Iterable[dict[str, Any]]) -> None:
    """Apply the actions of one commit to the snapshot, in place: removals first, then additions, since the actions of a commit have no
    order."""
    kept = list(actions)
    for action in kept:
        if "remove" in action:
            gone = action["remove"]
            path, until = unquote(gone["path"]), int(gone.get("deletionTimestamp") or 0)
            snapshot.files.pop(path, None)
            snapshot.before.setdefault(path, []).append((until, (gone.get("deletionVector") or {}).get("pathOrInlineDv")))
    for action in kept:
        if "add" in action:
            add = action["add"]
            path = unquote(add["path"])
            rows = json.loads(add.get("stats") or "{}").get("numRecords", 0)
            vector = add.get("deletionVector")
            if vector and vector["storageType"] != "i":
                snapshot.needs = "another tool has marked rows as deleted in files beside the log"
                continue
            snapshot.files[path] = PartFile(path, int(add["size"]), int(rows), vector["pathOrInlineDv"] if vector else None)
        elif "metaData" in action:
            metadata = action["metaData"]
            form = {**metadata["format"], "options": dict(metadata["format"].get("options") or {})}
            snapshot.metadata = {**metadata, "format": form, "configuration": dict(metadata.get("configuration") or {})}
        elif "protocol" in action:
            protocol = action["protocol"]
            features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
            versions = protocol["minReaderVersion"], protocol["minWriterVersion"]
            snapshot.marks = versions == (_NAMED_READER, _NAMED_WRITER) and features <= _KNOWN_FEATURES and _VECTORS in features
            if not snapshot.marks and (versions[0] > _READER or versions[1] > _WRITER):
                snapshot.needs = f"another tool has raised the table's protocol to {', '.join(sorted(features)) or 'a newer version'}"


def commit(
    output: str,
    base: Snapshot,
    add: Sequence[PartFile],
    remove: Sequence[PartFile],
    info: Mapping[str, Any],
    *,
    data_change: bool = True,
    keeps_marks: bool = True,
    schema: pa.Schema | None = None,
) -> int:
    """Write the next version by creating its log file, and return its number. base: the version before. add, remove: files that it gains
    and loses. info: content of `commitInfo`, with `run`, which distinguishes runs. data_change: False if only the arrangement of rows
    changes.
    keeps_marks: False lowers the protocol versions again if no row is marked as deleted. schema: columns; None for the usual ones.

    Raises:
        CommitConflictError: another run was first; nothing has changed.
        pdfmill.transforms.storage.errors.SourceError: the store failed.
    """
    version, now, schema = base.version + 1, int(time.time() * 1000), schema or SNAPSHOT
    lines: list[dict[str, Any]] = [{"commitInfo": {"timestamp": now, "operation": "WRITE", "operationParameters": {}, **info}}]
    marks = any(file.vector for file in add)
    if not marks and base.marks:
        marks = keeps_marks or any(file.vector for path, file in base.files.items() if path not in {each.path for each in remove})
    if marks != base.marks or version == 0:
        lines.append({"protocol": _protocol(marks=marks)})
    columns = schema_string(schema)
    if marks != base.marks or base.metadata.get("schemaString") != columns:  # the first version, or columns that an older one did not have
        partition = [PARTITION] if PARTITION in schema.names else []
        known = base.metadata or _metadata(str(uuid.uuid5(uuid.NAMESPACE_URL, str(info["run"]))), now, partition)
        configuration = {name: value for name, value in known["configuration"].items() if name != _ENABLED}
        enabled = configuration | ({_ENABLED: "true"} if marks else {})
        lines.append({"metaData": {**known, "schemaString": columns, "configuration": enabled}})
    lines += [_removed(file, now, data_change) for file in remove]
    lines += [_added(file, now, data_change) for file in add]
    uri = join_uri(output, log_name(version))
    try:
        write_new(uri, "".join(json.dumps(line, default=str) + "\n" for line in lines).encode())
    except AlreadyExistsError as error:
        if not _is_ours(uri, str(info["run"])):  # a put that was tried twice meets its own first try
            raise CommitConflictError(f"another run committed version {version} first") from error
    return version


def _is_ours(uri: str, run: str) -> bool:
    first = json.loads(read_file(uri).splitlines()[0])
    return bool(first.get("commitInfo", {}).get("run") == run)


def actions_of(snapshot: Snapshot, since: int) -> Iterator[dict[str, Any]]:
    """Yield the actions that produce a snapshot, for a checkpoint. since: removals before this time (ms since 1970) are left out."""
    yield {"protocol": _protocol(marks=snapshot.marks)}
    metadata = {**snapshot.metadata, "configuration": list(snapshot.metadata["configuration"].items())}
    yield {"metaData": {**metadata, "format": {"provider": "parquet", "options": []}}}
    for file in snapshot.files.values():
        started = start_of(file.stem)
        yield _as_columns(_added(file, int(started.timestamp() * 1000) if started else 0, False))
    for path, times in snapshot.before.items():
        for until, vector in times:
            if until >= since:
                action = _removed(PartFile(path, 0, 0, vector), until, False)["remove"]  # how large it was need not be told
                yield _as_columns({"remove": {**action, "size": None, "extendedFileMetadata": False}})


def _as_columns(action: dict[str, Any]) -> dict[str, Any]:
    return {name: {**fields, "partitionValues": list(fields["partitionValues"].items())} for name, fields in action.items()}


def _protocol(*, marks: bool) -> dict[str, Any]:
    if not marks:
        return {"minReaderVersion": _READER, "minWriterVersion": _WRITER}
    features = {"readerFeatures": [_VECTORS], "writerFeatures": sorted(_KNOWN_FEATURES)}
    return {"minReaderVersion": _NAMED_READER, "minWriterVersion": _NAMED_WRITER, **features}


def _removed(file: PartFile, until: int, data_change: bool) -> dict[str, Any]:
    return {"remove": _file_action(file, data_change) | {"deletionTimestamp": until, "extendedFileMetadata": True}}


def _added(file: PartFile, since: int, data_change: bool) -> dict[str, Any]:
    return {"add": _file_action(file, data_change) | {"modificationTime": since, "stats": json.dumps({"numRecords": file.rows})}}


def _file_action(file: PartFile, data_change: bool) -> dict[str, Any]:
    values = {PARTITION: file.table} if file.table else {}
    fields = {"path": quote(file.path, safe="/="), "partitionValues": values, "size": file.size, "dataChange": data_change}
    return fields | ({"deletionVector": descriptor(file.vector)} if file.vector else {})


def _metadata(table_id: str, now: int, partition: list[str]) -> dict[str, Any]:
    return {
        "id": table_id,
        "name": "pdfmill",
        "format": {"provider": "parquet", "options": {}},
        "partitionColumns": partition,
        "configuration": {},
        "createdTime": now,
    }


def show_each_table(output: str, tables: Mapping[str, pa.Schema]) -> None:
    """Bring the log of each table up to date with the common table under `output`.

    Raises:
        pdfmill.transforms.delta.delta_log.CommitConflictError: another process does the same.
        pdfmill.transforms.storage.errors.SourceError: a log cannot be read or written.
    """
    shown = load_snapshot(output)
    for table, schema in tables.items():
        folder = join_uri(output, TABLE_FOLDER.format(table=table))
        files = {name: replace(file, path=name) for file in shown.of(table) for name in [file.path.rpartition("/")[2]]}
        base = load_snapshot(folder)
        add = [file for path, file in files.items() if base.files.get(path) != file]
        remove = [file for path, file in base.files.items() if files.get(path) != file]
        if add or remove or base.version < 0:
            info = {"run": f"{table}-{shown.version}", "version": shown.version}
            commit(folder, base, add, remove, info, keeps_marks=shown.marks, schema=schema)
