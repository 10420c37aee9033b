"""Text that seems unseen and is not: of text drawn several times nearly in one place (embossed, white first) PDFium keeps the first copy
only, and what shows is another one; of text drawn as outlines (made-up bold of Chrome) the text itself is transparent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_BOUNDS, OBJECT_FILL, OBJECT_MODE, PATH_SEGMENTS, black, of_objects
from pdfmill.transforms.pdf.text.graphics import Painted
from pdfmill.transforms.pdf.text.text_objects import TextObject, boxes_of, text_objects
from pdfmill.transforms.pdf.text.user_space import PageSpace

#: How far apart the sides of two copies are, of their height.
_ASIDE: Final = 0.3
#: How far outlines reach beyond their text, of its height; segments of the outline of a letter, at least: a frame has fewer.
_BEYOND: Final = 0.2
_SEGMENTS: Final = 8
#: Render modes that paint (Table 104).
_PAINTS: Final = (0, 1, 2, 4, 5, 6)
_UNSEEN: Final = GlyphFlag.SAME_COLOR | GlyphFlag.INVISIBLE


def show_copied(glyphs: Glyphs, handles: list[int], page: int) -> None:
    """Clear `SAME_COLOR` and `INVISIBLE` of glyphs whose visible copy PDFium left out. Changes the flags in place.

    handles: text object of each run; none where PDFium did not read the page. page: PDFium's handle.
    """
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
    """Clear `INVISIBLE` of glyphs whose letters are painted as a path: one that reaches as far as their text to all sides. In place.

    handles: text object of each run; none where PDFium did not read the page.
    """
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
    """float64[n, 6]: left, bottom, right, top in user space; colour 0xRRGGBB; 1 where it is painted."""
    handles = np.array([each.handle for each in objects], np.uint64)
    found = np.zeros((len(objects), 6))
    found[:, :4] = boxes_of(objects)
    colors = of_objects(OBJECT_FILL, handles, black(len(objects)))
    found[:, 4] = colors[:, 0] << 16 | colors[:, 1] << 8 | colors[:, 2]
    found[:, 5] = np.isin(of_objects(OBJECT_MODE, handles, np.zeros(len(objects), np.int32)), _PAINTS) & (colors[:, 3] > 0)
    return found
