"""`pdfmill.read` on documents made here: what it gives is what `show` gives."""

import inspect
import io
import json
import subprocess
import sys

import pandas
import pikepdf
import polars
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import SimpleDocTemplate, Table, TableStyle

import pdfmill
from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.render.cells import placed_cells

PROSE = "The archive keeps every letter that was ever sent and finds it again by a word of it"


@pytest.fixture(scope="module")
def letter() -> bytes:
    sink = io.BytesIO()
    canvas = Canvas(sink, invariant=1)
    for number, name in enumerate(["Letters", "Bridges"]):
        canvas.setFont("Helvetica", 11)
        for line in [*range(10 + number), *range(14 + number, 30 + number)]:
            canvas.drawString(72, 760 - 14 * line, f"{PROSE} {number}.{line}")
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 760 - 14 * (12 + number), name)
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


@pytest.fixture(scope="module")
def ruled() -> bytes:
    sink = io.BytesIO()
    rows = [["Year", "Letters"], *([str(1900 + each), str(each * 17)] for each in range(8))]
    style = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black"), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")])
    SimpleDocTemplate(sink, pagesize=A4, invariant=1).build([Table(rows, style=style)])
    return sink.getvalue()


def test_a_path_bytes_and_a_file_are_the_same_document(letter, tmp_path):
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter)
    with path.open("rb") as file:
        found = [pdfmill.read(each) for each in (path, str(path), letter, bytearray(letter), file)]
    assert len({document.text for document in found}) == 1
    assert [document.page_count for document in found] == [2] * 5
    assert found[0].facts["source_uri"] == path.as_uri()
    assert found[2].facts["source_uri"] == found[3].facts["source_uri"]
    assert found[4].facts["source_uri"].endswith("/letter.pdf")


def test_it_says_what_show_says(letter, tmp_path, capsys):
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter)
    document = pdfmill.read(path)
    for form, told in {"text": document.text, "markdown": document.to_markdown(), "html": document.to_html()}.items():
        assert run(["show", str(path), "--format", form]) == 0
        assert capsys.readouterr().out == told
    assert json.loads(document.to_json())["documents"][0]["page_count"] == 2


def test_blocks_words_and_boxes(letter):
    document = pdfmill.read(letter, pages=[2])
    (page,) = document.pages
    assert (page.number, page.error, document.page_count) == (2, None, 2)
    heading = next(block for block in document.blocks if block.role == "heading")
    assert (heading.text, heading.heading_path, heading.boxes[0].page) == ("Bridges", ["Bridges"], 2)
    assert page.text[heading.text_start : heading.text_end] == "Bridges"
    word = next(word for word in page.words if word.text == "Bridges")
    box = heading.boxes[0]
    assert box.x0 - 1 <= word.x0 < word.x1 <= box.x1 + 1


def test_sections_are_what_index_writes(letter, tmp_path):
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter)
    found = pdfmill.read(path).sections()
    written = pdfmill.index(path, tmp_path / "out").table("sections").to_pylist()
    assert [(each.id, each.text, each.heading_path) for each in found] == [
        (each["id"], each["text"], each["heading_path"]) for each in written
    ]
    assert found[-1].heading_path == ["Bridges"]
    assert found[-1].boxes[0].page == found[-1].last_page == 2
    assert len(pdfmill.read(path).sections(max_chars=300)) > len(found)


def test_a_table_is_rows_and_frames(ruled):
    (table,) = pdfmill.read(ruled).tables
    assert table.rows[0] == ["Year", "Letters"]
    assert table.rows[3] == ["1902", "34"]
    assert (table.header_rows, table.columns()) == (1, ["Year", "Letters"])
    assert table.to_arrow().to_pylist()[2] == {"Year": "1902", "Letters": "34"}
    assert "<table" in table._repr_html_()


def test_a_table_in_the_frames_of_others(ruled):
    (table,) = pdfmill.read(ruled).tables
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    assert table.to_pandas()["Letters"].tolist() == [str(each * 17) for each in range(8)]
    assert isinstance(table.to_polars(), polars.DataFrame)
    assert table.to_polars()["Year"].to_list() == [str(1900 + each) for each in range(8)]


@pytest.mark.parametrize(
    ("html", "columns"),
    [
        ("<table><tr><td>a</td><td>b</td></tr></table>", ["1", "2"]),
        ("<table><tr><th>a</th><th>a</th></tr><tr><td>1</td><td>2</td></tr></table>", ["a 1", "a 2"]),
        ("<table><tr><th colspan=2>a</th></tr><tr><th>b</th><th>c</th></tr><tr><td>1</td><td>2</td></tr></table>", ["a b", "c"]),
    ],
)
def test_every_column_has_a_name_of_its_own(html, columns):
    rows, head = placed_cells(html)
    assert pdfmill.Table(1, [], rows, head, html).columns() == columns


def test_a_page_can_be_drawn_from_bytes(letter):
    picture = pdfmill.read(letter).picture(1, scale=0.5)
    assert picture.size == (298, 421)
    assert min(picture.convert("L").getdata()) < 100
    with pytest.raises(pdfmill.PdfmillError, match="page 9"):
        pdfmill.read(letter).picture(9)


def test_passwords_open_and_are_not_told(letter, tmp_path):
    path = tmp_path / "locked.pdf"
    with pikepdf.open(io.BytesIO(letter)) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(user="sesame", owner="owner"))
    with pytest.raises(pdfmill.PdfmillError) as error:
        pdfmill.read(path)
    assert error.value.code == "password_needed"
    with pytest.raises(pdfmill.PdfmillError) as error:
        pdfmill.read(path, passwords=["barley"])
    assert error.value.code == "password_needed"
    assert "barley" not in str(error.value)
    document = pdfmill.read(path, passwords=["barley", "sesame"])
    assert document.page_count == 2
    assert document.picture(1).size[0] > 100


@pytest.mark.parametrize(
    ("source", "code"),
    [("/no/such/file.pdf", "not_found"), (b"", "empty"), (b"<html>", "not_pdf"), ("ftp://host/a.pdf", "bad_source"), (7, "usage")],
)
def test_what_cannot_be_read_is_one_error_with_a_code(source, code):
    with pytest.raises(pdfmill.PdfmillError) as error:
        pdfmill.read(source)
    assert error.value.code == code


def test_pages_that_make_no_sense(letter):
    with pytest.raises(pdfmill.PdfmillError, match="pages: '3-1'"):
        pdfmill.read(letter, pages="3-1")


def test_the_surface_is_what_it_was():
    """A name that goes, or an argument, breaks programs: say so in CHANGELOG.md, and here."""
    assert pdfmill.__all__ == [
        "Asset", "Block", "Box", "Document", "Failure", "Image", "IndexResult", "Link", "Match", "Metadata", "Notice", "OutlineItem",
        "Page", "PdfmillError", "Section", "Table", "Word", "__version__", "index", "read", "search",
    ]  # fmt: skip
    assert list(inspect.signature(pdfmill.read).parameters) == [
        "source", "pages", "password", "passwords", "ocr", "ocr_language", "keep_furniture", "name",
    ]  # fmt: skip
    assert list(inspect.signature(pdfmill.index).parameters) == ["sources", "output", "progress", "flags"]
    public = [name for name in vars(pdfmill.Document) if not name.startswith("_")]
    assert public == [
        "facts", "status", "title", "language", "metadata", "author", "created", "modified", "page_count", "outline", "warnings", "assets",
        "images",
        "pages", "blocks", "sections", "tables", "text", "search", "matches_on", "to_markdown", "to_html", "to_json", "to_dict", "picture",
    ]  # fmt: skip


def test_importing_it_loads_no_library():
    code = "import sys; before = set(sys.modules); import pdfmill; new = {n.partition('.')[0] for n in set(sys.modules) - before}; "
    code += "print(sorted(new - set(sys.stdlib_module_names)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "['pdfmill']"
