"""The glyphs of one page as numpy columns. They are used only within one step of the job and never sent to another process."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from pdfmill.schemas.records import FontStyle, Notice, RuledTable, no_rows


class GlyphFlag:
    """The bits of `Glyphs.flags`, as numpy scalars, because operations with an `IntFlag` take ten times as long."""

    INVISIBLE: Final = np.uint8(1)  # render mode 3 (ISO 32000-2 §9.3.6)
    OUTSIDE: Final = np.uint8(2)  # outside the crop box
    UNTRUSTED: Final = np.uint8(4)  # its Unicode value is a guess
    SAME_COLOR: Final = np.uint8(8)  # painted in the colour of what lies beneath
    CLIPPED: Final = np.uint8(16)  # wholly outside the clipping path
    HIDDEN_LAYER: Final = np.uint8(32)  # in optional content that is off by default
    VERTICAL: Final = np.uint8(64)  # vertical writing mode
    NO_METRICS: Final = np.uint8(128)  # the font gives no width, so spaces must not be inferred


class Glyphs(Struct):
    """The n characters of a page in drawing order, as one array for each property. Boxes and origins (pen positions) are in points from the
    top left of the page. run: indices of the text objects. mcid: marked-content ids, -1 for none. style: indices into `styles`."""

    unicode: NDArray[np.uint32]  # code points
    x0: NDArray[np.float32]  # with top, x1 and bottom the boxes: from descent to ascent, as wide as the advance width
    top: NDArray[np.float32]
    x1: NDArray[np.float32]
    bottom: NDArray[np.float32]
    origin_x: NDArray[np.float32]  # with origin_y the pen positions on the baseline
    origin_y: NDArray[np.float32]
    angle: NDArray[np.int16]  # int16[n], clockwise degrees of the writing direction on the displayed page
    style: NDArray[np.int32]  # indices into `styles`
    run: NDArray[np.int32]  # indices of the text objects that drew the glyphs
    mcid: NDArray[np.int32]  # marked-content ids, -1 for none
    flags: NDArray[np.uint8]  # bits of `GlyphFlag`
    styles: list[FontStyle] = field(default_factory=list)  # the distinct font styles of the page

    def sizes(self, places: NDArray[np.integer] | slice = slice(None)) -> NDArray[np.float32]:
        """Return the font sizes of the glyphs at these indices (default: all), in points."""
        return np.array([style.size for style in self.styles], np.float32)[self.style[places]]

    def select(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> None:
        """Replace the glyphs, in place, by those at these indices, in their order; an index may occur several times. places: int64[k], or
        bool[n], which are kept."""
        for name in self.__struct_fields__:
            if name != "styles":
                setattr(self, name, getattr(self, name)[places])

    def insert_copies(self, before: NDArray[np.int64], source: NDArray[np.int64], **own: Any) -> None:
        """Insert copies of glyphs, in place; each copy becomes a text object of its own.
        before, source: int64[k], for each copy the index of the glyph before which it is inserted, and of the glyph to copy. own: by column
        name, k values in which the copies differ."""
        run = int(self.run.max()) + 1
        own["run"] = np.arange(run, run + len(source))
        for name in self.__struct_fields__:
            if name != "styles":
                column = getattr(self, name)
                setattr(self, name, np.insert(column, before, own.get(name, column[source])))


_no_boxes: Final = no_rows("float32", 4)


class PageContent(Struct):
    """The content of one page as read from the PDF, before it becomes `PageLines`. rules, fills, images: float32[n, 4], boxes of thin
    lines, of other filled areas and of raster images."""

    page: int  # number from 1
    width: float  # points after rotation and cropping
    height: float  # points after rotation and cropping
    rotation: int  # 0, 90, 180 or 270
    glyphs: Glyphs
    rules: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4], boxes of thin strokes or fills, see `PageLines`
    fills: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4], boxes of larger filled areas
    images: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4], boxes of raster images
    tables: list[RuledTable] = field(default_factory=list)  # tables drawn by ruling lines
    decoded_by_learned_fonts: bool = False  # see `PageLines`
    warnings: list[Notice] = field(default_factory=list)  # repairs and losses of text
