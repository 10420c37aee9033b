"""Train the model that decides whether two neighbouring rows of text are one block, and measure it on repositories left out.

    python -m benchmarks.judgement.train_pairs CORPUS/structure CORPUS/structure-real CORPUS/structure-wild CORPUS/real
        [--cache DIR] [--write] [--ablate]

The rows are made by the product, from documents whose reference ("gold") has paragraphs. Each line is assigned to the block of the
reference that has most of its words; pairs of list items, and of lines within tables and listings, have low weights or none, as in the
scorer. The script prints the pairs judged wrong by trees trained without their repository. `--ablate` leaves out one piece of evidence
after the other. `--write` writes the trees learned from all documents.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from unittest import mock

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from benchmarks.judgement.quality import document_rows, read_lines
from benchmarks.judgement.train_headings import (
    FOLDS,
    Floats,
    arguments,
    documents_of,
    in_words,
    load_scorer,
    parts_of,
    print_losses,
    without_each,
)
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.blocks import pair_judge
from pdfmill.transforms.layout.blocks.page_structure import _Page
from pdfmill.transforms.layout.blocks.pair_judge import EVIDENCE, Trees, read_pairs
from pdfmill.transforms.layout.blocks.paragraphs import ParagraphBreaker

#: Number of trees, depth of each, learning rate, penalty, and share of the evidence that a tree may use.
ROUNDS, DEPTH, RATE, RIDGE, SHARE = 180, 4, 0.1, 3.0, 0.4
#: Number of thresholds at which a piece of evidence may be split.
BINS: Final = 48
#: Pairs of a document beyond which it counts less, and how much less; what a pair of items counts, and a page alone.
USUAL_PAIRS: Final = 50.0
DAMPING: Final = 0.5
ITEMS: Final = 0.5
PAGE_WEIGHT: Final = 0.5
#: Words in a row that are no chance, and how often what is left is compared.
RUN, PASSES = 3, 8


@dataclass(slots=True)
class Sample:
    """The pairs of neighbouring rows of one document."""

    corpus: str
    repository: str
    evidence: Floats  # float64[n, k], one row per pair
    one: NDArray[np.bool_]  # whether each pair is one block
    weight: Floats  # weight of each pair


def read_samples(corpus: Path, cache: Path | None) -> Iterator[Sample]:
    """Yield the samples of the documents of one corpus that have pairs with a label."""
    scorer = load_scorer(corpus)
    for pdf, repository, gold in documents_of(corpus):
        if "paragraphs" not in gold.get("facets", ["paragraphs"]):
            continue
        found = [row for pair in pairs_of(pdf, cache, gold, scorer) if (row := label(pair, gold["blocks"])) is not None]
        if found:
            evidence, one, weight = zip(*found, strict=True)
            usual = (USUAL_PAIRS / max(USUAL_PAIRS, len(found))) ** DAMPING * (PAGE_WEIGHT if corpus.name == "real" else 1.0)
            yield Sample(corpus.name, repository, np.array(evidence), np.array(one), usual * np.array(weight))


def pairs_of(pdf: Path, cache: Path | None, gold: Mapping[str, Any], scorer: ModuleType) -> Iterator[tuple[Floats, int, int]]:
    """Yield (evidence, reference block of the first row, that of the second) for each pair of rows that the model decides; -1 for no
    block."""
    asked: list[tuple[_Page, ParagraphBreaker, Sequence[int], Mapping[int, int]]] = []
    pages: list[_Page] = []
    body, split = _Page._body, ParagraphBreaker.split

    def note_page(self: _Page, furniture: set[int]) -> Any:
        pages.append(self)
        return body(self, furniture)

    def note_part(self: ParagraphBreaker, part: Sequence[int], fixed: Mapping[int, int]) -> list[list[int]]:
        asked.append((pages[-1], self, part, fixed))
        return split(self, part, fixed)

    with mock.patch.object(_Page, "_body", note_page), mock.patch.object(ParagraphBreaker, "split", note_part):
        document_rows(read_lines(pdf, cache))
    owners = {id(page): owners_of(page.page, gold, scorer) for page in pages}
    for page, breaker, part, fixed in asked:
        rows = breaker.rows(part, fixed)
        index, owner = page.view.frame.index, owners[id(page)]
        if len(rows) > 1:
            evidence = read_pairs(rows, breaker.margin, breaker.limit, breaker.style.line_spacing)
            for own, a, b in zip(evidence, rows, rows[1:], strict=False):
                if a.lines[0] not in fixed and b.lines[0] not in fixed:
                    yield own, owner.get(int(index[a.lines[-1]]), -1), owner.get(int(index[b.lines[0]]), -1)


def label(pair: tuple[Floats, int, int], blocks: Sequence[Mapping[str, Any]]) -> tuple[Floats, bool, float] | None:
    """Return (evidence, whether the pair is one block, weight); None if the reference does not decide it."""
    evidence, a, b = pair
    if min(a, b) < 0 or (a != b and (blocks[a].get("optional") or blocks[b].get("optional"))):
        return None
    roles = {blocks[a]["role"], blocks[b]["role"]}
    if roles <= {"table"} or roles <= {"other"}:
        return None
    return evidence, a == b, ITEMS if a != b and roles == {"list"} else 1.0


def owners_of(page: PageLines, gold: Mapping[str, Any], scorer: ModuleType) -> dict[int, int]:
    """Return by index of the line the block of the reference that has most of its words, by common runs of words."""
    blocks = gold["blocks"]
    mine = [(word, i) for i, line in enumerate(page.lines) for word in scorer.words(line.text)]
    here = [n for n, b in enumerate(blocks) if b["role"] != "furniture" and b["page"] <= page.page <= (b.get("last_page") or b["page"])]
    theirs = [(word, n) for n in here for word in scorer.words(blocks[n]["text"])]
    sizes, lengths = Counter(i for _, i in mine), Counter(n for _, n in theirs)
    votes: Counter[tuple[int, int]] = Counter()
    for _ in range(PASSES):
        runs = [op for op in Indel.opcodes([w for w, _ in mine], [w for w, _ in theirs]) if op.tag == "equal"]
        both = [(op.src_start + x, op.dest_start + x, op.src_end - op.src_start) for op in runs for x in range(op.src_end - op.src_start)]
        sure = [(a, b) for a, b, run in both if run >= min(RUN, sizes[mine[a][1]], lengths[theirs[b][1]])]
        votes.update((mine[a][1], theirs[b][1]) for a, b in sure)
        used, met = {a for a, _ in sure}, {b for _, b in sure}
        mine, theirs = ([each for n, each in enumerate(words) if n not in gone] for words, gone in ((mine, used), (theirs, met)))
        if not sure or not mine or not theirs:
            break
    best = {line: block for (line, block), _ in sorted(votes.items(), key=lambda item: (item[1], -item[0][1]))}
    return {line: block for line, block in best.items() if 2 * votes[line, block] > sizes[line]}


def learn(samples: Sequence[Sample], used: Sequence[int]) -> Trees:
    """Train the trees by gradient boosting. used: columns of the evidence that they may use."""
    x, y, weight = (np.concatenate(each) for each in zip(*[(s.evidence, s.one, s.weight) for s in samples], strict=True))
    edges = [_edges(column) for column in x.T]
    bins = np.stack([np.searchsorted(edge, column) for edge, column in zip(edges, x.T, strict=True)], axis=1)
    chance = np.random.default_rng(0)
    bias = float(np.log((weight * y).sum() / (weight * ~y).sum()))
    odds = np.full(len(x), bias)
    signs, limits, leaves = [], [], []
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-odds))
        slope, bend = weight * (y - p), weight * p * (1 - p) + 1e-9
        leaf = np.zeros(len(x), np.int64)
        asked: list[tuple[int, float]] = []
        may = np.sort(chance.choice(used, max(1, int(SHARE * len(used))), replace=False))
        for _ in range(DEPTH):
            sign, place = max(((f, *_best(leaf, bins[:, f], len(edges[f]), slope, bend)) for f in may), key=lambda each: each[2])[:2]
            leaf = 2 * leaf + (bins[:, sign] > place)
            asked.append((int(sign), float(edges[sign][place])))
        total = np.bincount(leaf, slope, 1 << DEPTH) / (np.bincount(leaf, bend, 1 << DEPTH) + RIDGE)
        steps = np.round(1000 * RATE * total).astype(np.int64)
        odds += steps[leaf] / 1000
        signs.append([sign for sign, _ in asked])
        limits.append([limit for _, limit in asked])
        leaves.append(steps)
    return Trees(round(1000 * bias), np.array(signs), np.array(limits), np.array(leaves))


def _edges(column: Floats) -> Floats:
    values = np.unique(column)
    if len(values) > BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)))
    return np.unique(np.round((values[1:] + values[:-1]) / 2, 3)) if len(values) > 1 else values


def _best(leaf: NDArray[np.int64], bins: NDArray[np.int64], edges: int, slope: Floats, bend: Floats) -> tuple[int, float]:
    """Return the threshold that splits all leaves best, and its gain."""
    leaves = int(leaf.max()) + 1
    key = leaf * (edges + 1) + bins
    up, down = (np.bincount(key, each, leaves * (edges + 1)).reshape(leaves, -1).cumsum(axis=1) for each in (slope, bend))
    gain = (up**2 / (down + RIDGE) + (up[:, -1:] - up) ** 2 / (down[:, -1:] - down + RIDGE)).sum(axis=0)[:edges]
    return int(gain.argmax()), float(gain.max())


def wrong(samples: Sequence[Sample], used: Sequence[int]) -> dict[str, float]:
    """Return by corpus, and as "all", the number of pairs judged wrong by trees trained without their repository."""
    parts = parts_of([s.repository for s in samples])
    found: Counter[str] = Counter()
    for left in set(parts):
        trees = learn([s for s, part in zip(samples, parts, strict=True) if part != left], used)
        for sample, part in zip(samples, parts, strict=True):
            if part == left:
                found[sample.corpus] += int(((trees.odds(sample.evidence) > 0) != sample.one).sum())
    return {"all": found.total(), **found}


def write(trees: Trees) -> None:
    """Write the trees to the product's file."""
    rows = [
        json.dumps({"bias": trees.bias})[:-1],
        *(f'"{name}": [\n{each}\n]' for name, each in (("signs", _lines([[EVIDENCE[f] for f in tree] for tree in trees.signs])),
          ("limits", _lines(trees.limits.tolist())), ("leaves", _lines(trees.leaves.tolist())))),
    ]  # fmt: skip
    Path(pair_judge.__file__).with_name(pair_judge.FILE).write_text(",\n".join(rows) + "}\n", encoding="utf-8")


def _lines(rows: Sequence[Any]) -> str:
    return ",\n".join(json.dumps(row) for row in rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    args = arguments(__doc__, argv)
    samples = [sample for corpus in args.corpus for sample in read_samples(corpus, args.cache)]
    every = range(len(EVIDENCE))
    print(f"{len(samples)} documents, {sum(len(s.one) for s in samples)} pairs, {FOLDS} parts")
    print("wrong:", in_words(wrong(samples, every), ".0f"), flush=True)
    if args.ablate:
        print_losses(every, without_each(EVIDENCE), lambda used: wrong(samples, used), "+.0f")
    if args.write:
        write(learn(samples, every))
    return 0


if __name__ == "__main__":
    sys.exit(main())
