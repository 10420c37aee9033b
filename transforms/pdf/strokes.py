"""How heavy and how slanted is a font as it is drawn? Measured on the outlines of a few of its letters.

Names and font descriptors lie about weight, or say nothing: NimbusRomNo9L-Medi, AdvTT....B and LinBiolinumTB are bold, PDFium gives
plain Times a weight of 600. The outlines are what a reader sees. A row across a letter like n meets its stems; their median width
over some letters is the font's stem, and how far they move from row to row its slant.
"""

from __future__ import annotations

import ctypes
import zlib
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.pdf import calls

Floats = NDArray[np.float64]
#: Kind, x and y of each segment of an outline, em.
Segments = tuple[tuple[int, float, float], ...]


class Strokes(NamedTuple):
    """stem: width of the letters' stems, em. slant: how far they lean, as tangent of the angle. letters: how many were measured."""

    stem: float
    slant: float
    letters: int


@dataclass(frozen=True, slots=True)
class StrokeSettings:
    """What is measured, and what it means."""

    letters: int = 8  # measured at most; the median of their stems does not change with more
    fewest: int = 2  # letters that make a font's measure; one may be a symbol
    rows: tuple[float, ...] = (0.28, 0.4, 0.62)  # share of a letter's height; between serifs, arches and bars
    steps: int = 4  # straight pieces of a curve: the error is under a hundredth of the stem
    widest: float = 0.3  # em; wider runs are bars or bowls cut lengthwise, not stems
    bold_stem: float = 0.105  # em; of 300 fonts of real documents the plain ones have .03 to .1, the bold ones .107 to .19
    italic_slant: float = 0.12  # italics lean .15 to .35, upright letters under .1 (MS Mincho)
    checked_bytes: int = 262_144  # length of a font program up to which its checksum is taken, .1 ms; larger ones are known by length
    known_fonts: int = 4096  # measures kept by a process, 200 bytes each


DEFAULTS: Final = StrokeSettings()

#: Letters with upright stems, of scripts one after the other; the first script that the font has is measured.
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
#: Scripts among them whose upright letters have straight stems: what leans there is an italic.
_STRAIGHT: Final = 3
#: Letters whose widths tell two encodings of one font program apart.
_PROBES: Final = "no"
_LINE, _CURVE, _MOVE = 0, 1, 2
_X, _Y = ctypes.c_float(), ctypes.c_float()
_X_PLACE, _Y_PLACE = ctypes.addressof(_X), ctypes.addressof(_Y)
_LENGTH: Final = ctypes.c_size_t()
_LENGTH_PLACE: Final = ctypes.addressof(_LENGTH)
_KNOWN: Final[OrderedDict[tuple[str, int, int, tuple[float, ...]], Strokes | None]] = OrderedDict()


@cache
def _curve_weights(steps: int) -> Floats:
    """Weights of the four points of a cubic curve at equal steps, without its start."""
    t = np.arange(1, steps + 1) / steps
    return np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1)


def strokes_of(font: int, name: str, settings: StrokeSettings = DEFAULTS) -> Strokes | None:
    """As `measure_strokes`, once for each font program. name: with its subset prefix.

    PDFium frees fonts with their pages and gives the handle to others: a font is known by its name, its program and some of its
    widths, so that every range of pages finds the same.
    """
    key = (name, *_program(font, settings), tuple(_width(font, letter) for letter in _PROBES))
    if key in _KNOWN:
        _KNOWN.move_to_end(key)
        return _KNOWN[key]
    found = _KNOWN[key] = measure_strokes(font, settings)
    if len(_KNOWN) > settings.known_fonts:
        _KNOWN.popitem(last=False)
    return found


def _program(font: int, settings: StrokeSettings) -> tuple[int, int]:
    """Length and checksum of a font's program; 0 for the checksum of a large one."""
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
    """Stem and slant of a font of PDFium; None where it draws too few of the letters by outlines (Type 3, symbols)."""
    for number, script in enumerate(_SCRIPTS):
        found = _measure_letters(font, script, settings)
        if found is not None:
            return found if number < _STRAIGHT else found._replace(slant=0.0)
    return None


def _measure_letters(font: int, script: str, settings: StrokeSettings) -> Strokes | None:
    """The measure by the letters of a script that the font has; None where it has too few.

    An outline that several letters have is the one drawn for all that are missing.
    """
    drawn = Counter(_segments(font, ord(letter)) for letter in script)
    letters = [_letter(_edges(segments, settings.steps), settings) for segments, times in drawn.items() if segments and times == 1]
    letters = [letter for letter in letters if letter[0]][: settings.letters]
    if len(letters) < settings.fewest:
        return None
    slants = [slant for _, slants in letters for slant in slants]
    return Strokes(
        float(np.median([stem for stems, _ in letters for stem in stems])), float(np.median(slants)) if slants else 0.0, len(letters)
    )


def _segments(font: int, code: int) -> Segments:
    """Kind and point of each segment of the outline that a font draws for a code point, em; () for none."""
    path = calls.font_glyph_path(font, code, 1.0)
    count = calls.glyph_count_segments(path) if path else 0
    return tuple(_segment(path, index) for index in range(count))


def _segment(path: int, index: int) -> tuple[int, float, float]:
    segment = calls.glyph_segment(path, index)
    calls.segment_point(segment, _X_PLACE, _Y_PLACE)
    return calls.segment_type(segment), _X.value, _Y.value


def _edges(segments: Segments, steps: int) -> Floats:
    """float64[n, 4]: the outline as straight edges from (x, y) to (x, y), every contour closed."""
    edges: list[Floats] = [_closed(contour) for contour in _contours(segments, steps) if len(contour) > 1]
    return np.concatenate(edges) if edges else np.zeros((0, 4))


def _closed(contour: list[tuple[float, float]]) -> Floats:
    points = np.array(contour)
    return np.concatenate([points, np.roll(points, -1, axis=0)], axis=1)


def _contours(segments: Segments, steps: int) -> Iterator[list[tuple[float, float]]]:
    """The points of each contour; curves come as three points each."""
    contour: list[tuple[float, float]] = []
    bend: list[tuple[float, float]] = []
    for kind, x, y in segments:
        if kind == _MOVE:
            yield contour
            contour = [(x, y)]
        elif kind == _CURVE and contour:
            bend.append((x, y))
            if len(bend) == 3:
                contour.extend(map(tuple, (_curve_weights(steps) @ np.array([contour[-1], *bend])).tolist()))
                bend = []
        elif contour:
            contour.append((x, y))
    yield contour


def _letter(edges: Floats, settings: StrokeSettings) -> tuple[list[float], list[float]]:
    """Widths of the stems that rows across a letter meet, and how far each moves from the lowest row to the highest."""
    if not len(edges):
        return [], []
    low, high = edges[:, 1].min(), edges[:, 1].max()
    heights = [low + share * (high - low) for share in settings.rows]
    rows = [_runs(edges, height) for height in heights]
    widths = [end - start for row in rows for start, end in row if end - start <= settings.widest]
    first, last, rise = rows[0], rows[-1], heights[-1] - heights[0]
    same = len(first) == len(last) and rise > 0
    return widths, [(b[0] - a[0]) / rise for a, b in zip(first, last, strict=True)] if same else []


def _runs(edges: Floats, height: float) -> list[tuple[float, float]]:
    """From where to where a row is inside the outline, by the nonzero winding rule (ISO 32000-2 §8.5.3.3.2)."""
    x0, y0, x1, y1 = edges[((edges[:, 1] <= height) != (edges[:, 3] <= height)).nonzero()[0]].T
    x = x0 + (height - y0) / (y1 - y0) * (x1 - x0)
    order = np.argsort(x, kind="stable")
    winding = np.cumsum(np.where(y1 > y0, 1, -1)[order])
    runs: list[tuple[float, float]] = []
    start, inside = 0.0, False
    for place, wound in zip(x[order].tolist(), winding.tolist(), strict=True):
        if wound and not inside:
            start, inside = place, True
        elif not wound and inside:
            runs.append((start, place))
            inside = False
    return runs
