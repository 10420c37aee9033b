"""Build the blocks of one page in reading order from its lines and the style of its document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.codes import FURNITURE_ROLES, POINTER_ROLES
from pdfmill.schemas.records import Decision, FontStyle, PageLines, StructuredPage, TextLine
from pdfmill.schemas.rows import Block, PageBox
from pdfmill.schemas.scripts import RAISED_FIGURES
from pdfmill.schemas.statistics import DocumentStyle, HeadingMark
from pdfmill.transforms.language.language_words import WordList
from pdfmill.transforms.layout.blocks.paragraphs import ParagraphBreaker, line_spacing
from pdfmill.transforms.layout.blocks.roles import (
    PLAIN,
    BlockView,
    CodeLine,
    find_references,
    find_role,
    is_index_page,
    run_in_heading,
    set_code,
)
from pdfmill.transforms.layout.document.articles import has_articles, read_articles
from pdfmill.transforms.layout.document.document_style import extend_path
from pdfmill.transforms.layout.document.page_analysis import PageView, view_of
from pdfmill.transforms.layout.document.tagged import FLAT_KINDS, trusted_elements
from pdfmill.transforms.layout.page.columns import count_columns, find_gutters, read_columns
from pdfmill.transforms.layout.page.enumerators import Start, true_items
from pdfmill.transforms.layout.page.formulas import is_numbered
from pdfmill.transforms.layout.page.hyphens import JoinedText, hyphenator, join_lines
from pdfmill.transforms.layout.page.line_breaks import Extent, forced_ends
from pdfmill.transforms.layout.page.line_frame import Frame, word_bounds
from pdfmill.transforms.layout.page.patterns import (
    BULLET,
    CAPTION,
    FOOTNOTE_MARK,
    WEAK_BULLETS,
    count_words,
    ends_sentence,
    is_list_start,
    names_figure,
    starts_lower,
)
from pdfmill.transforms.layout.page.side_by_side import SideBySide
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.layout.tables.model import Table, is_row_of, repeated_rows, table_html

_SEPARATOR = "\n\n"
#: Characters; a gap in a line of code that is wider has more than one blank. Those of justified text are narrower.
_WIDE_BLANK: Final = 1.75
#: Most blocks of a page whose order of drawing is compared pair by pair.
_MOST_COMPARED: Final = 400
#: Roles of blocks by structure type, for types that are more reliable than the appearance of text.
_TAGGED_ROLES: Final = {"LI": "list_item", "Caption": "caption", "Note": "footnote", "FENote": "footnote", "Code": "code"}


def structure_page(page: PageLines | PageView, style: DocumentStyle, settings: LayoutSettings = DEFAULTS) -> StructuredPage:
    """Return the page's blocks, text and words. style: the style of the document, or the part for this page (`DocumentStyle.for_pages`)."""
    return _Page(view_of(page, settings), style, settings).structure()


class _BlockBuilder:
    """A block under construction. lines: indices in `PageLines.lines`, in reading order."""

    def __init__(self, role: str, lines: list[int], level: int | None = None) -> None:
        self.role = role
        self.lines = lines
        self.level = level
        self.continues = False
        self.drawing = False
        self.html: str | None = None
        self.table: Table | None = None
        self.parts = [len(lines)]
        self.element: int | None = None
        self.inset = 0.0
        #: number of the column part in which it begins
        self.part = 0

    def append(self, lines: Sequence[int]) -> None:
        self.lines += lines
        self.parts.append(len(lines))

    @property
    def sizes(self) -> list[int]:
        """The number of lines of each part."""
        return [*self.parts[:-1], len(self.lines) - sum(self.parts[:-1])]

    @property
    def keeps_lines(self) -> bool:
        return self.drawing or self.role in ("code", "contents", "index", "table")

    @property
    def floats(self) -> bool:
        """Whether running text may go on below the block."""
        return self.drawing or self.role in ("table", "caption")


class _Page:
    def __init__(self, view: PageView, style: DocumentStyle, settings: LayoutSettings) -> None:
        self.view = view
        self.page = page = view.page
        self.style = style
        self.settings = settings
        self.words = WordList(style.compounds, style.language, [line.text for line in page.lines])
        self.columns = 1
        self.why: list[Decision] = []
        self.units: dict[int, list[int]] = {}
        #: lines of each chart, by the first of them in the frame
        self.drawings: dict[int, list[int]] = {}
        #: gutters found on this page, by the lines that were searched
        self.gutters: dict[bytes, list[tuple[float, float]]] = {}
        self.is_index = is_index_page(view)
        #: whether the page has text in the body's size; without, no small text is a footnote
        self.holds_body = True
        #: index in the frame by index of the line on the page
        self.place = {i: k for k, i in enumerate(self.view.index)}
        self.elements = trusted_elements(self.view) if style.tags.blocks and self.page.tags else []

    def structure(self) -> StructuredPage:
        furniture = self.style.furniture.get(self.page.page, {})
        head = [_BlockBuilder(role, [line]) for line, role in sorted(furniture.items()) if role == "page_header"]
        foot = [_BlockBuilder(role, [line]) for line, role in sorted(furniture.items()) if role != "page_header"]
        body = self._body(set(furniture))
        apart = set(furniture).union(*self.drawings.values())
        others = [_BlockBuilder("other", [line]) for line in self.view.frame.others if line not in apart]
        lost = self._lost([*head, *body, *others, *foot])
        placed = self._emit([*head, *body, *others, *(_BlockBuilder("other", [line]) for line in lost), *foot])
        placed.unplaced = tuple(lost)
        return placed

    def _lost(self, drafts: Sequence[_BlockBuilder]) -> list[int]:
        """Return the lines of no block. There should be none, because no step may drop lines."""
        placed = {line for draft in drafts for line in draft.lines}
        return [line for line in range(len(self.page.lines)) if line not in placed]

    def _body(self, furniture: set[int]) -> list[_BlockBuilder]:
        frame = self.view.frame
        lines = np.array([k for k, i in enumerate(self.view.index) if i not in furniture], np.int64)
        if not len(lines):
            return []
        self.holds_body = any(not self._is_small(k) and count_words(self.view.texts[k]) for k in lines.tolist())
        marks = self._outside_grids(self.style.headings.get(self.page.page, ()))
        chars = self.view.chars
        several = self.elements or self.view.charts or self.view.evident_tables or self.view.table_finder.spread
        parts = self._read(frame, chars, lines) if several else []  # they are needed for tables and tags only
        kept_out = furniture | {i for mark in marks for i in mark.lines}
        drawings = self._drawings(kept_out)
        kept_out = kept_out.union(*drawings)
        if self.style.tags.tables:
            kept_out |= {i for i, n in enumerate(self.elements) if n >= 0 and self.page.tags[n].kind not in FLAT_KINDS}
        tables = self.view.table_finder.find(self.view.evident_tables, [[self.view.index[k] for k in part] for part in parts], kept_out)
        self.why += self.view.table_finder.why
        place = self.place
        units = [[i for i in mark.lines if i in place] for mark in marks] + [sorted(table.lines) for table in tables]
        drawn = [[i for i in drawing if i in place] for drawing in drawings]
        self.drawings = {place[lines[0]]: drawing for lines, drawing in zip(drawn, drawings, strict=True)}
        tagged = self._tagged_units(parts, {i for unit in units + drawn for i in unit})
        boxes = [None] * len(marks) + [(t.x0, t.top, t.x1, t.bottom) for t in tables] + [None] * (len(drawn) + len(tagged))
        units += drawn + tagged
        self.units = {place[unit[0]]: [place[i] for i in unit] for unit in units if unit}
        fixed = {place[unit[0]]: n for n, unit in enumerate(units) if unit}
        frame, lines = self._put_units(units, boxes, lines, place)
        parts = self._read(frame, chars, lines, SideBySide(frame.lists, self.view.texts, self.view.looks, self.settings))
        self.columns = count_columns(frame, parts)
        texts: list[TextLine] = [self.view.line(k) for k in range(len(frame))]
        drafts: list[_BlockBuilder] = []
        for number, part in enumerate(parts):
            breaker = ParagraphBreaker(frame, texts, self.view.looks, self.style, self.settings)
            before = len(drafts)
            self._add(drafts, breaker.split(part, fixed), fixed, marks, breaker, tables)
            for draft in drafts[before:]:
                draft.part = number
        if self.elements:
            drafts = self._join_elements(drafts)
        drafts = self._in_file_order(drafts, _beside(frame, parts))
        self._unlist(drafts)
        self._join_alike(drafts)
        self._nest(drafts)
        self._carry_page(drafts)
        self._carry_table(drafts)
        self._find_references(drafts)
        return [d for d in drafts if d.role != "footnote"] + [d for d in drafts if d.role == "footnote"]

    def _outside_grids(self, marks: Sequence[HeadingMark]) -> list[HeadingMark]:
        """Return the headings without those that are rows or cells of a table, which would otherwise have holes. Titles are always kept."""
        tables, labels = self.view.evident_tables, self.view.labels
        return [
            mark
            for mark in marks
            if mark.role == "title" or not (any(is_row_of(table, mark.lines) for table in tables) or labels.issuperset(mark.lines))
        ]

    def _drawings(self, stated: set[int]) -> list[list[int]]:
        labels = self.view.labels - stated
        found = [[i for i in chart.lines if i in labels] for chart in self.view.charts]
        return [lines for lines in found if any(i in self.place for i in lines)]

    def _read(self, frame: Frame, chars: NDArray[np.int64], lines: NDArray[np.int64], beside: SideBySide | None = None) -> list[list[int]]:
        """Return the lines in reading order, as one list for each column of text. Trusted tags take precedence over article threads."""
        gutters = self._gutters(lines)
        if (
            self.style.articles
            and has_articles(frame, len(self.page.beads), self.settings)
            and not (self.elements and self.style.tags.order)
        ):
            return read_articles(frame, chars, lines, gutters, frame.map_boxes(self.page.beads, self.page), self.settings, beside)
        return read_columns(frame, chars, lines, gutters, self.settings, beside)[0]

    def _tagged_units(self, parts: Sequence[Sequence[int]], taken: set[int]) -> list[list[int]]:
        """Return the lines of each tagged block that are not in `taken`, divided by the columns of text (`parts`)."""
        found: dict[tuple[int, int], list[int]] = {}
        if self.elements:
            for n, part in enumerate(parts):
                for i in (self.view.index[k] for k in part):
                    element = self.elements[i]
                    if element >= 0 and i not in taken and self.page.tags[element].kind not in FLAT_KINDS:
                        found.setdefault((n, element), []).append(i)
        return [sorted(lines) for lines in found.values()]

    def _join_elements(self, drafts: Sequence[_BlockBuilder]) -> list[_BlockBuilder]:
        """Return the blocks with the parts of each tagged block joined."""
        first: dict[int, _BlockBuilder] = {}
        kept: list[_BlockBuilder] = []
        for draft in drafts:
            if draft.element is not None and draft.element in first and not names_figure(self.page.lines[draft.lines[0]].text):
                first[draft.element].append(draft.lines)
                continue
            if draft.element is not None:
                first[draft.element] = draft
            kept.append(draft)
        return kept

    def _in_file_order(self, drafts: list[_BlockBuilder], beside: Collection[tuple[int, int]]) -> list[_BlockBuilder]:
        """Return the blocks in the order of the tags, or else in the order in which they are drawn, if that order is plausible.
        beside: pairs of column parts that are side by side; the first part of a pair is read first."""
        if self.elements and self.style.tags.order:
            places = [min((self.elements[i] for i in draft.lines if self.elements[i] >= 0), default=-1) for draft in drafts]
        elif self.page.ocr or (self.style.articles and len(self.page.beads)):
            return drafts
        else:
            places = [min(draft.lines) for draft in drafts]  # lines are numbered in the order in which they are drawn
            if self._is_drawn_upwards(drafts, places):
                return drafts
        slots = [n for n, place in enumerate(places) if place >= 0]
        wanted = sorted(slots, key=places.__getitem__)
        if sum((drafts[b].part, drafts[a].part) in beside for a, b in pairwise(wanted)) >= self.settings.tag_contradictions:
            return drafts  # this goes back and forth between columns, which is no reading order
        ordered = list(drafts)
        for slot, n in zip(slots, wanted, strict=True):
            ordered[slot] = drafts[n]
        return ordered

    def _is_drawn_upwards(self, drafts: Sequence[_BlockBuilder], places: Sequence[int]) -> bool:
        """Return whether any block is drawn before a block above it that precedes it, or there are too many. places: when each is drawn."""
        if all(a < b for a, b in pairwise(places)):
            return False
        if len(drafts) > _MOST_COMPARED:
            return True
        at, of = self.view.frame.lists, [[self.place[i] for i in draft.lines if i in self.place] for draft in drafts]
        left, right = ([pick((edge[k] for k in own), default=0.0) for own in of] for pick, edge in ((min, at.start), (max, at.end)))
        middle = [sum(at.baseline[k] for k in own) / max(len(own), 1) for own in of]
        return any(
            places[b] < places[a] and min(right[a], right[b]) > max(left[a], left[b]) and middle[a] < middle[b]
            for a, b in combinations(range(len(drafts)), 2)
        )

    def _gutters(self, lines: NDArray[np.int64]) -> list[tuple[float, float]]:
        key = lines.tobytes()
        if key not in self.gutters:  # on most pages, without tables and long headings, the same lines are searched twice
            frame = self.view.frame
            chars = np.zeros(len(frame), np.int64)
            chars[lines] = self.view.chars[lines]
            pooled, own = self.style.gutters, find_gutters(frame, chars, self.settings)
            local = [(a, b) for a, b, _ in own if not any(min(b, d) - max(a, c) > 0 for c, d in pooled)]
            self.gutters[key] = sorted([*pooled, *local])
        return self.gutters[key]

    def _put_units(
        self,
        units: Sequence[list[int]],
        boxes: Sequence[tuple[float, float, float, float] | None],
        lines: NDArray[np.int64],
        place: dict[int, int],
    ) -> tuple[Frame, NDArray[np.int64]]:
        """Replace the lines of each unit (a table, heading or tagged block) by one line of the same size, so that it is read as a whole.
        boxes: box of each unit in the frame; None for the box around its lines."""
        frame = self.view.frame
        if all(len(unit) < 2 for unit in units):
            return frame, lines
        start, end, top, bottom, baseline = (values.copy() for values in (frame.start, frame.end, frame.top, frame.bottom, frame.baseline))
        gone: set[int] = set()
        for unit, box in zip(units, boxes, strict=True):
            if len(unit) < 2:
                continue
            members = [place[i] for i in unit]
            k = members[0]
            start[k], top[k], end[k], bottom[k] = box or (
                frame.start[members].min(),
                frame.top[members].min(),
                frame.end[members].max(),
                frame.bottom[members].max(),
            )
            baseline[k] = top[k] + frame.size[k]
            gone.update(members[1:])
        kept = np.array([k for k in lines.tolist() if k not in gone], np.int64)
        return replace(frame, start=start, end=end, top=top, bottom=bottom, baseline=baseline), kept

    def _add(
        self,
        drafts: list[_BlockBuilder],
        blocks: list[list[int]],
        fixed: dict[int, int],
        marks: Sequence[HeadingMark],
        breaker: ParagraphBreaker,
        tables: Sequence[Table],
    ) -> None:
        """Append the blocks of a column part to `drafts`. The first one may continue the previous column part.
        fixed: for the lines of headings and tables, the index of the heading in `marks`, or `len(marks)` plus that of the table in
        `tables`."""
        before = len(drafts)
        foot = self._foot(blocks)
        for n, block in enumerate(blocks):
            index = [self.view.index[m] for k in block for m in self.units.get(k, [k])]
            if len(marks) <= fixed.get(block[0], -1) < len(marks) + len(tables):
                table = tables[fixed[block[0]] - len(marks)]
                drafts.append(_BlockBuilder("table", sorted(table.lines)))
                drafts[-1].table = table
                continue
            if fixed.get(block[0], len(marks)) < len(marks):
                mark = marks[fixed[block[0]]]
                drafts.append(_BlockBuilder(mark.role, index, mark.level))
                continue
            if block[0] in self.drawings:
                drafts.append(_BlockBuilder("other", self.drawings[block[0]]))
                drafts[-1].drawing = True
                self._explain("role", "labels", drafts[-1].lines, True, "other: labels of a chart")
                continue
            draft = _BlockBuilder(self._role([m for k in block for m in self.units.get(k, [k])]), index)
            draft.inset = float(self.view.frame.start[block[0]]) - breaker.margin
            if block[0] in fixed:
                self._take_tag(draft)
            if n >= foot and self._is_footnote(block, blocks[n - 1] if n else None, drafts, draft.role == "code"):
                draft.role = "footnote"
                self._explain(
                    "role", "foot", index, True, "footnote: small type at the foot of a column that begins with a mark or under a rule"
                )
            floats = len(drafts) > before and all(d.floats for d in drafts[before:])
            last = self._last_text(drafts[:before], block) if n == 0 or (floats and starts_lower(self.view.texts[block[0]])) else None
            if last is not None and draft.element is None and last.element is None and self._carries(last, block, breaker):
                last.append(index)
                continue
            drafts.append(draft)

    def _last_text(self, drafts: Sequence[_BlockBuilder], block: list[int]) -> _BlockBuilder | None:
        """Return the last block of running text before `block`, without notes and small type at the foot of a column."""
        small = self.settings.footnote_size * self.view.looks[block[0]].size
        return next(
            (
                d
                for d in reversed(drafts)
                if d.role != "footnote" and not (d.role == "paragraph" and self._main_style(d.lines).size <= small)
            ),
            None,
        )

    def _take_tag(self, draft: _BlockBuilder) -> None:
        draft.element = self.elements[draft.lines[0]]
        element = self.page.tags[draft.element]
        draft.role = _TAGGED_ROLES.get(element.kind, draft.role)
        if element.kind in _TAGGED_ROLES:
            self._explain("role", "tag", draft.lines, True, f"{draft.role}: its tag is {element.kind}")
        if draft.role == "list_item" and element.level:
            draft.level = element.level

    def _role(self, block: list[int]) -> str:
        lines = [self.view.line(k) for k in block]
        rule = find_role(BlockView(self.view, block, lines, self.style.body, self.page.page in self.style.contents_pages, self.is_index))
        if rule is not PLAIN:
            self._explain("role", rule.name, [self.view.index[k] for k in block], True, f"{rule.role}: {rule.says}")
        return rule.role

    def _explain(self, question: str, rule: str, lines: Sequence[int], taken: bool, says: str) -> None:
        if self.settings.explain:
            self.why.append(Decision(question, rule, tuple(lines), taken, says))

    def _foot(self, blocks: Sequence[list[int]]) -> int:
        """Return the index of the first of the trailing blocks in small type, which may be footnotes. Blocks above a caption belong to the
        figure."""
        first = len(blocks)
        while first and self._is_small(blocks[first - 1][0]) and not CAPTION.match(self.view.texts[blocks[first - 1][0]]):
            first -= 1
        return first

    def _is_small(self, line: int) -> bool:
        body = self.style.body
        return body is not None and self.view.looks[line].size <= self.settings.footnote_size * body.size

    def _is_footnote(self, block: list[int], above: list[int] | None, drafts: Sequence[_BlockBuilder], code: bool) -> bool:
        """Return whether the block is a footnote: small type at the foot of a column, with a note mark or under a rule."""
        if not self.holds_body or not all(map(self._is_small, block)) or (above is not None and drafts[-1].role == "heading"):
            return False
        if self._stands_above_text(block):
            return False
        follows = above is not None and drafts[-1].role == "footnote"
        if code and not follows and not self.view.texts[block[0]].startswith(tuple(RAISED_FIGURES)):
            return False  # listings are often set in small type, in a frame or below a rule
        if BULLET.match(self.view.texts[block[0]]) and self.view.texts[block[0]][0] not in WEAK_BULLETS:
            return False
        if not follows and above is not None and drafts[-1].role != "code" and self._is_small(above[-1]):
            return False  # small type continues, as in references and captions
        marked = bool(FOOTNOTE_MARK.match(self.view.texts[block[0]]))
        if self.elements:
            return marked  # its tag is that of a paragraph
        return marked or follows or self._under_rule(block)

    def _stands_above_text(self, block: list[int]) -> bool:
        """Return whether larger text follows below the block, so that the block is not at the foot of its column."""
        frame, at = self.view.frame, self.view.frame.lists
        foot, start, end = max(at.bottom[k] for k in block), min(at.start[k] for k in block), max(at.end[k] for k in block)
        furniture = self.style.furniture.get(self.page.page, {})
        below = np.flatnonzero((frame.top > foot) & (frame.start < end) & (frame.end > start)).tolist()
        return any(not self._is_small(k) and self.view.index[k] not in furniture for k in below)

    def _under_rule(self, block: list[int]) -> bool:
        rules = self.view.frame.map_boxes(self.page.rules, self.page)
        if not len(rules):
            return False
        k = block[0]
        s, top, size = self.settings, float(self.view.frame.top[k]), self.view.looks[k].size
        flat = rules[:, 2] - rules[:, 0] > s.rule_length * size
        above = (rules[:, 1] < top + s.edge_slack) & (rules[:, 1] > top - s.note_rule_reach * size)
        flush = np.abs(rules[:, 0] - self.view.frame.start[k]) < s.note_rule_reach * size
        return bool((flat & above & flush).any())

    def _carries(self, last: _BlockBuilder, block: list[int], breaker: ParagraphBreaker) -> bool:
        if last.role not in ("paragraph", "list_item") or self._role(block) != "paragraph":
            return False
        before, after = self.page.lines[last.lines[-1]], self.view.line(block[0])
        one, two = self.page.styles[before.style], self.page.styles[after.style]
        if abs(one.size - two.size) > self.settings.same_size * one.size:
            return False
        ends = ends_sentence(before.text)
        if starts_lower(after.text):
            return not ends or before.text.endswith((":", ";"))
        indented = float(self.view.frame.start[block[0]]) - breaker.margin >= self.settings.indent_min * two.size
        return not indented and not ends and self._was_full(last, block[0])

    def _was_full(self, last: _BlockBuilder, after: int) -> bool:
        """Return whether the last line of a block is full, and the line that is read next is higher up, as in the next column."""
        frame, k = self.view.frame, self.place[last.lines[-1]]
        turns = frame.top[after] < frame.bottom[k]
        return bool(turns and frame.end[k] >= self.view.neighbours.limit[k] - self.settings.short_line * self.view.looks[k].size)

    def _join_alike(self, drafts: list[_BlockBuilder]) -> None:
        """Join adjacent blocks of code, and adjacent parts of a formula (numerators, cases, limits) up to its number, in place."""
        kept: list[_BlockBuilder] = []
        for draft in drafts:
            last = kept[-1] if kept and kept[-1].role == draft.role else None
            if last and (draft.role == "code" or (draft.role == "formula" and not is_numbered(self.page.lines[last.lines[-1]].text))):
                last.lines += draft.lines
            else:
                kept.append(draft)
        drafts[:] = kept

    def _unlist(self, drafts: Sequence[_BlockBuilder]) -> None:
        """Turn isolated list items into paragraphs, in place: a number, a letter or a dash begins an item only in a sequence."""
        places = [n for n, draft in enumerate(drafts) if draft.role == "list_item" and draft.element is None]
        last = max((n for n, draft in enumerate(drafts) if draft.role != "footnote"), default=-1)
        starts = [Start(self.page.lines[drafts[n].lines[0]].text, drafts[n].inset, n if n < last else -1) for n in places]
        for n, is_item in zip(places, true_items(starts), strict=True):
            if not is_item:
                drafts[n].role = "paragraph"
                self._explain("role", "no_run", drafts[n].lines, False, "no other item continues its number, letter or dash")

    def _find_references(self, drafts: Sequence[_BlockBuilder]) -> None:
        """Set the role "reference" on series of bibliography entries, and on the rest of an entry that begins on the previous page."""
        texts = [
            " ".join(self.page.lines[i].text for i in draft.lines) if draft.role in ("paragraph", "list_item", "footnote") else None
            for draft in drafts
        ]
        found = find_references(texts, self.settings.reference_run)
        for n, draft in enumerate(drafts):
            if found[n]:
                draft.role, draft.level = "reference", None
                self._explain(
                    "role",
                    "reference",
                    draft.lines,
                    True,
                    "reference: one of several entries with years, authors and places of publication",
                )

    def _carry_table(self, drafts: Sequence[_BlockBuilder]) -> None:
        """Mark the page's first table as a continuation of the previous page's table, if it is one."""
        end = self.style.open_tables.get(self.page.page)
        first = next((draft for draft in drafts[:2] if draft.role != "caption"), None)
        if end is None or first is None or first.table is None:
            return
        repeated = repeated_rows(first.table, end, self.settings)
        if repeated is not None:
            first.continues, first.table.header_rows, first.table.repeats = True, repeated, repeated > 0

    def _nest(self, drafts: Sequence[_BlockBuilder]) -> None:
        """Set the nesting depth of list items by their left edges, in place. Indented blocks belong to the item above."""
        open_at: list[float] = []
        for draft in drafts:
            em = self.page.styles[self.page.lines[draft.lines[0]].style].size
            slack = self.settings.same_place * em
            while open_at and draft.inset < open_at[-1] - slack:
                open_at.pop()
            if draft.role == "list_item":
                if not open_at or draft.inset > open_at[-1] + slack:
                    open_at.append(draft.inset)
                draft.level = draft.level or len(open_at)
            elif (
                not open_at or draft.role not in ("paragraph", "code", "formula", "other", "footnote") or draft.inset <= open_at[0] + slack
            ):
                open_at = []

    def _carry_page(self, drafts: list[_BlockBuilder]) -> None:
        carry = self.style.carry.get(self.page.page)
        if self.page.page <= 1 or not drafts or drafts[0].role not in ("paragraph", "list_item"):
            return
        if drafts[0].element is not None:
            drafts[0].continues = self.page.tags[drafts[0].element].carried
            return
        first = self.page.lines[drafts[0].lines[0]]
        size = self.page.styles[first.style].size
        wanted = carry.look.size if carry is not None else self.style.body.size if self.style.body else size
        if abs(size - wanted) > self.settings.same_size * size:
            return
        k = self.place[drafts[0].lines[0]]
        indented = float(self.view.frame.start[k] - self.view.neighbours.margin[k]) >= self.settings.indent_min * size
        lower = starts_lower(first.text)
        if carry is None:
            drafts[0].continues = lower and not is_list_start(first.text)
        elif drafts[0].role == "paragraph":
            drafts[0].continues = lower or (carry.open and not indented)

    # -- text ---------------------------------------------------------------------------------------------------------

    def _emit(self, drafts: Sequence[_BlockBuilder]) -> StructuredPage:
        """Return the result for the page: its blocks with offsets, its text, and the offsets of its words."""
        path, lone = self.style.paths.get(self.page.page, ()), self.style.lone.get(self.page.page, frozenset())
        words = _Words(self.page)
        pieces: list[str] = []
        blocks: list[Block] = []
        length = 0
        for draft in drafts:
            laid = self._lay_table(draft) if draft.table is not None else self._lay_code(draft) if draft.role == "code" else None
            joined = JoinedText(laid[0], (), (), ()) if laid is not None else self._join(draft)
            kept = draft.role not in FURNITURE_ROLES or self.settings.keep_furniture or not lone.isdisjoint(draft.lines)
            start = length + (len(_SEPARATOR) if pieces else 0)
            if kept:
                pieces.append(joined.text)
                if laid is not None:
                    words.place_pieces(laid[1], start)
                else:
                    words.place(draft.lines, joined, start)
                length = start + len(joined.text)
            if draft.role in ("title", "heading") and draft.level is not None:
                path = extend_path(path, draft.level, joined.text)
            blocks.append(self._block(draft, joined, (start, length) if kept else None, tuple(text for _, text in path)))
        spans, boxes, sure = words.result()
        label = self.style.labels.get(self.page.page)
        return StructuredPage(
            self.page.page,
            _SEPARATOR.join(pieces),
            blocks,
            spans,
            boxes,
            self.columns,
            label,
            tuple(dict.fromkeys(self.why)),
            word_confidences=sure,
        )

    def _lay_table(self, draft: _BlockBuilder) -> tuple[str, list[tuple[int, int, int, int]]]:
        """Set the table's HTML. Return its text, with tabs and line feeds, and (line, start, end, offset in the text) of each piece of a
        line."""
        table = draft.table
        assert table is not None
        text, pieces, texts, row = "", [], {}, 0
        for n, cell in enumerate(table.cells):
            if n:
                text += "\n" if cell.row != row else "\t"
            row = cell.row
            joined = self._join_lines([chunk.text for chunk in cell.chunks])
            pieces += [
                (chunk.line, chunk.start, chunk.start + kept, len(text) + at)
                for chunk, at, kept in zip(cell.chunks, joined.starts, joined.lengths, strict=True)
            ]
            texts[n] = joined.text
            text += joined.text
        draft.html = table_html(table, texts)
        return text, pieces

    def _join(self, draft: _BlockBuilder) -> JoinedText:
        texts = [self.page.lines[i].text for i in draft.lines]
        if draft.keeps_lines:
            return _keep_lines(texts, self._in_row(draft))
        forced = self._forced_ends(draft) if draft.role == "paragraph" else ()
        return self._join_lines(texts, forced, lambda n: self._is_short(draft.lines[n]))

    def _is_short(self, line: int) -> bool:
        frame, k = self.view.frame.lists, self.place.get(line, -1)
        return k >= 0 and float(self.view.neighbours.limit[k]) - frame.end[k] > self.settings.word_room * frame.size[k]

    def _lay_code(self, draft: _BlockBuilder) -> tuple[str, list[tuple[int, int, int, int]]]:
        """Return the code as it is printed, and (line, start, end, offset in the text) of each piece of a line in it."""
        pieces = [(i, *piece) for i in draft.lines for piece in self._code_pieces(i)]
        look = self.view.looks[self.place[draft.lines[0]]]
        joined = set_code([code for *_, code in pieces], line_spacing(look, self.style, self.settings))
        return joined.text, [(i, start, end, at) for (i, start, end, _), at in zip(pieces, joined.starts, strict=True)]

    def _code_pieces(self, line: int) -> Iterator[tuple[int, int, CodeLine]]:
        """Yield (start, end, code) of each piece of a line between wide gaps. Scans have no exact gaps: their lines are yielded whole."""
        frame, k, text, words = self.view.frame.lists, self.place[line], self.page.lines[line].text, self.view.table_finder.words
        own = range(words.first[line], words.first[line + 1])
        begin, left = 0, frame.start[k]
        length, width = max(((words.ends[n] - words.begins[n], words.x1[n] - words.x0[n]) for n in own), default=(1, 0.0))
        for n, following in pairwise(own) if not len(self.page.word_confidences) else ():
            end, start, right, x0 = words.ends[n], words.begins[following], words.x1[n], words.x0[following]
            if x0 - right > _WIDE_BLANK * width / length and end < start:
                yield begin, end, CodeLine(text[begin:end], left, right, frame.baseline[k], frame.size[k])
                begin, left = start, x0
        yield begin, len(text), CodeLine(text[begin:], left, frame.end[k], frame.baseline[k], frame.size[k])

    def _in_row(self, draft: _BlockBuilder) -> list[bool]:
        """Return, for each line of a block, whether it is on the same row as the line before, such as a page number after its entry."""
        if draft.role not in POINTER_ROLES:
            return [False] * len(draft.lines)
        before = self.view.neighbours.lists.before
        places = [self.place.get(i, -1) for i in draft.lines]
        return [False, *(b >= 0 and before[b] == a for a, b in pairwise(places))]

    def _join_lines(self, texts: list[str], forced: Sequence[int] = (), is_short: Callable[[int], bool] = lambda _: False) -> JoinedText:
        may_break = hyphenator(self.style.language)
        return join_lines(texts, mode=self.settings.hyphens, words=self.words, may_break=may_break, forced=forced, is_short=is_short)

    def _forced_ends(self, draft: _BlockBuilder) -> list[int]:
        at, first = self.view.frame.lists, 0
        found: list[int] = []
        for length in draft.sizes:
            part, begin, first = draft.lines[first : first + length], first, first + length
            if length < self.settings.forced_lines:
                continue
            places = [self.place.get(i, -1) for i in part]
            if min(places) < 0 or any(
                at.baseline[b] - at.baseline[a] < self.settings.same_row * at.size[places[0]] for a, b in pairwise(places)
            ):
                continue  # words side by side are not lines of their own
            lines = [Extent(at.start[k], at.end[k], at.size[k], self.view.texts[k]) for k in places]
            found += [begin + n for n in forced_ends(lines, float(self.view.neighbours.limit[places[0]]), self.settings)]
        return found

    def _block(self, draft: _BlockBuilder, joined: JoinedText, span: tuple[int, int] | None, path: tuple[str, ...]) -> Block:
        main = self._main_style(draft.lines)
        return Block(
            role=draft.role,
            level=draft.level,
            text=joined.text,
            heading_path=list(path),
            boxes=self._boxes(draft),
            text_start=span[0] if span else None,
            text_end=span[1] if span else None,
            font=main.font,
            size=main.size,
            bold=main.bold,
            italic=main.italic,
            continues=draft.continues,
            html=draft.html,
            run_in=run_in_heading(self.page.lines[draft.lines[0]], self.page.styles, main)
            if draft.role == "paragraph" and not draft.continues
            else None,
        )

    def _boxes(self, draft: _BlockBuilder) -> list[PageBox]:
        boxes, first = [], 0
        for size in draft.sizes:
            part = [self.page.lines[i] for i in draft.lines[first : first + size]]
            first += size
            if part:
                x0, top, x1, bottom = zip(*[(line.x0, line.top, line.x1, line.bottom) for line in part], strict=True)
                boxes.append(PageBox(self.page.page, min(x0), min(top), max(x1), max(bottom)))
        return boxes

    def _main_style(self, lines: Sequence[int]) -> FontStyle:
        chars: dict[int, int] = {}
        for i in lines:
            chars[self.page.lines[i].style] = chars.get(self.page.lines[i].style, 0) + len(self.page.lines[i].text)
        return self.page.styles[max(chars, key=lambda s: (chars[s], -s)) if len(chars) > 1 else next(iter(chars))]


def _beside(frame: Frame, parts: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Return the pairs of column parts that overlap vertically but not horizontally. The first of a pair is read first."""
    boxes = [(frame.start[part].min(), frame.top[part].min(), frame.end[part].max(), frame.bottom[part].max()) for part in map(list, parts)]
    return {
        (m, n)
        for n, b in enumerate(boxes)
        for m, a in enumerate(boxes[:n])
        if min(a[3], b[3]) > max(a[1], b[1]) and (a[2] <= b[0] or b[2] <= a[0])
    }


def _keep_lines(texts: Sequence[str], in_row: Sequence[bool]) -> JoinedText:
    text, starts = "", []
    for n, (line, beside) in enumerate(zip(texts, in_row, strict=True)):
        text += (" " if beside else "\n") if n else ""
        starts.append(len(text))
        text += line
    return JoinedText(text, tuple(starts), tuple(len(line) for line in texts), ())


class _Words:
    def __init__(self, page: PageLines) -> None:
        self.page = page
        #: (line, start and end of a piece in its text, offset of the line's start in the page's text); applied all at once for speed
        self.pieces: list[tuple[int, int, int, int]] = []

    def place(self, lines: Sequence[int], joined: JoinedText, start: int) -> None:
        self.pieces += [(i, 0, length, start + offset) for i, length, offset in zip(lines, joined.lengths, joined.starts, strict=True)]

    def place_pieces(self, pieces: Sequence[tuple[int, int, int, int]], start: int) -> None:
        """Add the words in pieces of lines. pieces: (line, start and end in its text, offset in the block). start: offset of the block in
        the text of the page."""
        self.pieces += [(line, begin, end, start + offset - begin) for line, begin, end, offset in pieces]

    def result(self) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
        """Return the offsets (int32[n, 2]), boxes (float32[n, 4]) and OCR confidences of all words, in the order of the text."""
        page = self.page
        line, begin, end, shift = np.array(self.pieces, np.int64).reshape(-1, 4).T
        bounds = np.array(word_bounds(page), np.int64)
        first, last = bounds[line], bounds[line + 1]
        counts = last - first
        piece = np.arange(len(line)).repeat(counts)
        rows = np.arange(len(piece)) + (first - counts.cumsum() + counts)[piece]
        own = page.word_spans[rows]
        spans = np.minimum(own, end[piece, None]) + shift[piece, None]
        placed = (own[:, 0] >= begin[piece]) & (spans[:, 1] > spans[:, 0])
        sure = page.word_confidences
        return spans[placed].astype(np.int32), page.word_boxes[rows[placed]], sure[rows[placed]] if len(sure) else sure
