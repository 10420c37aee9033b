"""Apply ActualText of structure elements: text that replaces the content below an element (ISO 32000-2 §14.9.4).
PDFium applies that of marked content itself. Characters that are equal keep their boxes; the others get the boxes of those that they
replace, or of the drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.records import FontStyle, Notice
from pdfmill.schemas.scripts import holds_rtl
from pdfmill.transforms.pdf.facts.tags import structure_of
from pdfmill.transforms.pdf.open.document import PdfDocument, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get_dict
from pdfmill.transforms.pdf.open.page_tree import Box
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_BOUNDS, OBJECT_CONTENT_ID, of_objects, page_objects
from pdfmill.transforms.pdf.open.structure_tree import StructureTree
from pdfmill.transforms.pdf.text.graphics import FormTexts
from pdfmill.transforms.pdf.text.lost_text import append_glyphs
from pdfmill.transforms.pdf.text.repair_text import odd_characters
from pdfmill.transforms.pdf.text.shared_texts import spread
from pdfmill.transforms.pdf.text.user_space import PageSpace

#: Largest product of the two texts' lengths for which they are compared character by character, because the time grows with it.
_COMPARED: Final = 1_000_000
#: Mean advance, line spacing and ascent, em, of a text that is set into a box.
_ADVANCE, _LEADING, _ASCENT = 0.5, 1.2, 0.8
#: Space, points, that viewers leave between the sides of a form field and its text: a border and as much padding, 1 point each.
_PADDING: Final = 2.0
#: Largest and smallest type size of a form field, points. Viewers do not shrink it further; they scroll.
_FIELD_SIZE, _SMALLEST = 12.0, 4.0
_HYPHENS: Final = ("-", "\N{HYPHEN}", "\N{SOFT HYPHEN}")

#: A replacement text, and the marked-content ids on the page that it replaces.
Stated = tuple[str, frozenset[int]]


def stated_texts(document: PdfDocument, number: int, warnings: list[Notice]) -> Sequence[Stated]:
    """Return the texts that replace content of page `number`, from 1. warnings: list to which reading errors are added."""
    try:
        if get_dict(document.pikepdf.Root, "/StructTreeRoot") is None:
            return ()
        tree = structure_of(document)
        if tree.texts and tree.stated is None:
            tree.stated = _by_page(tree)
        return (tree.stated or {}).get(number, ())
    except OBJECT_ERRORS as error:
        warnings.append(Notice("text_evidence_unreadable", number, f"the structure tree cannot be read: {shorten(error)}"))
        return ()


def _by_page(tree: StructureTree) -> dict[int, list[Stated]]:
    """Return the replacement texts by page number: of nested texts the outermost, and none for content on several pages."""
    content: dict[int, dict[int, set[int]]] = {}
    for page, pieces in tree.content.items():
        for content_id, element in pieces:
            outermost = -1
            while element >= 0:
                outermost = element if element in tree.texts else outermost
                element = tree.parents[element]
            if outermost >= 0:
                content.setdefault(outermost, {}).setdefault(page, set()).add(content_id)
    found: dict[int, list[Stated]] = {}
    for element, pages in sorted(content.items()):
        if len(pages) == 1 and (text := _readable(tree.texts[element])):
            for page, ids in pages.items():
                found.setdefault(page, []).append((text, frozenset(ids)))
    return found


def _readable(written: str) -> str:
    """Return the text on one line; "" if it is only white space, or has characters that are not text."""
    text = " ".join(written.split())
    return "" if odd_characters(np.array([ord(character) for character in text], np.uint32)).any() else text


def put_stated(glyphs: Glyphs, handles: list[int], form_texts: Sequence[FormTexts], texts: Sequence[Stated], limit: int) -> list[Stated]:
    """Replace the characters of marked content by replacement texts, in place, until these exceed `limit` characters. Return the texts
    whose content has no characters. handles: of the text objects, in the order of `Glyphs.run`. form_texts: text objects in forms."""
    left: list[Stated] = []
    of_run = of_objects(OBJECT_CONTENT_ID, np.array(handles, np.uint64), np.full(len(handles), -1, np.int32))
    in_forms = {handle for each in form_texts for handle in each.handles}
    of_run[[handle in in_forms for handle in handles]] = -1
    content = of_run[glyphs.run]
    changed: dict[int, str] = {}
    for text, ids in texts:
        limit -= len(text)
        if limit < 0:
            break
        members = np.flatnonzero(np.isin(content, list(ids)))
        if not len(members):
            left.append((text, ids))
            continue
        glyphs.flags[members] &= ~GlyphFlag.UNTRUSTED
        drawn = "".join(map(chr, glyphs.unicode[members].tolist()))
        if _plain(drawn) != _plain(text):
            for places, characters in _differences(drawn, text):
                if drawn[places][-1] in _HYPHENS and _ends_line(glyphs, members, places.stop) and not characters.endswith((" ", *_HYPHENS)):
                    characters += "\N{SOFT HYPHEN}"  # so that the word is joined again, and the break is known
                _assign(glyphs, members, places, characters, changed)
    spread(glyphs, changed)
    return left


def add_stated(glyphs: Glyphs, page: int, texts: Sequence[Stated], space: PageSpace) -> None:
    """Add texts that replace drawings or images, in place, each set into the box of that content. page: PDFium's handle."""
    handles = page_objects(page)
    content = of_objects(OBJECT_CONTENT_ID, handles, np.full(len(handles), -1, np.int32))
    order = np.argsort(content, kind="stable")
    bounds = of_objects(OBJECT_BOUNDS, handles[order], np.zeros((len(handles), 4), np.float32))  # left, bottom, right, top
    content = content[order]
    rows: list[dict[str, NDArray[np.floating]]] = []
    for text, ids in texts:
        parts = [bounds[slice(*np.searchsorted(content, [number, number + 1]))] for number in sorted(ids)]
        sides = np.concatenate(parts)
        if len(sides):
            low, high = sides.min(axis=0, keepdims=True), sides.max(axis=0, keepdims=True)
            box = space.boxes(low[:, 0], low[:, 1], high[:, 2], high[:, 3])[0]
            rows += _set(glyphs, text, np.clip(box, 0, [*space.size, *space.size]), min(ids))
    _append(glyphs, rows)


def _append(glyphs: Glyphs, rows: Sequence[dict[str, NDArray[np.floating]]]) -> None:
    """Append glyphs, in place. rows: for each line its values by column of `Glyphs`. Each line becomes a run."""
    if rows:
        first = int(glyphs.run.max(initial=-1)) + 1
        columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
        append_glyphs(glyphs, columns | {"run": first + np.repeat(np.arange(len(rows)), [len(row["unicode"]) for row in rows])})


def _set(glyphs: Glyphs, text: str, box: NDArray[np.floating], content_id: int) -> list[dict[str, NDArray[np.floating]]]:
    """Return the glyphs of a text set in lines that fill a box (points), as columns for each line. Their font style is added to
    `glyphs`."""
    x0, top, x1, bottom = box.tolist()
    if x1 <= x0 or bottom <= top:
        return []
    count = max(1, round(math.sqrt(len(text) * _ADVANCE * _LEADING * (bottom - top) / (x1 - x0))))
    words = text.split()
    width = max(math.ceil(len(text) / count), max(map(len, words)) if len(words) > 1 else 1)
    lines = wrap(text, width, break_on_hyphens=False)
    step, height = (x1 - x0) / max(map(len, lines)), (bottom - top) / len(lines)
    size = min(height / _LEADING, step / _ADVANCE)
    typed = _type_size(glyphs)
    if len(lines) > 1 and size > typed:
        # Several lines describe a picture, whose height says nothing about their type size: they are set at its top.
        size, step, height = typed, typed * _ADVANCE, typed * _LEADING
        lines = wrap(text, max(1, int((x1 - x0) / step)), break_on_hyphens=False)
    return _set_lines(glyphs, lines, (x0, top), size, step, height, content_id)


def add_answers(glyphs: Glyphs, answers: Sequence[tuple[str, Box]], page: tuple[float, float], limit: int) -> None:
    """Add the values of form fields, in place, each set into the box of its field, unless the page draws the value there.
    answers: pairs of value and box (x0, top, x1, bottom; points). page: its width and height, points. limit: most characters added."""
    rows: list[dict[str, NDArray[np.floating]]] = []
    typed = min(_type_size(glyphs), _FIELD_SIZE)
    drawn = (glyphs.x0 + glyphs.x1) / 2, (glyphs.top + glyphs.bottom) / 2
    for text, box in answers:
        limit -= len(text)
        x0, top, x1, bottom = np.clip(box, 0, [*page, *page]).tolist()
        lines = [line for written in text.split("\n") if (line := _readable(written))]
        x0, x1 = (x0 + _PADDING, x1 - _PADDING) if x1 - x0 > 4 * _PADDING else (x0, x1)
        inside = (drawn[0] > x0) & (drawn[0] < x1) & (drawn[1] > top) & (drawn[1] < bottom)
        already = _plain(text) in _plain("".join(map(chr, glyphs.unicode[inside].tolist())))
        if limit < 0 or not lines or x1 <= x0 or bottom <= top or already:
            continue
        size = min(typed, (bottom - top) / _LEADING)
        if max(map(len, lines)) * size * _ADVANCE > x1 - x0 and (bottom - top) >= 2 * size * _LEADING:
            lines = [part for line in lines for part in wrap(line, max(1, int((x1 - x0) / (size * _ADVANCE))), break_on_hyphens=False)]
        lines = lines[: max(1, int((bottom - top) / (_SMALLEST * _LEADING)))]
        size = min(size, (bottom - top) / len(lines) / _LEADING)
        step, height = min(size * _ADVANCE, (x1 - x0) / max(map(len, lines))), size * _LEADING
        rows += _set_lines(glyphs, lines, (x0, (top + bottom - height * len(lines)) / 2), size, step, height, -1)
    _append(glyphs, rows)


def _set_lines(
    glyphs: Glyphs, lines: Sequence[str], corner: tuple[float, float], size: float, step: float, height: float, content_id: int
) -> list[dict[str, NDArray[np.floating]]]:
    """Return the glyphs of lines of text whose top left is at `corner`, as columns for each line. Their style is added to `glyphs`.
    size: type size; step: advance of each character; height: of a line; all in points."""
    x0, top = corner
    glyphs.styles.append(FontStyle("", round(size, 1)))
    rows: list[dict[str, NDArray[np.floating]]] = []
    for number, line in enumerate(lines):
        start, baseline, same = (
            x0 + step * np.arange(len(line)),
            top + height * (number + 1) - (_LEADING - _ASCENT) * size,
            np.ones(len(line)),
        )
        if holds_rtl(line):
            start = start[::-1]
        rows.append({
            "unicode": np.array(list(map(ord, line)), np.float64),
            "x0": start, "top": same * (baseline - _ASCENT * size), "x1": start + step, "bottom": same * (baseline + (1 - _ASCENT) * size),
            "origin_x": start, "origin_y": same * baseline, "angle": 0 * same, "style": same * (len(glyphs.styles) - 1),
            "mcid": same * content_id, "flags": 0 * same,
        })  # fmt: skip
    return rows


def _type_size(glyphs: Glyphs) -> float:
    return float(np.median(glyphs.sizes())) if len(glyphs.style) else math.inf


def _plain(text: str) -> str:
    return "".join(text.split())


def _differences(drawn: str, text: str) -> Iterator[tuple[slice, str]]:
    """Yield the differences of two texts: a slice of the drawn characters, and what replaces it. Missing spaces are no difference."""
    if len(drawn) * len(text) > _COMPARED:
        yield slice(0, len(drawn)), text
        return
    from difflib import SequenceMatcher  # few documents have such text, and it takes 5 ms to load

    for kind, start, end, first, last in SequenceMatcher(None, drawn, text, autojunk=False).get_opcodes():
        characters = text[first:last]
        if kind == "insert" and characters.strip():
            # It is added to the character before it, or at the beginning to the next one.
            yield (slice(start - 1, start), drawn[start - 1] + characters) if start else (slice(0, 1), characters + drawn[0])
        elif kind in ("replace", "delete"):
            yield slice(start, end), characters


def _ends_line(glyphs: Glyphs, members: NDArray[np.intp], end: int) -> bool:
    return end < len(members) and bool(glyphs.origin_y[members[end - 1]] != glyphs.origin_y[members[end]])


def _assign(glyphs: Glyphs, members: NDArray[np.intp], part: slice, text: str, changed: dict[int, str]) -> None:
    """Divide a replacement text evenly among the glyphs `members[part]`, in place. changed: receives the new text of each, by index."""
    places = members[part]
    rtl = holds_rtl(text)
    if rtl:  # places in the order of reading
        places = places[np.lexsort((-glyphs.x0[places], glyphs.origin_y[places]))]
    holder = int(members[part.start - 1]) if part.start else -1
    for index, place in enumerate(places.tolist()):
        characters = text[-(-index * len(text) // len(places)) : -(-(index + 1) * len(text) // len(places))]
        changed[place] = characters
        if characters:
            holder = place
        elif holder >= 0 and glyphs.angle[place] == 0 and glyphs.origin_y[place] == glyphs.origin_y[holder]:
            glyphs.x0[holder], glyphs.x1[holder] = min(glyphs.x0[holder], glyphs.x0[place]), max(glyphs.x1[holder], glyphs.x1[place])
