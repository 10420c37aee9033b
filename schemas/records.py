"""The record types that the steps of a job pass on.

Coordinates everywhere: points (1/72 inch), origin at the top left of the rotated, cropped page, x to the right, y down. Page numbers count
from 1. Only small records are sent from one worker to another: references, text lines and statistics, never glyphs or open documents.
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
    """The reason why something is not available. code: a key of `pdfmill.schemas.codes.ERROR_CODES`. message: names the object and the
    reason; it contains no secrets."""

    code: str
    message: str

    def __post_init__(self) -> None:
        force_setattr(self, "message", as_message(self.message))


class DocumentRef(Struct, frozen=True):
    """A reference to an object in storage, or to a PDF embedded in one; it does not hold the bytes.

    uri: canonical address (`file:///...`, `s3://`, `gs://`, `https://`) without secrets; that of its parent for an embedded PDF.
    etag: the store's etag or generation as it was listed; None where the store has none.
    size: bytes as listed; None when unknown.
    modified: time of the last change with its zone; None when unknown.
    checksum: a checksum of the content from the store (an MD5, an etag, an archive's digest); objects with equal ones may have equal bytes.
    attachment_path: for an embedded PDF, the index of the attachment at each level below the object, from 0.
    secret_uri: the address for reading, if it differs from `uri` by secrets (`pdfmill.schemas.public`); never in a table or message.
    failure: the error if this source could not be listed; the document then only gets its row in `documents`.
    source: name of the source of a crawl that listed it. shards, book_shards: number of Parquet files per table that its job writes for
    documents of one range of pages, and for books; 0 where the listing does not determine it.
    archived: the store must restore its bytes before they can be read.
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
        """Leave out the address for reading, which may hold a password."""
        return f"DocumentRef({self.doc_id!r}, {self.uri!r}, attachment_path={self.attachment_path!r})"

    @staticmethod
    def of_uri(uri: str) -> DocumentRef:
        """Make a reference to an object of which only the address is known. Secrets in it go to `secret_uri`."""
        public = public_uri(uri)
        return DocumentRef(object_id(public), public, secret_uri=uri if uri != public else None)

    @property
    def address(self) -> str:
        """The address for reading, secrets included."""
        return self.secret_uri or self.uri

    def listed_by(self, source: str) -> DocumentRef:
        """Return a copy with the name of its source. It does not call `replace`, which is too slow for long listings."""
        return DocumentRef(
            self.doc_id, self.uri, self.etag, self.size, self.modified, self.parent_doc_id, self.attachment_path, self.failure,
            self.checksum, self.secret_uri, source, self.shards, self.book_shards, self.archived,
        )  # fmt: skip

    def child(self, position: int) -> DocumentRef:
        """Return a reference to the PDF that is attachment number `position`, from 0."""
        path = (*self.attachment_path, position)
        return replace(self, doc_id=document_id(f"{self.doc_id}/{position}"), parent_doc_id=self.doc_id, attachment_path=path)

    def parent(self) -> DocumentRef:
        """Return a reference to the document in which this PDF is embedded. It keeps the ids of this PDF; only
        `attachment_path` differs."""
        return replace(self, attachment_path=self.attachment_path[:-1])

    @property
    def place(self) -> str:
        """The key of objects that one worker should read in the order of their addresses: for a row of a Parquet file its row group, else
        the object itself."""
        return self.uri.partition("&row=")[0] if self.uri.startswith(PARQUET_PREFIX) else self.doc_id

    def name(self) -> str:
        """The name in messages: the address, followed for an embedded PDF by its attachment path."""
        return self.uri + "".join(f" > attachment {position + 1}" for position in self.attachment_path)


def document_id(name: str) -> DocId:
    """Return the first 32 hex digits of the SHA-256 of a canonical address."""
    return DocId(sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def object_id(uri: str) -> DocId:
    """Return the id of an object in storage, computed from its address. A record in a web archive with URL and digest gets it from these,
    so that it is the same in every archive; a member of a tar archive from the archive and the member's name; a row of a Parquet file with
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
    """Return the id of a section. number: its number in the document, from 1."""
    return document_id(f"{doc_id}/section/{number}")


class PageRange(Struct, frozen=True):
    """Consecutive pages of one document, from first to last, both included. Workers are given whole ranges."""

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
#: (document id, its rows in all tables as bytes): see `pdfmill.transforms.tables.packed_rows`.
Parcel = tuple[str, bytes]


class PackedRange(Struct, frozen=True):
    """A range of a book's pages between two steps: its packed statistics and text lines (`pdfmill.transforms.tables.spool`).

    failures: number of pages that could not be read. store_failed: temporarily, so that a later attempt may succeed.
    """

    pages: PageRange
    measures: bytes
    lines: bytes
    failures: int = 0
    store_failed: bool = False


class Book(Struct, frozen=True):
    """A document that is read in several ranges of pages. reading: its packed `DocumentReading`."""

    ref: DocumentRef
    page_count: int
    reading: bytes


class DescribedBook(Struct, frozen=True):
    """The decisions about a book as a whole, made when all its pages have been read.

    rows: its rows of `assets`. row: its row of `documents`, packed, without the columns that need the structure of its pages. styles: the
    packed style for each range of pages.
    """

    rows: list[RowsOfPart]
    row: bytes
    styles: list[bytes]


class StructuredRange(Struct, frozen=True):
    """The rows of `pages` and `blocks` of one range of a book. warnings: errors that occurred while its pages were structured."""

    rows: list[RowsOfPart]
    warnings: list[Notice]


class BookRange(Struct, frozen=True):
    """A range of a book's pages, as one worker passes it to another. book: set in the first range only. read: set once it was read."""

    pages: PageRange
    book: Book | None = None
    read: PackedRange | None = None


class DocumentResult(Struct):
    """The result of reading a document in one call: its finished rows, or for a book its facts and its first range of pages.

    children: attached PDFs, which are still to be read. digest: SHA-256 of its bytes; None when they could not be fetched. ok: its status
    is ok. pages, failures: number of pages that were read, and of those among them that failed. store_failed: temporarily.
    """

    rows: list[RowsOfPart]
    children: list[DocumentRef]
    digest: str | None
    ok: bool
    pages: int = 0
    failures: int = 0
    book: Book | None = None
    first: PackedRange | None = None
    store_failed: bool = False

    @property
    def all_failures(self) -> int:
        """Return the number of pages that failed; at least 1 if the document's status is not ok."""
        return self.failures if self.ok else max(1, self.failures)


class FontStyle(Struct, frozen=True):
    """The typographic style of a run of glyphs.

    font: PostScript name without its subset prefix, e.g. `Times-Bold`; "" when unknown. size: points after all transformations, rounded to
    0.1. color: fill colour as 0xRRGGBB. spaced: its letters are letterspaced for emphasis; set for scans only.
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

    text: Unicode NFC, spaces inferred from gaps, no leading or trailing white space; a hyphen at the line's end is kept.
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
    """A table drawn by ruling lines. rows: for each row the boxes of its cells (x0, top, x1, bottom), None where a spanning cell covers the
    position."""

    x0: float
    top: float
    x1: float
    bottom: float
    rows: list[list[tuple[float, float, float, float] | None]]


class TaggedCell(NamedTuple):
    """A cell of a table of the structure tree, or the part of it that lies on one page.

    row, column: its first row and column, from 0; rows are counted from the first one on the page. down, across: number of rows and columns
    that it spans. head: "column" or "row" for a header cell of a column or row, else "". content: its marked-content ids on this page.
    """

    row: int
    column: int
    down: int
    across: int
    head: str
    content: tuple[int, ...]


class TaggedElement(NamedTuple):
    """An element of the structure tree that is one block of a page (ISO 32000-2 §14.8).

    kind: its standard structure type: P, H1 to H6, LI, Table, ... level: level of a heading or nesting depth of a list, from 1; else 0.
    place: its position in the tree, the same on every page on which it has content. content: its marked-content ids on this page. carried:
    it begins on an earlier page. cells: the cells of a table, by row and column.
    """

    kind: str
    level: int
    place: int
    content: tuple[int, ...]
    carried: bool = False
    cells: tuple[TaggedCell, ...] = ()


def no_rows(kind: str, *columns: int) -> Callable[[], NDArray[Any]]:
    """Return a function that makes an empty array of this type and column count, as a default of fields."""

    def make() -> NDArray[Any]:
        import numpy as np  # the process that only collects rows does without

        return np.zeros((0, *columns), kind)

    return make


_no_boxes: Final = no_rows("float32", 4)
_no_spans: Final = no_rows("int32", 2)
_no_measures: Final = no_rows("float32")
_no_numbers: Final = no_rows("int32")


class WordInk(NamedTuple):
    """Measurements of the n words in the picture of a scanned page, as evidence for the document's text styles (`ink_looks`).

    heights: float32[n, 4], points above the baseline: of words in small letters, of words with capitals, of words with ascenders, and the
    height of capitals estimated from other letters; nan where a word has no such letters. stems: float32[n], points, stroke width of the
    letters' stems, nan without any; runs: float32[n], number of stems measured. slants: float32[n], log ratio by which the letters fit
    italic better than upright type. gaps: float32[n], mean distance between neighbouring letters, points; nan for a word of one letter.
    """

    heights: NDArray[np.float32]
    stems: NDArray[np.float32]
    runs: NDArray[np.float32]
    slants: NDArray[np.float32]
    gaps: NDArray[np.float32]


class PageFacts(Struct, frozen=True):
    """Entries of a page's dictionary, which describe the page but not its content (ISO 32000-2 §7.7.3.3)."""

    #: Page label (§12.4.2); None if the document has none for it.
    label: str | None = None
    #: Media box as the file has it, see `schemas.rows.PageRow`.
    media_box: tuple[float, float, float, float] | None = None
    #: Crop box as the file has it; the media box where it has none.
    crop_box: tuple[float, float, float, float] | None = None
    #: Size of a unit of user space in points.
    user_unit: float = 1.0


class PageLines(Struct):
    """Everything that later steps need about one page; it may be sent to another worker. Boxes are in points: x0, top, x1, bottom."""

    #: Page number from 1.
    page: int
    #: Width of the displayed page in points; if `quarters` is set, after turning the page.
    width: float = 0.0
    #: Height in points, as `width`.
    height: float = 0.0
    #: The page's Rotate entry: 0, 90, 180 or 270.
    rotation: int = 0
    #: Other entries of the page's dictionary.
    facts: PageFacts = PageFacts()
    #: Font styles; the lines refer to them by index.
    styles: list[FontStyle] = field(default_factory=list)
    #: The text lines.
    lines: list[TextLine] = field(default_factory=list)
    #: int32[n]: index into `lines` for each of the n words; words of a line are consecutive and in text order.
    word_lines: NDArray[np.int32] = field(default_factory=_no_numbers)
    #: int32[n, 2]: start and end offset of each word in the text of its line.
    word_spans: NDArray[np.int32] = field(default_factory=_no_spans)
    #: float32[n, 4]: box of each word.
    word_boxes: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: int32[n]: marked-content id of each word's first character, -1 for none; int32[0] on pages without tags.
    word_content: NDArray[np.int32] = field(default_factory=_no_numbers)
    #: float32[n]: confidence of the OCR of each word, 0 to 1; float32[0] if pdfmill recognised none of them.
    word_confidences: NDArray[np.float32] = field(default_factory=_no_measures)
    #: float32[n, 4]: boxes of thin horizontal and vertical strokes or fills.
    rules: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: float32[n, 4]: boxes of larger filled areas.
    fills: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: float32[n, 4]: boxes of raster images on the page.
    images: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: Tables drawn by ruling lines.
    tables: list[RuledTable] = field(default_factory=list)
    #: The rows of `pages.annotations`.
    annotations: list[Row] = field(default_factory=list)
    #: The elements of the structure tree with content on this page, in tree order.
    tags: tuple[TaggedElement, ...] = ()
    #: float32[n, 4]: boxes of the page's parts of article threads, thread by thread in their order.
    beads: NDArray[np.float32] = field(default_factory=_no_boxes)
    #: Text that a reader of the page cannot see.
    hidden: list[HiddenText] = field(default_factory=list)
    #: Number of characters whose Unicode value is a guess.
    untrusted_chars: int = 0
    #: The text is an invisible OCR layer over a scan, or pdfmill recognised it.
    ocr: bool = False
    #: Quality of the OCR, see `schemas.rows.PageRow`.
    ocr_quality: float | None = None
    #: The text was decoded with character maps that pdfmill learned by OCR of the font's glyphs.
    decoded_by_learned_fonts: bool = False
    #: About how many letters the page's pictures show beyond its text; None if they were not examined.
    shown_letters: int | None = None
    #: Measurements of the words on the page's picture; None where fonts give the text styles.
    ink: WordInk | None = None
    #: Degrees by which the page's picture was turned clockwise. Boxes of lines and words are those on the straightened page, which is
    #: turned back around its middle.
    turn: float = 0.0
    #: Number of right angles clockwise by which the text is turned on the displayed page. Width, height and all boxes except those of
    #: annotations are then those of the page turned upright.
    quarters: int = 0
    #: Repairs and losses of text.
    warnings: list[Notice] = field(default_factory=list)
    #: Lines that were joined across the gap between two columns have been split; done once, when the page is read.
    cut_at_gutters: bool = False
    #: The error if the page could not be read; the other fields are then empty.
    failure: Failure | None = None


class Decision(NamedTuple):
    """A decision about some lines of a page, recorded if `LayoutSettings.explain` is set.

    question: heading, table, role or furniture. rule: name of the rule that decided. lines: indices into `PageLines.lines`. taken: whether
    the rule decided for it (the lines are a heading, a table, ...) or against. says: the rule's sentence, with the values that decided.
    """

    question: str
    rule: str
    lines: tuple[int, ...]
    taken: bool
    says: str


class StructuredPage(Struct):
    """The result of `structure_page`.

    text: the page's text; the offsets of a `Block` slice its text out of this. words: int32[n, 2], start and end offset into `text`;
    word_boxes: float32[n, 4]. word_confidences: see `PageLines`. printed_label: the page number printed on the page; None when it shows
    none. why: the decisions about its lines, if requested. unplaced: number of lines that no rule assigned to a block; they become blocks
    of role `other`, and indicate a bug.
    """

    page: int
    text: str
    blocks: list[Block]
    words: NDArray[np.int32]
    word_boxes: NDArray[np.float32]
    column_count: int
    printed_label: str | None = None
    why: tuple[Decision, ...] = ()
    unplaced: tuple[int, ...] = ()
    word_confidences: NDArray[np.float32] = field(default_factory=_no_measures)

    @staticmethod
    def empty(page: int) -> StructuredPage:
        """Return a page without text."""
        return StructuredPage(page, "", [], _no_spans(), _no_boxes(), 0)
