"""Folding keeps every offset right."""

import unicodedata

import numpy as np
import pytest

from pdfmill.schemas.records import PageLines, TextLine
from pdfmill.transforms.layout.page.typography import fold_typography, folded


def _page(words, spans=((0, 0),)):
    text = " ".join(words)
    starts = np.cumsum([0] + [len(word) + 1 for word in words[:-1]])
    page = PageLines(
        1,
        word_lines=np.zeros(len(words), np.int32),
        word_spans=np.array([(start, start + len(word)) for start, word in zip(starts.tolist(), words, strict=True)], np.int32),
    )
    page.lines = [TextLine(text, 0, 0, 0, 0, 0, 0, spans)]
    return page


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("“It’s”", '"It\'s"'),
        ("1914–18", "1914-18"),
        ("x²", "x2"),
        ("…", "..."),
        ("Ｆｕｌｌ", "Full"),
        ("ｶﾞ", "ガ"),
        ("5\u00a0kg", "5 kg"),
        ("㎏", "kg"),
        ("a\u200bb", "ab"),
        ("co\u00adop", "co\u00adop"),
        ("\u200b", "\u200b"),
        ("´", "´"),
        ("naïve", "naïve"),
    ],
)
def test_rules(written, plain):
    page = _page(["before", written, "after"])
    fold_typography(page)
    line = page.lines[0].text
    assert [line[start:end] for start, end in page.word_spans.tolist()] == ["before", plain, "after"]
    assert unicodedata.is_normalized("NFC", line)


def test_styles_move_along():
    page = _page(["…½", "two", "…three"], ((0, 0), (3, 1), (8, 2)))
    fold_typography(page)
    line = page.lines[0]
    assert [line.text[offset:] for offset, _ in line.spans] == ["...1⁄2 two ...three", "two ...three", "three"]


def test_folding_twice_changes_nothing():
    odd = [chr(code) for code in range(0xA0, 0x3100) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
    assert [each for each in odd if "".join(map(folded, folded(each))) != folded(each)] == []
