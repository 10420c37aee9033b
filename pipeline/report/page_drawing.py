"""Draw a page from its rows alone, as SVG: its words at their positions, and its blocks in the colours of their roles."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any, Final

from pdfmill.pipeline.render.picture import COLORS
from pdfmill.pipeline.report.gather import Sample
from pdfmill.schemas.public import printable

#: Most bytes of one drawing: enough for a page of a book with all its words. From a larger drawing words are left out first, then blocks.
MAX_BYTES: Final = 60_000
#: Font size of a word as a fraction of the height of its box.
_LETTERS: Final = 0.78
#: A word counts as turned if its box is higher than `_TURNED` times its width plus `_LARGE` points; a single "I" in a title is not.
_TURNED: Final = 4.0
_LARGE: Final = 40.0
#: Most characters of a block's text in its label.
_LABELLED: Final = 80


def draw_sample(sample: Sample) -> str:
    """Return the drawing of a page as SVG. If it would exceed `MAX_BYTES`, all words are left out, and then as many blocks as necessary."""
    width, height = _number(sample.page["width"] or 1.0), _number(sample.page["height"] or 1.0)
    words = "".join(_words(sample.page))
    blocks = "".join(_blocks(sample.blocks))
    shown = words if len(words) + len(blocks) <= MAX_BYTES else ""
    drawn = blocks if len(blocks) <= MAX_BYTES else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="page with its blocks">'
        f'<rect class="paper" width="{width}" height="{height}"/><g class="words">{shown}</g>{drawn}</svg>'
    )


def _words(page: dict[str, Any]) -> Iterator[str]:
    """Yield the words as SVG text elements; consecutive words of one size are grouped, so that the size is written once."""
    text = page["text"] or ""
    for size, words in groupby(filter(_upright, page["words"] or ()), key=lambda word: _number(_LETTERS * (word["bottom"] - word["top"]))):
        yield f'<g font-size="{size}">'
        for word in words:
            baseline = word["top"] + _LETTERS * (word["bottom"] - word["top"])
            place = f'x="{_number(word["x0"])}" y="{_number(baseline)}" textLength="{_number(word["x1"] - word["x0"])}"'
            yield f"<text {place}>{_text(text[word['start'] : word['end']])}</text>"
        yield "</g>"


def _upright(word: dict[str, Any]) -> bool:
    width, height = word["x1"] - word["x0"], word["bottom"] - word["top"]
    return bool(width > 0 and 0 < height <= _TURNED * width + _LARGE)


def _blocks(blocks: list[dict[str, Any]]) -> Iterator[str]:
    for block in blocks:
        color = "#" + "".join(f"{part:02x}" for part in COLORS[block["role"]])
        level = f" {block['level']}" if block["level"] else ""
        label = f"{block['role']}{level}: {block['text'][:_LABELLED]}"
        for box in block["boxes"] or ():
            yield (
                f'<rect x="{_number(box["x0"])}" y="{_number(box["top"])}" width="{_number(max(0.0, box["x1"] - box["x0"]))}" '
                f'height="{_number(max(0.0, box["bottom"] - box["top"]))}" fill="{color}" fill-opacity=".12" stroke="{color}">'
                f"<title>{_text(label)}</title></rect>"
            )


def _number(value: float) -> str:
    return f"{value:.1f}"


def _text(text: str) -> str:
    return escape(printable(text))
