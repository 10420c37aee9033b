"""Train the model that recognises headings on documents with a reference ("gold"), and measure each of its parts on repositories left out.

    python -m benchmarks.judgement.train_headings CORPUS/structure CORPUS/structure-real CORPUS/structure-wild CORPUS/real
        [--cache DIR] [--write] [--ablate]

Two logistic regressions with ridge penalty, fitted by Newton's method: over the features ("signs") of each candidate, then over these and
its relations to the other candidates of its document (`heading_relations`). The second is fitted on log odds that the first gave to
documents on which it was not trained. Headings of the reference are positive examples, all other candidates negative ones; optional
headings are neither. Documents with many candidates get lower weights. Some pages are also used as documents of one page. `--write` writes
the weights learned from all documents. `--ablate` leaves out one feature or relation after the other, and prints the F1 of headings on
repositories left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.judgement.quality import manifest, read_lines, scorer_of
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.document import weights
from pdfmill.transforms.layout.document.document_style import find_profile
from pdfmill.transforms.layout.document.heading_judge import EVIDENCE, RELATIONS, refusal_of, relations_of, signs_of
from pdfmill.transforms.layout.document.heading_signs import SIGNS, Occurrence
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.document.weights import Weights, read_weights
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
S = TypeVar("S")
P = TypeVar("P")

#: Penalty on weights scaled to unit deviation: values from 50 to 300 give like results on repositories left out.
RIDGE: Final = 100.0
#: Weight of a single page, relative to a document.
PAGE_WEIGHT: Final = 0.1
#: Pages used as documents of one page: the first, the third, and every third after it, up to `PAGES_ALONE`.
PAGE_STEP: Final = 3
PAGES_ALONE: Final = 4
#: Name of the corpus of such pages in the output.
ALONE: Final = "alone"
#: Name of the corpus of difficult pages with references made by hand, each cut out of its document.
HARD: Final = "real"
#: Number of candidates from which a document has a lower weight: one long document must not outvote the others.
USUAL_CANDIDATES: Final = 50.0
DAMPING: Final = 0.7
#: Number of parts of the repositories; each is left out in turn.
FOLDS: Final = 8
#: Log odds from which a candidate is a heading: the mean F1 on repositories left out is best from -0.6 to -0.2.
TAKEN: Final = -0.4
#: Most steps of Newton's method, which converges after about ten.
STEPS: Final = 30


@dataclass(slots=True)
class Sample:
    """The candidates of one document."""

    corpus: str  # its folder, or `ALONE`
    repository: str  # repository that its file comes from
    occurrences: list[Occurrence]
    signs: Floats  # float64[n, signs], the features of each candidate
    labels: NDArray[np.int64]  # 1 a heading, 0 none, -1 either, -2 on a page without reference
    need: int  # number of headings in the reference
    em: float  # font size of its body text, points
    weight: float  # weight of a candidate, relative to a document
    refused: Bools  # candidates that are no headings whatever the weights are

    def related(self, odds: Floats) -> Floats:
        return relations_of(self.occurrences, odds, self.em)


@dataclass(slots=True)
class Line:
    """A linear function for log odds: a weight for each column, and the bias."""

    weights: Floats
    bias: float

    def odds(self, columns: Floats) -> Floats:
        result: Floats = columns @ self.weights + self.bias
        return result

    def named(self, names: Iterable[str]) -> Weights:
        """Return the weights by name, in the form that the product reads. names: those of the columns."""
        return Weights(self.bias, dict(zip(names, self.weights.tolist(), strict=True)))


def load_scorer(corpus: Path) -> ModuleType:
    """Import the scorer of a corpus, whose functions also match texts here."""
    spec = importlib.util.spec_from_file_location("score", scorer_of(corpus))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(slots=True)
class Gold:
    """A document of a corpus with reference headings ("gold")."""

    folder: Path  # folder of the corpus
    path: Path  # path of the PDF
    repository: str  # repository that it comes from
    gold: Mapping[str, Any]  # content of the reference file
    measured: list[DocumentStatistics]  # statistics of each page

    @property
    def corpus(self) -> str:
        return self.folder.name

    @property
    def name(self) -> str:
        return self.path.stem


def documents_of(corpus: Path) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    """Yield each document of a corpus as its PDF, the repository that it is from, and its gold."""
    sources: dict[str, str] = {}
    if (corpus / "MANIFEST.tsv").exists():
        sources = {row["file"].removesuffix(".pdf"): row["source"] for row in manifest(corpus)}
    folder = next(corpus / name for name in ("page", "pdf") if (corpus / name).exists())
    for path in sorted((corpus / "gold").glob("*.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        yield folder / f"{path.stem}.pdf", repository_of(sources.get(path.stem, path.stem)), gold


def read_gold(corpus: Path, cache: Path | None) -> Iterator[Gold]:
    """Yield the documents of one corpus whose reference has headings."""
    for pdf, repository, gold in documents_of(corpus):
        if "headings" in gold.get("facets", ["headings"]):
            yield Gold(corpus, pdf, repository, gold, [measure_page(page) for page in read_lines(pdf, cache)[1]])


def samples_of(one: Gold, scorer: ModuleType) -> Iterator[Sample]:
    """Yield the sample of a document, and those of some of its pages as documents of one page."""
    yield read_sample(one.corpus, one, one.measured, scorer)
    for page in pages_alone(one.gold, one.measured):
        yield read_sample(ALONE, one, [page], scorer)


def add_up(measured: Sequence[DocumentStatistics]) -> DocumentStatistics:
    """Return the statistics of a document from those of its pages."""
    statistics = DocumentStatistics()
    for page in measured:
        statistics.add(page)
    return statistics


def pages_alone(gold: Mapping[str, Any], measured: Sequence[DocumentStatistics]) -> list[DocumentStatistics]:
    """Return the pages with a reference that are used as documents of one page; [] if the document has only one page."""
    wanted = gold.get("heading_pages")
    judged = [page for page in measured if wanted is None or min(page.notes) in wanted]
    return [*judged[:1], *judged[2::PAGE_STEP]][:PAGES_ALONE] if len(measured) > 1 else []


def repository_of(source: str) -> str:
    """Return the repository in a source: "OWASP/ASVS" for "OWASP/ASVS 4.0/de.pdf"; the source itself if it names no repository."""
    first = source.split()[0].partition("(")[0]
    return first if "/" in first else source


def read_sample(corpus: str, one: Gold, measured: Sequence[DocumentStatistics], scorer: ModuleType) -> Sample:
    """Return the sample of one document. measured: statistics of its pages, or of one of them."""
    statistics, gold = add_up(measured), one.gold
    basis = find_profile(statistics, (), DEFAULTS)
    read = signs_of(basis.finder) if basis is not None else []
    heads = [(head, page, required) for head, page, required, _ in heads_of(gold, scorer) if page in statistics.notes]
    labels = match([(o.note.page, scorer.hnorm(o.candidate.text), signs["furniture"] > 0) for o, signs in read], heads, scorer)
    wanted = gold.get("heading_pages")
    labels[[wanted is not None and o.note.page not in wanted for o, _ in read]] = -2
    signs = np.array([[float(each[name]) for name in SIGNS] for _, each in read]).reshape(-1, len(SIGNS))
    em = basis.finder.body.size if basis is not None else 1.0
    refused = np.array([refusal_of(o.candidate, each) is not None for o, each in read], np.bool_)
    need, weight = sum(required for *_, required in heads), PAGE_WEIGHT if corpus in (ALONE, HARD) else 1.0
    return Sample(corpus, one.repository, [o for o, _ in read], signs, labels, need, em, weight, refused)


def heads_of(gold: Mapping[str, Any], scorer: ModuleType) -> list[tuple[Any, int, bool, int]]:
    """Return the headings of a reference: (text in the scorer's form, page, whether it is required, level)."""
    return [
        (scorer.hnorm(b["text"]), b["page"], b["role"] == "heading" and not b.get("optional"), b.get("level") or 1)
        for b in gold["blocks"]
        if (b["role"] == "heading" or b.get("maybe_heading")) and scorer.words(b["text"])
    ]


def match(candidates: Sequence[tuple[int, Any, bool]], heads: Sequence[tuple[Any, int, bool]], scorer: ModuleType) -> NDArray[np.int64]:
    """Return the labels of candidates (page, text, whether it is furniture): 1 a heading, -1 either, 0 none; see `pair`."""
    labels = np.zeros(len(candidates), np.int64)
    for h, c in pair(candidates, heads, scorer):
        labels[c] = 1 if heads[h][-1] else -1
    return labels


def pair(candidates: Sequence[tuple[int, Any, bool]], heads: Sequence[tuple[Any, int, bool]], scorer: ModuleType) -> list[tuple[int, int]]:
    """Pair each reference heading with the candidate of its page that is most similar to it. Return pairs of (index of the heading, index
    of the candidate).

    Candidates that are running heads, which repeat headings, are paired last.
    """
    pairs = sorted(
        (furniture, -likeness, not required, h, c)
        for h, (text, page, required) in enumerate(heads)
        for c, (at, own, furniture) in enumerate(candidates)
        if at == page and (likeness := scorer.hsim(text, own)) >= scorer.FUZZ
    )
    result: dict[int, int] = {}
    for _, _, _, h, c in pairs:
        if h not in result.values() and c not in result:
            result[c] = h
    return [(h, c) for c, h in result.items()]


def fit(columns: Sequence[Floats], samples: Sequence[Sample]) -> Line:
    """Return the linear function that separates headings from other candidates best. columns: float64[n, k] for each sample."""
    sure = [sample.labels >= 0 for sample in samples]
    x = np.concatenate([each[known] for each, known in zip(columns, sure, strict=True)])
    y = np.concatenate([sample.labels[known] for sample, known in zip(samples, sure, strict=True)]).astype(np.float64)
    counts = [int(known.sum()) for known in sure]
    damped = [s.weight * (USUAL_CANDIDATES / max(1, count)) ** DAMPING for s, count in zip(samples, counts, strict=True)]
    return regress(x, y, np.repeat(damped, counts), RIDGE)


def regress(x: Floats, y: Floats, weight: Floats, ridge: float) -> Line:
    """Logistic regression by Newton's method. x: float64[n, k]. y: 0 or 1. ridge: penalty on weights scaled to unit deviation."""
    deviation = x.std(axis=0) + 1e-3
    z = np.concatenate([x / deviation, np.ones((len(x), 1))], axis=1)
    penalty = np.diag([ridge] * x.shape[1] + [0.0])
    beta = np.zeros(z.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(z @ beta, -30, 30)))
        gradient = z.T @ (weight * (p - y)) + penalty @ beta
        step = np.linalg.solve((z * (weight * p * (1 - p))[:, None]).T @ z + penalty + 1e-6 * np.eye(len(beta)), gradient)
        beta -= step
        if np.abs(step).max() < 1e-4:
            break
    return Line(beta[:-1] / deviation, float(beta[-1]))


def parts_of(repositories: Sequence[str]) -> list[int]:
    """Return the number of the part for each of these repositories."""
    names = sorted(set(repositories), key=lambda name: (zlib.crc32(name.encode()), name))
    part = {name: n % FOLDS for n, name in enumerate(names)}
    return [part[name] for name in repositories]


def left_out(columns: Sequence[Floats], samples: Sequence[Sample]) -> list[Floats]:
    """Return the log odds of each document's candidates, by functions trained without its repository."""
    parts = parts_of([s.repository for s in samples])
    lines = []
    for part in range(FOLDS):
        others = [n for n, own in enumerate(parts) if own != part]
        lines.append(fit([columns[n] for n in others], [samples[n] for n in others]))
    return [lines[part].odds(each) for part, each in zip(parts, columns, strict=True)]


def judged(samples: Sequence[Sample], signs: Sequence[int], relations: Sequence[int]) -> list[Bools]:
    """Return for each document which candidates are judged headings by the model trained without its repository. signs, relations: indexes
    of those used."""
    own = [s.signs[:, signs] for s in samples]
    odds = left_out(own, samples)
    if relations:
        related = [s.related(each)[:, relations] for s, each in zip(samples, odds, strict=True)]
        odds = left_out([np.concatenate(both, axis=1) for both in zip(own, related, strict=True)], samples)
    return [(each >= TAKEN) & ~s.refused for s, each in zip(samples, odds, strict=True)]


def document_scores(samples: Sequence[Sample], taken: Sequence[Bools]) -> list[float]:
    """Return the F1 of headings of each document; NaN if the reference has none."""
    result = []
    for sample, chosen in zip(samples, taken, strict=True):
        right, every = int((chosen & (sample.labels == 1)).sum()), int((chosen & (sample.labels >= 0)).sum())
        result.append(2 * right / (every + sample.need) if sample.need else np.nan)
    return result


def means(samples: Sequence[Sample], figures: Sequence[float]) -> dict[str, float]:
    """Return the mean of these figures over the documents of each corpus."""
    by: dict[str, list[float]] = defaultdict(list)
    for sample, figure in zip(samples, figures, strict=True):
        by[sample.corpus].append(figure)
    return {corpus: float(np.nanmean(each)) for corpus, each in by.items()}


def in_words(figures: Mapping[str, float], form: str = ".3f") -> str:
    return "  ".join(f"{corpus} {figure:{form}}" for corpus, figure in figures.items())


def without_each(names: Collection[str]) -> dict[str, list[int]]:
    """Return for each name the indexes of all others."""
    return {name: [k for k in range(len(names)) if k != n] for n, name in enumerate(names)}


def print_losses(every: P, without: Mapping[str, P], figures: Callable[[P], Mapping[str, float]], form: str = "+.4f") -> None:
    """Print how much the figures fall without each piece of evidence; evidence without loss should be removed. every: all evidence.
    without: by name, the evidence without one piece. figures: returns figures by corpus, made with this evidence."""
    whole = figures(every)
    print(f"{'all':28} {in_words(whole)}")
    for name, parts in without.items():
        print(f"{name:28} {in_words({corpus: whole[corpus] - figure for corpus, figure in figures(parts).items()}, form)}", flush=True)


def ablate(samples: Sequence[Sample]) -> None:
    """Print how much the F1 on repositories left out falls without each feature and each relation."""
    signs, relations = list(range(len(SIGNS))), list(range(len(RELATIONS)))
    without = {name: (signs, others) for name, others in without_each(RELATIONS).items()}
    without |= {name: (others, relations) for name, others in without_each(SIGNS).items()} | {"(no relations)": (signs, [])}
    print_losses((signs, relations), without, lambda parts: means(samples, document_scores(samples, judged(samples, *parts))))


def fit_both(samples: Sequence[Sample]) -> tuple[Line, Line]:
    """Return the functions over features, and over features and relations, trained on all these documents."""
    signs = [s.signs for s in samples]
    related = [s.related(odds) for s, odds in zip(samples, left_out(signs, samples), strict=True)]
    own, joint = fit(signs, samples), fit([np.concatenate(both, axis=1) for both in zip(signs, related, strict=True)], samples)
    return own, Line(joint.weights, joint.bias - TAKEN)


def weights_of(samples: Sequence[Sample]) -> dict[str, Weights]:
    """Return the weights of both regressions, trained on these documents."""
    own, joint = fit_both(samples)
    return {"headings": own.named(SIGNS), "related_headings": joint.named(EVIDENCE)}


def write_weights(learned: Mapping[str, Weights]) -> None:
    """Write the weights of these models into the product's file, with three decimals."""
    rounded = {
        judge: Weights(round(each.bias, 3), {name: round(weight, 3) for name, weight in each.weights.items()})
        for judge, each in learned.items()
    }
    path = Path(weights.__file__).with_name(weights.FILE)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(read_weights() | rounded), indent=1) + b"\n")


def arguments(description: str | None, argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line of a script that trains a judge: corpus, cache, write, ablate."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="+", help="folder with pdf/, gold/, MANIFEST.tsv and the scorer")
    parser.add_argument("--cache", type=Path, help="keep the text layer of each PDF here between runs")
    parser.add_argument("--write", action="store_true", help="write the weights learned from all documents")
    parser.add_argument("--ablate", action="store_true", help="print what each piece of evidence is worth")
    parser.add_argument("--lost", type=Path, help="write what is lost here, a row for each")
    return parser.parse_args(argv)


def train(
    samples: Sequence[S],
    args: argparse.Namespace,
    ablate: Callable[[Sequence[S]], None],
    learn: Callable[[Sequence[S]], dict[str, Weights]],
) -> int:
    """Carry out the command line of a script that trains a model: write weights, or print figures. Return the exit code."""
    if args.ablate:
        ablate(samples)
    if args.write:
        write_weights(learn(samples))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    args = arguments(__doc__, argv)
    scorer = load_scorer(args.corpus[0])
    samples = [sample for corpus in args.corpus for one in read_gold(corpus, args.cache) for sample in samples_of(one, scorer)]
    return train(samples, args, ablate, weights_of)


if __name__ == "__main__":
    sys.exit(main())
