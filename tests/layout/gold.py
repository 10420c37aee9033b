"""Twenty pages with gold for each question of layout, and twenty documents for what all pages decide together: the score of each, and a
digest of what is judged, are kept in `gold_pages.json`.

    python -m tests.layout.gold CORPUS          draw the pages anew by seed, write each one's score

A change of judgement changes some of them on purpose; then the file is written anew in the same commit, and its difference says
which pages became better or worse.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from benchmarks.judgement.quality import GOLD_ROLES, blocks_to_tables
from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import local_uri

FILE: Final = Path(__file__).parent / "gold_pages.json"
PAGES: Final = 20
#: A page counts where its gold has so many words, or so many items of a list.
_WORDS, _ITEMS = 40, 3
_STRUCTURE: Final = ("structure", "structure-real", "structure-wild")


@cache
def _scorer(corpus: Path) -> ModuleType:
    """The corpus' own scorer."""
    spec = importlib.util.spec_from_file_location("gold_scorer", corpus / "structure" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _gold(path: Path) -> dict[str, Any]:
    return json.loads((path.parent.parent / "gold" / f"{path.stem}.json").read_text(encoding="utf-8"))


def _page_of(gold: dict[str, Any], key: str, number: int) -> list[dict[str, Any]]:
    return [each for each in gold[key] if each["page"] == number]


@cache
def _read(path: Path, number: int) -> tuple[str, list[dict[str, Any]]]:
    """The text of the page's lines as they were read, and its blocks. The page is laid out as a document of its own.
    number: 0 for the whole document."""
    ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings()
    reading = read_document(ref, settings)
    wanted = PageRange(ref, number, number) if number else PageRange(ref, 1, int(str(reading.row["page_count"])))
    pages = list(read_pages(wanted, settings))
    lines = "\n".join(line.text for line in pages[0].lines)
    return lines, [dict(block) for block in finish(reading, pages, DEFAULTS).blocks]


def _f1(gold: Counter[Any], found: Counter[Any]) -> float:
    return 2 * (gold & found).total() / max(1, gold.total() + found.total())


def _said(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(str(block["text"]) for block in blocks)


def words(corpus: Path, path: Path, number: int) -> float:
    """F1 of the page's words, in no order: whether lines and the gaps between words are seen."""
    split, lines = _scorer(corpus).words, _read(path, number)[0]
    return _f1(Counter(split(_said(_page_of(_gold(path), "blocks", number)))), Counter(split(lines)))


def order(corpus: Path, path: Path, number: int) -> float:
    """Similarity of the sequences of words: whether columns are seen."""
    scorer, (_, blocks) = _scorer(corpus), _read(path, number)
    found = [{"role": GOLD_ROLES[str(block["role"])], "text": block["text"]} for block in blocks]
    return float(scorer.score_text(_page_of(_gold(path), "blocks", number), found)["sim"])


def _of_role(role: str) -> Callable[[Path, Path, int], float]:
    def score(corpus: Path, path: Path, number: int) -> float:
        split, (_, blocks) = _scorer(corpus).words, _read(path, number)
        gold = Counter(tuple(split(each["text"])) for each in _page_of(_gold(path), "blocks", number) if each["role"] == role)
        return _f1(gold, Counter(tuple(split(str(each["text"]))) for each in blocks if GOLD_ROLES[str(each["role"])] == role))

    return score


def tables(corpus: Path, path: Path, number: int) -> float:
    """F1 of cells with their row and column, of all tables of the page; of a page without any 1 where none is seen."""
    split = _scorer(corpus).words

    def cells(found: list[dict[str, Any]]) -> Counter[Any]:
        return Counter(
            (row, column, tuple(split(text)))
            for each in found
            for row, line in enumerate(each["cells"])
            for column, text in enumerate(line)
            if text
        )

    gold, found = cells(_page_of(_gold(path), "tables", number)), cells(blocks_to_tables(_read(path, number)[1], path.name)["tables"])  # type: ignore[arg-type]
    return _f1(gold, found) if gold or found else 1.0


def _of_document(part: str) -> Callable[[Path, Path, int], float]:
    """The scorer's figure of a whole document; of furniture the share that does not leak."""

    def score(corpus: Path, path: Path, number: int) -> float:
        gold, blocks = _gold(path), _read(path, number)[1]
        found = [
            {"page": each["page"], "role": role, "text": each["text"] or "", "level": (each["level"] or 1) if role == "heading" else None}
            for each in blocks
            for role in [GOLD_ROLES[str(each["role"])]]
        ]
        result = _scorer(corpus).score_doc(gold, {"file": path.name, "blocks": found}).get(part, {})
        return 1.0 - float(result.get("leak", 0.0)) if part == "furniture" else float(result["f1"])

    return score


QUESTIONS: Final = {"words": words, "order": order, "lists": _of_role("list"), "captions": _of_role("caption"), "tables": tables}
#: Number 0 in the name of a page: the whole document.
WHOLE: Final = {part: _of_document(part) for part in ("headings", "paragraphs", "furniture")}


def _counts(question: str, gold: dict[str, Any], number: int) -> bool:
    """Whether the gold of this page says enough on the question."""
    if question == "tables":
        return number <= 2
    if question in WHOLE:
        return question in gold["facets"]
    blocks = _page_of(gold, "blocks", number)
    if question in ("words", "order"):
        facet = "text" if question == "words" else "order"
        return facet in gold["facets"] and sum(len(each["text"].split()) for each in blocks) >= _WORDS
    role, least = ("list", _ITEMS) if question == "lists" else ("caption", 1)
    return "text" in gold["facets"] and sum(each["role"] == role for each in blocks) >= least


def draw(corpus: Path, question: str) -> Iterator[tuple[Path, int]]:
    """Pages for a question by seed, one of each document before a second of any."""
    draw_, folders = random.Random(question), ("tables",) if question == "tables" else _STRUCTURE
    lots: list[tuple[int, float, Path, int]] = []
    for path in sorted(path for folder in folders for path in (corpus / folder / "pdf").glob("*.pdf")):
        gold = _gold(path)
        numbers = [0] if question in WHOLE else sorted({each["page"] for each in gold.get("blocks") or gold["tables"]}) or [1]
        fit = [number for number in numbers if _counts(question, gold, number)]
        draw_.shuffle(fit)
        lots += [(turn, draw_.random(), path, number) for turn, number in enumerate(fit)]
    for _, _, path, number in sorted(lots)[:PAGES]:
        yield path, number


def _answer(question: str, path: Path, number: int) -> list[object]:
    """What the question is judged by, word for word: a score may stay while it changes."""
    lines, blocks = _read(path, number)
    roles = {"lists": "list", "captions": "caption", "tables": "table"}
    if question == "words":
        return [lines]
    if question == "order":
        return [block["text"] for block in blocks]
    if question == "furniture":
        return [(block["page"], block["text"]) for block in blocks if GOLD_ROLES[str(block["role"])] == question]
    if question in WHOLE:
        return [(block["page"], block["level"], block["text"]) for block in blocks if GOLD_ROLES[str(block["role"])] == question[:-1]]
    return [(block["level"], block["text"], block["html"]) for block in blocks if GOLD_ROLES[str(block["role"])] == roles[question]]


def score(corpus: Path, question: str, page: str) -> list[object]:
    """The score of a page by its name, `FOLDER/FILE.pdf NUMBER`, and a digest of what it is judged by."""
    name, _, number = page.rpartition(" ")
    folder, _, file = name.partition("/")
    path = corpus / folder / "pdf" / file
    digest = hashlib.sha256(repr(_answer(question, path, int(number))).encode()).hexdigest()[:8]
    return [round((QUESTIONS | WHOLE)[question](corpus, path, int(number)), 4), digest]


def main(corpus: Path) -> None:
    """Write the file."""
    kept: dict[str, dict[str, list[Any]]] = {}
    for question in QUESTIONS | WHOLE:
        names = [f"{path.parent.parent.name}/{path.name} {number}" for path, number in draw(corpus, question)]
        kept[question] = {name: list(score(corpus, question, name)) for name in sorted(names)}
        print(f"{question}: {len(names)} pages, mean {sum(value for value, _ in kept[question].values()) / len(names):.4f}", flush=True)
    lines = [
        f'"{question}": {{\n' + ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in pages.items()) + "\n}"
        for question, pages in kept.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
