"""Choose the role of a block by its text and style, and find references, run-in headings and the indentation of code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import median
from typing import Final, NamedTuple

from msgspec import Struct

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.page.formulas import is_displayed_formula
from pdfmill.transforms.layout.page.hyphens import JoinedText
from pdfmill.transforms.layout.page.patterns import CAPTION, ENDS_STOP, ending_number, is_contents_line, is_list_start, names_figure
from pdfmill.transforms.layout.page.text_style import is_monospaced, is_small_caps, same_look

#: Characters that may follow the last page number of an index entry: "12n", "15f.".
_BEHIND_NUMBERS: Final = frozenset("nf,.")
#: End of an index entry: words, and then page numbers.
_INDEX_LINE: Final = re.compile(r"\D[,\s]\s?\d{1,4}(?:\s?[-–]\s?\d{1,4})?[nf]{0,2}(?:[,;]\s\d{1,4}(?:\s?[-–]\s?\d{1,4})?[nf]{0,2})*[,.]?$")
#: Most lines of an entry of a table of contents without dots: two of its title, and the page number beside them.
_ENTRY_LINES: Final = 3
#: Beginnings of years that `_YEAR` matches.
_CENTURIES: Final = ("18", "19", "20")
_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d[a-z]?(?!\d)")
_INITIALS: Final = re.compile(r"\b[^\W\d_a-z]\.")
_ENTRY_LABEL: Final = re.compile(r"\[[^\]\s]{1,12}\]\s|\d{1,3}[.)]\s")
_WHERE: Final = re.compile(r"\d\s?[-–—:]\s?\d|\bdoi\b|https?://|\bpp?\.\s?\d|\d\s?\(\d", re.IGNORECASE)


class BlockView(Struct):
    """The lines of one block, and what is known about its page. positions: indices of the lines in the page's frame. body: text style of
    the document's running text. contents, index: the page belongs to a table of contents, or to an index."""

    view: PageView
    positions: Sequence[int]  # indices of the lines in the frame
    lines: list[TextLine]
    body: Look | None  # text style of the document's running text
    contents: bool = False  # the page belongs to a table of contents
    index: bool = False  # the page belongs to an index

    @property
    def text(self) -> str:
        """The text of the block's first line."""
        return self.lines[0].text

    @property
    def looks(self) -> list[Look]:
        return [self.view.looks[k] for k in self.positions]


class RoleRule(NamedTuple):
    """A test whether a block has a certain role."""

    role: str
    name: str
    says: str  # a sentence that explains it to users
    holds: Callable[[BlockView], bool]  # returns whether the rule applies to a block


def _is_code(block: BlockView) -> bool:
    """Return whether the block is program code: all lines are mostly monospaced, and it does not begin like a paragraph about code."""
    if (block.body and block.body.monospaced) or not all(block.view.looks[k].monospaced for k in block.positions):
        return False
    first, styles = block.lines[0], block.view.page.styles
    begin = next((start for start, style in first.spans if is_monospaced(styles[style])), 0)
    whole = any(all(is_monospaced(styles[style]) for _, style in line.spans) for line in block.lines[1:])
    return not (begin and (is_list_start(first.text[:begin] + "x") or (not whole and _LETTERS.search(first.text, 0, begin))))


def _is_caption(block: BlockView) -> bool:
    """Return whether the block is a caption: "Figure 3:", or the name of a figure, set in another style than running text."""
    if not CAPTION.match(block.text):
        return False
    if names_figure(block.text):
        return True
    if block.body is not None and not any(same_look(look, block.body, block.view.settings.same_size) for look in block.looks):
        return True
    styles = block.view.page.styles
    label, main = styles[block.lines[0].spans[0][1]], styles[block.lines[-1].style]
    return (label.bold, label.italic) != (main.bold, main.italic)


def _is_contents(block: BlockView) -> bool:
    """Return whether the block is part of a table of contents: most lines lead to a page number, or it is an entry on a page of
    contents."""
    if not block.contents or _is_above_contents(block):
        return False
    if block.view.heads_contents and not any(ENDS_STOP.search(line.text) for line in block.lines):
        return True  # entries without numbers, and headings between entries
    led = sum(is_contents_line(line.text) for line in block.lines)
    entry = len(block.lines) <= _ENTRY_LINES and ending_number(block.lines[-1].text) is not None and any(map(str.isalpha, block.text))
    return entry or 2 * led >= len(block.positions)


def _is_above_contents(block: BlockView) -> bool:
    """Return whether the block is above the heading of a table of contents, as titles and authors are, and not in a column beside it."""
    at, head = block.view.frame.lists, block.view.contents_head
    first = block.positions[0]
    return head >= 0 and at.baseline[first] < at.baseline[head] and at.start[first] < at.end[head]


def _is_index(block: BlockView) -> bool:
    return block.index and 2 * sum(_is_index_line(line.text) for line in block.lines) >= len(block.lines)


def _is_index_line(text: str) -> bool:
    last = text[-1:]
    return (last.isdecimal() or last in _BEHIND_NUMBERS) and bool(_INDEX_LINE.search(text))


def _is_formula(block: BlockView) -> bool:
    return is_displayed_formula(block.lines, block.view.page.styles)


ROLE_RULES: Final[tuple[RoleRule, ...]] = (
    RoleRule("code", "monospaced", "all its lines are monospaced, unlike the running text", _is_code),
    RoleRule("caption", "caption", "it begins with the name and number of a figure, not as part of a sentence", _is_caption),
    RoleRule("contents", "contents", "its lines lead to page numbers, on a page of such lines", _is_contents),
    RoleRule("index", "index", "its lines end in page numbers, on a page of such lines", _is_index),
    RoleRule(
        "list_item",
        "item",
        "it begins with a bullet or an enumerator",
        lambda block: is_list_start(block.text),
    ),
    RoleRule("formula", "formula", "it has signs and letters of mathematics, and no words", _is_formula),
)
PLAIN: Final = RoleRule("paragraph", "text", "no rule for another role applies", lambda _: True)


def find_role(block: BlockView) -> RoleRule:
    """Return the first of `ROLE_RULES` that applies to the block, else `PLAIN`."""
    return next((rule for rule in ROLE_RULES if rule.holds(block)), PLAIN)


def is_index_page(view: PageView) -> bool:
    """Return whether the page belongs to an index: it has many lines, and most have words and then end in page numbers."""
    settings = view.settings
    needed = max(settings.index_lines, settings.contents_share * len(view.texts))
    ending = [text for text in view.texts if text[:1].isalpha() and (text[-1].isdecimal() or text[-1] in _BEHIND_NUMBERS)]
    return len(ending) >= needed and sum(map(_is_index_line, ending)) >= needed


def is_reference(text: str) -> bool:
    """Return whether the text looks like an entry of a list of references: it has a year, authors or a label, and a publication.

    >>> is_reference("[3] H. Weber and A. Stone, Rivers of silt, J. Hydrol. 12(3), 2004, 120-131.")
    True
    """
    if not any(map(text.__contains__, _CENTURIES)) or not _YEAR.search(text) or not _WHERE.search(text):
        return False
    return bool(_ENTRY_LABEL.match(text)) or len(_INITIALS.findall(text)) > 1


def find_references(texts: Sequence[str | None], needed: int) -> list[bool]:
    """Return which blocks are bibliography entries: those in a series, without gaps of two, in which at least `needed` look like entries.
    texts: text of each block in reading order; None for blocks that cannot be entries."""
    tells = [text is not None and is_reference(text) for text in texts]
    found = [False] * len(texts)
    first = 0
    while first < len(texts):
        last = first
        while (
            tells[first]
            and last + 1 < len(texts)
            and (tells[last + 1] or (texts[last + 1] is not None and last + 2 < len(texts) and tells[last + 2]))
        ):
            last += 1
        if sum(tells[first : last + 1]) >= needed:
            found[first : last + 1] = [True] * (last + 1 - first)
        first = last + 1
    return found


# Detect run-in headings: bold, italic or small capital words up to a stop at the beginning of a paragraph in plain text.


#: End of a run-in heading, which may be in the style of the text that follows.
_STOP: Final = re.compile(r"\s*[.:—–]|\s*-(?=\s)")
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")


def run_in_heading(line: TextLine, styles: Sequence[FontStyle], main: FontStyle) -> str | None:
    """Return the emphasised heading at the beginning of a paragraph's first line, without its full stop; None if there is none.
    main: style of the paragraph."""
    if len(line.spans) < 2 or not _set_off(styles[line.spans[0][1]], main):
        return None
    end = next(
        (start for start, style in line.spans if not _set_off(styles[style], main) and _LETTERS.search(line.text, start)), len(line.text)
    )
    lead = line.text[:end].rstrip()
    stop = _STOP.match(line.text, end)
    if not lead.endswith((".", "?", ":", "—", "–", "-")) and stop is None:
        return None
    title, rest = lead.rstrip(" .:—–-"), line.text[stop.end() if stop else end :]
    named = _LETTERS.search(title) and (title[0].isupper() or not title[0].isalpha())
    return title if named and _LETTERS.search(rest) else None


def _set_off(style: FontStyle, main: FontStyle) -> bool:
    return (
        (style.bold and not main.bold) or (style.italic and not main.italic) or (is_small_caps(style.font) and not is_small_caps(main.font))
    )


# Rebuild program text as it is printed, with indentation and columns as spaces.


#: Em; largest distance of baselines on one line.
_SAME_LINE: Final = 0.3
#: Most line feeds between two lines of code: two blank lines, as style guides want between definitions; larger gaps are pictures.
_LINE_FEEDS: Final = 3


class CodeLine(NamedTuple):
    """A line of code, or a piece of one after a wide gap."""

    text: str
    start: float  # along the line, points
    end: float  # along the line, points
    baseline: float  # points, growing downwards
    size: float  # points


def set_code(lines: Sequence[CodeLine], spacing: float) -> JoinedText:
    """Return the lines of code as text whose spaces and blank lines reproduce the indents and gaps. spacing: usual distance of baselines,
    points."""
    starts: list[int] = []
    text = ""
    column = 0
    for part in _parts(lines):
        left, advance = min(line.start for line in part), _advance(part)
        before: CodeLine | None = None
        for line in part:
            stands_in = round((line.start - left) / advance)
            goes_on = before is not None and abs(line.baseline - before.baseline) < _SAME_LINE * line.size and line.start > before.start
            if goes_on:
                gap = " " * max(stands_in - column, 1)
            else:
                step = max(spacing, _SAME_LINE * line.size)  # a damaged page may have all lines at one height
                feeds = round((line.baseline - before.baseline) / step) if before is not None and step > 0 else 1
                gap = ("\n" * min(max(feeds, 1), _LINE_FEEDS) if starts else "") + " " * stands_in
                column = 0
            text += gap + line.text
            column += len(gap.lstrip("\n")) + len(line.text)
            starts.append(len(text) - len(line.text))
            before = line
    return JoinedText(text, tuple(starts), tuple(len(line.text) for line in lines), ())


def _parts(lines: Sequence[CodeLine]) -> list[list[CodeLine]]:
    """Return the lines divided where a line is higher up than the one before, as in the next column of the page."""
    parts: list[list[CodeLine]] = []
    for line in lines:
        if not parts or line.baseline < parts[-1][-1].baseline - line.size:
            parts.append([])
        parts[-1].append(line)
    return parts


def _advance(lines: Sequence[CodeLine]) -> float:
    longest = sorted(lines, key=lambda line: -len(line.text))[: max(1, len(lines) // 2)]
    return max(median((line.end - line.start) / max(len(line.text), 1) for line in longest), _LEAST)


#: Smallest width of a character, points.
_LEAST: Final = 0.5
