"""The classes of which the result of `pdfmill.read` is made: pages, blocks, tables, links and so on.

Boxes are in points (1/72 inch), with the origin at the top left of the page as displayed. Pages and levels count from 1. Offsets count
Unicode code points from 0, and the end is excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from pdfmill.errors import missing_extra_as_error

if TYPE_CHECKING:  # loaded when something is read: importing this package costs no more than its names
    import pandas
    import polars
    import pyarrow
    from PIL import Image as PillowImage

    from pdfmill.reading import Document


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page."""

    page: Annotated[int, "The page number, from 1."]
    x0: Annotated[float, "The left side, in points."]
    top: Annotated[float, "The upper side, in points."]
    x1: Annotated[float, "The right side, in points."]
    bottom: Annotated[float, "The lower side, in points."]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a page, with its box."""

    text: Annotated[str, "The word."]
    start: Annotated[int, "The offset of its first character in the page's text."]
    end: Annotated[int, "The offset after its last character."]
    x0: Annotated[float, "The left side, in points."]
    top: Annotated[float, "The upper side, in points."]
    x1: Annotated[float, "The right side, in points."]
    bottom: Annotated[float, "The lower side, in points."]


@dataclass(frozen=True, slots=True)
class Match:
    """An occurrence of a phrase that was searched for."""

    page: Annotated[int, "The page number, from 1."]
    start: Annotated[int, "The offset of its first character in the page's text."]
    end: Annotated[int, "The offset after its last character."]
    text: Annotated[str, "The text of the occurrence, as the page has it."]
    boxes: Annotated[list[Box], "A box for each line of text that the occurrence touches."]


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a page."""

    page: Annotated[int, "The page that shows the link, from 1."]
    uri: Annotated[str | None, "The address that the link opens; None for a link within the document."]
    target_page: Annotated[int | None, "The page of this document that the link leads to, from 1; None for an address."]
    text: Annotated[str, 'The words under the link, joined by spaces; "" if there are none.']
    box: Annotated[Box | None, "The area that can be clicked; None if the file states none."]


@dataclass(frozen=True, slots=True)
class Image:
    """An image that pages show."""

    name: Annotated[str | None, "The resource name in the file; None if it has none."]
    mime_type: Annotated[str | None, 'The MIME type of `data`, e.g. "image/png".']
    width: Annotated[int | None, "The width in pixels; None if the file does not state it."]
    height: Annotated[int | None, "The height in pixels; None if the file does not state it."]
    boxes: Annotated[list[Box], "A box for each time that a page draws the image."]
    sha256: Annotated[str | None, "The SHA-256 of `data`, in hex; equal for equal images."]
    data: Annotated[bytes, "The image as a file of the type `mime_type`."] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Asset:
    """Something embedded in a document: an attachment, an image, a thumbnail, a form."""

    kind: Annotated[str, "The kind of the asset: attachment, image, thumbnail, xfa or rich_media."]
    name: Annotated[str | None, "The file name or resource name that the document gives; it is not safe as a path."]
    page: Annotated[int | None, "The page that shows the asset, from 1; None if it belongs to the whole document."]
    mime_type: Annotated[str | None, "The MIME type that the document states, else one guessed from the bytes."]
    byte_size: Annotated[int | None, "The size in bytes."]
    description: Annotated[str | None, "The description that the document gives."]
    row: Annotated[Mapping[str, Any], "All columns of its row in the table `assets`."] = field(repr=False)


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """An item of the document's own outline (its bookmarks)."""

    title: Annotated[str | None, "The text of the item."]
    level: Annotated[int, "The depth in the outline, from 1."]
    page: Annotated[int | None, "The page that the item leads to, from 1; None if it leads to none."]
    uri: Annotated[str | None, "The address that the item opens; None if it opens none."]


@dataclass(frozen=True, slots=True)
class Notice:
    """A repair or a loss that left the rest of the document readable."""

    code: Annotated[str, "The kind of repair or loss, as one word; docs/columns.md lists all."]
    page: Annotated[int | None, "The page concerned, from 1; None for the whole document."]
    message: Annotated[str, "A sentence that names the object and says what was done or lost."]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the document states about itself in its information dictionary. Each field is None where the file states nothing."""

    title: Annotated[
        str | None, "The stated title; `Document.title` is the better one, because many files state a file name or a template."
    ] = None
    author: Annotated[str | None, "The author that the document states."] = None
    subject: Annotated[str | None, "The subject that the document states."] = None
    keywords: Annotated[str | None, "The stated keywords, as one text."] = None
    creator: Annotated[str | None, "The program in which the original was written."] = None
    producer: Annotated[str | None, "The program that made the PDF."] = None
    created: Annotated[
        datetime | None,
        "The date of creation, with its time zone if the file states one; None if it states no date.",
    ] = None
    modified: Annotated[datetime | None, "The date of the last change, with time zone as in `created`."] = None


@dataclass(frozen=True, slots=True)
class Block:
    """A unit of a page as a reader sees it: a heading, a paragraph, an item of a list, a table."""

    page: Annotated[int, "The page number, from 1."]
    role: Annotated[str, "The role: heading, paragraph, list_item, table, ...; docs/columns.md lists all."]
    text: Annotated[str, "The text of the block."]
    level: Annotated[int | None, "The level of a heading, or the depth of a list item, from 1; None for other roles."]
    heading_path: Annotated[list[str], "The headings above the block, outermost first; for a heading, its own text is the last."]
    boxes: Annotated[list[Box], "A box for each part of the block, e.g. one for each column of text that it runs through."]
    font: Annotated[str | None, "The PostScript name of the font that most of its characters have."]
    size: Annotated[float | None, "The font size of most of its characters, in points."]
    bold: Annotated[bool | None, "True if most of its characters are bold."]
    italic: Annotated[bool | None, "True if most of its characters are italic."]
    html: Annotated[str | None, "The table as HTML; None for other roles."]
    text_start: Annotated[
        int | None,
        "The offset of its first character in the page's text; None for running heads, footers and page numbers, left out there.",
    ]
    text_end: Annotated[int | None, "The offset after its last character in the page's text."]
    language: Annotated[str | None, "The language, by its ISO 639-1 code; None if the text is too short to tell."]
    row: Annotated[Mapping[str, Any], "All columns of its row in the table `blocks`."] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Section:
    """The text under a heading, cut to a size that suits search engines and language models."""

    id: Annotated[str, "The section's id, made of the document's id and the section's number; it is the same in every run."]
    text: Annotated[str, "The headings of the section and the text under them."]
    heading_path: Annotated[list[str], "The headings above the section and its own, outermost first."]
    kind: Annotated[str, "The kind of the section: text, table, code, contents or references."]
    language: Annotated[str | None, "The language, by its ISO 639-1 code; None if the text is too short to tell."]
    first_page: Annotated[int, "The page that the section begins on, from 1."]
    last_page: Annotated[int, "The page that the section ends on, from 1."]
    boxes: Annotated[list[Box], "A box for each part of the section's blocks."]
    text_sha256: Annotated[str, "The SHA-256 of the text in UTF-8, in hex."]
    row: Annotated[Mapping[str, Any], "All columns of its row in the table `sections`."] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A table on a page."""

    page: Annotated[int, "The page number, from 1."]
    boxes: Annotated[list[Box], "The area of the table."]
    rows: Annotated[
        list[list[str]], 'The text of each cell. A cell that spans several positions has its text in the first; the others are "".'
    ]
    header_rows: Annotated[int, "The number of header rows, which come first in `rows`."]
    html: Annotated[str, "The table as HTML, with `rowspan` and `colspan`."]

    def columns(self) -> list[str]:
        """Return a name for each column: the texts of its header cells, joined by spaces. A column without header is named by its number,
        from 1; if a name occurs twice, the column's number is added."""
        width = max(map(len, self.rows), default=0)
        names = [" ".join(filter(None, (row[number] for row in self.rows[: self.header_rows]))) for number in range(width)]
        return [name if name and names.count(name) == 1 else f"{name} {number}".strip() for number, name in enumerate(names, start=1)]

    def body(self) -> list[list[str]]:
        """Return the rows below the header rows."""
        return self.rows[self.header_rows :]

    def to_arrow(self) -> pyarrow.Table:
        """Return the table as a `pyarrow.Table`, with columns of type string. Raises PdfmillError(not_installed) without pyarrow."""
        with missing_extra_as_error("to_arrow"):
            import pyarrow

        names, body = self.columns(), self.body()
        return pyarrow.table([pyarrow.array([row[number] for row in body], pyarrow.string()) for number in range(len(names))], names)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas data frame, with text in every cell. Raises PdfmillError(not_installed) without pandas."""
        with missing_extra_as_error("to_pandas"):
            import pandas

        return pandas.DataFrame(self.body(), columns=self.columns())

    def to_polars(self) -> polars.DataFrame:
        """Return the table as a Polars data frame, with columns of type String. Raises PdfmillError(not_installed) without Polars."""
        with missing_extra_as_error("to_polars"):
            import polars

        return polars.DataFrame(self.body(), schema=dict.fromkeys(self.columns(), polars.String), orient="row")

    def _repr_html_(self) -> str:
        return self.html


@dataclass(slots=True)
class Page:
    """A page of a document."""

    number: Annotated[int, "The page number, from 1."]
    text: Annotated[str, "The text in reading order; blocks are separated by a blank line."]
    label: Annotated[str | None, 'The number that the document gives the page, e.g. "xii"; None if it gives none.']
    width: Annotated[float, "The width as displayed, in points."]
    height: Annotated[float, "The height as displayed, in points."]
    rotation: Annotated[int, "The stated rotation: 0, 90, 180 or 270 degrees."]
    language: Annotated[str | None, "The language, by its ISO 639-1 code; None if the text is too short to tell."]
    needs_ocr: Annotated[bool, "True if the page shows text that its text layer lacks."]
    error: Annotated[str | None, "The reason why its text could not be read, as an error code; None if it could."]
    blocks: Annotated[list[Block], "The blocks of the page, in reading order."] = field(repr=False)
    row: Annotated[Mapping[str, Any], "All columns of its row in the table `pages`."] = field(repr=False)
    _document: Document = field(repr=False, compare=False)

    @property
    def words(self) -> list[Word]:
        """The words of the page's text, with their boxes."""
        return [
            Word(self.text[w["start"] : w["end"]], w["start"], w["end"], w["x0"], w["top"], w["x1"], w["bottom"]) for w in self.row["words"]
        ]

    @property
    def tables(self) -> list[Table]:
        """The tables on the page."""
        return [table_of(block) for block in self.blocks if block.role == "table" and block.html]

    @property
    def links(self) -> list[Link]:
        """The links on the page, in the order of the file."""
        return list(_links(self))

    @property
    def images(self) -> list[Image]:
        """The images that the page shows, without inline images, whose data is part of the page's drawing commands."""
        return [image for image in self._document.images if any(box.page == self.number for box in image.boxes)]

    def search(self, phrase: str, *, ignore_accents: bool = False, parts: bool = False) -> list[Match]:
        """Return the occurrences of a phrase on this page. ignore_accents: find "café" by "cafe". parts: find the phrase within words
        too."""
        return self._document.matches_on(self, phrase, ignore_accents=ignore_accents, parts=parts)

    def picture(self, *, scale: float = 2.0) -> PillowImage.Image:
        """Draw the page as it is displayed, as a Pillow image. scale: pixels per point, from 0.1 to 20. Raises PdfmillError if the page
        cannot be drawn, or if the file no longer exists."""
        return self._document.picture(self.number, scale=scale)


def page_of(row: Mapping[str, Any], blocks: list[Block], document: Document) -> Page:
    """Make a page from its row of `pages` and its blocks."""
    return Page(
        row["page"], row["text"], row["label"], row["width"], row["height"], row["rotation"], row["language"], row["needs_ocr"],
        row["error_code"], blocks, row, document,
    )  # fmt: skip


def block_of(row: Mapping[str, Any]) -> Block:
    """Make a block from its row of `blocks`."""
    return Block(
        row["page"], row["role"], row["text"], row["level"], list(row["heading_path"]), _boxes(row), row["font"], row["size"], row["bold"],
        row["italic"], row["html"], row["text_start"], row["text_end"], row["language"], row,
    )  # fmt: skip


def section_of(row: Mapping[str, Any]) -> Section:
    """Make a section from its row of `sections`."""
    return Section(
        row["id"], row["text"], list(row["heading_path"]), row["kind"], row["language"], row["first_page"], row["last_page"], _boxes(row),
        row["text_sha256"], row,
    )  # fmt: skip


def table_of(block: Block) -> Table:
    """Make a table from the block that holds it."""
    from pdfmill.pipeline.render.cells import placed_cells

    html = block.html or ""
    rows, head = placed_cells(html)
    return Table(block.page, block.boxes, rows, head, html)


def asset_of(row: Mapping[str, Any]) -> Asset:
    """Make an asset from its row of `assets`; missing columns become None."""
    return Asset(
        row["kind"], row.get("name"), row.get("page"), row.get("mime_type"), row.get("byte_size"), row.get("description"), row
    )  # fmt: skip


def metadata_of(info: Mapping[str, Any] | None) -> Metadata:
    """Make the metadata from the value of the column `info` of `documents`."""
    info = info or {}
    texts = {name: info.get(name) for name in ("title", "author", "subject", "keywords", "creator", "producer")}
    return Metadata(**texts, created=moment(info.get("created")), modified=moment(info.get("modified")))


def moment(text: str | None) -> datetime | None:
    """Parse a date in ISO 8601; return None for any other text, and for None."""
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a nested value of a row as a mapping: a `Struct` is converted, a mapping is returned unchanged."""
    from pdfmill.schemas.declare import as_row

    return value if isinstance(value, Mapping) else as_row(value)


def _boxes(row: Mapping[str, Any]) -> list[Box]:
    return [Box(**as_mapping(box)) for box in row.get("boxes") or []]


def image_of(row: Mapping[str, Any], data: bytes) -> Image:
    """Make an image from its row of `assets` and its bytes."""
    return Image(row.get("name"), row.get("mime_type"), row.get("width"), row.get("height"), _boxes(row), row.get("sha256"), data)


def _links(page: Page) -> Iterator[Link]:
    words = page.words
    for each in map(as_mapping, page.row["annotations"] or []):
        if each["uri"] is None and each["target_page"] is None:
            continue
        sides = [each[side] for side in ("x0", "top", "x1", "bottom")]
        box = None if None in sides else Box(page.number, *sides)
        under = [word.text for word in words if box is not None and _covers(box, word)]
        yield Link(page.number, each["uri"], each["target_page"], " ".join(under), box)


def _covers(box: Box, word: Word) -> bool:
    return box.x0 <= (word.x0 + word.x1) / 2 <= box.x1 and box.top <= (word.top + word.bottom) / 2 <= box.bottom
