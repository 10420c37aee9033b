"""Fonts whose codes say nothing, or lie: learned from the picture of some pages, used on all, and told."""

import io

import numpy as np
import pikepdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from pdfmill.transforms.road.document_road import read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.scans.installed import RECOGNIZERS
from pdfmill.transforms.scans.learned_fonts import sample_pages
from pdfmill.transforms.scans.recognizers import Word
from tests.pdf.to_unicode import to_cmap
from tests.scans.drawn import FONTS, PretendedRecognizer
from tests.scans.spoilt_fonts import shuffled, spoil

TEXT = (
    "Letters from the archive came in boxes that no person had opened since the war, and",
    "nobody knew how many of them there were or who had written them. The oldest ones are",
    "on thin paper, which had been folded twice, and the ink of the later ones has faded",
    "to a light brown that is hard to read without a lamp. Each of them has a number now.",
    "Quite a few just vanished; Xavier and Zoe, who were asked, kept six of the boxes.",
)
PAGES = 3
LEFT, TOP, STEP, SIZE, HEIGHT = 40, 700, 16, 11, 792
DPI = 300


LINES = 2 * TEXT


def document(pages=(LINES,) * PAGES):
    pdfmetrics.registerFont(TTFont("Vera", str(FONTS / "Vera.ttf")))
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(612, HEIGHT), invariant=1)
    for lines in pages:
        canvas.setFont("Vera", SIZE)
        for number, line in enumerate(lines):
            canvas.drawString(LEFT, TOP - STEP * number, line)
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


class Eyes(PretendedRecognizer):
    """A recogniser that sees what was drawn, one page after the other, the last one again and again; it misreads a word."""

    def __init__(self, pages=(LINES,)):
        self.pages, self.asked = pages, 0

    def read(self, picture, dpi, language, seconds):
        assert dpi == DPI
        words = []
        for number, line in enumerate(self.pages[min(self.asked, len(self.pages) - 1)]):
            bottom = HEIGHT - TOP + STEP * number
            for n, text in enumerate(line.split()):
                before = line.split()[:n]
                x0 = LEFT + pdfmetrics.stringWidth(" ".join(before) + " " * bool(before), "Vera", SIZE)
                x1 = x0 + pdfmetrics.stringWidth(text, "Vera", SIZE)
                left, top, right, below = (round(side * DPI / 72) for side in (x0, bottom - 9, x1, bottom + 1))
                words.append(Word((str(number),), "hc" if text == "the" and n == 7 else text, (left, top, right, below), 0.9))
        self.asked += 1
        return words


def read(tmp_path, monkeypatch, data, eyes, **settings):
    monkeypatch.setitem(RECOGNIZERS, "eyes", eyes)
    path = tmp_path / "fonts.pdf"
    path.write_bytes(data)
    ref, chosen = DocumentRef.of_uri(path.as_uri()), ReadSettings(recognizer="eyes", **settings)
    reading = read_document(ref, chosen)
    return reading.row, list(read_pages(PageRange(ref, 1, reading.page_count), chosen))


def test_what_codes_stand_for_is_learned(tmp_path, monkeypatch):
    eyes = Eyes()
    data = spoil(document(), "BitstreamVeraSans-Roman", True, np.random.default_rng(5))
    plain = read(tmp_path, monkeypatch, data, eyes)[1]
    assert eyes.asked == 0
    assert TEXT[0] not in [line.text for line in plain[0].lines]
    row, pages = read(tmp_path, monkeypatch, data, eyes, ocr=True)
    assert eyes.asked == PAGES  # and not once more for any page
    for page in pages:
        assert [line.text for line in page.lines] == list(LINES)
        assert page.decoded_by_learned_fonts
        assert page.untrusted_chars >= sum(len(line.text.replace(" ", "")) for line in page.lines)  # guessed, and told to be
        assert not page.ocr
    (told,) = [font["recognized"] for font in row["fonts"] if font["recognized"]]
    assert len(told.split()) > 30


def with_letter_as_space(letter):
    """The document with a shuffled map by which this letter is a space."""
    with pikepdf.open(io.BytesIO(document())) as pdf:
        for font in {font.objgen: font for page in pdf.pages for font in page.Resources.Font.values() if "/ToUnicode" in font}.values():
            texts = to_unicode(font.ToUnicode)
            wrong = shuffled(texts, np.random.default_rng(5))
            (own,) = (code for code, text in texts.items() if text == letter)
            (space,) = (code for code, text in wrong.items() if text == " ")
            wrong[own], wrong[space] = wrong[space], wrong[own]
            font.ToUnicode = pdf.make_stream(to_cmap(wrong, 1))
        sink = io.BytesIO()
        pdf.save(sink)
    return sink.getvalue()


def test_doubled_letters_that_the_font_calls_spaces_are_not_lost(tmp_path, monkeypatch):
    pages = read(tmp_path, monkeypatch, with_letter_as_space("t"), Eyes(), ocr=True)[1]  # of "tt" PDFium gives one space
    for page in pages:
        assert page.decoded_by_learned_fonts
        assert [line.text for line in page.lines] == list(LINES)


#: Capitals and figures of which no other page has any.
RARE = (
    "JULY 1908 WARM, JULY 1909 WARM, MAY 1907 WARM, but the boxes were never opened there",
    "RUDY 1908 DRY, RUDY 1909 DRY, MADLY 1907 DRY, and nobody knew how many there were",
    "JULY 1908 WARM, JULY 1909 WARM, MAY 1907 WARM, but the boxes were never opened there",
)


def test_a_page_with_codes_that_no_other_page_has_is_asked_for_them(tmp_path, monkeypatch):
    pages = [LINES, RARE + LINES[:1], *[LINES] * 18]  # the second one is not among those that are looked at
    data = spoil(document(pages), "BitstreamVeraSans-Roman", True, np.random.default_rng(5))
    eyes = Eyes([LINES] * 3 + [pages[1]])
    row, found = read(tmp_path, monkeypatch, data, eyes, ocr=True)
    assert eyes.asked == 4
    assert [[line.text for line in page.lines] for page in found[:3]] == [list(each) for each in pages[:3]]
    assert all(page.decoded_by_learned_fonts for page in found)
    (told,) = [font["recognized"] for font in row["fonts"] if font["recognized"]]
    assert "=9" not in told  # what one page tells is that page's


def test_honest_fonts_are_not_asked(tmp_path, monkeypatch):
    eyes = Eyes()
    row, pages = read(tmp_path, monkeypatch, document(), eyes, ocr=True)
    assert eyes.asked == 0
    assert [line.text for line in pages[0].lines] == list(LINES)
    assert all(font["recognized"] is None for font in row["fonts"])


def test_pages_that_are_looked_at_follow_from_the_document():
    assert sample_pages(0) == []
    assert sample_pages(5) == [1, 2, 3, 4, 5]
    assert sample_pages(1000)[:3] == [1, 126, 251]


def test_a_map_is_shuffled():
    texts = {code: chr(0x40 + code) for code in range(1, 27)} | {0x30: "ffi"}
    pdf = pikepdf.new()
    found = to_unicode(pdf.make_stream(to_cmap(shuffled(texts, np.random.default_rng(1)), 1)))
    assert sorted(found) == sorted(texts)
    assert sorted(found.values()) == sorted(texts.values())
    assert found != texts
    with pikepdf.open(io.BytesIO(spoil(document(), "BitstreamVeraSans-Roman", False, np.random.default_rng(1)))) as pdf:
        assert all("/ToUnicode" not in font for font in pdf.pages[0].Resources.Font.values())
