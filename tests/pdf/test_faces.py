"""A document's rows are its own, whatever fonts the machine has and whatever was drawn before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pypdfium2
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from pdfmill.transforms.pdf.open.pdfium_api import FACES
from tests.pdf.pages import make_page
from tests.pdf.test_cmaps import composite

#: Begun so, each process of Python believes that the folder `MACHINE_FONTS` holds the machine's fonts.
MACHINE = """
import ctypes, os
import pypdfium2.raw as c
from pypdfium2.internal import bases
folder = ctypes.create_string_buffer(os.environ["MACHINE_FONTS"].encode())
folders = (ctypes.POINTER(ctypes.c_char) * 2)(ctypes.cast(folder, ctypes.POINTER(ctypes.c_char)))
begin = c.FPDF_InitLibraryWithConfig
def begin_there(config):
    if not config.m_pUserFontPaths:
        config.m_pUserFontPaths = folders
    begin(config)
c.FPDF_InitLibraryWithConfig = begin_there
c.FPDF_DestroyLibrary()
begin_there(c.FPDF_LIBRARY_CONFIG(version=2))
"""

BOXES = """
import json, sys
from pdfmill.pipeline.run.one_document import find_one
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document
from pdfmill.transforms.pdf.draw.render import render_page
from pdfmill.transforms.road.job_settings import ReadSettings

def boxes(path, machine_fonts=False):
    with NATIVE_LOCK:
        page = get_document(find_one(path), ReadSettings(), machine_fonts=machine_fonts).pdfium[0]
        text = page.get_textpage()
        found = [text.get_charbox(number) for number in range(text.count_chars())]
        text.close()
        page.close()
        return found

first = boxes(sys.argv[1])
with NATIVE_LOCK:
    render_page(get_document(find_one(sys.argv[2]), ReadSettings()).pdfium, 1)
print(json.dumps({"first": first, "again": boxes(sys.argv[1]), "machine": boxes(sys.argv[1], True), "last": boxes(sys.argv[1])}))
"""


def make_font(path: Path, family: str, text: str) -> None:
    """A font of squares that stand far above their line."""
    builder = FontBuilder(1000, isTTF=True)
    names = [".notdef", *(f"uni{ord(letter):04X}" for letter in text)]
    pen = TTGlyphPen(None)
    for number, point in enumerate([(100, 900), (500, 900), (500, 1700), (100, 1700)]):
        (pen.lineTo if number else pen.moveTo)(point)
    pen.closePath()
    square = pen.glyph()
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(letter): name for letter, name in zip(text, names[1:], strict=True)})
    builder.setupGlyf(dict.fromkeys(names, square))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (600, 100)))
    builder.setupHorizontalHeader(ascent=1700, descent=-200)
    builder.setupNameTable({"familyName": family, "styleName": "Regular", "fullName": family, "psName": family})
    builder.setupOS2(sTypoAscender=1700, usWinAscent=1700, usWinDescent=200, ulCodePageRange1=1 << 17 | 1)
    builder.setupPost()
    builder.save(path)


@pytest.fixture
def machines(tmp_path: Path) -> list[dict[str, str]]:
    """The environments of two machines: one without fonts, one that has the fonts that documents name."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(MACHINE)
    for name in ("no fonts", "fonts"):
        (tmp_path / name).mkdir()
    make_font(tmp_path / "fonts" / "missing.ttf", "Missing", "縦書き")
    make_font(tmp_path / "fonts" / "helvetica.ttf", "Helvetica", "Latin")
    make_font(tmp_path / "fonts" / "unknown.ttf", "Unknown", "Latin")
    path = os.pathsep.join([str(tmp_path / "site"), *sys.path])
    return [{**os.environ, "PYTHONPATH": path, "MACHINE_FONTS": str(tmp_path / name)} for name in ("no fonts", "fonts")]


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A folder of documents with fonts that are not embedded."""
    folder = tmp_path / "documents"
    folder.mkdir()
    japanese = "縦書き".encode("utf-16-be").hex()
    fonts = {"F3": composite("UniJIS-UCS2-H", "Japan1"), "F4": composite("UniJIS-UCS2-V", "Japan1")}
    contents = f"BT /F1 12 Tf 20 20 Td (Latin) Tj /F3 20 Tf 60 100 Td <{japanese}> Tj /F4 20 Tf 0 80 Td <{japanese}> Tj ET"
    (folder / "japanese.pdf").write_bytes(make_page(contents, fonts=fonts))
    (folder / "latin.pdf").write_bytes(make_page("BT /F1 12 Tf 20 20 Td (Latin) Tj 0 14 Td (until) Tj ET"))
    return folder


def test_the_machines_fonts_are_for_pictures_only(machines: list[dict[str, str]], documents: Path) -> None:
    bare, full = (
        json.loads(
            subprocess.run(
                [sys.executable, "-c", BOXES, documents / "japanese.pdf", documents / "latin.pdf"],
                env=machine,
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for machine in machines
    )
    assert bare["first"] == bare["again"] == bare["machine"] == bare["last"]
    assert bare["first"] == full["first"] == full["again"] == full["last"]
    assert full["machine"] != full["first"], "the machine's fonts are not used at all: this test shows nothing"


def test_the_same_tables_with_and_without_fonts(machines: list[dict[str, str]], documents: Path, tmp_path: Path) -> None:
    tables = []
    for number, machine in enumerate(machines):
        output = tmp_path / f"tables{number}"
        command = [
            str(Path(sys.executable).with_name("pdfmill")),
            "index",
            str(documents),
            "--output",
            str(output),
            "--workers",
            "1",
            "--keep_furniture",
        ]
        subprocess.run(command, env=machine, check=True, capture_output=True)
        tables.append({str(part.relative_to(output)): part.read_bytes() for part in sorted(output.rglob("*.parquet"))})
    assert tables[0].keys() == tables[1].keys()
    assert {name.split(os.sep)[0] for name in tables[0]} >= {"documents", "pages", "blocks"}
    assert tables[0] == tables[1]


def test_documents_of_other_programs_stay_open() -> None:
    theirs = pypdfium2.PdfDocument(make_page("BT /F1 12 Tf 20 20 Td (Latin) Tj ET"))
    try:
        FACES.want(machine_fonts=True)
        FACES.begin()
        assert len(theirs) == 1
        assert theirs[0].get_textpage().get_text_bounded() == "Latin"
    finally:
        FACES.want(machine_fonts=False)
        theirs.close()


@pytest.mark.corpus
def test_what_was_drawn_before_does_not_tell(corpus: Path) -> None:
    """Two documents found in the world, with fonts that are not embedded."""
    folder = corpus / "features" / "pdf"
    shown, drawn = folder / "playa__2023-06-20-PV__8e01f32e.pdf", folder / "pdfplumber__malformed-from-issue-932__471f16c8.pdf"
    ran = subprocess.run([sys.executable, "-c", BOXES, shown, drawn], capture_output=True, text=True, check=True)
    boxes = json.loads(ran.stdout)
    assert boxes["first"] == boxes["again"]
