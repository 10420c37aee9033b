"""Read one document into Python objects, made from the same rows as those that `pdfmill index` writes."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cached_property, partial
from types import TracebackType
from typing import Any, BinaryIO

from msgspec.structs import replace
from PIL import Image as PillowImage

from pdfmill.errors import PdfmillError, missing_extra_as_error, path_text
from pdfmill.parts import (
    Asset,
    Block,
    Box,
    Image,
    Match,
    Metadata,
    Notice,
    OutlineItem,
    Page,
    Section,
    Table,
    as_mapping,
    asset_of,
    block_of,
    image_of,
    metadata_of,
    page_of,
    section_of,
)
from pdfmill.pipeline.options.flag_values import PICTURE_SCALES, PageSelection
from pdfmill.pipeline.render.find_text import find_phrases, place_hits
from pdfmill.pipeline.render.html import render_html
from pdfmill.pipeline.render.json import render_json, table_rows
from pdfmill.pipeline.render.markdown import render_markdown
from pdfmill.pipeline.render.rows import DocumentRows
from pdfmill.pipeline.render.text import render_text
from pdfmill.pipeline.run.one_document import OneDocument, OneSourceError, find_one, read_one
from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.public import with_name
from pdfmill.schemas.records import DocId
from pdfmill.transforms.layout.document.sections import DEFAULT_SECTIONS, SectionSettings, section_rows
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.pdf.draw.render import render_page
from pdfmill.transforms.pdf.facts.image_files import image_file
from pdfmill.transforms.pdf.facts.images import read_images
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document
from pdfmill.transforms.scans.installed import missing
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.memory import held

#: What can be read: a path or an address, the bytes of a PDF, or an open binary file.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
#: The pages to return: one number, several, or a text such as "1-3,7,12-".
Pages = int | str | Iterable[int]


class Document:
    """A document that was read. `len(document)` is the number of pages in `pages`, and iteration yields these pages.

    No file stays open, so nothing needs to be closed; `with pdfmill.read(...) as document:` works too.
    """

    def __init__(self, document: OneDocument, data: bytes | None, source: str, read: ReadSettings) -> None:
        self._rows: DocumentRows = document.rows
        self._lines = {lines.page: lines for lines in document.lines}
        self._data = data
        self._source = source
        self._read = read

    def __len__(self) -> int:
        return len(self.pages)

    def __iter__(self) -> Iterator[Page]:
        return iter(self.pages)

    def __bool__(self) -> bool:
        return True  # a document without pages is one too

    def __enter__(self) -> Document:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Do nothing, because no file is open."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """All columns of the document's row in the table `documents` (docs/columns.md); the common ones are properties of this class,
        too."""
        return self._rows.document

    @property
    def status(self) -> str:
        """The status: "ok", or "partial" if some pages could not be read completely."""
        return str(self.facts["status"])

    @property
    def title(self) -> str | None:
        """The title, chosen from the first page, the metadata and the outline."""
        return self._text("title")

    @property
    def language(self) -> str | None:
        """ISO 639-1 code of the language of most of the text; None if the text is too short to detect it."""
        return self._text("language")

    def _text(self, column: str) -> str | None:
        value = self.facts.get(column)
        return value if isinstance(value, str) else None

    @property
    def metadata(self) -> Metadata:
        """What the document states about itself."""
        return metadata_of(self.facts.get("info"))

    @property
    def author(self) -> str | None:
        """The author that the document states."""
        return self.metadata.author

    @property
    def created(self) -> datetime | None:
        """The creation date that the document states."""
        return self.metadata.created

    @property
    def modified(self) -> datetime | None:
        """The date of the last change that the document states."""
        return self.metadata.modified

    @property
    def page_count(self) -> int:
        """Number of pages of the document, including those that `read` was not asked to return."""
        return int(self.facts["page_count"])

    @property
    def outline(self) -> list[OutlineItem]:
        """The items of the document's own outline, in order."""
        items = map(as_mapping, self.facts.get("outline") or [])
        return [OutlineItem(each["title"], each["level"], each["page"], each["uri"]) for each in items]

    @property
    def warnings(self) -> list[Notice]:
        """Repairs of the document, and losses that left the rest of it readable."""
        return [Notice(each["code"], each["page"], each["message"]) for each in map(as_mapping, self.facts.get("warnings") or [])]

    @property
    def assets(self) -> list[Asset]:
        """Attachments, images, thumbnails and forms in the document."""
        return [asset_of(as_mapping(row)) for row in self._rows.assets]

    @cached_property
    def images(self) -> list[Image]:
        """The images that the pages show, also on pages that `read` was not asked to return. The file is read again at the first use.

        Raises:
            PdfmillError: the file no longer exists.
        """
        with self._opened() as pdf:
            found, _, _ = read_images(pdf, partial(image_file, limits=pdf.limits, keep_jpeg=True))
        return [image_of(each.row, each.data) for each in found if each.data is not None]

    @contextmanager
    def _opened(self, *, machine_fonts: bool = False) -> Iterator[PdfDocument]:
        with _errors_as_ours(), _address(self._source, self._data) as address, NATIVE_LOCK:
            yield get_document(find_one(address), self._read, machine_fonts=machine_fonts)

    @cached_property
    def pages(self) -> list[Page]:
        """The pages that `read` was asked to return."""
        blocks: dict[int, list[Block]] = {}
        for row in self._rows.blocks:
            block = block_of(row)
            blocks.setdefault(block.page, []).append(block)
        rows: Sequence[Mapping[str, Any]] = self._rows.pages
        return [page_of(row, blocks.get(row["page"], []), self) for row in rows]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all pages, in reading order."""
        return [block for page in self.pages for block in page.blocks]

    def sections(self, *, max_chars: int | None = None) -> list[Section]:
        """Return the text under each heading of the pages that `read` was asked to return.

        max_chars: size in characters, 100 or more, above which sections are cut at the ends of paragraphs; None for the default of `pdfmill
        index`.
        """
        if max_chars is not None and max_chars < 100:
            raise PdfmillError("usage", f"max_chars must be 100 or more, not {max_chars}")
        settings = DEFAULT_SECTIONS if max_chars is None else SectionSettings(max_chars)
        return [section_of(row) for row in section_rows(DocId(self.facts["doc_id"]), self._rows.blocks, settings)]

    @property
    def tables(self) -> list[Table]:
        """The tables of all pages; a table that continues on the next page is given as one table per page."""
        return [table for page in self.pages for table in page.tables]

    @property
    def text(self) -> str:
        """The text of all pages, with a form feed after each."""
        return render_text(self._rows)

    def search(self, phrase: str, *, ignore_accents: bool = False, parts: bool = False) -> list[Match]:
        """Return the occurrences of a phrase, in reading order; upper and lower case are equal.

        ignore_accents: find "café" by "cafe". parts: find the phrase within words too.
        """
        return [match for page in self.pages for match in page.search(phrase, ignore_accents=ignore_accents, parts=parts)]

    def matches_on(self, page: Page, phrase: str, *, ignore_accents: bool, parts: bool) -> list[Match]:
        """Return the occurrences of a phrase on one page. ignore_accents: find "café" by "cafe". parts: find the phrase within words
        too."""
        spans = find_phrases(page.text, [phrase], accents=not ignore_accents, parts=parts)
        if page.number not in self._lines or not spans:
            return []
        hits = place_hits(dict(page.row), self._lines[page.number], spans)
        return [Match(hit.page, hit.start, hit.end, hit.text, [Box(hit.page, *box) for box in hit.boxes]) for hit in hits]

    def to_markdown(self, path: str | os.PathLike[str] | None = None, *, keep_furniture: bool = False) -> str:
        """Return the document as CommonMark with GitHub's tables.

        path: a file to which it is also written, in UTF-8. keep_furniture: include running heads, footers and page numbers.
        """
        return _written(render_markdown(self._rows, keep_furniture=keep_furniture), path)

    def to_html(self, path: str | os.PathLike[str] | None = None, *, keep_furniture: bool = False) -> str:
        """Return the document as one HTML5 page. path: a file to which it is also written. keep_furniture: include running heads and the
        like."""
        return _written(render_html(self._rows, keep_furniture=keep_furniture), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the rows of the tables as JSON, as `pdfmill show --format json` prints them; path: a file to which it is also written.
        Needs pyarrow."""
        with missing_extra_as_error("to_json"):
            return _written(render_json(self._rows), path)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the tables `documents`, `pages`, `blocks` and `assets` as lists of dictionaries. Needs pyarrow."""
        with missing_extra_as_error("to_dict"):
            return table_rows(self._rows)

    def picture(self, page: int, *, scale: float = 2.0) -> PillowImage.Image:
        """Draw a page as it is displayed, as a Pillow image. page: from 1. scale: pixels per point, from 0.1 to 20.

        Raises:
            PdfmillError: there is no such page, it cannot be drawn, or the file no longer exists.
        """

        if not 1 <= page <= self.page_count:
            raise PdfmillError("usage", f"there is no page {page}; {_have(self.page_count)}")
        least, most = PICTURE_SCALES
        if not least <= scale <= most:
            raise PdfmillError("usage", f"scale must be from {least:g} to {most:g} pixels per point, not {scale}")
        with self._opened(machine_fonts=True) as pdf:
            return PillowImage.fromarray(render_page(pdf.pdfium, page, scale))

    def __repr__(self) -> str:
        return f"<pdfmill.Document {self.facts.get('source_uri')}: {self.page_count} pages, {self.status}>"

    def _repr_html_(self) -> str:
        return self.to_html()


def read(
    source: Source,
    *,
    pages: Pages | None = None,
    password: str | None = None,
    passwords: Sequence[str] = (),
    ocr: bool = False,
    ocr_language: str = "auto",
    keep_furniture: bool = False,
    name: str | None = None,
) -> Document:
    """Read one PDF, in this process.

    source: a path (with ~ for the home folder), an address in a store, the bytes of a PDF, or an open binary file, which is read from its
    beginning if it can seek. pages: pages to return, e.g. 1, "1-3,7" or [1, 2, 3]. All pages are read in any case, because whether a line
    is a heading depends on the whole document. password: opens an encrypted document. passwords: several passwords to try. ocr: recognise
    pages that need it, with the command tesseract. ocr_language: by Tesseract's names, e.g. "eng+deu"; "auto" to choose it from the
    document's text. keep_furniture: keep running heads, footers and page numbers in the text. name: name of bytes or a file object in
    messages.

    Raises:
        PdfmillError: the source cannot be read, is no PDF, or no password opens it (its `code` says which); an argument makes no sense
            (usage).
    """
    candidates = _candidates(password, passwords)
    if ocr:
        _check_ocr(ocr_language)
    address, data = _bytes_of(source, name)
    wanted = _selection(pages)
    with _errors_as_ours(), ExitStack() as stack:
        secret = stack.enter_context(held("\n".join(candidates).encode(), "passwords")) if candidates else None
        uri = stack.enter_context(_address(address, data))
        settings = ReadSettings(passwords_uri=secret, ocr=ocr, ocr_language=ocr_language)
        document = read_one(find_one(uri), settings, replace(LayoutSettings(), keep_furniture=keep_furniture), wanted)
    facts = document.rows.document
    if facts["status"] not in ("ok", "partial"):
        raise PdfmillError(str(facts["error_code"]), _by_name(with_name(str(facts["error_message"]), str(facts["source_uri"]))))
    made = Document(document, data, address, settings)
    if pages is not None and not made.pages:
        raise PdfmillError("usage", f"pages: {pages!r} selects no page of the document; {_have(made.page_count)}")
    return made


def _have(pages: int) -> str:
    return "it has one page" if pages == 1 else f"it has pages 1 to {pages}"


def _candidates(password: str | None, passwords: Sequence[str]) -> list[str]:
    """Return the passwords to try. Error messages never contain one."""
    if isinstance(passwords, str):
        raise PdfmillError("usage", "passwords: give a list of texts, or a single text as password=")
    found = [*([] if password is None else [password]), *passwords]
    if not all(isinstance(each, str) for each in found):
        raise PdfmillError("usage", "password and passwords: each password must be a text")
    return found


def _check_ocr(language: str) -> None:
    if lack := missing(ReadSettings().recognizer, language):
        raise PdfmillError("usage", f"ocr: {lack}")


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        with open(path_text(path), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    return text


def _bytes_of(source: Source, name: str | None) -> tuple[str, bytes | None]:
    """Return the address and the bytes of a source; None for the bytes of a path or an address. name: for messages, in place of the
    address."""
    if isinstance(source, str | os.PathLike):
        if not os.fspath(source):
            raise PdfmillError("usage", "the source is an empty text; give a path, an address, bytes or a file")
        return path_text(source), None
    if isinstance(source, bytes | bytearray | memoryview):
        return name or "bytes", bytes(source)
    if isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise PdfmillError("usage", f"{source!r}: give a path, an address, bytes or a file opened in binary mode")
    if getattr(source, "closed", False):
        raise PdfmillError("usage", f"{source!r}: the file is closed")
    if hasattr(source, "seekable") and source.seekable():
        source.seek(0)
    data = source.read()
    if not isinstance(data, bytes | bytearray | memoryview):
        raise PdfmillError("usage", f"{source!r}: its read() returns {type(data).__name__}, not bytes")
    return name or os.path.basename(str(getattr(source, "name", "file"))), bytes(data)


class _address:
    """Context manager that returns the address to read from: `address` itself or, for `data`, a temporary address in memory."""

    def __init__(self, address: str, data: bytes | None) -> None:
        self._stack, self._address, self._data = ExitStack(), address, data

    def __enter__(self) -> str:
        return self._address if self._data is None else self._stack.enter_context(held(self._data, self._address))

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class _errors_as_ours:
    """Context manager that converts errors of inner packages to `PdfmillError`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SourceError | DocumentError | PageError):
            raise PdfmillError(error.code, _by_name(str(error))) from error
        if isinstance(error, OneSourceError):
            raise PdfmillError("bad_source", str(error)) from error


def _by_name(message: str) -> str:
    return re.sub(r"memory://[0-9a-f]{16}/", "", message)


def _selection(pages: Pages | None) -> PageSelection:
    if pages is None:
        return PageSelection()
    if isinstance(pages, str):
        try:
            return PageSelection.parse(pages)
        except ValueError as error:
            raise PdfmillError("usage", f"pages: {error}") from error
    numbers = [pages] if isinstance(pages, int) else list(pages) if isinstance(pages, Iterable) else []
    if not numbers or not all(isinstance(each, int) and each > 0 for each in numbers):
        raise PdfmillError("usage", f'pages: {pages!r} selects no pages; give numbers from 1, e.g. 3, [1, 2] or "1-3,7"')
    return PageSelection(tuple((number, number) for number in numbers))
