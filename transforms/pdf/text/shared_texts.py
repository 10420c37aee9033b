"""Glyphs that share one text: a marked-content sequence with an /ActualText (ISO 32000-2 §14.9.4) for a letter with its marks, or for a
syllable, as Chromium, Typst and LibreOffice write it for most scripts of Asia.

PDFium gives such a text equal parts of the box of the ink, which ends before the pen does, so that gaps seem to be there where none are;
and where marks stand left of the letter that they were drawn after, it gives the text once more for each of them.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.scripts import JOINING, rtl_mask
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_BOUNDS, OBJECT_MATRIX, of_objects
from pdfmill.transforms.pdf.text.ligatures import parts
from pdfmill.transforms.pdf.text.text_objects import lone_objects
from pdfmill.transforms.pdf.text.user_space import PageSpace

#: Em that the pen goes on at most after the ink of a text ends, and goes back at most.
_MOST_AFTER, _MOST_BACK = 0.8, 0.5
#: Em; two baselines differ by less.
_SAME_LINE: Final = 0.1
#: Type of a string among PDFium's objects.
_STRING: Final = 3


class _Sequence(NamedTuple):
    """The text objects of one marked-content sequence. start, end: where its pen begins and ends, ink: where its ink ends, points of the
    displayed page from the left; end is None where nothing follows on the line."""

    handles: frozenset[int]
    start: float
    end: float | None
    ink: float


def settle_shared(glyphs: Glyphs, handles: list[int], page: int, space: PageSpace) -> None:
    """Give each shared text once, from where the pen begins to where it ends, in place.

    handles: text object of each run. page: PDFium's handle.
    """
    if not handles or not any(((glyphs.unicode >= low) & (glyphs.unicode < high)).any() for low, high in JOINING):
        return
    placed = lone_objects(page)
    if placed is None or not (sequences := _sequences(placed, space)):
        return
    bounds = np.searchsorted(glyphs.run, np.arange(len(handles) + 1))
    runs = {handle: run for run, handle in reversed(list(enumerate(handles)))}
    kept = np.ones(len(glyphs.unicode), np.bool_)
    for sequence in sequences:
        drawn = sorted(runs[handle] for handle in sequence.handles if handle in runs)
        texts = [glyphs.unicode[bounds[run] : bounds[run + 1]] for run in drawn]
        if not drawn or any(not np.array_equal(text, texts[0]) for text in texts):
            continue
        for run in drawn[1:]:
            kept[bounds[run] : bounds[run + 1]] = False
        _place(glyphs, slice(int(bounds[drawn[0]]), int(bounds[drawn[0] + 1])), sequence)
    if not kept.all():
        for each in fields(glyphs):
            if each.name != "styles":
                setattr(glyphs, each.name, getattr(glyphs, each.name)[kept])


def _sequences(placed: NDArray[np.uint64], space: PageSpace) -> list[_Sequence]:
    """The sequences with a text of their own, in drawing order. placed: all text objects of the page."""
    known: dict[int, bool] = {}
    marks = [_own_text(handle, known) for handle in placed.tolist()]
    if not any(marks):
        return []
    matrix = of_objects(OBJECT_MATRIX, placed, np.zeros((len(placed), 6), np.float32))
    x, y = (column.tolist() for column in space.points(matrix[:, 4].copy(), matrix[:, 5].copy()))
    box = of_objects(OBJECT_BOUNDS, placed, np.zeros((len(placed), 4), np.float32))
    height = (box[:, 3] - box[:, 1]).tolist()
    right = space.boxes(*box.T.copy())[:, 2]
    found, at = [], 0
    for mark, members in groupby(marks):
        first, at = at, at + len(list(members))
        if mark:
            follows = at < len(placed) and abs(y[at] - y[first]) < _SAME_LINE * max(height[first], 1.0)
            found.append(
                _Sequence(frozenset(placed[first:at].tolist()), x[first], x[at] if follows else None, float(right[first:at].max()))
            )
    return found


def _own_text(handle: int, known: dict[int, bool]) -> int:
    """PDFium's handle of the innermost mark of a text object if that has a text, else 0. known: the marks asked before."""
    count = calls.object_count_marks(handle)
    mark = int(calls.object_mark(handle, count - 1)) if count > 0 else 0
    if mark and mark not in known:
        known[mark] = calls.mark_value_type(mark, b"ActualText") == _STRING
    return mark if mark and known[mark] else 0


def _place(glyphs: Glyphs, own: slice, sequence: _Sequence) -> None:
    """Share the way of the pen out to the characters of a text, in place; texts from the right, turned, or of a broken line keep theirs."""
    if own.start == own.stop or (glyphs.angle[own] != 0).any() or rtl_mask(glyphs.unicode[own]).any():
        return
    size = float(glyphs.sizes(own)[0])
    ink, end = sequence.ink, sequence.end
    if end is None or not -_MOST_BACK * size < end - ink < _MOST_AFTER * size:
        end = ink
    start = sequence.start if sequence.start < end else float(glyphs.x0[own].min())
    first, last = parts(glyphs.unicode[own])
    glyphs.x0[own], glyphs.x1[own] = start + first * (end - start), start + last * (end - start)
    glyphs.origin_x[own] = glyphs.x0[own]
