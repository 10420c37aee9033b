"""The names of pdfmill's files in an output folder, and functions that tell its table files from files of other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pdfmill.schemas.records import TABLE_NAMES, DocId, PartKey, RowsOfPart
from pdfmill.transforms.storage.access import Stores
from pdfmill.transforms.storage.errors import AlreadyExistsError
from pdfmill.transforms.storage.local import UNFINISHED
from pdfmill.transforms.storage.objects import join_uri, list_files, read_if_there, write_bytes, write_new

# Settings for writing the tables of a job.


class WriteSettings(Struct, frozen=True):
    """Settings for writing tables: the folder, and the names and number of the Parquet files of each table. max_part_bytes: bytes of packed
    rows above which a file is split; None for no limit."""

    output_uri: str  # folder of the tables
    part_prefix: str = "part"  # prefix of the names of parts (Parquet files)
    shards: int = 1  # parts per table
    table_folder: str = "{table}"  # name of a table's folder, with `{table}` in it
    #: A part with more bytes of packed rows is split into several files, which limits the memory of its writer; None: every part is
    #: one file, as in a crawl.
    max_part_bytes: int | None = None
    stores: Stores = field(default_factory=Stores)  # access options of stores


#: Folder for pdfmill's own files: readers of Parquet folders ignore names that begin with _.
OWN: Final = "_pdfmill"
#: Folder with the parts of unfinished runs: one subfolder for each kind of run.
STAGES: Final = f"{OWN}/stage"
#: Folder with complete new tables that are about to replace the old ones.
INCOMING: Final = f"{OWN}/incoming"
#: The journal: the list of changes that replace old parts by new ones. Once it is written, they will be made; then it is deleted.
JOURNAL: Final = f"{OWN}/publish.json"
#: The manifest: the list of the table files that the last run has written.
MANIFEST: Final = f"{OWN}/manifest.json"
#: Information about the last run, for people and `pdfmill report`.
RUN_FILE: Final = "run.json"

#: File names of parts written by versions of pdfmill that had no manifest.
_PART: Final = re.compile(r"part-(\d{5}-)?\d{5}-of-\d{5}\.parquet")


class TablePart(Struct, frozen=True):
    """A Parquet file of new tables. staged: its path in the output folder before publishing. name: its final file name. size: bytes."""

    table: str
    staged: str  # its path before publishing, relative to the output folder
    name: str  # its file name in the table's folder
    size: int  # bytes
    rows: int

    @property
    def path(self) -> str:
        """The path after publishing, relative to the output folder."""
        return f"{self.table}/{self.name}"


class Manifest(Struct, frozen=True):
    """The list of the table files that the last run published. run: name of its staging folder. files: size in bytes by path."""

    run: str  # name of the run's staging folder
    files: dict[str, int]  # size in bytes by path relative to the output folder

    def save(self, output: str) -> None:
        write_bytes(join_uri(output, MANIFEST), json.dumps(to_builtins(self), indent=1).encode())

    @staticmethod
    def load(output: str) -> Manifest | None:
        """Load the manifest of the last run; None if there is none."""
        text = read_if_there(join_uri(output, MANIFEST))
        return None if text is None else Manifest(**json.loads(text))


def claim(uri: str, data: bytes) -> None:
    """Create an object at `uri` if there is none. `data` must be unique: after a lost response, an equal object is this writer's.

    Raises:
        pdfmill.transforms.storage.errors.AlreadyExistsError: there is another object, or there was one a moment ago.
        pdfmill.transforms.storage.errors.SourceError: the object cannot be written or read.
    """
    try:
        write_new(uri, data)
    except AlreadyExistsError:
        if read_if_there(uri) != data:
            raise


def table_parts(output: str, table: str) -> list[str]:
    """Return the addresses of the Parquet files in a table's folder, also of those that other programs wrote."""
    return list_files(join_uri(output, table), ".parquet")


def published_parts(output: str) -> list[tuple[str, str]]:
    """Return (table, address) of the published Parquet files of all tables of `pdfmill index`, by the manifest if there is one.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be listed or read.
    """
    manifest = Manifest.load(output)
    if manifest is None:
        return [(table, uri) for table in TABLE_NAMES for uri in table_parts(output, table)]
    return [(path.partition("/")[0], join_uri(output, path)) for path in sorted(manifest.files)]


def our_files(output: str) -> list[str]:
    """Return the paths of the files in the tables' folders that pdfmill wrote, by the manifest or, without it or if incomplete, by their
    names."""
    manifest = Manifest.load(output)
    found = [
        (table, uri.rpartition("/")[2])
        for table in TABLE_NAMES
        for uri in list_files(join_uri(output, table), "")
        if _is_direct(uri, output, table)
    ]
    ours = {f"{table}/{name}" for table, name in found if name.startswith(UNFINISHED) or (manifest is None and _PART.fullmatch(name))}
    return sorted(ours | (manifest.files.keys() if manifest else set()))


def _is_direct(uri: str, output: str, table: str) -> bool:
    return uri == join_uri(join_uri(output, table), uri.rpartition("/")[2])


def strangers(output: str, ours: frozenset[str]) -> list[str]:
    """Return the addresses of Parquet files in the tables' folders that are not in `ours`, the paths of files that pdfmill wrote."""
    known = {join_uri(output, path) for path in ours}
    return [uri for table in TABLE_NAMES for uri in list_files(join_uri(output, table), ".parquet") if uri not in known]


# The names of a job's parts, which follow from the settings alone. No Arrow is imported here.


#: Number of shards for which rows are packed while the final number is not known; `for_shards` converts to the final one.
FINE_SHARDS: Final = 1 << 32
#: Prefix of the names of parts that hold only books (documents of more than one page range).
_BOOKS: Final = "books"


def for_shards(rows: RowsOfPart, shards: int) -> RowsOfPart:
    """Return packed rows with the key of one of `shards` Parquet files instead of one of `FINE_SHARDS`; unchanged for 0.

    >>> for_shards((("pages", shard_of(DocId("a"), FINE_SHARDS)), ((), b"")), 7)[0] == ("pages", shard_of(DocId("a"), 7))
    True
    """
    (table, fine), packed = rows
    return ((table, fine % shards), packed) if shards else rows


def shard_of(doc_id: DocId, shards: int) -> int:
    """Return the number, from 0, of the Parquet file ("shard") for a document's rows. Ids are distributed evenly over the files."""
    return crc32(doc_id.encode()) % shards


def part_keys(settings: WriteSettings) -> Iterator[PartKey]:
    """Yield the key (table, shard) of every Parquet file of a job; a file without rows is written, too."""
    for table in TABLE_NAMES:
        for shard in range(settings.shards):
            yield table, shard


def part_stem(shard: int, settings: WriteSettings) -> str:
    """Return the name, without suffix, of the Parquet files with this number (shard). It is the same in every table."""
    return f"{settings.part_prefix}-{shard:05d}-of-{settings.shards:05d}"


def part_name(table: str, shard: int, settings: WriteSettings, piece: int = 1) -> str:
    """Return the address of the Parquet file with this number in a table. piece: from 1, if its rows are split over several files."""
    further = "" if piece == 1 else f".{piece}"
    return join_uri(
        join_uri(settings.output_uri, settings.table_folder.format(table=table)), f"{part_stem(shard, settings)}{further}.parquet"
    )


def of_books(settings: WriteSettings) -> WriteSettings:
    """Return the settings for Parquet files that hold only long documents ("books"): their names begin with `books`."""
    return replace(settings, part_prefix=f"{_BOOKS}-{settings.part_prefix}")


def final_name(uri: str, run: str, number: int | None) -> str:
    """Return the file name under which a Parquet file is published: `part-RUN-BATCH-SHARD-of-SHARDS.parquet`, with `books` before SHARD for
    long documents. uri: address before, which ends in SHARD and SHARDS. run: RUN. number: BATCH; None leaves it out.

    >>> final_name("s3://bucket/stage/pages/books-part-00003-of-00010.parquet", "4f", None)
    'part-4f-books-00003-of-00010.parquet'
    """
    name = uri.rpartition("/")[2]
    *_, shard, of, shards = name.split("-")
    words = [run, *([] if number is None else [f"{number:05d}"]), *([_BOOKS] if name.startswith(f"{_BOOKS}-") else []), shard, of, shards]
    return "-".join(["part", *words])
