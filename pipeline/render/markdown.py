"""Write a document as Markdown: CommonMark with the tables of GitHub Flavored Markdown."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pdfmill.pipeline.render.cells import Cell, has_spans, without_empty
from pdfmill.pipeline.render.html import table_markup
from pdfmill.pipeline.render.joined_blocks import (
    PLAIN,
    RAISED,
    Marker,
    Piece,
    Unit,
    cell_text,
    note_number,
    safe_address,
    spans,
    split_marker,
    title_shift,
    units,
    with_sup,
    without_leaders,
)
from pdfmill.pipeline.render.rows import DocumentRows
from pdfmill.transforms.layout.page.hyphens import join_lines

#: Characters that are markup in CommonMark or GitHub's dialect. No others get a backslash, which would be noise to a language model.
_SPECIAL: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|\s*(?:\n|\Z))|`"
    r"|(?<!\s)\*|\*(?!\s)"  # a star with white space on both sides is text
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore within a word is text
    r"|(?<=\S)~|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
)
#: Brackets that begin the target or the definition of a link.
_LINK: Final = re.compile(r"\][(\[:]|\[\^")
#: Addresses that become links in angle brackets.
_AUTOLINK: Final = re.compile(r"(?:https?://|mailto:)[^\s<>\\]+")
#: Signs that are markup only at the beginning of a line.
_AT_START: Final = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|[-:|][-:|\s]*$|\d{1,9}(?=[.)](\s|$)))")
#: Leader dots of an entry of a table of contents, to its page number or to the end; a single one too if space precedes it.
_ENTRY_LEADERS: Final = re.compile(r"(?:\s+[.·…_]|[.·…_]{4,})(?:\s?[.·…_])*\s*(?=(?:[0-9]+|[ivxlcIVXLC]+)?$)")
#: End of an entry of a table of contents: a page number, or leader dots.
_ENTRY_END: Final = re.compile(r"(?:\s|[.·…_]{4})(?:[0-9]+|[ivxlcIVXLC]+)$|(?:[.·…_]\s?){4,}$")
_INDENT: Final = "    "


def render_markdown(rows: DocumentRows, *, keep_furniture: bool = False) -> str:
    """Return the blocks as Markdown in reading order, separated by blank lines, except for the items of one list.
    keep_furniture: include running heads, footers and page numbers."""
    shown = units(rows, keep_furniture=keep_furniture)
    shift = title_shift(rows, shown)
    notes = _note_labels(shown)
    parts: list[str] = []
    before: Unit | None = None
    for unit in shown:
        if written := _unit(unit, shift, notes):
            together = before is not None and before.role == unit.role and _is_listed(before) and _is_listed(unit)
            parts += ["\n" if together else "\n\n" if before else "", written]
            before = unit
    return "".join(parts) + ("\n" if parts else "")


def _is_listed(unit: Unit) -> bool:
    return unit.role == "list_item" or (unit.role == "contents" and any(map(_ENTRY_END.search, unit.text.split("\n"))))


#: The label in Markdown of a footnote, by (page, number of the footnote on the page).
_Labels = dict[tuple[int, str], str]


def _note_labels(shown: Sequence[Unit]) -> _Labels:
    """Return a label for each footnote whose number occurs as superscript on its page: its number, after the page number if several pages
    have it. Two notes of one page with the same number get no label."""
    notes = Counter((unit.pieces[0].page, number) for unit in shown if (number := note_number(unit)[0]))
    marks = {
        (piece.page, number)
        for unit in shown
        for piece in unit.pieces
        if unit.role != "code"
        for text in ([cell.text for row in piece.rows for cell in row] or [piece.text])
        for mark in RAISED.finditer(text)
        for number in _numbers(mark)
    }
    known = [note for note, count in notes.items() if count == 1 and note in marks]
    pages = Counter(number for _, number in known)
    return {(page, number): number if pages[number] == 1 else f"{page}-{number}" for page, number in known}


#: Text before superscript figures that are no footnote mark: a unit or variable, ten, or nothing.
_NO_REFERENCE: Final = re.compile(r"(?:^|[\W\d_])[^\W\d_]{1,2}$|\b10$|^\s*$")


def _numbers(mark: re.Match[str]) -> list[str]:
    refers = "–" not in mark[0] and not _NO_REFERENCE.search(mark.string[: mark.start()])
    return mark[0].translate(PLAIN).split(",") if refers else []


def _refer(text: str, unit: Unit, notes: _Labels) -> str:
    """Return the Markdown of a unit's text. A superscript number becomes a reference to the footnote with this number, or else HTML."""
    pages = sorted({piece.page for piece in unit.pieces})

    def shown(match: re.Match[str]) -> str:
        found = [[notes[page, number] for page in pages if (page, number) in notes] for number in _numbers(match)]
        if not found or any(len(labels) != 1 for labels in found):
            return with_sup(match[0])
        return "".join(f"[^{label}]" for (label,) in found)

    return RAISED.sub(shown, text)


def _unit(unit: Unit, shift: int, notes: _Labels) -> str:
    if unit.role == "code":
        return _code(unit)
    number, length = note_number(unit)
    if label := notes.get((unit.pieces[0].page, number)):
        return f"[^{label}]: {with_sup(_line([_without(unit.pieces[0], length), *unit.pieces[1:]]))}"
    if unit.role == "heading":
        return _refer(_heading(unit, min(6, unit.level + shift)), unit, notes)
    writer = _WRITERS.get(unit.role)
    return _refer(writer(unit) if writer else _line(unit.pieces, unit.bold, unit.italic), unit, notes)


def _heading(unit: Unit, level: int = 1) -> str:
    """Return a unit as a Markdown heading of this level, on one line. A final `#` is escaped, because Markdown would remove it."""
    text = re.sub(r"(^|(?<=\s))(#+)$", r"\\\2", without_leaders(" ".join(_marked(unit.pieces).split())))
    return f"{'#' * level} {text}"


def _caption(unit: Unit) -> str:
    return f"*{line}*" if (line := _line(unit.pieces)) else ""


def _item(unit: Unit) -> str:
    marker, length = split_marker(unit.text)
    first, *rest = unit.pieces
    if marker is not Marker.OTHER and length <= len(first.text):
        shown = first.text[:length].strip() if marker is Marker.DECIMAL else "-"
        return f"{_INDENT * (unit.level - 1)}{shown} {_line([_without(first, length), *rest])}"
    return f"{_INDENT * (unit.level - 1)}- {_line(unit.pieces)}"


def _entries(unit: Unit) -> str:
    """Return the entries of a table of contents as a Markdown list. Text between them, which leads to no page, stays a paragraph."""
    if not _is_listed(unit):
        return _line(unit.pieces, unit.bold, unit.italic)
    entries: list[str] = []
    for line in filter(None, (_ENTRY_LEADERS.sub(" ", line).strip() for line in _marked(unit.pieces).split("\n"))):
        if entries and line[:1].islower() and not entries[-1][-1:].isdigit():
            entries[-1] = join_lines([entries[-1], line]).text
        else:
            entries.append(line)
    return "\n".join(f"- {_one_line(entry)}" for entry in entries)


def _without(piece: Piece, length: int) -> Piece:
    links = [link._replace(start=max(0, link.start - length), end=link.end - length) for link in piece.links if link.end > length]
    return Piece(piece.page, piece.text[length:], links)


def _code(unit: Unit) -> str:
    longest = max((len(run) for run in re.findall("`+", unit.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{unit.text}\n{fence}"


def _table(unit: Unit) -> str:
    rows = without_empty([row for piece in unit.pieces for row in piece.rows])
    if not rows:
        return _line(unit.pieces)
    return table_markup(rows) if has_spans(rows) else "\n".join(_table_lines(rows))


def _table_lines(rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield the lines of a table. Its first row becomes the header, because GitHub's tables require one."""
    width = max(len(row) for row in rows)
    for number, row in enumerate(rows):
        cells = [escape(cell_text(cell)).replace("|", "\\|") for cell in row] + [""] * (width - len(row))
        yield "| " + " | ".join(cells) + " |"
        if number == 0:
            yield "|" + " --- |" * width


def _line(pieces: Iterable[Piece], bold: bool = False, italic: bool = False) -> str:
    """Return the pieces as one line of Markdown with its links. A line end set by the author becomes a hard line break."""
    text = "\\\n".join(filter(None, (_one_line(line) for line in _marked(pieces).split("\n"))))
    mark = "***" if bold and italic else "**" if bold else "*" if italic else ""
    return f"{mark}{text}{mark}" if text and mark else text


def _marked(pieces: Iterable[Piece]) -> str:
    return "".join(piece.glue + "".join(_span(part, target) for part, target in spans(piece.text, piece.links)) for piece in pieces)


def _one_line(text: str) -> str:
    text = _AT_START.sub(r"\1\\\2", without_leaders(" ".join(text.split())), count=1)
    return re.sub(r"^\\(\d+)([.)])", r"\1\\\2", text)


def _span(part: str, target: str | int | None) -> str:
    address = safe_address(target) if isinstance(target, str) else None
    if address is None:
        return escape(part)
    written = "".join(part.split())  # an address that was broken at a line's end
    if _AUTOLINK.fullmatch(address) and address.removeprefix("mailto:") == written.removeprefix("mailto:"):
        return f"<{written}>"
    return f"[{escape(part, label=True)}](<{html.escape(address, quote=False)}>)"


def escape(text: str, *, label: bool = False) -> str:
    r"""Put a backslash before characters that would be markup in Markdown. label: the text is for the brackets of a link.

    >>> escape("a*b_c <d> [1] ~2 x<3"), escape("_a_ [1](b) c~"), escape("[1]", label=True)
    ('a\\*b_c \\<d> [1] ~2 x<3', '\\_a\\_ \\[1\\](b) c\\~', '\\[1\\]')
    """
    text = _SPECIAL.sub(r"\\\g<0>", text)
    return text.replace("[", "\\[").replace("]", "\\]") if label or _LINK.search(text) else text


_WRITERS: Final[dict[str, Callable[[Unit], str]]] = {
    "title": _heading,
    "caption": _caption,
    "contents": _entries,
    "list_item": _item,
    "table": _table,
}
