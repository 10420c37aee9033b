"""Tables as files for spreadsheets."""

import csv
import io
import zipfile

import pytest
from lxml import etree

from pdfmill.pipeline.render.spreadsheets import PageTable, TableError, page_tables, to_csv, to_xlsx
from tests.pipeline.render.rows_for_tests import document

TABLE = "<table><thead><tr><th colspan=2>City, name</th></tr></thead><tr><td>=1+1</td><td>Riga</td></tr></table>"
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def tables():
    return list(
        page_tables(
            document(
                (1, "table", "", {"html": TABLE}),
                (1, "paragraph", "x"),
                (1, "table", "", {"html": TABLE}),
                (12, "table", "", {"html": TABLE}),
            )
        )
    )


def test_tables_are_named_by_page_and_number():
    assert [table.name(2) for table in tables()] == ["page-01-table-1", "page-01-table-2", "page-12-table-1"]
    assert (tables()[0].rows, tables()[0].header_rows) == ([["City, name", ""], ["=1+1", "Riga"]], 1)


def test_csv_reads_back():
    told = to_csv(tables()[:2])
    assert told == '"City, name",\n=1+1,Riga\n\n"City, name",\n=1+1,Riga\n'
    assert list(csv.reader(io.StringIO(told)))[1] == ["=1+1", "Riga"]


def test_a_workbook_has_a_sheet_for_each_table_and_no_formula():
    data = to_xlsx(tables())
    assert data == to_xlsx(tables()), "the same tables give the same bytes"
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheets = [each.get("name") for each in etree.fromstring(book.read("xl/workbook.xml")).iter(f"{SHEET}sheet")]
        first = etree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        strings = [each.text for each in etree.fromstring(book.read("xl/sharedStrings.xml")).iter(f"{SHEET}t")]
    assert sheets == ["page-1-table-1", "page-1-table-2", "page-12-table-1"]
    assert not list(first.iter(f"{SHEET}f"))
    (pane,) = first.iter(f"{SHEET}pane")
    assert (pane.get("ySplit"), pane.get("xSplit"), pane.get("state")) == ("1", None, "frozen"), "the header stays, no column does"
    assert {"City, name", "=1+1", "Riga"} <= set(strings)


def test_no_tables_are_an_empty_workbook():
    with zipfile.ZipFile(io.BytesIO(to_xlsx([]))) as book:
        assert "xl/worksheets/sheet1.xml" in book.namelist()


def test_what_excel_cannot_hold_is_refused():
    with pytest.raises(TableError, match="40,000 characters"):
        to_xlsx([PageTable(3, 1, [["x" * 40_000]], 0)])
    assert len(to_csv([PageTable(3, 1, [["x" * 40_000]], 0)])) > 40_000
