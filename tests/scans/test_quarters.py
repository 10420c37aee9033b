"""Pages scanned on their side or on their head: told, righted, and their boxes where the scan has them."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.document.derotate import lines_on_page, quarter_boxes
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.scans.installed import RECOGNIZERS
from pdfmill.transforms.scans.recognize import read_upright
from pdfmill.transforms.scans.recognizers import Word
from pdfmill.transforms.scans.straighten import is_sideways
from tests.scans.drawn import SCALE, PretendedRecognizer, draw, plain

TEXT = ["Letters", "from", "the", "archive", "came", "in", "boxes", "that", "no", "person", "had", "opened", "since"]
LINES = [plain(40, 60 + 14 * n, 10, " ".join(TEXT[5 * n % 13 :] + TEXT[: 5 * n % 13])) for n in range(20)]
PICTURE, WORDS = draw(LINES)


class Upright(PretendedRecognizer):
    """A recogniser that reads the page only as it was drawn, and guesses at it otherwise."""

    def __init__(self):
        self.pictures = []

    def read(self, picture, dpi, language, seconds):
        self.pictures.append(picture)
        part = picture[:1000, :1000]
        upright = picture.shape[0] > picture.shape[1] and np.abs(part.astype(int) - PICTURE[:1000, :1000]).mean() < 20
        return list(WORDS) if upright else [Word(("1",), "ssop", (10, 10, 60, 30), 0.3)]


def test_which_way_lines_run():
    assert [is_sideways(np.rot90(PICTURE, turns)) for turns in range(4)] == [False, True, False, True]
    assert not is_sideways(np.full((800, 600), 240, np.uint8))


@pytest.mark.parametrize(("quarters", "calls"), [(0, 1), (1, 1), (2, 2), (3, 2)])
def test_a_turned_page_is_righted(tmp_path, monkeypatch, quarters, calls):
    recognizer = Upright()
    monkeypatch.setitem(RECOGNIZERS, "upright", recognizer)
    shown = np.ascontiguousarray(np.rot90(PICTURE, -quarters))
    path = tmp_path / "turned.pdf"
    sink = io.BytesIO()
    Image.fromarray(shown).save(sink, "PDF", resolution=200)
    path.write_bytes(sink.getvalue())
    ref, settings = DocumentRef.of_uri(path.as_uri()), ReadSettings(ocr=True, recognizer="upright")
    pages = list(read_pages(PageRange(ref, 1, 1), settings))
    made = finish(read_document(ref, settings), pages, DEFAULTS)
    row: dict[str, Any] = made.pages[0]
    assert pages[0].quarters == quarters
    assert len(recognizer.pictures) == calls
    assert row["text"].startswith("Letters from the archive")
    assert (row["width"], row["height"]) == pytest.approx((shown.shape[1] / SCALE, shown.shape[0] / SCALE), abs=1)
    displayed = lines_on_page(pages[0], made.ink)
    assert displayed.width == row["width"]
    for word in row["words"].rows():
        part = shown[round(word["top"] * SCALE) : round(word["bottom"] * SCALE), round(word["x0"] * SCALE) : round(word["x1"] * SCALE)]
        assert (part < 128).mean() > 0.05
    assert np.allclose(displayed.word_boxes[0], [row["words"].fields[side][0] for side in ("x0", "top", "x1", "bottom")])


def test_boxes_turn_round():
    boxes = np.array([[10, 20, 30, 60]], np.float32)
    assert quarter_boxes(boxes, 1, 100, 200).tolist() == [[140, 10, 180, 30]]
    for turns in range(4):
        size = (100, 200) if turns % 2 == 0 else (200, 100)
        assert np.array_equal(quarter_boxes(quarter_boxes(boxes, turns, 100, 200), -turns, *size), boxes)


def test_time_is_left_for_the_other_way():
    """A recogniser that used most of the seconds is not asked again."""
    read = read_upright(np.ascontiguousarray(np.rot90(PICTURE, 2)), Upright(), 200, "eng", 0.0)
    assert [word.text for word in read.words] == ["ssop"]
