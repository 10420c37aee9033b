"""The names of a job's parts, which follow from the settings alone. No Arrow is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from zlib import crc32

from msgspec.structs import replace

from pdfmill.schemas.records import TABLE_NAMES, DocId, PartKey, RowsOfPart
from pdfmill.transforms.storage.objects import join_uri
from pdfmill.transforms.tables.write_settings import WriteSettings

#: Rows are packed for so many shards where the number of parts is not known yet; `for_shards` brings them to it.
FINE_SHARDS: Final = 1 << 32
#: Begins the names of parts that hold books only.
_BOOKS: Final = "books"


def for_shards(rows: RowsOfPart, shards: int) -> RowsOfPart:
    """Regroup rows that were packed for `FINE_SHARDS` to so many shards, with the same result as if the number had been known. 0: leave
    them.

    >>> for_shards((("pages", shard_of(DocId("a"), FINE_SHARDS)), ((), b"")), 7)[0] == ("pages", shard_of(DocId("a"), 7))
    True
    """
    (table, fine), packed = rows
    return ((table, fine % shards), packed) if shards else rows


def shard_of(doc_id: DocId, shards: int) -> int:
    """Return the shard of a document's rows, from 0. Shards get about equally many documents."""
    return crc32(doc_id.encode()) % shards


def part_keys(settings: WriteSettings) -> Iterator[PartKey]:
    """Return the keys of all parts of a job; a shard without rows becomes an empty part."""
    for table in TABLE_NAMES:
        for shard in range(settings.shards):
            yield table, shard


def part_stem(shard: int, settings: WriteSettings) -> str:
    """Return the name of a part, equal in every table, without its ending."""
    return f"{settings.part_prefix}-{shard:05d}-of-{settings.shards:05d}"


def part_name(table: str, shard: int, settings: WriteSettings, piece: int = 1) -> str:
    """Return the address of a part, or of a further file of it, from 2."""
    further = "" if piece == 1 else f".{piece}"
    return join_uri(
        join_uri(settings.output_uri, settings.table_folder.format(table=table)), f"{part_stem(shard, settings)}{further}.parquet"
    )


def of_books(settings: WriteSettings) -> WriteSettings:
    """Return settings whose part names mark parts of books (documents that are split over several workers)."""
    return replace(settings, part_prefix=f"{_BOOKS}-{settings.part_prefix}")


def final_name(uri: str, run: str, number: int | None) -> str:
    """Return the published name of a part: `part-RUN-BATCH-SHARD-of-SHARDS.parquet`, without the batch if there is only one, and with
    `books` before the shard if it holds books only.

    >>> final_name("s3://bucket/stage/pages/books-part-00003-of-00010.parquet", "4f", None)
    'part-4f-books-00003-of-00010.parquet'
    """
    name = uri.rpartition("/")[2]
    *_, shard, of, shards = name.split("-")
    words = [run, *([] if number is None else [f"{number:05d}"]), *([_BOOKS] if name.startswith(f"{_BOOKS}-") else []), shard, of, shards]
    return "-".join(["part", *words])


def part_names(settings: WriteSettings) -> Iterator[str]:
    """Return the addresses of all parts."""
    for table, shard in part_keys(settings):
        yield part_name(table, shard, settings)
