"""Measure how well headings and their levels are found in documents of repositories that were not used in training, and sort the errors by
cause.

    python -m benchmarks.judgement.judge CORPUS/structure CORPUS/structure-real CORPUS/structure-wild CORPUS/real
        [--cache DIR] [--lost FILE]

The repositories are divided into parts. For each part, both models (`train_headings`, `train_levels`) are trained on all others; then the
structure of its documents is made and scored by the corpus' scorer. Figures are means over documents. The cost of a cause is the gain of
the mean if this cause alone had no errors. FILE gets a row for each missed and each wrong heading, with the reasons of the model.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from benchmarks.judgement import train_levels
from benchmarks.judgement.quality import blocks_to_prediction, document_rows, read_lines
from benchmarks.judgement.train_headings import (
    FOLDS,
    Gold,
    add_up,
    arguments,
    heads_of,
    in_words,
    load_scorer,
    pair,
    parts_of,
    read_gold,
    samples_of,
    weights_of,
)
from pdfmill.transforms.layout.document import heading_judge, heading_levels
from pdfmill.transforms.layout.document.document_style import find_profile
from pdfmill.transforms.layout.document.heading_judge import EVIDENCE, judge_headings, occurrences_of
from pdfmill.transforms.layout.document.weights import Weights
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS

#: The figures that are printed for each corpus: (facet of the scorer, figure).
FIGURES: Final = (("headings", "f1"), ("headings", "precision"), ("headings", "recall"), ("headings", "level"), ("paragraphs", "f1"))


class Loss(NamedTuple):
    """An error in the structure of a document."""

    figure: str
    cause: str
    cost: float  # by how much it lowers the document's figure
    page: int
    text: str
    says: str = ""  # the reasons of the model


def use(learned: Mapping[str, Weights]) -> None:
    """Use these weights of the models from now on, in this process."""
    for judge, (module, name) in {
        "headings": (heading_judge, "OWN"), "related_headings": (heading_judge, "RELATED"),
        "level_above": (heading_levels, "ABOVE"), "level_equal": (heading_levels, "EQUAL"),
    }.items():  # fmt: skip
        if judge in learned:
            setattr(module, name, learned[judge])


def judged(golds: Sequence[Gold]) -> Iterator[Gold]:
    """Yield the documents, part after part. While a document is yielded, the models in use are those trained without its part."""
    scorer = load_scorer(golds[0].folder)
    parts = parts_of([one.repository for one in golds])
    samples = [[*samples_of(one, scorer)] for one in golds]
    heads = [weights_of([each for own, part in zip(samples, parts, strict=True) if part != left for each in own]) for left in range(FOLDS)]
    levels: list[train_levels.Sample | None] = []
    for one, part in zip(golds, parts, strict=True):
        use(heads[part])
        levels.append(train_levels.sample_of(one, scorer))
    for left in range(FOLDS):
        others = [s for s, part in zip(levels, parts, strict=True) if s and part != left]
        use(heads[left] | train_levels.weights_of(others))
        yield from (one for one, part in zip(golds, parts, strict=True) if part == left)


def explained(one: Gold, scorer: ModuleType) -> list[tuple[int, Any, bool, str]]:
    """Return (page, text, whether it is judged a heading, reason) for each candidate."""
    basis = find_profile(add_up(one.measured), (), replace(DEFAULTS, explain=True))
    if basis is None:
        return []
    why = {page: iter(each) for page, each in judge_headings(basis.finder).why.items()}
    said = ((o, next(why[o.note.page])) for o in occurrences_of(basis.finder))
    return [(o.note.page, scorer.hnorm(o.candidate.text), w.taken, f"{w.rule} {w.says}") for o, w in said]


def heading_losses(one: Gold, blocks: Sequence[dict[str, Any]], scorer: ModuleType) -> Iterator[Loss]:
    """Yield the errors that lower the F1 of headings. blocks: predicted headings on pages with a reference."""
    gold = heads_of(one.gold, scorer)
    own = [(b["page"], scorer.hnorm(b["text"]), False) for b in blocks]
    pairs = pair(own, [head[:3] for head in gold], scorer)
    got, need = sum(gold[h][2] for h, _ in pairs), sum(head[2] for head in gold)
    every = len(own) - sum(not gold[h][2] for h, _ in pairs)
    now = 2 * got / (every + need or 1)
    candidates = explained(one, scorer)
    missed = [gold[h] for h in sorted(set(range(len(gold))) - {h for h, _ in pairs}) if gold[h][2]]
    for text, page, *_ in missed:
        cause, says = _cause(text, [c for c in candidates if c[0] == page], scorer)
        yield Loss("headings", f"missed: {cause}", 2 * (got + 1) / (every + 1 + need) - now, page, text[0], says)
    for n in sorted(set(range(len(own))) - {c for _, c in pairs}):
        page, text, _ = own[n]
        part = any(at == page and (text[0] in other[0] or other[0] in text[0]) for other, at, *_ in missed)
        says = next((c[3] for c in candidates if c[:2] == (page, text)), "")
        yield Loss(
            "headings", f"false: {'joined or split' if part else 'none'}", 2 * got / (every - 1 + need or 1) - now, page, text[0], says
        )


def _cause(text: Any, candidates: Sequence[tuple[int, Any, bool, str]], scorer: ModuleType) -> tuple[str, str]:
    """Return the cause why a heading was missed, and the reasons of the model, from the candidate of its page that is most similar to
    it."""
    like = [c for c in candidates if scorer.hsim(text, c[1]) >= scorer.FUZZ]
    for _, _, taken, says in sorted(like, key=lambda c: not c[2]):
        if taken:
            return "taken, then lost", says
        return ("weighed below" if says.split()[0] in EVIDENCE else f"refused as {says.split()[0]}"), says
    part = next((c for c in candidates if text[0] in c[1][0] or (len(c[1][0].split()) > 1 and c[1][0] in text[0])), None)
    return ("joined or split", f"{part[1][0]}: {part[3]}") if part else ("no candidate", "")


def level_losses(one: Gold, blocks: Sequence[dict[str, Any]], scorer: ModuleType) -> Iterator[Loss]:
    """Yield pairs of headings whose levels are in another order than in the reference."""
    gold = heads_of(one.gold, scorer)
    pairs = pair([(b["page"], scorer.hnorm(b["text"]), False) for b in blocks], [head[:3] for head in gold], scorer)
    both = list(combinations([(gold[h][3], blocks[c]["level"], blocks[c]) for h, c in sorted(pairs) if gold[h][2]], 2))
    for (a, x, first), (b, y, second) in both:
        if np.sign(a - b) != np.sign(x - y):
            cause = "equals taken apart" if a == b else ("taken for equals" if x == y else "turned round")
            title = "title, " if "title" in (first["was"], second["was"]) else ""
            yield Loss(
                "levels", title + cause, 1 / len(both), first["page"], f"{first['text']} | {second['text']}", f"{a} {b}, not {x} {y}"
            )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    args = arguments(__doc__, argv)
    golds = [one for corpus in args.corpus for one in read_gold(corpus, args.cache)]
    scorer = load_scorer(args.corpus[0])
    scores: dict[tuple[str, str], dict[str, list[float]]] = {figure: defaultdict(list) for figure in FIGURES}
    losses: list[tuple[Gold, Loss]] = []
    for one in judged(golds):
        rows = document_rows(read_lines(one.path, args.cache))
        prediction = blocks_to_prediction(rows, one.path.name)
        result = scorer.score_doc(one.gold, prediction)
        for (facet, name), found in scores.items():
            if result.get(facet, {}).get(name) is not None:
                found[one.corpus].append(result[facet][name])
        wanted = one.gold.get("heading_pages")
        heads = [row | {"was": row["role"]} for row in rows if row["role"] in ("title", "heading") and scorer.words(row["text"])]
        heads = [head for head in heads if wanted is None or head["page"] in wanted]
        losses += [(one, loss) for find in (heading_losses, level_losses) for loss in find(one, heads, scorer)]
    for (facet, name), by in scores.items():
        every = [figure for corpus, each in by.items() if corpus != "real" for figure in each]
        print(
            f"{facet} {name}".ljust(22), f"{np.mean(every):.4f}  ", in_words({corpus: float(np.mean(each)) for corpus, each in by.items()})
        )
    costs: dict[str, float] = defaultdict(float)
    for _, loss in losses:
        costs[f"{loss.figure}, {loss.cause}"] += loss.cost / len(golds)
    for cause, cost in sorted(costs.items(), key=lambda item: -item[1]):
        print(f"{cost:.4f}  {cause}")
    if args.lost:
        lines = [f"{x.figure}\t{x.cause}\t{x.cost:.4f}\t{one.name}\t{x.page}\t{x.text}\t{x.says}\n" for one, x in losses]
        args.lost.write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
