"""The Python interface as hands expect it: what is typed first works, and what is wrong is refused in one sentence."""

import ast
import dataclasses
import inspect
import io
import pickle
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

import pdfmill
from pdfmill.parts import metadata_of
from tests.docs_blocks import ROOT

CALLS = ROOT / "tests" / "api" / "typed_calls.py"


@pytest.fixture(scope="module")
def letter() -> bytes:
    sink = io.BytesIO()
    canvas = Canvas(sink)
    canvas.setAuthor("Ada Archivist")
    canvas.setTitle("Letters of the archive")
    for number in (1, 2, 3):
        for line in range(20):
            canvas.drawString(72, 760 - 14 * line, f"The archive keeps each letter of the year {1900 + number * 20 + line} by its name.")
        canvas.linkURL("https://archive.example/letters", (72, 755, 300, 775))
        canvas.linkAbsolute("next", "end", (72, 700, 300, 715))
        if number == 3:
            canvas.bookmarkPage("end")
            canvas.addOutlineEntry("The end", "end")
        if number == 2:
            canvas.drawImage(_png(), 300, 100, 160, 120)
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


def _png() -> object:
    from reportlab.lib.utils import ImageReader

    sink = io.BytesIO()
    picture = Image.new("RGB", (40, 30), "blue")
    picture.putpixel((3, 3), (255, 255, 255))
    picture.save(sink, "PNG")
    sink.seek(0)
    return ImageReader(sink)


@pytest.fixture
def path(letter, tmp_path) -> Path:
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter)
    return path


def test_mypy_reads_sixty_calls_strictly_and_they_run(path, tmp_path):
    assert len([node for node in ast.walk(ast.parse(CALLS.read_text())) if isinstance(node, ast.Call | ast.Attribute)]) >= 60
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=pyproject.toml", str(CALLS)],
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    done = subprocess.run([sys.executable, str(CALLS), str(path), str(tmp_path)], capture_output=True, text=True, cwd=ROOT, env=_env())
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "letter.md").read_text().startswith("[The archive keeps each letter")
    assert {each.name for each in tmp_path.glob("*.png")} == {"1.png", "2.png", "3.png"}


def _env() -> dict[str, str]:
    import os

    return os.environ | {"PYTHONPATH": str(ROOT)}


def test_a_document_is_its_pages(letter):
    with pdfmill.read(letter) as document:
        assert len(document) == 3
        assert [page.number for page in document] == [1, 2, 3]
        assert bool(document)
    assert len(pdfmill.read(letter, pages=2)) == 1


def test_its_facts_are_typed(letter):
    document = pdfmill.read(letter)
    assert (document.author, document.metadata.title) == ("Ada Archivist", "Letters of the archive")
    assert abs(document.created - datetime.now(UTC)) < timedelta(minutes=5)
    assert document.modified == document.metadata.modified
    assert document.outline == [pdfmill.OutlineItem("The end", 1, 3, None)]
    assert pdfmill.__version__ == re.search(r'VERSION: Final = "(.+)"', (ROOT / "schemas" / "version.py").read_text())[1]
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        pdfmill.serach  # noqa: B018


def test_a_date_that_is_none_is_none():
    found = metadata_of({"created": "last spring", "modified": "2017-06-27T08:42:23+02:00"})
    assert (found.created, found.modified) == (None, datetime(2017, 6, 27, 8, 42, 23, tzinfo=timezone(timedelta(hours=2))))
    assert metadata_of(None) == pdfmill.Metadata()


def test_phrases_have_places_and_boxes(letter):
    document = pdfmill.read(letter)
    (found,) = document.search("YEAR 1945")
    page = document.pages[found.page - 1]
    assert (found.page, found.text, page.text[found.start : found.end]) == (2, "year 1945", "year 1945")
    (box,) = found.boxes
    words = {word.text: word for word in page.words if word.start >= found.start}
    assert (box.page, box.x0, box.x1) == (2, words["year"].x0, words["1945"].x1)
    assert document.search("ear 194") == []
    assert len(document.search("ear 194", parts=True)) == 10
    assert page.search("year 1945") == [found]


def test_links_and_images_of_a_page(letter):
    first, second, _ = pdfmill.read(letter)
    outer, inner = first.links
    assert (outer.uri, outer.target_page) == ("https://archive.example/letters", None)
    assert outer.text.startswith("The archive keeps")
    assert (inner.uri, inner.target_page) == (None, 3)
    assert first.images == []
    (image,) = second.images
    assert (image.width, image.height) == (40, 30)
    (box,) = image.boxes
    assert (box.page, round(box.x0), round(box.x1)) == (2, 300, 460)
    assert Image.open(io.BytesIO(image.data)).convert("RGB").getpixel((0, 0)) == (0, 0, 255)


def test_a_file_that_was_read_is_rewound(letter):
    file = io.BytesIO(letter)
    file.read()
    assert len(pdfmill.read(file)) == 3


def test_a_file_that_cannot_seek_is_read_on(letter):
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.left = io.BytesIO(letter)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:
            return self.left.readinto(buffer)

    assert len(pdfmill.read(io.BufferedReader(Pipe()))) == 3


def test_the_home_folder_is_known(path, monkeypatch):
    monkeypatch.setenv("HOME", str(path.parent))
    assert len(pdfmill.read("~/letter.pdf")) == 3
    assert pdfmill.index("~/letter.pdf", "~/tables", workers=1).documents == 1
    assert (path.parent / "tables" / "pages").is_dir()
    document = pdfmill.read(Path("~/letter.pdf"))
    assert document.to_markdown("~/letter.md") == (path.parent / "letter.md").read_text(encoding="utf-8")


def test_one_password_is_enough(letter, tmp_path):
    locked = tmp_path / "locked.pdf"
    with pikepdf.open(io.BytesIO(letter)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(user="sesame", owner="owner"))
    assert len(pdfmill.read(locked, password="sesame")) == 3
    assert len(pdfmill.read(locked, password="barley", passwords=["sesame"])) == 3


def test_documents_can_be_pickled(letter):
    again = pickle.loads(pickle.dumps(pdfmill.read(letter)))
    assert len(again.search("year 1945")) == 1
    assert again.picture(1, scale=0.2).size[0] > 100


def test_rows_are_dictionaries(letter):
    rows = pdfmill.read(letter).to_dict()
    assert [len(rows[table]) for table in ("documents", "pages")] == [1, 3]
    assert rows["documents"][0]["info"]["author"] == "Ada Archivist"


@pytest.mark.parametrize("public", [each for name in pdfmill.__all__ if inspect.isclass(each := getattr(pdfmill, name))])
def test_each_field_is_documented(public):
    """Beside its type, where `help()` shows it."""
    if not dataclasses.is_dataclass(public):
        undocumented = [name for name, value in vars(public).items() if not name.startswith("_") and not inspect.getdoc(value)]
        assert undocumented == []
        return
    undocumented = [
        each.name for each in dataclasses.fields(public) if not each.name.startswith("_") and "Annotated[" not in str(each.type)
    ]
    assert undocumented == []
    shown = str(inspect.signature(public)).replace("\\", "")
    assert all(str(each.type) in shown for each in dataclasses.fields(public))


def wrong_reads(letter: bytes, folder: Path):
    """Calls, each with the words that its refusal must have."""
    closed = io.BytesIO(letter)
    closed.close()
    document = pdfmill.read(letter)
    text = io.StringIO("letter")
    (folder / "empty").mkdir()
    (folder / "two").mkdir()
    for name in ("a.pdf", "b.pdf"):
        (folder / "two" / name).write_bytes(letter)
    locked = folder / "locked.pdf"
    with pikepdf.open(io.BytesIO(letter)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(user="sesame", owner="owner"))
    read, index, out = pdfmill.read, pdfmill.index, folder / "out"
    return [
        (lambda: read(folder / "none.pdf"), "none.pdf: No such file"),
        (lambda: read(str(folder / "none.pdf")), "none.pdf: No such file"),
        (lambda: read(f"file://{folder}/none.pdf"), "none.pdf: No such file"),
        (lambda: read("~nobody-has-this-name/a.pdf"), "No such file"),
        (lambda: read(""), "empty text"),
        (lambda: read(folder / "empty"), "contains no file named"),
        (lambda: read(folder / "two"), "more than one document"),
        (lambda: read(b""), "^bytes: the file is empty"),
        (lambda: read(b"", name="nothing.pdf"), "^nothing.pdf: the file is empty"),
        (lambda: read(b"<html>"), "^bytes: this is not a PDF .* its format seems to be: html"),
        (lambda: read(io.BytesIO()), "the file is empty"),
        (lambda: read(io.BytesIO(b"plain")), "this is not a PDF"),
        (lambda: read("ftp://host/a.pdf"), "the scheme 'ftp' is unknown"),
        (lambda: read(7), "7: give a path"),
        (lambda: read(None), "None: give a path"),
        (lambda: read(text), "binary mode"),
        (lambda: read(closed), "the file is closed"),
        (lambda: read(letter, pages="99"), "pages: '99' selects no page of the document; it has pages 1 to 3"),
        (lambda: read(letter, pages=99), "selects no page"),
        (lambda: read(letter, pages=0), "give numbers from 1"),
        (lambda: read(letter, pages=-1), "pages: "),
        (lambda: read(letter, pages="3-1"), "pages: '3-1'"),
        (lambda: read(letter, pages="first"), "'first' is not a page range"),
        (lambda: read(letter, pages=[]), "pages: "),
        (lambda: read(letter, pages=1.5), "pages: "),
        (lambda: read(letter, pages=[1.5]), "selects no pages"),
        (lambda: read(locked), "password"),
        (lambda: read(locked, password="barley"), "password"),
        (lambda: read(letter, passwords="openpassword"), "or a single text as password="),
        (lambda: read(letter, password=7), "each password must be a text"),
        (lambda: read(letter, passwords=[7]), "each password must be a text"),
        (lambda: read(letter, ocr=True, ocr_language="klingon"), "ocr: "),
        (lambda: document.picture(0), "there is no page 0; it has pages 1 to 3"),
        (lambda: document.picture(99), "there is no page 99"),
        (lambda: document.picture(1, scale=0), "scale must be from 0.1 to 20"),
        (lambda: document.pages[0].picture(scale=100), "scale must be from 0.1 to 20"),
        (lambda: document.sections(max_chars=0), "max_chars must be 100 or more"),
        (lambda: index(letter_path(letter, folder), out, worker=3), "did you mean --workers"),  # type: ignore[call-overload]
        (lambda: index(letter_path(letter, folder), out, workers="many"), "--workers"),  # type: ignore[call-overload]
        (lambda: index(letter_path(letter, folder), out, workers=0), "--workers"),
        (lambda: index(letter_path(letter, folder), out, hyphens="perhaps"), "--hyphens"),  # type: ignore[call-overload]
        (lambda: index([], out), "sources is empty"),
        (lambda: index(folder / "none.pdf", out), "nothing to read"),
    ]


def letter_path(letter: bytes, folder: Path) -> Path:
    path = folder / "one.pdf"
    path.write_bytes(letter)
    return path


def refusal(call) -> str:
    try:
        call()
    except pdfmill.PdfmillError as error:
        return str(error)
    return "no error"


def test_what_is_wrong_is_refused_in_one_sentence(letter, tmp_path):
    wrong = wrong_reads(letter, tmp_path)
    assert len(wrong) >= 40
    for number, (call, words) in enumerate(wrong):
        message = refusal(call)
        assert re.search(words, message), (number, message)
        assert not re.search("memory://|argument |barley|openpassword", message), (number, message)
        assert max(message.count(str(tmp_path)), message.count("bytes: ")) <= 1 or "\n" in message, (number, message)


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_package_that_is_missing_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    table = pdfmill.Table(1, [], [["a"], ["1"]], 1, "<table></table>")
    with pytest.raises(pdfmill.PdfmillError, match=f"needs {package}, which is not installed: pip install") as error:
        getattr(table, {"pyarrow": "to_arrow"}.get(package, f"to_{package}"))()
    assert error.value.code == "not_installed"


def test_the_package_is_a_command(path):
    done = subprocess.run([sys.executable, "-m", "pdfmill", "show", str(path), "--pages", "1"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout[:19]) == (0, "The archive keeps e")
