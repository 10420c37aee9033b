"""Detect text in the colour of its background, which nobody sees (white on white, mostly)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Key, first_time, get, get_dict, integer, keys
from pdfmill.transforms.pdf.text.fill_rule import paints
from pdfmill.transforms.pdf.text.graphics import Graphics, Painted
from pdfmill.transforms.pdf.text.user_space import PageSpace

Floats = NDArray[np.floating]

_PAPER: Final = np.full(3, 255, np.int64)
_OPAQUE: Final = 255
#: The type of patterns that are shadings.
_SHADING: Final = 2
#: Difference of a colour channel, of 255, that no eye sees.
_SAME: Final = 3
#: Bits to the right of each channel.
_SHIFTS: Final = np.array([16, 8, 0])


def mark_same_color(glyphs: Glyphs, graphics: Graphics, space: PageSpace, shaded: Callable[[], bool]) -> None:
    """Set `SAME_COLOR`, in place. The ground is what the last filled path over a glyph's middle paints there, else paper; over images,
    shadings, drawings and what lets shine through nothing is said, for what they show is not known. A page of one colour is not judged:
    its ground must be drawn another way. shaded: whether the page has patterns that are shadings: PDFium calls what they fill white."""
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
    """Return whether the page, or a form that it draws, uses a shading pattern (ISO 32000-2 §8.7.4)."""
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
    """Return the fills, with white ones made transparent."""
    colors = fills.colors.copy()
    colors[(colors == _OPAQUE).all(axis=1), 3] = 1
    return replace(fills, colors=colors)


def _suspects(colors: NDArray[np.int64], painted: Sequence[Painted]) -> NDArray[np.bool_]:
    """Return which of the text's colours are that of paper or of a fill."""
    fills = [each.colors[:, :3].astype(np.int64) for each in painted]
    near: NDArray[np.bool_] = (np.abs(_channels(colors)[:, None] - np.concatenate([*fills, _PAPER[None]])).max(axis=2) <= _SAME).any(axis=1)
    return near


def _grounds(painted: Sequence[Painted], space: PageSpace, x: Floats, y: Floats) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """int64[n, 3], red, green and blue of what lies under each point, and bool[n], whether that is known."""
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
    """int64[n, 3]: red, green and blue of 0xRRGGBB."""
    channels: NDArray[np.int64] = colors[:, None] >> _SHIFTS & 0xFF
    return channels
