"""The settings of a job: plain, picklable values with defaults, which `pipeline.options.options` fills from flags."""

from __future__ import annotations

from msgspec import Struct, field

from pdfmill.transforms.layout.document.sections import SectionSettings
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, DEFAULT_PAGE_LIMITS, Limits, PageLimits
from pdfmill.transforms.scans.installed import ENGINES
from pdfmill.transforms.storage.access import Reach
from pdfmill.transforms.tables.output_layout import WriteSettings


class ReadSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Settings for opening documents and reading their parts. The comment of each field explains it."""

    max_bytes: int = 1 << 30  # documents with more bytes are refused
    max_pages: int = DEFAULT_LIMITS.max_pages  # documents with more pages are refused
    max_glyphs: int = DEFAULT_PAGE_LIMITS.max_glyphs  # pages with more glyphs are refused
    max_stream: int = DEFAULT_LIMITS.max_stream  # bytes of a stream, before and after decoding
    max_nesting: int = DEFAULT_LIMITS.max_depth  # levels of any tree of objects
    attachment_ratio: int = DEFAULT_LIMITS.max_ratio  # most decoded bytes per encoded byte of a large stream
    passwords_uri: str | None = None  # file with one candidate password per line, in any store; never logged
    assets_uri: str | None = None  # folder for exported assets; None to export nothing
    export: frozenset[str] = frozenset({"attachment", "xfa"})  # kinds of assets that are written
    keep_jpeg: bool = False  # JPEG images are written as they are, not in a TIFF
    max_depth: int = 3  # how many levels of attached PDFs are read
    max_children: int = 1000  # attached PDFs of one input, all levels together
    pages_per_range: int = 32  # pages that are processed in one call; a document with more is processed in several ranges
    fold_typography: bool = False  # replace typographic characters by plain ones (`typography`)
    ocr: bool = False  # recognise pages that need it
    ocr_redo: bool = False  # recognise pages whose OCR layer is bad, too
    ocr_language: str = "auto"  # Tesseract's names, joined by +, or auto (`pdfmill.transforms.scans.ocr_languages`)
    sample_pages: bool = True  # with OCR, learn fonts and languages from sample pages; off where one of them kills the process
    recognizer: str = next(iter(ENGINES))  # name of the OCR engine (`pdfmill.transforms.scans.recognizers`)
    isolate: bool = True  # parse in a child process
    seconds_per_document: float = 120.0  # deadline of the child process for the document's facts and first pages
    seconds_per_page: float = 30.0  # deadline of the child process for each page
    #: Bytes of address space that the child process may use beyond its own libraries; half of what a usual worker has.
    max_memory: int = 2 << 30
    again_s: tuple[float, ...] = ()  # seconds before each further attempt at a document whose store failed, when all others are read
    cache_documents: int = 8  # number of documents kept open in a process
    cache_bytes: int = 512 << 20  # bytes of documents kept open in a process
    reach: Reach = field(default_factory=Reach)  # which addresses on the web may be requested

    @property
    def limits(self) -> Limits:
        return Limits(max_pages=self.max_pages, max_stream=self.max_stream, max_depth=self.max_nesting, max_ratio=self.attachment_ratio)

    @property
    def page_limits(self) -> PageLimits:
        return PageLimits(max_glyphs=self.max_glyphs)


class JobSettings(Struct, frozen=True):
    """All settings of a job. notes_uri: folder where workers write their progress, or None. shares_books: all workers share the page ranges
    of long documents."""

    read: ReadSettings
    write: WriteSettings
    layout: LayoutSettings = field(default_factory=LayoutSettings)
    sections: SectionSettings = field(default_factory=SectionSettings)
    notes_uri: str | None = None  # folder where workers write their progress, None for none
    #: All workers share the page ranges of books (documents of several page ranges); otherwise the worker that reads a book's facts reads
    #: its first range too.
    shares_books: bool = False
