"""Choose the title of the document, mainly from its first page. Metadata only confirm it: they often contain a file name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Final

from pdfmill.schemas.statistics import Candidate, Look, PageNotes
from pdfmill.transforms.language.language_words import alternatives
from pdfmill.transforms.layout.document.headings import Found
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
    stated: str | None,
    body: Look | None,
    furniture: Mapping[int, Mapping[int, str]],
    found: Sequence[Found],
    heading: Found | None,
    notes: Mapping[int, PageNotes],
    settings: LayoutSettings = DEFAULTS,
) -> tuple[str | None, str | None]:
    """Return the title of a document and its origin; both None if there is no title.
    The origin is "page" for a heading of the first page, "first_page" for its largest type if that is no heading, or "info" for metadata.
    stated: the title in the metadata, whose spelling is taken if the first page has the same words in large type. body: text style of
    running text. furniture: role of running heads and the like, by page and line. found: the headings. heading: the heading that looks like
    a title. notes: facts about each page, by page number."""
    stated_title = _clean(stated or "")
    if not notes or body is None:
        return (stated_title, "info") if stated_title else (None, None)
    first, *others = [notes[page] for page in sorted(notes)]
    large = _large(first, body, furniture.get(first.page, {}))
    if not _is_cover(first):
        large = [c for c in large if not _set_alike(c, others, settings)]
    agrees = bool(stated_title) and any(_agrees(stated_title, c.text) for c in large)
    shown = heading.text if heading is not None and _leads(large, heading, first, settings) else None
    title = stated_title if agrees else _largest(large, body, _heads(found, first), first, others, settings) or shown
    if title and heading is not None and _agrees(title, heading.text):
        return title, "page"
    return (title, "info" if agrees else "first_page") if title else (stated_title, "info") if stated_title else (None, None)


def with_title(
    title: str | None, heading: Found | None, found: Sequence[Found], notes: Mapping[int, PageNotes]
) -> tuple[Found | None, list[Found]]:
    """Return the heading that is the title of the document, and all headings with it. A title that is no heading yet becomes one.
    title: the title that was chosen. heading: the heading that looks like a title, or None. found: all headings."""
    run = _shown(title, notes)
    if not run or (heading is not None and _agrees(title or "", heading.text)):
        return heading, list(found)
    first, lines = run[0], tuple(line for c in run for line in c.lines)
    page = min(notes)
    whole = first._replace(lines=lines, text=" ".join(c.text for c in run), bottom=run[-1].bottom, gap_below=run[-1].gap_below)
    new = Found(page, whole, first.look, 0, text=whole.text)
    rest = [f for f in found if f.page != page or (f is not heading and not set(lines).intersection(f.candidate.lines))]
    return new, [new, *rest]


def _shown(title: str | None, notes: Mapping[int, PageNotes]) -> list[Candidate]:
    """Return the groups of lines of the first page that are the title; [] if it is not there."""
    candidates = notes[min(notes)].candidates if title and notes else ()
    for n, first in enumerate(candidates):
        run: list[Candidate] = []
        for c in candidates[n:]:
            if c.look != first.look:
                break
            run.append(c)
            if _agrees(title or "", " ".join(each.text for each in run)):
                return run
    return []


def _heads(found: Sequence[Found], page: PageNotes) -> set[int]:
    return {line for f in found if f.page == page.page for line in (*f.extra, *f.candidate.lines)}


def _clean(stated: str) -> str:
    """Return a title of the metadata without parts that programs add; empty if nothing is left.

    >>> _clean("Microsoft Word - final.docx"), _clean("Annual report 2019")
    ('', 'Annual report 2019')
    """
    title = " ".join(_MAKER.sub("", unicodedata.normalize("NFC", stated)).split())
    return "" if _FILE.search(title) or _DEFAULT.search(title) or not _letters(title) else title


def _letters(text: str) -> bool:
    """Return whether the text has a word of three letters, or two characters of a script in which single characters are words."""
    return bool(re.search(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7a3]{2}", text))


def _agrees(stated_title: str, shown: str) -> bool:
    return bool(title_key(stated_title)) and title_key(stated_title) == title_key(shown)


def _large(note: PageNotes, body: Look, furniture: Mapping[int, str]) -> list[Candidate]:
    """Return possible titles on a page: text larger or heavier than running text, outside of running heads and tables."""
    return [
        c
        for c in note.candidates
        if (c.look.size, c.look.bold) > (body.size, body.bold)
        and not (c.in_table or c.contents or any(line in furniture for line in c.lines))
        and _letters(c.text)
        and not _DEFAULT.search(c.text)
    ]


def _set_alike(title: Candidate, others: Sequence[PageNotes], settings: LayoutSettings) -> bool:
    """Return whether several other pages have text in the style of this possible title and as far from the top of the page, as slides and
    the first pages of chapters do."""
    near = settings.same_place * title.look.size
    alike = sum(any(c.look == title.look and abs(c.top - title.top) < near for c in note.candidates) for note in others)
    return alike > 1


def _leads(large: Sequence[Candidate], heading: Found, page: PageNotes, settings: LayoutSettings) -> bool:
    lines = _heads([heading], page)
    return any(lines.intersection(c.lines) and min(c.lines) < settings.few_lines for c in large)


def _largest(
    large: Sequence[Candidate], body: Look, heads: set[int], page: PageNotes, others: Sequence[PageNotes], settings: LayoutSettings
) -> str | None:
    """Return the text in the largest type of the first page, if it is large enough for a title and other pages have no headings like it."""
    if not large:
        return None
    size = max(c.look.size for c in large)
    same = [c for c in large if c.look.size >= (1 - settings.same_size) * size]
    first = next((c for c in same if heads.intersection(c.lines)), same[0])
    if size < settings.title_size * body.size or min(first.lines) >= settings.few_lines:
        return None
    if numbering_depth(first.text) or is_abstract(first.text) or names_contents(first.text) or _repeated(first, page, others, settings):
        return None
    rest = takewhile(lambda pair: _goes_on(*pair, settings), pairwise(same[same.index(first) :]))
    return " ".join([first.text, *(c.text for _, c in rest)])


def _is_cover(page: PageNotes) -> bool:
    """Return whether a page has no running text, and is no slide."""
    return sum(len(c.lines) for c in page.candidates) == page.lines and page.width <= page.height


def _repeated(title: Candidate, page: PageNotes, others: Sequence[PageNotes], settings: LayoutSettings) -> bool:
    """Return whether other pages have headings in the title's style, and the first page is no cover."""
    return (page.lines > settings.few_lines or page.width > page.height) and any(
        c.look.size >= (1 - settings.same_size) * title.look.size and c.look[2:] == title.look[2:] and not _agrees(c.text, title.text)
        for note in others
        for c in note.candidates
    )


def _goes_on(above: Candidate, below: Candidate, settings: LayoutSettings) -> bool:
    """Return whether two groups of lines in the same style, one below the other, are one title, and not the title and its repetition."""
    gap = below.top - above.bottom
    return above.look == below.look and not _agrees(above.text, below.text) and 0 <= gap <= settings.usual_spacing * above.look.size
