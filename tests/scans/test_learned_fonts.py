"""Fonts whose codes say nothing, or lie: learned from the picture of some pages, used on all, and told."""

import io

import numpy as np
import pikepdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from benchmarks.fonts_that_lie import shuffled, spoil
from schemas.records import DocumentRef, PageRange
from tests.scans.drawn import FONTS, PretendedRecognizer
from transforms.road import read_document, read_pages
from transforms.scans.installed import RECOGNIZERS
from transforms.scans.learned_fonts import sample_pages
from transforms.scans.recognizers import Word
from transforms.settings import ReadSettings

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


def document():
    pdfmetrics.registerFont(TTFont("Vera", str(FONTS / "Vera.ttf")))
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(612, HEIGHT), invariant=1)
    for _ in range(PAGES):
        canvas.setFont("Vera", SIZE)
        for number, line in enumerate(LINES):
            canvas.drawString(LEFT, TOP - STEP * number, line)
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


class Eyes(PretendedRecognizer):
    """A recogniser that sees what was drawn, which is the same on all pages; it misreads a word."""

    def __init__(self):
        self.asked = 0

    def read(self, picture, dpi, language, seconds):
        assert dpi == DPI
        words = []
        for number, line in enumerate(LINES):
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
    return read_document(ref, chosen).row, list(read_pages(PageRange(ref, 1, PAGES), chosen))


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
        assert page.fonts_read
        assert page.untrusted_chars >= sum(len(line.text.replace(" ", "")) for line in page.lines)  # guessed, and told to be
        assert not page.ocr
    (told,) = [font["recognized"] for font in row["fonts"] if font["recognized"]]
    assert len(told.split()) > 30


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
    cmap = b"2 beginbfchar\n<01> <0041>\n<02> <0042>\n<03> <0043>\n<04> <0044>\nendbfchar"
    assert sorted(shuffled(cmap, np.random.default_rng(1))) == sorted(cmap)
    with pikepdf.open(io.BytesIO(spoil(document(), "BitstreamVeraSans-Roman", False, np.random.default_rng(1)))) as pdf:
        assert all("/ToUnicode" not in font for font in pdf.pages[0].Resources.Font.values())
