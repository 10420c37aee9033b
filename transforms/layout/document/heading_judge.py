"""Which candidates are headings? The signs for and against each are weighed and added up: a logistic regression, no sign decides alone.

The weights were learned on documents with gold by `benchmarks/train_headings.py`; what the file's outline names is a heading in any case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import mul
from typing import Final, NamedTuple

from pdfmill.schemas.records import Why
from pdfmill.schemas.statistics import Candidate, PageNotes
from pdfmill.transforms.layout.document.heading_signs import SIGNS, Occurrence, SignReader
from pdfmill.transforms.layout.document.heading_weights import BIAS, WEIGHTS
from pdfmill.transforms.layout.document.headings import Found, HeadingFinder, find_title, join_chapters
from pdfmill.transforms.layout.page.patterns import ends_in_page_number, is_formula, numbering_depth, title_key


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How signs become a decision."""

    threshold: float = -0.1  # log odds; from -.2 to .2 scores are alike with kinds left out, and a missed heading costs a search more
    told: int = 4  # signs named to whom asks why
    margin: float = 1.0  # em from the column's limit up to which a page number stands at it


DEFAULTS: Final = JudgeSettings()


class Guard(NamedTuple):
    """What no sum of signs may outweigh. says: why, for whom asks."""

    name: str
    says: str
    refuses: Callable[[Occurrence, Mapping[str, float]], bool]


def _leads_to_page(c: Candidate) -> bool:
    """It ends in a number at the column's limit, as entries of a table of contents do with dots and without."""
    return ends_in_page_number(c.text) and c.edge - c.x1 <= DEFAULTS.margin * c.look.size


#: Asked in this order of what the plain rules do not take themselves.
GUARDS: Final = (
    Guard("running_head", "repeats where running heads and feet do", lambda o, signs: bool(signs["furniture"] and not signs["own_words"])),
    Guard("formula", "signs of formulas and hardly a word", lambda o, signs: is_formula(o.candidate.text)),
    Guard("authors", "names with the marks of their affiliations", lambda o, signs: bool(signs["authors"])),
    Guard("half", "a bracket is closed or opened on another line", lambda o, signs: bool(signs["open_bracket"])),
    Guard("plain", "looks like the body, and no number counts it",
          lambda o, signs: bool(signs["plain"] and not signs["counted"] and not signs["numbered_deep"])),
    Guard("entry", "leads to a page's number, on a page of such lines",
          lambda o, signs: bool(signs["contents_page"]) and _leads_to_page(o.candidate)),
    Guard("figures", "numbers beside others on a row, and hardly a letter",
          lambda o, signs: bool(signs["no_words"] and signs["digits"] and signs["mates"])),
    Guard("cells", "one of several of its look on a row", lambda o, signs: bool(signs["row"])),
    Guard("stack", "three and more of one look right below each other",
          lambda o, signs: bool(signs["stack"] and not signs["numbered"] and not signs["numbered_deep"])),
)  # fmt: skip


class Judged(NamedTuple):
    """The headings in page order; why each candidate is one or not, by page, where it was asked for."""

    found: list[Found]
    why: dict[int, tuple[Why, ...]]


def occurrences_of(finder: HeadingFinder) -> list[Occurrence]:
    """The candidates of a document in page order; a chapter's number and the title under it are one."""
    found = finder.find()
    title = find_title(found, finder.body, finder.settings)
    taken = {(f.page, line): f is title for f in found for line in (*f.extra, *f.candidate.lines)}
    return [
        Occurrence(
            note,
            c,
            finder.canonical[c.look],
            any((note.page, line) in taken for line in c.lines),
            any(taken.get((note.page, line)) for line in c.lines),
        )
        for _, note in sorted(finder.statistics.notes.items())
        for c in _joined(finder, note)
    ]


def _joined(finder: HeadingFinder, note: PageNotes) -> Iterator[Candidate]:
    tops = {c.lines: c.gap_above for c in note.candidates}
    every = [Found(note.page, c, finder.canonical[c.look], 0, text=c.text) for c in note.candidates]
    for f in join_chapters(every, finder.settings):
        above = tops.get(f.extra, f.candidate.gap_above)
        yield f.candidate._replace(text=f.text, lines=(*f.extra, *f.candidate.lines), gap_above=above) if f.extra else f.candidate


def signs_of(finder: HeadingFinder) -> list[tuple[Occurrence, dict[str, float]]]:
    """The signs of each candidate of a document."""
    occurrences = occurrences_of(finder)
    reader = SignReader(finder, occurrences)
    around = zip([None, *occurrences], occurrences, [*occurrences[1:], None], strict=False)
    return [(o, reader.read(o, _on_page(before, o), _on_page(after, o))) for before, o, after in around]


def _on_page(other: Occurrence | None, o: Occurrence) -> Occurrence | None:
    return other if other is not None and other.note.page == o.note.page else None


def weigh(signs: Mapping[str, float]) -> float:
    """The log odds that it is a heading."""
    weights: Iterator[float] = map(WEIGHTS.__getitem__, signs)
    parts: Iterator[float] = map(mul, weights, signs.values())
    return BIAS + sum(parts)


def judge_headings(finder: HeadingFinder, settings: JudgeSettings = DEFAULTS) -> Judged:
    """Judge all candidates of a document."""
    found: list[Found] = []
    why: dict[int, list[Why]] = defaultdict(list)
    for o, signs in signs_of(finder):
        page, c, score = o.note.page, o.candidate, weigh(signs)
        outlined = o.taken and (page, title_key(c.text)) in finder.outlined
        guard = None if o.taken else next((guard for guard in GUARDS if guard.refuses(o, signs)), None)
        taken = outlined or (guard is None and score >= settings.threshold)
        if taken:
            found.append(Found(page, c, o.key, numbering_depth(c.text), text=c.text))
        if finder.settings.explain:
            rule = "outline" if outlined else guard.name if guard else _main_sign(signs, taken)
            why[page].append(Why("heading", rule, c.lines, taken, guard.says if guard else _reasons(signs, score, settings)))
    return Judged(found, {page: tuple(each) for page, each in why.items()})


def _main_sign(signs: Mapping[str, float], taken: bool) -> str:
    """The sign that says most for the decision."""
    way = 1 if taken else -1
    return max(signs, key=lambda name: way * WEIGHTS[name] * signs[name])


def _reasons(signs: Mapping[str, float], score: float, settings: JudgeSettings) -> str:
    """The heaviest signs in words: "+1.3: bold with space above +1.1, ends in a comma -.6"."""
    parts = sorted(((WEIGHTS[name] * value, name) for name, value in signs.items() if value), key=lambda part: -abs(part[0]))
    return f"{score:+.1f}: " + ", ".join(f"{SIGNS[name]} {part:+.1f}" for part, name in parts[: settings.told])
