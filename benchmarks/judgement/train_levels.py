"""Train the model for the levels of headings on documents with a reference ("gold").

    python -m benchmarks.judgement.train_levels CORPUS/structure CORPUS/structure-real CORPUS/structure-wild CORPUS/real
        [--cache DIR] [--write] [--ablate]

The headings are those that the product finds. Each pair of kinds (looks) of headings in a document is weighted by how often such headings
have one order of levels in the reference. All documents have equal weights, single pages lower ones. `--write` writes the weights learned
from all documents. `--ablate` leaves out one piece of evidence after the other, and prints the share of pairs of headings with the right
order of levels, as in the scorer, in repositories left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final

import numpy as np

from benchmarks.judgement.train_headings import (
    FOLDS,
    HARD,
    PAGE_WEIGHT,
    Floats,
    Gold,
    Line,
    add_up,
    arguments,
    heads_of,
    load_scorer,
    pair,
    parts_of,
    print_losses,
    read_gold,
    regress,
    train,
    without_each,
)
from pdfmill.transforms.layout.document.document_style import find_profile
from pdfmill.transforms.layout.document.heading_judge import judge_headings
from pdfmill.transforms.layout.document.heading_levels import ABOVE, EQUAL, Ints, Kinds, compare_kinds, in_reading_order, levels_of
from pdfmill.transforms.layout.document.headings import find_title
from pdfmill.transforms.layout.document.weights import Weights
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS

#: Penalty on weights scaled to unit deviation; 3 gives like results on repositories left out.
RIDGE: Final = 1.0


@dataclass(slots=True)
class Sample:
    """The headings of one document."""

    corpus: str
    repository: str
    kinds: Kinds  # kinds (looks) of the headings
    levels: Ints  # level of each heading in the reference; 0 if it is not scored

    def pairs(self) -> tuple[Floats, Floats]:
        """Return two float64[k, k], for each pair of kinds: the share of pairs of headings whose first has the higher level in the
        reference, and the share with equal levels."""
        known = self.levels > 0
        levels, k = self.levels[known], int(self.kinds.of.max()) + 1
        places = np.ix_(self.kinds.of[known], self.kinds.of[known])
        above, equal = np.zeros((k, k)), np.zeros((k, k))
        np.add.at(above, places, levels[:, None] < levels[None])
        np.add.at(equal, places, levels[:, None] == levels[None])
        weight = 2 * (PAGE_WEIGHT if self.corpus == HARD else 1.0) / (len(levels) * (len(levels) - 1))
        return above * weight, equal * weight


def sample_of(one: Gold, scorer: ModuleType) -> Sample | None:
    """Return the sample of a document; None if fewer than two of its headings are found, or if it is a set of slides."""
    profile = find_profile(add_up(one.measured), (), DEFAULTS)
    if profile is None or profile.finder.slides:
        return None
    found = judge_headings(profile.finder).found
    title = find_title(found, profile.finder.body)
    found = in_reading_order(found, profile.finder.gutters)
    heads = heads_of(one.gold, scorer)
    levels = np.zeros(len(found), np.int64)
    for h, c in pair([(f.page, scorer.hnorm(f.text), False) for f in found], [head[:3] for head in heads], scorer):
        levels[c] = heads[h][3] if heads[h][2] else 0
    many = (levels > 0).sum() > 1
    return Sample(one.corpus, one.repository, compare_kinds(found, title, profile.finder.body), levels) if many else None


def fit(samples: Sequence[Sample], above: Sequence[int], equal: Sequence[int]) -> tuple[Line, Line]:
    """Return the functions for "is above" and "is equal". above, equal: indexes of the evidence used."""
    upper = [np.triu_indices(len(s.kinds.above), 1) for s in samples]
    shares = [s.pairs() for s in samples]
    up, down, one = (
        np.concatenate([pick(shares[n])[at] for n, at in enumerate(upper)])
        for pick in (lambda each: each[0], lambda each: each[0].T, lambda each: each[1])
    )
    sides = np.concatenate([s.kinds.above[at] for s, at in zip(samples, upper, strict=True)])[:, above]
    both = np.concatenate([s.kinds.equal[at] for s, at in zip(samples, upper, strict=True)])[:, equal]
    right, wrong = np.ones(len(up)), np.zeros(len(up))
    order = regress(
        np.concatenate([sides, -sides] * 2), np.concatenate([right, wrong, wrong, right]), np.concatenate([up, up, down, down]) / 2, RIDGE
    )
    return order, regress(np.concatenate([both, both]), np.concatenate([right, wrong]), np.concatenate([one, up + down]), RIDGE)


def left_out(samples: Sequence[Sample], above: Sequence[int], equal: Sequence[int]) -> dict[str, float]:
    """Return by corpus the mean share of pairs of headings in the right order, by functions trained without their repository."""
    parts = parts_of([s.repository for s in samples])
    right: dict[str, list[float]] = {}
    for part in range(FOLDS):
        order, one = fit([s for s, own in zip(samples, parts, strict=True) if own != part], above, equal)
        for s in (s for s, own in zip(samples, parts, strict=True) if own == part):
            levels = levels_of(s.kinds, order.odds(s.kinds.above[:, :, above]), one.odds(s.kinds.equal[:, :, equal]))
            right.setdefault(s.corpus, []).append(agreement(levels, s.levels))
    return {corpus: float(np.mean(each)) for corpus, each in sorted(right.items())}


def agreement(levels: Ints, gold: Ints) -> float:
    """Return the share of pairs of headings whose levels have the same order as in the reference."""
    known = gold > 0
    own, asked = levels[known], gold[known]
    same = np.sign(own[:, None] - own[None]) == np.sign(asked[:, None] - asked[None])
    return float(same[np.triu_indices(len(own), 1)].mean())


def ablate(samples: Sequence[Sample]) -> None:
    """Print how much worse levels get on repositories left out without each piece of evidence."""
    above, equal = list(range(len(ABOVE.weights))), list(range(len(EQUAL.weights)))
    without = {f"above {name}": (others, equal) for name, others in without_each([*ABOVE.weights]).items()}
    without |= {f"equal {name}": (above, others) for name, others in without_each([*EQUAL.weights]).items()}
    print_losses((above, equal), without, lambda parts: left_out(samples, *parts))


def weights_of(samples: Sequence[Sample]) -> dict[str, Weights]:
    """Return the weights of both regressions, trained on these documents; the bias of the second is the weight of the evidence that always
    holds."""
    above, equal = fit(samples, range(len(ABOVE.weights)), range(len(EQUAL.weights)))
    named = equal.named(EQUAL.weights)
    named.weights["always"] += equal.bias
    return {"level_above": Weights(0.0, above.named(ABOVE.weights).weights), "level_equal": Weights(0.0, named.weights)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    args = arguments(__doc__, argv)
    scorer = load_scorer(args.corpus[0])
    samples = [sample for corpus in args.corpus for one in read_gold(corpus, args.cache) if (sample := sample_of(one, scorer))]
    return train(samples, args, ablate, weights_of)


if __name__ == "__main__":
    sys.exit(main())
