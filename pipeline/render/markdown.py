"""A document as Markdown: CommonMark with the tables of GitHub Flavored Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pdfmill.pipeline.render.addresses import safe_address
from pdfmill.pipeline.render.cells import Cell, has_spans
from pdfmill.pipeline.render.html import table_markup
from pdfmill.pipeline.render.joined_blocks import Piece, Unit, spans, title_shift, units, without_leaders
from pdfmill.pipeline.render.lists import Marker, split_marker
from pdfmill.pipeline.render.rows import DocumentRows

#: Characters that mean something anywhere in a line.
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>~|]|&(?=#?\w+;))")
#: What means something at the beginning of a line only.
_AT_START: Final = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|=+\s*$|-{3,}\s*$|\d{1,9}(?=[.)](\s|$)))")
_INDENT: Final = "    "


def render_markdown(rows: DocumentRows, *, keep_furniture: bool = False) -> str:
    """Blocks in reading order, separated by a blank line; items of one list stand together."""
    shown = units(rows, keep_furniture=keep_furniture)
    shift = title_shift(rows, shown)
    parts: list[str] = []
    before: Unit | None = None
    for unit in shown:
        together = before is not None and before.role == unit.role == "list_item"
        parts += ["\n" if together else "\n\n" if before else "", _unit(unit, shift)]
        before = unit
    return "".join(parts) + ("\n" if parts else "")


def _unit(unit: Unit, shift: int) -> str:
    writer = _WRITERS.get(unit.role)
    if unit.role == "heading":
        return "#" * min(6, unit.level + shift) + " " + _line(unit.pieces)
    return writer(unit) if writer else _line(unit.pieces, unit.bold, unit.italic)


def _title(unit: Unit) -> str:
    return "# " + _line(unit.pieces)


def _caption(unit: Unit) -> str:
    return f"*{line}*" if (line := _line(unit.pieces)) else ""


def _item(unit: Unit) -> str:
    marker, length = split_marker(unit.text)
    first, *rest = unit.pieces
    if marker is not Marker.OTHER and length <= len(first.text):
        shown = first.text[:length].strip() if marker is Marker.DECIMAL else "-"
        return f"{_INDENT * (unit.level - 1)}{shown} {_line([_without(first, length), *rest])}"
    return f"{_INDENT * (unit.level - 1)}- {_line(unit.pieces)}"


def _without(piece: Piece, length: int) -> Piece:
    links = [link._replace(start=max(0, link.start - length), end=link.end - length) for link in piece.links if link.end > length]
    return Piece(piece.page, piece.text[length:], links)


def _code(unit: Unit) -> str:
    longest = max((len(run) for run in re.findall("`+", unit.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{unit.text}\n{fence}"


def _table(unit: Unit) -> str:
    rows = [row for piece in unit.pieces for row in piece.rows]
    if not rows:
        return _line(unit.pieces)
    return table_markup(rows) if has_spans(rows) else "\n".join(_table_lines(rows))


def _table_lines(rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """The first row is the head: GitHub's tables have no other form."""
    width = max(len(row) for row in rows)
    for number, row in enumerate(rows):
        cells = [escape(without_leaders(cell.text.strip())) for cell in row] + [""] * (width - len(row))
        yield "| " + " | ".join(cells) + " |"
        if number == 0:
            yield "|" + " --- |" * width


def _line(pieces: Iterable[Piece], bold: bool = False, italic: bool = False) -> str:
    """Text on one line, its links placed, emphasised as a whole; where its author ended a line, a hard line break."""
    text = "".join(piece.glue + "".join(_span(part, target) for part, target in spans(piece.text, piece.links)) for piece in pieces)
    text = "\\\n".join(filter(None, (_one_line(line) for line in text.split("\n"))))
    mark = "***" if bold and italic else "**" if bold else "*" if italic else ""
    return f"{mark}{text}{mark}" if text and mark else text


def _one_line(text: str) -> str:
    """White space as single spaces, no leader dots, and no sign at the beginning that means something there."""
    text = _AT_START.sub(r"\1\\\2", without_leaders(" ".join(text.split())), count=1)
    return re.sub(r"^\\(\d+)([.)])", r"\1\\\2", text)


def _span(part: str, target: str | int | None) -> str:
    address = safe_address(target) if isinstance(target, str) else None
    return f"[{escape(part)}](<{html.escape(address, quote=False)}>)" if address else escape(part)


def escape(text: str) -> str:
    r"""The text with every character that Markdown would take for markup behind a backslash.

    >>> escape("a*b_c <d>")
    'a\\*b\\_c \\<d\\>'
    """
    return _SPECIAL.sub(r"\\\1", text)


_WRITERS: Final[dict[str, Callable[[Unit], str]]] = {
    "title": _title,
    "caption": _caption,
    "list_item": _item,
    "code": _code,
    "table": _table,
}
