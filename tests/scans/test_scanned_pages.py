"""Scanned pages down the whole road: looks decided for the document, structure as on typeset pages, boxes where the scan has them."""

import io
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.document.derotate import lines_on_page
from pdfmill.transforms.layout.document.ink_looks import pool_ink, settle_looks
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import describe_pages, finish, read_document, read_pages, structure_pages, views
from pdfmill.transforms.road.document_rows import with_warnings
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.page_rows import join_measures, measure_pages
from pdfmill.transforms.scans.installed import RECOGNIZERS
from pdfmill.transforms.scans.recognizers import Word
from pdfmill.transforms.tables.spool import pack, unpack
from tests.scans.drawn import SCALE, PretendedRecognizer, draw, plain

TURNS = (0.4, -0.6, 0.0)
BODY = (
    "Letters from the archive came in boxes that no person had opened since the war, and",
    "nobody knew how many of them there were or who had written them. The oldest ones are",
    "on thin paper, which had been folded twice, and the ink of the later ones has faded",
    "to a light brown that is hard to read without a lamp. Each of them has a number now.",
)
HEADS = ("The first boxes", "What was in them", "How they were read")


def page_lines(number):
    lines = [plain(40, 40, 8, "The archive in numbers"), plain(470, 40, 8, str(number + 1))]
    lines += [plain(40, 90, 14, HEADS[number], "Bd")]
    lines += [plain(40, 120 + 14 * n, 10, text) for n, text in enumerate(BODY)]
    mixed = [
        (word, "It" if 2 <= n <= 4 else "Bd" if n == 7 else "")
        for n, word in enumerate(["He", "then", "called", "minimal", "hundred", "multitude", "by", "those", "hundred", "people", "then"])
    ]
    lines += [(40, 200, 10, mixed)]
    return lines + [plain(40, 240 + 14 * n, 10, text) for n, text in enumerate(BODY[::-1])]


class Drawn(PretendedRecognizer):
    """A recogniser that knows what was drawn."""

    def __init__(self):
        self.words = [draw(page_lines(number))[1] for number in range(3)]
        self.calls = 0

    def read(self, picture, dpi, language, seconds):
        assert dpi == pytest.approx(200, abs=0.5)
        self.calls += 1
        return list(self.words[self.calls - 1])


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    pictures = [Image.fromarray(draw(page_lines(number), degrees=turn)[0]) for number, turn in enumerate(TURNS)]
    sink = io.BytesIO()
    pictures[0].save(sink, "PDF", save_all=True, append_images=pictures[1:], resolution=200)
    path = tmp_path_factory.mktemp("scans") / "scan.pdf"
    path.write_bytes(sink.getvalue())
    return DocumentRef.of_uri(path.as_uri())


@pytest.fixture(scope="module")
def packed(scan):
    settings = ReadSettings(ocr=True, recognizer="drawn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(RECOGNIZERS, "drawn", Drawn())
        return pack((read_document(scan, settings), list(read_pages(PageRange(scan, 1, 3), settings))))


class Bilingual(Drawn):
    """A recogniser of a document whose second page has lines in another script, which it cannot read by the language of the rest."""

    def __init__(self):
        super().__init__()
        self.pages = []

    def languages(self):
        return ("eng", "rus")

    def read(self, picture, dpi, language, seconds):
        if picture.shape[0] < PAGE_HEIGHT:  # a part of a page for its language, and lines alone for theirs
            return [Word(("1",), "Letters" if language == "eng" else "Письма", (0, 0, 9, 9), 0.95)]
        self.pages.append(language)
        number = self.pages.count("eng") - 1
        foreign = {("3",), ("4",)} if number == 1 and language == "eng" else ()
        lines = [("xqzvwk", 0.3) if word.line in foreign else (word.text, 0.95) for word in self.words[number]]
        return [replace(word, text=text, confidence=sure) for word, (text, sure) in zip(self.words[number], lines, strict=True)]


#: Pixels; parts of pages are lower.
PAGE_HEIGHT = 1000


def test_a_page_with_lines_in_another_script_is_read_again(scan, monkeypatch):
    eyes = Bilingual()
    monkeypatch.setitem(RECOGNIZERS, "two", eyes)
    settings = ReadSettings(ocr=True, recognizer="two")
    read_document(scan, settings)
    pages = list(read_pages(PageRange(scan, 1, 3), settings))
    assert eyes.pages == ["eng", "eng", "eng+rus", "eng"]
    assert all(BODY[0] in [line.text for line in page.lines] for page in pages)
    eyes.pages.clear()
    named = list(read_pages(PageRange(scan, 1, 3), replace(settings, ocr_language="eng")))
    assert eyes.pages == ["eng"] * 3
    assert [any("xqzvwk" in line.text for line in page.lines) for page in named] == [False, True, False]


@pytest.fixture
def read(packed):
    return unpack(object, packed)


def test_structure_as_on_typeset_pages(read):
    reading, pages = read
    assert [page.turn for page in pages] == pytest.approx(TURNS, abs=0.08)
    made: Any = finish(reading, pages, DEFAULTS)
    headings = [(block["page"], block["text"], block["bold"]) for block in made.blocks if block["role"] in ("title", "heading")]
    assert headings == [(number + 1, text, True) for number, text in enumerate(HEADS)]
    assert [block["text"] for block in made.blocks if block["role"] == "page_number"] == ["1", "2", "3"]
    assert {block["text"] for block in made.blocks if block["role"] == "page_header"} == {"The archive in numbers"}
    assert all(" ".join(BODY)[:60] in row["text"] for row in made.pages)
    assert len({block["size"] for block in made.blocks if block["role"] == "paragraph"}) == 1
    (title,) = {block["size"] for block in made.blocks if block["role"] in ("title", "heading")}
    (body,) = {block["size"] for block in made.blocks if block["role"] == "paragraph"}
    assert title == pytest.approx(1.4 * body, rel=0.03)


def test_words_are_bold_and_slanted_by_their_ink(read):
    _, pages = read
    looks = pool_ink(pages)
    for page in pages:
        settled = settle_looks(page, looks)
        (line,) = [line for line in settled.lines if line.text.startswith("He then")]
        styles = [settled.styles[style] for _, style in line.spans]
        texts = [line.text[a:b].strip() for (a, _), (b, _) in zip(line.spans, [*line.spans[1:], (len(line.text), 0)], strict=True)]
        told = {text: (style.bold, style.italic) for text, style in zip(texts, styles, strict=True)}
        assert told["called minimal hundred"] == (False, True)
        assert told["those"] == (True, False)
        assert settled.ink is None
        assert settled.styles[settled.lines[2].style].bold


def test_boxes_are_where_the_scan_has_them(read):
    reading, pages = read
    made: Any = finish(reading, pages, DEFAULTS)
    for number, (row, turn) in enumerate(zip(made.pages, TURNS, strict=True)):
        picture = draw(page_lines(number), degrees=turn)[0]
        words = row["words"].rows()
        assert len(words) > 60
        for word in words:
            part = picture[
                round(word["top"] * SCALE) : round(word["bottom"] * SCALE), round(word["x0"] * SCALE) : round(word["x1"] * SCALE)
            ]
            assert part.min() < 100
            assert np.median(part.min(axis=0)) < 128  # most columns of the box show ink
        shown = lines_on_page(pages[number], made.ink)
        assert {tuple(box) for box in shown.word_boxes.tolist()} == {(w["x0"], w["top"], w["x1"], w["bottom"]) for w in words} | {
            tuple(box) for box in shown.word_boxes.tolist()[:5]
        }


def test_a_book_gives_the_same(read):
    """Ranges of one page, measured apart and put together, decide and give the same rows."""
    reading, pages = read
    whole = finish(reading, pages, DEFAULTS)
    parts: Any = [unpack(object, pack(measure_pages(views([page], DEFAULTS)))) for page in reversed(pages)]
    row, style, warnings = describe_pages(reading, join_measures(parts), DEFAULTS)
    made: Any = [structure_pages(reading.ref.doc_id, [page], style.for_pages(page.page, page.page), DEFAULTS) for page in pages]
    assert with_warnings(row, warnings) == whole.document
    assert [block for part in made for block in part.blocks] == whole.blocks


def test_without_ink_nothing_is_decided(read):
    _, pages = read
    bare = [replace(page, ink=None) for page in pages]
    assert pool_ink(bare) is None
    assert settle_looks(bare[0], None) is bare[0]
