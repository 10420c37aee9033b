"""Write the tables of a document as files for spreadsheets: CSV and Excel's XLSX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from pdfmill.pipeline.render.cells import placed_cells
from pdfmill.pipeline.render.rows import DocumentRows, text_in, whole_in

#: Most characters of a cell in Excel (Excel's specifications and limits).
_MOST_IN_CELL: Final = 32_767
#: Creation date of workbooks, fixed so that the same tables give the same bytes.
_MADE: Final = datetime(2000, 1, 1, tzinfo=UTC)


class TableError(ValueError):
    """A table does not fit into a format."""


class PageTable(Struct, frozen=True):
    """A table of a page. page: from 1. number: of the table on its page, from 1. rows: texts of the cells; all rows have one length."""

    page: int
    number: int
    rows: list[list[str]]
    header_rows: int  # number of header rows at its top

    def name(self, digits: int = 1) -> str:
        """Return a name for a file or a sheet. digits: the page number is padded with zeros to this number of digits."""
        return f"page-{self.page:0{digits}}-table-{self.number}"


def page_tables(rows: DocumentRows) -> Iterator[PageTable]:
    """Yield the tables on the pages in `rows`, in reading order."""
    before, number = 0, 0
    for block in rows.blocks:
        if text_in(block, "role") == "table" and (html := text_in(block, "html")):
            page = whole_in(block, "page") or 1
            number = number + 1 if page == before else 1
            before = page
            yield PageTable(page, number, *placed_cells(html))


def to_csv(tables: Sequence[PageTable]) -> str:
    """Return the tables as comma-separated values (RFC 4180, but with line feeds), with an empty line between two tables."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    for position, table in enumerate(tables):
        if position:
            sink.write("\n")
        writer.writerows(table.rows)
    return sink.getvalue()


def to_xlsx(tables: Sequence[PageTable]) -> bytes:
    """Return a workbook with a sheet for each table. Every cell is text, so that none is a formula. Needs the extra `xlsx`.

    Raises:
        TableError: a cell has more characters than Excel allows.
    """
    import xlsxwriter  # an extra, which little else needs

    sink = io.BytesIO()
    with xlsxwriter.Workbook(sink, {"in_memory": True}) as book:
        book.set_properties({"created": _MADE})
        head = book.add_format({"bold": True, "text_wrap": True})
        for table in tables:
            sheet = book.add_worksheet(table.name())
            sheet.freeze_panes(table.header_rows, 0)
            for top, row in enumerate(table.rows):
                for left, text in enumerate(row):
                    if len(text) > _MOST_IN_CELL:
                        raise TableError(
                            f"{table.name()}: a cell has {len(text):,} characters; Excel allows {_MOST_IN_CELL:,}, csv any number"
                        )
                    sheet.write_string(top, left, text, head if top < table.header_rows else None)
        if not tables:
            book.add_worksheet("no tables")  # a workbook without a sheet is damaged
    return sink.getvalue()
