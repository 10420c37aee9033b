"""The loops between glyphs and lines: compiled and as they stand they give the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdfmill.transforms.layout.lines.lines as lines
from pdfmill.schemas.compiled import compiled
from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.records import FontStyle
from pdfmill.transforms.layout.lines import glyph_frame as reading_frame
from pdfmill.transforms.layout.lines import line_loops
from pdfmill.transforms.layout.lines.glyph_frame import ReadingFrame
from pdfmill.transforms.layout.lines.line_loops import CUT, SPACED, WORD
from pdfmill.transforms.layout.settings.text_settings import TextSettings
from tests.compiled import same_in_both

NAME = "pdfmill.transforms.layout.lines.line_loops"
SETTINGS = TextSettings()
#: What comes up on real pages, and what must not end a worker.
LENGTHS = st.floats(-200, 900, width=32) | st.sampled_from([0.0, 10.0, 10.5, 11.0, 12.0, float("inf"), 3.0e38])
SIZES = st.sampled_from([0.0, 1.0, 6.5, 9.0, 10.0, 10.0, 10.0, 12.0, 30.0]) | st.floats(0, 100, width=32)


def column(values: list[float]) -> np.ndarray:
    return np.array(values, np.float32)


@st.composite
def glyph_rows(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Glyphs of some baselines, each a little right of the one before, with sizes, and blanks before some."""
    count = draw(st.integers(1, 40))
    steps = draw(st.lists(st.sampled_from([0.0, 0.4, 4.8, 5.0, 5.2, 6.5, 8.0, 30.0]) | LENGTHS, min_size=count, max_size=count))
    starts = np.cumsum(np.array(steps, np.float64)).astype(np.float32)
    widths = column(draw(st.lists(st.sampled_from([4.8, 5.0, 5.2]), min_size=count, max_size=count)))
    flags = st.lists(st.booleans(), min_size=count, max_size=count)
    return {
        "position": np.array(draw(st.permutations(range(count))) if draw(st.booleans()) else range(count), np.int64),
        "group": np.cumsum(np.array(draw(flags), np.int64) * draw(st.integers(0, 1))),
        "start": starts,
        "end": starts + widths,
        "size": column(draw(st.lists(SIZES, min_size=count, max_size=count))),
        "baseline": column(draw(st.lists(st.sampled_from([700.0, 700.01, 701.0, 712.0]) | LENGTHS, min_size=count, max_size=count))),
        "space_before": np.array(draw(flags), np.uint8),
        "no_spaces": np.array(draw(flags), np.uint8) & draw(st.integers(0, 1)),
    }


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(glyph_rows())
def test_fragments(rows: dict[str, np.ndarray]) -> None:
    n = len(rows["start"])
    columns = [rows[name] for name in ("start", "end", "baseline", "size")]
    out = [np.zeros(n, np.int64), *(np.zeros(n, np.float32) for _ in range(3))]
    m, after = same_in_both(NAME, "break_fragments", *columns, 0.08, -0.6, 0.9, 0.85, *out)
    assert 1 <= m <= n
    first, low = after[8][:m], after[9]
    assert first[0] == 0
    assert (np.diff(first) > 0).all()
    assert (low[:m] == np.minimum.reduceat(rows["start"], first)).all()
    same_in_both(NAME, "survey_fragments", *columns, 0.08, 0.2, 0.65, 1.2, 0.5, 0.85, 1.8)
    order = np.lexsort((rows["start"], rows["baseline"]))
    count, after = same_in_both(NAME, "group_baselines", order, rows["baseline"], rows["size"], 0.3, np.zeros(n, np.int64))
    assert sorted(set(after[4].tolist())) == list(range(count))
    assert (np.diff(after[4][order]) >= 0).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(glyph_rows(), st.booleans(), st.booleans())
def test_gaps_words_and_line_ends(rows: dict[str, np.ndarray], spaced: bool, forbids: bool) -> None:
    n = len(rows["start"])
    columns = [rows[name] for name in ("position", "group", "start", "end", "size", "baseline", "space_before")]
    out = [np.zeros(n - 1, np.float32), np.zeros(n - 1), np.zeros(n - 1), np.zeros(n - 1, np.uint8)]
    found, after = same_in_both(NAME, "measure_gaps", *columns, 1e-3, 1e6, 0.9, 0.3, 3, 0.2, 0.04, 5, 1.62, *out)
    em, gap, relative, marks = after[-4:]
    extra = np.full(n - 1, 0.05) if spaced or found & SPACED else np.zeros(0)
    forbidden = np.ones(n - 1, np.uint8) if forbids else np.zeros(0, np.uint8)
    limits = (0.12, 0.12, 0.05, 0.45, 0.02, 2.5, 0.9)
    _, after = same_in_both(NAME, "part_words", rows["position"], em, gap, relative, rows["no_spaces"], forbidden, extra, *limits, marks)
    marks = after[-1]
    assert not forbids or not (marks & line_loops.INFERRED).any()
    out = [np.zeros(n, np.uint8), np.zeros(n, np.int64), np.zeros(n, np.float32)]
    count, after = same_in_both(NAME, "begin_words", rows["position"], rows["size"], rows["baseline"], marks, 0.85, 0.08, 3, *out)
    begins, starts = after[-3], after[-2][:count]
    assert starts.tolist() == [0, *((marks & CUT).nonzero()[0] + 1).tolist()]
    assert begins[starts].all()
    assert begins[1:][(marks & WORD) != 0].all()


@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(32, 0x10FFFF), st.integers(0, 2), st.integers(-1, 1)), min_size=1),
    st.randoms(),
)
def test_texts_and_boxes(glyphs: list[tuple[bool, bool, int, int, int]], random) -> None:
    n = len(glyphs)
    word, line, code, style, mcid = (np.array(values) for values in zip(*glyphs, strict=True))
    word[0] = line[0] = True
    begins, starts = (word | line).astype(np.uint8), line.nonzero()[0].astype(np.int64)
    order = np.array(random.sample(range(n), n), np.int64)
    drawn, words = np.zeros(n, lines.GLYPH).view(np.recarray), int(begins.sum())
    drawn.box, drawn.style, drawn.mcid = column([random.uniform(0, 600) for _ in range(4 * n)]).reshape(n, 4), style, mcid
    out = [
        np.zeros(number, kind).view(np.recarray) for number, kind in ((words, lines.WORDS), (len(starts), lines.LINES), (n, lines.SPANS))
    ]
    inputs = [drawn, order, begins, code.astype(np.uint32), starts, np.zeros(n + words, np.uint32)]
    largest, (*_, codes, of_words, of_lines, _) = same_in_both(NAME, "fill_lines", *inputs, *out)
    assert largest == code.max()
    assert codes[codes != 32].tolist() == code[code != 32].tolist()
    text = codes.tobytes().decode("utf-32-le", "replace")
    for number, (first, last) in enumerate(of_lines.span.tolist()):
        own = of_words.line == number
        assert text[first - 1] == " "
        assert of_words.span[own][-1, 1] == last - first
        assert of_lines.box[number, 0] == of_words.box[own, 0].min()
        assert of_lines.box[number, 3] == of_words.box[own, 3].max()


@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(st.lists(st.tuples(st.integers(0, 0x10FFFF), st.integers(0, 255)), max_size=50))
def test_what_a_page_holds(glyphs: list[tuple[int, int]]) -> None:
    codes, flags = np.array([code for code, _ in glyphs], np.uint32), np.array([flag for _, flag in glyphs], np.uint8)
    seen, _ = same_in_both(NAME, "survey_glyphs", codes, flags, lines._CLASSES)
    assert seen >> 8 == np.bitwise_or.reduce(flags, initial=0)
    assert bool(seen & lines._DIRECTION) == lines._directs(codes).any()


@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(
    st.lists(
        st.tuples(st.sampled_from([32, 65, 0xA0, 0x3001, 0x10FFFF]), st.sampled_from([0, 0, 0, 64, 128]), LENGTHS), min_size=1, max_size=30
    ),
    st.sampled_from([0, 0, 0, 90]),
)
def test_upright_text_makes_the_frame_that_any_text_does(rows: list[tuple[int, int, float]], angle: int) -> None:
    n = len(rows)
    unicode, flags, x = (np.array(values) for values in zip(*rows, strict=True))
    x0, none = x.astype(np.float32), np.zeros(n, np.int32)
    glyphs = Glyphs(
        unicode.astype(np.uint32), x0, x0, x0 + 1, x0 + 2, x0, x0, np.full(n, angle, np.int16), none, none, none, flags.astype(np.uint8),
        [FontStyle("", 9.5)],
    )  # fmt: skip
    members = np.arange(n)
    built = reading_frame._LOOPS
    for build in (line_loops, built):
        reading_frame._LOOPS = build
        upright = reading_frame._upright_frame(glyphs, members)
        check_upright(upright, glyphs, members, angle)


def check_upright(upright: ReadingFrame | None, glyphs: Glyphs, members: np.ndarray, angle: int) -> None:
    flags = glyphs.flags
    assert (upright is None) == (angle != 0 or bool((flags & GlyphFlag.VERTICAL).any()))
    if upright is None:
        return
    blank = reading_frame.is_blank(glyphs.unicode)
    wanted = reading_frame._frame(glyphs, members, ~blank, blank, 0, False)
    for name in ("glyph", "start", "end", "baseline", "size", "space_before", "no_spaces"):
        assert getattr(upright, name).tobytes() == getattr(wanted, name).tobytes(), name


@pytest.mark.skipif(compiled(NAME) is None, reason="the loops were not compiled: no C compiler where pdfmill was installed")
def test_an_index_outside_is_refused() -> None:
    loops = compiled(NAME)
    assert loops is not None
    three, short = np.zeros(3, np.float32), np.zeros(2, np.float32)
    with pytest.raises(IndexError):
        loops.break_fragments(three, three, three, short, 0.1, -0.6, 0.9, 0.85, np.zeros(3, np.int64), three, three, three)
    with pytest.raises(IndexError):
        loops.begin_words(
            np.array([0, 7, 1]), three, three, np.zeros(2, np.uint8), 0.8, 0.1, 3, np.zeros(3, np.uint8), np.zeros(3, np.int64), three
        )
    with pytest.raises(ValueError, match="mismatch"):
        loops.break_fragments(
            three.astype(np.float64), three, three, three, 0.1, -0.6, 0.9, 0.85, np.zeros(3, np.int64), three, three, three
        )
