"""Repair the boxes of characters when one text belongs to several glyphs, or several characters to one glyph.
Chromium, Typst and LibreOffice write a marked-content sequence with an ActualText (ISO 32000-2 §14.9.4) for a letter with its marks or a
syllable. PDFium divides the box of its ink, which ends before the pen does, and may repeat the text for each mark."""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.scripts import COMBINING_OF_ACCENT, JOINING, rtl_mask
from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from pdfmill.transforms.pdf.fonts.fonts import fonts_of
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_BOUNDS, OBJECT_FONT, OBJECT_MATRIX, of_objects
from pdfmill.transforms.pdf.text.text_objects import TextObject, boxes_of, lone_objects, text_objects
from pdfmill.transforms.pdf.text.user_space import PageSpace

# Handle several characters of one glyph: ligatures, and letters with marks, each of which PDFium gives the box of the whole glyph.
#
# A ToUnicode map gives those of right-to-left scripts in reading order (ISO 32000-2 §9.10.3); PDFium reverses them with the rest of the
# line. Presentation forms are decomposed by PDFium itself, which leaves their characters in order.


Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
#: A function that returns the texts of several right-to-left characters to which fonts map one code.
Targets = Callable[[], frozenset[str]]

_LOOPS: Final[Any] = fastest("pdfmill.transforms.pdf.text.glyph_loops")
_ACCENTS: Final = frozenset(COMBINING_OF_ACCENT)
#: The first combining mark.
_FIRST_MARK: Final = 0x300
#: Lam, and the alefs with which it forms a ligature. Lam comes first in the ligature, even if the font's map says otherwise.
_LAM: Final = "\u0644"
_ALEFS: Final = frozenset("\u0622\u0623\u0625\u0627\u0671")


def _first_parts(members: NDArray[np.intp], loose: Floats) -> Mask:
    """Return bool[m], which characters are the first of their glyph. members: int64[m], characters that share glyphs. loose: boxes of
    all."""
    return np.concatenate(([True], (np.diff(members) != 1) | (np.diff(loose[members, 0]) != 0) | (np.diff(loose[members, 2]) != 0)))


def _marks(codes: NDArray[np.uint32]) -> Mask:
    if codes.max(initial=0) < _FIRST_MARK:
        return np.zeros(len(codes), np.bool_)
    kinds, place = np.unique(codes, return_inverse=True)
    marks: Mask = np.array([unicodedata.category(chr(code)) == "Mn" for code in kinds.tolist()], np.bool_)[place]
    return marks


def share_ligatures(joined: Mask, loose: Floats, unicode: NDArray[np.uint32], origin_x: Floats, width: Floats) -> None:
    """Give each letter of a ligature an equal part of the ligature's box, in place. A mark has no width and lies at the end of its letter;
    an accent before its letter ("˜a") shares the part of that letter.
    joined: whether a character shares its glyph with a neighbour. loose: float32[n, 4], boxes. origin_x, width: left end and width, set
    here."""
    members = joined.nonzero()[0]
    first = _first_parts(members, loose)
    codes = unicode[members]
    marks = _marks(codes) & ~first
    accents = np.array([code in _ACCENTS for code in codes.tolist()], np.bool_)
    accents[:-1] &= ~(first[1:] | marks[1:])
    accents[-1] = False
    kinds = (first, marks, accents, rtl_mask(codes))
    _LOOPS.share_boxes(members, *(each.view(np.uint8) for each in kinds), loose, origin_x, width)


def order_ligatures(joined: Mask, loose: Floats, unicode: NDArray[np.uint32], targets: Targets | None) -> None:
    """Put the right-to-left characters of each ligature into reading order, in place in `unicode`. joined: characters that share a glyph.
    targets: returns the texts of the right-to-left ligatures in the document's fonts; called only if the page has some."""
    members = joined.nonzero()[0]
    bounds = [*members[_first_parts(members, loose)].tolist(), len(unicode)]
    known: frozenset[str] | None = None
    for start, limit in zip(bounds, bounds[1:], strict=False):
        end = start + 1
        while end < limit and joined[end]:
            end += 1
        codes = unicode[start:end]
        if not rtl_mask(codes).all():
            continue
        known = known if known is not None else targets() if targets is not None else frozenset()
        unicode[start:end] = [ord(character) for character in _ligatures_in_order("".join(map(chr, codes.tolist())), known)]


def _ligatures_in_order(text: str, targets: frozenset[str]) -> str:
    """Return the characters of one glyph in reading order. targets: the texts of right-to-left ligatures in the document's fonts."""
    turned = text[::-1]
    text = turned if turned in targets and text not in targets else text
    return text[::-1] if len(text) == 2 and text[1] == _LAM and text[0] in _ALEFS else text


@once_per_document
def rtl_targets(document: PdfDocument) -> frozenset[str]:
    """Return the texts of several right-to-left characters (ligatures) that the document's fonts give for a single code."""
    try:
        return frozenset(_rtl_targets(document))
    except OBJECT_ERRORS:  # a font that cannot be read maps nothing
        return frozenset()


def _rtl_targets(document: PdfDocument) -> Iterator[str]:
    for font in fonts_of(document):
        for text in to_unicode(get(font, "/ToUnicode")).values():
            if len(text) > 1 and rtl_mask(np.array([ord(character) for character in text], np.uint32)).all():
                yield text


def parts(codes: NDArray[np.uint32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the start and the end of each character of a glyph as shares, 0 to 1, of its box. Letters have equal parts; marks no width."""
    letter = ~_marks(codes)
    letter[0] = True
    ends = np.cumsum(letter) / letter.sum()
    return np.where(letter, ends - 1 / letter.sum(), ends), ends


def spread(glyphs: Glyphs, texts: Mapping[int, str]) -> None:
    """Replace the texts of glyphs, in place. texts: the new text of a glyph by its index.
    Letters have equal parts of the box; marks have no width. A glyph with an empty text is removed; in scripts whose letters are joined,
    the next glyph takes its box."""
    if not texts:
        return
    silent = np.array(sorted(place for place, text in texts.items() if not text and place + 1 < len(glyphs.unicode)), np.int64)
    for place in silent[_JOINS.take(glyphs.unicode[silent + 1], mode="clip") & (glyphs.run[silent] == glyphs.run[silent + 1])].tolist():
        glyphs.x0[place + 1] = min(glyphs.x0[place : place + 2])
    counts = np.ones(len(glyphs.unicode), np.int64)
    counts[list(texts)] = [len(text) for text in texts.values()]
    starts = np.cumsum(counts) - counts
    source = np.repeat(np.arange(len(counts)), counts)
    first, last = np.zeros((2, len(source)))  # shares of the box from its left
    last += 1
    glyphs.select(source)
    for place, text in texts.items():
        own = slice(starts[place], starts[place] + len(text))
        glyphs.unicode[own] = [ord(character) for character in text]
        if len(text) > 1:
            begins, ends = parts(glyphs.unicode[own])
            leftwards = rtl_mask(glyphs.unicode[own]).any()
            first[own], last[own] = (1 - ends, 1 - begins) if leftwards else (begins, ends)
    across = (glyphs.angle == 0) & (counts[source] > 1)
    width = glyphs.x1 - glyphs.x0
    left = np.where(across, glyphs.x0 + first * width, glyphs.x0).astype(np.float32)
    glyphs.origin_x = np.where(across & (first > 0), left, glyphs.origin_x).astype(np.float32)
    glyphs.x0, glyphs.x1 = left, np.where(across, glyphs.x0 + last * width, glyphs.x1).astype(np.float32)


# Doubled letters of which PDFium drops the second: if each letter is a text object and its ink overlaps the next one (an italic "ff"),
# PDFium takes the second for a copy that makes the first bold, and leaves it out of its text page ("Of ices").


#: Share of a page's runs that must be single letters before doubled letters are looked for.
_SINGLE: Final = 0.5
#: Smallest and largest distance of the second letter from the first, in advances. Copies that imitate bold type are nearer.
_APART: Final = (0.8, 1.5)
#: Largest difference of the sizes, and of the baselines, of two objects that show the same letter, in heights of the object.
_SAME: Final = 0.02


def add_doubled(glyphs: Glyphs, handles: Sequence[int], page: int, drawn: int, space: PageSpace) -> int:
    """Add the second letters of doubled letters, which PDFium dropped, in place, each as a run of its own. Return their number.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list. page: PDFium's handle.
    drawn: number of text objects on the page."""
    if not handles or not len(glyphs.run):
        return 0
    sizes = np.bincount(glyphs.run, minlength=len(handles))
    if np.count_nonzero(sizes == 1) < _SINGLE * np.count_nonzero(sizes):
        return 0
    heard = {handle: run for run, handle in enumerate(handles)}
    if drawn <= len(heard) or not _may_be_doubled(page, heard, sizes):
        return 0
    placed = text_objects(page)
    pairs = [
        (before, each)
        for before, each in zip(placed, placed[1:], strict=False)
        if each.handle not in heard and (run := heard.get(before.handle)) is not None and sizes[run] == 1
    ]
    if not pairs:
        return 0
    return _insert(glyphs, pairs, heard, space)


def _may_be_doubled(page: int, heard: Mapping[int, int], sizes: NDArray[np.int64]) -> bool:
    """Return whether, on the page, a text object with exactly one glyph is followed by one with ink but without glyphs. True if the page
    contains form XObjects. heard: index of the run by handle of its text object. sizes: number of glyphs of each run."""
    objects = lone_objects(page)
    if objects is None:
        return True
    handles, runs = np.array(list(heard), np.uint64), np.array(list(heard.values()), np.int64)
    order = np.argsort(handles)
    place = np.searchsorted(handles[order], objects).clip(max=len(handles) - 1)
    known = handles[order][place] == objects
    single = known & (sizes[runs[order][place]] == 1)
    follows = (~known[1:] & single[:-1]).nonzero()[0] + 1
    boxes = of_objects(OBJECT_BOUNDS, objects[follows], np.zeros((len(follows), 4), np.float32))
    return bool((boxes[:, 2] > boxes[:, 0]).any())


def _insert(glyphs: Glyphs, pairs: list[tuple[TextObject, TextObject]], heard: dict[int, int], space: PageSpace) -> int:
    """Insert the second letter of those pairs of text objects that show a doubled letter, in place. Return the number of letters."""
    first, second = _measures([a for a, _ in pairs]), _measures([b for _, b in pairs])
    order = np.argsort(glyphs.run, kind="stable")
    singles = order[np.searchsorted(glyphs.run[order], [heard[a.handle] for a, _ in pairs])]
    shift, height = second[:, :2] - first[:, :2], first[:, 3] - first[:, 1]
    alike = (np.abs((second[:, 2:4] - second[:, :2]) - (first[:, 2:4] - first[:, :2])).max(axis=1) < _SAME * height) & (
        first[:, 4] == second[:, 4]
    )
    advance = (glyphs.x1 - glyphs.x0)[singles] / space.scale
    level = np.abs(shift[:, 1]) < _SAME * height
    apart = (shift[:, 0] > _APART[0] * advance) & (shift[:, 0] < _APART[1] * advance)
    upright = (glyphs.angle[singles] == 0) & (space.rotation == 0)
    taken = alike & level & apart & upright & (height > 0)
    if not taken.any():
        return 0
    source, along = singles[taken], (shift[taken, 0] * space.scale).astype(np.float32)
    glyphs.insert_copies(
        source + 1, source, x0=glyphs.x0[source] + along, x1=glyphs.x1[source] + along, origin_x=glyphs.origin_x[source] + along
    )
    return len(source)


def _measures(objects: Sequence[TextObject]) -> NDArray[np.float64]:
    """Return float64[n, 5]: left, bottom, right, top of each text object in user space, and the handle of its font."""
    handles = np.array([each.handle for each in objects], np.uint64)
    found = np.zeros((len(objects), 5))
    found[:, :4] = boxes_of(objects)
    found[:, 4] = of_objects(OBJECT_FONT, handles, np.zeros(len(objects), np.uint64))
    return found


#: Largest distance, em, from the end of a text's ink to the pen, less than a space: of letters; of ideographs and right-to-left letters,
#: whose marks lie in the middle of the advance; of a letter with a sign drawn left of it; and the largest distance of the pen before that
#: end.
_MOST_AFTER, _MOST_AFTER_WIDE, _MOST_AFTER_LEFT, _MOST_BACK = 0.13, 0.25, 0.8, 0.5
#: First code point of ideographs and their marks.
_FIRST_WIDE: Final = JOINING[4][0]
#: Largest difference of baselines on one line, em.
_SAME_LINE: Final = 0.1
_SPACE: Final = 32
_JOINS: Final = np.zeros(JOINING[-1][1] + 1, np.bool_)
for _low, _high in JOINING:
    _JOINS[_low:_high] = True
#: Most characters of a letter with its marks; most characters of the line between them; em by which marks extend beyond their letter.
_FEW, _NEAR, _OVER = 8, 40, 0.35
#: Bytes of an ActualText for a few glyphs.
_LONGEST: Final = 256
#: PDFium's type number of a string object.
_STRING: Final = 3


class _Sequence(NamedTuple):
    """A marked-content sequence with an ActualText. Positions are x in points of the displayed page: `start` and `end` of the pen (None:
    nothing follows on the line), `left`, its leftmost position, and `ink`, the end of the ink."""

    mark: int  # PDFium's handle of the sequence's mark
    handles: frozenset[int]
    start: float  # pen position at its beginning
    left: float  # its leftmost pen position
    end: float | None  # pen position at its end; None if nothing follows on the line
    ink: float  # position at which its ink ends


def settle_shared(glyphs: Glyphs, handles: list[int], page: int, space: PageSpace) -> None:
    """Remove repeated copies of a text that several text objects share, and set its box from the first to the last position of the pen, in
    place. handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list. page: PDFium's handle."""
    if not handles or not _JOINS.take(glyphs.unicode, mode="clip").any():
        return
    bounds = np.searchsorted(glyphs.run, np.arange(len(handles) + 1))
    kept = ~_repeated(glyphs, bounds)
    placed = lone_objects(page)
    if placed is not None and (sequences := _sequences(placed, space)):
        _settle(glyphs, handles, bounds.tolist(), sequences, kept)
    if not kept.all():
        glyphs.select(kept)


#: Ranges of code points of left-to-right scripts in which a syllable is drawn by letters below, above and around one another.
_STACKING: Final = ((0x900, 0xE00), (0xF00, 0x10A0), (0x1780, 0x1800))
_STACKS: Final = np.zeros(_STACKING[-1][1] + 1, np.bool_)
for _low, _high in _STACKING:
    _STACKS[_low:_high] = True


def restore_drawn_order(glyphs: Glyphs, handles: list[int], page: int) -> None:
    """Put consecutive runs of scripts with stacked letters into drawing order, in place, also in `handles`. PDFium sorts the text objects
    of a line by their left edges, and a vowel around a letter begins left of the letter below that one, which is read first.
    handles: PDFium's handle of each run's text object. page: PDFium's handle."""
    stacks = _STACKS.take(glyphs.unicode, mode="clip")
    if not stacks.any() or (placed := lone_objects(page)) is None:
        return
    rank = {handle: place for place, handle in enumerate(placed.tolist())}
    drawn = np.array([rank.get(handle, -1) for handle in handles], np.int64)
    within = (np.bincount(glyphs.run, stacks, len(handles)) > 0) & (drawn >= 0)
    order = np.lexsort((np.where(within, drawn, 0), np.cumsum(~within | np.concatenate(([False], ~within[:-1])))))
    if (np.diff(order) == 1).all():
        return
    handles[:] = [handles[run] for run in order.tolist()]
    glyphs.run[:] = np.argsort(order)[glyphs.run]
    glyphs.select(np.argsort(glyphs.run, kind="stable"))


def _repeated(glyphs: Glyphs, bounds: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return bool[n], which glyphs repeat a text, because the font maps a mark in a text object of its own to letter and mark.
    bounds: int64[runs + 1], indices of the first glyph of each run, and the end."""
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
    """Set the boxes of the texts of marked-content sequences, and clear `kept` for glyphs that repeat a text, both in place.
    bounds: index of each run's first glyph, and the end."""
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
    """Return the marked-content sequences with an ActualText, in drawing order. placed: handles of all text objects of the page."""
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
    """Return the handle of the innermost marked-content sequence around a text object if this has an ActualText, else 0."""
    count = calls.object_count_marks(handle)
    mark = int(calls.object_mark(handle, count - 1)) if count > 0 else 0
    if mark and mark not in known:
        known[mark] = calls.mark_value_type(mark, b"ActualText") == _STRING
    return mark if mark and known[mark] else 0


def _in_order(codes: NDArray[np.uint32], mark: int) -> NDArray[np.uint32]:
    """Return the characters in the order of the sequence's ActualText; unchanged if this has different characters. mark: its handle."""
    written, size = ctypes.create_string_buffer(_LONGEST), ctypes.c_ulong()
    if not calls.mark_bytes(mark, b"ActualText", written, _LONGEST, ctypes.byref(size)) or size.value > _LONGEST:
        return codes
    text = written.raw[: size.value].decode("utf-16", "replace")
    stated = np.array([ord(character) for character in text], np.uint32)
    return stated if np.array_equal(np.sort(stated), np.sort(codes)) else codes


def _place(glyphs: Glyphs, own: NDArray[np.intp], sequence: _Sequence, x: NDArray[np.floating], y: NDArray[np.floating]) -> None:
    """Divide the distance between the first and last position of the pen among the glyphs of a sequence, in place. Rotated glyphs are kept.
    x, y: origins of spaces drawn on the page."""
    if (glyphs.angle[own] != 0).any():
        return
    size = float(glyphs.sizes(own[:1])[0])
    ink, end = sequence.ink, sequence.end
    leftwards = rtl_mask(glyphs.unicode[own]).all()  # a mark may be drawn before its letter
    most = _MOST_AFTER_WIDE if leftwards or glyphs.unicode[own[0]] >= _FIRST_WIDE else _MOST_AFTER
    most = _MOST_AFTER_LEFT if sequence.left < sequence.start else most
    if end is None or not -_MOST_BACK * size < end - ink < most * size:
        end = ink
    if end > ink:
        between = (np.abs(y - glyphs.origin_y[own[0]]) < _SAME_LINE * size) & (x > ink - _SAME_LINE * size) & (x < end)
        end = float(x[between].min()) if between.any() else end
    start = sequence.left if leftwards else sequence.start
    start = start if start < end else float(glyphs.x0[own].min())
    first, last = parts(glyphs.unicode[own])
    if leftwards:
        first, last = 1 - last, 1 - first
        marks = np.flatnonzero(first == last)
        first[marks] = last[marks] = (first + last)[np.searchsorted(np.flatnonzero(first != last), marks) - 1] / 2
    glyphs.x0[own], glyphs.x1[own] = start + first * (end - start), start + last * (end - start)
    glyphs.origin_x[own] = glyphs.x0[own]
