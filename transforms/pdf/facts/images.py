"""Read raster images: named image objects, the boxes in which pages draw them, and their bytes (ISO 32000-2 §8.9, §8.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final

import pikepdf
from msgspec import Struct, field

from pdfmill.schemas.records import Notice, Row
from pdfmill.transforms.pdf.facts.attachments import Asset, file_specifications
from pdfmill.transforms.pdf.facts.image_files import ImageFile
from pdfmill.transforms.pdf.open.document import PdfDocument, shorten
from pdfmill.transforms.pdf.open.limits import Limits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, Object, get, get_dict, integer, items, key_of, keys, name, number
from pdfmill.transforms.pdf.open.page_tree import Box, PageFrame, box_row, page_frame

#: A function that converts an image stream to a file, such as `image_files.image_file`.
AsFile = Callable[[pikepdf.Stream], ImageFile]
Matrix = tuple[float, float, float, float, float, float]
_UNIT: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
#: Nesting of forms up to which images are searched, and number of Do operators followed on one page.
_MAX_FORM_DEPTH: Final = 10
_MAX_DRAWN: Final = 10_000


class _Image(Struct):
    stream: pikepdf.Stream
    name: str
    boxes: list[Row] = field(default_factory=list)


class _Drawn(Struct):
    """The images drawn on a page so far. boxes: their boxes on the displayed page, by the image's object key or, for a direct object, its
    id in Python. inline: count of inline images. objects: count of all objects drawn."""

    frame: PageFrame
    boxes: dict[Key | int, list[Box]] = field(default_factory=dict)
    inline: int = 0
    objects: int = 0


class _ImageCollector:
    """Collects the images of all pages, each image object once."""

    def __init__(self, document: PdfDocument) -> None:
        self._document = document
        self.images: dict[Key | int, _Image] = {}
        self.warnings: list[Notice] = []
        self.inline = 0

    def read_page(self, page: int) -> None:
        """Add the images in the resources of a page (from 1), with one box for each time that an image is drawn."""
        tree = self._document.tree
        resources = tree.attribute(page, "/Resources")
        named = dict(_named_images([resources, *_of_annotations(tree.pages[page - 1], self._document.limits)]))
        drawn = self._drawn(page, resources)
        self.inline += drawn.inline
        for key, (label, stream) in named.items():
            image = self.images.setdefault(key, _Image(stream, label))
            image.boxes += [{"page": page, **box_row(box)} for box in drawn.boxes.get(key, [])] or [{"page": page, **box_row(None)}]

    def _drawn(self, page: int, resources: Object) -> _Drawn:
        found = _Drawn(page_frame(self._document.tree, page))
        try:
            _draw(pikepdf.Page(self._document.tree.pages[page - 1]), resources, _UNIT, found, 0)
        except OBJECT_ERRORS as error:
            self.warnings.append(Notice("image_boxes_unreadable", page, f"the positions of images cannot be read: {shorten(error)}"))
        return found


def read_images(document: PdfDocument, as_file: AsFile) -> tuple[list[Asset], list[Notice], int]:
    """Return the images, the reading errors, and the number of inline images (§8.9.7), which are only counted.
    Images of pages, annotations, forms and patterns count, with their masks. An image has no box if it is never drawn, or is drawn by a
    pattern or an annotation. as_file: converts an image stream to a file."""
    gatherer = _ImageCollector(document)
    for page in range(1, len(document.tree.pages) + 1):
        try:
            gatherer.read_page(page)
        except OBJECT_ERRORS as error:
            gatherer.warnings.append(Notice("image_unreadable", page, f"images cannot be listed: {shorten(error)}"))
        if len(gatherer.images) > document.limits.max_assets:
            gatherer.warnings.append(
                Notice("too_large", page, f"there are more than {document.limits.max_assets} images; the rest are left out")
            )
            break
    assets: list[Asset] = []
    for image in gatherer.images.values():
        assets += _assets(as_file, image, gatherer.warnings)
    return assets, gatherer.warnings, gatherer.inline


def _assets(as_file: AsFile, image: _Image, warnings: list[Notice]) -> Iterator[Asset]:
    page = integer(image.boxes[0]["page"]) if image.boxes else None
    parts = [(image.name, image.stream, image.boxes)]
    for key, kind in (("/SMask", "soft mask"), ("/Mask", "mask")):
        if isinstance(mask := get(image.stream, key), pikepdf.Stream):
            parts.append((f"{image.name} {kind}", mask, []))
    for label, stream, boxes in parts:
        try:
            yield image_asset(as_file, stream, "image", label, page, boxes)
        except OBJECT_ERRORS as error:
            warnings.append(Notice("image_unreadable", page, f"image {label} cannot be read: {shorten(error)}"))


def image_asset(as_file: AsFile, stream: pikepdf.Stream, kind: str, label: str | None, page: int | None, boxes: list[Row]) -> Asset:
    """Return an image with its bytes as a file. kind: image or thumbnail. label: name, or None. page: from 1. boxes: where it is drawn."""
    file = as_file(stream)
    row: Row = {
        "kind": kind,
        "name": label,
        "page": page,
        "mime_type": file.mime_type,
        "byte_size": len(file.data),
        "sha256": sha256(file.data).hexdigest(),
        "width": integer(get(stream, "/Width"), 32),
        "height": integer(get(stream, "/Height"), 32),
        "filter": last_filter(stream),
        "color_space": color_space(stream),
        "boxes": boxes or None,
    }
    return Asset(row, file.data)


def last_filter(stream: Object) -> str | None:
    """Return the last filter of the stream, which is the format of an image; None if it has none."""
    filters = items(get(stream, "/Filter"))
    return name(filters[-1]) if filters else None


def color_space(stream: Object) -> str | None:
    """Return the family of an image's colour space (§8.6): DeviceRGB, ICCBased, Indexed, ...; DeviceGray for a mask."""
    if get(stream, "/ImageMask") is True:
        return "DeviceGray"
    space = get(stream, "/ColorSpace")
    family = space[0] if isinstance(space, pikepdf.Array) and len(space) else space
    return name(family)


def _of_annotations(page: Object, limits: Limits) -> Iterator[Object]:
    """Yield the resources of the normal appearances of a page's annotations, in all states (§12.5.5)."""
    for annotation in items(get(page, "/Annots"), limits):
        shown = get(get(annotation, "/AP"), "/N")
        states = [get(shown, key) for key in keys(shown)] if isinstance(shown, pikepdf.Dictionary) else [shown]
        yield from (resources for stream in states if (resources := get_dict(stream, "/Resources")) is not None)


def _named_images(resources: list[Object]) -> Iterator[tuple[Key | int, tuple[str, pikepdf.Stream]]]:
    seen: set[Key] = set()
    waiting: list[tuple[Object, int]] = [(each, 0) for each in resources]
    while waiting:
        current, depth = waiting.pop(0)
        if depth > _MAX_FORM_DEPTH:
            continue
        for label, stream in _drawable(current):
            key = key_of(stream)
            if not isinstance(stream, pikepdf.Stream) or key is None or key in seen:
                continue
            seen.add(key)
            if name(get(stream, "/Subtype")) == "Image":
                yield key, (label[1:], stream)
            elif (own := get_dict(stream, "/Resources")) is not None:
                waiting.append((own, depth + 1))


def _drawable(resources: Object) -> Iterator[tuple[str, Object]]:
    """Yield each resource that is an image or may draw one, with its name: XObjects, tiling patterns, groups of soft masks (§8.7.3,
    §11.6.5.2)."""
    for kind in ("/XObject", "/Pattern"):
        named = get_dict(resources, kind)
        yield from ((label, get(named, label)) for label in keys(named))
    states = get_dict(resources, "/ExtGState")
    yield from ((label, get(get(get(states, label), "/SMask"), "/G")) for label in keys(states))


def _draw(content: Object, resources: Object, matrix: Matrix, found: _Drawn, depth: int) -> None:
    """Add the box of each image that a content stream draws to `found` (operators q, Q, cm and Do, §8.4.4, §8.8).
    matrix: converts coordinates of this content to user space. depth: number of enclosing forms."""
    stack: list[Matrix] = []
    drawn = get_dict(resources, "/XObject")
    for operands, operator in pikepdf.parse_content_stream(content, "q Q cm Do BI ID EI")[: _MAX_DRAWN * 10]:
        written = str(operator)
        if written == "q":
            stack.append(matrix)
        elif written == "Q":
            matrix = stack.pop() if stack else matrix
        elif written == "cm" and (change := _matrix(operands)) is not None:
            matrix = multiply(change, matrix)
        elif written == "INLINE IMAGE":
            found.inline += 1
        elif written == "Do" and operands and isinstance(operands[0], pikepdf.Name):
            _draw_object(get(drawn, str(operands[0])), resources, matrix, found, depth)


def _draw_object(stream: Object, resources: Object, matrix: Matrix, found: _Drawn, depth: int) -> None:
    key = key_of(stream)
    found.objects += 1
    if not isinstance(stream, pikepdf.Stream) or key is None or found.objects > _MAX_DRAWN:
        return
    if name(get(stream, "/Subtype")) == "Image":
        found.boxes.setdefault(key, []).append(found.frame.show(_unit_square(matrix)))
    elif depth < _MAX_FORM_DEPTH:
        inner = _matrix(items(get(stream, "/Matrix"))) or _UNIT
        _draw(stream, get(stream, "/Resources") or resources, multiply(inner, matrix), found, depth + 1)


def _matrix(values: Object) -> Matrix | None:
    sides = [number(value) for value in values]
    if len(sides) != 6 or any(side is None for side in sides):
        return None
    a, b, c, d, e, f = (side or 0.0 for side in sides)
    return a, b, c, d, e, f


def multiply(first: Matrix, second: Matrix) -> Matrix:
    """Return the matrix that applies `first` and then `second` (§8.3.4). A matrix is (a, b, c, d, e, f), as in PDF."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _unit_square(matrix: Matrix) -> Box:
    a, b, c, d, e, f = matrix
    xs, ys = (e, e + a, e + c, e + a + c), (f, f + b, f + d, f + b + d)
    return min(xs), min(ys), max(xs), max(ys)


# Thumbnails of pages and embedded files (ISO 32000-2 §12.3.4).


def read_thumbnails(document: PdfDocument, as_file: AsFile) -> tuple[list[Asset], list[Notice]]:
    """Return the thumbnails of pages and embedded files, and the reading errors. as_file: converts an image stream to a file."""
    assets: list[Asset] = []
    warnings: list[Notice] = []
    holders: list[tuple[int | None, Object]] = [*enumerate(document.tree.pages, start=1)]
    holders += [(page, specification) for specification, page in file_specifications(document)]
    for page, holder in holders[: document.limits.max_assets]:
        stream = get(holder, "/Thumb")
        if not isinstance(stream, pikepdf.Stream):
            continue
        try:
            assets.append(image_asset(as_file, stream, "thumbnail", None, page, []))
        except OBJECT_ERRORS as error:
            warnings.append(Notice("image_unreadable", page, f"a thumbnail cannot be read: {shorten(error)}"))
    return assets, warnings
