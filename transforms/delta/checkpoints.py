"""Checkpoints of a Delta log: the state of one version in a Parquet file, so that readers need not replay all versions before.
Delta Transaction Log Protocol, "Checkpoints": `_delta_log/<n, 20 digits>.checkpoint.parquet` has one action per row; `_last_checkpoint`
names the newest one."""

from __future__ import annotations

import io
import json
from datetime import datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from pdfmill.transforms.delta.delta_log import CHECKPOINT, LOG, Snapshot, actions_of, checkpoints_in, log_name
from pdfmill.transforms.storage.objects import delete_file, join_uri, list_files, look_up, write_bytes

_TEXTS: Final = pa.map_(pa.string(), pa.string())
_VECTOR: Final = pa.struct(
    {
        "storageType": pa.string(),
        "pathOrInlineDv": pa.string(),
        "offset": pa.int32(),
        "sizeInBytes": pa.int32(),
        "cardinality": pa.int64(),
    }
)
_FILE: Final = {"path": pa.string(), "partitionValues": _TEXTS, "size": pa.int64(), "dataChange": pa.bool_(), "deletionVector": _VECTOR}
#: The columns of a checkpoint, one for each kind of action. In each row exactly one of them is filled.
_ACTIONS: Final = pa.schema(
    {
        "protocol": pa.struct(
            {
                "minReaderVersion": pa.int32(),
                "minWriterVersion": pa.int32(),
                "readerFeatures": pa.list_(pa.string()),
                "writerFeatures": pa.list_(pa.string()),
            }
        ),
        "metaData": pa.struct(
            {
                "id": pa.string(),
                "name": pa.string(),
                "format": pa.struct({"provider": pa.string(), "options": _TEXTS}),
                "schemaString": pa.string(),
                "partitionColumns": pa.list_(pa.string()),
                "configuration": _TEXTS,
                "createdTime": pa.int64(),
            }
        ),
        "add": pa.struct({**_FILE, "modificationTime": pa.int64(), "stats": pa.string()}),
        "remove": pa.struct({**_FILE, "deletionTimestamp": pa.int64(), "extendedFileMetadata": pa.bool_()}),
    }
)


def write_checkpoint(output: str, snapshot: Snapshot, since: datetime) -> None:
    """Write the checkpoint of a snapshot. since: files removed before this time are left out, because they may no longer exist."""
    rows = list(actions_of(snapshot, int(since.timestamp() * 1000)))
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=_ACTIONS), sink, compression="zstd")
    write_bytes(join_uri(output, checkpoint_name(snapshot.version)), sink.getvalue())
    told = {"version": snapshot.version, "size": len(rows), "sizeInBytes": sink.tell(), "numOfAddFiles": len(snapshot.files)}
    write_bytes(join_uri(output, f"{LOG}/_last_checkpoint"), json.dumps(told).encode())


def checkpoint_name(version: int) -> str:
    """Return the path of a version's checkpoint, relative to the output folder."""
    return log_name(version).removesuffix(".json") + CHECKPOINT


def trim_log(output: str, limit: datetime) -> int:
    """Delete the log files before the newest checkpoint that is older than `limit`, and return their number. Later versions stay
    readable."""
    names = {uri.rpartition("/")[2]: uri for uri in list_files(join_uri(output, LOG), "")}
    old = max((version for version, uri in checkpoints_in(names).items() if _is_older(uri, limit)), default=0)
    doomed = [uri for name, uri in names.items() if name[:20].isdigit() and int(name[:20]) < old]
    for uri in doomed:
        delete_file(uri)
    return len(doomed)


def newest_checkpoint(output: str) -> int:
    """Return the version of the newest checkpoint; -1 if there is none."""
    names = {uri.rpartition("/")[2]: uri for uri in list_files(join_uri(output, LOG), CHECKPOINT)}
    return max(checkpoints_in(names), default=-1)


def _is_older(uri: str, limit: datetime) -> bool:
    modified: Any = look_up(uri).modified
    return modified is not None and modified < limit
