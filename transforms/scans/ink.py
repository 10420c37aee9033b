"""Measure the appearance of words in an image: heights, stem widths, slant, and gaps between letters.
OCR gives the letters, so that a word's height gives its type size: "once" has the x-height, "Hall" the height of capitals. The stem width
is the median width of dark runs along rows, and the slant is the shear that makes stems upright. `ink_looks` decides styles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.transforms.scans.recognizers import Picture, Word

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class InkSettings(Struct, frozen=True):
    """Settings for measuring the ink of words. The comment of each field gives its meaning and unit."""

    around: int = 2  # pixels of margin around the words of a line in the line's image
    #: Pixels, side of the squares whose lighter part gives the local tone of paper, so that shadows and stains count as paper.
    paper: int = 64
    paper_step: int = 4  # step at which pixels of a square are sampled
    paper_share: float = 0.75  # share of a square's pixels darker than the tone taken as paper: text covers less than a quarter
    darkest: float = 0.99  # quantile of a line's darker pixels that is taken as full ink
    edge: float = 0.5  # share of full ink at which the edge of a letter lies
    #: Smallest and largest height above the baseline, x-heights, at which stems are measured: few bars are there.
    zone: tuple[float, float] = (0.2, 0.75)
    blur: int = 1  # pixels on each side of a run whose partial ink is part of the run
    widest: float = 0.75  # x-heights; longer runs are horizontal bars or bowls
    shears: tuple[float, ...] = (-0.04, 0.0, 0.04, 0.15, 0.19, 0.23, 0.27, 0.32)  # tangents of the slants that are tried
    upright: float = 0.05  # tangent up to which letters are upright
    italic: float = 0.14  # tangent from which letters are italic
    usual_x: float = 0.68  # x-height in capital heights, for lines in which it cannot be measured
    contrast: float = 0.15  # share of white; fainter words are not measured
    body: tuple[float, float] = (0.05, 0.4)  # smallest and largest height above the baseline, em: every word has ink in these rows
    hole: float = 0.12  # em, largest gap between a letter and its dot or accent
    beyond: float = 0.2  # em by which ink may extend above and below the font's box


DEFAULTS: Final = InkSettings()
_WHITE: Final = 255.0
#: Grey values around the most frequent one that count as paper, and share of a text page that is paper.
_PAPER_TONES: Final = 30
_PAPER_SHARE: Final = 0.6
#: Letters of x-height, of capital height, and with ascenders, which may exceed capitals. Others (t, i, accented letters) have no definite
#: height.
_SMALL: Final = frozenset("acemnorsuvwxzgpqyавгджзиклмнопстхцчшщъыьэюяеαγεικμνοπσςτυωη")
_CAPITALS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЬЭЮЯ")
_ASCENDERS: Final = frozenset("bdfhkl")
#: Approximate heights, in capital heights, of letters and signs that differ between typefaces.
_ROUGH: Final = {"t": 0.9, "i": 1.0, "j": 1.0} | dict.fromkeys("()[]{}|/\\", 1.05) | dict.fromkeys("'\"“”‘’!?&%$#@", 1.0)
#: Letters and signs of `_ROUGH` that are not higher than capitals.
_NO_HIGHER: Final = frozenset("tij'\"“”‘’!?&%")
#: Signs that are not higher than small letters and may be in any word.
_LOW: Final = frozenset("-.,:;…–—~=+<>«»_")
#: Letters and signs that extend below the baseline.
_BELOW: Final = frozenset("gjpqyQ,;()[]{}|/\\$@_§µçÇşŞţŢрфцщуДЦЩβγζημξρφχψ")


class Ink(NamedTuple):
    """Measurements of the words of a page, in pixels: one per word, but `baselines` (y from the top of the image) one per line. heights: of
    the letters above the baseline. runs: numbers of stems measured. slants: above 0 if the letters look more italic than upright. gaps:
    mean gaps between letters."""

    baselines: Floats  # float32[lines]
    #: float32[words, 4], above the baseline: of words of small letters, of words with capitals, of words with ascenders, and an estimated
    #: capital height for words of other letters; nan if a word has none.
    heights: Floats
    stems: Floats  # float32[words], stem widths, nan if none
    runs: Floats  # float32[words], number of stems measured
    slants: Floats  # float32[words], log of how much better the letters align in columns when sheared as italics than upright
    gaps: Floats  # float32[words], mean gap between neighbouring letters, 0 for touching ones; nan for a word of one letter


class _Letters(NamedTuple):
    """The kinds of letters in a word, by which its height is the x-height, or that of capitals or ascenders. rough: estimated ratio to the
    height of capitals, 0 if unknown. level: the word has no descenders."""

    small: bool  # it has letters of x-height only
    capital: bool  # it has letters of capital height
    ascender: bool  # it has letters with ascenders
    rough: float  # factor from its height to that of capitals, 0 if unknown
    level: bool  # it has no descender


@lru_cache(maxsize=4096)
def _letters(text: str) -> _Letters:
    signs = [c for c in text if c not in _LOW]
    higher = [c for c in signs if c not in _SMALL]
    clear = all(c in _CAPITALS or c in _ASCENDERS or c in _NO_HIGHER for c in higher)
    ascender = clear and any(c in _ASCENDERS for c in higher)
    capital = clear and not ascender and any(c in _CAPITALS for c in higher)
    rough = 0.0 if capital or ascender or not higher else max(_ROUGH.get(c, float(c in _CAPITALS or c in _ASCENDERS)) for c in higher)
    return _Letters(bool(signs) and not higher, capital, ascender, rough, bool(signs) and not any(c in _BELOW for c in text))


def dark_on_light(picture: Picture) -> Picture:
    """Return the image, inverted if it has light text on black. Dark photographs, which have many tones, are not inverted."""
    step = max(1, picture.shape[0] // 64)
    asked = picture[::step, ::step].astype(np.int16)
    paper = float(np.median(asked))
    alike = float((np.abs(asked - paper) <= _PAPER_TONES).mean())
    return 255 - picture if paper < _WHITE / 2 and alike >= _PAPER_SHARE else picture


def darkness(picture: Picture) -> Floats:
    """Return float32[height, width], 0 to 1: how much darker each pixel is than the paper around it."""
    height, width = picture.shape
    side, step = DEFAULTS.paper, DEFAULTS.paper_step
    rows, columns = -(-height // side), -(-width // side)
    thin = np.full((rows * side // step, columns * side // step), 255, np.uint8)
    taken = picture[::step, ::step]
    thin[: taken.shape[0], : taken.shape[1]] = taken
    thin[taken.shape[0] :] = thin[taken.shape[0] - 1]
    thin[:, taken.shape[1] :] = thin[:, taken.shape[1] - 1 : taken.shape[1]]
    squares = thin.reshape(rows, side // step, columns, side // step).swapaxes(1, 2).reshape(rows, columns, -1)
    place = int(DEFAULTS.paper_share * (squares.shape[2] - 1))
    paper = np.partition(squares, place, axis=2)[:, :, place]
    around = np.repeat(np.repeat(paper, side, axis=0), side, axis=1)[:height, :width]
    darker: Floats = (np.maximum(around, picture) - picture) / np.float32(_WHITE)
    return darker


def measure_words(dark: Floats, lines: Sequence[Sequence[Word]]) -> Ink:
    """Measure heights, stems, slants and gaps of the words on an image.
    dark: `darkness` of the straightened image, 0 to 1. lines: for each line its words, with boxes in pixels."""
    words = sum(map(len, lines))
    ink = Ink(
        np.zeros(len(lines), np.float32),
        np.full((words, 4), np.nan, np.float32),
        np.full(words, np.nan, np.float32),
        np.zeros(words, np.float32),
        np.zeros(words, np.float32),
        np.full(words, np.nan, np.float32),
    )
    starts = np.cumsum([0, *map(len, lines)]).tolist()
    level = [any(_letters(word.text).level for word in line) for line in lines]
    lower: list[float] = []
    # Lines with a word that ends on the baseline come first: they show how far ink ends below its steepest decrease on this page.
    for number in sorted(range(len(lines)), key=lambda number: not level[number]):
        part = slice(starts[number], starts[number + 1])
        bias = float(np.median(lower)) if lower and not level[number] else 0.0
        ink.baselines[number], steepest = _measure_line(dark, lines[number], ink, part, bias)
        if level[number]:
            lower.append(float(ink.baselines[number]) - steepest)
    return ink


def fit_to_ink(dark: Floats, boxes: Floats, baseline: float, em: float) -> Ints:
    """Return int64[words, 4]: the boxes of a line's words, pixels, with top and bottom moved to the ink of the word, if it has any.
    dark: `darkness` of the image, 0 to 1. boxes: float32[words, 4], pixels, as high as the font. baseline: y from the top, pixels. em: font
    size, pixels."""
    fitted = np.rint(boxes).astype(np.int64)
    reach = round(DEFAULTS.beyond * em)
    top, left = max(0, int(fitted[:, 1].min()) - reach), max(0, int(fitted[:, 0].min()))
    strip = dark[top : int(fitted[:, 3].max()) + reach, left : max(left + 1, int(fitted[:, 2].max()))]
    low, high = (round(baseline - share * em) - top for share in DEFAULTS.body)
    if not strip.size or not 0 < high < low < strip.shape[0]:
        return fitted
    strip = _scaled(strip)
    spans = (fitted[:, [0, 2]] - left).clip(0, strip.shape[1] - 1)
    filled = _by_word(np.maximum, strip, spans) >= DEFAULTS.edge
    gap = max(1, round(DEFAULTS.hole * em))
    above, below = _filled_run(filled[:high][::-1], gap), _filled_run(filled[low:], gap)
    met = filled[high:low].any(axis=0)
    fitted[:, 1] = np.where(met, top + high - above, fitted[:, 1])
    fitted[:, 3] = np.where(met, top + low + below, fitted[:, 3])
    return fitted


def _filled_run(filled: Bools, gap: int) -> Ints:
    """Return int64[columns]: the number of rows before the first gap, of more than `gap` rows, in each column. filled: bool[rows,
    columns]."""
    counts = np.pad(filled, ((1, gap + 1), (0, 0))).cumsum(axis=0)
    empty = counts[gap + 1 :] == counts[: -gap - 1]
    first: Ints = empty.argmax(axis=0).astype(np.int64)
    return first


def _measure_line(dark: Floats, line: Sequence[Word], ink: Ink, part: slice, bias: float) -> tuple[float, float]:
    """Measure the words of a line into the slice `part` of the arrays in `ink`. Return two y positions, pixels: the baseline, and the row
    at which the ink decreases most downwards.
    dark: `darkness` of the page, 0 to 1. bias: distance from the second position to the baseline, for lines in which all words have
    descenders."""
    boxes = np.array([word.box for word in line], np.int64)
    top, left = max(0, int(boxes[:, 1].min()) - DEFAULTS.around), max(0, int(boxes[:, 0].min()) - DEFAULTS.around)
    strip = dark[top : int(boxes[:, 3].max()) + DEFAULTS.around, left : int(boxes[:, 2].max()) + DEFAULTS.around]
    fallback = float(np.median(boxes[:, 3]))
    spans = (boxes[:, [0, 2]] - left).clip(0, strip.shape[1])
    if not strip.size or (spans[:, 1] <= spans[:, 0]).any():
        return fallback, fallback
    strip = _scaled(strip)
    if not strip.any():
        return fallback, fallback
    rows = np.arange(strip.shape[0])[:, None]
    inside = (rows >= boxes[:, 1] - top - 1) & (rows <= boxes[:, 3] - top)
    peaks = _by_word(np.maximum, strip, spans) * inside
    letters = [_letters(word.text) for word in line]
    tops, bottoms = _edge(peaks, DEFAULTS.edge), strip.shape[0] - _edge(peaks[::-1], DEFAULTS.edge)
    level = np.array([each.level for each in letters]) & np.isfinite(bottoms)
    steepest = _steepest(strip, fallback - top)
    baseline = float(np.median(bottoms[level])) if level.any() else steepest + bias
    own = np.where(level, bottoms, baseline)
    heights = own - tops
    rough = np.array([each.rough for each in letters])
    for kind, measured in enumerate(
        ([each.small for each in letters], [each.capital for each in letters], [each.ascender for each in letters])
    ):
        ink.heights[part, kind] = np.where(measured, heights, np.nan)
    ink.heights[part, 3] = np.where(rough > 0, heights / np.maximum(rough, 0.1), np.nan)
    x_height = _usual(ink.heights[part, 0]) or DEFAULTS.usual_x * _usual(ink.heights[part, 1:])
    if x_height > 1:
        _measure_stems(strip, spans, baseline, x_height, ink, part)
        _measure_slants(strip, spans, baseline, x_height, ink, part)
        ink.gaps[part] = _gaps(strip, spans, [len(word.text) for word in line])
    return baseline + top, steepest + top


def _steepest(strip: Floats, fallback: float) -> float:
    """Return the row of the lower half at which the ink decreases most downwards, as the baseline; `fallback` for too few rows.
    strip: darkness of the line, float32[rows, columns]."""
    ink = strip.sum(axis=1)
    middle = len(ink) // 2
    falls = ink[middle:-2] - ink[middle + 2 :]
    return float(middle + int(falls.argmax()) + 1.5) if len(falls) else fallback


def _scaled(strip: Floats) -> Floats:
    """Return the darkness of a line, scaled so that full ink is 1; all 0 if no pixel is darker than `settings.contrast`."""
    dark = np.sort(strip[strip > DEFAULTS.contrast], axis=None)
    if not len(dark):
        return np.zeros_like(strip)
    scaled: Floats = (strip / dark[int(DEFAULTS.darkest * (len(dark) - 1))]).clip(0, 1)
    return scaled


def _usual(values: NDArray[np.floating]) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else 0.0


def _by_word(how: np.ufunc, strip: Floats, spans: Ints) -> Floats:
    """Return float32[rows, words]: for each row the result of `how` (a maximum or sum) over the pixels of each word.
    spans: first and last + 1 column of each word."""
    order = np.argsort(spans[:, 0], kind="stable")
    starts, ends = spans[order].T
    ends = np.minimum(ends, np.append(starts[1:], strip.shape[1]))
    ends = np.maximum(ends, starts + 1)
    padded = np.concatenate([strip, np.zeros((strip.shape[0], 2), np.float32)], axis=1)
    places = np.stack([starts, ends], axis=1).ravel()
    found = np.empty((strip.shape[0], len(spans)), np.float32)
    found[:, order] = how.reduceat(padded, places, axis=1)[:, ::2]
    return found


def _edge(peaks: Floats, level: float) -> Floats:
    """Return for each column of `peaks` (float32[rows, columns]) the first row, interpolated, that reaches the level; nan if none does."""
    reached = peaks >= level
    first = reached.argmax(axis=0)
    columns = np.arange(peaks.shape[1])
    value = peaks[first, columns]
    before = np.where(first > 0, peaks[np.maximum(first - 1, 0), columns], 0.0)
    found = first - (value - level) / np.maximum(value - before, 1e-3)
    return np.where(reached.any(axis=0), found, np.nan).astype(np.float32)


def _measure_stems(strip: Floats, spans: Ints, baseline: float, x_height: float, ink: Ink, part: slice) -> None:
    """Measure the stem width of each word of a line, the median length of dark runs between baseline and x-height (pixels), into `ink`.
    strip: darkness of the line's pixels. spans: first and last + 1 column of each word. part: slice of the words in `ink`."""
    low, high = (round(baseline - share * x_height) for share in DEFAULTS.zone)
    zone = strip[max(0, high) : max(0, low)]
    if not zone.size:
        return
    flat = np.pad(zone, ((0, 0), (1, 1))).ravel()
    over = flat >= DEFAULTS.edge
    rises, falls = (over[1:] & ~over[:-1]).nonzero()[0], (~over[1:] & over[:-1]).nonzero()[0]
    # The width is the sum of darkness over the run and the pixels beside it, so that blur makes a thin stem no wider.
    total = np.concatenate([np.zeros(1, np.float64), np.cumsum(flat, dtype=np.float64)])
    width = total[np.minimum(falls + DEFAULTS.blur + 1, len(flat))] - total[np.maximum(rises + 1 - DEFAULTS.blur, 0)]
    place = (rises + falls) // 2 % (zone.shape[1] + 2)
    order = np.argsort(spans[:, 0], kind="stable")
    word = order[(np.searchsorted(spans[order, 0], place, side="right") - 1).clip(0)]
    kept = (place >= spans[word, 0]) & (place <= spans[word, 1]) & (width <= DEFAULTS.widest * x_height)
    word, width = word[kept], width[kept]
    if not len(word):
        return
    sorting = np.lexsort((width, word))
    word, width = word[sorting], width[sorting]
    counts = np.bincount(word, minlength=len(spans))
    starts = np.cumsum(counts) - counts
    known = counts > 0
    middle = (starts + counts // 2)[known]
    ink.stems[part][known] = width[middle]
    ink.runs[part] = counts


def _gaps(strip: Floats, spans: Ints, letters: Sequence[int]) -> Floats:
    """Return for each word the mean gap between letters, pixels; nan for a word of one letter or without ink.
    strip: darkness of the line. spans: first and last + 1 column of each word. letters: number of letters of each word."""
    filled: Bools = np.any(strip >= DEFAULTS.edge, axis=0)
    found = np.full(len(spans), np.nan, np.float32)
    for number, ((left, right), count) in enumerate(zip(spans.tolist(), letters, strict=True)):
        inked = np.flatnonzero(filled[left:right])
        if count > 1 and len(inked):
            found[number] = (inked[-1] - inked[0] + 1 - len(inked)) / (count - 1)
    return found


def _measure_slants(strip: Floats, spans: Ints, baseline: float, x_height: float, ink: Ink, part: slice) -> None:
    """Measure how italic each word of a line looks, into `ink.slants`: the log ratio of the sums of squared column sums at the best italic
    and the best upright angle; stems that become vertical make the sum large.
    strip: darkness of the line. spans: first and last + 1 column of each word. x_height: pixels. part: slice of the words in `ink`."""
    bottom = max(1, min(strip.shape[0], round(baseline)))
    upper = strip[:bottom]
    middle = baseline - x_height / 2
    shears = np.array(DEFAULTS.shears)
    shift = np.rint(shears[:, None] * (middle - np.arange(bottom))[None, :]).astype(np.int64)
    reach = int(np.abs(shift).max())
    width = strip.shape[1]
    columns = np.zeros((len(shears), width + 2 * reach), np.float32)
    sums = np.zeros((bottom + 1, width), np.float32)
    np.cumsum(upper, axis=0, out=sums[1:])
    for number, moved in enumerate(shift):  # rows with the same shift are moved together
        cuts = [0, *(np.flatnonzero(np.diff(moved)) + 1).tolist(), bottom]
        for first, last in pairwise(cuts):
            by = reach - int(moved[first])
            columns[number, by : by + width] += sums[last] - sums[first]
    scores = _by_word(np.add, np.square(columns[:, reach : reach + width]), spans)
    lean, upright = scores[shears >= DEFAULTS.italic].max(axis=0), scores[shears <= DEFAULTS.upright].max(axis=0)
    ink.slants[part] = np.log(np.maximum(lean, 1e-6) / np.maximum(upright, 1e-6))
