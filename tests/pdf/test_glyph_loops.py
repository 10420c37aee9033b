"""The loops between PDFium's text page and glyphs: compiled and as they stand they give the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdfmill.transforms.pdf.text.glyphs as glyphs
from pdfmill.schemas.compiled import compiled
from pdfmill.schemas.glyphs import GlyphFlag
from pdfmill.transforms.pdf.text import glyph_loops
from pdfmill.transforms.pdf.text.user_space import PageSpace
from tests.compiled import same_in_both
from tests.pdf.pages import make_page, read
from tests.pdf.test_loops import MIXED, columns

NAME = "pdfmill.transforms.pdf.text.glyph_loops"
LENGTHS = st.sampled_from([0.0, 5.0, 5.5, 100.0, -3.0]) | st.floats(width=32)


@st.composite
def characters(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Characters of a text page: code points, boxes, text objects of which some made nothing."""
    rows = draw(st.lists(st.tuples(st.integers(1, 300), LENGTHS, LENGTHS, st.integers(0, 3), st.booleans()), min_size=1, max_size=40))
    unicode, left, right, objects, drawn = zip(*rows, strict=True)
    loose = np.zeros((len(rows), 4), np.float32)
    loose[:, 0], loose[:, 2], loose[:, 3] = left, right, left
    return {
        "unicode": np.array(unicode, np.uint32),
        "loose": loose,
        "objects": np.array(objects, np.uint64),
        "mask": np.array(drawn, np.uint8),
    }


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(characters(), st.booleans())
def test_drawn_characters_and_their_runs(page: dict[str, np.ndarray], has_halves: bool) -> None:
    n = len(page["unicode"])
    halves = (page["unicode"] == 65).astype(np.uint8) if has_halves else np.zeros(0, np.uint8)
    largest, after = same_in_both(NAME, "mark_drawn", page["unicode"], page["loose"], halves, np.zeros(n, np.uint8))
    assert largest == page["unicode"].max()
    assert not (has_halves and after[-1][page["unicode"] == 65].any())
    out = [
        np.zeros(n, np.int64), np.zeros(n, np.uint32), np.zeros((n, 4), np.float32), np.zeros(n, np.int32), np.zeros(n, np.int64),
        np.zeros(n, np.uint8), np.zeros(2, np.int64),
    ]  # fmt: skip
    shares, after = same_in_both(NAME, "take_drawn", page["mask"], page["objects"], page["unicode"], page["loose"], *out)
    drawn, codes, boxes, run, first, joined, (m, runs) = after[4:]
    kept = ((page["mask"] != 0) & (page["objects"] != 0)).nonzero()[0]
    assert drawn[:m].tolist() == kept.tolist()
    assert codes[:m].tolist() == page["unicode"][kept].tolist()
    owners = page["objects"][kept]
    assert first[:runs].tolist() == [i for i in range(m) if i == 0 or owners[i] != owners[i - 1]]
    assert bool(shares) == joined[:m].any()
    if not m:
        return
    same_in_both(NAME, "falls_down", run[:m], boxes[:m], np.full(runs, 4.0, np.float32))
    font = np.arange(runs, dtype=np.int64) % 2
    of_code = np.zeros(int(codes[:m].max()) + 1, np.int32)
    count, after = same_in_both(NAME, "number_characters", codes[:m], of_code)
    table = np.zeros(2 * count * 2, np.int32)
    kinds, after = same_in_both(
        NAME, "number_kinds", font, run[:m], codes[:m], joined[:m], after[1], count, table, np.zeros(m, np.int64), np.zeros(m, np.int64)
    )
    sample, kind = after[-2][:kinds], after[-1]
    wanted = list(zip(font[run[:m]].tolist(), codes[:m].tolist(), joined[:m].tolist(), strict=True))
    assert [wanted[place] for place in sample.tolist()] == sorted(set(wanted))
    assert [wanted[sample[each]] for each in kind.tolist()] == wanted
    em = np.full(runs, 10.0, np.float32)
    same_in_both(NAME, "spread_of_kinds", kind, run[:m], boxes[:m], em, *np.zeros((3, kinds)))
    before, advance = np.zeros(kinds, np.float32), np.linspace(-1, 1, kinds, dtype=np.float32)
    same_in_both(NAME, "set_advances", kind, run[:m], boxes[:m], before, advance, em, em, *np.zeros((3, m), np.float32))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None)  # the loops as they stand take their time on a busy machine
@given(st.lists(st.tuples(LENGTHS, LENGTHS), min_size=1, max_size=20), st.sampled_from([0, 90, 180, 270]), st.sampled_from([1.0, 2.5]))
def test_places_on_the_page(origins: list[tuple[float, float]], rotation: int, scale: float) -> None:
    n = len(origins)
    x, y = (np.array(values, np.float32) for values in zip(*origins, strict=True))
    space = PageSpace((-10.0, 3.25, 400.5, 600.25), rotation, scale)
    start, end, run = np.zeros(n, np.float32), np.full(n, 5.5, np.float32), np.zeros(n, np.int32)
    up, down = np.array([8.0], np.float32), np.array([-2.0], np.float32)
    out = [np.zeros((4, n), np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.uint8)]
    _, after = same_in_both(
        NAME, "place_glyphs", run, start, end, x, y, up, down, *space.box, rotation // 90, scale, *space.size, GlyphFlag.OUTSIDE, *out
    )
    boxes, on_x, on_y, flags = after[-4:]
    wanted = space.boxes(x + start, y + down[run], x + end, y + up[run])
    assert boxes.T.tobytes() == np.ascontiguousarray(wanted).tobytes() or np.isnan(wanted).any()
    assert np.array_equal(boxes.T, wanted, equal_nan=True)
    assert all(np.array_equal(one, other, equal_nan=True) for one, other in zip(space.points(x, y), (on_x, on_y), strict=True))
    width, height = space.size
    assert (
        flags.astype(bool).tolist()
        == ((wanted[:, 2] <= 0) | (wanted[:, 3] <= 0) | (wanted[:, 0] >= width) | (wanted[:, 1] >= height)).tolist()
    )


def test_a_page_reads_the_same_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = columns(read(make_page(MIXED)))
    monkeypatch.setattr(glyphs, "_LOOPS", glyph_loops)
    assert columns(read(make_page(MIXED))) == with_them


@pytest.mark.skipif(compiled(NAME) is None, reason="the loops were not compiled: no C compiler where pdfmill was installed")
def test_an_index_outside_is_refused() -> None:
    loops = compiled(NAME)
    assert loops is not None
    with pytest.raises(IndexError):
        loops.number_characters(np.array([5, 900], np.uint32), np.zeros(10, np.int32))
    with pytest.raises(IndexError):
        loops.falls_down(np.array([0, 0, 3], np.int32), np.zeros((1, 4), np.float32), np.zeros(1, np.float32))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "ae", "am", "^a", "amm", "fi", "R", "RR", "RM"]), LENGTHS.filter(np.isfinite)), max_size=6))
def test_letters_of_a_glyph_have_equal_parts(glyphs: list[tuple[str, float]]) -> None:
    signs = "".join(text for text, _ in glyphs)
    first = np.array([place == 0 for text, _ in glyphs for place in range(len(text))], np.uint8)
    marks, accents, leftwards = (np.array([sign in kinds for sign in signs], np.uint8) for kinds in ("mM", "^", "RM"))
    left = np.array([place for text, place in glyphs for _ in text], np.float32).clip(-1000, 1000)
    loose = np.zeros((len(signs), 4), np.float32)
    loose[:, 0], loose[:, 2] = left, left + 12
    out = [np.zeros(len(signs), np.float32), np.zeros(len(signs), np.float32)]
    members = np.arange(len(signs))
    _, after = same_in_both(NAME, "share_boxes", members, first, marks, accents, leftwards, loose, *out)
    places = {"a": [0], "ae": [0, 1], "am": [0, 1], "^a": [0, 0], "amm": [0, 1, 1], "fi": [0, 1], "R": [0], "RR": [1, 0], "RM": [0, 0]}
    counts = [sum(sign in "aefiR" for sign in text) for text, _ in glyphs for _ in text]
    part = ((loose[:, 2] - loose[:, 0]) / np.array(counts, np.int64)).astype(np.float32)
    place = np.array([place for text, _ in glyphs for place in places[text]], np.int64)
    assert after[-2].tolist() == (loose[:, 0] + place * part).astype(np.float32).tolist()
    assert after[-1].tolist() == np.where(marks, 0, part).tolist()


def outline(letter: int, *contours: list[tuple[float, float]]) -> list[tuple[int, int, float, float]]:
    """Straight contours of a letter, as segments: letter, kind, x, y."""
    return [(letter, 2 if n == 0 else 0, x, y) for contour in contours for n, (x, y) in enumerate(contour)]


def crossed(segments: list[tuple[int, int, float, float]], shares: list[float]) -> list[list[float]]:
    """The parts of lines inside of these outlines, as `cross_letters` gives them in both builds."""
    letter, kind, x, y = (np.array(column) for column in zip(*segments, strict=True))
    most = 4 * len(letter)
    found, after = same_in_both(
        NAME, "cross_letters", letter.astype(np.int64), kind.astype(np.int32), np.stack((x, y), axis=1).astype(np.float32),
        np.array([[0.125, 0.375, 0.375, 0.125], [0, 0, 0, 1.0]]), np.array(shares), np.zeros((most, 2)), np.zeros(most, np.int64),
        np.zeros(most), np.zeros(most, np.int64), np.zeros((most * len(shares), 5)),
    )  # fmt: skip
    return after[-1][:found].tolist()


def test_lines_across_letters() -> None:
    n = outline(3, [(1, 0), (2, 0), (2, 8), (1, 8)], [(4, 0), (5, 0), (6, 8), (5, 8)])
    point, hole = outline(5, [(9, 9)]), outline(7, [(0, 0), (9, 0), (9, 9), (0, 9)], [(3, 3), (3, 6), (6, 6), (6, 3)])
    assert crossed([*n, *point, *hole], [0.5]) == [[3, 0, 1, 2, 8], [3, 0, 4.5, 5.5, 8], [7, 0, 0, 3, 9], [7, 0, 6, 9, 9]]
    bowl = [(0, 2, 0.0, 0.0), (0, 1, 4.0, 0.0), (0, 1, 4.0, 8.0), (0, 1, 0.0, 8.0)]
    assert crossed(bowl, [0.25]) == [[0, 0, 0, 1.5, 8]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=40))
def test_any_outlines_are_crossed_alike_in_both_builds(segments: list[tuple[int, int, int, int]]) -> None:
    for _, row, start, end, height in crossed([(0, 2, 0.0, 0.0), *sorted(segments, key=lambda each: each[0])], [0.3, 0.6]):
        assert row in (0, 1)
        assert start <= end
        assert height > 0
