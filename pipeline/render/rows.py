"""The rows of one document, and typed access to their columns."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from pdfmill.pipeline.render.images import Picture
from pdfmill.schemas.records import Row


class DocumentRows(Struct):
    """The rows of one document by table. The pages and blocks may be limited to some pages, and are in order. pictures: images by page
    number. why: the layout's decisions about lines, if requested: page, question, rule, taken (yes or no), says (the rule as a sentence),
    text."""

    document: Row
    pages: list[Row] = field(default_factory=list)
    blocks: list[Row] = field(default_factory=list)
    assets: list[Row] = field(default_factory=list)
    pictures: dict[int, list[Picture]] = field(default_factory=dict)
    why: list[Row] = field(default_factory=list)

    def of_page(self, number: int) -> DocumentRows:
        """Return the rows of the page with this number, with the row of the document."""

        def belonging(rows: list[Row]) -> list[Row]:
            return [row for row in rows if row.get("page") == number]

        pictures = {page: found for page, found in self.pictures.items() if page == number}
        return DocumentRows(
            self.document, belonging(self.pages), belonging(self.blocks), belonging(self.assets), pictures, belonging(self.why)
        )


def text_in(row: Row, column: str) -> str:
    """Return the text in a column of a row; "" for null."""
    value = row.get(column)
    return value if isinstance(value, str) else ""


def whole_in(row: Row, column: str) -> int | None:
    """Return the integer in a column of a row; None for null."""
    value = row.get(column)
    return value if isinstance(value, int) else None


def real_in(row: Row, column: str) -> float:
    """Return the number in a column of a row; 0 for null."""
    value = row.get(column)
    return float(value) if isinstance(value, int | float) else 0.0


def box_in(struct: Row) -> tuple[float, float, float, float]:
    """Return the box (x0, top, x1, bottom) of a word, block or annotation in points; 0 for null."""
    return real_in(struct, "x0"), real_in(struct, "top"), real_in(struct, "x1"), real_in(struct, "bottom")


def structs_in(row: Row, column: str) -> list[Row]:
    """Return the structs in a list column of a row; an empty list for null."""
    value = row.get(column)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, Iterable) and not isinstance(value, str) else []
