"""Words that stand off the page have no gutters between them."""

from __future__ import annotations

import numpy as np
import pytest

from pdfmill.schemas.records import FontStyle, PageLines, TextLine
from pdfmill.transforms.layout.page.columns import split_lines


def lines_at(x: float) -> PageLines:
    words, lines, owners, boxes = 5, [], [], []
    for number in range(6):
        top = 20.0 * number
        lines.append(TextLine("a a a a a", x, top, x + 50, top + 10, top + 8, 0, ((0, 0),)))
        owners += [number] * words
        boxes += [(x + 10 * place, top, x + 10 * place + 5, top + 10) for place in range(words)]
    page = PageLines(1, 612.0, 792.0, styles=[FontStyle("Times", 10.0)], lines=lines)
    page.word_lines = np.array(owners, np.int32)
    page.word_spans = np.array([(2 * place, 2 * place + 1) for _ in lines for place in range(words)], np.int32)
    page.word_boxes = np.array(boxes, np.float32)
    return page


@pytest.mark.parametrize("x", [-5000.0, 1e6, 72.0])
def test_lines_anywhere_stay_whole(x):
    assert [line.text for line in split_lines(lines_at(x)).lines] == ["a a a a a"] * 6
