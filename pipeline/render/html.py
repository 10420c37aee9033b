"""Write a document as one HTML5 page: headings with anchors, lists, tables, notes, links, and a mark at the beginning of each page."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct, field

from pdfmill.pipeline.render.cells import Cell
from pdfmill.pipeline.render.joined_blocks import (
    Link,
    Marker,
    Piece,
    Unit,
    cell_text,
    safe_address,
    spans,
    split_marker,
    title_shift,
    units,
    with_sup,
    without_leaders,
)
from pdfmill.pipeline.render.languages import language_tag, runs_leftwards
from pdfmill.pipeline.render.rows import DocumentRows, text_in, whole_in

STYLESHEET: Final = """
body { max-width: 44em; margin: 2em auto; padding: 0 1em; font: 1em/1.5 Georgia, serif; overflow-wrap: break-word; }
h1, h2, h3, h4, h5, h6 { line-height: 1.2; font-family: system-ui, sans-serif; }
pre { overflow-x: auto; padding: .8em; background: #8882; font-size: .9em; }
table { border-collapse: collapse; margin: 1em 0; font-size: .9em; }
th, td { border: 1px solid #8888; padding: .2em .5em; vertical-align: top; text-align: start; }
figure { margin: 1em 0; }
img { max-width: 100%; height: auto; }
nav { display: flex; gap: 1em; }
figcaption, .caption { font-style: italic; font-size: .9em; }
.footnote { font-size: .85em; border-left: 3px solid #8886; padding-left: .8em; margin: .6em 0; }
.formula { text-align: center; }
.own { list-style: none; padding-left: 1.5em; }
.furniture { color: #888; font-size: .8em; }
.page::before { content: "p. " attr(data-page); float: right; color: #888; font: .75em system-ui, sans-serif; }
"""
#: Characters that HTML forbids, also as character references: controls and noncharacters.
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")


def render_html(rows: DocumentRows, *, keep_furniture: bool = False, files: Mapping[int, str] | None = None) -> str:
    """Return a document as one complete HTML page, whose only links are those of the document.
    files: if each page has its own file, the names of these by page number; links lead to them."""
    shown = units(rows, keep_furniture=keep_furniture)
    writer = _Writer([whole_in(page, "page") or 0 for page in rows.pages], title_shift(rows, shown), files or {})
    body = "\n".join([*writer.arrows(), *writer.body(shown)])
    title = text_in(rows.document, "title") or text_in(rows.document, "file_name") or "untitled"
    return (
        f'<!DOCTYPE html>\n<html{_language(rows)}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLESHEET}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _language(rows: DocumentRows) -> str:
    declared, found = (language_tag(text_in(rows.document, column)) for column in ("declared_language", "language"))
    tag = declared or found
    if declared and found and runs_leftwards(declared) != runs_leftwards(found):
        tag = found  # a writing program's own language over text in another script
    return f' lang="{tag}"' + ' dir="rtl"' * runs_leftwards(tag) if tag else ""


def escape(text: str) -> str:
    """Replace markup characters by references, and remove forbidden characters.

    >>> escape("a < b \\x00& c")
    'a &lt; b &amp; c'
    """
    return html.escape(_FORBIDDEN.sub("", text))


def table_markup(rows: Sequence[Sequence[Cell]], mark: Callable[[int], str] = lambda row: "") -> str:
    """Return the HTML of a table. mark: takes a row number from 0, and returns HTML to put at the beginning of that row's first cell."""
    lines = ["<table>"]
    for number, row in enumerate(rows):
        cells = "".join(_cell(cell, mark(number) if place == 0 else "") for place, cell in enumerate(row))
        lines.append(f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</table>"])


def _cell(cell: Cell, mark: str) -> str:
    name = "th" if cell.header else "td"
    spanned = f' rowspan="{cell.rows}"' * (cell.rows > 1) + f' colspan="{cell.columns}"' * (cell.columns > 1)
    return f"<{name}{spanned}>{mark}{with_sup(escape(cell_text(cell)))}</{name}>"


class _Writer(Struct):
    """The state of writing a document as HTML. shift: number of levels by which headings are lowered. files: names of the files of other
    pages, by page number. marked: number of pages whose mark (a link target at its beginning) was written. ids: the HTML ids used so
    far."""

    pages: list[int]  # numbers of the pages, in order
    shift: int
    files: Mapping[int, str] = field(default_factory=dict)
    marked: int = 0
    ids: set[str] = field(default_factory=set)

    def arrows(self) -> Iterator[str]:
        """Yield HTML links to the files of the previous and the next page."""
        before = max((page for page in self.files if page < min(self.pages, default=0)), default=None)
        after = min((page for page in self.files if page > max(self.pages, default=0)), default=None)
        links = [
            f'<a rel="{name}" href="{html.escape(self.files[page])}">{sign} p. {page}</a>'
            for page, name, sign in ((before, "prev", "←"), (after, "next", "→"))
            if page is not None
        ]
        if links:
            yield f"<nav>{' '.join(links)}</nav>"

    def body(self, shown: Sequence[Unit]) -> Iterator[str]:
        for is_list, run in groupby(_figures(shown), key=lambda group: group[0].role == "list_item"):
            groups = list(run)
            if is_list:
                yield self._list([unit for group in groups for unit in group])
            else:
                for group in groups:
                    yield from self._marks_before(group[0].pieces[0].page)
                    yield self._figure(group) if len(group) > 1 else self._unit(group[0])
        yield from self._marks_before(self.pages[-1] if self.pages else 0)

    def _marks_before(self, page: int) -> Iterator[str]:
        marks = self._marks(page, "div")
        if marks:
            yield marks

    def _marks(self, page: int, tag: str = "span") -> str:
        """Return the HTML of the marks (link targets at the beginnings of pages) not written yet, up to this page. tag: their HTML
        element."""
        found = ""
        while self.marked < len(self.pages) and self.pages[self.marked] <= page:
            number = self.pages[self.marked]
            found += f'<{tag} id="page-{number}" class="page" data-page="{number}" role="doc-pagebreak" aria-label="page {number}"></{tag}>'
            self.marked += 1
        return found

    def _unit(self, unit: Unit) -> str:
        if unit.role in ("title", "heading"):
            return self._heading(unit)
        if unit.role == "table" and any(piece.rows for piece in unit.pieces):
            return self._table(unit)
        if unit.role == "image":
            return f"<figure>\n{_image(unit)}\n</figure>"
        text = self._text(unit.pieces)
        if unit.role == "code":
            return f"<pre><code>{text}</code></pre>"
        if unit.role == "footnote":
            return f'<aside class="footnote" role="doc-footnote"><p>{text}</p></aside>'
        if unit.role in _CLASSES:
            return f'<p class="{_CLASSES[unit.role]}">{text}</p>'
        return f"<p>{_emphasised(text.replace(_LINE_END, f'<br>{_LINE_END}'), unit)}</p>"

    def _heading(self, unit: Unit) -> str:
        level = 1 if unit.role == "title" else min(6, unit.level + self.shift)
        return f'<h{level} id="{self._anchor(unit.text)}">{self._text(unit.pieces)}</h{level}>'

    def _anchor(self, text: str) -> str:
        """Make an id from the words of a heading, unique in the document; `page-N` is reserved for the marks of pages."""
        words = re.findall(r"\w+", unicodedata.normalize("NFC", _FORBIDDEN.sub("", text)).lower())
        base = "-".join(words)[:80] or "section"
        base = f"section-{base}" if re.fullmatch(r"page-\d+", base) else base
        name, number = base, 1
        while name in self.ids:
            number += 1
            name = f"{base}-{number}"
        self.ids.add(name)
        return name

    def _table(self, unit: Unit) -> str:
        rows: list[list[Cell]] = []
        starts: dict[int, int] = {}
        for piece in unit.pieces:
            starts.setdefault(len(rows), piece.page)
            rows += piece.rows
        return table_markup(rows, lambda number: self._marks(starts[number]) if number in starts else "")

    def _figure(self, group: Sequence[Unit]) -> str:
        parts = [
            f"<figcaption>{self._text(unit.pieces)}</figcaption>" if unit.role == "caption" else _image(unit) or self._unit(unit)
            for unit in group
        ]
        return "<figure>\n" + "\n".join(parts) + "\n</figure>"

    def _list(self, items: Sequence[Unit]) -> str:
        """Return the HTML of list items: a list for each run of items with the same kind of marker; deeper items are nested."""
        level = items[0].level
        groups: list[tuple[Marker, list[list[Unit]]]] = []
        for item in items:
            kind = split_marker(item.text)[0]
            if groups and item.level > level:
                groups[-1][1][-1].append(item)
            elif groups and groups[-1][0] is kind:
                groups[-1][1].append([item])
            else:
                groups.append((kind, [[item]]))
        return "\n".join(self._one_list(kind, trees) for kind, trees in groups)

    def _one_list(self, kind: Marker, trees: Sequence[Sequence[Unit]]) -> str:
        opening = {Marker.BULLET: "<ul>", Marker.DECIMAL: "<ol>", Marker.OTHER: '<ul class="own">'}[kind]
        lines = [opening]
        for item, *deeper in trees:
            length = split_marker(item.text)[1]
            value = f' value="{int(item.text[:length].strip().rstrip(".)"))}"' if kind is Marker.DECIMAL else ""
            text = self._text(item.pieces, skip=length)
            lines.append(f"<li{value}>{text}{self._list(deeper) if deeper else ''}</li>")
        return "\n".join([*lines, f"</{opening[1:3]}>"])

    def _text(self, pieces: Sequence[Piece], skip: int = 0) -> str:
        found = ""
        for piece in pieces:
            cut = min(skip, len(piece.text))
            skip -= cut
            links = [Link(link.start - cut, link.end - cut, link.target) for link in piece.links]
            mark = self._marks(piece.page)
            found += escape(piece.glue) + mark + "".join(self._span(*part) for part in spans(piece.text[cut:], links))
        return found

    def _span(self, part: str, target: str | int | None) -> str:
        if isinstance(target, str):
            address = safe_address(target)
        else:
            address = f"#page-{target}" if target in self.pages else self.files.get(target or 0)
        shown = with_sup(escape(without_leaders(part)))
        return f'<a href="{html.escape(address)}">{shown}</a>' if address else shown


_LINE_END: Final = "\n"
_CLASSES: Final = {
    "caption": "caption",
    "formula": "formula",
    "reference": "reference",
    "page_header": "furniture",
    "page_footer": "furniture",
    "page_number": "furniture",
    "page_margin": "furniture",
}


def _image(unit: Unit) -> str:
    pictures = [piece.picture for piece in unit.pieces if piece.picture is not None]
    return "\n".join(
        f'<img src="{each.address}" alt="{escape(each.text or f"image on page {each.page}")}" width="{each.width}" height="{each.height}">'
        for each in pictures
    )


def _emphasised(text: str, unit: Unit) -> str:
    text = f"<em>{text}</em>" if unit.italic and text else text
    return f"<strong>{text}</strong>" if unit.bold and text else text


def _figures(shown: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Group the units: each table or image with the caption before or after it, every other unit alone."""
    position = 0
    while position < len(shown):
        pair = shown[position : position + 2]
        if {unit.role for unit in pair} in ({"caption", "table"}, {"caption", "image"}) and pair[0].pieces[-1].page == pair[1].pieces[
            0
        ].page:
            yield list(pair)
            position += 2
        else:
            yield [shown[position]]
            position += 1
