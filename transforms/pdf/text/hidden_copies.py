"""Text that seems unseen and is not: of text drawn several times nearly in one place (embossed, white first) PDFium keeps the first copy
only, and what shows is another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_FILL, OBJECT_MODE, black, of_objects
from pdfmill.transforms.pdf.text.text_objects import TextObject, boxes_of, text_objects

#: How far apart the sides of two copies are, of their height.
_ASIDE: Final = 0.3
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


def _looks(objects: Sequence[TextObject]) -> NDArray[np.float64]:
    """float64[n, 6]: left, bottom, right, top in user space; colour 0xRRGGBB; 1 where it is painted."""
    handles = np.array([each.handle for each in objects], np.uint64)
    found = np.zeros((len(objects), 6))
    found[:, :4] = boxes_of(objects)
    colors = of_objects(OBJECT_FILL, handles, black(len(objects)))
    found[:, 4] = colors[:, 0] << 16 | colors[:, 1] << 8 | colors[:, 2]
    found[:, 5] = np.isin(of_objects(OBJECT_MODE, handles, np.zeros(len(objects), np.int32)), _PAINTS) & (colors[:, 3] > 0)
    return found
