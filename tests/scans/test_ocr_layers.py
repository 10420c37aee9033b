"""OCR layers over pictures: looks from the picture, how good the layer is, and recognition again of a bad one."""

import io

import pikepdf
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.language.language_words import is_garbage, text_quality
from pdfmill.transforms.layout.document.derotate import lines_on_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.scans.installed import RECOGNIZERS
from tests.scans.drawn import SCALE, PretendedRecognizer, draw, plain
from tests.scans.test_scanned_pages import HEADS, page_lines

TURN = 0.6
SIZE = (520, 595)


def sandwich(path, pages, degrees=0.0, spoil=str):
    """Pictures with their words as invisible text over them, set in one face of one size. spoil: what recognition made of a word."""
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=SIZE, invariant=1)
    for lines in pages:
        canvas.drawImage(ImageReader(Image.fromarray(draw(lines, degrees=degrees)[0])), 0, 0, *SIZE)
        canvas.saveState()
        canvas.translate(SIZE[0] / 2, SIZE[1] / 2)
        canvas.rotate(-degrees)
        canvas.translate(-SIZE[0] / 2, -SIZE[1] / 2)
        text = canvas.beginText()
        text.setTextRenderMode(3)
        text.setFont("Helvetica", 10)
        baselines = {str(number): line[1] for number, line in enumerate(lines)}
        for word in draw(lines)[1]:
            said = spoil(word.text)
            text.setHorizScale(100 * (word.box[2] - word.box[0]) / SCALE / canvas.stringWidth(said, "Helvetica", 10))
            text.setTextOrigin(word.box[0] / SCALE, SIZE[1] - baselines[word.line[0]])
            text.textOut(said + " ")
        canvas.drawText(text)
        canvas.restoreState()
        canvas.showPage()
    canvas.save()
    path.write_bytes(sink.getvalue())
    return DocumentRef.of_uri(path.as_uri())


def test_headings_and_looks_come_from_the_picture(tmp_path):
    ref = sandwich(tmp_path / "layer.pdf", [page_lines(number) for number in range(3)], TURN)
    pages = list(read_pages(PageRange(ref, 1, 3), ReadSettings()))
    assert all(page.ocr and page.turn == pytest.approx(TURN, abs=0.08) for page in pages)
    made = finish(read_document(ref, ReadSettings()), pages, DEFAULTS)
    headings = [(block["page"], block["text"], block["bold"]) for block in made.blocks if block["role"] in ("title", "heading")]
    assert headings == [(number + 1, text, True) for number, text in enumerate(HEADS)]
    row = made.pages[0]
    assert row["ocr_quality"] == 1
    assert row["word_confidences"] is row["unsure_words"] is None
    settled = lines_on_page(pages[0], made.ink)
    assert {style.italic for style in settled.styles} == {True, False}
    picture = draw(page_lines(0), degrees=TURN)[0]
    for x0, top, x1, bottom in settled.word_boxes.tolist():
        assert picture[round(top * SCALE) : round(bottom * SCALE), round(x0 * SCALE) : round(x1 * SCALE)].min() < 100


def test_a_layer_that_does_not_fit_its_picture_keeps_its_own_looks(tmp_path):
    ref = sandwich(tmp_path / "other.pdf", [[plain(40, 60 + 14 * n, 10, "Letters from the archive") for n in range(8)]])
    with pikepdf.open(tmp_path / "other.pdf", allow_overwriting_input=True) as pdf:
        (image,) = pdf.pages[0].images.values()
        image.write(b"\xff" * (int(image.Width) * int(image.Height) * 3))
        pdf.save()
    (page,) = read_pages(PageRange(ref, 1, 1), ReadSettings())
    assert page.lines
    assert page.ink is None


class Reads(PretendedRecognizer):
    """A recogniser that reads every line as it was drawn."""

    def __init__(self, lines):
        self.words, self.sizes = draw(lines)[1], []

    def read(self, picture, dpi, language, seconds):
        self.sizes.append(picture.shape[0])
        return list(self.words)


def test_a_bad_layer_is_told_and_recognised_again_where_asked(tmp_path, monkeypatch):
    lines = page_lines(0)
    reads = Reads(lines)
    monkeypatch.setitem(RECOGNIZERS, "drawn", reads)
    ref = sandwich(tmp_path / "bad.pdf", [lines], spoil=lambda word: word.replace("e", "c").replace("n", "rn"))
    told = [
        next(read_pages(PageRange(ref, 1, 1), ReadSettings(ocr=ocr, ocr_redo=redo, recognizer="drawn")))
        for ocr, redo in ((False, False), (True, False), (True, True))
    ]
    assert told[0].ocr_quality is not None
    assert told[0].ocr_quality < 0.6
    assert "archivc" in told[1].lines[0].text
    assert reads.sizes[0] < SIZE[1] * SCALE / 2  # some lines of it
    assert told[2].lines[0].text == "The archive in numbers"
    assert told[2].ocr_quality == 1
    assert len(told[2].word_confidences) == len(told[2].word_lines)


def test_what_is_read_again_alike_is_good(tmp_path, monkeypatch):
    lines = [plain(40, 60 + 14 * n, 10, "the letters of the archive were in zgrzyt and mszczuj with ostrzew") for n in range(6)]
    reads = Reads(lines)
    monkeypatch.setitem(RECOGNIZERS, "drawn", reads)
    ref = sandwich(tmp_path / "names.pdf", [lines])
    doubted, read = (next(read_pages(PageRange(ref, 1, 1), ReadSettings(ocr=ocr, recognizer="drawn"))).ocr_quality for ocr in (False, True))
    assert doubted is not None
    assert doubted < 0.9
    assert read == 1


GOOD = "The letters from the archive came in boxes that no person had opened since the war, and nobody knew how many of them there were."


def test_quality_of_a_text():
    assert text_quality(GOOD, "en") == 1
    spoiled = text_quality(GOOD.replace("e", "c").replace("th", "tb"), "en")
    assert spoiled is not None
    assert spoiled < 0.6
    assert text_quality("Two words", "en") is None
    assert text_quality("文字" * 200, "zh-cn") is None
    assert text_quality(" ".join(["Ящик"] * 30), "ru") == 1


@pytest.mark.parametrize("word", ["ab|~^c", "teXt", "thhhhe", "wrtgh", "a" * 41])
def test_garbage(word):
    assert is_garbage(word)


@pytest.mark.parametrize("word", ["McDonald", "Straße", "it's", "well-known", "rhythm", "strč", "Άρθρο", "PDF"])
def test_words(word):
    assert not is_garbage(word)
