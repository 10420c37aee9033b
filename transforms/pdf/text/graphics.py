"""Read what a page draws besides text: rules (straight lines), filled areas, images, and edges of tables (ISO 32000-2 §8.5, §8.9)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.pdfium_api import (
    IMAGE_PIXELS,
    OBJECT_BOUNDS,
    OBJECT_FILL,
    OBJECT_MATRIX,
    OBJECT_TYPE,
    PATH_DRAW_MODE,
    PATH_SEGMENT,
    PATH_SEGMENTS,
    SEGMENT_CLOSE,
    SEGMENT_POINT,
    SEGMENT_TYPE,
    black,
    of_objects,
    of_parts,
    page_objects,
)
from pdfmill.transforms.pdf.text.text_objects import joined
from pdfmill.transforms.pdf.text.user_space import PageSpace, bounded

Floats = NDArray[np.float32]
Handles = NDArray[np.uint64]

_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5
#: Thickness, points, from which strokes and fills are areas instead of rules; the thickest table rules of the corpus have 3.
RULE_THICKNESS: Final = 4.0
#: Smallest length of a rule, points; shorter strokes are dashes of drawings.
RULE_LENGTH: Final = 4.0
#: Small shapes: greatest length of the longer side, points; least ratio of the shorter side to the longer.
_MARK, _MARK_SHAPE = 12.0, 0.6
_NONE: Final = np.zeros((0, 4), np.float32)


Matrix = NDArray[np.float64]
#: The forms that contain an object, by handle, each with the matrix to the space that contains the form.
Around = tuple[tuple[int, Matrix], ...]

_USER_SPACE: Final = np.array([[1, 0], [0, 1], [0, 0]], np.float64)


class FormTexts(Struct, frozen=True):
    """The text objects of one form XObject. matrix: from the form's space to user space. forms: (handle, matrix) of the form and of each
    form that contains it; this matrix leads to the space around the form."""

    handles: list[int]  # PDFium's handles of the text objects
    matrix: Matrix  # float64[3, 2], from the form's space to user space
    #: Handles of the form and of those that contain it, each with the matrix to the space that contains it.
    forms: tuple[tuple[int, Matrix], ...]


class Painted(Struct, frozen=True):
    """The n filled paths of one layer (the page itself, or a form), in painting order. order: position in the painting order of the page.
    matrix: from the layer's space to user space."""

    boxes: Floats  # float32[n, 4], bounds on the displayed page
    handles: Handles  # PDFium's handles, valid while the page is open
    colors: NDArray[np.uint32]  # uint32[n, 4]: red, green, blue and opacity, 0 to 255
    even_odd: NDArray[np.bool_]  # bool[n], the filling rule (§8.5.3.3)
    matrix: Matrix  # float64[3, 2], from the layer's space to user space
    order: NDArray[np.float64]  # float64[n], position in the page's painting order


class Graphics(Struct):
    """The graphics of a page. Boxes are float32[n, 4], points on the displayed page. marks: small shapes about as high as wide. shadings:
    areas painted by a shading. edges: horizontal and vertical edges of rules and stroked rectangles."""

    rules: Floats = field(default_factory=_NONE.copy)  # as in `PageLines`
    fills: Floats = field(default_factory=_NONE.copy)  # as in `PageLines`
    marks: Floats = field(default_factory=_NONE.copy)  # small shapes about as high as they are wide
    dashes: Floats = field(default_factory=_NONE.copy)  # thin horizontal lines that are too short for rules
    painted: list[Painted] = field(default_factory=list)  # the paths of the fills, in painting order
    images: Floats = field(default_factory=_NONE.copy)  # as in `PageLines`
    shadings: Floats = field(default_factory=_NONE.copy)  # areas painted by a shading
    #: Horizontal (top == bottom) and vertical (x0 == x1) edges of rules and stroked rectangles.
    edges: Floats = field(default_factory=_NONE.copy)
    form_texts: list[FormTexts] = field(default_factory=list)  # text objects of forms
    text_objects: int = 0  # number of text objects of the page and its forms


def read_graphics(page: int, space: PageSpace, *, max_objects: int, max_depth: int) -> Graphics:
    """Read the graphics of a page and of the forms that it draws. page: PDFium's handle. max_depth: deepest nesting of forms that is
    read."""
    found = Graphics()
    parts: dict[str, list[Floats]] = {"rules": [], "fills": [], "marks": [], "dashes": [], "images": [], "shadings": [], "edges": []}
    left = max_objects
    for handles, kinds, order, matrix, forms in _layers(page, max_depth):
        if len(handles) > left:
            handles, kinds, order = handles[:left], kinds[:left], order[:left]
        left -= len(handles)
        texts = handles[kinds == _TEXT]
        found.text_objects += len(texts)
        if forms and len(texts):
            found.form_texts.append(FormTexts(texts.tolist(), matrix, forms))
        if len(images := handles[kinds == _IMAGE]):
            _sort_images(images, matrix, space, parts)
        if len(shadings := handles[kinds == _SHADING]):
            parts["shadings"].append(_bounds(shadings, matrix, space))
        if len(paths := handles[kinds == _PATH]):
            _sort_paths(paths, order[kinds == _PATH], matrix, space, parts, found.painted)
    for name, boxes in parts.items():
        setattr(found, name, bounded(np.concatenate(boxes)) if boxes else _NONE.copy())
    return found


def _layers(page: int, max_depth: int) -> Iterator[tuple[Handles, NDArray[np.int32], NDArray[np.float64], Matrix, Around]]:
    """Yield the objects of the page, and then those of each form, as (handles, types, positions in painting order, matrix to user space,
    the forms that contain them)."""
    waiting: list[tuple[Handles, float, float, Matrix, Around]] = [(page_objects(page), 0.0, 1.0, _USER_SPACE, ())]
    while waiting:
        handles, begin, share, matrix, around = waiting.pop()
        handles = handles[handles != 0]
        kinds = of_objects(OBJECT_TYPE, handles, np.zeros(len(handles), np.int32))
        step = share / (len(handles) + 1)  # objects of a form are ordered between the objects before and after the form
        order: NDArray[np.float64] = begin + step * np.arange(len(handles), dtype=np.float64)
        yield handles, kinds, order, matrix, around
        if len(around) >= max_depth:
            continue
        forms = kinds == _FORM
        if not forms.any():
            continue
        for form, place, own in zip(handles[forms].tolist(), order[forms].tolist(), _matrices(handles[forms]), strict=True):
            inner = np.fromiter(map(calls.get_form_object, repeat(form), range(calls.count_form_objects(form))), np.uint64)
            waiting.append((inner, place, step, joined(own, matrix), (*around, (form, matrix))))


def _matrices(handles: Handles) -> NDArray[np.float64]:
    return of_objects(OBJECT_MATRIX, handles, np.zeros((len(handles), 6), np.float32)).astype(np.float64).reshape(-1, 3, 2)


def _bounds(handles: Handles, matrix: NDArray[np.float64], space: PageSpace) -> Floats:
    """Return float32[n, 4], the boxes of objects on the displayed page. matrix: from the objects' space to user space."""
    table = of_objects(OBJECT_BOUNDS, handles, np.zeros((len(handles), 4), np.float32))  # left, bottom, right, top
    if matrix is _USER_SPACE:
        return space.boxes(table[:, 0], table[:, 1], table[:, 2], table[:, 3])
    corners = [table[:, [i, j]].astype(np.float64) @ matrix[:2] + matrix[2] for i in (0, 2) for j in (1, 3)]
    low, high = np.minimum.reduce(corners).astype(np.float32), np.maximum.reduce(corners).astype(np.float32)
    return space.boxes(low[:, 0], low[:, 1], high[:, 0], high[:, 1])


def _sort_images(images: Handles, matrix: Matrix, space: PageSpace, parts: dict[str, list[Floats]]) -> None:
    """Divide images into rules and others, and add their boxes to `parts`. A thin image of one pixel is a rule: dvips draws all so."""
    boxes = _bounds(images, matrix, space)
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    thin = (np.minimum(width, height) <= RULE_THICKNESS) & (np.maximum(width, height) > 2 * np.minimum(width, height))
    if thin.any():
        thin[thin] = (of_objects(IMAGE_PIXELS, images[thin], np.zeros((int(thin.sum()), 2), np.int32)) == 1).all(1)
        _sort_thin(boxes[thin], parts)
    parts["images"].append(boxes[~thin])


def _sort_thin(boxes: Floats, parts: dict[str, list[Floats]]) -> NDArray[np.bool_]:
    """Add boxes that are rules, or dashes, to `parts`. Return bool[n], which are rules. boxes: of painted paths and of images."""
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    thin = _is_rule(width, height)
    parts["rules"].append(boxes[thin])
    parts["dashes"].append(boxes[~thin & (width < RULE_LENGTH) & (width > 2 * height)])
    parts["edges"].append(_middle_lines(boxes[thin]))
    return thin


def _sort_paths(
    paths: Handles,
    order: NDArray[np.float64],
    matrix: NDArray[np.float64],
    space: PageSpace,
    parts: dict[str, list[Floats]],
    fills: list[Painted],
) -> None:
    """Divide painted paths into rules, fills and edges, and add these to `parts` (boxes by kind) and `fills`.
    order: position of each path in painting order. matrix: from the paths' space to user space."""
    mode = of_objects(PATH_DRAW_MODE, paths, np.zeros((len(paths), 2), np.int32))
    painted = (mode[:, 0] | mode[:, 1]) != 0
    if not painted.any():
        return
    paths, mode, order = paths[painted], mode[painted], order[painted]
    boxes = _bounds(paths, matrix, space)
    segments = of_objects(PATH_SEGMENTS, paths, np.zeros(len(paths), np.int32))
    filled, stroked = mode[:, 0] != 0, mode[:, 1] != 0
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    thin = _sort_thin(boxes, parts)
    grids = (stroked & ~thin & (segments <= _MAX_SEGMENTS)).nonzero()[0]
    parts["marks"].append(
        boxes[(np.maximum(width, height) <= _MARK) & (np.minimum(width, height) >= _MARK_SHAPE * np.maximum(width, height))]
    )
    area = filled & ~thin & (width > RULE_THICKNESS) & (height > RULE_THICKNESS)
    if area.any():
        parts["fills"].append(boxes[area])
        rgba = of_objects(OBJECT_FILL, paths[area], black(int(area.sum())))
        fills.append(Painted(boxes[area], paths[area], rgba, mode[area, 0] == _EVEN_ODD, matrix, order[area]))
    pieces = _pieces(paths[grids], segments[grids], matrix, space)
    if len(pieces):
        parts["edges"].append(pieces)
        parts["rules"].append(pieces)


#: Value of a path's draw mode for the even-odd rule.
_EVEN_ODD: Final = 1
#: Segments of a path from which it is a drawing instead of a grid.
_MAX_SEGMENTS: Final = 2_000


def _is_rule(width: Floats, height: Floats) -> NDArray[np.bool_]:
    long, short = np.maximum(width, height), np.minimum(width, height)
    return (short <= RULE_THICKNESS) & (long >= RULE_LENGTH) & (long > 2 * short)


def _middle_lines(boxes: Floats) -> Floats:
    lines = boxes.copy()
    flat = (boxes[:, 2] - boxes[:, 0]) >= (boxes[:, 3] - boxes[:, 1])
    lines[flat, 1] = lines[flat, 3] = (boxes[flat, 1] + boxes[flat, 3]) / 2
    lines[~flat, 0] = lines[~flat, 2] = (boxes[~flat, 0] + boxes[~flat, 2]) / 2
    return lines


def _pieces(paths: Handles, counts: NDArray[np.int32], matrix: NDArray[np.float64], space: PageSpace) -> Floats:
    """Return float32[n, 4], the horizontal and vertical straight segments of paths on the displayed page, closing segments too.
    counts: number of segments of each path. matrix: from the paths' space to user space."""
    table, owner = _straight_segments(paths, counts)
    if not len(table):
        return _NONE.copy()
    own = _matrices(paths)[owner]
    first, second = (_place(table[:, columns], own) @ matrix[:2] + matrix[2] for columns in (slice(0, 2), slice(2, 4)))
    low, high = np.minimum(first, second).astype(np.float32), np.maximum(first, second).astype(np.float32)
    boxes = space.boxes(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    straight = (np.minimum(width, height) < 0.5) & (np.maximum(width, height) >= RULE_LENGTH)
    return _middle_lines(boxes[straight])


def _place(points: NDArray[np.float64], matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    return points[:, :1] * matrices[:, 0] + points[:, 1:] * matrices[:, 1] + matrices[:, 2]


def _straight_segments(paths: Handles, counts: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return float64[n, 4], the start and end of each straight segment in the space of its path, and int64[n], the index of the path."""
    total = int(counts.sum())
    if not total:
        return np.zeros((0, 4)), np.zeros(0, np.int64)
    segments = np.concatenate(
        [
            of_parts(PATH_SEGMENT, path, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))
            for path, count in zip(paths.tolist(), counts.tolist(), strict=True)
        ]
    )
    points = of_objects(SEGMENT_POINT, segments, np.zeros((total, 2), np.float32)).tolist()
    kinds = of_objects(SEGMENT_TYPE, segments, np.zeros(total, np.int32)).tolist()
    closes = of_objects(SEGMENT_CLOSE, segments, np.zeros(total, np.int32)).tolist()
    found: list[tuple[float, ...]] = []
    owners: list[int] = []
    start = last = [0.0, 0.0]
    path_before = -1
    for path, here, kind, close in zip(np.repeat(np.arange(len(paths)), counts).tolist(), points, kinds, closes, strict=True):
        if path != path_before:
            start = last = [0.0, 0.0]
            path_before = path
        if kind == _MOVE:
            start = here
        elif kind == _LINE:
            found.append((*last, *here))
            owners.append(path)
        if close:
            found.append((*here, *start))
            owners.append(path)
        last = start if close else here
    return np.array(found, np.float64).reshape(-1, 4), np.array(owners, np.int64)


_LINE, _MOVE = 0, 2
