"""Find the Parquet files of an output folder's tables, and notice when they are replaced."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from pdfmill.pipeline.search.read_tables import shown_tables
from pdfmill.transforms.delta.delta_log import LOG
from pdfmill.transforms.storage.objects import join_uri, list_files
from pdfmill.transforms.tables.output_layout import MANIFEST, read_if_there
from pdfmill.transforms.tables.table_reader import HeldTables


class TableFiles(Struct, frozen=True):
    """The tables of an output.

    version: changes when they are replaced. documents: part name and address of each file of `documents`, in order.
    """

    version: str
    held: HeldTables
    documents: tuple[tuple[str, str], ...]


def find_table_files(output: str) -> TableFiles:
    """The files that `pdfmill index` or `pdfmill crawl` published last.

    Raises:
        pdfmill.pipeline.search.answers.SearchError: the folder cannot be read, or holds no tables.
        pdfmill.transforms.storage.errors.SourceError: it cannot be told whether they were replaced.
    """
    version = version_of(output)
    held = shown_tables(output)
    return TableFiles(version, held, tuple((stem, uri) for stem in held.stems("documents") for uri in held.uris("documents", stem)))


def version_of(output: str) -> str:
    """Return a value that changes when the tables are replaced; cheap enough to be read often.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be listed or read.
    """
    if log := list_files(join_uri(output, LOG), ".json"):
        return log[-1].rpartition("/")[2]
    manifest = read_if_there(join_uri(output, MANIFEST))
    return "without manifest" if manifest is None else hashlib.sha256(manifest).hexdigest()
