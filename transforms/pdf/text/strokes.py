"""Measure the weight and slant of a font on the outlines of a few of its letters.

Names and font descriptors often say nothing or something wrong about the weight: NimbusRomNo9L-Medi, AdvTT....B and LinBiolinumTB are bold,
and PDFium gives plain Times a weight of 600. A horizontal line across a letter such as n crosses its stems. The median of their widths is
the stem width of the font, and their shift from lower to upper lines is its slant.
"""

from __future__ import annotations

import ctypes
import zlib
from collections import Counter, OrderedDict
from functools import cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.statistics import median
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.pdfium_api import GLYPH_SEGMENT, SEGMENT_POINT, SEGMENT_TYPE, of_objects, of_parts

Floats = NDArray[np.float64]


class Outlines(NamedTuple):
    """Outlines of some letters, as n segments: index of the letter, PDFium's segment type, end point in em. A curve is three segments."""

    letters: int  # number of letters
    letter: NDArray[np.int64]  # int64[n], index of the letter
    kind: NDArray[np.int32]  # int32[n], PDFium's segment type
    place: NDArray[np.float32]  # float32[n, 2], end point of the segment, em; a curve has three points

    def first(self, letters: int) -> Outlines:
        """Return only the outlines of the first `letters` letters."""
        ends = (self.letter[1:] != self.letter[:-1]).nonzero()[0] + 1
        end = int(ends[letters - 1]) if len(ends) >= letters else len(self.letter)
        return Outlines(min(letters, self.letters), self.letter[:end], self.kind[:end], self.place[:end])


class Edges(NamedTuple):
    """Outlines as n straight edges, from `start` to `end` (x, y; em), with every contour closed, sorted by the letter's index."""

    letter: NDArray[np.int64]  # int64[n], index of the letter
    start: Floats  # float64[n, 2], em
    end: Floats  # float64[n, 2], em


class Strokes(NamedTuple):
    """The measured weight and slant of a font. stem: width of its stems, em. slant: tangent of their slant. letters: number of letters
    used."""

    stem: float  # width of the letters' stems, em
    slant: float  # tangent of the angle from the vertical
    letters: int  # number of letters measured


class StrokeSettings(Struct, frozen=True):
    """Thresholds for measuring strokes."""

    letters: int = 8  # letters measured of a font at most; the median of their stems does not change with more
    fewest: int = 2  # letters that must be measurable; a single one may be a symbol
    rows: tuple[float, ...] = (0.28, 0.4, 0.62)  # share of a letter's height at which stems are measured: between serifs, arches and bars
    steps: int = 4  # straight edges for each curve: the error is below a hundredth of the stem
    widest: float = 0.3  # em; wider crossings are horizontal bars or bowls, not stems
    bold_stem: float = 0.105  # em; of 300 fonts of real documents plain ones have .03 to .1, bold ones .107 to .19
    italic_slant: float = 0.12  # tangent; italics have .15 to .35, upright letters below .1 (MS Mincho)
    checked_bytes: int = 262_144  # bytes of a font program up to which a checksum is computed, .1 ms; larger ones are identified by length
    known_fonts: int = 4096  # measured fonts that a process keeps, 200 bytes each


DEFAULTS: Final = StrokeSettings()

_NO_OUTLINES: Final = Outlines(0, np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros((0, 2), np.float32))
#: Letters with upright stems, by script. The first script that the font has is measured.
_SCRIPTS: Final = (
    "nhlimurdHIpbEFLT",
    "нпитшгНПИЕРТ",
    "ιηπΗΠΙκ",
    "הוחןתם",
    "لاةدنم",
    "一的是不了人在有国中",
    "のはにをとし",
    "이다의에가는을",
)
#: Number of scripts at the beginning of `_SCRIPTS` whose upright letters have straight stems, so that a slant means italic.
_STRAIGHT: Final = 3
#: Letters whose widths distinguish two encodings of one font program.
_PROBES: Final = "no"
_CURVE, _MOVE = 1, 2
#: Points of a curve after its start point.
_CURVE_POINTS: Final = 3
_X: Final = ctypes.c_float()
_X_PLACE: Final = ctypes.addressof(_X)
_LENGTH: Final = ctypes.c_size_t()
_LENGTH_PLACE: Final = ctypes.addressof(_LENGTH)
_KNOWN: Final[OrderedDict[tuple[str, int, int, tuple[float, ...]], Strokes | None]] = OrderedDict()


@cache
def _curve_weights(steps: int) -> Floats:
    """Return float64[steps, 4]: the Bernstein weights of the four points of a cubic Bézier curve at equal steps, without its start."""
    t = np.arange(1, steps + 1) / steps
    return np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1)


def strokes_of(font: int, name: str, settings: StrokeSettings = DEFAULTS) -> Strokes | None:
    """Return the weight and slant of a font, from a cache if the same font program was measured before; None if they cannot be measured.
    font: PDFium's handle. name: font name with subset tag. PDFium frees fonts with their pages and reuses their handles. Fonts are
    therefore identified by name, program and the widths of some letters."""
    key = (name, *_program(font, settings), tuple(_width(font, letter) for letter in _PROBES))
    if key in _KNOWN:
        _KNOWN.move_to_end(key)
        return _KNOWN[key]
    found = _KNOWN[key] = measure_strokes(font, settings)
    if len(_KNOWN) > settings.known_fonts:
        _KNOWN.popitem(last=False)
    return found


def _program(font: int, settings: StrokeSettings) -> tuple[int, int]:
    """Return the length in bytes and a checksum of a font program; the checksum of a large program is 0. font: PDFium's handle."""
    _LENGTH.value = 0
    calls.font_data(font, None, 0, _LENGTH_PLACE)
    length = _LENGTH.value
    if not 0 < length <= settings.checked_bytes:
        return length, 0
    data = np.empty(length, np.uint8)
    calls.font_data(font, data.ctypes.data, length, _LENGTH_PLACE)
    return length, zlib.crc32(data.data)


def _width(font: int, letter: str) -> float:
    _X.value = 0.0
    calls.font_glyph_width(font, ord(letter), 1.0, _X_PLACE)
    return _X.value


def measure_strokes(font: int, settings: StrokeSettings = DEFAULTS) -> Strokes | None:
    """Return the weight and slant of a font; None if it has outlines of too few known letters (Type 3, symbols). font: PDFium's handle."""
    for number, script in enumerate(_SCRIPTS):
        found = _measure_letters(font, script, settings)
        if found is not None:
            return found if number < _STRAIGHT else found._replace(slant=0.0)
    return None


def _measure_letters(font: int, script: str, settings: StrokeSettings) -> Strokes | None:
    """Measure a font by letters of one script, given as `script`; None if the font has too few of them. font: PDFium's handle."""
    outlines = _outlines(font, script)
    if outlines.letters < settings.fewest:
        return None  # most fonts lack most scripts
    stems, slants = _measure_rows(_edges(outlines.first(settings.letters), settings.steps), settings)
    if len(stems) < settings.letters < outlines.letters:  # some letters have no stems, so all letters are measured
        stems, slants = _measure_rows(_edges(outlines, settings.steps), settings)
    wanted = sorted(stems)[: settings.letters]
    if len(wanted) < settings.fewest:
        return None
    leaning = [slant for letter in wanted for slant in slants.get(letter, ())]
    return Strokes(median(stem for letter in wanted for stem in stems[letter]), median(leaning) if leaning else 0.0, len(wanted))


def _outlines(font: int, letters: str) -> Outlines:
    """Return the outlines of letters in a font. An outline that several letters share is that of missing glyphs and is left out. font:
    PDFium's handle."""
    paths = [calls.font_glyph_path(font, ord(letter), 1.0) for letter in letters]
    ends = list(accumulate((max(calls.glyph_count_segments(path), 0) if path else 0 for path in paths), initial=0))
    if not ends[-1]:
        return _NO_OUTLINES
    handles = np.zeros(ends[-1], np.uint64)
    for path, (first, last) in zip(paths, pairwise(ends), strict=True):
        of_parts(GLYPH_SEGMENT, path or 0, np.arange(last - first, dtype=np.int32), handles[first:last])
    kinds = of_objects(SEGMENT_TYPE, handles, np.zeros(len(handles), np.int32))
    places = of_objects(SEGMENT_POINT, handles, np.zeros((len(handles), 2), np.float32))
    drawn = [(kinds[first:last], places[first:last]) for first, last in pairwise(ends)]
    marks = [_bytes(*segments) for segments in drawn]
    often = Counter(marks)
    own = [(n, kind, place) for n, (mark, (kind, place)) in enumerate(zip(marks, drawn, strict=True)) if mark and often[mark] == 1]
    if not own:
        return _NO_OUTLINES
    return Outlines(
        len(own),
        np.repeat([n for n, _, _ in own], [len(kind) for _, kind, _ in own]).astype(np.int64),
        np.concatenate([kind for _, kind, _ in own]),
        np.concatenate([place for _, _, place in own]),
    )


def _bytes(kind: NDArray[np.int32], place: NDArray[np.float32]) -> bytes:
    return kind.tobytes() + place.tobytes()


def _edges(outlines: Outlines, steps: int) -> Edges:
    """Return the outlines as straight edges; each curve is divided into `steps` edges."""
    letter, kind, place = outlines.letter, outlines.kind, outlines.place.astype(np.float64)
    number = np.arange(len(kind))
    straight = np.maximum.accumulate(np.where(kind != _CURVE, number, 0))
    in_curve = np.where(kind == _CURVE, (number - straight - 1) % _CURVE_POINTS, -1)
    first = (in_curve == 0).nonzero()[0]
    whole = first + _CURVE_POINTS <= len(kind)
    first = first[whole & (kind[np.minimum(first + _CURVE_POINTS, len(kind)) - 1] == _CURVE) & (first > 0)]
    points = np.where(kind != _CURVE, 1, 0)
    points[first] = steps
    ends = points.cumsum()
    at = np.repeat(place, points, axis=0)
    bends = (ends[first] - steps)[:, None] + np.arange(steps)
    at[bends] = _curve_weights(steps) @ place[(first - 1)[:, None] + np.arange(_CURVE_POINTS + 1)]
    contour = np.repeat((kind == _MOVE).cumsum(), points)
    begins = np.concatenate(([True], contour[1:] != contour[:-1])).nonzero()[0] if len(contour) else number
    counts = np.diff(np.append(begins, len(contour)))
    following = np.arange(1, len(contour) + 1)
    following[begins + counts - 1] = begins
    drawn = np.repeat(counts > 1, counts)
    return Edges(np.repeat(letter, points)[drawn], at[drawn], at[following][drawn])


def _measure_rows(edges: Edges, settings: StrokeSettings) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Return two dictionaries by letter: the widths of the stems that horizontal lines cross, and the slant of each stem from the lowest
    line to the highest. Letters without stems are left out."""
    if not len(edges.letter):
        return {}, {}
    begins = np.concatenate(([True], edges.letter[1:] != edges.letter[:-1])).nonzero()[0]
    low, high = np.minimum.reduceat(edges.start[:, 1], begins), np.maximum.reduceat(edges.start[:, 1], begins)
    heights = low[:, None] + np.array(settings.rows) * (high - low)[:, None]
    own = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(edges.letter))))
    rows, starts, ends = _runs(edges, heights[own])
    of, row = np.divmod(rows, len(settings.rows))
    stems: dict[int, list[float]] = {}
    for n in (ends - starts <= settings.widest).nonzero()[0].tolist():
        stems.setdefault(int(edges.letter[begins[of[n]]]), []).append(float(ends[n] - starts[n]))
    slants: dict[int, list[float]] = {}
    for n in range(len(begins)):
        lowest, highest = starts[(of == n) & (row == 0)], starts[(of == n) & (row == len(settings.rows) - 1)]
        rise = heights[n, -1] - heights[n, 0]
        if len(lowest) == len(highest) and rise > 0:
            slants[int(edges.letter[begins[n]])] = ((highest - lowest) / rise).tolist()
    return stems, slants


def _runs(edges: Edges, heights: Floats) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the parts of horizontal lines that are inside the outlines, by the nonzero winding rule (ISO 32000-2 §8.5.3.3.2), as three
    arrays: index, start x, end x. An index is the letter's index times the number of lines, plus the line's. heights: float64[n, lines],
    for each edge the heights of the lines across its letter."""
    (x0, y0), (x1, y1) = edges.start.T, edges.end.T
    edge, row = ((y0[:, None] <= heights) != (y1[:, None] <= heights)).nonzero()
    begun = np.concatenate(([False], edges.letter[1:] != edges.letter[:-1])).cumsum()
    number = begun[edge] * heights.shape[1] + row
    x0, y0, x1, y1 = x0[edge], y0[edge], x1[edge], y1[edge]
    x = x0 + (heights[edge, row] - y0) / (y1 - y0) * (x1 - x0)
    order = np.lexsort((x, number))
    inside = np.where(y1 > y0, 1, -1)[order].cumsum() != 0  # contours are closed, so each line across a letter ends outside
    entered = inside & ~np.concatenate(([False], inside[:-1]))
    left = ~inside & np.concatenate(([False], inside[:-1]))
    return number[order][entered], x[order][entered], x[order][left]
