"""Replace typographic characters by those on keyboards, for search engines that do not do so. This is off by default.
NFKC (Unicode Standard Annex 15), simple quotes and hyphens, U+0020 for all spaces. Zero-width characters are removed. Soft hyphens are
kept, because the joining of lines needs them."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import accumulate
from typing import Final

import numpy as np

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.page.line_frame import word_bounds

_QUOTES: Final = {"'": "‘’‚‛′‵ʼ‹›＇", '"': "“”„‟″‶«»〝〞＂"}
_DASHES: Final = "‐‑‒–—―−⁃﹘﹣－"
_NOTHING: Final = "\u200b\u2060\ufeff"
_TABLE: Final = str.maketrans(
    {each: plain for plain, many in _QUOTES.items() for each in many} | dict.fromkeys(_DASHES, "-") | dict.fromkeys(_NOTHING, "")
)


@cache
def folded(character: str) -> str:
    """Return the plain form of a character: NFKC with simple quotes, hyphens and spaces; "" for zero-width characters.

    >>> [folded(each) for each in "—”½´"]
    ['-', '"', '1⁄2', '´']
    """
    form = unicodedata.normalize("NFKC", character)
    if form.startswith(" ") and len(form) > 1:
        form = character
    return "".join(" " if unicodedata.category(each) == "Zs" else each for each in form.translate(_TABLE))


def fold_typography(page: PageLines) -> None:
    """Replace typographic characters in the lines of a page, in place. A word that would become empty is unchanged."""
    first = word_bounds(page)
    for number, line in enumerate(page.lines):
        if line.text.isascii():
            continue
        parts: list[str] = []
        length = 0
        moved = np.zeros(len(line.text) + 1, np.int64)
        for word in range(first[number], first[number + 1]):
            start, end = page.word_spans[word].tolist()
            pieces = [folded(each) for each in line.text[start:end]]
            part = unicodedata.normalize("NFC", "".join(pieces)).strip(" ")
            if not part:
                part, pieces = line.text[start:end], list(line.text[start:end])
            offsets = np.fromiter(accumulate(map(len, pieces), initial=0), np.int64, len(pieces) + 1)
            moved[start : end + 1] = length + np.minimum(offsets, len(part))
            page.word_spans[word] = (length, length + len(part))
            parts.append(part)
            length += len(part) + 1
        line.text = " ".join(parts)
        line.spans = tuple((int(moved[offset]), style) for offset, style in line.spans)
