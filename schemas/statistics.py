"""Statistics of all pages of a document, and the style that is decided from them.

`DocumentStatistics` holds sums and limited evidence per page; adding pages in any order gives the same. `DocumentStyle` holds the decisions
made once per document; `DocumentStyle.for_pages` extracts those that a range of pages needs, so that ranges can be processed apart.
Coordinates: points, origin top left, x right, y down (see `pdfmill.schemas.records`).
"""

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
    """Return the median; the mean of the two middle values if their number is even. numpy's own takes ten times as long for a few values,
    and imports its masked arrays, which takes longer than all statistics of a short document.

    >>> median([3.0, 1.0, 2.0, 10.0])
    2.5
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    return float(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def quantile(values: Iterable[float], share: float) -> float:
    """Return the quantile by linear interpolation (Hyndman and Fan 1996, method 7). Equal to numpy's own to the bit, which takes thirty
    times as long for a few values.

    >>> quantile([3.0, 1.0, 2.0, 10.0], 0.5)
    2.5
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = int(place)
    part, a, b = place - low, ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    return float(b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part)


class Look(NamedTuple):
    """The text style of a line as a whole.

    family: font name without weight and slant. size: points, that of the largest letters when the line is in small caps.
    caps: 1 when all its cased letters are capitals, 2 for small capitals, else 0. color: 0xRRGGBB.
    """

    family: str
    size: float
    bold: bool
    italic: bool
    monospaced: bool
    caps: int
    color: int


class Candidate(NamedTuple):
    """A group of lines of one text style that may be a heading.

    lines: indices into `PageLines.lines`. text: at most `settings.candidate_chars`. font: its exact style. x0, top, x1, bottom: box.
    gap_above, gap_below: baseline distance to the neighbours in its column, points; -1 for none. margin, edge: left and right limit of the
    text column around it. before: right end of the text left of it on its row; after: left end of the text right of it; -1 for none.
    in_table: inside a ruled table. contents: looks like a line of a table of contents. pure: its last line is as bold at its end as at its
    beginning. gapped: its words are as far apart as table cells. caption: begins like a caption. look_above, look_below: text styles of the
    neighbours. level: level of its heading tag, 0 for none.
    """

    lines: tuple[int, ...]
    text: str
    look: Look
    font: FontStyle
    x0: float
    top: float
    x1: float
    bottom: float
    gap_above: float
    gap_below: float
    margin: float
    edge: float
    before: float
    after: float
    in_table: bool
    contents: bool
    pure: bool
    gapped: bool
    caption: bool
    look_above: Look | None
    look_below: Look | None
    level: int = 0


class EdgeLine(NamedTuple):
    """A line among the first or last rows of a page.

    row: 0 for the outermost, counted inward. head: it is at the top of the page. tail: its last two characters. apart: baseline distance to
    the next row inward, points (-1: there is none). full: it reaches its column's right limit. indent: distance from its column's left
    limit, points. column: rank of its column in reading direction, 0 first. in_table: inside a ruled table. ruled: a horizontal rule lies
    between its row and the next one inward.
    """

    line: int
    head: bool
    row: int
    text: str
    tail: str
    x0: float
    x1: float
    baseline: float
    apart: float
    look: Look
    full: bool
    indent: float
    column: int
    in_table: bool
    ruled: bool = False


class TableEnd(NamedTuple):
    """A table that reaches the end of a page. columns: left and right limit of each, points. header: texts of the cells of its header rows,
    or of its first row.

    whole: these are all columns of the table, not just those of its last row.
    """

    columns: tuple[tuple[float, float], ...]
    header: tuple[tuple[str, ...], ...] = ()
    whole: bool = False


class SideLine(NamedTuple):
    """A line whose writing direction differs from that of the page's text. x0, top: in points."""

    line: int
    text: str
    x0: float
    top: float


class ContentsEntry(NamedTuple):
    """A line of a table of contents. text: with its leader dots. x0: left end, points. number: page number it shows, 0 for none."""

    text: str
    x0: float
    number: int = 0


class PageNotes(NamedTuple):
    """Evidence from one page, of limited size. lines: number of its lines. contents_lines: number of those that look like a table of
    contents.

    candidates: possible headings, by text style. tagged: lines that its tags call headings. table: the lowest table with rules or fills.
    sides: lines in other directions. numbered: the margin has line numbers. contents: entries of a table of contents. heads_contents: the
    page's heading announces a table of contents, and its page numbers ascend.
    """

    page: int
    width: float
    height: float
    lines: int
    contents_lines: int
    rtl: bool
    edges: tuple[EdgeLine, ...]
    candidates: tuple[Candidate, ...]
    tagged: tuple[Candidate, ...] = ()
    table: TableEnd | None = None
    sides: tuple[SideLine, ...] = ()
    numbered: tuple[int, ...] = ()
    contents: tuple[ContentsEntry, ...] = ()
    heads_contents: bool = False


class LookCount(NamedTuple):
    """Counts for one text style. A group is a run of adjacent lines of that style.

    chars, lines: of all its lines. groups: number of groups. short: number of groups of few lines and characters.
    """

    chars: int = 0
    lines: int = 0
    groups: int = 0
    short: int = 0

    def plus(self, other: LookCount) -> LookCount:
        return LookCount(self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3])


#: Characters of text kept for language detection; also the most that one page contributes.
SAMPLE_CHARS: Final = 2000
SAMPLE_PAGE_CHARS: Final = 400
#: Number of hyphenated words kept, which show how the document itself writes compounds.
COMPOUNDS: Final = 64


def page_hash(page: int) -> int:
    """Return a fixed hash of a page number. It selects the sample of pages, so that the order of merging does not matter."""
    return zlib.crc32(page.to_bytes(8, "little"))


class DocumentStatistics(Struct):
    """The sum of evidence over pages; see `transforms.layout.document.page_statistics`. Every field is a sum, a union by page, or a sample
    of the items with the smallest hashes.

    looks: counts by text style (look). fonts: characters by exact style. spacings: (look, baseline distance rounded to 0.5 pt) -> lines.
    gutters: (left side, right side of a gap between columns, font size beside it), points -> pages. starts: number of paragraphs with and
    without first-line indent. notes: by page. sample: (hash of the page number, page, text), smallest hashes first. compounds: hyphenated
    words inside lines, smallest (hash, word) first. stated: evidence for and against the structure that the document's tags and article
    threads state.
    """

    pages: int = 0
    chars: int = 0
    looks: dict[Look, LookCount] = field(default_factory=dict)
    fonts: Counter[FontStyle] = field(default_factory=Counter)
    spacings: Counter[tuple[Look, float]] = field(default_factory=Counter)
    gutters: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)
    notes: dict[int, PageNotes] = field(default_factory=dict)
    sample: tuple[tuple[int, int, str], ...] = ()
    compounds: tuple[tuple[int, str], ...] = ()
    stated: Counter[str] = field(default_factory=Counter)

    def add(self, other: DocumentStatistics) -> None:
        """Add other's counts to these, in place; `other` is left as it is."""
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
    """Return a fixed number of items with the smallest hashes: bottom-k sampling (Cohen and Kaplan 2007)."""
    return tuple(sorted(set(items))[: SAMPLE_CHARS // SAMPLE_PAGE_CHARS])


class HeadingMark(NamedTuple):
    """One heading of the document. role: title or heading. lines: indices into the lines of its page."""

    page: int
    lines: tuple[int, ...]
    level: int
    text: str
    role: str


class InkLooks(NamedTuple):
    """The text styles of a document's scanned pages (`pdfmill.transforms.layout.document.ink_looks`).

    heights: of small letters, capitals and ascenders, in em, scaled to the usual height of capitals. sizes: font sizes in points, the most
    frequent first. stem: log of the usual stem width in em; fixed: the same for monospaced type. bold: smallest difference in log stem
    width that means bold type. pitches: letter distances of monospaced type, points; free: mean width of a letter of proportional type, em.
    gap: usual distance between letters, em.
    """

    heights: tuple[float, float, float]
    sizes: tuple[float, ...]
    stem: float = 0.0
    fixed: float = 0.0
    bold: float = 0.0
    pitches: tuple[float, ...] = ()
    free: float = 0.0
    gap: float = 0.0


class CarryOver(NamedTuple):
    """The last body line of the previous page, as evidence that its paragraph continues on the next page.

    open: the line is full and does not end a sentence. full: it reaches the right limit. look: its text style.
    """

    open: bool
    full: bool
    look: Look


class TagVerdict(NamedTuple):
    """The purposes for which a document's tags are reliable. blocks: one element is one block. order: elements are in reading order.
    tables: all tables are tagged. cells: the tagged cells of some tables are right. reasons: why the tags are not used for more."""

    blocks: bool = False
    order: bool = False
    tables: bool = False
    reasons: tuple[str, ...] = ()
    cells: bool = False


NO_TAGS: Final = TagVerdict()


class Evidence(NamedTuple):
    """How pdfmill used what the document states about its own structure. source: tags or article_threads.

    used_for: blocks, headings, order, tables; empty if refused for all. refused: why it was not used for more, "" if it was used for all.
    """

    source: str
    used_for: tuple[str, ...]
    refused: str


class DocumentStyle(Struct):
    """Decisions made once for a document (or the part of them for some of its pages).

    body: the dominant text style of running text (look). line_spacing: its median baseline distance, points; 0 when unknown. spacings:
    median baseline distance by look, for looks with enough lines. gutters: (left, right) limits of gaps between columns. indented:
    paragraphs start with a first-line indent. heading_looks: looks used by headings. open_tables: by page, the table with which the
    previous page ends. headings, furniture, labels, carry: by page; furniture maps a line (a running head, footer or the like) to its role;
    labels are printed page numbers; carry is the end of the previous page. lone: by page, lines of furniture that no other page repeats:
    they stay in the text. language: of the document, with its confidence from 0 to 1; None when unknown. path: headings that enclose the
    beginning of each page, with levels. tags: the purposes for which the tags are used. articles: article threads give the reading order.
    evidence: how tags and article threads were used; () without any. why: by page, decisions made for the whole document, if requested.
    ink: text styles of scanned pages, None without any.
    """

    body: Look | None = None
    body_font: FontStyle | None = None
    line_spacing: float = 0.0
    spacings: dict[Look, float] = field(default_factory=dict)
    gutters: tuple[tuple[float, float], ...] = ()
    indented: bool = False
    rtl: bool = False
    heading_styles: tuple[HeadingStyle, ...] = ()
    headings: dict[int, tuple[HeadingMark, ...]] = field(default_factory=dict)
    furniture: dict[int, dict[int, str]] = field(default_factory=dict)
    lone: dict[int, frozenset[int]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    carry: dict[int, CarryOver] = field(default_factory=dict)
    open_tables: dict[int, TableEnd] = field(default_factory=dict)
    paths: dict[int, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    contents_pages: frozenset[int] = frozenset()
    compounds: frozenset[str] = frozenset()
    language: str | None = None
    language_confidence: float | None = None
    title: str | None = None
    tags: TagVerdict = NO_TAGS
    articles: bool = False
    evidence: tuple[Evidence, ...] = ()
    why: dict[int, tuple[Decision, ...]] = field(default_factory=dict)
    ink: InkLooks | None = None

    def for_pages(self, first: int, last: int) -> DocumentStyle:
        """Return the decisions that are needed to structure the pages from first to last, both included."""
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
