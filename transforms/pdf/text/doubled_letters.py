"""Doubled letters that PDFium takes for one: where each letter is a text object of its own and its ink reaches over the next one's (an
italic "ff"), it takes the second for a copy that makes the first bold, and leaves it out of its text page ("Of ices")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_BOUNDS, OBJECT_FONT, of_objects
from pdfmill.transforms.pdf.text.text_objects import TextObject, boxes_of, lone_objects, text_objects
from pdfmill.transforms.pdf.text.user_space import PageSpace

#: Share of a page's runs that are single letters, from which its letters are drawn one by one.
_SINGLE: Final = 0.5
#: How far the second of two letters stands from the first, in its advance: copies that make bold are nearer.
_APART: Final = (0.8, 1.5)
#: Difference of the sizes of two objects that show one letter, and of their heights on the line, of the object's height.
_SAME: Final = 0.02


def add_doubled(glyphs: Glyphs, handles: Sequence[int], page: int, drawn: int, space: PageSpace) -> int:
    """Add the missing second letters behind the first, each as a run of its own, in place; return their number.

    handles: text object of each run. page: PDFium's handle. drawn: how many text objects the page has.
    """
    heard = {handle: run for run, handle in enumerate(handles)}
    if not handles or drawn <= len(heard) or not len(glyphs.run):
        return 0
    sizes = np.bincount(glyphs.run, minlength=len(handles))
    if np.count_nonzero(sizes == 1) < _SINGLE * np.count_nonzero(sizes):
        return 0
    if not _may_be_doubled(page, heard, sizes):
        return 0
    placed = text_objects(page)
    pairs = [
        (before, each)
        for before, each in zip(placed, placed[1:], strict=False)
        if each.handle not in heard and (run := heard.get(before.handle)) is not None and sizes[run] == 1
    ]
    if not pairs:
        return 0
    return _insert(glyphs, pairs, heard, space)


def _may_be_doubled(page: int, heard: Mapping[int, int], sizes: NDArray[np.int64]) -> bool:
    """Some text object that gave no letter follows one that gave a single one, and is no blank; a page with forms is looked at whole."""
    objects = lone_objects(page)
    if objects is None:
        return True
    handles, runs = np.array(list(heard), np.uint64), np.array(list(heard.values()), np.int64)
    order = np.argsort(handles)
    place = np.searchsorted(handles[order], objects).clip(max=len(handles) - 1)
    known = handles[order][place] == objects
    single = known & (sizes[runs[order][place]] == 1)
    follows = (~known[1:] & single[:-1]).nonzero()[0] + 1
    boxes = of_objects(OBJECT_BOUNDS, objects[follows], np.zeros((len(follows), 4), np.float32))
    return bool((boxes[:, 2] > boxes[:, 0]).any())


def _insert(glyphs: Glyphs, pairs: list[tuple[TextObject, TextObject]], heard: dict[int, int], space: PageSpace) -> int:
    first, second = _measures([a for a, _ in pairs]), _measures([b for _, b in pairs])
    order = np.argsort(glyphs.run, kind="stable")
    twins = order[np.searchsorted(glyphs.run[order], [heard[a.handle] for a, _ in pairs])]
    shift, height = second[:, :2] - first[:, :2], first[:, 3] - first[:, 1]
    alike = (np.abs((second[:, 2:4] - second[:, :2]) - (first[:, 2:4] - first[:, :2])).max(axis=1) < _SAME * height) & (
        first[:, 4] == second[:, 4]
    )
    advance = (glyphs.x1 - glyphs.x0)[twins] / space.scale
    level = np.abs(shift[:, 1]) < _SAME * height
    apart = (shift[:, 0] > _APART[0] * advance) & (shift[:, 0] < _APART[1] * advance)
    upright = (glyphs.angle[twins] == 0) & (space.rotation == 0)
    taken = alike & level & apart & upright & (height > 0)
    if not taken.any():
        return 0
    source, along = twins[taken], (shift[taken, 0] * space.scale).astype(np.float32)
    run = int(glyphs.run.max()) + 1
    for name in glyphs.__struct_fields__:
        if name != "styles":
            column = getattr(glyphs, name)
            added = column[source] + along if name in ("x0", "x1", "origin_x") else column[source]
            setattr(glyphs, name, np.insert(column, source + 1, np.arange(run, run + len(source)) if name == "run" else added))
    return len(source)


def _measures(objects: Sequence[TextObject]) -> NDArray[np.float64]:
    """float64[n, 5]: left, bottom, right, top in user space, and the font's handle."""
    handles = np.array([each.handle for each in objects], np.uint64)
    found = np.zeros((len(objects), 5))
    found[:, :4] = boxes_of(objects)
    found[:, 4] = of_objects(OBJECT_FONT, handles, np.zeros(len(objects), np.uint64))
    return found
