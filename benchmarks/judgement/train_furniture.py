"""Train the model that recognises furniture (running heads, footers, page numbers) on documents with a reference ("gold"), and measure it
on repositories left out.

    python -m benchmarks.judgement.train_furniture CORPUS/structure CORPUS/structure-real CORPUS/structure-wild CORPUS/real
        [--cache DIR] [--write] [--ablate]

The model is a logistic regression over features ("signs") of the lines at the top and bottom of pages. A line is labelled furniture if the
reference has its words in the page's furniture and not in its text; if the reference has only headings, headings are labelled text. Some
pages are also used as documents of one page, where nothing repeats. Figures are of lines of repositories left out: furniture missed, text
taken for furniture, F1. `--ablate` leaves out one feature after the other and prints by how much the mean F1 and the mean log loss of the
corpora fall. `--write` writes the weights learned from all documents.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from benchmarks.judgement.quality import read_lines
from benchmarks.judgement.train_headings import (
    ALONE,
    FOLDS,
    PAGE_STEP,
    PAGES_ALONE,
    Bools,
    Floats,
    Line,
    arguments,
    documents_of,
    load_scorer,
    parts_of,
    print_losses,
    regress,
    train,
    without_each,
)
from pdfmill.schemas.records import PageLines
from pdfmill.schemas.statistics import DocumentStatistics, PageNotes
from pdfmill.transforms.layout.document.document_style import find_profile
from pdfmill.transforms.layout.document.furniture_signs import SIGNS, Edge, Refusal, read_signs
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.document.weights import Weights
from pdfmill.transforms.layout.page.patterns import mask_digits
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS

#: Penalty on weights scaled to unit deviation: values from 3 to 100 give like results on repositories left out.
RIDGE: Final = 10.0
#: Weight of a single page, relative to a document.
PAGE_WEIGHT: Final = 0.25
#: Lines of a document beyond which it counts less, and how much less.
USUAL_LINES: Final = 30.0
DAMPING: Final = 0.7
#: Number of words from which the first and last word of a line may be parts of hyphenated words.
CUT_WORDS: Final = 5
#: Most characters of a page number: such a line is text only if a block begins or ends with it.
NUMBER_CHARS: Final = 4
#: Pages, and their share, on which a line repeats that no gold can call text: makers of slides tag their feet as text.
NOISE_PAGES: Final = 4
NOISE_SHARE: Final = 0.6
NOISE_BAND: Final = 6.0
#: Most log loss of a line, so that one wrong reference does not outweigh the others.
MOST_LOSS: Final = 4.0


@dataclass(slots=True)
class Sample:
    """The lines at the top and bottom of the pages of one document."""

    corpus: str
    repository: str
    signs: Floats  # float64[n, signs], the features of each line
    labels: Floats  # 1 furniture, 0 text, -1 unknown
    refused: Bools  # lines that are text whatever the weights are
    weight: float  # weight of a line, relative to a document


def read_samples(corpus: Path, cache: Path | None) -> Iterator[Sample]:
    """Yield the documents of one corpus, and some of their pages as documents of one page."""
    scorer = load_scorer(corpus)
    for pdf, repository, gold in documents_of(corpus):
        pages = read_lines(pdf, cache)[1]
        measured = {page.page: measure_page(page) for page in pages}
        labels = {page.page: label_page(gold, page, measured[page.page].notes[page.page], scorer) for page in pages}
        forget_noise({n: one.notes[n] for n, one in measured.items()}, labels)
        yield from sample_of(corpus.name, repository, list(measured.values()), labels, 1.0)
        judged = [one for n, one in measured.items() if any(label >= 0 for label in labels[n].values())] if len(measured) > 1 else []
        for one in [*judged[:1], *judged[2::PAGE_STEP]][:PAGES_ALONE]:
            yield from sample_of(ALONE, repository, [one], labels, PAGE_WEIGHT)


def label_page(gold: Mapping[str, Any], page: PageLines, note: PageNotes, scorer: ModuleType) -> dict[int, int]:
    """Return labels by index of the line: 1 furniture, 0 text, -1 unknown."""
    if "text" not in gold.get("facets", ["text"]):
        return label_headings(gold, page, note, scorer)
    told = "furniture" in gold.get("facets", []) or any(b["role"] == "furniture" for b in gold["blocks"]) or not gold.get("licence")
    spans = [(b["role"] == "furniture", b["page"], b.get("last_page") or b["page"], scorer.words(b["text"])) for b in gold["blocks"]]
    here = [(furniture, words) for furniture, first, last, words in spans if first <= page.page <= last]
    outside, inside = ([word for own, words in here if own == kind for word in [*words, "\0"]] for kind in (True, False))
    labels = {}
    for edge in note.edges:
        words = scorer.words(page.lines[edge.line].text)
        if len(words) == 1 and len(words[0]) <= NUMBER_CHARS:
            is_text = any(not own and each and words[0] in (each[0], each[-1]) for own, each in here)
        else:
            is_text = scorer.runs(inside, words[1:-1] if len(words) >= CUT_WORDS else words) > 0
        is_furniture = scorer.runs(outside, words) > 0
        if is_furniture and is_text:
            labels[edge.line] = 1 if edge.row == 0 else -1
        else:
            labels[edge.line] = 1 if is_furniture and told else 0 if is_text and not is_furniture else -1
    return labels


def label_headings(gold: Mapping[str, Any], page: PageLines, note: PageNotes, scorer: ModuleType) -> dict[int, int]:
    """Return label 0 (text) by index of the line, for lines that as the only one of their page match a heading of the reference."""
    if page.page not in gold.get("heading_pages", [page.page]):
        return {}
    texts, edges = [scorer.hnorm(line.text) for line in page.lines], {edge.line for edge in note.edges}
    labels = {}
    for block in gold["blocks"]:
        if block["role"] == "heading" and block["page"] == page.page and not block.get("optional"):
            head = scorer.hnorm(block["text"])
            alike = [n for n, text in enumerate(texts) if text[0] and scorer.hsim(head, text) >= 0.95]
            if len(alike) == 1 and alike[0] in edges:
                labels[alike[0]] = 0
    return labels


def forget_noise(notes: Mapping[int, PageNotes], labels: dict[int, dict[int, int]]) -> None:
    """Remove, in place, the label text of lines that repeat at one position on most pages."""
    pages: dict[tuple[bool, int, str], set[int]] = defaultdict(set)
    outer = [(n, edge, round(edge.baseline / NOISE_BAND)) for n, note in notes.items() for edge in note.edges if edge.row <= 1]
    for n, edge, height in outer:
        pages[edge.head, height, mask_digits(edge.text)].add(n)
    for n, edge, height in outer:
        often = max(len(pages.get((edge.head, height + step, mask_digits(edge.text)), ())) for step in (-1, 0, 1))
        if labels[n].get(edge.line) == 0 and often >= max(NOISE_PAGES, NOISE_SHARE * len(notes)):
            labels[n][edge.line] = -1


def sample_of(
    corpus: str, repository: str, measured: Sequence[DocumentStatistics], labels: Mapping[int, Mapping[int, int]], weight: float
) -> Iterator[Sample]:
    """Yield the sample of one document with a reference; nothing if it has no lines with a label."""
    statistics = DocumentStatistics()
    for page in measured:
        statistics.add(page)
    profile = find_profile(statistics, (), DEFAULTS)
    read: Iterable[tuple[Edge, Refusal | None, dict[str, float]]] = ()
    if profile is not None:
        read = read_signs(statistics.notes, profile.finder.spacing or profile.finder.body.size, profile.finder.body.size, DEFAULTS)
    known = [(refusal, signs, label) for edge, refusal, signs in read if (label := labels[edge.page].get(edge.piece.line, -1)) >= 0]
    if known:
        signs = np.array([[float(each.get(name, 0.0)) for name in SIGNS] for _, each, _ in known])
        refused = np.array([refusal is not None for refusal, *_ in known], np.bool_)
        weight *= (USUAL_LINES / len(known)) ** DAMPING
        yield Sample(corpus, repository, signs, np.array([label for *_, label in known], np.float64), refused, weight)


def fit(samples: Sequence[Sample], signs: Sequence[int]) -> Line:
    """Return the weights that separate furniture from text best. signs: indexes of the features used."""
    x = np.concatenate([s.signs[~s.refused][:, signs] for s in samples])
    y = np.concatenate([s.labels[~s.refused] for s in samples])
    return regress(x, y, np.repeat([s.weight for s in samples], [int((~s.refused).sum()) for s in samples]), RIDGE)


def left_out(samples: Sequence[Sample], signs: Sequence[int]) -> list[Floats]:
    """Return the log odds of each document's lines, by weights trained without its repository; at most -`MOST_LOSS` for refused lines."""
    parts = parts_of([s.repository for s in samples])
    lines = [fit([s for s, own in zip(samples, parts, strict=True) if own != part], signs) for part in range(FOLDS)]
    return [np.where(s.refused, -MOST_LOSS, lines[part].odds(s.signs[:, signs])) for s, part in zip(samples, parts, strict=True)]


def figures(samples: Sequence[Sample], odds: Sequence[Floats]) -> dict[str, tuple[float, int, float, float]]:
    """Return by corpus: share of furniture missed, number of text lines taken for furniture, F1, mean log loss."""
    by: dict[str, list[tuple[Bools, Floats]]] = defaultdict(list)
    for s, each in zip(samples, odds, strict=True):
        by[s.corpus].append((s.labels > 0, each))
    result = {}
    for corpus, pairs in by.items():
        wanted, score = np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
        missed, false = int((wanted & (score < 0)).sum()), int((~wanted & (score >= 0)).sum())
        found = int(wanted.sum()) - missed
        loss = np.minimum(np.logaddexp(0, np.where(wanted, -score, score)), MOST_LOSS).mean()
        result[corpus] = missed / wanted.sum(), false, 2 * found / (2 * found + missed + false), float(loss)
    return result


def ablate(samples: Sequence[Sample]) -> None:
    """Print how much the mean F1 and the mean log loss of the corpora fall without each feature, on repositories left out; a feature should
    be removed if the log loss does not grow without it."""

    def mean(signs: Sequence[int]) -> dict[str, float]:
        every = figures(samples, left_out(samples, signs)).values()
        return {"F1": float(np.mean([f1 for _, _, f1, _ in every])), "log loss": float(np.mean([loss for *_, loss in every]))}

    print_losses(range(len(SIGNS)), without_each(SIGNS), mean, "+.5f")


def weights_of(samples: Sequence[Sample]) -> dict[str, Weights]:
    """Return the weights trained on all these documents."""
    return {"furniture": fit(samples, range(len(SIGNS))).named(SIGNS)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    args = arguments(__doc__, argv)
    samples = [sample for corpus in args.corpus for sample in read_samples(corpus, args.cache)]
    for corpus, (missed, false, f1, loss) in figures(samples, left_out(samples, range(len(SIGNS)))).items():
        print(f"{corpus:16} missed {missed:.3f}  text taken {false:3}  F1 {f1:.3f}  log loss {loss:.4f}")
    return train(samples, args, ablate, weights_of)


if __name__ == "__main__":
    sys.exit(main())
