"""Learn the weights of the signs of headings from documents with gold, and tell how they do on kinds of documents left out.

    python -m benchmarks.train_headings CORPUS/structure CORPUS/structure-real [--cache DIR] [--write]

A logistic regression with ridge penalty, fitted by Newton's method: candidates that are gold headings against those that are not
(optional ones count for neither), documents of many candidates weighed down. Without --write only figures are told: with each
kind of document, and each tenth of the documents, judged by weights learned from all others, and with all learned.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality import read_lines
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.document import heading_weights
from pdfmill.transforms.layout.document.document_style import find_basis
from pdfmill.transforms.layout.document.heading_judge import DEFAULTS as JUDGE
from pdfmill.transforms.layout.document.heading_judge import GUARDS, signs_of
from pdfmill.transforms.layout.document.heading_signs import SIGNS
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS

Floats = NDArray[np.float64]

#: Penalty on weights of signs scaled to unit deviation: 10 learns by heart, from 80 to 200 documents left out do equally well.
RIDGE: Final = 100.0
#: Candidates of a document beyond which it counts less, and how much less: one long document must not outvote the others.
USUAL_CANDIDATES: Final = 50.0
DAMPING: Final = 0.7
#: Parts of the documents, each left out in turn.
FOLDS: Final = 10
#: Steps of Newton's method at most; it settles after about ten.
STEPS: Final = 30


@dataclass(slots=True)
class Sample:
    """The candidates of one document. signs: float64[n, signs]. labels: 1 for a heading, 0 for none, -1 for either.

    need: how many headings the gold asks for. refused: by a guard. plain: whether the plain rules take each.
    """

    corpus: str
    name: str
    kind: str
    signs: Floats
    labels: NDArray[np.int64]
    need: int
    refused: NDArray[np.bool_]

    @property
    def plain(self) -> NDArray[np.bool_]:
        return self.signs[:, list(SIGNS).index("cascade")] > 0


def load_scorer(corpus: Path) -> ModuleType:
    """The corpus' own scorer: text is matched as it does."""
    path = next(path for path in (corpus / "score.py", corpus.parent / "structure" / "score.py") if path.exists())
    spec = importlib.util.spec_from_file_location("score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_sample(corpus: Path, gold: Mapping[str, Any], name: str, cache: Path | None, scorer: ModuleType) -> Sample:
    """Candidates, signs and labels of one document."""
    statistics = DocumentStatistics()
    for page in read_lines(corpus / "pdf" / f"{name}.pdf", cache)[1]:
        statistics.add(measure_page(page))
    basis = find_basis(statistics, (), DEFAULTS)
    read = signs_of(basis.finder) if basis is not None else []
    wanted = gold.get("heading_pages")
    read = [(o, signs) for o, signs in read if wanted is None or o.note.page in wanted]
    heads = [
        (scorer.hnorm(b["text"]), b["page"], b["role"] == "heading" and not b.get("optional"))
        for b in gold["blocks"]
        if (b["role"] == "heading" or b.get("maybe_heading")) and scorer.words(b["text"])
    ]
    labels = match([(o.note.page, scorer.hnorm(o.candidate.text), signs["furniture"] > 0) for o, signs in read], heads, scorer)
    signs = np.array([[float(each[name]) for name in SIGNS] for _, each in read]).reshape(-1, len(SIGNS))
    refused = np.array([not o.taken and any(guard.refuses(o, each) for guard in GUARDS) for o, each in read], np.bool_)
    return Sample(corpus.name, name, str(gold["kind"]), signs, labels, sum(required for *_, required in heads), refused)


def match(candidates: Sequence[tuple[int, str, bool]], heads: Sequence[tuple[str, int, bool]], scorer: ModuleType) -> NDArray[np.int64]:
    """Labels of candidates (page, text, taken for furniture), each gold heading given to the candidate of its page that is most like it.

    Running heads repeat the headings of their pages: they come last.
    """
    pairs = sorted(
        (furniture, -likeness, not required, h, c)
        for h, (text, page, required) in enumerate(heads)
        for c, (at, own, furniture) in enumerate(candidates)
        if at == page and (likeness := scorer.hsim(text, own)) >= scorer.FUZZ
    )
    labels = np.zeros(len(candidates), np.int64)
    used: set[int] = set()
    for _, _, optional, h, c in pairs:
        if h not in used and not labels[c]:
            used.add(h)
            labels[c] = -1 if optional else 1
    return labels


def fit(samples: Sequence[Sample]) -> tuple[Floats, float]:
    """Weights of the signs, and the bias."""
    sure = [(sample.labels >= 0) & ~sample.refused for sample in samples]
    x = np.concatenate([sample.signs[known] for sample, known in zip(samples, sure, strict=True)])
    y = np.concatenate([sample.labels[known] for sample, known in zip(samples, sure, strict=True)]).astype(np.float64)
    weight = np.concatenate([np.full(known.sum(), (USUAL_CANDIDATES / max(1, known.sum())) ** DAMPING) for known in sure])
    deviation = x.std(axis=0) + 1e-3
    z = np.concatenate([x / deviation, np.ones((len(x), 1))], axis=1)
    ridge = np.diag([RIDGE] * x.shape[1] + [0.0])
    beta = np.zeros(z.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(z @ beta, -30, 30)))
        gradient = z.T @ (weight * (p - y)) + ridge @ beta
        step = np.linalg.solve((z * (weight * p * (1 - p))[:, None]).T @ z + ridge + 1e-6 * np.eye(len(beta)), gradient)
        beta -= step
        if np.abs(step).max() < 1e-4:
            break
    return beta[:-1] / deviation, float(beta[-1])


def scores(samples: Sequence[Sample], taken: Sequence[NDArray[np.bool_]]) -> dict[str, tuple[float, float, float]]:
    """F1, precision and recall of headings over the candidates, mean over the documents of each corpus."""
    by: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for sample, chosen in zip(samples, taken, strict=True):
        if sample.need:
            right, all_taken = int((chosen & (sample.labels == 1)).sum()), int((chosen & (sample.labels >= 0)).sum())
            precision, recall = right / max(1, all_taken), right / sample.need
            by[sample.corpus].append((2 * precision * recall / max(1e-9, precision + recall), precision, recall))
    return {corpus: tuple(np.mean(each, axis=0).tolist()) for corpus, each in by.items()}


def by_kinds_left_out(samples: Sequence[Sample]) -> list[NDArray[np.bool_]]:
    """What is taken in each document by weights learned from all other kinds."""
    learned = {kind: fit([s for s in samples if s.kind != kind]) for kind in {s.kind for s in samples}}
    return [(s.signs @ learned[s.kind][0] + learned[s.kind][1] >= JUDGE.threshold) & ~s.refused for s in samples]


def by_documents_left_out(samples: Sequence[Sample]) -> list[NDArray[np.bool_]]:
    """What is taken in each document by weights learned from nine tenths of the documents, it not among them."""
    taken: list[NDArray[np.bool_]] = []
    learned = [fit([s for n, s in enumerate(samples) if n % FOLDS != fold]) for fold in range(FOLDS)]
    for n, s in enumerate(samples):
        weights, bias = learned[n % FOLDS]
        taken.append((s.signs @ weights + bias >= JUDGE.threshold) & ~s.refused)
    return taken


def write(weights: Floats, bias: float) -> None:
    """The module of the weights."""
    path = Path(heading_weights.__file__)
    head = path.read_text(encoding="utf-8").partition("BIAS")[0]
    lines = "".join(f'    "{name}": {weight:.3f},\n' for name, weight in zip(SIGNS, weights.tolist(), strict=True))
    path.write_text(f"{head}BIAS: Final = {bias:.3f}\nWEIGHTS: Final[dict[str, float]] = {{\n{lines}}}\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Read, judge by kinds left out, and write where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="+", help="folder with pdf/, gold/ and the scorer")
    parser.add_argument("--cache", type=Path, help="keep the text layer of each PDF here between runs")
    parser.add_argument("--write", action="store_true", help="write the weights learned from all documents")
    args = parser.parse_args(argv)
    samples = []
    for corpus in args.corpus:
        scorer = load_scorer(corpus)
        for path in sorted((corpus / "gold").glob("*.json")):
            gold = json.loads(path.read_text(encoding="utf-8"))
            if "headings" in gold.get("facets", ["headings"]):
                samples.append(read_sample(corpus, gold, path.stem, args.cache, scorer))
    print("plain rules  ", scores(samples, [s.plain for s in samples]))
    print("kinds left out", scores(samples, by_kinds_left_out(samples)))
    print("documents left out", scores(samples, by_documents_left_out(samples)))
    print("guards refuse", sum(int((s.refused & (s.labels == 1)).sum()) for s in samples), "headings")
    weights, bias = fit(samples)
    print("trained on all", scores(samples, [(s.signs @ weights + bias >= JUDGE.threshold) & ~s.refused for s in samples]))
    if args.write:
        write(weights, bias)
    return 0


if __name__ == "__main__":
    sys.exit(main())
