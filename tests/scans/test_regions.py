"""Pictures with words on pages with text: only they are read, and both texts are the page's."""

import io

import numpy as np
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.scans.installed import RECOGNIZERS
from pdfmill.transforms.scans.recognizers import OcrError, Word
from pdfmill.transforms.scans.shown_text import count_bands
from tests.scans.drawn import SCALE, draw, plain

WIDTH, HEIGHT = 520, 595
BODY = "Letters from the archive came in boxes that no person had opened since the war"
LABELS = ("Boxes that came in each year", "from the towns of the north", "and from those of the south")
DRAWN = [plain(20, 30 + 16 * number, 10, text) for number, text in enumerate(LABELS)]
#: Where the picture stands on the page: left, top and size in points.
LEFT, TOP, WIDE, HIGH = 60, 300, 300, 100
FORM = [plain(40, 60 + 40 * number, 10, text) for number, text in enumerate(("Name of the sender", "Town and street", "Number of letters"))]
TYPED = "Maria of Trieste"


class Reads:
    """A recogniser that knows what was drawn, at 200 dots per inch."""

    def __init__(self, lines, confidence=0.9):
        self.words = draw(lines, WIDE, HIGH)[1] if lines is DRAWN else draw(lines, WIDTH, HEIGHT)[1]
        self.confidence, self.pictures = confidence, []

    def missing(self):
        return None

    def languages(self):
        return ("eng",)

    def read(self, picture, dpi, language, seconds):
        self.pictures.append(picture)
        larger = dpi / 72 / SCALE
        return [Word(each.line, each.text, tuple(round(side * larger) for side in each.box), self.confidence) for each in self.words]


def document(tmp_path, make):
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(WIDTH, HEIGHT), invariant=1)
    make(canvas)
    canvas.showPage()
    canvas.save()
    path = tmp_path / "mixed.pdf"
    path.write_bytes(sink.getvalue())
    return DocumentRef.of_uri(path.as_uri())


def figure(canvas):
    for number in range(12):
        canvas.drawString(40, HEIGHT - 60 - 14 * number, BODY)
    picture = Image.fromarray(draw(DRAWN, WIDE, HIGH)[0])
    canvas.drawImage(ImageReader(picture), LEFT, HEIGHT - TOP - HIGH, WIDE, HIGH)


def filled_form(canvas):
    canvas.drawImage(ImageReader(Image.fromarray(draw(FORM, WIDTH, HEIGHT)[0])), 0, 0, WIDTH, HEIGHT)
    canvas.drawString(240, HEIGHT - 60, TYPED)


def read(ref, monkeypatch, reader, **settings):
    monkeypatch.setitem(RECOGNIZERS, "drawn", reader)
    chosen = ReadSettings(recognizer="drawn", **settings)
    (page,) = read_pages(PageRange(ref, 1, 1), chosen)
    return page, finish(read_document(ref, chosen), [page], DEFAULTS)


def test_only_the_picture_is_read(tmp_path, monkeypatch):
    ref, reader = document(tmp_path, figure), Reads(DRAWN)
    plain_page, _ = read(ref, monkeypatch, reader)
    assert reader.pictures == []
    page, made = read(ref, monkeypatch, reader, ocr=True)
    (seen,) = reader.pictures
    assert seen.shape == pytest.approx((HIGH * 300 / 72, WIDE * 300 / 72), abs=2)
    assert [line.text for line in page.lines] == [*(line.text for line in plain_page.lines), *LABELS]
    assert not page.ocr
    (row,) = made.pages
    assert " ".join(LABELS) in " ".join(row["text"].split()), row["text"]
    assert sorted(set(row["word_confidences"])) == [0.9, 1.0]
    boxes = [row["text"][word["start"] : word["end"]] for word in row["words"].rows() if word["top"] > TOP]
    assert boxes == " ".join(LABELS).split()
    first = next(word for word in row["words"].rows() if word["top"] > TOP)
    assert (first["x0"], first["bottom"]) == pytest.approx((LEFT + 20, TOP + 30), abs=2)


def test_what_is_read_unsurely_is_no_text(tmp_path, monkeypatch):
    ref = document(tmp_path, figure)
    page, _ = read(ref, monkeypatch, Reads(DRAWN, 0.4), ocr=True)
    assert [line.text for line in page.lines] == 12 * [BODY]


def test_a_recogniser_that_fails_is_told(tmp_path, monkeypatch):
    class Fails(Reads):
        def read(self, picture, dpi, language, seconds):
            raise OcrError("it took more than 24 seconds")

    page, made = read(document(tmp_path, figure), monkeypatch, Fails(DRAWN), ocr=True)
    assert [(each.code, each.message) for each in page.warnings] == [("ocr_failed", "it took more than 24 seconds")]
    assert (made.pages[0]["status"], BODY in made.pages[0]["text"]) == ("partial", True)


def test_what_a_scanned_form_was_filled_in_with_is_kept(tmp_path, monkeypatch):
    reader = Reads(FORM)
    page, made = read(document(tmp_path, filled_form), monkeypatch, reader, ocr=True)
    assert page.ocr
    typed = reader.pictures[0][round(48 * SCALE) : round(62 * SCALE), round(238 * SCALE) : round(330 * SCALE)]
    assert np.count_nonzero(typed < 128) == 0  # nothing of it is left to read
    texts = [line.text for line in page.lines]
    assert TYPED in texts
    assert "Town and street" in texts
    (line,) = [line for line in page.lines if line.text == TYPED]
    assert (line.x0, line.bottom) == pytest.approx((240, 62), abs=4)
    assert TYPED in made.pages[0]["text"]


def test_words_beyond_a_picture_hide_nothing_on_it():
    picture, _ = draw([plain(20, 40 + 14 * n, 10, "Letters from the archive came in boxes") for n in range(6)])
    step = 4
    small = np.ascontiguousarray(picture[::step, ::step])
    nothing = np.zeros((0, 4), np.float32)
    above = np.array([[0, -60, 400, -40], [-90, 10, -30, 40]], np.float32)
    assert count_bands(small, above) == count_bands(small, nothing) > 2
