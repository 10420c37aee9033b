"""Glyphs that share one text: a marked-content sequence with an /ActualText (ISO 32000-2 §14.9.4) for a letter with its marks, or for a
syllable, as Chromium, Typst and LibreOffice write it for most scripts of Asia.

PDFium gives such a text equal parts of the box of the ink, which ends before the pen does, so that gaps seem to be there where none are;
and where marks stand left of the letter that they were drawn after, it gives the text once more for each of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
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
_MOST_AFTER, _MOST_BACK = 0.25, 0.5
#: Em; two baselines differ by less.
_SAME_LINE: Final = 0.1
_SPACE: Final = 32
_JOINS: Final = np.zeros(JOINING[-1][1] + 1, np.bool_)
for _low, _high in JOINING:
    _JOINS[_low:_high] = True
#: Characters of a letter with its marks; how many of the line may stand between them; em that marks reach over their letter.
_FEW, _NEAR, _OVER = 8, 40, 0.35
#: Bytes of a text that stands for a few glyphs.
_LONGEST: Final = 256
#: Type of a string among PDFium's objects.
_STRING: Final = 3


class _Sequence(NamedTuple):
    """The text objects of one marked-content sequence. mark: PDFium's handle. start, end: where its pen begins and ends, left: where it
    is leftmost, ink: where its ink ends, points of the displayed page from the left; end is None where nothing follows on the line."""

    mark: int
    handles: frozenset[int]
    start: float
    left: float
    end: float | None
    ink: float


def settle_shared(glyphs: Glyphs, handles: list[int], page: int, space: PageSpace) -> None:
    """Give each shared text once, from where the pen begins to where it ends, in place.

    handles: text object of each run. page: PDFium's handle.
    """
    if not handles or not _JOINS.take(glyphs.unicode, mode="clip").any():
        return
    bounds = np.searchsorted(glyphs.run, np.arange(len(handles) + 1))
    kept = ~_repeated(glyphs, bounds)
    placed = lone_objects(page)
    if placed is not None and (sequences := _sequences(placed, space)):
        _settle(glyphs, handles, bounds.tolist(), sequences, kept)
    if not kept.all():
        for name in glyphs.__struct_fields__:
            if name != "styles":
                setattr(glyphs, name, getattr(glyphs, name)[kept])


def _repeated(glyphs: Glyphs, bounds: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Glyphs of a mark that a font maps to its letter and itself, drawn over the letter by an object of its own, which gives the text of
    both once more. bounds: of the runs."""
    found = np.zeros(len(glyphs.unicode), np.bool_)
    counts = np.diff(bounds)
    few = np.flatnonzero((counts > 1) & (counts <= _FEW))
    text = glyphs.unicode.astype("<u4").tobytes().decode("utf-32-le", "replace") if len(few) else ""
    for start, end in zip(bounds[few].tolist(), bounds[few + 1].tolist(), strict=True):
        at = text.rfind(text[start:end], max(0, start - _NEAR), start)
        if at >= 0:
            own, letters, size = slice(start, end), slice(at, at + end - start), float(glyphs.sizes(np.array([start]))[0])
            middle = (glyphs.x0[own].min() + glyphs.x1[own].max()) / 2
            inside = glyphs.x0[letters].min() - _OVER * size <= middle <= glyphs.x1[letters].max()
            found[own] = inside and abs(glyphs.origin_y[start] - glyphs.origin_y[at]) < size / 2 and not found[at]
    return found


def _settle(glyphs: Glyphs, handles: Sequence[int], bounds: Sequence[int], sequences: Sequence[_Sequence], kept: NDArray[np.bool_]) -> None:
    """Place the texts of marked-content sequences, and let go what PDFium gives more than once; `kept` says of which, in place."""
    right_to_left = rtl_mask(glyphs.unicode)
    places: dict[int, list[int]] = {}  # right-to-left text has several runs of one object, and spaces beside it
    for run, handle in enumerate(handles):
        members = range(bounds[run], bounds[run + 1])
        spaced = right_to_left[bounds[run] : bounds[run + 1]].any()
        places.setdefault(handle, []).extend(place for place in members if not (spaced and glyphs.unicode[place] == _SPACE))
    blanks = (glyphs.unicode == _SPACE) & (glyphs.x1 > glyphs.x0)
    spaces = glyphs.x0[blanks], glyphs.origin_y[blanks]
    for sequence in sequences:
        drawn = sorted(places[handle] for handle in sequence.handles if places.get(handle))
        if not drawn or any(not np.array_equal(glyphs.unicode[each], glyphs.unicode[drawn[0]]) for each in drawn):
            continue
        for each in drawn[1:]:
            kept[each] = False
        own = np.array(drawn[0])
        if right_to_left[own].all():
            glyphs.unicode[own] = _in_order(glyphs.unicode[own], sequence.mark)
        _place(glyphs, own, sequence, *spaces)


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
            follows = at < len(placed) and min(abs(y[at] - own) for own in y[first:at]) < _SAME_LINE * max(height[first], 1.0)
            own = frozenset(placed[first:at].tolist())
            found.append(_Sequence(mark, own, x[first], min(x[first:at]), x[at] if follows else None, float(right[first:at].max())))
    return found


def _own_text(handle: int, known: dict[int, bool]) -> int:
    """PDFium's handle of the innermost mark of a text object if that has a text, else 0. known: the marks asked before."""
    count = calls.object_count_marks(handle)
    mark = int(calls.object_mark(handle, count - 1)) if count > 0 else 0
    if mark and mark not in known:
        known[mark] = calls.mark_value_type(mark, b"ActualText") == _STRING
    return mark if mark and known[mark] else 0


def _in_order(codes: NDArray[np.uint32], mark: int) -> NDArray[np.uint32]:
    """The characters in the order of the mark's text, which PDFium turns round only in part; as they are where the two differ."""
    written, size = ctypes.create_string_buffer(_LONGEST), ctypes.c_ulong()
    if not calls.mark_bytes(mark, b"ActualText", written, _LONGEST, ctypes.byref(size)) or size.value > _LONGEST:
        return codes
    text = written.raw[: size.value].decode("utf-16", "replace")
    stated = np.array([ord(character) for character in text], np.uint32)
    return stated if np.array_equal(np.sort(stated), np.sort(codes)) else codes


def _place(glyphs: Glyphs, own: NDArray[np.intp], sequence: _Sequence, x: NDArray[np.floating], y: NDArray[np.floating]) -> None:
    """Share the way of the pen out to the characters of a text, in place; turned ones keep theirs. Marks of right-to-left letters stand in
    their middle: the pen of such a letter begins where the next one ends. x, y: the starts of spaces, which another object may draw."""
    if (glyphs.angle[own] != 0).any():
        return
    size = float(glyphs.sizes(own[:1])[0])
    ink, end = sequence.ink, sequence.end
    if end is None or not -_MOST_BACK * size < end - ink < _MOST_AFTER * size:
        end = ink
    if end > ink:
        between = (np.abs(y - glyphs.origin_y[own[0]]) < _SAME_LINE * size) & (x > ink - _SAME_LINE * size) & (x < end)
        end = float(x[between].min()) if between.any() else end
    leftwards = rtl_mask(glyphs.unicode[own]).all()  # a mark may be drawn before its letter
    start = sequence.left if leftwards else sequence.start
    start = start if start < end else float(glyphs.x0[own].min())
    first, last = parts(glyphs.unicode[own])
    if leftwards:
        first, last = 1 - last, 1 - first
        marks = np.flatnonzero(first == last)
        first[marks] = last[marks] = (first + last)[np.searchsorted(np.flatnonzero(first != last), marks) - 1] / 2
    glyphs.x0[own], glyphs.x1[own] = start + first * (end - start), start + last * (end - start)
    glyphs.origin_x[own] = glyphs.x0[own]
