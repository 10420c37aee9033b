"""Decide the text styles (size, weight, slant, spacing) of words on scanned pages, from all pages of the document.
Sizes are the clusters of measured sizes of lines; a word is bold if its stems are wider than usual. Neighbours in a line support each
other, because styles change seldom (a hidden Markov model of two states, Viterbi 1967)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.records import FontStyle, PageLines, TextLine, WordInk
from pdfmill.schemas.statistics import InkLooks
from pdfmill.transforms.layout.page.line_frame import word_bounds
from pdfmill.transforms.layout.page.monospace import WordWidths, find_pitches, median, width_odds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class InkLookSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds and measurement errors for words on scans. In the comments, "log" is a difference of natural logarithms."""

    # Sizes
    capital: float = 0.7  # em, height of capitals; text faces have .66 to .73
    usual_ratio: float = 1.47  # height of capitals to x-height, if the document gives none
    confident: float = 0.6  # OCR confidence from which the letters of a word are believed
    ratio_words: int = 2  # smallest number of words of each kind in a line that measures that ratio
    ratio_range: tuple[float, float] = (1.25, 1.8)  # smallest and largest value of that ratio
    height_error: float = 0.045  # log; standard deviation of the height of a word
    bin: float = 0.005  # log; width of histogram bins, finer than any difference of sizes
    smooth: float = 0.015  # log; standard deviation of lines of one size
    same_size: float = 0.04  # log; lines nearer to a size than this have it
    errors: float = 2.5  # largest deviation of a line of few words from a font size, standard deviations
    most_sizes: int = 24  # largest number of sizes of a document; more are noise of a bad scan
    small_capitals: tuple[float, float] = (0.6, 0.87)  # height of small capitals, in heights of a line's highest capitals
    large_capital: float = 0.93  # heights of a line's highest capitals, from which a word begins with a full capital
    capitals_share: float = 0.7  # smallest share of capitals in OCR's text of such a line; some are read as small letters
    capitals_least: int = 6  # smallest number of letters of such a line
    bold: tuple[float, float] = (1.15, 1.28)  # ratios to the usual stem between plain and bold type; bold type has 1.25 to 1.9 on scans
    bold_words: int = 5  # smallest number of words with clearly wider stems from which the document's bold stem width is measured
    bold_error: float = 0.08  # log; standard deviation of the stem width of a word
    small_size: float = 0.92  # ratio to the size of most text; smaller type has wider stems for its size
    small_stem: float = 1.3  # ratio to the usual stem, up to which small type is not bold
    enough_runs: int = 12  # number of stems of a word above which its evidence does not increase
    least_stem: float = 0.02  # em; thinner runs are no stems
    # Slant
    italic_error: float = 0.01  # log; difference that counts 1 in log odds
    enough_letters: int = 3  # number of letters after the first above which the evidence does not increase
    spaced: float = 0.14  # em of gap between letters beyond the usual gap; of 9,000 words that are not letterspaced the largest is .13
    spaced_error: float = 0.06  # em; standard deviation of one gap
    spaced_letters: int = 4  # smallest number of letters of a word that is judged
    # Neighbours
    most_odds: float = 7.0  # largest log odds of one word
    change: float = 2.5  # log odds against a change of style between two words
    prior: float = 2.0  # log odds against bold or italics at the beginning of a line
    ascent: float = 0.75  # em above the baseline, upper edge of a word's box
    descent: float = 0.22  # em below the baseline, lower edge of a word's box


DEFAULTS: Final = InkLookSettings()
#: Kinds of heights that give exact sizes: small letters, capitals, ascenders. A fourth is approximate.
_KINDS: Final = 3


class _Lines(NamedTuple):
    """Measured heights of letters on n lines. heights: float64[n, 4], medians of small letters, capitals, ascenders, and capitals as
    estimated from other letters. words: int64[n, 4], numbers of measured words. chars: int64[n]."""

    heights: Floats  # float64[n, 4], medians of the kinds of `WordInk.heights`, nan if unknown
    words: Ints  # int64[n, 4], number of words measured for each of these
    chars: Ints  # int64[n], number of characters

    @staticmethod
    def of(page: PageLines, ink: WordInk, settings: InkLookSettings) -> _Lines:
        count = len(page.lines)
        heights = ink.heights
        if len(page.word_confidences):
            heights = np.where((page.word_confidences >= settings.confident)[:, None], heights, np.nan)
        columns = [_medians(page.word_lines, heights[:, kind], count) for kind in range(_KINDS + 1)]
        found, counts = (np.stack(parts, axis=1) for parts in zip(*columns, strict=True))
        return _Lines(found, counts, np.array([len(line.text) for line in page.lines], np.int64))


def _medians(lines: NDArray[np.int32], values: NDArray[np.float32], count: int) -> tuple[Floats, Ints]:
    """Return the median of each line's known values (nan if there are none), and their number. lines: line of each value, ascending."""
    known = np.isfinite(values)
    lines, values = lines[known], values[known]
    sorted_values = values[np.lexsort((values, lines))]
    counts = np.bincount(lines, minlength=count)
    starts = np.cumsum(counts) - counts
    found = np.full(count, np.nan)
    some = counts > 0
    low, high = starts[some] + (counts[some] - 1) // 2, starts[some] + counts[some] // 2
    found[some] = (sorted_values[low] + sorted_values[high]) / np.float32(2)
    return found, counts


def pool_ink(pages: Iterable[PageLines], settings: InkLookSettings = DEFAULTS) -> InkLooks | None:
    """Return the text styles measured on all scanned pages of a document; None if there are no measurements."""
    measured = [(page, page.ink, _Lines.of(page, page.ink, settings)) for page in pages if page.ink is not None and page.lines]
    if not measured:
        return None
    lines = _Lines(*(np.concatenate(parts) for parts in zip(*(each for _, _, each in measured), strict=True)))
    heights = _heights(lines, settings)
    sizes = _sizes(_log_sizes(lines, heights), _words(lines), lines.chars, settings)
    if not sizes:
        return None
    looks = InkLooks(heights, sizes)
    pitches, free = find_pitches([line for page, ink, _ in measured for line in _lines_widths(page, ink, looks, settings)])
    looks = looks._replace(pitches=pitches, free=free)
    stems = np.concatenate([_log_stems(page, ink, looks, settings) for page, ink, _ in measured])
    runs = np.concatenate([ink.runs for _, ink, _ in measured])
    fixed = np.concatenate([_fixed(page, ink, looks, settings) for page, ink, _ in measured])
    known = np.isfinite(stems)
    usual = [median(stems[chosen], runs[chosen]) if chosen.any() else 0.0 for chosen in (known & ~fixed, known & fixed)]
    looks = looks._replace(stem=usual[0] or usual[1], fixed=usual[1] or usual[0])
    over = (stems - np.where(fixed, looks.fixed, looks.stem))[known & (runs >= settings.enough_runs)]
    return looks._replace(bold=_heavier(over, settings), gap=_usual_gap(measured, looks, settings))


def _usual_gap(measured: list[tuple[PageLines, WordInk, _Lines]], looks: InkLooks, settings: InkLookSettings) -> float:
    gaps = np.concatenate([ink.gaps / _line_sizes(page, ink, looks, settings)[page.word_lines] for page, ink, _ in measured])
    letters = np.concatenate([_count_letters(page) for page, _, _ in measured])
    known = np.isfinite(gaps) & (letters >= settings.spaced_letters)
    return median(gaps[known], letters[known]) if known.any() else 0.0


def _heavier(over: Floats, settings: InkLookSettings) -> float:
    """Return how much wider than usual the stems of bold words are, as a logarithm: half-way to the clearly wider ones.
    over: log stem width of each word minus the usual one."""
    least, most = (math.log(times) for times in settings.bold)
    heavy = over[over >= most]
    return float(np.clip(np.median(heavy) / 2, least, most)) if len(heavy) >= settings.bold_words else most


def _widths(page: PageLines, ink: WordInk, looks: InkLooks, settings: InkLookSettings) -> WordWidths:
    sizes = _line_sizes(page, ink, looks, settings)[page.word_lines]
    letters = (page.word_spans[:, 1] - page.word_spans[:, 0]).astype(np.float64)
    return WordWidths(letters, (page.word_boxes[:, 2] - page.word_boxes[:, 0]).astype(np.float64), sizes)


def _lines_widths(page: PageLines, ink: WordInk, looks: InkLooks, settings: InkLookSettings) -> list[WordWidths]:
    bounds = np.searchsorted(page.word_lines, np.arange(1, len(page.lines)))
    parts = zip(*(np.split(each, bounds) for each in _widths(page, ink, looks, settings)), strict=True)
    return [WordWidths(*part) for part in parts if len(part[0])]


def _fixed(page: PageLines, ink: WordInk, looks: InkLooks, settings: InkLookSettings) -> Bools:
    if not looks.pitches:
        return np.zeros(len(page.word_lines), np.bool_)
    words = _widths(page, ink, looks, settings)
    odds = np.max([width_odds(words, pitch, looks.free) for pitch in looks.pitches], axis=0)
    odds = np.where(words.letters > 1, odds, 0.0).clip(-settings.most_odds, settings.most_odds)
    # Lines of code are adjacent, so lines of few letters take the style of the lines around them.
    return np.array(_viterbi(odds.tolist(), settings), np.bool_)


def _heights(lines: _Lines, settings: InkLookSettings) -> tuple[float, float, float]:
    """Return the x-height, the height of capitals and the height of ascenders of the document's type, em."""
    small = settings.capital / _ratio(lines, (1, 0), settings.usual_ratio, settings)
    return small, settings.capital, small * _ratio(lines, (2, 0), settings.capital / small, settings)


def _ratio(lines: _Lines, kinds: tuple[int, int], usual: float, settings: InkLookSettings) -> float:
    """Return the ratio of the heights of two kinds of letters (indices of `WordInk.heights`); `usual` if no line has enough of both."""
    over, under = kinds
    measured = (lines.words[:, over] >= settings.ratio_words) & (lines.words[:, under] >= settings.ratio_words)
    ratios = lines.heights[measured, over] / lines.heights[measured, under]
    low, high = settings.ratio_range
    kept = (ratios > low) & (ratios < high)
    return median(ratios[kept], lines.chars[measured][kept]) if kept.any() else usual


def _words(lines: _Lines) -> Ints:
    words: Ints = np.maximum(lines.words[:, :_KINDS].sum(axis=1), 1)
    return words


def _log_sizes(lines: _Lines, heights: tuple[float, float, float]) -> Floats:
    """Return the logarithm of each line's font size (points), nan if unknown. heights: x-height, capitals and ascenders, em."""
    sizes = np.nan_to_num(lines.heights[:, :_KINDS]) / np.array(heights)
    size = (lines.words[:, :_KINDS] * sizes).sum(axis=1) / _words(lines)
    return np.log(np.where(size > 0, size, np.nan))


def _sizes(values: Floats, words: Ints, chars: Ints, settings: InkLookSettings) -> tuple[float, ...]:
    """Return the font sizes, points, around which lines cluster, the most frequent first. values: log font size of each line."""
    known = np.isfinite(values)
    values, words, chars = values[known], words[known], chars[known]
    found: list[float] = []
    while len(values) and len(found) < settings.most_sizes:
        center = _mode(values, chars * np.minimum(words, 4), settings)
        near = np.abs(values - center) <= settings.same_size
        center = median(values[near], chars[near]) if near.any() else center
        found.append(center)
        left = np.abs(values - center) > _reach(words, settings)
        if left.all():
            break
        values, words, chars = values[left], words[left], chars[left]
    return tuple(round(math.exp(value), 1) for value in found)


def _reach(words: Ints, settings: InkLookSettings) -> Floats:
    """Return, as a logarithm, the largest error of each line's measured size. words: number of its measured words."""
    return np.maximum(settings.same_size, settings.errors * settings.height_error / np.sqrt(words))


def _mode(values: Floats, weights: Ints, settings: InkLookSettings) -> float:
    """Return the value with the most weight in a smoothed histogram."""
    low = float(values.min())
    bins = np.bincount(((values - low) / settings.bin).astype(np.int64), weights=weights)
    reach = np.arange(-4, 5) * settings.bin / settings.smooth
    kernel = np.exp(-(reach**2) / 2)
    smooth = np.convolve(bins, kernel)[4:-4]
    return low + (2 * int(smooth.argmax()) + 1) * settings.bin / 2


def settle_looks(page: PageLines, looks: InkLooks | None, settings: InkLookSettings = DEFAULTS) -> PageLines:
    """Return the page with the text styles decided for the document (`looks`). A page that is no scan is returned unchanged."""
    if page.ink is None or looks is None or not page.lines:
        return page
    sizes = _line_sizes(page, page.ink, looks, settings)
    word_sizes = sizes[page.word_lines]
    capitals = _small_capitals(page, page.ink, looks, word_sizes, settings)
    fixed = _fixed(page, page.ink, looks, settings)
    bold = _runs(page, _bold_odds(page, page.ink, looks, fixed, settings), settings)
    italic = _runs(page, _italic_odds(page, page.ink, settings), settings)
    spaced = _runs(page, _spaced_odds(page, page.ink, looks, word_sizes, fixed, settings), settings)
    flags = list(zip(bold.tolist(), italic.tolist(), fixed.tolist(), spaced.tolist(), strict=True))
    styles: dict[FontStyle, int] = {}
    lines: list[TextLine] = []
    boxes = page.word_boxes.copy()
    bounds = word_bounds(page)
    for number, (line, first, last) in enumerate(zip(page.lines, bounds, bounds[1:], strict=False)):
        size = float(word_sizes[first:last].max(initial=sizes[number]))
        drawn = [
            FontStyle("", each, *flags[first + n][:3], spaced=flags[first + n][3]) for n, each in enumerate(word_sizes[first:last].tolist())
        ]
        if number in capitals and len(line.text.upper()) == len(line.text):
            line = replace(line, text=line.text.upper())
        numbers = [styles.setdefault(style, len(styles)) for style in drawn]
        spans = [(int(page.word_spans[first + n, 0]), number) for n, number in enumerate(numbers)]
        spans = [next(same) for _, same in groupby(spans, key=lambda span: span[1])]
        if not line.angle:
            boxes[first:last, 1], boxes[first:last, 3] = line.baseline - settings.ascent * size, line.baseline + settings.descent * size
        lines.append(_settled(line, size, numbers, page.word_spans[first:last], spans, settings))
    return replace(page, styles=list(styles), lines=lines, word_boxes=boxes, ink=None)


def _small_capitals(page: PageLines, ink: WordInk, looks: InkLooks, sizes: Floats, settings: InkLookSettings) -> set[int]:
    """Return the lines in small capitals (their capitals have two heights). Set the font sizes of their words in `sizes`, in place."""
    found: set[int] = set()
    bounds = word_bounds(page)
    logs = np.log(np.array(looks.sizes))
    for number, (first, last) in enumerate(pairwise(bounds)):
        cased = [c for c in page.lines[number].text if c.isupper() or c.islower()]
        own = ink.heights[first:last, 1] / settings.capital
        if sum(map(str.isupper, cased)) < settings.capitals_share * max(len(cased), settings.capitals_least) or not np.isfinite(own).any():
            continue
        largest, usual = float(np.nanmax(own)), float(np.nanmedian(own))
        low, high = settings.small_capitals
        if not low * largest <= usual <= high * largest:
            continue
        found.add(number)
        large = float(looks.sizes[int(np.abs(logs - math.log(largest)).argmin())])
        is_large = np.nan_to_num(own) >= settings.large_capital * largest
        sizes[first:last] = np.where(is_large, large, round(large * usual / largest, 1))
    return found


def _settled(
    line: TextLine, size: float, numbers: list[int], offsets: NDArray[np.int32], spans: list[tuple[int, int]], settings: InkLookSettings
) -> TextLine:
    chars: dict[int, int] = {}
    for number, (start, end) in zip(numbers, offsets.tolist(), strict=True):
        chars[number] = chars.get(number, 0) + end - start
    main = max(chars, key=lambda number: chars[number])
    box = (line.top, line.bottom) if line.angle else (line.baseline - settings.ascent * size, line.baseline + settings.descent * size)
    return replace(line, style=main, spans=((0, spans[0][1]), *spans[1:]), top=box[0], bottom=box[1])


def _line_sizes(page: PageLines, ink: WordInk, looks: InkLooks, settings: InkLookSettings) -> Floats:
    """Return the font size, points, of each line: the nearest of the document's sizes. Lines without measurement keep the size of OCR."""
    lines = _Lines.of(page, ink, settings)
    own = _log_sizes(lines, looks.heights)
    values = np.where(np.isfinite(own), own, np.log(lines.heights[:, _KINDS] / settings.capital))
    sizes = np.array(looks.sizes)
    # The earlier of two sizes that a line may have is the more frequent one.
    distance = np.abs(values[:, None] - np.log(sizes)[None, :])
    within = distance <= _reach(_words(lines), settings)[:, None]
    found = np.where(within.any(axis=1), sizes[within.argmax(axis=1)], sizes[np.nan_to_num(distance, nan=np.inf).argmin(axis=1)])
    return _filled(found, np.isfinite(values))


def _filled(values: Floats, known: Bools) -> Floats:
    if not known.any():
        return values
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), -1))
    return values[np.where(last >= 0, last, known.argmax())]


def _log_stems(page: PageLines, ink: WordInk, looks: InkLooks, settings: InkLookSettings) -> Floats:
    """Return the logarithm of each word's stem width, em; nan if none was measured."""
    sizes = _line_sizes(page, ink, looks, settings)[page.word_lines]
    stems = ink.stems / sizes
    return np.log(np.where(stems > settings.least_stem, stems, np.nan))


def _bold_odds(page: PageLines, ink: WordInk, looks: InkLooks, fixed: Bools, settings: InkLookSettings) -> Floats:
    small = _line_sizes(page, ink, looks, settings)[page.word_lines] <= settings.small_size * looks.sizes[0]
    usual = np.where(fixed, looks.fixed, looks.stem) + np.where(small, math.log(settings.small_stem), 0.0)
    over = _log_stems(page, ink, looks, settings) - usual - looks.bold
    odds = np.nan_to_num(over) * 2 * looks.bold / settings.bold_error**2
    return _bounded(odds, ink.runs / settings.enough_runs * (_count_letters(page) > 0), settings)


def _italic_odds(page: PageLines, ink: WordInk, settings: InkLookSettings) -> Floats:
    """Return the log odds that each word is italic. Words without letters have 0."""
    return _bounded(ink.slants / settings.italic_error, (_count_letters(page) - 1) / settings.enough_letters, settings)


def _spaced_odds(page: PageLines, ink: WordInk, looks: InkLooks, sizes: Floats, fixed: Bools, settings: InkLookSettings) -> Floats:
    """Return the log odds that each word is letterspaced. Monospaced words (`fixed`) have 0. sizes: font size of each word, points."""
    over = np.nan_to_num(ink.gaps / sizes - looks.gap - settings.spaced, nan=-settings.spaced)
    letters = _count_letters(page)
    odds = over * 2 * settings.spaced * np.maximum(letters - 1, 1) / settings.spaced_error**2
    tells = ~fixed & (letters >= settings.spaced_letters) & (letters + 1 >= page.word_spans[:, 1] - page.word_spans[:, 0])
    return _bounded(odds, tells.astype(np.float64), settings)


def _bounded(odds: NDArray[np.floating], enough: NDArray[np.floating], settings: InkLookSettings) -> Floats:
    bounded: Floats = (odds.clip(-settings.most_odds, settings.most_odds) * enough.clip(0.0, 1.0)).astype(np.float64)
    return bounded


def _count_letters(page: PageLines) -> Ints:
    """Return the number of letters and digits of each word. Other signs are not counted, because their strokes have other widths."""
    words = zip(page.word_lines.tolist(), page.word_spans.tolist(), strict=True)
    return np.array([sum(map(str.isalnum, page.lines[line].text[start:end])) for line, (start, end) in words], np.int64)


def _runs(page: PageLines, odds: Floats, settings: InkLookSettings) -> Bools:
    """Return bool[words]: the most probable sequence of two states (such as plain and bold) over each line. odds: log odds of the second
    state."""
    found = np.zeros(len(odds), np.bool_)
    bounds = word_bounds(page)
    values = odds.tolist()
    for first, last in zip(bounds, bounds[1:], strict=False):
        if last > first:
            found[first:last] = _viterbi(values[first:last], settings)
    return found


def _viterbi(odds: list[float], settings: InkLookSettings) -> list[bool]:
    """Return the most probable sequence of two states over a line's words (Viterbi). odds: log odds of the second state of each word."""
    off, on = 0.0, odds[0] - settings.prior
    back: list[tuple[bool, bool]] = []
    for value in odds[1:]:
        came_off, came_on = on - settings.change > off, on >= off - settings.change
        back.append((came_off, came_on))
        off, on = (on - settings.change if came_off else off), (on if came_on else off - settings.change) + value
    state = on > off
    states = [state]
    for came_off, came_on in reversed(back):
        state = came_on if state else came_off
        states.append(state)
    return states[::-1]
