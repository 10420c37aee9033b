"""Detect text in the colour of its background, which readers cannot see, such as white text on white paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Key, first_time, get, get_dict, integer, keys
from pdfmill.transforms.pdf.open.pdfium_api import (
    OBJECT_BOUNDS,
    OBJECT_FILL,
    OBJECT_MATRIX,
    OBJECT_MODE,
    PATH_SEGMENT,
    PATH_SEGMENTS,
    SEGMENT_POINT,
    SEGMENT_TYPE,
    black,
    of_objects,
    of_parts,
)
from pdfmill.transforms.pdf.text.graphics import Graphics, Painted
from pdfmill.transforms.pdf.text.text_objects import TextObject, boxes_of, text_objects
from pdfmill.transforms.pdf.text.user_space import PageSpace

# Determine which points a filled path covers (ISO 32000-2 §8.5.3.3). The bounding box does not suffice: a painted frame is empty inside.


Points = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Segments of a path from which it is a drawing, whose painted area is treated as unknown.
_MAX_SEGMENTS: Final = 2_000
#: Straight edges by which a curve is approximated.
_PIECES: Final = 4
_CURVE, _MOVE = 1, 2
#: Distance, points, within which a corner of a path lies on the path's bounding box.
_ON_BOX: Final = 0.01


def paints(fills: Painted, which: int, space: PageSpace, x: Points, y: Points) -> Mask | None:
    """Return bool[n], whether the fill `which` covers each point inside its box on the displayed page; None for too many segments."""
    handle = int(fills.handles[which])
    count = int(of_objects(PATH_SEGMENTS, fills.handles[which : which + 1], np.zeros(1, np.int32))[0])
    if not 0 < count <= _MAX_SEGMENTS:
        return None
    segments = of_parts(PATH_SEGMENT, handle, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))
    kinds = of_objects(SEGMENT_TYPE, segments, np.zeros(count, np.int32))
    points = of_objects(SEGMENT_POINT, segments, np.zeros((count, 2), np.float32)).astype(np.float64)
    own = of_objects(OBJECT_MATRIX, fills.handles[which : which + 1], np.zeros((1, 6), np.float32)).astype(np.float64).reshape(3, 2)
    for matrix in (own, fills.matrix):
        points = points @ matrix[:2] + matrix[2]
    shown = np.stack(space.points(points[:, 0].astype(np.float32), points[:, 1].astype(np.float32)), axis=1).astype(np.float64)
    if _is_rectangle(shown, kinds):
        return np.ones(len(x), np.bool_)
    return _winds(_edges(shown, kinds), x, y, even_odd=bool(fills.even_odd[which]))


def _is_rectangle(points: Points, kinds: NDArray[np.int32]) -> bool:
    if not 4 <= len(points) <= 5 or (kinds[1:] != 0).any():
        return False
    low, high = points.min(axis=0), points.max(axis=0)
    on_low, on_high = points - low < _ON_BOX, high - points < _ON_BOX
    turns = np.abs(np.diff(points[:4], axis=0)) < _ON_BOX
    return bool((on_low | on_high).all() and (turns.sum(axis=1) == 1).all() and (turns[0] != turns[1]).all())


def _edges(points: Points, kinds: NDArray[np.int32]) -> Points:
    """Return float64[n, 4], the start and the end of the straight edges of a path. Curves are divided, and every subpath is closed."""
    found: list[tuple[Points, Points]] = []
    start = last = points[0]
    place = 0
    while place < len(points):
        here = points[place]
        if kinds[place] == _MOVE:
            found.append((last, start))
            start = here
        elif kinds[place] == _CURVE and place + 2 < len(points):
            control, here = points[place : place + 2], points[place + 2]
            for at in _curve(last, control[0], control[1], here):
                found.append((last, at))
                last = at
            place += 2
        else:
            found.append((last, here))
        last = here
        place += 1
    found.append((last, start))
    return np.array([(*one, *two) for one, two in found], np.float64)


def _curve(start: Points, first: Points, second: Points, end: Points) -> Points:
    """Return points of a cubic Bézier curve, without its start (§8.5.2.2). first, second: its control points."""
    t = np.linspace(0, 1, _PIECES + 1)[1:, None]
    return np.asarray((1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t**2 * second + t**3 * end)


def _winds(edges: Points, x: Points, y: Points, *, even_odd: bool) -> Mask:
    """Return bool[n], whether each point is inside the path, by the edges that a ray to the right crosses. edges: float64[m, 4]."""
    x0, y0, x1, y1 = edges[edges[:, 1] != edges[:, 3]].T
    up = (y0 <= y[:, None]) & (y[:, None] < y1)
    down = (y1 <= y[:, None]) & (y[:, None] < y0)
    beyond = x[:, None] < x0 + (y[:, None] - y0) / (y1 - y0) * (x1 - x0)
    winding = (up & beyond).sum(axis=1) - (down & beyond).sum(axis=1)
    inside: Mask = winding % 2 == 1 if even_odd else winding != 0
    return inside


Floats = NDArray[np.floating]

_PAPER: Final = np.full(3, 255, np.int64)
_OPAQUE: Final = 255
#: PatternType of shading patterns.
_SHADING: Final = 2
#: Largest difference of a colour channel, of 255, that is invisible.
_SAME: Final = 3
#: Bits to the right of each channel in 0xRRGGBB.
_SHIFTS: Final = np.array([16, 8, 0])


def mark_same_color(glyphs: Glyphs, graphics: Graphics, space: PageSpace, shaded: Callable[[], bool]) -> None:
    """Set the flag `SAME_COLOR` on glyphs in the colour of their background, in place: the last filled path below, or white paper.
    Over images, shadings, drawings and transparent fills the background is unknown. shaded: returns whether the page uses shading patterns,
    whose fills PDFium reports as white."""
    if not graphics.painted and all(style.color & 0xFF < _OPAQUE - _SAME for style in glyphs.styles):
        return  # on paper alone, as most text
    colors = np.array([style.color for style in glyphs.styles], np.int64)
    suspects = _suspects(colors, graphics.painted)
    members = suspects[glyphs.style].nonzero()[0] if suspects.any() else np.zeros(0, np.int64)
    if not len(members):
        return
    x: Floats = (glyphs.x0[members] + glyphs.x1[members]) * np.float32(0.5)
    y: Floats = (glyphs.top[members] + glyphs.bottom[members]) * np.float32(0.5)
    ground, known = _grounds(graphics.painted, space, x, y)
    same = known & (np.abs(_channels(colors)[glyphs.style[members]] - ground).max(axis=1) <= _SAME)
    if same.any() and any((fills.colors == _OPAQUE).all(axis=1).any() for fills in graphics.painted) and shaded():
        same &= _grounds([_not_white(fills) for fills in graphics.painted], space, x, y)[1]
    for box in (*graphics.images, *graphics.shadings):
        same &= ~_inside(x, y, box)
    glyphs.flags[members[same]] |= GlyphFlag.SAME_COLOR


def paints_shadings(document: PdfDocument | None, number: int) -> bool:
    """Return whether page `number`, from 1, or a form that it draws, uses a shading pattern (ISO 32000-2 §8.7.4)."""
    seen: set[Key] = set()
    waiting = [document.tree.attribute(number, "/Resources")] if document is not None else []
    while waiting:
        resources = waiting.pop()
        if resources is None or not first_time(resources, seen):
            continue
        patterns, drawn = get_dict(resources, "/Pattern"), get_dict(resources, "/XObject")
        if patterns is not None and any(integer(get(get(patterns, key), "/PatternType")) == _SHADING for key in keys(patterns)):
            return True
        waiting += [get(get(drawn, key), "/Resources") for key in (keys(drawn) if drawn is not None else ())]
    return False


def _not_white(fills: Painted) -> Painted:
    """Return the fills, with those in white made transparent, so that the background counts as unknown there."""
    colors = fills.colors.copy()
    colors[(colors == _OPAQUE).all(axis=1), 3] = 1
    return replace(fills, colors=colors)


def _suspects(colors: NDArray[np.int64], painted: Sequence[Painted]) -> NDArray[np.bool_]:
    """Return bool[n], which of these text colours (0xRRGGBB) equal the colour of paper or of a fill in `painted`."""
    fills = [each.colors[:, :3].astype(np.int64) for each in painted]
    near: NDArray[np.bool_] = (np.abs(_channels(colors)[:, None] - np.concatenate([*fills, _PAPER[None]])).max(axis=2) <= _SAME).any(axis=1)
    return near


def _grounds(painted: Sequence[Painted], space: PageSpace, x: Floats, y: Floats) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return int64[n, 3], the red, green and blue of the background at each point (x, y), and bool[n], whether it is known."""
    ground, known = np.repeat(_PAPER[None], len(x), axis=0), np.ones(len(x), np.bool_)
    places = [(order, fills, which) for fills in painted for which, order in enumerate(fills.order.tolist())]
    if len(painted) > 1:
        places.sort(key=lambda place: place[0])
    for _, fills, which in places:
        inside = _inside(x, y, fills.boxes[which]).nonzero()[0]
        opacity = int(fills.colors[which, 3])
        if not len(inside) or not opacity:
            continue
        area = paints(fills, which, space, x[inside].astype(np.float64), y[inside].astype(np.float64))
        if area is None or opacity < _OPAQUE:
            known[inside] = False
            continue
        ground[inside[area]], known[inside[area]] = fills.colors[which, :3], True
    return ground, known


def _inside(x: Floats, y: Floats, box: Floats) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])
    return inside


def _channels(colors: NDArray[np.int64]) -> NDArray[np.int64]:
    channels: NDArray[np.int64] = colors[:, None] >> _SHIFTS & 0xFF
    return channels


# Text that seems unseen and is not. Of text drawn several times nearly in one place (embossed, white first) PDFium keeps only the first
# copy, and another one is visible. Of text drawn as outlines (synthetic bold of Chrome) the text itself is transparent.


#: Largest distance between the sides of a text and its copy, in heights of the text.
_ASIDE: Final = 0.3
#: Distance by which outlines extend beyond their text, in heights of the text; and least segments of a letter's outline: a frame has fewer.
_BEYOND: Final = 0.2
_SEGMENTS: Final = 8
#: Text rendering modes that paint (Table 104).
_PAINTS: Final = (0, 1, 2, 4, 5, 6)
_UNSEEN: Final = GlyphFlag.SAME_COLOR | GlyphFlag.INVISIBLE


def show_copied(glyphs: Glyphs, handles: list[int], page: int) -> None:
    """Clear `SAME_COLOR` and `INVISIBLE` on glyphs with a visible copy, in place. PDFium leaves the copy out of its text page.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list; empty if pdfminer read the page."""
    flagged = (glyphs.flags & _UNSEEN) != 0
    if not handles or not flagged.any():
        return
    unseen = np.unique(glyphs.run[flagged])
    placed, heard = text_objects(page), set(handles)
    others = [each for each in placed if each.handle not in heard]
    by_handle = {each.handle: each for each in placed}
    runs = [run for run in unseen.tolist() if handles[run] in by_handle]
    if not others or not runs:
        return
    mine, theirs = _looks([by_handle[handles[run]] for run in runs]), _looks(others)
    theirs = theirs[(theirs[:, 5] > 0) & (theirs[:, 2] > theirs[:, 0])]
    for run, look in zip(runs, mine, strict=True):
        near = np.abs(theirs[:, :4] - look[:4]).max(axis=1) < _ASIDE * (look[3] - look[1])
        if (near & ((theirs[:, 4] != look[4]) | (look[5] == 0))).any():
            glyphs.flags[glyphs.run == run] &= ~_UNSEEN


def show_outlined(glyphs: Glyphs, handles: list[int], painted: Sequence[Painted], space: PageSpace) -> None:
    """Clear `INVISIBLE` on glyphs whose letters are also painted as a path of about the same size and position, in place.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list; empty if pdfminer read the page."""
    flagged = (glyphs.flags & GlyphFlag.INVISIBLE) != 0
    if not handles or not painted or not flagged.any():
        return
    runs = np.unique(glyphs.run[flagged])
    boxes = space.boxes(*of_objects(OBJECT_BOUNDS, np.array(handles, np.uint64)[runs], np.zeros((len(runs), 4), np.float32)).T.copy())
    slack = _BEYOND * (boxes[:, 3] - boxes[:, 1])
    for fills in painted:
        segments = of_objects(PATH_SEGMENTS, fills.handles, np.zeros(len(fills.handles), np.int32))
        for box in fills.boxes[(segments >= _SEGMENTS) & (fills.colors[:, 3] > 0)]:
            inside = ((boxes[:, :2] >= box[:2] - slack[:, None]) & (boxes[:, 2:] <= box[2:] + slack[:, None])).all(axis=1)
            if not inside.any():
                continue
            low, high, reach = boxes[inside, :2].min(axis=0), boxes[inside, 2:].max(axis=0), slack[inside].max()
            if (np.abs(np.concatenate((low, high)) - box) <= reach).all():
                glyphs.flags[np.isin(glyphs.run, runs[inside])] &= ~GlyphFlag.INVISIBLE


def _looks(objects: Sequence[TextObject]) -> NDArray[np.float64]:
    """Return float64[n, 6] of each text object: left, bottom, right, top in user space; colour 0xRRGGBB; 1 if the text is painted, else
    0."""
    handles = np.array([each.handle for each in objects], np.uint64)
    found = np.zeros((len(objects), 6))
    found[:, :4] = boxes_of(objects)
    colors = of_objects(OBJECT_FILL, handles, black(len(objects)))
    found[:, 4] = colors[:, 0] << 16 | colors[:, 1] << 8 | colors[:, 2]
    found[:, 5] = np.isin(of_objects(OBJECT_MODE, handles, np.zeros(len(objects), np.int32)), _PAINTS) & (colors[:, 3] > 0)
    return found
