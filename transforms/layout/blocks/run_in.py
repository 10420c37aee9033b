"""Detect run-in headings: bold, italic or small capital words up to a stop at the beginning of a paragraph in plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.transforms.layout.page.text_style import is_small_caps

#: What ends a run-in heading; it may be set in the type of the text that follows.
_STOP: Final = re.compile(r"\s*[.:—–]|\s*-(?=\s)")
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
#: Characters of a run-in heading at most; longer ones are emphasised sentences.
_LONGEST: Final = 80


def run_in_heading(line: TextLine, styles: Sequence[FontStyle], main: FontStyle) -> str | None:
    """Return the heading at the beginning of a paragraph's first line, without its stop. main: the paragraph's own style.

    Words of the same emphasis as the paragraph are none, nor is a line that is emphasised to its end.
    """
    if len(line.spans) < 2 or not _set_off(styles[line.spans[0][1]], main):
        return None
    end = next(
        (start for start, style in line.spans if not _set_off(styles[style], main) and _LETTERS.search(line.text, start)), len(line.text)
    )
    lead = line.text[:end].rstrip()
    stop = _STOP.match(line.text, end)
    if not lead.endswith((".", "?", ":", "—", "–", "-")) and stop is None:
        return None
    title, rest = lead.rstrip(" .:—–-"), line.text[stop.end() if stop else end :]
    named = len(title) <= _LONGEST and _LETTERS.search(title) and (title[0].isupper() or not title[0].isalpha())
    return title if named and _LETTERS.search(rest) else None


def _set_off(style: FontStyle, main: FontStyle) -> bool:
    """Return whether it is bold, italic or in small capitals, unlike the paragraph."""
    return (
        (style.bold and not main.bold) or (style.italic and not main.italic) or (is_small_caps(style.font) and not is_small_caps(main.font))
    )
