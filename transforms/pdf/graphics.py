"""What a page draws besides text: ruling lines, filled areas, images, and the edges that tables are made of (ISO 32000-2 §8.5, §8.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.pdf import calls
from transforms.pdf.space import PageSpace

Floats = NDArray[np.float32]

_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5
#: Thicker strokes and fills, points, are areas; the thickest table rules of the corpus have 3.
RULE_THICKNESS: Final = 4.0
#: Shorter ones are dashes of drawings, points.
RULE_LENGTH: Final = 4.0
_NONE: Final = np.zeros((0, 4), np.float32)


@dataclass(slots=True)
class Graphics:
    """rules, fills, images: float32[n, 4] boxes as in `PageLines`. fill_colors: uint32[n], 0xRRGGBB of each fill.

    shadings: float32[n, 4], areas painted by a shading. edges: float32[n, 4], horizontal (top == bottom) and vertical (x0 == x1) edges of rules and stroked rectangles.
    text_objects: how many there are. truncated: more objects than were looked at.
    """

    rules: Floats = field(default_factory=_NONE.copy)
    fills: Floats = field(default_factory=_NONE.copy)
    fill_colors: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    images: Floats = field(default_factory=_NONE.copy)
    shadings: Floats = field(default_factory=_NONE.copy)
    edges: Floats = field(default_factory=_NONE.copy)
    text_objects: int = 0
    truncated: bool = False


def read_graphics(page: int, space: PageSpace, *, max_objects: int, max_depth: int) -> Graphics:
    """Rules, fills and images of the page and of the forms it shows."""
    found = Graphics()
    parts: dict[str, list[Floats]] = {"rules": [], "fills": [], "images": [], "shadings": [], "edges": []}
    colors: list[NDArray[np.uint32]] = []
    left = max_objects
    for handles, matrix in _layers(page, max_depth):
        if len(handles) > left:
            handles, found.truncated = handles[:left], True
        left -= len(handles)
        kinds = np.fromiter(map(calls.object_type, handles), np.int32, len(handles))
        found.text_objects += int(np.count_nonzero(kinds == _TEXT))
        images = [handle for handle, kind in zip(handles, kinds.tolist(), strict=True) if kind == _IMAGE]
        if images:
            parts["images"].append(_bounds(images, matrix, space))
        shadings = [handle for handle, kind in zip(handles, kinds.tolist(), strict=True) if kind == _SHADING]
        if shadings:
            parts["shadings"].append(_bounds(shadings, matrix, space))
        paths = [handle for handle, kind in zip(handles, kinds.tolist(), strict=True) if kind == _PATH]
        if paths:
            _sort_paths(paths, matrix, space, parts, colors)
    for name, boxes in parts.items():
        setattr(found, name, np.concatenate(boxes) if boxes else _NONE.copy())
    found.fill_colors = np.concatenate(colors) if colors else found.fill_colors
    return found


def _layers(page: int, max_depth: int) -> Iterator[tuple[list[int], NDArray[np.float64]]]:
    """Objects of the page, then of each form in it: handles, and the matrix (float64[3, 2]) from their space to user space."""
    identity = np.array([[1, 0], [0, 1], [0, 0]], np.float64)
    handles = list(map(calls.get_object, repeat(page), range(calls.count_objects(page))))
    waiting: list[tuple[list[int], NDArray[np.float64], int]] = [(handles, identity, 0)]
    while waiting:
        handles, matrix, depth = waiting.pop()
        handles = [handle for handle in handles if handle]
        yield handles, matrix
        if depth >= max_depth:
            continue
        for form in [handle for handle in handles if calls.object_type(handle) == _FORM]:
            own = calls.read_floats(calls.object_matrix, [form], 1, 6)[0].astype(np.float64).reshape(3, 2)
            total = own @ matrix[:2]
            total[2] += matrix[2]
            inner = list(map(calls.get_form_object, repeat(form), range(calls.count_form_objects(form))))
            waiting.append((inner, total, depth + 1))


def _bounds(handles: list[int], matrix: NDArray[np.float64], space: PageSpace) -> Floats:
    """Boxes on the displayed page."""
    table = np.zeros((len(handles), 4), np.float32)  # left, bottom, right, top
    calls.exhaust(map(calls.object_bounds, handles, *(calls.addresses(table, column) for column in range(4))))
    corners = [table[:, [i, j]].astype(np.float64) @ matrix[:2] + matrix[2] for i in (0, 2) for j in (1, 3)]
    low, high = np.minimum.reduce(corners).astype(np.float32), np.maximum.reduce(corners).astype(np.float32)
    return space.boxes(low[:, 0], low[:, 1], high[:, 0], high[:, 1])


def _sort_paths(paths: list[int], matrix: NDArray[np.float64], space: PageSpace, parts: dict[str, list[Floats]], colors: list[NDArray[np.uint32]]) -> None:
    """Painted paths into rules, fills and edges. A path of several pieces (a grid in one path) counts by its pieces."""
    mode = np.zeros((len(paths), 2), np.int32)
    calls.exhaust(map(calls.path_draw_mode, paths, calls.addresses(mode), calls.addresses(mode, 1)))
    painted = [index for index, (fill, stroke) in enumerate(mode.tolist()) if fill or stroke]
    if not painted:
        return
    paths, mode = [paths[index] for index in painted], mode[painted]
    boxes = _bounds(paths, matrix, space)
    segments = np.fromiter(map(calls.path_count_segments, paths), np.int32, len(paths))
    filled, stroked = mode[:, 0] != 0, mode[:, 1] != 0
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    thin = _is_rule(width, height)
    grids = np.flatnonzero(stroked & ~thin & (segments <= _MAX_SEGMENTS))
    parts["rules"].append(boxes[thin])
    parts["edges"].append(_middle_lines(boxes[thin]))
    area = filled & ~thin & (width > RULE_THICKNESS) & (height > RULE_THICKNESS)
    if area.any():
        parts["fills"].append(boxes[area])
        rgba = calls.read_colors(calls.object_fill, [paths[index] for index in np.flatnonzero(area)], int(area.sum()))
        colors.append((rgba[:, 0] << 16 | rgba[:, 1] << 8 | rgba[:, 2]).astype(np.uint32))
    pieces = _pieces([paths[index] for index in grids], matrix, space)
    if len(pieces):
        parts["edges"].append(pieces)
        parts["rules"].append(pieces)


#: Paths of more segments are drawings, not grids.
_MAX_SEGMENTS: Final = 2_000


def _is_rule(width: Floats, height: Floats) -> NDArray[np.bool_]:
    long, short = np.maximum(width, height), np.minimum(width, height)
    return (short <= RULE_THICKNESS) & (long >= RULE_LENGTH) & (long > 2 * short)


def _middle_lines(boxes: Floats) -> Floats:
    """The middle line of each thin box, along its longer side."""
    lines = boxes.copy()
    flat = (boxes[:, 2] - boxes[:, 0]) >= (boxes[:, 3] - boxes[:, 1])
    lines[flat, 1] = lines[flat, 3] = (boxes[flat, 1] + boxes[flat, 3]) / 2
    lines[~flat, 0] = lines[~flat, 2] = (boxes[~flat, 0] + boxes[~flat, 2]) / 2
    return lines


def _pieces(paths: list[int], matrix: NDArray[np.float64], space: PageSpace) -> Floats:
    """Straight horizontal and vertical pieces of paths, closing ones too, on the displayed page."""
    ends: list[tuple[float, float, float, float]] = []
    owner: list[int] = []
    for number, path in enumerate(paths):
        lines = list(_straight_segments(path))
        ends += lines
        owner += [number] * len(lines)
    if not ends:
        return _NONE.copy()
    table = np.array(ends, np.float64)
    own = calls.read_floats(calls.object_matrix, paths, len(paths), 6).astype(np.float64).reshape(-1, 3, 2)[owner]
    first, second = (_place(table[:, columns], own) @ matrix[:2] + matrix[2] for columns in (slice(0, 2), slice(2, 4)))
    low, high = np.minimum(first, second).astype(np.float32), np.maximum(first, second).astype(np.float32)
    boxes = space.boxes(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    straight = (np.minimum(width, height) < 0.5) & (np.maximum(width, height) >= RULE_LENGTH)
    return _middle_lines(boxes[straight])


def _place(points: NDArray[np.float64], matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points [n, 2] by their own matrices [n, 3, 2]."""
    return points[:, :1] * matrices[:, 0] + points[:, 1:] * matrices[:, 1] + matrices[:, 2]


def _straight_segments(path: int) -> Iterator[tuple[float, float, float, float]]:
    """From and to of the straight segments of a path, in its own space."""
    point = np.zeros(2, np.float32)
    x_at, y_at = point.ctypes.data, point.ctypes.data + 4
    start = last = (0.0, 0.0)
    for segment in map(calls.path_segment, repeat(path), range(calls.path_count_segments(path))):
        calls.segment_point(segment, x_at, y_at)
        here = (float(point[0]), float(point[1]))
        kind = calls.segment_type(segment)
        if kind == _MOVE:
            start = here
        elif kind == _LINE:
            yield (*last, *here)
        if calls.segment_close(segment):
            yield (*here, *start)
            here = start
        last = here


_LINE, _MOVE = 0, 2
