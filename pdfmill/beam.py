"""The steps of `pdfmill index` as transforms for your own Apache Beam pipelines: addresses of PDFs become rows of tables.

    packed = pipeline | beam.Create(["s3://archive/2026/"]) | FindPdfs() | StructurePdfs(max_pages=500)
    pages = packed | TableRows("pages")                       # dictionaries, one a page
    packed | WriteParquet("s3://archive/tables/")             # all tables

`ReadPdfs` combines the first three, for pipelines in Beam YAML (examples/headings.yaml).

Workers need pdfmill installed. A document that cannot be read becomes a row of `documents` with a status and a reason, never an exception.
Without the extra `beam` the import raises a ModuleNotFoundError that names the extra.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pdfmill.schemas.extras import missing_extra

try:
    import apache_beam as beam
    import pyarrow as pa
    from apache_beam.typehints.row_type import RowTypeConstraint

    from pdfmill.pipeline.engine.graph import structure_documents
    from pdfmill.pipeline.options.options import OPTIONS, UsageError, job_settings, parse_index
    from pdfmill.schemas.tables import TABLES
    from pdfmill.transforms.steps.find_documents import FindDocuments
    from pdfmill.transforms.steps.write_tables import WriteTables
    from pdfmill.transforms.tables.parts import read_rows
except ModuleNotFoundError as lacking:
    raise ModuleNotFoundError(missing_extra(lacking, "pdfmill.beam") or str(lacking), name=lacking.name) from lacking

from pdfmill.errors import PdfmillError
from pdfmill.jobs import flag_words
from pdfmill.schemas.records import TABLE_NAMES, DocumentRef, Row, RowsOfPart
from pdfmill.transforms.tables.output_layout import FINE_SHARDS, WriteSettings, for_shards

__all__ = ["DocumentRef", "FindPdfs", "ReadPdfs", "Row", "RowsOfPart", "StructurePdfs", "TableRows", "WriteParquet"]


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(DocumentRef)
class FindPdfs(beam.PTransform[str, DocumentRef]):
    """List sources (files, folders, globs, addresses in stores), and return one reference for each object, without repetitions.

    A source that cannot be listed gives one reference with its `failure`, which becomes a row of `documents`.
    """

    def expand(self, sources: beam.PCollection[str]) -> beam.PCollection[DocumentRef]:
        return sources | FindDocuments(whole=False)


#: Flags of `pdfmill index` that have no effect in a pipeline: they control the written files, or the processes of the command.
_NO_EFFECT: Final = frozenset({"output", "shards", "export", "keep_jpeg", "workers", "batch_documents", "batch_bytes"})


def _check_names(flags: Iterable[str]) -> None:
    """Raise PdfmillError(usage) for the first of these flags that does not control how documents are read."""
    known = [option.name for option in OPTIONS if option.name not in _NO_EFFECT]
    for name in flags:
        if name in _NO_EFFECT:
            raise PdfmillError(
                "usage", f"{name} is a flag of pdfmill index that does not affect how documents are read, so it has no effect here"
            )
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise PdfmillError("usage", f"there is no flag {name!r}" + (f"; did you mean {near[0]}?" if near else ""))


@beam.typehints.with_input_types(DocumentRef)
@beam.typehints.with_output_types(RowsOfPart)
class StructurePdfs(beam.PTransform[DocumentRef, RowsOfPart]):
    """Read the referenced PDFs and return the rows of all tables, compressed; `TableRows` decompresses them, `WriteParquet` writes them.

    flags: flags of `pdfmill index` that control how documents are read, by name, e.g. `ocr=True`, `max_pages=500`. Attachments and images
    are not exported; attached PDFs have rows of their own.

    Raises:
        PdfmillError: (usage) there is no such flag, it has no effect here, or it cannot have that value.
    """

    def __init__(self, **flags: object) -> None:
        super().__init__()
        _check_names(flags)
        try:
            parsed, _ = parse_index([*flag_words(flags), "-", "--output", "none", "--export", "none"])
        except UsageError as error:
            raise PdfmillError("usage", str(error)) from error
        self._job = job_settings(parsed, "part", FINE_SHARDS)

    def expand(self, documents: beam.PCollection[DocumentRef]) -> beam.PCollection[RowsOfPart]:
        """Apply the steps of `pdfmill.pipeline.engine.graph` that read and structure documents."""
        return structure_documents(documents, self._job)


def _rows(packed: RowsOfPart, table: str) -> Iterator[Row]:
    (of, _), (_, data) = packed
    if of == table:
        yield from read_rows(table, [data])


@beam.typehints.with_input_types(RowsOfPart)
@beam.typehints.with_output_types(dict[str, Any])
class TableRows(beam.PTransform[RowsOfPart, Row]):
    """Decompress the rows of one table to dictionaries, in any order, with the columns of docs/columns.md.

    table: documents, pages, blocks, sections or assets.

    Raises:
        PdfmillError: (usage) there is no such table.
    """

    def __init__(self, table: str) -> None:
        super().__init__()
        if table not in TABLE_NAMES:
            raise PdfmillError("usage", f"no table {table!r}; there are {', '.join(TABLE_NAMES)}")
        self._table = table

    def default_label(self) -> str:
        """Return a label that names the table, so that one pipeline can unpack several tables."""
        return f"TableRows({self._table})"

    def expand(self, packed: beam.PCollection[RowsOfPart]) -> beam.PCollection[Row]:
        return packed | self._table >> beam.FlatMap(_rows, self._table)


#: The Python type of each simple Arrow type.
_PLAIN: Final = {pa.string(): str, pa.int32(): int, pa.int64(): int, pa.float32(): float, pa.float64(): float, pa.bool_(): bool}


def _as_row(row: Row, columns: Sequence[str]) -> beam.Row:
    return beam.Row(**{name: row[name] for name in columns})


class ReadPdfs(beam.PTransform[beam.pvalue.PBegin, beam.Row]):
    """Read sources and return the rows of one table, as Beam rows with a schema, which Beam YAML, SQL and DataFrames need.

    table: documents, pages, blocks, sections or assets. columns: columns of simple types (text, number, boolean) to keep; all such columns
    by default. flags: flags of `pdfmill index` that control how documents are read.

    Raises:
        PdfmillError: (usage) there is no such table, column or flag.
    """

    def __init__(self, sources: Sequence[str], table: str = "pages", columns: Sequence[str] = (), **flags: object) -> None:
        super().__init__()
        self._steps = (FindPdfs(), StructurePdfs(**flags), TableRows(table))
        plain = {field.name: _PLAIN[field.type] for field in TABLES[table] if field.type in _PLAIN}
        if unknown := [name for name in columns if name not in plain]:
            raise PdfmillError("usage", f"{table} has no column {unknown[0]!r} of plain values; there are {', '.join(plain)}")
        self._sources = list(sources)
        self._kinds = {name: plain[name] for name in columns or plain}

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[beam.Row]:
        """Find and read the PDFs; return the table's rows as `beam.Row`."""
        find, structure, rows = self._steps
        kind = RowTypeConstraint.from_fields([(name, beam.typehints.Optional[kind]) for name, kind in self._kinds.items()])
        found = begin | "Sources" >> beam.Create(self._sources) | "Find" >> find | "Structure" >> structure | "Rows" >> rows
        return found | "Row" >> beam.Map(_as_row, list(self._kinds)).with_output_types(kind)


@beam.typehints.with_input_types(RowsOfPart)
@beam.typehints.with_output_types(str)
class WriteParquet(beam.PTransform[RowsOfPart, str]):
    """Write the rows from `StructurePdfs` as Parquet tables to a folder, in `shards` files per table, and return the files' addresses.

    Unlike `pdfmill index` it writes the files to their final names one by one, replacing files of the same name: give each run a folder of
    its own, and read it when the pipeline has ended.

    Raises:
        PdfmillError: (usage) shards is not positive.
    """

    def __init__(self, output: str, shards: int = 32) -> None:
        super().__init__()
        if shards < 1:
            raise PdfmillError("usage", f"shards must be at least 1, not {shards}")
        self._write = WriteSettings(output, shards=shards)

    def expand(self, packed: beam.PCollection[RowsOfPart]) -> beam.PCollection[str]:
        """Group the rows by file, and write each file."""
        rows = packed | "Part" >> beam.Map(for_shards, self._write.shards).with_output_types(RowsOfPart)
        written = rows | "WriteTables" >> WriteTables(self._write)
        return written | "Files" >> beam.FlatMap(lambda each: [part.uri for part in each.parts])
