"""The record types that flow between the steps.

Coordinates everywhere: points (1/72 inch), origin at the top left of the rotated, cropped page, x to the right, y down.
Page numbers count from 1. What crosses a worker boundary is small: references, text lines, statistics; never glyphs and
never open documents.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NewType
from urllib.parse import parse_qsl

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from pdfmill.schemas.declare import Row as Row
from pdfmill.schemas.declare import StructColumns as StructColumns
from pdfmill.schemas.public import as_message, public_uri
from pdfmill.schemas.rows import Block as Block
from pdfmill.schemas.rows import HiddenText as HiddenText
from pdfmill.schemas.rows import Notice as Notice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DocId = NewType("DocId", str)

#: Begins the address of a record in a web archive, see `pdfmill.transforms.storage.warc_addresses`.
WARC_PREFIX: Final = "warc+"
#: Begins the address of a member of a tar archive, see `pdfmill.transforms.storage.tar`.
TAR_PREFIX: Final = "tar+"
#: Begins the address of a row of a Parquet file, see `pdfmill.transforms.storage.parquet`.
PARQUET_PREFIX: Final = "parquet+"


class Failure(Struct, frozen=True):
    """The reason why something is not available. `code` is a key of `pdfmill.schemas.codes.ERROR_CODES`; `message` names object and reason,
    in a form fit to be shown."""

    code: str
    message: str

    def __post_init__(self) -> None:
        force_setattr(self, "message", as_message(self.message))


class DocumentRef(Struct, frozen=True):
    """An input object in storage, or a PDF embedded in one; a reference, never its bytes.

    uri: canonical address (`file:///...`, `s3://`, `gs://`, `https://`), which may be written anywhere; an embedded PDF has its parent's.
    etag: the store's etag or generation as it was listed, None where the store has none.
    size: bytes as listed; None when unknown.
    modified: last-modified with zone; None when unknown.
    checksum: what the store says of the content (an MD5, an etag, an archive's digest); objects with the same may have the same bytes.
    attachment_path: for an embedded PDF, the position of each attachment on the way down from the object, from 0.
    secret_uri: the address to read by where `uri` leaves out secrets (`pdfmill.schemas.public`); stands in no table and no message.
    failure: set when the listing already failed for this source; the document then only gets its row.
    source: name of the source of a crawl that listed it. shards, book_shards: parts that each table of its job gets, of documents of one
    range of pages and of books, where that follows from the listing; 0 where it does not.
    archived: the store keeps its bytes where they must be restored before they can be read.
    """

    doc_id: DocId
    uri: str
    etag: str | None = None
    size: int | None = None
    modified: datetime | None = None
    parent_doc_id: DocId | None = None
    attachment_path: tuple[int, ...] = ()
    failure: Failure | None = None
    checksum: str | None = None
    secret_uri: str | None = None
    source: str = ""
    shards: int = 0
    book_shards: int = 0
    archived: bool = False

    def __repr__(self) -> str:
        """Without the address to read by, which may hold a login."""
        return f"DocumentRef({self.doc_id!r}, {self.uri!r}, attachment_path={self.attachment_path!r})"

    @staticmethod
    def of_uri(uri: str) -> DocumentRef:
        """Make a reference to an object of which only the address is known; secrets in it are kept apart."""
        public = public_uri(uri)
        return DocumentRef(object_id(public), public, secret_uri=uri if uri != public else None)

    @property
    def address(self) -> str:
        """The address for reading, secrets included."""
        return self.secret_uri or self.uri

    def listed_by(self, source: str) -> DocumentRef:
        """Return a copy with the name of its source; written without `replace`, because listings are long."""
        return DocumentRef(
            self.doc_id, self.uri, self.etag, self.size, self.modified, self.parent_doc_id, self.attachment_path, self.failure,
            self.checksum, self.secret_uri, source, self.shards, self.book_shards, self.archived,
        )  # fmt: skip

    def child(self, position: int) -> DocumentRef:
        """Return the PDF attached at this index."""
        path = (*self.attachment_path, position)
        return replace(self, doc_id=document_id(f"{self.doc_id}/{position}"), parent_doc_id=self.doc_id, attachment_path=path)

    def parent(self) -> DocumentRef:
        """Return the document that contains this embedded PDF. Ids are not restored, only the path to its bytes."""
        return replace(self, attachment_path=self.attachment_path[:-1])

    @property
    def place(self) -> str:
        """The key of objects that one worker should read one after the other, in the order of their addresses: the row group for a row of a
        Parquet file, else the object itself."""
        return self.uri.partition("&row=")[0] if self.uri.startswith(PARQUET_PREFIX) else self.doc_id

    def name(self) -> str:
        """The name in messages: the address, and for an embedded PDF its path in the object."""
        return self.uri + "".join(f" > attachment {position + 1}" for position in self.attachment_path)


def document_id(name: str) -> DocId:
    """Return the first 32 hex digits of the SHA-256 of a canonical address."""
    return DocId(sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def object_id(uri: str) -> DocId:
    """Return the id of an object in storage, computed from its address. For a record in a web archive with URL and digest it is computed
    from these, in whichever archive it lies; for a member of a tar archive from the archive and its name; for a row of a Parquet file with
    a URL from the folder and the URL.

    >>> object_id("parquet+s3://b/x/a.parquet#row=1&url=http://u") == object_id("parquet+s3://b/x/b.parquet#row=7&url=http://u")
    True
    >>> object_id("warc+s3://b/a#offset=7&url=u&digest=sha1%3AX") == object_id("warc+s3://b/b#offset=9&url=u&digest=X")
    True
    """
    if uri.startswith(WARC_PREFIX):
        told = dict(parse_qsl(uri.rpartition("#")[2]))
        if "url" in told and "digest" in told:
            return document_id(f"{WARC_PREFIX}{told['url']} {told['digest'].removeprefix('sha1:')}")
    if uri.startswith(TAR_PREFIX):
        archive, _, place = uri.rpartition("#")
        told = dict(parse_qsl(place))
        return document_id(f"{archive} {told.get('name')} {told.get('again', '')}")
    if uri.startswith(PARQUET_PREFIX) and "url=" in uri:
        file, _, row = uri.rpartition("#")
        told = dict(parse_qsl(row))
        if "://" in told.get("url", ""):  # a name alone may be that of many
            return document_id(f"{file.rpartition('/')[0]}/ {told['url']} {told.get('payload')} {told.get('again', '')}")
    return document_id(uri)


def section_id(doc_id: str, number: int) -> str:
    """Return the id of a section. number: from 1."""
    return document_id(f"{doc_id}/section/{number}")


class PageRange(Struct, frozen=True):
    """Consecutive pages of one document, both ends included; the unit that is distributed over the workers."""

    document: DocumentRef
    first: int
    last: int

    @property
    def count(self) -> int:
        """The number of pages."""
        return self.last - self.first + 1


def page_ranges(ref: DocumentRef, page_count: int, pages_per_range: int) -> list[PageRange]:
    """Return all pages in ranges of at most `pages_per_range`.

    >>> [(r.first, r.last) for r in page_ranges(DocumentRef.of_uri("file:///a"), 5, 2)]
    [(1, 2), (3, 4), (5, 5)]
    """
    starts = range(1, page_count + 1, pages_per_range)
    return [PageRange(ref, first, min(page_count, first + pages_per_range - 1)) for first in starts]


#: The tables of a job, see `pdfmill.schemas.tables`.
TABLE_NAMES: Final = ("documents", "pages", "blocks", "sections", "assets")
#: (table, shard): where a batch of rows goes.
PartKey = tuple[str, int]
#: (sort key, a record batch as a compressed Arrow IPC message).
PackedRows = tuple[tuple[object, ...], bytes]
#: What goes to one part of a table.
RowsOfPart = tuple[PartKey, PackedRows]
#: (document, its rows in all tables): see `pdfmill.transforms.tables.packed_rows`.
Parcel = tuple[str, bytes]


class PackedRange(Struct, frozen=True):
    """A range of a book's pages between steps: packed measures and packed text lines (`pdfmill.transforms.tables.spool`).

    failures: pages that could not be read. away: the store would not give the document, and may the next time.
    """

    pages: PageRange
    measures: bytes
    lines: bytes
    failures: int = 0
    away: bool = False


class Book(Struct, frozen=True):
    """A document that is read range by range. reading: its packed `DocumentReading`."""

    ref: DocumentRef
    page_count: int
    reading: bytes


class DescribedBook(Struct, frozen=True):
    """The result of describing a book from all its pages.

    rows: of `assets`. row: its row of `documents`, packed, without the columns that its structured pages decide. styles: its packed
    style for each range of pages."""

    rows: list[RowsOfPart]
    row: bytes
    styles: list[bytes]


class StructuredRange(Struct, frozen=True):
    """The rows of `pages` and `blocks` of a range of a book. warnings: errors while its pages were structured."""

    rows: list[RowsOfPart]
    warnings: list[Notice]


class BookRange(Struct, frozen=True):
    """A range of a book's pages between the workers of an engine. book: with the first range only. read: set when it was read."""

    pages: PageRange
    book: Book | None = None
    read: PackedRange | None = None


class Walked(Struct):
    """The result of reading a document at once: its finished rows, or for a book its facts and its first range of pages.

    children: attached PDFs, still to be read. digest: SHA-256 of its bytes, None when they could not be had. ok: its status is ok.
    pages, failures: pages read, and pages of them that failed. away: the store would not give it, and may the next time.
    """

    rows: list[RowsOfPart]
    children: list[DocumentRef]
    digest: str | None
    ok: bool
    pages: int = 0
    failures: int = 0
    book: Book | None = None
    first: PackedRange | None = None
    away: bool = False

    @property
    def all_failures(self) -> int:
        """Return the pages that failed, or the document itself if no page did."""
        return self.failures if self.ok else max(1, self.failures)


class FontStyle(Struct, frozen=True):
    """The typographic style of a run of glyphs.

    font: PostScript name without its subset prefix, e.g. `Times-Bold`; "" when unknown. size: effective size in points after all matrices,
    rounded to 0.1. color: fill colour as 0xRRGGBB. spaced: its letters are spaced for emphasis; set for scans only.
    """

    font: str
    size: float
    bold: bool = False
    italic: bool = False
    monospaced: bool = False
    color: int = 0
    spaced: bool = False


class TextLine(Struct):
    """One text line: glyphs on one baseline in one column, in logical reading order.

    text: Unicode NFC, spaces inferred, no leading or trailing white space; a line-end hyphen is still there.
    x0, top, x1, bottom: the union of its words' boxes. baseline: y of the baseline (x for rotated or vertical lines).
    angle: clockwise degrees of the reading direction on the displayed page: 0, 90, 180, 270, or another when skewed.
    style: index into `PageLines.styles` of the style that covers most characters.
    spans: (start offset in text, style index), ascending, the first at 0.
    rtl: the line's base direction is right to left. vertical: vertical writing mode.
    mcid: marked-content id that covers most of its characters (ISO 32000-2 §14.6), -1 for none.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    style: int
    spans: tuple[tuple[int, int], ...]
    angle: int = 0
    rtl: bool = False
    vertical: bool = False
    mcid: int = -1


class RuledTable(Struct):
    """A table found by its ruling lines: rows of cell boxes (x0, top, x1, bottom), None where a span covers the position."""

    x0: float
    top: float
    x1: float
    bottom: float
    rows: list[list[tuple[float, float, float, float] | None]]


class TaggedCell(NamedTuple):
    """A cell of a tagged table on one page, or the part of it on that page.

    row, column: its first row and column, from 0; rows are counted from the first one on the page. down, across: number of rows and columns
    that it spans. head: "column" or "row" for a header cell of these, else "". content: its marked-content ids on this page.
    """

    row: int
    column: int
    down: int
    across: int
    head: str
    content: tuple[int, ...]


class TaggedElement(NamedTuple):
    """An element of the structure tree that is one block of a page (ISO 32000-2 §14.8).

    kind: its standard structure type: P, H1 to H6, LI, Table, ... level: of a heading, or nesting of a list, from 1; else 0.
    place: its position in the tree, the same on every page that it stands on. content: its marked-content ids on this page.
    carried: it begins on the page before. cells: of a table, by row and column.
    """

    kind: str
    level: int
    place: int
    content: tuple[int, ...]
    carried: bool = False
    cells: tuple[TaggedCell, ...] = ()


def no_rows(kind: str, *columns: int) -> Callable[[], NDArray[Any]]:
    """Make an array of this kind without rows."""

    def make() -> NDArray[Any]:
        import numpy as np  # the process that only collects rows does without

        return np.zeros((0, *columns), kind)

    return make


_no_boxes: Final = no_rows("float32", 4)
_no_spans: Final = no_rows("int32", 2)
_no_measures: Final = no_rows("float32")
_no_numbers: Final = no_rows("int32")


class WordInk(NamedTuple):
    """Measurements of each word in the picture of a scanned page, as evidence for the document's text styles (`ink_looks`).

    heights: float32[n, 4], points above the baseline: of words of small letters, of words with capitals, of those with ascenders, and the
    height of capitals estimated from other letters; nan where a word has no such letters. stems: float32[n], points, width of the letters'
    stems, nan without any; runs: float32[n], number of stems measured. slants: float32[n], log ratio by which its letters are more like
    italics than upright. gaps: float32[n], mean distance between neighbouring letters, points; nan for a word of one letter.
    """

    heights: NDArray[np.float32]
    stems: NDArray[np.float32]
    runs: NDArray[np.float32]
    slants: NDArray[np.float32]
    gaps: NDArray[np.float32]


class PageFacts(Struct, frozen=True):
    """The statements of a page's dictionary, apart from its content (ISO 32000-2 §7.7.3.3)."""

    #: Page label (§12.4.2); None where none is set.
    label: str | None = None
    #: As stored in the page, see `schemas.rows.PageRow`.
    media_box: tuple[float, float, float, float] | None = None
    #: As stored in the page; the media box where it has none.
    crop_box: tuple[float, float, float, float] | None = None
    #: Size of a unit of user space in points.
    user_unit: float = 1.0


class PageLines(Struct):
    """Everything that later steps need about one page; this crosses worker boundaries. Boxes are in points: x0, top, x1, bottom."""

    #: Page number from 1.
    page: int
    #: Points, of the displayed page; after `quarters`, of the righted one.
    width: float = 0.0
    #: Points, as `width`.
    height: float = 0.0
    #: The page's Rotate: 0, 90, 180 or 270.
    rotation: int = 0
    #: What its dictionary states.
    facts: PageFacts = PageFacts()
    #: Font styles; the lines refer to them by number.
    styles: list[FontStyle] = field(default_factory=list)
    #: Text lines.
    lines: list[TextLine] = field(default_factory=list)
    #: int32[n], index into `lines`; words of a line are consecutive and in text order.
    word_lines: NDArray[np.int32] = field(default_factory=_no_numbers)
    #: int32[n, 2], start and end offset in that line's text.
    word_spans: NDArray[np.int32] = field(default_factory=_no_spans)
    #: float32[n, 4].
    word_boxes: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: int32[n], marked-content id of each word's first character, -1 for none; int32[0] on pages without tags.
    word_content: NDArray[np.int32] = field(default_factory=_no_numbers)
    #: float32[n], 0 to 1, of the recognition of each word; float32[0] where none was recognised here.
    word_confidences: NDArray[np.float32] = field(default_factory=_no_measures)
    #: float32[n, 4], thin horizontal and vertical strokes or fills.
    rules: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: float32[n, 4], larger filled areas.
    fills: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: float32[n, 4], raster images on the page.
    images: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: Tables of drawn cells.
    tables: list[RuledTable] = field(default_factory=list)
    #: Rows of `pages.annotations`.
    annotations: list[Row] = field(default_factory=list)
    #: What the structure tree makes of the page, in tree order.
    tags: tuple[TaggedElement, ...] = ()
    #: float32[n, 4], the page's parts of article threads, thread by thread in their order.
    beads: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: Text that nobody sees.
    hidden: list[HiddenText] = field(default_factory=list)
    #: Characters whose Unicode value is a guess.
    untrusted_chars: int = 0
    #: The text is an invisible OCR layer over a scan, or was recognised here.
    ocr: bool = False
    #: See `schemas.rows.PageRow`.
    ocr_quality: float | None = None
    #: The codes of its fonts were learned from pictures, and give the page's text.
    fonts_read: bool = False
    #: About how many letters its pictures show beyond its text; None where that was not asked.
    shown_letters: int | None = None
    #: How the words look on the page's picture; None where fonts say it.
    ink: WordInk | None = None
    #: Degrees by which the picture was turned to the right. Lines and words are where they are on a straight page, turned back around
    #: its middle.
    turn: float = 0.0
    #: By how many right angles to the right the text runs on the displayed page; width, height and all boxes but those of annotations
    #: are then those of the righted page.
    quarters: int = 0
    #: Repairs and losses.
    warnings: list[Notice] = field(default_factory=list)
    #: Lines put together across a gutter have been cut; done once, where the page is read.
    cut_at_gutters: bool = False
    #: Set when the page could not be read; the rest is then empty.
    failure: Failure | None = None


class Why(NamedTuple):
    """A decision about some lines of a page with its rule, recorded on request (`LayoutSettings.explain`).

    question: heading, table, role or furniture. rule: its name in the list of that question's rules. lines: indices into `PageLines.lines`.
    taken: whether the rule decided for it (the lines are a heading, a table, ...) or against. says: the rule's sentence, with the values
    that decided.
    """

    question: str
    rule: str
    lines: tuple[int, ...]
    taken: bool
    says: str


class StructuredPage(Struct):
    """The result of `structure_page`.

    text: the page's text; every `Block` with offsets slices it exactly. words: int32[n, 2] start and end offset into `text`; word_boxes:
    float32[n, 4]. word_confidences: see `PageLines`. printed_label: the page number printed on the page; None when it shows none. why: the
    decisions about its lines, if requested. unplaced: lines that no rule assigned to a block; they become blocks of role `other`, and
    indicate a bug.
    """

    page: int
    text: str
    blocks: list[Block]
    words: NDArray[np.int32]
    word_boxes: NDArray[np.float32]
    column_count: int
    printed_label: str | None = None
    why: tuple[Why, ...] = ()
    unplaced: tuple[int, ...] = ()
    word_confidences: NDArray[np.float32] = field(default_factory=_no_measures)

    @staticmethod
    def empty(page: int) -> StructuredPage:
        """Return a page without text."""
        return StructuredPage(page, "", [], _no_spans(), _no_boxes(), 0)
