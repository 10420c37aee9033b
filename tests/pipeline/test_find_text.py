"""Phrases to offsets and boxes, and what is written of them."""

import json

import numpy as np
import pytest
from pikepdf import Array
from PIL import Image

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.render.find_text import Hit, drawn_within, find_phrases, place_hits, render_acrobat
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.schemas.records import PageLines, TextLine
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.text.page import read_drawn
from tests.pdf.pages import make_page

TEXT = "A café, the Café\nand cafés; straße"


@pytest.mark.parametrize(
    ("phrase", "flags", "found"),
    [
        ("café", {}, ["café", "Café"]),
        ("CAFÉ AND", {}, ["Café\nand"]),
        ("cafe", {}, []),
        ("cafe", {"accents": False}, ["café", "Café"]),
        ("caf", {"parts": True}, ["caf", "Caf", "caf"]),
        ("STRASSE", {}, ["straße"]),
        ("", {}, []),
        ("cafés;", {}, ["cafés;"]),
    ],
)
def test_phrases(phrase, flags, found):
    assert [TEXT[start:end] for start, end in find_phrases(TEXT, [phrase], **flags)] == found


def test_scripts_without_spaces_have_no_word_ends():
    assert find_phrases("東京都庁", ["京都"]) == [(1, 3)]


def _page(text, spans, boxes, lines, angle=0):
    page = PageLines(1, 100, 100, word_boxes=np.array(boxes, np.float32), word_lines=np.array(lines, np.int32))
    page.lines = [TextLine(text, 0, 0, 0, 0, 0, 0, ((0, 0),), angle) for _ in range(max(lines) + 1)]
    words = [
        dict(zip(("start", "end", "x0", "top", "x1", "bottom"), (*span, *box), strict=True)) for span, box in zip(spans, boxes, strict=True)
    ]
    return {"page": 1, "text": text, "words": words}, page


def test_a_box_for_each_line():
    row, page = _page("one two three", [(0, 3), (4, 7), (8, 13)], [(0, 0, 30, 10), (40, 0, 70, 10), (0, 20, 50, 30)], [0, 0, 1])
    assert place_hits(row, page, [(0, 13)]) == [Hit(1, 0, 13, "one two three", [(0, 0, 70, 10), (0, 20, 50, 30)])]


@pytest.mark.parametrize(
    ("angle", "text", "box"),
    [
        (0, "abcd", (0, 0, 10, 40)),
        (90, "abcd", (0, 0, 40, 10)),
        (180, "abcd", (30, 0, 40, 40)),
        (270, "abcd", (0, 30, 40, 40)),
        (0, "שלום", (30, 0, 40, 40)),
        (45, "abcd", (0, 0, 40, 40)),
    ],
)
def test_part_of_a_word_takes_its_share(angle, text, box):
    row, page = _page(text, [(0, 4)], [(0, 0, 40, 40)], [0], angle)
    assert place_hits(row, page, [(0, 1)])[0].boxes == [box]


def test_the_highlight_file_counts_drawn_characters():
    data = make_page("BT /F1 12 Tf 150 100 Td (two words) Tj ET BT /F1 12 Tf 20 100 Td (one) Tj ET")
    glyphs = read_drawn(open_document(data, name="a.pdf"), 1)
    assert drawn_within(glyphs, [(15, 80, 60, 110)]) == [9, 10, 11]
    told = render_acrobat([Hit(1, 0, 3, "one", [(15, 80, 60, 110)]), Hit(1, 4, 13, "two words", [(140, 80, 290, 110)])], {1: glyphs})
    assert (
        told == "<XML>\n<Body units=characters version=2>\n<Highlight>\n"
        "<loc pg=0 pos=9 len=3>\n<loc pg=0 pos=0 len=9>\n</Highlight>\n</Body>\n</XML>\n"
    )


PAGES = {
    "plain": {},
    "rotated 90": {"Rotate": 90},
    "rotated 180": {"Rotate": 180},
    "rotated 270": {"Rotate": 270},
    "cropped": {"CropBox": Array([50, 60, 250, 180])},
    "cropped and rotated": {"CropBox": Array([50, 60, 250, 180]), "Rotate": 90},
    "user unit": {"UserUnit": 2.5},
    "user unit, cropped and rotated": {"CropBox": Array([50, 60, 250, 180]), "Rotate": 270, "UserUnit": 2},
}


@pytest.mark.parametrize("name", PAGES)
def test_marks_lie_on_the_ink(tmp_path, capsys, name):
    path, picture = tmp_path / "a.pdf", tmp_path / "a.png"
    path.write_bytes(make_page("0.5 g BT /F1 12 Tf 100 100 Td (Find ) Tj 1 0 0 rg (needle) Tj 0.5 g ( here) Tj ET", **PAGES[name]))
    assert run(["highlight", str(path), "NEEDLE", "-o", str(picture), "--scale", "3"]) == EXIT_OK
    (hit,) = json.loads(capsys.readouterr().out)["hits"]
    assert (hit["page"], hit["text"], len(hit["boxes"])) == (1, "needle", 1)
    pixels = np.asarray(Image.open(picture)).astype(int)
    red = (pixels[:, :, 0] > 200) & (pixels[:, :, 1] < 60) & (pixels[:, :, 2] < 60)
    marked = (pixels[:, :, 2] < 100) & (pixels[:, :, 0] > 120)
    assert red.any()
    assert (red <= marked).all()
    grey = abs(pixels - 128).max(axis=2) < 12
    assert grey.any()  # the words beside it are not marked


def test_offsets_and_their_picture(tmp_path, capsys):
    path = tmp_path / "a.pdf"
    path.write_bytes(make_page("BT /F1 12 Tf 20 100 Td (one two three) Tj ET"))
    assert run(["highlight", str(path), "--page", "1", "--start", "4", "--end", "13"]) == EXIT_OK
    assert [hit["text"] for hit in json.loads(capsys.readouterr().out)["hits"]] == ["two three"]


def test_nothing_found_is_1(tmp_path, capsys):
    path = tmp_path / "a.pdf"
    path.write_bytes(make_page("BT /F1 12 Tf 20 100 Td (one two three) Tj ET"))
    assert run(["highlight", str(path), "four", "-o", str(tmp_path / "a.png")]) == EXIT_SOME_FAILED
    assert json.loads(capsys.readouterr().out)["hits"] == []


@pytest.mark.parametrize(
    "argv",
    [[], ["word", "--start", "3"], ["--start", "3", "--end", "4"], ["--page", "1", "--start", "5", "--end", "4"], ["word", "--page", "7"]],
)
def test_what_makes_no_sense_is_2(tmp_path, capsys, argv):
    path = tmp_path / "a.pdf"
    path.write_bytes(make_page("BT /F1 12 Tf 20 100 Td (one two three) Tj ET"))
    assert run(["highlight", str(path), *argv]) == EXIT_NOTHING_DONE
    assert "pdfmill highlight: " in capsys.readouterr().err
