"""Named rules that reject candidates for tables. The first rule that applies is reported as the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec import Struct

from pdfmill.schemas.records import PageLines
from pdfmill.schemas.statistics import median
from pdfmill.transforms.layout.page.line_breaks import first_word_width
from pdfmill.transforms.layout.page.patterns import CAPTION, is_contents_line, is_list_start, numbering_depth, starts_lower
from pdfmill.transforms.layout.page.text_style import is_monospaced
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.columns import Gap, aligned_share, by_column, column_of, middles
from pdfmill.transforms.layout.tables.model import Cell, Chunk, SetRow
from pdfmill.transforms.layout.tables.words import is_number, own_rows, set_length, type_size

T = TypeVar("T")


class TableCandidate(Struct, dict=True):
    """Rows of text that may be a table. drawn: rules or fills surround the rows. across: the rows extend over all columns of the page."""

    page: PageLines
    rows: Sequence[SetRow]
    gaps: Sequence[Gap]  # white gaps between its columns
    drawn: bool  # rules or fills surround the rows
    across: bool  # the rows extend over all columns of the page
    settings: TableSettings

    @cached_property
    def chunks(self) -> list[Chunk]:
        """All chunks (parts of lines without wide gaps) of the rows."""
        return [c for row in self.rows for c in row]

    @cached_property
    def columns(self) -> list[list[Chunk]]:
        """The chunks (parts of lines without wide gaps) of each column."""
        return by_column(self.rows, middles(self.gaps))

    @cached_property
    def lengths(self) -> list[float]:
        """The median number of characters of the chunks of each column."""
        return [median(set_length(c.text) for c in column) if column else 0.0 for column in self.columns]

    @cached_property
    def singles(self) -> list[Chunk]:
        """The chunks (parts of lines without wide gaps) that are alone in their row."""
        return [row[0] for row in self.own if len(row) == 1]

    @cached_property
    def own(self) -> list[SetRow]:
        """The rows that do not continue a cell of the row above."""
        return own_rows(self.rows, self.settings)

    @cached_property
    def numeric(self) -> int:
        """The number of columns that mostly hold numbers."""
        return sum(sum(is_number(c.text) for c in column) >= self.settings.numeric_share * len(column) for column in self.columns if column)


class Rule(NamedTuple, Generic[T]):
    """A reason why a candidate is no table."""

    name: str
    says: str  # its sentence for users
    refuses: Callable[[T], bool]  # returns whether the rule applies


def first_refusal(rules: Iterable[Rule[T]], trial: T) -> Rule[T] | None:
    """Return the first rule that rejects the candidate `trial`; None if none does."""
    return next((rule for rule in rules if rule.refuses(trial)), None)


def _is_code(t: TableCandidate) -> bool:
    styles, lines = t.page.styles, t.page.lines
    looks = [styles[lines[c.line].style] for c in t.chunks]
    mono = sum(map(is_monospaced, looks))
    return 2 * mono > len(looks)


def _is_contents(t: TableCandidate) -> bool:
    numbers = [int(row[-1].text) for row in t.rows if len(row) > 1 and row[-1].text.isdecimal() and not is_number(row[-2].text)]
    if 2 * len(numbers) <= len(t.rows) or numbers != sorted(numbers) or len(set(numbers)) < 2:
        return False
    # Rules may be those of the head and the foot of the page, if dots lead to the numbers. The dots are in the lines, not in the cells.
    led = 2 * sum(any(is_contents_line(t.page.lines[c.line].text) for c in row) for row in t.rows) > len(t.rows)
    return led or (not t.drawn and len(numbers) >= t.settings.pairs_rows)


def _has_prose_rows(t: TableCandidate) -> bool:
    long = sum(set_length(c.text) > t.settings.prose_chars for c in t.singles)
    return long > t.settings.prose_rows * len(t.rows)


def _has_heading(t: TableCandidate) -> bool:
    large = t.settings.heading_size * type_size(t.rows)
    head = next((n for n, row in enumerate(t.rows) if min(c.size for c in row) <= large), 0) if len(t.rows[0]) > 1 else 0
    heads = {id(c) for row in t.rows[:head] for c in row}  # the header of a table may be in larger type, on several lines
    return any(c.size > large and id(c) not in heads for c in t.singles)


def _has_caption(t: TableCandidate) -> bool:
    return any(len(row) == 1 and CAPTION.match(row[0].text) for row in t.rows[1:-1])


def _is_prose(t: TableCandidate) -> bool:
    prose = sum(n >= t.settings.prose_chars for n in t.lengths)
    return prose >= 2 and (t.across or (len(t.columns) - prose <= 1 and (not t.drawn or len(t.columns) == 2)))


def _is_list(t: TableCandidate) -> bool:
    first = t.columns[0]
    marks = sum(is_list_start(c.text + " x") or numbering_depth(c.text) > 1 for c in first)
    if 2 * marks > len(first) and (len(t.columns) == 2 or _is_text_after(t)):
        return True
    same, often = Counter(c.text for c in first).most_common(1)[0] if first else ("", 0)
    return len(same) == 1 and not same.isdigit() and 2 * often > len(t.rows)


def _is_text_after(t: TableCandidate) -> bool:
    """Return whether the text after the first column continues from line to line, and is aligned with other columns by chance."""
    rest = [" ".join(c.text for c in row if column_of(middles(t.gaps), c.middle) > 0) for row in t.rows]
    long = sum(set_length(text) >= t.settings.prose_chars for text in rest)
    follows = [text for text in rest[1:] if text]
    runs_on = sum(starts_lower(text) for text in follows)
    return not t.drawn and t.numeric == 0 and long > len(rest) / 2 and 2 * runs_on > len(follows)


def _is_text_beside(t: TableCandidate) -> bool:
    return not t.drawn and len(t.columns) == 2 and max(t.lengths) > t.settings.prose_chars


def _is_sparse(t: TableCandidate) -> bool:
    full = sum(len(row) >= max(2, (len(t.columns) + 1) // 2) for row in t.own)
    return not t.drawn and 2 * full < len(t.own)


def _is_blocks(t: TableCandidate) -> bool:
    if t.drawn or t.numeric or (len(t.columns) > 2 and not t.across) or sum(len(row) > 1 for row in t.own) >= t.settings.pairs_rows:
        return False
    return not (all(c.bold for c in t.rows[0]) and not any(c.bold for row in t.rows[1:] for c in row))


def _flows(t: TableCandidate) -> bool:
    """Return whether one column is a column of the page's text: its text runs on from line to line, also where the rows beside it begin."""
    if not t.across:
        return False
    cuts = middles(t.gaps)
    for n, column in enumerate(t.columns):
        if t.lengths[n] < t.settings.prose_chars / 2 or len(column) < t.settings.pairs_rows:
            continue
        begins = [row for row in t.rows[1:] if len(row) > 1 and any(column_of(cuts, c.middle) == n for c in row)]
        lower = sum(starts_lower(c.text) for row in begins for c in row if column_of(cuts, c.middle) == n)
        if 2 * lower > len(begins):
            return True
    return False


def _is_texts(t: TableCandidate) -> bool:
    """Return whether the rows are texts side by side: in most columns lines are full, and the next line begins within a sentence."""
    columns = [column for column in t.columns if len(column) > 1]
    run_on = [2 * sum(starts_lower(b.text) and _is_full(a, b, column) for a, b in pairwise(column)) >= len(column) for column in columns]
    return not t.drawn and sum(run_on) > 1 and 2 * sum(run_on) >= len(columns)


def _is_full(a: Chunk, b: Chunk, column: Sequence[Chunk]) -> bool:
    """Return whether the first word of `b` would not have fitted after the words of `a` above it. column: all chunks of their column."""
    return " " in a.text and max(c.x1 for c in column) - a.x1 < first_word_width(b.text, b.x1 - b.x0, b.size)


def _is_unaligned(t: TableCandidate) -> bool:
    return aligned_share(t.columns, t.settings) < (t.settings.aligned_ruled if t.drawn else t.settings.aligned)


#: Rules that reject aligned rows, with or without rules around them.
REFUSALS: Final = (
    Rule("code", "most cells are in typewriter type", _is_code),
    Rule("contents", "its rows end in ascending page numbers", _is_contents),
    Rule("prose_rows", "there are long lines alone among its rows", _has_prose_rows),
    Rule("heading_inside", "there is a line in larger type among its rows", _has_heading),
    Rule("caption_inside", "there is a caption among its rows", _has_caption),
    Rule("prose", "its columns are running text", _is_prose),
    Rule("list", "its first column has bullets, the same letter in most rows, or numbers of list items", _is_list),
    Rule("text_beside", "it is long text beside short text", _is_text_beside),
    Rule("sparse", "most rows fill less than half of the columns", _is_sparse),
    Rule("blocks", "it has few rows of words side by side, without numbers or a header", _is_blocks),
    Rule("flows", "the text of another column of the page continues beside its rows", _flows),
    Rule("texts", "in most of its columns the text continues from line to line", _is_texts),
    Rule("unaligned", "its cells are not aligned in their columns", _is_unaligned),
)


#: Names of rules that are stricter for rows over the whole page than for those of one column.
OF_THE_PAGE: Final = frozenset(["prose", "blocks", "flows"])


class GridCandidate(NamedTuple):
    """Drawn cells that may be a table."""

    cells: Sequence[Cell]
    settings: TableSettings

    @property
    def lengths(self) -> list[int]:
        """The number of characters of each cell with text, ascending."""
        return sorted(sum(len(chunk.text) for chunk in cell.chunks) for cell in self.cells if cell.chunks)


def _is_laid_out(t: GridCandidate) -> bool:
    lengths = t.lengths
    return bool(lengths) and (
        sum(lengths) > t.settings.cell_chars * len(lengths) or lengths[-1] > max(2 * t.settings.cell_chars, sum(lengths) / 2)
    )


def _is_frame(t: GridCandidate) -> bool:
    filled = [cell for cell in t.cells if cell.chunks]
    return len({c.column for c in filled}) < 2 or len({c.row for c in filled}) < 2


def _is_drawing(t: GridCandidate) -> bool:
    empty = sum(not cell.chunks for cell in t.cells)
    only_numbers = all(is_number(chunk.text) for cell in t.cells for chunk in cell.chunks)
    return only_numbers and 2 * empty > len(t.cells)


#: Rules that reject drawn cells.
GRID_REFUSALS: Final = (
    Rule("laid_out", "its cells contain running text: it is a page laid out in boxes", _is_laid_out),
    Rule("frame", "fewer than two rows or two columns have text", _is_frame),
    Rule("drawing", "most cells are empty and all others are numbers: it is a chart", _is_drawing),
)
