"""The record types that the steps of a job pass on.
Coordinates everywhere: points (1/72 inch), origin at the top left of the rotated, cropped page, x to the right, y down. Page numbers count
from 1. Glyphs and open documents are never sent to another worker."""

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

#: Begins the address of a record in a web archive, see `pdfmill.transforms.storage.addresses`.
WARC_PREFIX: Final = "warc+"
#: Begins the address of a member of a tar archive, see `pdfmill.transforms.storage.tar`.
TAR_PREFIX: Final = "tar+"
#: Begins the address of a row of a Parquet file, see `pdfmill.transforms.storage.parquet`.
PARQUET_PREFIX: Final = "parquet+"


class Failure(Struct, frozen=True):
    """The reason why an object, a document or a page is not available."""

    code: str  # a key of `pdfmill.schemas.codes.ERROR_CODES`
    message: str  # names the object and the reason, without secrets

    def __post_init__(self) -> None:
        force_setattr(self, "message", as_message(self.message))


class DocumentRef(Struct, frozen=True):
    """A reference to an object in storage, or to a PDF embedded in one, without its bytes. The comment of each field explains it."""

    doc_id: DocId
    uri: str  # canonical address (`file:///...`, `s3://`, `gs://`, `https://`) without secrets; for an embedded PDF its parent's
    etag: str | None = None  # the store's etag or generation when it was listed; None if the store has none
    size: int | None = None  # bytes when it was listed; None when unknown
    modified: datetime | None = None  # time of the last change, with its time zone; None when unknown
    parent_doc_id: DocId | None = None  # for an embedded PDF, the document that contains it
    attachment_path: tuple[int, ...] = ()  # for an embedded PDF, the index of the attachment at each level below the object, from 0
    failure: Failure | None = None  # the error if this source could not be listed; the document then only gets its row in `documents`
    #: A checksum of the content from the store (an MD5, an etag, an archive's digest); objects with equal ones may have equal bytes.
    checksum: str | None = None
    secret_uri: str | None = None  # the address for reading if it contains secrets (`pdfmill.schemas.public`); never in a table or message
    source: str = ""  # name of the crawl's source that listed it
    #: Number of Parquet files per table that its job writes for documents of one page range; 0 if not known from the listing.
    shards: int = 0
    book_shards: int = 0  # number of such files for books (documents of several page ranges)
    archived: bool = False  # the store must restore its bytes before they can be read

    def __repr__(self) -> str:
        """Return a text without the address for reading, which may contain a password."""
        return f"DocumentRef({self.doc_id!r}, {self.uri!r}, attachment_path={self.attachment_path!r})"

    @staticmethod
    def of_uri(uri: str) -> DocumentRef:
        """Make a reference to an object of which only the address is known. An address with secrets becomes `secret_uri`."""
        public = public_uri(uri)
        return DocumentRef(object_id(public), public, secret_uri=uri if uri != public else None)

    @property
    def address(self) -> str:
        """The address for reading, secrets included."""
        return self.secret_uri or self.uri

    def listed_by(self, source: str) -> DocumentRef:
        """Return a copy with `source` set. It does not call `replace`, which is too slow for long listings."""
        return DocumentRef(
            self.doc_id, self.uri, self.etag, self.size, self.modified, self.parent_doc_id, self.attachment_path, self.failure,
            self.checksum, self.secret_uri, source, self.shards, self.book_shards, self.archived,
        )  # fmt: skip

    def child(self, position: int) -> DocumentRef:
        """Return a reference to the PDF that is attached to this document. position: index of the attachment, from 0."""
        path = (*self.attachment_path, position)
        return replace(self, doc_id=document_id(f"{self.doc_id}/{position}"), parent_doc_id=self.doc_id, attachment_path=path)

    def parent(self) -> DocumentRef:
        """Return a reference for opening the document in which this PDF is embedded, with the ids of this PDF."""
        return replace(self, attachment_path=self.attachment_path[:-1])

    @property
    def place(self) -> str:
        """The sort key for reading: `doc_id` or, for a row of a Parquet file, the address of the row group. One worker should read equal
        keys."""
        return self.uri.partition("&row=")[0] if self.uri.startswith(PARQUET_PREFIX) else self.doc_id

    def name(self) -> str:
        """The name in messages: the address, followed for an embedded PDF by its attachment path."""
        return self.uri + "".join(f" > attachment {position + 1}" for position in self.attachment_path)


def document_id(name: str) -> DocId:
    """Return the first 32 hex digits of the SHA-256 of a text, such as an object's canonical address."""
    return DocId(sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def object_id(uri: str) -> DocId:
    """Return the id of an object in storage, computed from its address. It does not depend on the archive for WARC records with URL and
    digest, nor on the file for Parquet rows with a URL.

    >>> object_id("parquet+s3://b/x/a.parquet#row=1&url=http://u") == object_id("parquet+s3://b/x/b.parquet#row=7&url=http://u")
    True
    >>> object_id("warc+s3://b/a#offset=7&url=u&digest=sha1%3AX") == object_id("warc+s3://b/b#offset=9&url=u&digest=X")
    True
    """
    if uri.startswith(WARC_PREFIX):
        parameters = dict(parse_qsl(uri.rpartition("#")[2]))
        if "url" in parameters and "digest" in parameters:
            return document_id(f"{WARC_PREFIX}{parameters['url']} {parameters['digest'].removeprefix('sha1:')}")
    if uri.startswith(TAR_PREFIX):
        archive, _, place = uri.rpartition("#")
        parameters = dict(parse_qsl(place))
        return document_id(f"{archive} {parameters.get('name')} {parameters.get('again', '')}")
    if uri.startswith(PARQUET_PREFIX) and "url=" in uri:
        file, _, row = uri.rpartition("#")
        parameters = dict(parse_qsl(row))
        if "://" in parameters.get("url", ""):  # a name alone may be that of many
            return document_id(f"{file.rpartition('/')[0]}/ {parameters['url']} {parameters.get('payload')} {parameters.get('again', '')}")
    return document_id(uri)


def section_id(doc_id: str, number: int) -> str:
    """Return the id of a section. number: its number in the document, from 1."""
    return document_id(f"{doc_id}/section/{number}")


class PageRange(Struct, frozen=True):
    """Consecutive pages of one document, from `first` to `last`, both included. A worker is always given a whole range."""

    document: DocumentRef
    first: int
    last: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1


def page_ranges(ref: DocumentRef, page_count: int, pages_per_range: int) -> list[PageRange]:
    """Split the pages of a document into ranges of at most `pages_per_range`.

    >>> [(r.first, r.last) for r in page_ranges(DocumentRef.of_uri("file:///a"), 5, 2)]
    [(1, 2), (3, 4), (5, 5)]
    """
    starts = range(1, page_count + 1, pages_per_range)
    return [PageRange(ref, first, min(page_count, first + pages_per_range - 1)) for first in starts]


#: The tables that a job writes, see `pdfmill.schemas.tables`.
TABLE_NAMES: Final = ("documents", "pages", "blocks", "sections", "assets")
#: (table, shard): identifies the Parquet file to which a batch of rows is written.
PartKey = tuple[str, int]
#: (sort key, a record batch as a compressed Arrow IPC message).
PackedRows = tuple[tuple[object, ...], bytes]
#: Packed rows, with the key of the Parquet file to which they are written.
RowsOfPart = tuple[PartKey, PackedRows]
#: (document id, its rows of all tables as bytes): see `pdfmill.transforms.tables.packed_rows`.
Parcel = tuple[str, bytes]


class PackedRange(Struct, frozen=True):
    """A range of a long document's pages after reading: their statistics (`measures`) and text lines, packed."""

    pages: PageRange
    measures: bytes  # packed statistics of the pages
    lines: bytes  # packed text lines of the pages
    failures: int = 0  # number of pages that could not be read
    store_failed: bool = False  # the store failed temporarily, so a later attempt may succeed


class Book(Struct, frozen=True):
    """A long document, which is read in several ranges of pages; the code calls it a book."""

    ref: DocumentRef
    page_count: int
    reading: bytes  # its packed `DocumentReading`


class DescribedBook(Struct, frozen=True):
    """The results for a long document (`Book`) as a whole, when all its pages have been read. rows: packed rows of `assets`. row: packed
    row of `documents`, still incomplete. styles: for each page range the packed style (`DocumentStyle`) of its pages."""

    rows: list[RowsOfPart]  # its rows of `assets`
    row: bytes  # its row of `documents`, packed, without the columns that depend on the blocks of its pages
    styles: list[bytes]  # the packed style for each range of pages


class StructuredRange(Struct, frozen=True):
    """The rows of `pages` and `blocks` of one page range of a long document. warnings: errors that occurred while they were made."""

    rows: list[RowsOfPart]
    warnings: list[Notice]  # errors that occurred while its pages were structured


class BookRange(Struct, frozen=True):
    """A page range of a long document, as workers pass it on. book: set in the first range only. read: the content, None until read."""

    pages: PageRange
    book: Book | None = None  # set in the first range only
    read: PackedRange | None = None  # the content of the range; None until it has been read


class DocumentResult(Struct):
    """The result of reading a document in one call: its finished rows or, for a long document, its facts (`book`) and its first page range.
    digest: SHA-256 of its bytes, or None. ok: its status is ok. failures: number of pages that failed."""

    rows: list[RowsOfPart]  # the finished rows; empty for a book
    children: list[DocumentRef]  # attached PDFs, which are still to be read
    digest: str | None  # SHA-256 of its bytes; None if they could not be fetched
    ok: bool  # its status is ok
    pages: int = 0  # number of pages that were read
    failures: int = 0  # number of those pages that failed
    book: Book | None = None
    first: PackedRange | None = None  # a book's first range
    store_failed: bool = False  # the store failed temporarily

    @property
    def all_failures(self) -> int:
        """Return the number of pages that failed; at least 1 if the document's status is not ok."""
        return self.failures if self.ok else max(1, self.failures)


class FontStyle(Struct, frozen=True):
    """The typographic style of a run of glyphs. size: points. color: 0xRRGGBB. spaced: letterspaced for emphasis; set for scans only."""

    font: str  # PostScript name without its subset prefix, e.g. `Times-Bold`; "" when unknown
    size: float  # points after all transformations, rounded to 0.1
    bold: bool = False
    italic: bool = False
    monospaced: bool = False
    color: int = 0  # fill colour as 0xRRGGBB
    spaced: bool = False  # its letters are letterspaced for emphasis; set for scans only


class TextLine(Struct):
    """One text line: glyphs on one baseline in one column, in logical reading order. Its box is the union of its words' boxes. spans:
    (start offset in text, index of the style from there on). mcid: marked-content id, -1 for none."""

    text: str  # Unicode NFC, spaces inferred from gaps, no outer white space; a hyphen at the line's end is kept
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float  # y of the baseline (x for rotated or vertical lines)
    style: int  # index into `PageLines.styles` of the style of most characters
    spans: tuple[tuple[int, int], ...]  # (start offset in text, style index), ascending, the first at 0
    angle: int = 0  # clockwise degrees of the reading direction on the displayed page: 0, 90, 180, 270, or another when skewed
    rtl: bool = False  # the base direction is right to left
    vertical: bool = False  # vertical writing mode
    mcid: int = -1  # marked-content id of most of its characters (ISO 32000-2 §14.6), -1 for none


class RuledTable(Struct):
    """A table drawn by ruling lines. rows: for each row the boxes of its cells; None at positions covered by a cell that begins
    elsewhere."""

    x0: float
    top: float
    x1: float
    bottom: float
    #: For each row the boxes of its cells (x0, top, x1, bottom); None at positions that a spanning cell covers.
    rows: list[list[tuple[float, float, float, float] | None]]


class TaggedCell(NamedTuple):
    """A table cell in the structure tree (the PDF's tags), or the part of it that lies on one page. down, across: rows and columns that it
    spans. head: "column" or "row" for a header cell, else "". content: its marked-content ids on the page."""

    row: int  # its first row, from 0 for the first row on the page
    column: int  # its first column, from 0
    down: int  # number of rows that it spans
    across: int  # number of columns that it spans
    head: str  # "column" or "row" for a header cell of a column or row, else ""
    content: tuple[int, ...]  # its marked-content ids on this page


class TaggedElement(NamedTuple):
    """An element of the structure tree (the PDF's tags) that is one block of a page (ISO 32000-2 §14.8). kind: its structure type. place:
    its position in the tree. content: its marked-content ids on the page. carried: it begins on an earlier page."""

    kind: str  # its standard structure type: P, H1 to H6, LI, Table, ...
    level: int  # level of a heading or nesting depth of a list, from 1; else 0
    place: int  # its position in the tree's order, the same on every page on which it has content
    content: tuple[int, ...]  # its marked-content ids on this page
    carried: bool = False  # it begins on an earlier page
    cells: tuple[TaggedCell, ...] = ()  # the cells of a table, by row and column


def no_rows(kind: str, *columns: int) -> Callable[[], NDArray[Any]]:
    """Return a function that makes an empty array, for use as a field's default. kind: its numpy type. columns: sizes of further
    dimensions."""

    def make() -> NDArray[Any]:
        import numpy as np  # the process that only collects rows does without

        return np.zeros((0, *columns), kind)

    return make


_no_boxes: Final = no_rows("float32", 4)
_no_spans: Final = no_rows("int32", 2)
_no_measures: Final = no_rows("float32")
_no_numbers: Final = no_rows("int32")


class WordInk(NamedTuple):
    """Measurements of the n words in the picture of a scanned page, in points. heights: of letters above the baseline. stems: stroke
    widths. runs: numbers of stems measured. slants: above 0 if the letters look more italic than upright. gaps: mean distances between
    letters."""

    #: float32[n, 4], points above the baseline: of words in small letters, of words with capitals, of words with ascenders, and the height
    #: of capitals estimated from other letters; nan where a word has no such letters
    heights: NDArray[np.float32]
    stems: NDArray[np.float32]  # float32[n], stroke width of the letters' stems in points, nan without any
    runs: NDArray[np.float32]  # float32[n], number of stems measured
    slants: NDArray[np.float32]  # float32[n], log ratio by which the letters fit italic better than upright type
    gaps: NDArray[np.float32]  # float32[n], mean distance between neighbouring letters in points; nan for a word of one letter


class PageFacts(Struct, frozen=True):
    """Entries of a page's dictionary, which describe the page but not its content (ISO 32000-2 §7.7.3.3)."""

    label: str | None = None  # page label (§12.4.2); None if the document has none for it
    media_box: tuple[float, float, float, float] | None = None  # media box as the file has it, see `schemas.rows.PageRow`
    crop_box: tuple[float, float, float, float] | None = None  # crop box as the file has it; the media box where it has none
    user_unit: float = 1.0  # size of a unit of user space in points


class PageLines(Struct):
    """Everything that later steps need to know about one page, as the comments explain; it may be sent to another worker. Boxes are x0,
    top, x1, bottom in points."""

    page: int  # page number from 1
    width: float = 0.0  # width of the displayed page in points; if `quarters` is set, after turning the page
    height: float = 0.0  # height in points, as `width`
    rotation: int = 0  # the page's Rotate entry: 0, 90, 180 or 270
    facts: PageFacts = PageFacts()  # other entries of the page's dictionary
    styles: list[FontStyle] = field(default_factory=list)  # font styles; the lines refer to them by index
    lines: list[TextLine] = field(default_factory=list)  # the text lines
    #: int32[n]: index into `lines` for each of the n words; words of a line are consecutive and in text order.
    word_lines: NDArray[np.int32] = field(default_factory=_no_numbers)
    #: int32[n, 2]: start and end offset of each word in the text of its line.
    word_spans: NDArray[np.int32] = field(default_factory=_no_spans)
    word_boxes: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4]: box of each word
    #: int32[n]: marked-content id of each word's first character, -1 for none; int32[0] on pages without tags.
    word_content: NDArray[np.int32] = field(default_factory=_no_numbers)
    #: float32[n]: confidence of the OCR of each word, 0 to 1; float32[0] if pdfmill recognised none of them.
    word_confidences: NDArray[np.float32] = field(default_factory=_no_measures)
    rules: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4]: boxes of thin horizontal and vertical strokes or fills
    fills: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4]: boxes of larger filled areas
    images: NDArray[np.float32] = field(default_factory=_no_boxes)  # float32[n, 4]: boxes of raster images on the page
    tables: list[RuledTable] = field(default_factory=list)  # tables drawn by ruling lines
    annotations: list[Row] = field(default_factory=list)  # the rows of `pages.annotations`
    tags: tuple[TaggedElement, ...] = ()  # the elements of the structure tree with content on this page, in tree order
    #: float32[n, 4]: boxes of the page's parts of article threads, thread by thread in their order.
    beads: NDArray[np.float32] = field(default_factory=_no_boxes)
    hidden: list[HiddenText] = field(default_factory=list)  # text that a reader of the page cannot see
    untrusted_chars: int = 0  # number of characters whose Unicode value is a guess
    ocr: bool = False  # the text is an invisible OCR layer over a scan, or pdfmill recognised it
    ocr_quality: float | None = None  # quality of the OCR, see `schemas.rows.PageRow`
    decoded_by_learned_fonts: bool = False  # the text was decoded with character maps that pdfmill learned by OCR of the font's glyphs
    shown_letters: int | None = None  # about how many letters the page's pictures show beyond its text; None if they were not examined
    ink: WordInk | None = None  # measurements of the words on the page's picture; None where fonts give the text styles
    #: Degrees by which the page's picture was turned clockwise. Boxes of lines and words are those on the straightened page, which is
    #: turned back around its middle.
    turn: float = 0.0
    #: Number of right angles clockwise by which the text is turned on the displayed page. Width, height and all boxes except those of
    #: annotations are then those of the page turned upright.
    quarters: int = 0
    warnings: list[Notice] = field(default_factory=list)  # repairs and losses of text
    #: Lines that were joined across the gap between two columns have been split; done once, when the page is read.
    cut_at_gutters: bool = False
    failure: Failure | None = None  # the error if the page could not be read; the other fields are then empty


class Decision(NamedTuple):
    """A decision of the layout about some lines of a page, recorded if `LayoutSettings.explain` is set. question: e.g. heading or table.
    rule: the rule that decided. taken: whether the answer is yes. says: the reason, as a sentence."""

    question: str  # heading, table, role or furniture
    rule: str  # name of the rule that decided
    lines: tuple[int, ...]  # indices into `PageLines.lines`
    taken: bool  # the rule decided for it (the lines are a heading, a table, ...), not against
    says: str  # a sentence that gives the reason, with the values that decided


class StructuredPage(Struct):
    """A page's text and its blocks in reading order. words: start and end offset of each word in `text`. unplaced: lines that no rule
    assigned to a block, which indicates a bug."""

    page: int  # number from 1
    text: str  # the page's text, into which the offsets of blocks and words point
    blocks: list[Block]
    words: NDArray[np.int32]  # int32[n, 2], start and end offset of each word in `text`
    word_boxes: NDArray[np.float32]  # float32[n, 4], points
    column_count: int
    printed_label: str | None = None  # the page number printed on the page; None when it shows none
    why: tuple[Decision, ...] = ()  # the decisions about its lines, if requested
    #: Indices of lines that no rule assigned to a block: they become blocks of role `other`, and indicate a bug.
    unplaced: tuple[int, ...] = ()
    word_confidences: NDArray[np.float32] = field(default_factory=_no_measures)  # see `PageLines`

    @staticmethod
    def empty(page: int) -> StructuredPage:
        """Return a page without text."""
        return StructuredPage(page, "", [], _no_spans(), _no_boxes(), 0)
