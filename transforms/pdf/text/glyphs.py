"""Read the glyphs of a page from PDFium's text page (ISO 32000-2 §9.4).
Properties such as font, size and colour are read once for each run (the characters of one text object), others once for each kind (the
glyphs of equal font and character)."""

from __future__ import annotations

import ctypes
import re
from functools import lru_cache
from itertools import repeat
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.records import FontStyle
from pdfmill.schemas.scripts import FIRST_RIGHT_TO_LEFT, rtl_mask
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.pdfium_api import (
    CHAR_BOX,
    CHAR_GENERATED,
    CHAR_MATRIX,
    CHAR_ORIGIN,
    CHAR_UNICODE,
    LOOSE_BOX,
    MAP_ERROR,
    OBJECT_CONTENT_ID,
    OBJECT_FILL,
    OBJECT_FONT,
    OBJECT_MODE,
    OBJECT_SIZE,
    OBJECT_STROKE,
    black,
    char_objects,
    of_objects,
    of_parts,
)
from pdfmill.transforms.pdf.text.shared_texts import Targets, order_ligatures, share_ligatures
from pdfmill.transforms.pdf.text.strokes import DEFAULTS as STROKES
from pdfmill.transforms.pdf.text.strokes import strokes_of
from pdfmill.transforms.pdf.text.user_space import PageSpace, bounded

_LOOPS = fastest("pdfmill.transforms.pdf.text.glyph_loops")

Floats = NDArray[np.float32]

#: Step at which text objects are sampled to decide whether the page has marked content.
_STRIDE: Final = 16
#: Differences of advance widths, em, up to which widths are equal, because they are stated in thousandths.
_ROUNDING: Final = 0.002
#: Mean advance of ordinary fonts, em, and the bounds outside of which a font size is corrected.
_MEAN_ADVANCE: Final = 0.5
_USUAL_ADVANCE: Final = (0.1, 2.2)
#: Smallest distance of the origin from the left side of the advance box in vertical writing, em, and tolerance of centring.
_VERTICAL_ORIGIN: Final = 0.2
_VERTICAL_ROUNDING: Final = 0.02
#: Smallest step down of the pen between two characters of vertical writing, em.
_VERTICAL_STEP: Final = 0.4
#: Largest distance, em, by which ink extends beyond the advance. If it is larger, the width belongs to another glyph.
_OVERHANG: Final = 0.3
#: Smallest step of the pen, em, and number of steps, from which an advance is estimated.
_MIN_STEP, _MIN_STEPS = 0.12, 2
#: Code unit for a hyphen at a line end in PDFium's text of a page.
_LINE_END_HYPHEN: Final = 0xFFFE
#: Code for such a hyphen if PDFium is called for the single character.
_MARKED_HYPHEN: Final = 2
_SUBSET: Final = re.compile(r"^[A-Z]{6}\+")
_BOLD: Final = re.compile(r"bold|black|heavy|demi|(?<![a-z])bd(?![a-z])|^cmb|^sfb|^ec?bx|-bx|bx\d", re.IGNORECASE)
_ITALIC: Final = re.compile(r"ital|obli|slanted|(?<![a-z])it$|^cm\w*ti\d|^cmmi|^cmsl|^sf(ti|sl)|^ec(ti|sl)", re.IGNORECASE)
_MONOSPACED: Final = re.compile(
    r"mono|courier|consol|typewriter|menlo|monaco|inconsolata|^cmtt|^cmsltt|^sftt|^ectt|fixed|terminal|(?<![a-z])tt\b", re.IGNORECASE
)
#: Weight from which a font is bold. PDFium gives 600 and more for plain Times.
_BOLD_WEIGHT: Final = 700
#: Ascent and descent, em, for a font whose own values are missing or outside of the ranges below.
_ASCENT, _DESCENT = 0.8, -0.2
_ASCENT_RANGE, _DESCENT_RANGE = (0.5, 1.2), (-0.5, -0.1)
#: Shear and rotation, relative to scale, up to which text counts as upright.
_UPRIGHT: Final = 1e-3
#: Slant from which a glyph's box overlaps the space after it; synthetic italics have 0.2 to 0.35.
_SLANT: Final = 0.05
#: Text rendering modes (Table 104) that paint nothing, and those that stroke.
_INVISIBLE_MODE, _CLIPPING_MODE = 3, 7
_STROKING_MODES: Final = (1, 2, 5, 6)


class Font(Struct, frozen=True):
    """Properties of a font as PDFium reads them."""

    name: str  # without subset prefix
    bold: bool
    italic: bool
    monospaced: bool
    ascent: float  # em; equal to `descent` if the font states neither
    descent: float  # em, negative below the baseline


def read_font(handle: int) -> Font:
    """Read name, style and metrics of a font from PDFium's handle, on each page again, because PDFium reuses the handles of freed fonts."""
    written = written_name(handle)
    name = _SUBSET.sub("", written)
    _ANGLE.value = _ASCENT_CELL.value = _DESCENT_CELL.value = 0
    calls.font_italic_angle(handle, _ANGLE_PLACE)
    calls.font_ascent(handle, 1.0, _ASCENT_PLACE)
    calls.font_descent(handle, 1.0, _DESCENT_PLACE)
    bold, italic, monospaced = _looks(name)
    drawn = strokes_of(handle, written) if calls.font_embedded(handle) else None
    return Font(
        name,
        bold
        or (calls.font_weight(handle) >= _BOLD_WEIGHT and _says_bold(handle))
        or (drawn is not None and drawn.stem >= STROKES.bold_stem),
        italic or bool(_ANGLE.value) or (drawn is not None and drawn.slant >= STROKES.italic_slant),
        monospaced,
        _ASCENT_CELL.value,
        _DESCENT_CELL.value,
    )


@lru_cache(maxsize=2_000)
def _looks(name: str) -> tuple[bool, bool, bool]:
    return bool(_BOLD.search(name)), bool(_ITALIC.search(name)), bool(_MONOSPACED.search(name))


def _says_bold(handle: int) -> bool:
    """Return whether the font descriptor has the flag ForceBold (§9.8.2)."""
    return bool(calls.font_flags(handle) & 1 << 18)


def font_name(handle: int) -> str:
    """Return the name of a font without its subset tag. handle: PDFium's handle of the font."""
    return _SUBSET.sub("", written_name(handle))


def written_name(handle: int) -> str:
    """Return the name of a font with its subset tag, as the file states it. handle: PDFium's handle of the font."""
    length = calls.font_base_name(handle, _NAME, len(_NAME))
    return ctypes.string_at(_NAME, max(min(length, len(_NAME)) - 1, 0)).decode("utf-8", "replace")


_NAME: Final = ctypes.create_string_buffer(512)
_ANGLE, _ASCENT_CELL, _DESCENT_CELL = ctypes.c_int(), ctypes.c_float(), ctypes.c_float()
_ANGLE_PLACE, _ASCENT_PLACE, _DESCENT_PLACE = (ctypes.addressof(cell) for cell in (_ANGLE, _ASCENT_CELL, _DESCENT_CELL))


def read_glyphs(text_page: int, space: PageSpace, limit: int, targets: Targets | None = None) -> tuple[Glyphs, list[int]]:
    """Return the characters that the content stream draws, in PDFium's order, and the handle of each run's text object.
    Characters that PDFium inserts are left out. targets: returns the texts of the right-to-left ligatures in the document's fonts.

    Raises:
        OverflowError: the page has more characters than `limit`.
    """
    count = calls.count_chars(text_page)
    if count > limit:
        raise OverflowError(f"the page has {count} characters; the limit is {limit}")
    if count <= 0:
        return empty_glyphs(), []
    unicode = _unicode(text_page, count)
    unicode[unicode == _LINE_END_HYPHEN] = ord("-")
    loose = bounded(
        of_parts(LOOSE_BOX, text_page, np.arange(count, dtype=np.int32), np.zeros((count, 4), np.float32))
    )  # FS_RECTF: left, top, right, bottom
    mask = np.empty(count, np.uint8)
    largest = _LOOPS.mark_drawn(unicode, loose, _join_surrogates(unicode).view(np.uint8), mask)
    has_rtl = bool(largest >= FIRST_RIGHT_TO_LEFT and rtl_mask(unicode).any())
    objects = char_objects(text_page, count)
    if has_rtl:
        mask[_lost_spaces(text_page, unicode, objects)] = 1
    reader = _Reader(text_page, space, mask, objects, unicode, loose)
    if not len(reader.drawn):
        return empty_glyphs(), []
    if has_rtl and reader.shares:
        order_ligatures(reader.joined, reader.loose, reader.unicode, targets)
    return reader.glyphs(), reader.handles


def empty_glyphs() -> Glyphs:
    none = np.zeros(0, np.float32)
    whole = np.zeros(0, np.int32)
    return Glyphs(
        np.zeros(0, np.uint32), none, none, none, none, none, none, np.zeros(0, np.int16), whole, whole, whole, np.zeros(0, np.uint8)
    )


def _unicode(text_page: int, count: int) -> NDArray[np.uint32]:
    """Return uint32[count], the code points of a text page, in one call if PDFium's text has one code unit per character."""
    units = np.zeros(count + 2, np.uint16)
    written = calls.get_text(text_page, 0, count, units.ctypes.data) - 1
    found = units[:count].astype(np.uint32)
    if written == count and found.min() and not _surrogates(found).any():
        marked = (found == _LINE_END_HYPHEN).nonzero()[0]  # or a character that the font maps to NUL
        found[[index for index in marked.tolist() if not calls.char_hyphen(text_page, index)]] = 0
        return found
    found = of_parts(CHAR_UNICODE, text_page, np.arange(count, dtype=np.int32), np.zeros(count, np.int32)).astype(np.uint32)
    marked = (found == _MARKED_HYPHEN).nonzero()[0]
    found[[index for index in marked.tolist() if calls.char_hyphen(text_page, index)]] = _LINE_END_HYPHEN
    return found


def _lost_spaces(text_page: int, unicode: NDArray[np.uint32], objects: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the indices of spaces drawn in right-to-left text, whose text object PDFium loses; they get that of the character before, in
    place."""
    spaces = ((unicode[1:] == 32) & (objects[1:] == 0)).nonzero()[0] + 1
    made = of_parts(CHAR_GENERATED, text_page, spaces, np.zeros(len(spaces), np.int32))
    lost: NDArray[np.intp] = spaces[made == 0]
    objects[lost] = objects[lost - 1]
    return lost


def _surrogates(units: NDArray[np.uint32]) -> NDArray[np.bool_]:
    halves: NDArray[np.bool_] = (units & 0xFFFFF800) == 0xD800 if units.max(initial=0) >= 0xD800 else np.zeros(len(units), np.bool_)
    return halves


def _join_surrogates(units: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Replace the first half of each surrogate pair by its code point, in place. Return bool[n]: which units are second or unpaired
    halves."""
    halves = _surrogates(units)
    if not halves.any():
        return halves
    first = (((units[:-1] & 0xFFFFFC00) == 0xD800) & ((units[1:] & 0xFFFFFC00) == 0xDC00)).nonzero()[0]
    units[first] = 0x10000 + ((units[first] & 0x3FF) << 10) + (units[first + 1] & 0x3FF)
    halves[first] = False
    return halves


class _Reader:
    """Reads the properties of the characters drawn on a page. drawn: the index of each in PDFium's text page."""

    def __init__(
        self,
        text_page: int,
        space: PageSpace,
        mask: NDArray[np.uint8],
        objects: NDArray[np.uint64],
        unicode: NDArray[np.uint32],
        loose: Floats,
    ) -> None:
        self.text_page, self.space = text_page, space
        n = len(mask)
        drawn, first, counts = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(2, np.int64)
        codes, boxes, run, joined = np.empty(n, np.uint32), np.empty((n, 4), np.float32), np.empty(n, np.int32), np.empty(n, np.bool_)
        self.shares = _LOOPS.take_drawn(
            mask, objects, unicode, loose, drawn, codes, boxes, run, first, joined.view(np.uint8), counts
        )  # whether some share one glyph
        m, runs = counts.tolist()
        self.drawn, self.unicode, self.loose, self.run, self.first = drawn[:m], codes[:m], boxes[:m], run[:m], first[:runs]
        self.joined = joined[:m]
        if not m:
            return
        owners = objects[self.drawn[self.first]]
        self.handles: list[int] = owners.tolist()
        self._read_runs(owners)
        self.sample, self.kind = _kinds(self.font, self.run, self.unicode, self.joined)

    def _read_runs(self, handles: NDArray[np.uint64]) -> None:
        rows = len(handles)
        fonts = of_objects(OBJECT_FONT, handles, np.zeros(rows, np.uint64))
        self.font_handles: list[int] = sorted(set(fonts.tolist()))
        self.font = np.searchsorted(np.array(self.font_handles, np.uint64), fonts)
        self.fonts = [read_font(handle) if handle else _NO_FONT for handle in self.font_handles]
        self.font_size = bounded(of_objects(OBJECT_SIZE, handles, np.zeros(rows, np.float32)))
        self.matrix = bounded(of_parts(CHAR_MATRIX, self.text_page, self.drawn[self.first], np.zeros((rows, 6), np.float32)))
        if self.font_size.min() < 0:  # a negative font size mirrors both axes of the glyphs (§9.4.4)
            self.matrix[self.font_size < 0, :4] *= -1
            self.font_size = np.abs(self.font_size)
        self.size = self.font_size * np.hypot(self.matrix[:, 2], self.matrix[:, 3])
        self.colors = of_objects(OBJECT_FILL, handles, black(rows))
        self.mode = of_objects(OBJECT_MODE, handles, np.zeros(rows, np.int32))
        if self.mode.any():
            self._color_by_stroke(np.isin(self.mode, _STROKING_MODES).nonzero()[0])
        self.content_id = _content_ids(handles)
        self.ascent = np.array([font.ascent for font in self.fonts], np.float32)[self.font]
        self.descent = np.array([font.descent for font in self.fonts], np.float32)[self.font]

    def _color_by_stroke(self, runs: NDArray[np.intp]) -> None:
        if len(runs):
            self.colors[runs] = of_objects(OBJECT_STROKE, np.array(self.handles, np.uint64)[runs], black(len(runs)))

    def glyphs(self) -> Glyphs:
        start, end, origin_x, origin_y, angle_of_run, flags = self._geometry()
        boxes, x, y = self._boxes(start, end, origin_x, origin_y, flags)
        angle = angle_of_run[self.run]
        if self.vertical is not None:
            angle[self.vertical] = (90 + self.space.rotation) % 360
        styles, style_of_run = self._styles()
        return Glyphs(
            self.unicode, boxes[0], boxes[1], boxes[2], boxes[3], x, y,
            angle, style_of_run[self.run], self.run, self.content_id[self.run], flags, styles,
        )  # fmt: skip

    def _geometry(self) -> tuple[Floats, Floats, Floats, Floats, NDArray[np.int16], NDArray[np.uint8]]:
        """Return the start and the end of each glyph's advance from its origin along the writing direction; the origin's x and y in user
        space; the angle of each run; and the flags of each glyph."""
        direction = self.matrix[:, :2].copy()
        direction[(direction[:, 0] == 0) & (direction[:, 1] == 0), 0] = 1.0
        upright = (np.abs(self.matrix[:, 1]) <= _UPRIGHT * np.abs(self.matrix[:, 0])) & (self.matrix[:, 0] > 0) & (self.matrix[:, 3] > 0)
        self.slanted = upright & (np.abs(self.matrix[:, 2]) > _SLANT * np.abs(self.matrix[:, 3]))
        if self.slanted.any():
            self._straighten(self.slanted[self.run].nonzero()[0])
            self.size = np.where(self.slanted, self.font_size * self.matrix[:, 3], self.size)
        hidden = (self.mode == _INVISIBLE_MODE) | (self.mode == _CLIPPING_MODE) | (self.colors[:, 3] == 0)
        flags = (hidden * GlyphFlag.INVISIBLE)[self.run] | self._untrusted()
        origin_x, origin_y, end = self._advance_boxes(upright)
        self._correct_sizes(end)
        self.vertical = self._vertical(upright)
        if self.shares:
            share_ligatures(self.joined, self.loose, self.unicode, origin_x, end)
        start = np.zeros_like(origin_x)
        self.tilted = (~upright[self.run]).nonzero()[0] if not upright.all() else _NONE_TILTED
        if len(self.tilted):
            self._ask_tilted(self.tilted, direction, origin_x, origin_y, start, end)
        if self.vertical is not None:
            origin_x[self.vertical] = (self.loose[self.vertical, 0] + self.loose[self.vertical, 2]) / 2
            origin_y[self.vertical] = self.loose[self.vertical, 1]
            flags[self.vertical] |= GlyphFlag.VERTICAL
        return start, end, origin_x, origin_y, self.space.angles(direction[:, 0], direction[:, 1]), flags

    def _straighten(self, members: NDArray[np.intp]) -> None:
        """Remove the slant from the boxes of the glyphs `members`, in place: PDFium's boxes contain the whole slanted parallelogram."""
        a, _, c, d, _, level = self.matrix[self.run[members]].T
        low, high = ((self.loose[members, side] - level) * c / d for side in (1, 3))
        self.loose[members, 0] -= np.minimum(low, high)
        self.loose[members, 2] -= np.maximum(low, high)

    def _ask_pen(self, members: NDArray[np.intp]) -> None:
        """Set the sides of slanted glyphs whose font states no widths to the pen positions before and after them, in place."""
        pen = bounded(of_parts(CHAR_ORIGIN, self.text_page, self.drawn[members], np.zeros((len(members), 2)))).astype(np.float32)
        order = np.lexsort((pen[:, 0], np.round(pen[:, 1], 1)))
        x, y, where = pen[order, 0], pen[order, 1], members[order]
        follows = np.empty(len(x), np.float32)
        follows[-1:] = np.inf
        np.copyto(follows[:-1], np.where(np.abs(np.diff(y)) < 1, x[1:], np.inf))
        near = follows - x < _MIN_STEP * self.size[self.run[where]]  # several characters of one glyph, marks
        for place in near[:-1].nonzero()[0][::-1].tolist():
            follows[place] = follows[place + 1]
        self.loose[where, 0] = x
        self.loose[where, 2] = np.where(follows > x, np.minimum(self.loose[where, 2], follows), self.loose[where, 2])

    def _advance_boxes(self, upright: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
        """Return, for each glyph, the origin's x and y, and the width of the advance if it is upright.
        PDFium's loose box is the union of advance and ink. The excess is measured on one glyph of each kind."""
        loose, run, sample = self.loose, self.run[self.sample], self.sample
        em = self.font_size * np.abs(self.matrix[:, 0])
        indices = self.drawn[sample]
        origin = bounded(of_parts(CHAR_ORIGIN, self.text_page, indices, np.zeros((len(sample), 2)))[:, 0]).astype(np.float32)
        ink_end = bounded(of_parts(CHAR_BOX, self.text_page, indices, np.zeros((len(sample), 4)))[:, 1]).astype(
            np.float32
        )  # left, right, bottom, top
        unit = np.where(em[run] > 0, em[run], np.float32(1.0))
        before = (origin - loose[sample, 0]) / unit
        reach = (loose[sample, 2] - origin) / unit
        # The font of an OCR layer does not draw the letters of its text, so PDFium's widths of these letters do not apply.
        sticks_out = (np.abs(loose[sample, 2] - ink_end) <= _ROUNDING * unit) & (self.mode[run] != _INVISIBLE_MODE)
        sticks_out |= self.slanted[run]
        advance = self._stated_widths(sample, sticks_out.nonzero()[0])
        true_width = sticks_out & (advance > 0) & (advance <= reach + _ROUNDING) & (reach - advance < _OVERHANG)
        advance = np.where(true_width, advance, reach)
        single = ~self._ambiguous()
        western = self.unicode[sample] < FIRST_RIGHT_TO_LEFT
        self._observed_widths((sticks_out & ~(true_width & single) & upright[run] & western).nonzero()[0], em, advance)
        usable = upright[run] & ~self.joined[sample] & (single | (sticks_out & western)) & (before > -_ROUNDING)
        if len(asked := (self.slanted[self.run] & ~usable[self.kind]).nonzero()[0]):
            self._ask_pen(asked)
        before, advance = np.where(usable, before, np.float32(0.0)), np.where(usable, advance, np.float32(-1.0))
        origin_x, origin_y, end = (np.empty(len(loose), np.float32) for _ in range(3))
        _LOOPS.set_advances(self.kind, self.run, loose, before, advance, em, self.matrix[:, 5].copy(), origin_x, origin_y, end)
        return origin_x, origin_y, end

    def _observed_widths(self, kinds: NDArray[np.intp], em: Floats, advance: Floats) -> None:
        """Estimate, in place, the advance of kinds of glyphs whose font states no width: the smallest step of the pen to the next glyph.
        em: font size of each run. advance: of each kind, em."""
        for kind in kinds.tolist():
            members = (self.kind[:-1] == kind).nonzero()[0]
            members = members[(self.run[members] == self.run[members + 1]) & (em[self.run[members]] > 0)]
            pairs = self.drawn[np.concatenate([members, members + 1])]
            pen = of_parts(CHAR_ORIGIN, self.text_page, pairs, np.zeros((len(pairs), 2)))[:, 0].reshape(2, -1)
            steps = (pen[1] - pen[0]) / em[self.run[members]]
            steps = steps[(steps > _MIN_STEP) & (steps <= advance[kind])]
            if len(steps) >= _MIN_STEPS:
                advance[kind] = steps.min()

    def _stated_widths(self, sample: NDArray[np.intp], wanted: NDArray[np.intp]) -> Floats:
        """Return the advance widths, em, that the font states for the kinds `wanted`, else 0. sample: int64[kinds], a glyph of each
        kind."""
        widths = np.zeros((len(sample), 1), np.float32)
        fonts = [self.font_handles[font] for font in self.font[self.run[sample[wanted]]].tolist()]
        places = (widths.ctypes.data + 4 * wanted).tolist()
        calls.exhaust(map(calls.font_glyph_width, fonts, self.unicode[sample[wanted]].tolist(), repeat(1.0), places))
        return widths[:, 0]

    def _vertical(self, upright: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Return bool[n], which glyphs are in vertical writing mode (§9.7.4.3); None if there are none. The pen is then at the middle of
        the boxes, or moves down."""
        loose, first = self.loose, self.first
        em = np.maximum(self.size, np.float32(1e-6))
        left, right = loose[first, 0], loose[first, 2]
        pen = self.matrix[:, 4]
        centred = (np.abs((left + right) / 2 - pen) < _VERTICAL_ROUNDING * em) & (pen - left > _VERTICAL_ORIGIN * em)
        candidates: NDArray[np.bool_] = upright & centred
        if not candidates.any() and not _LOOPS.falls_down(self.run, loose, _VERTICAL_STEP * em):
            return None
        inside = self.run[1:] == self.run[:-1]
        falls = inside & (loose[:-1, 3] - loose[1:, 3] > _VERTICAL_STEP * em[self.run[1:]])
        font, fonts = self.font, len(self.fonts)
        share = np.bincount(font, candidates, fonts) / np.maximum(np.bincount(font, minlength=fonts), 1)
        pairs = np.bincount(font[self.run[1:]], inside, fonts)
        falling = np.bincount(font[self.run[1:]], falls, fonts)
        vertical: NDArray[np.bool_] = ((share == 1.0) | ((pairs > 0) & (falling * 2 > pairs)))[font]
        found: NDArray[np.bool_] = np.logical_and(upright, vertical)[self.run]
        return found if found.any() else None

    def _correct_sizes(self, width: Floats) -> None:
        """Correct the font sizes of Type 3 fonts (§9.6.4) by the mean advance if it is implausible. width: advance of each glyph in user
        space."""
        font, sample = self.font, self.sample
        run = self.run[sample]
        ink = self.unicode[sample] != 32
        relative = width[sample] / np.maximum(self.size, np.float32(1e-6))[run]
        count = np.bincount(font[run], ink, len(self.fonts))
        ratio = np.bincount(font[run], relative * ink, len(self.fonts)) / np.maximum(count, 1)
        odd = ((ratio > _USUAL_ADVANCE[1]) | (ratio < _USUAL_ADVANCE[0])) & (count > 0)
        if odd.any():
            self.size = np.where(odd[font], np.maximum(self.size, np.float32(1e-6)) * (ratio[font] / _MEAN_ADVANCE), self.size).astype(
                np.float32
            )

    def _ambiguous(self) -> NDArray[np.bool_]:
        """Return bool[kinds]: which kinds have several widths, because several glyphs map to one character (Arabic, small capitals)."""
        em = np.maximum(self.font_size * np.abs(self.matrix[:, 0]), np.float32(1e-6))
        count, sums, squares = np.zeros((3, len(self.sample)))
        _LOOPS.spread_of_kinds(self.kind, self.run, self.loose, em, count, sums, squares)
        mean = sums / count
        return ~(squares / count - mean * mean < _ROUNDING**2)

    def _ask_tilted(
        self, tilted: NDArray[np.intp], direction: Floats, origin_x: Floats, origin_y: Floats, start: Floats, end: Floats
    ) -> None:
        """Set the origin and the advance of glyphs that are rotated, slanted, mirrored or without metrics, in place, by the font or else
        the ink.
        direction: writing direction of each run. origin_x, origin_y, start, end: of all glyphs, as `_geometry` returns them."""
        indices = self.drawn[tilted]
        origins = bounded(of_parts(CHAR_ORIGIN, self.text_page, indices, np.zeros((len(indices), 2))))
        origin_x[tilted], origin_y[tilted] = origins.astype(np.float32).T
        box = bounded(of_parts(CHAR_BOX, self.text_page, indices, np.zeros((len(indices), 4))))  # left, right, bottom, top
        runs = self.run[tilted]
        unit = direction / np.hypot(direction[:, 0], direction[:, 1])[:, None]
        ux, uy = unit[runs].T
        corners = [(box[:, i] - origins[:, 0]) * ux + (box[:, j] - origins[:, 1]) * uy for i in (0, 1) for j in (2, 3)]
        advances = self._advances(tilted, runs)
        start[tilted] = np.where(advances > 0, 0.0, np.minimum(np.minimum.reduce(corners), 0.0))
        end[tilted] = np.where(advances > 0, advances, np.maximum.reduce(corners))

    def _advances(self, glyphs: NDArray[np.intp], runs: NDArray[np.int32]) -> Floats:
        """Return the advance widths, in user space, that the metrics of the font state; 0 for fonts without metrics."""
        known: dict[tuple[int, int], float] = {}
        cell = np.zeros(1, np.float32)
        keys = list(zip(self.font[runs].tolist(), self.unicode[glyphs].tolist(), strict=True))
        for font, code in set(keys):
            cell[0] = 0.0
            if self.font_handles[font]:
                calls.font_glyph_width(self.font_handles[font], code, 1.0, cell.ctypes.data)
            known[font, code] = float(cell[0])
        em = np.hypot(self.matrix[:, 0], self.matrix[:, 1]) * self.font_size
        widths = [known[key] for key in keys]
        advances: Floats = np.array(widths, np.float32) * em[runs]
        return advances

    def _boxes(
        self, start: Floats, end: Floats, origin_x: Floats, origin_y: Floats, flags: NDArray[np.uint8]
    ) -> tuple[Floats, Floats, Floats]:
        """Return the boxes (float32[4, n]) and the origins (x, y) on the displayed page. Glyphs off the page get a flag in `flags`, in
        place."""
        ascent, descent = believed_metrics(self.ascent, self.descent)
        space, n = self.space, len(origin_x)
        up, down = ascent * self.size, descent * self.size
        boxes, x, y = np.empty((4, n), np.float32), np.empty(n, np.float32), np.empty(n, np.float32)
        odd = [places for places in (self.tilted, self.vertical) if places is not None and len(places)]
        off = np.uint8(0) if odd else GlyphFlag.OUTSIDE
        _LOOPS.place_glyphs(
            *(self.run, start, end, origin_x, origin_y, up, down),
            *(*space.box, space.rotation // 90, space.scale, *space.size, off, boxes, x, y, flags),
        )
        if len(self.tilted):
            boxes[:, self.tilted] = self._tilted_boxes(start, end, origin_x, origin_y, up, down).T
        if self.vertical is not None:
            loose = self.loose[self.vertical]
            boxes[:, self.vertical] = space.boxes(loose[:, 0], loose[:, 3], loose[:, 2], loose[:, 1]).T
        if odd:
            width, height = space.size
            outside = (boxes[2] <= 0) | (boxes[3] <= 0) | (boxes[0] >= width) | (boxes[1] >= height)
            flags |= outside * GlyphFlag.OUTSIDE
        return boxes, x, y

    def _tilted_boxes(self, start: Floats, end: Floats, origin_x: Floats, origin_y: Floats, up: Floats, down: Floats) -> Floats:
        """Return float32[tilted, 4]: bounding boxes on the displayed page of glyphs that are rotated, slanted or mirrored.
        start, end: along the baseline, from the origin. up, down: of each run, from the baseline. All in user space."""
        tilted = self.tilted
        which = self.run[tilted]
        unit = self.matrix[:, :2].copy()
        unit[~unit.any(axis=1)] = (1.0, 0.0)
        unit /= np.hypot(unit[:, 0], unit[:, 1])[:, None]
        flip = np.where(self.matrix[:, 0] * self.matrix[:, 3] - self.matrix[:, 1] * self.matrix[:, 2] < 0, -1.0, 1.0).astype(np.float32)
        ux, uy = unit[which].T
        corners = [(along[tilted], (across * flip)[which]) for along in (start, end) for across in (up, down)]
        xs = [origin_x[tilted] + ux * along - uy * across for along, across in corners]
        ys = [origin_y[tilted] + uy * along + ux * across for along, across in corners]
        return self.space.boxes(np.minimum.reduce(xs), np.minimum.reduce(ys), np.maximum.reduce(xs), np.maximum.reduce(ys))

    def _untrusted(self) -> NDArray[np.uint8]:
        """Return uint8[n] with the flag `UNTRUSTED` for characters without a Unicode value in PDFium."""
        errors = of_parts(MAP_ERROR, self.text_page, self.drawn[self.sample], np.zeros(len(self.sample), np.int32))
        flags: NDArray[np.uint8] = ((errors != 0) * GlyphFlag.UNTRUSTED)[self.kind]
        return flags

    def _styles(self) -> tuple[list[FontStyle], NDArray[np.int32]]:
        """Return the distinct font styles in order of first use, and the index of each run's style."""
        known: dict[FontStyle, int] = {}
        colors = self.colors[:, 0] << 16 | self.colors[:, 1] << 8 | self.colors[:, 2]
        sizes = np.round(self.size.astype(np.float64) * self.space.scale, 1)
        change = np.ones(len(sizes), np.bool_)  # most runs have the style of the one before
        np.not_equal(self.font[1:], self.font[:-1], out=change[1:])
        change[1:] |= (sizes[1:] != sizes[:-1]) | (colors[1:] != colors[:-1])
        numbers: dict[tuple[int, float, int], int] = {}
        index: list[int] = []
        for key in zip(self.font[change].tolist(), sizes[change].tolist(), colors[change].tolist(), strict=True):
            if (number := numbers.get(key)) is None:
                font = self.fonts[key[0]]
                style = FontStyle(font.name, key[1], font.bold, font.italic, font.monospaced, key[2])
                number = numbers[key] = known.setdefault(style, len(known))
            index.append(number)
        return list(known), np.array(index, np.int32)[np.cumsum(change) - 1]


def _content_ids(handles: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return the marked-content id of each of these text objects, -1 for none. A sample is read first, because many pages have none."""
    sample = handles[::_STRIDE]
    if (of_objects(OBJECT_CONTENT_ID, sample, np.zeros(len(sample), np.int32)) < 0).all():
        return np.full(len(handles), -1, np.int32)
    return of_objects(OBJECT_CONTENT_ID, handles, np.zeros(len(handles), np.int32))


def _kinds(
    font: NDArray[np.int64], run: NDArray[np.int32], unicode: NDArray[np.uint32], joined: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the index of one glyph of each kind, and the kind of each glyph. Glyphs of one kind have the same font and character, and all
    or none are part of a ligature. font: index of the font of each text object. run: index of the text object of each glyph. joined: which
    glyphs are part of a ligature."""
    of_code = np.zeros(int(unicode.max()) + 1, np.int32)
    characters = _LOOPS.number_characters(unicode, of_code)
    table = np.zeros((int(font.max()) + 1) * characters * 2, np.int32)
    sample, kind = np.empty(len(run), np.int64), np.empty(len(run), np.int64)
    kinds = _LOOPS.number_kinds(font, run, unicode, joined.view(np.uint8), of_code, characters, table, sample, kind)
    return sample[:kinds], kind


_NONE_TILTED: Final = np.zeros(0, np.intp)
_NO_FONT: Final = Font("", False, False, False, 0.0, 0.0)


def believed_metrics(ascent: Floats, descent: Floats) -> tuple[Floats, Floats]:
    """Return ascent and descent, em: those of the font if they are plausible, else usual values."""
    good = (ascent >= _ASCENT_RANGE[0]) & (ascent <= _ASCENT_RANGE[1]) & (descent >= _DESCENT_RANGE[0]) & (descent <= _DESCENT_RANGE[1])
    return np.where(good, ascent, np.float32(_ASCENT)), np.where(good, descent, np.float32(_DESCENT))
