"""Convert coordinates of PDF user space to those of the displayed page: points, from the top left of the rotated and cropped page (ISO
32000-2 §14.11.2, §7.7.3.3)."""

from __future__ import annotations

from typing import Final

import pikepdf
from msgspec import Struct

from pdfmill.transforms.pdf.open.objects import get, integer, number, rectangle
from pdfmill.transforms.pdf.open.page_tree import PageTree

Box = tuple[float, float, float, float]

#: US Letter: the size that PDFium and Acrobat use for a page without a valid media box.
DEFAULT_BOX: Final[Box] = (0.0, 0.0, 612.0, 792.0)


class PageFrame(Struct, frozen=True):
    """The part of user space that a page displays, and how it is rotated and scaled."""

    crop: Box  # (left, bottom, right, top) in user space
    rotation: int  # 0, 90, 180 or 270, clockwise
    unit: float = 1.0  # points per unit of user space

    def show(self, box: Box) -> Box:
        """Convert a rectangle (left, bottom, right, top) of user space to (x0, top, x1, bottom) on the displayed page, in points.

        >>> PageFrame((0, 0, 100, 200), 0, 2.0).show((10, 20, 30, 40))
        (20.0, 320.0, 60.0, 360.0)
        """
        x0, y0, x1, y1 = (side * self.unit for side in box)
        left, bottom, right, top = (side * self.unit for side in self.crop)
        if self.rotation == 90:
            return y0 - bottom, x0 - left, y1 - bottom, x1 - left
        if self.rotation == 180:
            return right - x1, y0 - bottom, right - x0, y1 - bottom
        if self.rotation == 270:
            return top - y1, right - x1, top - y0, right - x0
        return x0 - left, top - y1, x1 - left, top - y0


def page_frame(tree: PageTree, page: int) -> PageFrame:
    """Return which part of user space the page shows, and its rotation and scale, from boxes of the page itself or inherited ones. page:
    from 1."""
    media = rectangle(tree.attribute(page, "/MediaBox")) or DEFAULT_BOX
    if media[2] <= media[0] or media[3] <= media[1]:
        media = DEFAULT_BOX
    crop = _intersect(rectangle(tree.attribute(page, "/CropBox")) or media, media)
    rotation = integer(tree.attribute(page, "/Rotate")) or 0
    return PageFrame(crop, rotation // 90 * 90 % 360, user_unit(tree, page))


def _intersect(crop: Box, media: Box) -> Box:
    x0, y0, x1, y1 = max(crop[0], media[0]), max(crop[1], media[1]), min(crop[2], media[2]), min(crop[3], media[3])
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else media


def box_row(box: Box | None) -> dict[str, object]:
    """Return a box as the columns x0, top, x1 and bottom, each None if there is no box."""
    if box is None:
        return {"x0": None, "top": None, "x1": None, "bottom": None}
    return dict(zip(("x0", "top", "x1", "bottom"), box, strict=True))


def stored_box(tree: PageTree, page: int, key: str) -> Box | None:
    """Return a page box, such as "/CropBox", as (left, bottom, right, top), with the sides as written, not sorted; None if it is missing or
    no rectangle. page: from 1."""
    value = tree.attribute(page, key)
    if not isinstance(value, pikepdf.Array) or len(value) != 4:
        return None
    sides = [number(value[index]) for index in range(4)]
    if any(side is None for side in sides):
        return None
    left, bottom, right, top = (side or 0.0 for side in sides)
    return left, bottom, right, top


def user_unit(tree: PageTree, page: int) -> float:
    """Return the number of points per unit of user space (§7.7.3.3): at most 75,000, the largest that readers accept; 1 if the page states
    no positive number. page: from 1."""
    stated = number(get(tree.pages[page - 1], "/UserUnit")) or 0.0
    return min(stated, 75_000.0) if stated > 0.001 else 1.0
