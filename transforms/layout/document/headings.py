"""Find the headings among the candidates, choose between these and tagged headings, and find the title of the document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pdfmill.schemas.statistics import Candidate, DocumentStatistics, HeadingMark, HeadingStyle, Look, LookCount, PageNotes
from pdfmill.transforms.layout.document.listed_headings import listed_headings
from pdfmill.transforms.layout.page.columns import Gutter
from pdfmill.transforms.layout.page.patterns import CHAPTER_ONLY, numbering_depth, title_key
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: An entry of the outline: title, level, page number.
OutlineItem = tuple[str, int, int | None]


class Found(Struct):
    """A candidate that was accepted as a heading. key: its text style, equal for styles that differ by rounding only. depth: parts of its
    number, 0 without one. extra: lines of a chapter's number above the heading."""

    page: int
    candidate: Candidate
    key: Look  # its text style, equal for styles that differ by rounding only
    depth: int  # depth of its number, 0 without one
    extra: tuple[int, ...] = ()  # indices of the lines of a chapter's number above it
    text: str = ""  # with the chapter's number


class HeadingFinder:
    """The facts about one document by which its candidates for headings are judged: body text, outline, columns and running heads."""

    def __init__(
        self,
        statistics: DocumentStatistics,
        body: Look,
        spacing: float,
        gutters: Sequence[Gutter],
        furniture: Mapping[int, Mapping[int, str]],
        indented: bool = False,
        outline: Sequence[OutlineItem] = (),
        settings: LayoutSettings = DEFAULTS,
    ) -> None:
        self.statistics = statistics
        self.body = body
        self.spacing = spacing if spacing > 0 else settings.usual_spacing * body.size
        self.gutters = gutters
        self.furniture = furniture
        self.indented = indented
        #: (page, title) of the entries of the outline and of the document's table of contents
        self.outlined = {(page, title_key(title)) for title, _, page in outline if page is not None and title_key(title)}
        self.outlined |= listed_headings(statistics.notes)
        self.settings = settings
        looks = _with_titles(statistics)
        self.canonical = _cluster(looks, settings)
        self.counts: dict[Look, LookCount] = defaultdict(LookCount)
        for look, count in looks.items():
            key = self.canonical[look]
            self.counts[key] = self.counts[key].plus(count)
        pages = statistics.notes.values()
        self.slides = (
            bool(pages)
            and 2 * sum(n.width > n.height for n in pages) > len(pages)
            and all(settings.slide_size * body.size > n.height for n in pages)
        )

    def is_apart(self, c: Candidate) -> bool:
        s = self.settings
        return c.gap_above < 0 or c.gap_above > s.heading_gap * max(self.spacing, self.body.size)

    def find_tagged(self) -> list[Found]:
        """Return the headings stated by tags, in page order, without running heads."""
        return [
            Found(page, c, self.canonical.get(c.look, c.look), numbering_depth(c.text), text=c.text)
            for page, note in sorted(self.statistics.notes.items())
            for c in note.tagged
            if any(map(str.isalnum, c.text)) and not any(line in self.furniture.get(page, {}) for line in c.lines)
        ]

    def distinct(self, found: Sequence[Found]) -> int:
        """Return how many of these headings differ from running text by text style, number, or space above."""
        return sum(prominence(f.key, self.body, self.settings) is not None or f.depth > 0 or self.is_apart(f.candidate) for f in found)

    def is_contents(self, note: PageNotes) -> bool:
        """Return whether the page is part of a table of contents or an index."""
        return note.heads_contents or note.contents_lines >= max(self.settings.contents_lines, self.settings.contents_share * note.lines)

    def has_mates(self, c: Candidate) -> bool:
        """Return whether other text is on the candidate's row in the same column, as beside a table cell, a definition or a form label."""
        before = c.before >= 0 and not self.is_gutter(c.before, c.x0)
        after = c.after >= 0 and not self.is_gutter(c.x1, c.after)
        return before or after

    def is_gutter(self, left: float, right: float) -> bool:
        return any(left <= (a + b) / 2 <= right for a, b in self.gutters)


def weigh_tagged(
    plain: list[Found], tagged: list[Found], distinct: int, title: Found | None, settings: LayoutSettings = DEFAULTS
) -> tuple[list[Found], str, str]:
    """Choose between headings found by text style, `plain`, and headings stated by tags, `tagged`.
    Return the headings, how they were found ("looks" for text styles, "tags" or "both"), and why tags were refused, or "".
    distinct: number of tagged headings that differ from running text. title: the title among those found by style, or None."""
    if not tagged:
        return plain, "looks", ""
    if 2 * distinct < len(tagged):
        return plain, "looks", f"{len(tagged) - distinct} of {len(tagged)} tagged headings look like running text"
    lines = {(f.page, line) for f in tagged for line in f.candidate.lines}
    further = [f for f in plain if not any((f.page, line) in lines for line in (*f.extra, *f.candidate.lines))]
    if 2 * len(further) <= len(plain):
        return sorted([*tagged, *(f for f in further if f is title)], key=lambda f: (f.page, f.candidate.top)), "tags", ""
    both = sorted([*tagged, *further], key=lambda f: (f.page, f.candidate.top))
    return both, "both", f"{len(further)} of {len(plain)} lines that look like headings are not tagged as headings"


def prominence(look: Look, body: Look, settings: LayoutSettings) -> str | None:
    """Return how a text style differs from the body: "size", "bold", "caps", "italic", "family" or "color"; None if it does not."""
    ratio = look.size / body.size if body.size else 1.0
    if look.monospaced and not body.monospaced:
        return "size" if ratio >= settings.large_size else None
    if ratio >= settings.heading_size:
        return "size"
    if look.bold and not body.bold and (ratio >= settings.bold_size or (ratio >= settings.small_bold and look.family != body.family)):
        return "bold"
    if look.caps and not body.caps and ratio >= settings.bold_size:
        return "caps"
    if ratio * settings.heading_size < 1:
        return None
    if look.italic != body.italic:
        return "italic"
    if look.family != body.family:
        return "family"
    if look.color != body.color:
        return "color"
    return None


def _with_titles(statistics: DocumentStatistics) -> dict[Look, LookCount]:
    """Return counts by text style, with the styles of titles that are counted in the style of a label above them."""
    looks = dict(statistics.looks)
    for note in statistics.notes.values():
        for c in (c for c in note.candidates if c.look not in statistics.looks):
            one = LookCount(len(c.text), len(c.lines), 1, 1)
            looks[c.look] = looks[c.look].plus(one) if c.look in looks else one
    return looks


def _cluster(looks: Mapping[Look, LookCount], settings: LayoutSettings) -> dict[Look, Look]:
    """Return for each text style the most frequent one that is equal except for rounding of its size."""
    canonical: dict[Look, Look] = {}
    kinds: dict[tuple[object, ...], list[Look]] = defaultdict(list)
    for look in sorted(looks, key=lambda k: (-looks[k].chars, k)):
        kind = (look.family, look.bold, look.italic, look.monospaced, look.caps, look.color)
        for known in kinds[kind]:
            if abs(known.size - look.size) <= settings.same_size * known.size:
                canonical[look] = known
                break
        else:
            kinds[kind].append(look)
            canonical[look] = look
    return canonical


def join_chapters(found: list[Found], settings: LayoutSettings = DEFAULTS) -> list[Found]:
    """Return the headings, with "Chapter 3" and the title below it joined to one heading."""
    joined: list[Found] = []
    for one in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and CHAPTER_ONLY.match(last.text)
            and not numbering_depth(one.text)
            and 0 < one.candidate.top - last.candidate.bottom < settings.number_gap * one.candidate.look.size
            and one.candidate.look.size >= settings.title_of_largest * last.candidate.look.size
        ):
            text = f"{last.text} {one.text}"
            joined[-1] = Found(one.page, one.candidate, one.key, 1, (*last.candidate.lines, *last.extra), text)
            continue
        joined.append(one)
    return joined


def find_title(found: Sequence[Found], body: Look, settings: LayoutSettings = DEFAULTS) -> Found | None:
    """Return the title of the document: the largest heading of the first page with headings; None if other headings are like it."""
    if not found or found[0].page > settings.title_pages:
        return None
    first = [f for f in found if f.page == found[0].page]
    best = max(first, key=lambda f: (f.candidate.look.size, -f.candidate.top))
    rest = [f for f in found if f is not best]
    if not rest or best.candidate.look.size > (1 + settings.same_size) * max(f.candidate.look.size for f in rest):
        return best if best.candidate.look.size > settings.heading_size * body.size and not numbering_depth(best.text) else None
    top = found[0]
    once = sum(f.key == top.key for f in found) == 1 and len(found) > 2 and top.candidate.gap_above < 0
    large = max(settings.title_size * body.size, settings.title_of_largest * best.candidate.look.size)
    if once and top.candidate.look.size >= large and not numbering_depth(top.text):
        return top
    if len(found) > 1 and same_text(top.text, found[1].text):
        return top
    if top.candidate.look.size < best.candidate.look.size or numbering_depth(top.text) or not is_centred(top.candidate, settings):
        return None
    return top if not any(is_centred(f.candidate, settings) for f in found[1:]) and len(found) > 2 else None


def same_text(a: str, b: str) -> bool:
    return a.casefold().split() == b.casefold().split()


def is_centred(c: Candidate, settings: LayoutSettings = DEFAULTS) -> bool:
    before, after, space = c.x0 - c.margin, c.edge - c.x1, settings.centred * c.look.size
    return before > space and after > space and abs(before - after) < space


def is_right_below(above: Candidate, below: Candidate) -> bool:
    """Return whether `below` follows `above` with no line between, and no more white space than `below` has above it anywhere."""
    return below.gap_above > 0 and below.bottom - above.bottom > 0 and below.top - above.bottom <= below.gap_above


def heading_styles(marks: Sequence[tuple[Found, int]]) -> tuple[HeadingStyle, ...]:
    """Return the styles of the headings, sorted by level and number of uses. marks: headings with their levels."""
    uses = Counter(HeadingStyle(level, f.candidate.font.font, round(f.candidate.look.size, 1), f.candidate.look.bold) for f, level in marks)
    return tuple(
        style for style, _ in sorted(uses.items(), key=lambda item: (item[0].level, -item[1], item[0].font, item[0].size, item[0].bold))
    )


def to_marks(found: Sequence[Found], levels: Sequence[int], title: Found | None) -> dict[int, tuple[HeadingMark, ...]]:
    """Return the headings by page number, as `HeadingMark`."""
    marks: dict[int, list[HeadingMark]] = defaultdict(list)
    for f, level in zip(found, levels, strict=True):
        role = "title" if f is title else "heading"
        marks[f.page].append(HeadingMark(f.page, (*f.extra, *f.candidate.lines), level, f.text, role))
    return {page: tuple(each) for page, each in marks.items()}
