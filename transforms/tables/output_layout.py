"""The layout of an output folder beside the tables, and which files in the tables' folders belong to pdfmill."""

from __future__ import annotations

import json
import re
from typing import Final

from msgspec import Struct, to_builtins

from pdfmill.schemas.records import TABLE_NAMES
from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.local import UNFINISHED
from pdfmill.transforms.storage.objects import join_uri, list_files, read_file, write_bytes, write_new

#: Folder of what runs write for themselves: readers of Parquet folders leave out names that begin with _.
OWN: Final = "_pdfmill"
#: Parts of runs that are not done, a folder for each kind of run.
STAGES: Final = f"{OWN}/stage"
#: Whole new tables, on their way to the place of the old ones.
INCOMING: Final = f"{OWN}/incoming"
#: The commit point: what is to be put in place. There while that is done.
JOURNAL: Final = f"{OWN}/publish.json"
#: The files of the tables that the last run has written.
MANIFEST: Final = f"{OWN}/manifest.json"
#: About the last run, for people and `pdfmill report`.
RUN_FILE: Final = "run.json"

#: What pdfmill before the manifest called its parts.
_PART: Final = re.compile(r"part-(\d{5}-)?\d{5}-of-\d{5}\.parquet")


class TablePart(Struct, frozen=True):
    """A part of new tables. staged: its path from the output folder before it is published. name: in its table's folder. size: bytes."""

    table: str
    staged: str
    name: str
    size: int
    rows: int

    @property
    def path(self) -> str:
        """Its published path, from the output folder."""
        return f"{self.table}/{self.name}"


class Manifest(Struct, frozen=True):
    """The parts that the last run published: size in bytes by path from the output folder. run: name of the run's staging folder."""

    run: str
    files: dict[str, int]

    def save(self, output: str) -> None:
        """Write the manifest."""
        write_bytes(join_uri(output, MANIFEST), json.dumps(to_builtins(self), indent=1).encode())

    @staticmethod
    def load(output: str) -> Manifest | None:
        """Load the manifest of the last run; None if there is none."""
        text = read_if_there(join_uri(output, MANIFEST))
        return None if text is None else Manifest(**json.loads(text))


def read_if_there(uri: str) -> bytes | None:
    """Return the bytes at an address; None if there is no object.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: it cannot be told, or not be read.
    """
    try:
        return read_file(uri)
    except SourceError as error:
        if error.code not in ("not_found", "no_such_bucket"):
            raise
        return None


def claim(uri: str, data: bytes) -> None:
    """Create an object with bytes that no other writer uses, if there is none. Finding one's own bytes later shows that the claim was won.

    A store that wrote and whose answer got lost is asked again, and then says that there is an object.

    Raises:
        pdfmill.transforms.storage.errors.AlreadyExistsError: there is another one, or was just now.
        pdfmill.transforms.storage.errors.SourceError: it cannot be written, or be told.
    """
    try:
        write_new(uri, data)
    except AlreadyExistsError:
        if read_if_there(uri) != data:
            raise


def table_parts(output: str, table: str) -> list[str]:
    """Addresses of a table's Parquet parts, whoever wrote them."""
    return list_files(join_uri(output, table), ".parquet")


def published_parts(output: str) -> list[tuple[str, str]]:
    """Return (table, address) of the parts of the tables of `pdfmill index`; if the last run left a manifest, those that it names.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be listed or read.
    """
    manifest = Manifest.load(output)
    if manifest is None:
        return [(table, uri) for table in TABLE_NAMES for uri in table_parts(output, table)]
    return [(path.partition("/")[0], join_uri(output, path)) for path in sorted(manifest.files)]


def our_files(output: str) -> list[str]:
    """Return the paths of the files in the tables' folders that pdfmill wrote: those of the manifest, or without one those named like
    parts. Files that a killed process had begun are included.
    """
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
    """Return the addresses of Parquet files beside the parts that pdfmill did not write; readers of the folders see their rows too."""
    known = {join_uri(output, path) for path in ours}
    return [uri for table in TABLE_NAMES for uri in list_files(join_uri(output, table), ".parquet") if uri not in known]
