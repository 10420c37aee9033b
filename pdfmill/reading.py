"""One document as objects: the rows that `pdfmill index` writes for it, made by the same road."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

from pdfmill.errors import PdfmillError, told_as_extra

if TYPE_CHECKING:  # loaded when something is read: importing this package costs no more than its names
    import pandas
    import polars
    import pyarrow
    from PIL import Image

    from pdfmill.pipeline.options.page_selection import PageSelection
    from pdfmill.pipeline.render.rows import DocumentRows
    from pdfmill.pipeline.run.one_document import OneDocument
    from pdfmill.transforms.road.job_settings import ReadSettings

#: What can be read: a path or an address, the bytes of a PDF, or an open binary file, of which the rest is read.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Word:
    """A word: its text, its place in the page's text, and its box in points."""

    text: str
    start: int
    end: int
    x0: float
    top: float
    x1: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Block:
    """What a reader sees as one unit. role: heading, paragraph, list_item, table, ... (docs/columns.md lists them).

    level: of a heading, or nesting depth of a list item, from 1. heading_path: the headings above it, outermost first.
    text_start, text_end: its place in the page's text; None for furniture. row: all columns of the table `blocks`.
    """

    page: int
    role: str
    text: str
    level: int | None
    heading_path: list[str]
    boxes: list[Box]
    font: str | None
    size: float | None
    bold: bool | None
    italic: bool | None
    html: str | None
    text_start: int | None
    text_end: int | None
    language: str | None
    row: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading, cut to a size for engines and language models. id: the same for the same place of the same document.

    kind: text, table, code, contents or references. text_sha256: of the text, in hex. row: all columns of the table `sections`.
    """

    id: str
    text: str
    heading_path: list[str]
    kind: str
    language: str | None
    first_page: int
    last_page: int
    boxes: list[Box]
    text_sha256: str
    row: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A table on a page. rows: the text of each cell; a cell over several places stands in the first, the others are "".

    header_rows: how many of the first rows are its head. html: the same with spans.
    """

    page: int
    boxes: list[Box]
    rows: list[list[str]]
    header_rows: int
    html: str

    def columns(self) -> list[str]:
        """A name for each column: its cells in the head, joined; numbers from 1 where there is none, or it says the same twice."""
        width = max(map(len, self.rows), default=0)
        names = [" ".join(filter(None, (row[number] for row in self.rows[: self.header_rows]))) for number in range(width)]
        return [name if name and names.count(name) == 1 else f"{name} {number}".strip() for number, name in enumerate(names, start=1)]

    def body(self) -> list[list[str]]:
        """The rows below the head."""
        return self.rows[self.header_rows :]

    def to_arrow(self) -> pyarrow.Table:
        """Columns of text; needs pyarrow."""
        with told_as_extra("to_arrow"):
            import pyarrow

        names, body = self.columns(), self.body()
        return pyarrow.table([pyarrow.array([row[number] for row in body], pyarrow.string()) for number in range(len(names))], names)

    def to_pandas(self) -> pandas.DataFrame:
        """Columns of text; needs pandas."""
        import pandas

        return pandas.DataFrame(self.body(), columns=self.columns())

    def to_polars(self) -> polars.DataFrame:
        """Columns of text; needs polars."""
        import polars

        return polars.DataFrame(self.body(), schema=dict.fromkeys(self.columns(), polars.String), orient="row")

    def _repr_html_(self) -> str:
        return self.html


@dataclass(slots=True)
class Page:
    """A page. number: from 1. label: as printed or stated, e.g. "xii". width, height: points, as displayed. rotation: degrees.

    error: why its text could not be read, a code; None where it could. row: all columns of the table `pages`.
    """

    number: int
    text: str
    label: str | None
    width: float
    height: float
    rotation: int
    language: str | None
    needs_ocr: bool
    error: str | None
    blocks: list[Block]
    row: Mapping[str, Any] = field(repr=False)

    @property
    def words(self) -> list[Word]:
        """The words of its text, with their boxes."""
        return [
            Word(self.text[w["start"] : w["end"]], w["start"], w["end"], w["x0"], w["top"], w["x1"], w["bottom"]) for w in self.row["words"]
        ]

    @property
    def tables(self) -> list[Table]:
        """The tables on it."""
        return [_table(block) for block in self.blocks if block.role == "table" and block.html]


class Document:
    """A document that was read. facts: all columns of the table `documents`."""

    def __init__(self, document: OneDocument, data: bytes | None, source: str, read: ReadSettings) -> None:
        self._rows: DocumentRows = document.rows
        self._data = data
        self._source = source
        self._read = read

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the document states about itself, and what was found out: a row of the table `documents`."""
        return self._rows.document

    @property
    def status(self) -> str:
        """ok, or partial where some pages could not be read whole."""
        return str(self.facts["status"])

    @property
    def title(self) -> str | None:
        """As the document states it, else as it shows it."""
        found = self.facts.get("title")
        return found if isinstance(found, str) else None

    @property
    def language(self) -> str | None:
        """ISO 639-1, of most of its text."""
        found = self.facts.get("language")
        return found if isinstance(found, str) else None

    @property
    def page_count(self) -> int:
        """Pages of the document, also of those that were not asked for."""
        return int(self.facts["page_count"])

    @property
    def outline(self) -> list[Mapping[str, Any]]:
        """The document's own outline: title, level, page, uri."""
        return list(self.facts.get("outline") or [])

    @property
    def warnings(self) -> list[Mapping[str, Any]]:
        """Repairs and losses: code, page, message."""
        return [_as_mapping(each) for each in self.facts.get("warnings") or []]

    @property
    def assets(self) -> list[Mapping[str, Any]]:
        """Attachments, images, thumbnails, forms: rows of the table `assets`."""
        return list(self._rows.assets)

    @cached_property
    def pages(self) -> list[Page]:
        """The pages that were asked for."""
        blocks: dict[int, list[Block]] = {}
        for row in self._rows.blocks:
            block = _block(row)
            blocks.setdefault(block.page, []).append(block)
        rows: Sequence[Mapping[str, Any]] = self._rows.pages
        return [_page(row, blocks.get(row["page"], [])) for row in rows]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all pages, in reading order."""
        return [block for page in self.pages for block in page.blocks]

    def sections(self, *, max_chars: int | None = None) -> list[Section]:
        """What stands under each heading of the pages that were asked for. max_chars: longer ones are cut at the ends of paragraphs; as
        `pdfmill index` cuts them where None."""
        from pdfmill.schemas.records import DocId
        from pdfmill.transforms.layout.document.sections import DEFAULT_SECTIONS, SectionSettings, section_rows

        settings = DEFAULT_SECTIONS if max_chars is None else SectionSettings(max_chars)
        return [_section(row) for row in section_rows(DocId(self.facts["doc_id"]), self._rows.blocks, settings)]

    @property
    def tables(self) -> list[Table]:
        """The tables of all pages; one that goes over a page turn is one for each page."""
        return [table for page in self.pages for table in page.tables]

    @property
    def text(self) -> str:
        """The text of all pages, a form feed after each."""
        from pdfmill.pipeline.render.text import render_text

        return render_text(self._rows)

    def to_markdown(self, *, keep_furniture: bool = False) -> str:
        """CommonMark with GitHub's tables."""
        from pdfmill.pipeline.render.markdown import render_markdown

        return render_markdown(self._rows, keep_furniture=keep_furniture)

    def to_html(self, *, keep_furniture: bool = False) -> str:
        """One HTML5 page."""
        from pdfmill.pipeline.render.html import render_html

        return render_html(self._rows, keep_furniture=keep_furniture)

    def to_json(self) -> str:
        """The rows of the tables, as `pdfmill show --format json` prints them."""
        from pdfmill.pipeline.render.json import render_json

        return render_json(self._rows)

    def picture(self, page: int, *, scale: float = 2.0) -> Image.Image:
        """A page as it is displayed. scale: pixels per point.

        Raises:
            PdfmillError: there is no such page, it cannot be drawn, or the document is not there any more.
        """
        from PIL import Image

        from pdfmill.pipeline.run.one_document import find_one
        from pdfmill.transforms.pdf.draw.render import render_page
        from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document

        with _told_as_ours(), _address(self._source, self._data) as address, NATIVE_LOCK:
            return Image.fromarray(render_page(get_document(find_one(address), self._read, machine_fonts=True).pdf.pdfium, page, scale))

    def __repr__(self) -> str:
        return f"<pdfmill.Document {self.facts.get('source_uri')}: {self.page_count} pages, {self.status}>"

    def _repr_html_(self) -> str:
        return self.to_html()


def read(
    source: Source,
    *,
    pages: str | Iterable[int] | None = None,
    passwords: Sequence[str] = (),
    ocr: bool = False,
    ocr_language: str = "auto",
    keep_furniture: bool = False,
    name: str | None = None,
) -> Document:
    """Read one PDF, in this process.

    pages: which to return, e.g. "1-3,7" or [1, 2, 3]; all are read, because what is a heading follows from the whole document.
    passwords: candidates for an encrypted document. ocr: recognise pages that need it, with the command tesseract.
    keep_furniture: leave running heads, footers and page numbers in the text. name: of bytes or a file object, for messages.

    Raises:
        PdfmillError: the source cannot be read, is no PDF, or none of the passwords opens it.
    """
    from pdfmill.pipeline.run.one_document import find_one, read_one
    from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
    from pdfmill.transforms.road.job_settings import ReadSettings
    from pdfmill.transforms.scans.installed import missing
    from pdfmill.transforms.storage.memory import held

    if ocr and (lack := missing(ReadSettings().recognizer)):
        raise PdfmillError("usage", f"ocr: {lack}")
    address, data = _bytes_of(source, name)
    wanted = _selection(pages)
    with _told_as_ours(), ExitStack() as stack:
        secret = stack.enter_context(held("\n".join(passwords).encode(), "passwords")) if passwords else None
        place = stack.enter_context(_address(address, data))
        settings = ReadSettings(passwords_uri=secret, ocr=ocr, ocr_language=ocr_language)
        document = read_one(find_one(place), settings, replace(LayoutSettings(), keep_furniture=keep_furniture), wanted)
    facts = document.rows.document
    if facts["status"] not in ("ok", "partial"):
        raise PdfmillError(str(facts["error_code"]), f"{facts['source_uri']}: {facts['error_message']}")
    return Document(document, data, address, settings)


def _bytes_of(source: Source, name: str | None) -> tuple[str, bytes | None]:
    """Address and bytes; of what is no path the address is a name, and its bytes are held while they are needed."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source), None
    if isinstance(source, bytes | bytearray | memoryview):
        return name or "bytes", bytes(source)
    if isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise PdfmillError("usage", f"{source!r}: neither a path, an address, bytes nor a file opened in binary mode")
    return name or os.path.basename(str(getattr(source, "name", "file"))), source.read()


class _address:
    """The address to read by: as it is, or of bytes that are held while the block runs."""

    def __init__(self, address: str, data: bytes | None) -> None:
        self._stack, self._address, self._data = ExitStack(), address, data

    def __enter__(self) -> str:
        from pdfmill.transforms.storage.memory import held

        return self._address if self._data is None else self._stack.enter_context(held(self._data, self._address))

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class _told_as_ours:
    """Errors of the rooms below, as the error of this package."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from pdfmill.pipeline.run.one_document import OneSourceError
        from pdfmill.transforms.pdf.open.errors import DocumentError, PageError
        from pdfmill.transforms.storage.errors import SourceError

        if isinstance(error, SourceError | DocumentError | PageError):
            raise PdfmillError(error.code, str(error)) from error
        if isinstance(error, OneSourceError):
            raise PdfmillError("bad_source", str(error)) from error


def _selection(pages: str | Iterable[int] | None) -> PageSelection:
    from pdfmill.pipeline.options.page_selection import PageSelection

    if pages is None:
        return PageSelection()
    try:
        return PageSelection.parse(pages if isinstance(pages, str) else ",".join(map(str, pages)))
    except ValueError as error:
        raise PdfmillError("usage", f"pages: {error}") from error


def _as_mapping(value: Any) -> Mapping[str, Any]:
    from pdfmill.schemas.declare import as_row

    return value if isinstance(value, Mapping) else as_row(value)


def _page(row: Mapping[str, Any], blocks: list[Block]) -> Page:
    return Page(
        row["page"], row["text"], row["label"], row["width"], row["height"], row["rotation"], row["language"], row["needs_ocr"],
        row["error_code"], blocks, row,
    )  # fmt: skip


def _block(row: Mapping[str, Any]) -> Block:
    boxes = [Box(**_as_mapping(box)) for box in row["boxes"] or []]
    return Block(
        row["page"], row["role"], row["text"], row["level"], list(row["heading_path"]), boxes, row["font"], row["size"], row["bold"],
        row["italic"], row["html"], row["text_start"], row["text_end"], row["language"], row,
    )  # fmt: skip


def _section(row: Mapping[str, Any]) -> Section:
    boxes = [Box(**_as_mapping(box)) for box in row["boxes"]]
    return Section(
        row["id"], row["text"], list(row["heading_path"]), row["kind"], row["language"], row["first_page"], row["last_page"], boxes,
        row["text_sha256"], row,
    )  # fmt: skip


def _table(block: Block) -> Table:
    from pdfmill.pipeline.render.cells import placed_cells

    html = block.html or ""
    rows, head = placed_cells(html)
    return Table(block.page, block.boxes, rows, head, html)
