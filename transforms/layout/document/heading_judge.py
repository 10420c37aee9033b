"""Judge which candidates are headings by two logistic regressions: one over their features, one also over their relations to each other.
The weights are trained on annotated documents by `benchmarks/judgement/train_headings.py`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.records import Decision
from pdfmill.schemas.statistics import Candidate, Look, PageNotes
from pdfmill.transforms.layout.document.heading_signs import BYLINE, SIGNS, Occurrence, SignReader
from pdfmill.transforms.layout.document.headings import Found, HeadingFinder, join_chapters
from pdfmill.transforms.layout.document.weights import Weights, read_weights
from pdfmill.transforms.layout.page.patterns import ends_in_page_number, is_formula, numbering_depth

# Relate each heading candidate to the other lines of its document; candidates of one text style are judged together.
#
# Each candidate has been judged by itself (`transforms.layout.document.heading_signs`). The relations compare its log odds with those of
# its text style, of this style at its indent, and of the styles with higher odds: bold lines are headings if the document has no better
# ones, but only emphasised words under larger headings.


Floats = NDArray[np.float64]

#: Weights of the two regressions: over the signs of a candidate, and over its signs and relations.
OWN: Weights = read_weights()["headings"]
RELATED: Weights = read_weights()["related_headings"]
#: A description of each relation by its name, for the reason of a decision.
RELATIONS: Final[dict[str, str]] = {
    "own": "by its own signs",
    "look": "by those of its look",
    "place": "by those of its look at its indent",
    "least": "by the least of its look",
    "best": "against the best look of the document",
    "better": "after headings of better looks, a page",
    "so_far": "after headings of its own and better looks, a page",
    "headings": "in a document of many headings a page",
}
#: Log odds beyond which a candidate no longer increases the odds of others.
SURE: Final = 6.0
#: Headings per page beyond which their number no longer counts.
MANY: Final = 6.0
#: Decimals to which log odds are rounded, because sums differ slightly between machines.
_DIGITS: Final = 6


def relate(looks: Sequence[Hashable], indents: Sequence[int], odds: Floats, pages: int) -> Floats:
    """Return float64[n, relations]: how each candidate compares with the others of its document, a column for each of `RELATIONS`.
    indents: em. odds: log odds of being a heading by its own features. pages: number of pages with candidates."""
    if not len(odds):
        return np.zeros((0, len(RELATIONS)))
    odds = np.clip(odds, -SURE, SURE).round(_DIGITS)
    look, place = _numbered(looks), _numbered(list(zip(looks, indents, strict=True)))
    means, of_place = _means(look, odds), _means(place, odds)
    least = np.full(len(means), SURE)
    np.minimum.at(least, look, odds)
    likely = np.bincount(look, 1 / (1 + np.exp(-odds))) / pages
    better, so_far = _above(means, likely)
    mean, lowest, before, upto = np.stack([means, least, np.minimum(better, MANY), np.minimum(so_far, MANY)])[:, look]
    best, headings = np.full(len(odds), means.max()), np.full(len(odds), min(likely.sum(), MANY))
    return np.stack([odds, mean, of_place[place], lowest, best, before, upto, headings], 1)


def _numbered(keys: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return an index, from 0, for each key; equal keys have the same index."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _means(group: NDArray[np.int64], values: Floats) -> Floats:
    means: Floats = (np.bincount(group, values) / np.bincount(group)).round(_DIGITS)
    return means


def _above(means: Floats, likely: Floats) -> tuple[Floats, Floats]:
    """Return for each text style the number of probable headings in styles with a larger mean, and with a mean at least as large."""
    order = np.argsort(means, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(likely[order])])
    ranks = [np.searchsorted(means[order], means, side) for side in ("right", "left")]
    better, so_far = (below[-1] - below[rank] for rank in ranks)
    return better, so_far


#: Reads the signs of a candidate in their order.
_ROW: Final = itemgetter(*SIGNS)
#: Pieces of evidence named in the reason of a decision.
_NAMED: Final = 4
#: Descriptions of the evidence, by name.
EVIDENCE: Final = SIGNS | RELATIONS


#: em; largest distance of a page number from the right limit of its column.
_AT_LIMIT: Final = 1.0
#: Signs at a line's end that divide a word.
_HYPHENS: Final = ("-", "\u2010", "\u00ad")


class Refusal(NamedTuple):
    """A condition under which a candidate is never a heading, whatever its signs (features) are."""

    name: str
    says: str  # the reason in words
    holds: Callable[[Candidate, Mapping[str, float]], bool]  # the test of a candidate and its signs


def _leads_to_page(c: Candidate, signs: Mapping[str, float]) -> bool:
    """Return whether the candidate ends in a number at the right edge, or has one beside it, like an entry of a table of contents."""
    if not signs["contents_page"]:
        return False
    return (c.contents and c.after >= 0) or (c.edge - c.x1 <= _AT_LIMIT * c.look.size and ends_in_page_number(c.text))


REFUSALS: Final = (
    Refusal(
        "running_head",
        "it repeats at the position of running heads and feet",
        lambda c, signs: bool(signs["furniture"] and not signs["own_words"]),
    ),
    Refusal("formula", "it has signs of formulas and hardly a word", lambda c, signs: is_formula(c.text)),
    Refusal("entry", "it ends in a page number, on a page with many such lines", _leads_to_page),
    Refusal("byline", "it names authors, or gives a date or version, below the title", lambda c, signs: bool(signs[BYLINE])),
    Refusal("broken_word", "it ends within a word", lambda c, signs: c.text[-2:-1].isalpha() and c.text.endswith(_HYPHENS)),
)  # fmt: skip


def refusal_of(c: Candidate, signs: Mapping[str, float]) -> Refusal | None:
    """Return the first reason never to take the candidate as a heading; None if the outline or the table of contents lists it."""
    return None if signs["named"] else next((refusal for refusal in REFUSALS if refusal.holds(c, signs)), None)


class Judged(NamedTuple):
    """The judgement of a document's candidates: which are headings (`found`), and by page the reasons for each candidate, if requested."""

    found: list[Found]  # headings in page order
    why: dict[int, tuple[Decision, ...]]  # by page, the reason for each candidate, if requested


def occurrences_of(finder: HeadingFinder) -> list[Occurrence]:
    """Return the candidates of a document in page order. The number of a chapter and the title below it are joined to one candidate."""
    return [Occurrence(note, each, key) for _, note in sorted(finder.statistics.notes.items()) for each, key in _joined(finder, note)]


def _joined(finder: HeadingFinder, note: PageNotes) -> Iterator[tuple[Candidate, Look]]:
    """Yield each candidate with its text style. Chapter numbers are joined to their titles."""
    tops = {c.lines: c.gap_above for c in note.candidates}
    every = [Found(note.page, c, finder.canonical[c.look], 0, text=c.text) for c in note.candidates]
    for f in join_chapters(every, finder.settings):
        c = f.candidate
        yield c._replace(text=f.text, lines=(*f.extra, *c.lines), gap_above=tops.get(f.extra, c.gap_above)) if f.extra else c, f.key


def signs_of(finder: HeadingFinder) -> list[tuple[Occurrence, dict[str, float]]]:
    """Return each candidate of a document with its signs (features) by name."""
    occurrences = occurrences_of(finder)
    reader = SignReader(finder, occurrences)
    around = zip([None, *occurrences], occurrences, strict=False)
    return [(o, reader.read(o, before if before is not None and before.note.page == o.note.page else None)) for before, o in around]


def relations_of(occurrences: Sequence[Occurrence], odds: Floats, em: float) -> Floats:
    """Return float64[n, relations]: how each candidate compares with the others, a column for each of `RELATIONS`.
    odds: log odds of being a heading by its own features. em: font size of the body, points."""
    looks, indents = [o.key for o in occurrences], [round(o.candidate.x0 / (em or 1.0)) for o in occurrences]
    return relate(looks, indents, odds, len({o.note.page for o in occurrences}))


def judge_headings(finder: HeadingFinder) -> Judged:
    """Judge all candidates of a document. Candidates with log odds of at least 0 are headings, unless a refusal applies."""
    read = signs_of(finder)
    occurrences = [o for o, _ in read]
    signs = np.fromiter(chain.from_iterable(_ROW(each) for _, each in read), np.float64).reshape(-1, len(SIGNS))
    relations = relations_of(occurrences, signs @ np.array([OWN.weights[name] for name in SIGNS]) + OWN.bias, finder.body.size)
    evidence = np.concatenate([signs, relations], axis=1)
    weights = np.array([RELATED.weights[name] for name in EVIDENCE])
    scores = (evidence @ weights + RELATED.bias).tolist()
    found: list[Found] = []
    why: dict[int, list[Decision]] = defaultdict(list)
    for n, (o, score) in enumerate(zip(occurrences, scores, strict=True)):
        refusal = refusal_of(o.candidate, read[n][1])
        taken = score >= 0 and refusal is None
        if taken:
            found.append(Found(o.note.page, o.candidate, o.key, numbering_depth(o.candidate.text), text=o.candidate.text))
        if finder.settings.explain:
            lines = o.candidate.lines
            parts = dict(zip(EVIDENCE, (evidence[n] * weights).tolist(), strict=True))
            rule = max(parts, key=lambda name: parts[name] if taken else -parts[name])
            said = (refusal.name, lines, taken, refusal.says) if refusal else (rule, lines, taken, _reasons(parts, score))
            why[o.note.page].append(Decision("heading", *said))
    return Judged(found, {page: tuple(each) for page, each in why.items()})


def _reasons(parts: dict[str, float], score: float) -> str:
    """Return the heaviest reasons in words, such as "+1.3: bold with space above +1.1, ends in a comma -.6"."""
    heaviest = sorted((name for name in parts if parts[name]), key=lambda name: -abs(parts[name]))
    return f"{score:+.1f}: " + ", ".join(f"{EVIDENCE[name]} {parts[name]:+.1f}" for name in heaviest[:_NAMED])
