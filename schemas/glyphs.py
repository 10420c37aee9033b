"""The glyphs of one page as numpy columns. They are used only within one step of the job and never sent to another process."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from pdfmill.schemas.records import FontStyle, Notice, RuledTable, no_rows


class GlyphFlag:
    """The bits of `Glyphs.flags`. They are numpy scalars, because operations with an `IntFlag` take ten times as long."""

    INVISIBLE: Final = np.uint8(1)  # render mode 3 (ISO 32000-2 §9.3.6)
    OUTSIDE: Final = np.uint8(2)  # outside the crop box
    UNTRUSTED: Final = np.uint8(4)  # its Unicode value is a guess
    SAME_COLOR: Final = np.uint8(8)  # painted in the colour of what lies beneath
    CLIPPED: Final = np.uint8(16)  # wholly outside the clipping path
    HIDDEN_LAYER: Final = np.uint8(32)  # in optional content that is off by default
    VERTICAL: Final = np.uint8(64)  # vertical writing mode
    NO_METRICS: Final = np.uint8(128)  # the font gives no width: do not infer spaces


class Glyphs(Struct):
    """The n characters of a page in drawing order, as one array for each property; coordinates are those of `pdfmill.schemas.records`.

    unicode: uint32[n], code point. x0, top, x1, bottom: float32[n], box from descent to ascent, as wide as the advance width.
    origin_x, origin_y: float32[n], the pen position on the baseline.
    angle: int16[n], clockwise degrees of the writing direction on the displayed page.
    style: int32[n], index into `styles`. run: int32[n], index of the text object that drew it.
    mcid: int32[n], marked-content id, -1 for none. flags: uint8[n], `GlyphFlag` bits.
    """

    unicode: NDArray[np.uint32]
    x0: NDArray[np.float32]
    top: NDArray[np.float32]
    x1: NDArray[np.float32]
    bottom: NDArray[np.float32]
    origin_x: NDArray[np.float32]
    origin_y: NDArray[np.float32]
    angle: NDArray[np.int16]
    style: NDArray[np.int32]
    run: NDArray[np.int32]
    mcid: NDArray[np.int32]
    flags: NDArray[np.uint8]
    styles: list[FontStyle] = field(default_factory=list)

    def sizes(self, places: NDArray[np.integer] | slice = slice(None)) -> NDArray[np.float32]:
        """Return the font sizes of the glyphs at these indices, in points."""
        return np.array([style.size for style in self.styles], np.float32)[self.style[places]]

    def insert_copies(self, before: NDArray[np.int64], source: NDArray[np.int64], **own: Any) -> None:
        """Insert copies of glyphs, in place, each as a text object of its own. before: the indices before which they are inserted. source:
        the indices of the originals. own: the columns in which the copies differ from them."""
        run = int(self.run.max()) + 1
        own["run"] = np.arange(run, run + len(source))
        for name in self.__struct_fields__:
            if name != "styles":
                column = getattr(self, name)
                setattr(self, name, np.insert(column, before, own.get(name, column[source])))


_no_boxes: Final = no_rows("float32", 4)


class PageContent(Struct):
    """The content of one page as `pdfmill.transforms.pdf` reads it; `pdfmill.transforms.layout` turns it into `PageLines` in the same step.

    width, height: points after rotation and cropping. rotation: 0, 90, 180, 270. rules, fills, images: float32[n, 4], see `PageLines`.
    tables: tables drawn by ruling lines. decoded_by_learned_fonts: see `PageLines`.
    """

    page: int
    width: float
    height: float
    rotation: int
    glyphs: Glyphs
    rules: NDArray[np.float32] = field(default_factory=_no_boxes)
    fills: NDArray[np.float32] = field(default_factory=_no_boxes)
    images: NDArray[np.float32] = field(default_factory=_no_boxes)
    tables: list[RuledTable] = field(default_factory=list)
    decoded_by_learned_fonts: bool = False
    warnings: list[Notice] = field(default_factory=list)
