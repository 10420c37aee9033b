"""Read the page tree (ISO 32000-2 §7.7.3) of files that may have loops, wrong types or missing entries, and convert coordinates of user
space to points from the top left of the displayed page (§14.11.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pikepdf
from msgspec import Struct, field

from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits
from pdfmill.transforms.pdf.open.objects import (
    Key,
    Object,
    first_time,
    get,
    integer,
    is_dict,
    items,
    key_of,
    name,
    number,
    rectangle,
    sides,
)

#: Page attributes that are inherited from ancestors if the page itself has none (§7.7.3.4).
INHERITED: Final = ("/Resources", "/MediaBox", "/CropBox", "/Rotate")


class PageTree(Struct):
    """The pages of a document in order. inherited: attributes that they inherit. number_of: page number by object key."""

    pages: list[pikepdf.Dictionary] = field(default_factory=list)  # page dictionaries, page 1 first
    inherited: list[dict[str, Object]] = field(default_factory=list)  # for each page the attributes inherited from its ancestors
    number_of: dict[Key, int] = field(default_factory=dict)  # page number, from 1, by key of the page object
    lost_kids: int = 0  # number of entries of Kids that are no dictionaries

    def attribute(self, number: int, key: str) -> Object:
        """Return the page's own or inherited attribute `key`, such as "/Rotate"; None if it has none. number: page number, from 1."""
        if number > len(self.pages):  # PDFium counts pages that the tree does not hold
            return None
        own = get(self.pages[number - 1], key)
        return self.inherited[number - 1].get(key) if own is None else own


def read_page_tree(pdf: pikepdf.Pdf, limits: Limits = DEFAULT_LIMITS) -> PageTree:
    """Read the page tree depth first, each node once, up to `max_pages` pages."""
    tree = PageTree()
    seen: set[Key] = set()
    waiting: list[tuple[Object, int, dict[str, Object]]] = [(get(pdf.Root, "/Pages"), 0, {})]
    while waiting and len(tree.pages) < limits.max_pages:
        node, depth, given = waiting.pop()
        if not is_dict(node):
            tree.lost_kids += 1
            continue
        if limits.too_deep(depth):
            continue
        if (kids := get(node, "/Kids")) is None or name(get(node, "/Type")) == "Page":
            _add(tree, node, given)
        elif first_time(node, seen):
            passed = given | {key: value for key in INHERITED if (value := get(node, key)) is not None}
            waiting.extend((kid, depth + 1, passed) for kid in reversed(items(kids, limits)))
    return tree


def _add(tree: PageTree, page: pikepdf.Dictionary, given: dict[str, Object]) -> None:
    if name(get(page, "/Type")) in ("Pages", "Catalog"):
        return
    tree.pages.append(page)
    tree.inherited.append(given)
    if (key := key_of(page)) is not None:
        tree.number_of.setdefault(key, len(tree.pages))


def page_defects(tree: PageTree) -> list[str]:
    """Return one sentence for each kind of required entry that pages lack (Tables 30 and 31), though they can be read."""
    found = [f"{tree.lost_kids} entries of the page tree refer to no page"] if tree.lost_kids else []
    numbers = range(1, len(tree.pages) + 1)
    checks: tuple[tuple[str, Callable[[int], bool]], ...] = (
        ("lack the type Page", lambda number: name(get(tree.pages[number - 1], "/Type")) != "Page"),
        ("have no media box; the size US Letter is assumed", lambda number: rectangle(tree.attribute(number, "/MediaBox")) is None),
        ("have no resources", lambda number: not is_dict(tree.attribute(number, "/Resources"))),
        ("are written in the page tree directly instead of by reference", lambda number: key_of(tree.pages[number - 1]) is None),
    )
    for defect, has_defect in checks:
        pages = [number for number in numbers if has_defect(number)]
        if pages:
            found.append(f"{len(pages)} of {len(tree.pages)} pages (the first is page {pages[0]}) {defect}")
    if len(tree.number_of) < sum(key_of(page) is not None for page in tree.pages):
        found.append("a page is listed in the page tree more than once")
    return found


def rebuild_page_tree(pdf: pikepdf.Pdf, limits: Limits = DEFAULT_LIMITS) -> int:
    """Replace a broken page tree by a flat one of all page objects of the file, in the order of their numbers. Return how many there
    are."""
    found = [entry for entry in pdf.objects if isinstance(entry, pikepdf.Dictionary) and name(get(entry, "/Type")) == "Page"]
    found = found[: limits.max_pages]
    if not found:
        return 0
    hang_pages(pdf, found)
    return len(found)


def hang_pages(pdf: pikepdf.Pdf, found: list[pikepdf.Dictionary]) -> None:
    """Replace the page tree by a flat one of the pages `found`, into which inherited attributes are copied."""
    root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Pages, Count=len(found), Kids=pikepdf.Array(found)))
    for page in found:
        for key in INHERITED:
            if get(page, key) is None and (value := _from_parents(page, key)) is not None:
                page[key] = value
        page["/Parent"] = root
    pdf.Root["/Pages"] = root


def _from_parents(page: pikepdf.Dictionary, key: str) -> Object:
    node: Object = page
    for _ in range(20):
        node = get(node, "/Parent")
        if node is None or (value := get(node, key)) is not None:
            return value if node is not None else None
    return None


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
    """Return which part of user space the page (from 1) shows, and its rotation and scale."""
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
    """Return a page box, such as "/CropBox", as written (left, bottom, right, top); None if it is no rectangle. page: from 1."""
    return sides(tree.attribute(page, key))


def user_unit(tree: PageTree, page: int) -> float:
    """Return the number of points per unit of user space (§7.7.3.3): 1 by default, at most 75,000, as in readers. page: from 1."""
    stated = number(get(tree.pages[page - 1], "/UserUnit")) or 0.0
    return min(stated, 75_000.0) if stated > 0.001 else 1.0
