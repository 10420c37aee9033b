"""Restore text objects that PDFium leaves out of its text page because they have no width: those of one character, vertical or rotated ones
in a font that is neither embedded nor installed. Their characters come from the font dictionary, evenly spaced."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.records import FontStyle
from pdfmill.transforms.pdf.fonts.unicode_guess import FontGuesser
from pdfmill.transforms.pdf.open.pdfium_api import (
    BLACK,
    OBJECT_BOUNDS,
    OBJECT_CONTENT_ID,
    OBJECT_FILL,
    OBJECT_FONT,
    OBJECT_MODE,
    OBJECT_SIZE,
    of_objects,
)
from pdfmill.transforms.pdf.text.glyphs import read_font
from pdfmill.transforms.pdf.text.shared_texts import spread
from pdfmill.transforms.pdf.text.text_objects import TextObject, joined, object_matrix
from pdfmill.transforms.pdf.text.user_space import PageSpace

#: Largest width that PDFium treats as none, in units of its space.
_NO_WIDTH: Final = 0.01
#: Ascent and descent, em, because there is no font to state them.
_ASCENT, _DESCENT = 0.88, -0.12
_INVISIBLE: Final = 3


def lost_objects(placed: Sequence[TextObject], heard: set[int]) -> list[TextObject]:
    """Return the text objects without width that gave no character; they may contain only spaces. heard: handles of those that gave
    some."""
    unheard = [each for each in placed if each.handle not in heard]
    bounds = _bounds(unheard)
    return [unheard[index] for index in np.flatnonzero(bounds[:, 2] - bounds[:, 0] < _NO_WIDTH).tolist()]


def _bounds(objects: Sequence[TextObject]) -> NDArray[np.float32]:
    return of_objects(OBJECT_BOUNDS, _handles(*(each.handle for each in objects)), np.zeros((len(objects), 4), np.float32))


def _handles(*handles: int) -> NDArray[np.uint64]:
    return np.array(handles, np.uint64)


def add_lost(glyphs: Glyphs, lost: TextObject, string: bytes, guesser: FontGuesser, space: PageSpace) -> bool:
    """Append the characters of a text object that PDFium lost, in place, as a new run. Return whether there are any.
    string: the bytes that its operator shows. guesser: derives the text of the font's codes."""
    texts = [
        (guess.text, guess.sure) if (guess := guesser.read(code)) else ("\N{REPLACEMENT CHARACTER}", False)
        for code in guesser.codes(string)
    ]
    if not any(text.strip() for text, _ in texts):
        return False
    matrix = object_matrix(lost.handle)
    if lost.matrix is not None:
        matrix = joined(matrix, lost.matrix)
    handle = _handles(lost.handle)
    size = abs(float(of_objects(OBJECT_SIZE, handle, np.zeros(1, np.float32))[0]))
    left, bottom, right, top = _bounds([lost])[0].tolist()
    wide = guesser.vertical or unicodedata.east_asian_width(texts[0][0][0]) in "WF"
    length = max(right - left, top - bottom) if len(texts) > 1 else size if wide else size / 2
    boxes, pens, along = _places(matrix, length / size if size else 1.0, size, len(texts), guesser.vertical)
    x, y = space.points(pens[:, 0], pens[:, 1])
    shown = space.boxes(boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3])
    flag = (GlyphFlag.INVISIBLE if of_objects(OBJECT_MODE, handle, np.zeros(1, np.int32))[0] == _INVISIBLE else np.uint8(0)) | (
        GlyphFlag.VERTICAL if guesser.vertical else np.uint8(0)
    )
    glyphs.styles.append(_style(handle, size * float(np.hypot(*matrix[1])) * space.scale))
    columns = {
        "unicode": [ord(text[0]) for text, _ in texts],
        "x0": shown[:, 0], "top": shown[:, 1], "x1": shown[:, 2], "bottom": shown[:, 3], "origin_x": x, "origin_y": y,
        "angle": np.repeat(space.angles(along[:1], along[1:]), len(texts)),
        "style": [len(glyphs.styles) - 1] * len(texts),
        "run": [int(glyphs.run[-1]) + 1 if len(glyphs.run) else 0] * len(texts),
        "mcid": np.repeat(of_objects(OBJECT_CONTENT_ID, handle, np.zeros(1, np.int32)), len(texts)),
        "flags": [flag if sure else flag | GlyphFlag.UNTRUSTED for _, sure in texts],
    }  # fmt: skip
    first = len(glyphs.unicode)
    append_glyphs(glyphs, columns)
    spread(glyphs, {place: text for place, (text, _) in enumerate(texts, start=first) if len(text) > 1})
    return True


def append_glyphs(glyphs: Glyphs, columns: Mapping[str, Any]) -> None:
    """Append glyphs, in place. columns: values of the new glyphs by name of the column of `Glyphs`."""
    for name in glyphs.__struct_fields__:
        if name != "styles":
            column = getattr(glyphs, name)
            setattr(glyphs, name, np.concatenate((column, np.asarray(columns[name], column.dtype))))


def _style(handle: NDArray[np.uint64], size: float) -> FontStyle:
    font = read_font(int(of_objects(OBJECT_FONT, handle, np.zeros(1, np.uint64))[0]))
    red, green, blue, _ = of_objects(OBJECT_FILL, handle, BLACK[None].copy())[0].tolist()
    return FontStyle(font.name, round(size, 1), font.bold, font.italic, font.monospaced, red << 16 | green << 8 | blue)


def _places(
    matrix: NDArray[np.float64], length: float, size: float, count: int, vertical: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the boxes (float32[count, 4]: left, bottom, right, top), pen positions and direction of a text object's characters, in user
    space. matrix: from the object's space to user space. length: from the first pen position to the last, em."""
    right, up, origin = matrix[0] * size, matrix[1] * size, matrix[2]
    along = -up if vertical else right
    step = along * (length / max(count - 1, 1))
    pens = origin + np.arange(count)[:, None] * step
    sides = (-0.5 * right, 0.5 * right) if vertical else (_DESCENT * up, _ASCENT * up)
    corners = np.stack([pens + offset + across for offset in (0 * step, step) for across in sides])
    boxes = np.concatenate((corners.min(axis=0), corners.max(axis=0)), axis=1)
    return boxes.astype(np.float32), pens.astype(np.float32), along.astype(np.float32)
