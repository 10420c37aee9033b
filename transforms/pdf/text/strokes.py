"""Measure the weight and slant of a font on the outlines of a few of its letters, because names and descriptors are often wrong.
Horizontal lines across a letter such as n cross its stems. The median width is the stem width of the font, their shift its slant."""

from __future__ import annotations

import ctypes
from collections import Counter, OrderedDict
from functools import cache
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
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

_LOOPS: Final[Any] = fastest("pdfmill.transforms.pdf.text.glyph_loops")

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


def strokes_of(font: int, name: str) -> Strokes | None:
    """Return the weight and slant of a font, cached by name, program and the widths of some letters; None if they cannot be measured.
    font: PDFium's handle, which it reuses. name: font name with subset tag."""
    key = (name, *_program(font), tuple(_width(font, letter) for letter in _PROBES))
    if key in _KNOWN:
        _KNOWN.move_to_end(key)
        return _KNOWN[key]
    found = _KNOWN[key] = measure_strokes(font)
    if len(_KNOWN) > DEFAULTS.known_fonts:
        _KNOWN.popitem(last=False)
    return found


def _program(font: int) -> tuple[int, int]:
    """Return the length in bytes and a checksum of a font program; the checksum of a large program is 0."""
    _LENGTH.value = 0
    calls.font_data(font, None, 0, _LENGTH_PLACE)
    length = _LENGTH.value
    if not 0 < length <= DEFAULTS.checked_bytes:
        return length, 0
    data = np.zeros(length // 8 + 1, np.uint64)
    calls.font_data(font, data.ctypes.data, length, _LENGTH_PLACE)
    return length, int(np.add.reduce(data))


def _width(font: int, letter: str) -> float:
    _X.value = 0.0
    calls.font_glyph_width(font, ord(letter), 1.0, _X_PLACE)
    return _X.value


def measure_strokes(font: int) -> Strokes | None:
    """Return the weight and slant of a font; None if it has outlines of too few known letters (Type 3, symbols). font: PDFium's handle."""
    for number, script in enumerate(_SCRIPTS):
        found = _measure_letters(font, script)
        if found is not None:
            return found if number < _STRAIGHT else found._replace(slant=0.0)
    return None


def _measure_letters(font: int, script: str) -> Strokes | None:
    outlines = _outlines(font, script)
    if outlines.letters < DEFAULTS.fewest:
        return None  # most fonts lack most scripts
    stems, slants = _measure_rows(outlines.first(DEFAULTS.letters))
    if len(stems) < DEFAULTS.letters < outlines.letters:  # some letters have no stems, so all letters are measured
        stems, slants = _measure_rows(outlines)
    wanted = sorted(stems)[: DEFAULTS.letters]
    if len(wanted) < DEFAULTS.fewest:
        return None
    leaning = [slant for letter in wanted for slant in slants.get(letter, ())]
    return Strokes(median(stem for letter in wanted for stem in stems[letter]), median(leaning) if leaning else 0.0, len(wanted))


def _outlines(font: int, letters: str) -> Outlines:
    """Return the outlines of letters in a font, without the outline of missing glyphs, which several letters share."""
    paths = [calls.font_glyph_path(font, ord(letter), 1.0) for letter in letters]
    ends = list(accumulate((max(calls.glyph_count_segments(path), 0) if path else 0 for path in paths), initial=0))
    if not ends[-1]:
        return _NO_OUTLINES
    handles = np.zeros(ends[-1], np.uint64)
    numbers = np.arange(ends[-1], dtype=np.int32)
    for path, (first, last) in zip(paths, pairwise(ends), strict=True):
        if path and last > first:
            of_parts(GLYPH_SEGMENT, path, numbers[: last - first], handles[first:last])
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


def _measure_rows(outlines: Outlines) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Return two dictionaries by letter: the widths of the stems that horizontal lines cross, and the slant of each stem."""
    weights, rows = _curve_weights(DEFAULTS.steps), np.array(DEFAULTS.rows)
    most, last = len(outlines.kind) * DEFAULTS.steps, len(rows) - 1
    runs = np.empty((most * len(rows), 5))
    count = _LOOPS.cross_letters(
        *(outlines.letter, outlines.kind, outlines.place, weights, rows),
        *(np.empty((most, 2)), np.empty(most, np.int64), np.empty(most), np.empty(most, np.int64), runs),
    )
    stems: dict[int, list[float]] = {}
    slants: dict[int, list[float]] = {}
    for letter, crossed in groupby(runs[:count].tolist(), key=itemgetter(0)):
        parts = list(crossed)
        if stem := [end - start for _, _, start, end, _ in parts if end - start <= DEFAULTS.widest]:
            stems[letter] = stem
        lowest, highest = ([start for _, row, start, _, _ in parts if row == wanted] for wanted in (0, last))
        rise = (DEFAULTS.rows[-1] - DEFAULTS.rows[0]) * parts[0][4]
        if len(lowest) == len(highest) and rise > 0:
            slants[letter] = [(high - low) / rise for low, high in zip(lowest, highest, strict=True)]
    return stems, slants
