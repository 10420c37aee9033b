"""Choose the title of the document, mainly from its first page. Metadata only confirm it, because they often contain a file name or a
program's default."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Final

from pdfmill.schemas.statistics import Candidate, DocumentStyle, PageNotes
from pdfmill.transforms.language.language_words import alternatives
from pdfmill.transforms.layout.page.patterns import is_abstract, names_contents, numbering_depth, title_key
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: Text that is no title: file names, paths, addresses, identifiers, default titles of programs, placeholders of templates, and stamps.
_MAKER: Final = re.compile(r"^microsoft\s+(?:office\s+)?(?:word|powerpoint|excel|publisher)\s+-\s+", re.IGNORECASE)
_FILE: Final = re.compile(
    r"\.(?:docx?m?|dotx?|pptx?m?|xlsx?m?|pdf|indd|qxd|pmd|pub|od[tpsg]|tex|dvi|e?ps|ai|cdr|dwg|svg|rtf|txt|md|rst|ipynb|html?|xhtml|php|aspx?|jsp|tiff?|jpe?g|png|wpd?|pages|key|vsdx?|sx[wic]|hwp|wps|lyx|dxf)\b"
    r"|^[a-z]:[\\/]|\\|^(?:/|file:|https?:|www\.|about:)|\w_\w|^[\da-f-]{16,}$|^\S*\d\S*$|^[a-z]+(?:-[a-z\d]+)+$",
    re.IGNORECASE,
)
_DEFAULT: Final = re.compile(rf"^[\W_]*(?:{alternatives(lambda language: language.untitled)})[\W\d_]*$|\(use style:", re.IGNORECASE)


def choose_title(
    stated: str | None, style: DocumentStyle, notes: Mapping[int, PageNotes], settings: LayoutSettings = DEFAULTS
) -> tuple[str | None, str | None]:
    """Return the title of a document and its origin; both None if there is no title. The origin is "page" for a heading of the first page,
    "first_page" for the largest type of that page that is no heading, or "info" for the metadata. stated: the title in the metadata. notes:
    evidence of each page, by its number.

    A title in the metadata that equals large text of the first page is taken, with its spelling. Otherwise the page decides, and the
    metadata are used only if the page has no title.
    """
    stated_title = _clean(stated or "")
    if not notes:
        return (stated_title, "info") if stated_title else (None, None)
    first, *others = [notes[page] for page in sorted(notes)]
    large = [c for c in _large(first, style) if not _set_alike(c, others, settings)]
    agrees = bool(stated_title) and any(_agrees(stated_title, c.text) for c in large)
    heading = style.title if _leads(large, style, first, settings) else None
    title = stated_title if agrees else _largest(large, style, first, others, settings) or heading
    if title and style.title and _agrees(title, style.title):
        return title, "page"
    return (title, "info" if agrees else "first_page") if title else (stated_title, "info") if stated_title else (None, None)


def _clean(stated: str) -> str:
    """Return a title of the metadata without parts that programs add; empty if nothing is left.

    >>> _clean("Microsoft Word - final.docx"), _clean("Annual report 2019")
    ('', 'Annual report 2019')
    """
    title = " ".join(_MAKER.sub("", unicodedata.normalize("NFC", stated)).split())
    return "" if _FILE.search(title) or _DEFAULT.search(title) or not _letters(title) else title


def _letters(text: str) -> bool:
    """Return whether the text has a word of at least three letters, or two characters of a script in which single characters are words."""
    return bool(re.search(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7a3]{2}", text))


def _agrees(stated_title: str, shown: str) -> bool:
    return bool(title_key(stated_title)) and title_key(stated_title) == title_key(shown)


def _large(note: PageNotes, style: DocumentStyle) -> list[Candidate]:
    """Return possible titles on a page: text that is larger or heavier than running text, and is not in a running head or a table, nor a
    placeholder or a stamp."""
    body, furniture = style.body, style.furniture.get(note.page, {})
    return [
        c
        for c in note.candidates
        if body is not None
        and (c.look.size, c.look.bold) > (body.size, body.bold)
        and not (c.in_table or c.contents or any(line in furniture for line in c.lines))
        and _letters(c.text)
        and not _DEFAULT.search(c.text)
    ]


def _set_alike(title: Candidate, others: Sequence[PageNotes], settings: LayoutSettings) -> bool:
    """Return whether several other pages have text in the title's style at the title's height, like slides and chapters, which begin with
    their own heading. others: the other pages."""
    near = settings.title_height * title.look.size
    alike = sum(any(c.look == title.look and abs(c.top - title.top) < near for c in note.candidates) for note in others)
    return alike >= settings.title_alike


def _leads(large: Sequence[Candidate], style: DocumentStyle, page: PageNotes, settings: LayoutSettings) -> bool:
    """Return whether the heading that was chosen as the title is among the possible titles `large`, and near the top of the first page."""
    lines = {line for mark in style.headings.get(page.page, ()) if mark.role == "title" for line in mark.lines}
    return any(lines.intersection(c.lines) and min(c.lines) < settings.title_lines for c in large)


def _largest(
    large: Sequence[Candidate], style: DocumentStyle, page: PageNotes, others: Sequence[PageNotes], settings: LayoutSettings
) -> str | None:
    """Return the text in the largest type of the first page, if it is a title: much larger than running text, without a number, near the
    top of the page, and in a style in which other pages have no headings; else None. large: possible titles on the first page. others: the
    other pages."""
    if style.body is None or not large:
        return None
    size = max(c.look.size for c in large)
    same = [c for c in large if c.look.size >= settings.title_same * size]
    heads = {line for mark in style.headings.get(page.page, ()) for line in mark.lines}
    first = next((c for c in same if heads.intersection(c.lines)), same[0])
    if size < settings.title_size * style.body.size or min(first.lines) >= settings.title_lines:
        return None
    if numbering_depth(first.text) or is_abstract(first.text) or names_contents(first.text) or _repeated(first, page, others, settings):
        return None
    rest = takewhile(lambda pair: _goes_on(*pair, settings), pairwise(same[same.index(first) :]))
    return " ".join([first.text, *(c.text for _, c in rest)])


def _repeated(title: Candidate, page: PageNotes, others: Sequence[PageNotes], settings: LayoutSettings) -> bool:
    """Return whether other pages, `others`, have headings in the title's style, and the first page, `page`, is no cover."""
    return (page.lines > settings.title_cover or page.width > page.height) and any(
        c.look.size >= settings.title_same * title.look.size and c.look[2:] == title.look[2:] and not _agrees(c.text, title.text)
        for note in others
        for c in note.candidates
    )


def _goes_on(above: Candidate, below: Candidate, settings: LayoutSettings) -> bool:
    """Return whether two groups of lines in the same style, one below the other, are one title."""
    gap = below.top - above.bottom
    return above.look == below.look and 0 <= gap <= settings.title_gap * above.look.size and not numbering_depth(below.text)
