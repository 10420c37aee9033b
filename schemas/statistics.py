"""The statistics of all pages of a document, and the style decisions made from them.
The order in which pages are added to `DocumentStatistics` does not matter, and their size is limited. `DocumentStyle.for_pages` extracts
the decisions that a range of pages needs. Coordinates: see `pdfmill.schemas.records`."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.schemas.records import Decision, FontStyle
from pdfmill.schemas.rows import HeadingStyle as HeadingStyle

# Medians and quantiles of a few numbers.


def median(values: Iterable[float]) -> float:
    """Return the median. numpy's takes ten times as long for a few values, and its import longer than all statistics of a short document.

    >>> median([3.0, 1.0, 2.0, 10.0])
    2.5
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    return float(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def quantile(values: Iterable[float], share: float) -> float:
    """Return a quantile by linear interpolation (Hyndman and Fan 1996, method 7), equal to numpy's to the bit. share: from 0 to 1.

    >>> quantile([3.0, 1.0, 2.0, 10.0], 0.5)
    2.5
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = int(place)
    part, a, b = place - low, ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    return float(b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part)


class Look(NamedTuple):
    """The text style of a whole line: font, size (points), emphasis and colour (0xRRGGBB). caps: 1 all capitals, 2 small capitals, else
    0."""

    family: str  # font name without weight and slant
    size: float  # points; of the largest letters if the line is in small capitals
    bold: bool
    italic: bool
    monospaced: bool
    caps: int  # 1 if all its cased letters are capitals, 2 for small capitals, else 0
    color: int  # 0xRRGGBB


class Candidate(NamedTuple):
    """Adjacent lines of one text style that may be a heading, with the properties that decide this; lengths in points. The comments explain
    the fields."""

    lines: tuple[int, ...]  # indices into `PageLines.lines`
    text: str  # cut to `settings.candidate_chars`
    look: Look
    font: FontStyle  # its exact style
    x0: float
    top: float
    x1: float
    bottom: float
    gap_above: float  # baseline distance to the line above in its column; -1 for none
    gap_below: float  # baseline distance to the line below in its column; -1 for none
    margin: float  # left limit of the text column around it
    edge: float  # right limit of the text column around it
    before: float  # right end of the text to the left of it on its row; -1 for none
    after: float  # left end of the text to the right of it on its row; -1 for none
    in_table: bool  # it lies inside a ruled table
    contents: bool  # it looks like a line of a table of contents
    pure: bool  # its last line is as bold at its end as at its beginning
    gapped: bool  # its words are as far apart as table cells
    caption: bool  # it begins like a caption
    look_above: Look | None  # text style of the line above
    look_below: Look | None  # text style of the line below
    level: int = 0  # level of its heading tag, 0 for none


class EdgeLine(NamedTuple):
    """A line in the first or last rows of a page, which may be a running head or a page number. head: it is at the top. row: 0 for the
    outermost row. full: it reaches its column's right limit. Lengths are in points."""

    line: int  # index into `PageLines.lines`
    head: bool  # it is at the top of the page
    row: int  # 0 for the outermost row, counted inward
    text: str
    tail: str  # its last characters, with a page number that ends it
    x0: float
    x1: float
    baseline: float
    apart: float  # baseline distance to the next row inward; -1 for none
    look: Look
    full: bool  # it reaches its column's right limit
    indent: float  # distance from its column's left limit
    column: int  # rank of its column in reading direction, 0 first
    in_table: bool  # it lies inside a ruled table
    ruled: bool = False  # a horizontal rule lies between its row and the next one inward


class TableEnd(NamedTuple):
    """A table that reaches the end of a page, so that it may continue on the next. columns: left and right limit of each column, points.
    header: texts of its header cells by row. whole: `columns` has all columns, not just those of the last row."""

    columns: tuple[tuple[float, float], ...]  # left and right limit of each column, points
    header: tuple[tuple[str, ...], ...] = ()  # texts of the cells of its header rows, or of its first row if it has none
    whole: bool = False  # `columns` has all columns of the table, not just those of its last row


class SideLine(NamedTuple):
    """A line whose writing direction differs from that of the page's text. line: index into `PageLines.lines`. x0, top: points."""

    line: int  # index into `PageLines.lines`
    text: str
    x0: float  # left end, points
    top: float  # points


class ContentsEntry(NamedTuple):
    """A line of a table of contents. x0: its left end, points. number: the page number that it shows, 0 for none."""

    text: str  # with its leader dots
    x0: float  # left end, points
    number: int = 0  # page number that it shows, 0 for none


class PageNotes(NamedTuple):
    """Notes of limited size about one page, such as lines that may be headings, for decisions about the whole document. The comments
    explain the fields."""

    page: int  # number from 1
    width: float  # points
    height: float  # points
    lines: int  # number of its lines
    contents_lines: int  # number of lines that look like a table of contents
    rtl: bool  # most of the text runs from right to left
    edges: tuple[EdgeLine, ...]  # the lines of the first and last rows
    candidates: tuple[Candidate, ...]  # possible headings, by text style
    tagged: tuple[Candidate, ...] = ()  # lines that the structure tree tags as headings
    table: TableEnd | None = None  # the lowest table with rules or fills
    sides: tuple[SideLine, ...] = ()  # lines in other writing directions
    numbered: tuple[int, ...] = ()  # indices of the line numbers in the margin
    contents: tuple[ContentsEntry, ...] = ()  # entries of a table of contents
    heads_contents: bool = False  # the page's heading announces a table of contents, and its page numbers ascend
    lower: frozenset[str] = frozenset()  # words in small letters, if it is one of the first pages


class LookCount(NamedTuple):
    """Counts for one text style: characters, lines, groups (runs of adjacent lines of the style), and short groups."""

    chars: int = 0  # number of characters of all its lines
    lines: int = 0  # number of its lines
    groups: int = 0  # number of groups
    short: int = 0  # number of groups of few lines and characters

    def plus(self, other: LookCount) -> LookCount:
        return LookCount(self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3])


#: Number of characters of text kept for language detection.
SAMPLE_CHARS: Final = 2000
SAMPLE_PAGE_CHARS: Final = 400
#: Number of hyphenated words kept, which show how the document itself writes compounds.
COMPOUNDS: Final = 64


def page_hash(page: int) -> int:
    """Return a fixed hash of a page number. The pages with the smallest hashes are the document's sample, in whatever order they come."""
    return zlib.crc32(page.to_bytes(8, "little"))


class DocumentStatistics(Struct):
    """Sums over the pages of a document, from which its style is decided. A field is a sum, a dictionary by page number, or a sample: the
    items with the smallest hashes. The comments explain the fields."""

    pages: int = 0
    chars: int = 0
    looks: dict[Look, LookCount] = field(default_factory=dict)  # counts by text style
    fonts: Counter[FontStyle] = field(default_factory=Counter)  # number of characters by exact style
    #: (text style, baseline distance rounded to 0.5 points) -> number of lines
    spacings: Counter[tuple[Look, float]] = field(default_factory=Counter)
    #: (left side, right side of a gap between columns, font size beside it), all in points -> number of pages
    gutters: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)  # "line": number of paragraphs; "indent": of those with a first-line indent
    notes: dict[int, PageNotes] = field(default_factory=dict)  # by page number
    sample: tuple[tuple[int, int, str], ...] = ()  # (hash of the page number, page number, text), smallest hashes first
    compounds: tuple[tuple[int, str], ...] = ()  # (hash, hyphenated word inside a line), smallest first
    #: Evidence for and against the structure that the document's tags and article threads state.
    stated: Counter[str] = field(default_factory=Counter)

    def add(self, other: DocumentStatistics) -> None:
        """Add the statistics of other pages to these, in place; `other` does not change."""
        self.pages += other.pages
        self.chars += other.chars
        for look, count in other.looks.items():
            known = self.looks.get(look)
            self.looks[look] = count if known is None else known.plus(count)
        self.fonts.update(other.fonts)
        self.spacings.update(other.spacings)
        self.gutters.update(other.gutters)
        self.starts.update(other.starts)
        self.stated.update(other.stated)
        self.notes.update(other.notes)
        if other.sample:
            self.sample = _bottom_sample(self.sample + other.sample)
        if other.compounds:
            self.compounds = tuple(sorted(set(self.compounds + other.compounds))[:COMPOUNDS])

    def language_sample(self) -> str:
        """Return the sampled text in page order, of at most about `SAMPLE_CHARS` characters."""
        return "\n".join(text for _, text in sorted((page, text) for _, page, text in self.sample))


def _bottom_sample(items: tuple[tuple[int, int, str], ...]) -> tuple[tuple[int, int, str], ...]:
    """Return the items with the smallest hashes, at most a fixed number: bottom-k sampling (Cohen and Kaplan 2007). items: (hash, page,
    text)."""
    return tuple(sorted(set(items))[: SAMPLE_CHARS // SAMPLE_PAGE_CHARS])


class HeadingMark(NamedTuple):
    """One heading of the document. lines: indices into the lines of its page. level: from 1. role: title or heading."""

    page: int
    lines: tuple[int, ...]  # indices into the lines of its page
    level: int
    text: str
    role: str  # title or heading


class InkLooks(NamedTuple):
    """The text styles on a document's scanned pages (`transforms.layout.document.ink_looks`). sizes: font sizes in points. pitches: letter
    distances of monospaced type, points. Other lengths are in em (the font size)."""

    heights: tuple[float, float, float]  # of small letters, capitals and ascenders, in em, scaled to the usual height of capitals
    sizes: tuple[float, ...]  # font sizes in points, the most frequent first
    stem: float = 0.0  # log of the usual stroke width of stems, in em
    fixed: float = 0.0  # the same for monospaced type
    bold: float = 0.0  # smallest difference in log stem width that means bold type
    pitches: tuple[float, ...] = ()  # letter distances of monospaced type, points
    free: float = 0.0  # mean width of a letter of proportional type, em
    gap: float = 0.0  # usual distance between letters, em


class CarryOver(NamedTuple):
    """The last body line of the previous page, which shows whether its paragraph goes on. full: the line reaches the right limit of its
    column. open: it is full and does not end a sentence."""

    open: bool  # the line is full and does not end a sentence
    full: bool  # it reaches the right limit of its column
    look: Look  # its text style


class TagVerdict(NamedTuple):
    """The purposes for which a document's tags (its structure tree) are reliable enough. blocks: one element is one block. order: elements
    are in reading order. tables: all tables are tagged. cells: tagged cells of some tables are right. reasons: why the tags are not used
    for more."""

    blocks: bool = False  # one element is one block
    order: bool = False  # elements are in reading order
    tables: bool = False  # all tables are tagged
    reasons: tuple[str, ...] = ()  # why the tags are not used for more
    cells: bool = False  # the tagged cells of some tables are right


NO_TAGS: Final = TagVerdict()


class Evidence(NamedTuple):
    """How pdfmill used one kind of evidence that the document contains about its own structure: tags or article threads."""

    source: str  # tags or article_threads
    used_for: tuple[str, ...]  # blocks, headings, order, tables; empty if it was used for nothing
    refused: str  # why it was not used for more, "" if it was used for everything


class DocumentStyle(Struct):
    """Decisions made once for a document, or the part of them that some of its pages need. The comments explain the fields."""

    body: Look | None = None  # the dominant text style of running text
    body_font: FontStyle | None = None  # its exact font style
    line_spacing: float = 0.0  # median baseline distance of the running text, points; 0 when unknown
    spacings: dict[Look, float] = field(default_factory=dict)  # median baseline distance in points, for text styles with enough lines
    gutters: tuple[tuple[float, float], ...] = ()  # (left, right) limits of gaps between columns, points
    indented: bool = False  # paragraphs start with a first-line indent
    rtl: bool = False  # the text runs from right to left
    heading_styles: tuple[HeadingStyle, ...] = ()  # text styles used by headings, by level
    headings: dict[int, tuple[HeadingMark, ...]] = field(default_factory=dict)  # by page
    #: By page: line index -> role, for lines that repeat on other pages (running heads, footers).
    furniture: dict[int, dict[int, str]] = field(default_factory=dict)
    #: By page, indices of furniture lines that no other page repeats: they stay in the text.
    lone: dict[int, frozenset[int]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)  # by page, the page number printed on it
    carry: dict[int, CarryOver] = field(default_factory=dict)  # by page, the end of the previous page
    open_tables: dict[int, TableEnd] = field(default_factory=dict)  # by page, the table with which the previous page ends
    #: By page, the headings (level, text) that enclose its beginning.
    paths: dict[int, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    contents_pages: frozenset[int] = frozenset()  # pages of the table of contents
    compounds: frozenset[str] = frozenset()  # hyphenated words of the document
    language: str | None = None  # ISO 639-1 code; None when unknown
    language_confidence: float | None = None  # 0 to 1; None when unknown
    title: str | None = None
    title_source: str | None = None  # "page", "first_page" or "info"; None without a title
    tags: TagVerdict = NO_TAGS  # the purposes for which the tags are used
    articles: bool = False  # article threads give the reading order
    evidence: tuple[Evidence, ...] = ()  # how tags and article threads were used; () without any
    why: dict[int, tuple[Decision, ...]] = field(default_factory=dict)  # by page, decisions made for the whole document, if requested
    ink: InkLooks | None = None  # text styles of scanned pages, None without any

    def for_pages(self, first: int, last: int) -> DocumentStyle:
        """Return the part of the decisions that is needed to structure the pages from first to last, both included."""
        pages = range(first, last + 1)
        return replace(
            self,
            headings={p: self.headings[p] for p in pages if p in self.headings},
            furniture={p: self.furniture[p] for p in pages if p in self.furniture},
            lone={p: self.lone[p] for p in pages if p in self.lone},
            labels={p: self.labels[p] for p in pages if p in self.labels},
            carry={p: self.carry[p] for p in pages if p in self.carry},
            open_tables={p: self.open_tables[p] for p in pages if p in self.open_tables},
            paths={p: self.paths[p] for p in pages if p in self.paths},
            contents_pages=frozenset(p for p in pages if p in self.contents_pages),
            why={p: self.why[p] for p in pages if p in self.why},
        )
