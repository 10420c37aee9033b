"""Which pages need OCR: every kind of made page gets the right answer."""

import io

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.road.document_road import read_page_lines
from pdfmill.transforms.road.page_rows import needs_ocr
from tests.scans.more_ocr_pages import MORE_DO_NOT, MORE_NEED
from tests.scans.ocr_pages import DO_NOT, HEIGHT, NEED, WIDTH, Maker


def make_page(maker: Maker) -> bytes:
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(WIDTH, HEIGHT), invariant=1)
    maker(canvas, np.random.default_rng(3))
    canvas.showPage()
    canvas.save()
    return sink.getvalue()


@pytest.mark.parametrize("maker", [*NEED, *MORE_NEED, *DO_NOT, *MORE_DO_NOT], ids=lambda maker: maker.__name__)
def test_each_kind(maker):
    page = read_page_lines(open_document(make_page(maker), name="made.pdf"), 1)
    assert needs_ocr(page) == (maker in NEED + MORE_NEED)
