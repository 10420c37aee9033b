"""Measure features for and against a group of lines being a heading. Each is a number from 0 to 1, or a small measure.
Some describe all uses of the text style in the document, the others the single occurrence. `heading_judge` weighs them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field

from pdfmill.schemas.statistics import Candidate, Look, PageNotes
from pdfmill.transforms.layout.document.bylines import bylines
from pdfmill.transforms.layout.document.headings import HeadingFinder, is_centred, is_right_below, prominence
from pdfmill.transforms.layout.page.formulas import is_math_font
from pdfmill.transforms.layout.page.patterns import BULLET, ENDS_STOP, is_formula, number_of, numbering_depth, starts_lower, title_key
from pdfmill.transforms.layout.page.text_style import same_look

#: Usual heading lengths; a longer text counts as this long.
_MOST_LENGTH: Final = 2.0
#: Descriptions of the signs, by name, for reasons of decisions.
SIGNS: Final[dict[str, str]] = {
    # Type
    "size": "size against the body",
    "bold": "bold, the body is not",
    "other_font": "in another font than the body",
    "other_color": "in another colour than the body",
    "plain": "looks like the body",
    "small_plain": "small and not bold",
    # Place
    "end_of_column": "last in its column",
    "tight_below": "tight to what follows",
    "heads_near_body": "body text follows closely",
    "before_same": "the same look follows",
    "after_same": "the same look precedes",
    "before_larger": "above larger type",
    "mates": "other text on its row",
    "in_table": "in a ruled table",
    "flush": "flush with its column",
    "indented": "indented",
    "wide": "takes most of its column",
    "furniture": "classified as a running head or foot",
    "own_words": "classified as a running head, but its text occurs once",
    # Text
    "length": "length",
    "numbered_deep": "numbered in several parts",
    "stop": "ends in a full stop",
    "colon": "ends in a colon",
    "comma": "ends in a comma",
    "lower": "begins with a small letter",
    "no_words": "few letters",
    "bullet": "begins with a bullet",
    "address": "an address of the web or of mail",
    "formula": "signs of formulas or code",
    "math_font": "in a font of mathematics",
    "enumeration": "several commas",
    "caption": "begins as a caption",
    "contents_page": "on a page of contents",
    "impure": "bold gives way to plain text",
    "gapped": "wide gaps between its words",
    "repeated_often": "the same text occurs in several places",
    # Look
    "look_once": "its look is used once",
    "look_uses": "uses of its look a page",
    "look_share": "share of the text in its look",
    "look_heads": "texts in its look are above body text",
    "look_mates": "texts in its look share rows",
    "look_tables": "texts in its look are in tables",
    "look_nearer": "texts in its look are nearer to what follows",
    "look_flush": "texts in its look are flush",
    "stacked_under": "right under the same look",
    "row": "beside others of its look on one row",
    "counted": "its number is next to another's in its look",
    "under_number": "its number goes on from one set off from the text",
    "largest": "of the document's largest type",
    "largest_first": "of the first page's largest type",
    # Together
    "bold_apart": "bold with space above",
    "larger_apart": "larger with space above",
    "numbered_apart": "numbered with space above",
    "bold_lower": "bold and begins small",
    "named": "named by the outline or by a table of contents",
}  # fmt: skip

#: A sign that has no weight, because only a refusal reads it: whether the text below the title names authors, or gives a date or version.
BYLINE: Final = "byline"

_ADDRESS: Final = re.compile(r"https?:|www\.|@|doi", re.IGNORECASE)
_CODE: Final = re.compile(r"[{}\[\]\\<>=|$#_^∈∑]")


class SignSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds of the signs (features of headings); the weights of the signs are trained."""

    sizes: tuple[float, float] = (0.6, 3.0)  # smallest and largest ratio to the body's size; values outside count as these
    tight: float = 1.05  # line spacings, up to which a line is set tight
    far: float = 2.5  # line spacings, from which a line is set apart
    indent: float = 1.5  # em; smallest distance from the margin of an indented line
    chars: float = 80.0  # characters, the unit of length
    repeats: int = 3  # number of positions of one text from which the text is repeated
    most_uses: float = 4.0  # largest number of uses of a text style per page; more count as this
    share: float = 5.0  # factor of the share of text in a style: a fifth of all text counts as much as all of it


DEFAULTS: Final = SignSettings()


class Occurrence(NamedTuple):
    """A candidate for a heading, with the notes on its page. key: its text style, equal for styles that differ by rounding only."""

    note: PageNotes
    candidate: Candidate
    key: Look  # its text style, equal for styles that differ by rounding only


class _Uses(Struct):
    """How many candidates have a text style, and how many of them have a property, by its name."""

    n: int = 0  # number of candidates
    counts: dict[str, int] = field(default_factory=dict)  # number of candidates by property

    def share(self, name: str) -> float:
        return self.counts.get(name, 0) / self.n


class SignReader:
    """Computes the signs (features) of the candidates for headings of one document."""

    def __init__(self, finder: HeadingFinder, occurrences: Sequence[Occurrence], settings: SignSettings = DEFAULTS) -> None:
        self.finder, self.settings, self.layout = finder, settings, finder.settings
        self.body, self.spacing = finder.body, finder.spacing or 1.0  # none where all type has no size
        self.pages = max(1, len(finder.statistics.notes))
        self.first = min(finder.statistics.notes, default=1)
        self.bylines = bylines(finder.statistics.notes)
        self.chars = sum(count.chars for count in finder.counts.values()) or 1
        self.texts = Counter(title_key(o.candidate.text) for o in occurrences)
        self.uses: dict[Look, _Uses] = defaultdict(_Uses)
        for o in occurrences:
            self._count(o)
        self.heads = Counter(title_key(o.candidate.text) for o in occurrences if self._is_furniture(o))
        self.rows = Counter(map(_row, occurrences))
        self.numbers = {(o.key, number) for o in occurrences if (number := number_of(o.candidate.text))}
        self.known = {number for _, number in self.numbers}
        self.set_off = {
            number for o in occurrences if (number := number_of(o.candidate.text)) and prominence(o.key, self.body, self.layout) is not None
        }
        self.largest = max((o.key.size for o in occurrences), default=0.0)
        self.largest_first = max((o.candidate.look.size for o in occurrences if o.note.page == self.first), default=0.0)

    def _count(self, o: Occurrence) -> None:
        c, uses = o.candidate, self.uses[o.key]
        uses.n += 1
        for name, holds in (
            ("heads", self._heads(c) and c.gap_below <= self.settings.far * self.spacing),
            ("flush", c.x0 - c.margin < self.body.size / 2),
            ("mates", self.finder.has_mates(c)),
            ("tables", c.in_table),
            ("nearer", c.gap_above > c.gap_below or c.gap_above < 0),
        ):
            if holds:
                uses.counts[name] = uses.counts.get(name, 0) + 1

    def _heads(self, c: Candidate) -> bool:
        return c.look_below is not None and same_look(c.look_below, self.body, self.layout.same_size)

    def _is_furniture(self, o: Occurrence) -> bool:
        return not self.finder.furniture.get(o.note.page, {}).keys().isdisjoint(o.candidate.lines)

    def _is_counted(self, o: Occurrence) -> bool:
        number = number_of(o.candidate.text)
        return bool(number) and any((o.key, (*number[:-1], number[-1] + step)) in self.numbers for step in (-1, 1))

    def _is_under_number(self, o: Occurrence) -> bool:
        """Return whether the number continues a numbering: "1.1" if a heading "1" differs in style from the text, "1.2" after "1.1"."""
        number = number_of(o.candidate.text)
        before = (*number[:-1], number[-1] - 1) if number else ()
        return len(number) > 1 and number[:-1] in self.set_off and (number[-1] == 1 or before in self.known)

    def read(self, o: Occurrence, before: Occurrence | None) -> dict[str, float]:
        """Return the signs (features) of a candidate by name. before: the candidate before it on its page; None for the first."""
        signs: dict[str, float] = {}
        signs |= self._type(o)
        signs |= self._place(o)
        signs |= self._page(o)
        signs |= self._text(o)
        signs |= self._words(o)
        signs |= self._look(o, before)
        signs[BYLINE] = o.note.page == self.first and o.candidate.lines in self.bylines
        larger = o.key.size >= self.layout.heading_size * (self.body.size or 1.0)
        signs |= _together(signs, larger, self.finder.is_apart(o.candidate), numbering_depth(o.candidate.text) > 0)
        return signs

    def _type(self, o: Occurrence) -> dict[str, float]:
        s, key, body = self.settings, o.key, self.body
        ratio = key.size / (body.size or 1.0)
        bold = key.bold and not body.bold
        return {
            "size": min(max(ratio, s.sizes[0]), s.sizes[1]) - 1,
            "bold": bold,
            "other_font": key.family != body.family,
            "other_color": key.color != body.color,
            "plain": prominence(key, body, self.layout) is None,
            "small_plain": ratio * self.layout.heading_size < 1 and not key.bold,
        }

    def _place(self, o: Occurrence) -> dict[str, float]:
        s, c, spacing, same = self.settings, o.candidate, self.spacing, self.layout.same_size
        heads = self._heads(c)
        return {
            "end_of_column": c.gap_below < 0,
            "tight_below": 0 <= c.gap_below < s.tight * spacing,
            "heads_near_body": heads and c.gap_below <= s.far * spacing,
            "before_same": c.look_below is not None and same_look(c.look_below, c.look, same),
            "after_same": c.look_above is not None and same_look(c.look_above, c.look, same),
            "before_larger": c.look_below is not None and c.look_below.size > s.tight * o.key.size,
            "mates": self.finder.has_mates(c),
            "in_table": c.in_table,
        }

    def _page(self, o: Occurrence) -> dict[str, float]:
        s, c = self.settings, o.candidate
        indent, width, em, centred = c.x0 - c.margin, c.edge - c.margin, self.body.size, is_centred(c, self.layout)
        furniture = self._is_furniture(o)
        return {
            "flush": indent < em / 2,
            "indented": indent > s.indent * em and not centred,
            "wide": c.x1 - c.x0 > self.layout.wide_line * width > 0,
            "furniture": furniture,
            "own_words": furniture and self.heads[title_key(c.text)] == 1,
        }

    def _text(self, o: Occurrence) -> dict[str, float]:
        text = o.candidate.text
        return {
            "length": min(len(text) / self.settings.chars, _MOST_LENGTH),
            "numbered_deep": numbering_depth(text) > 1,
            "stop": bool(ENDS_STOP.search(text)),
            "colon": text.endswith(":"),
            "comma": text.endswith((",", ";")),
            "lower": starts_lower(text),
        }

    def _words(self, o: Occurrence) -> dict[str, float]:
        s, c, text = self.settings, o.candidate, o.candidate.text
        places = self.texts[title_key(text)]
        return {
            "no_words": 2 * sum(map(str.isalpha, text)) < len(text.replace(" ", "")),
            "bullet": bool(BULLET.match(text)),
            "address": bool(_ADDRESS.search(text)),
            "formula": is_formula(text) or bool(_CODE.search(text)),
            "math_font": is_math_font(c.font.font),
            "enumeration": text.count(",") > 1,
            "caption": c.caption,
            "contents_page": self.finder.is_contents(o.note),
            "impure": not c.pure,
            "gapped": c.gapped,
            "repeated_often": places > s.repeats,
        }

    def _look(self, o: Occurrence, before: Occurrence | None) -> dict[str, float]:
        s, c, key, uses, count = self.settings, o.candidate, o.key, self.uses[o.key], self.finder.counts[o.key]
        near = self.layout.stack_gap * key.size
        return {
            "look_once": uses.n == 1,
            "look_uses": min(uses.n / self.pages, s.most_uses),
            "look_share": min(s.share * count.chars / self.chars, 1.0),
            "look_heads": uses.share("heads"),
            "look_mates": uses.share("mates"),
            "look_tables": uses.share("tables"),
            "look_nearer": uses.share("nearer"),
            "look_flush": uses.share("flush"),
            "stacked_under": before is not None and before.key == key and is_right_below(before.candidate, c) and c.gap_above <= near,
            "row": self.rows[_row(o)] > 1 and self.finder.has_mates(c),
            "counted": self._is_counted(o),
            "under_number": self._is_under_number(o),
            "largest": key.size >= max(self.largest, self.layout.heading_size * self.body.size),
            "largest_first": o.note.page == self.first and key.size >= self.largest_first,
            "named": (o.note.page, title_key(c.text)) in self.finder.outlined,
        }


def _row(o: Occurrence) -> tuple[int, Look, int]:
    return o.note.page, o.key, round(o.candidate.bottom)


def _together(signs: dict[str, float], larger: bool, apart: bool, numbered: bool) -> dict[str, float]:
    """Return features that combine two others, because both together count more than their sum. larger: larger than the body. apart: with
    space above."""
    return {
        "bold_apart": signs["bold"] and apart,
        "larger_apart": larger and apart,
        "numbered_apart": numbered and apart,
        "bold_lower": signs["bold"] and signs["lower"],
    }
