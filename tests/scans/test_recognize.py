"""OCR by option: the command's output to lines, and a page without text through the command itself."""

import io
import shutil

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.options.options import UsageError, parse_index
from pdfmill.schemas.records import DocumentRef, PageLines, PageRange
from pdfmill.transforms.road.document_road import read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.scans import tesseract
from pdfmill.transforms.scans.installed import ENGINES, recognizer
from pdfmill.transforms.scans.recognize import cut_line, resolution, with_words
from pdfmill.transforms.scans.recognizers import OcrError, Word
from pdfmill.transforms.scans.tesseract import as_file, read_words, run_tesseract

HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
TSV = (
    HEAD + "4\t1\t1\t1\t1\t0\t10\t10\t90\t20\t-1\t\n"
    "5\t1\t1\t1\t1\t1\t10\t10\t40\t20\t96\tTwo\n"
    "5\t1\t1\t1\t1\t2\t60\t12\t40\t18\t40.5\twords\n"
    "5\t1\t1\t1\t2\t1\t10\t40\t40\t20\t96\tbelow\n"
    "5\t1\t1\t1\t2\t2\t70\t40\t40\t20\t96\t \n"
)


BLANK = np.full((100, 200), 255, np.uint8)


def test_words_and_lines():
    page = with_words(PageLines(3, 200, 100, untrusted_chars=4), list(read_words(TSV)), BLANK, 0.5)
    assert [line.text for line in page.lines] == ["Two words", "below"]
    assert [
        page.lines[line].text[start:end] for line, (start, end) in zip(page.word_lines.tolist(), page.word_spans.tolist(), strict=True)
    ] == ["Two", "words", "below"]
    assert page.word_boxes.tolist() == [[5, 5, 25, 15], [30, 6, 50, 15], [5, 20, 25, 30]]
    assert (page.lines[0].x0, page.lines[0].top, page.lines[0].x1, page.lines[0].bottom) == (5, 5, 50, 15)
    assert (page.ocr, page.untrusted_chars) == (True, 0)
    assert page.ink is not None
    assert page.word_confidences.tolist() == pytest.approx([0.96, 0.405, 0.96])


def test_a_greek_letter_is_no_sign():
    told = [word.text for word in read_words(TSV.replace("Two", "\u00b5\u03b5").replace("below", "5\u00b5m"))]
    assert told == ["\u03bc\u03b5", "words", "5\u00b5m"]


def test_right_to_left_words_make_such_lines():
    page = with_words(PageLines(1, 200, 100), [Word(("1",), "שלום", (0, 0, 9, 9))], BLANK, 1.0)
    assert page.lines[0].rtl


def _scan(tmp_path):
    picture = Image.new("RGB", (1200, 300), "white")
    ImageDraw.Draw(picture).text((60, 100), "Letters from the archive", fill="black", font=ImageFont.load_default(size=72))
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(400, 300), invariant=1)
    canvas.drawImage(ImageReader(picture), 20, 150, 360, 90)
    canvas.showPage()
    canvas.drawString(20, 150, "Text of its own")
    canvas.save()
    path = tmp_path / "scan.pdf"
    path.write_bytes(sink.getvalue())
    return DocumentRef.of_uri(path.as_uri())


def test_only_pages_that_need_it(tmp_path):
    if shutil.which("tesseract") is None:
        pytest.skip("tesseract is not installed")
    ref = _scan(tmp_path)
    first, second = read_pages(PageRange(ref, 1, 2), ReadSettings(ocr=True))
    assert [line.text for line in first.lines] == ["Letters from the archive"]
    assert (first.ocr, second.ocr) == (True, False)
    assert 20 < first.lines[0].x0 < 60
    assert 60 < first.lines[0].top < first.lines[0].bottom < 150
    (plain,) = read_pages(PageRange(ref, 1, 1), ReadSettings())
    assert (plain.lines, plain.ocr) == ([], False)


def test_without_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(tesseract, "COMMAND", "tesseract-that-is-not-there")
    (page,) = read_pages(PageRange(_scan(tmp_path), 1, 1), ReadSettings(ocr=True))
    assert [(each.code, each.page) for each in page.warnings] == [("ocr_failed", 1)]
    assert "not installed" in page.warnings[0].message
    with pytest.raises(UsageError, match="not installed"):
        parse_index(["a.pdf", "--output", "out", "--ocr"])


@pytest.mark.parametrize("command", ["false", "true"])
def test_a_command_that_fails_or_says_nothing(monkeypatch, command):
    monkeypatch.setattr(tesseract, "COMMAND", command)
    if command == "true":
        assert run_tesseract(np.zeros((4, 4), np.uint8), 300, "eng", 9) == ""
        return
    with pytest.raises(OcrError, match="failed with exit code 1"):
        run_tesseract(np.zeros((4, 4), np.uint8), 300, "eng", 9)


def test_the_first_line_that_a_failing_command_prints_is_the_reason(tmp_path, monkeypatch):
    command = tmp_path / "tesseract"
    command.write_text("#!/bin/sh\necho Failed loading language >&2\necho Could not initialize >&2\nexit 3\n")
    command.chmod(0o755)
    monkeypatch.setattr(tesseract, "COMMAND", str(command))
    with pytest.raises(OcrError, match=r"-l xyz failed with exit code 3: Failed loading language$"):
        run_tesseract(np.zeros((4, 4), np.uint8), 300, "xyz", 9)


def test_a_line_ends_at_gaps_like_tab_stops():
    words = [Word(("1",), text, (x, 0, x + 50, 10)) for text, x in (("Running", 0), ("head", 60), ("of", 120), ("pages", 180), ("17", 400))]
    assert [[word.text for word in part] for part in cut_line(words)] == [["Running", "head", "of", "pages"], ["17"]]
    assert len(list(cut_line(words[:4]))) == 1


@pytest.mark.parametrize(("own", "read"), [(None, 300), (72, 300), (200, 200), (600, 300)])
def test_a_picture_is_read_at_its_own_resolution(own, read):
    assert resolution(own) == read


def test_recognisers_are_known_by_name():
    assert [type(recognizer(name)).__name__ for name in ENGINES] == ["Tesseract", "RapidOcr"]
    with pytest.raises(OcrError, match="no recogniser 'abbey'; known are: rapidocr, tesseract"):
        recognizer("abbey")


def test_pictures_go_to_tesseract_as_tiffs():
    picture = np.arange(6 * 9, dtype=np.uint8).reshape(6, 9)
    with as_file(picture) as file, Image.open(f"/proc/self/fd/{file}") as image:
        assert image.format == "TIFF"
        assert np.array_equal(np.asarray(image), picture)
