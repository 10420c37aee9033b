"""How well pages are found: words of a heading, and words out of a sentence, to the page that they stand on.

    python -m benchmarks.search_quality GOLD... [--output DIR]

A known-item benchmark over documents with gold (folders with `gold/*.json` and `pdf/*.pdf`, as `make quality` takes them): each query is
made of the gold, one page is wanted, and MRR@10 is the mean of one over its rank, 0 beyond the tenth. Against SQLite's FTS5 over the pages
of `pdftotext`, any word, ranked by its BM25. Documents are parted in halves: weights are tuned on the first, the second is only shown.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.run.exit_codes import EXIT_NOTHING_DONE
from pdfmill.pipeline.search.search_index import SearchIndex, open_index
from pdfmill.schemas.scripts import UNSPACED_LETTERS

#: Hits that count.
HITS: Final = 10
#: Queries from sentences of one document at most, so that a long one does not outweigh the others.
SENTENCES: Final = 40
#: Words of a sentence from which it is taken, and how many of its words make a query; characters of a word from which it may be one.
_LEAST_WORDS, _SAMPLED, _LEAST_CHARS = 8, (4, 6), 4
#: Characters of the two stretches that make a query in scripts without spaces.
_STRETCH: Final = 4

_WORD: Final = re.compile(r"\w+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s*")
_UNSPACED: Final = re.compile(f"[{UNSPACED_LETTERS}]{{{2 * _STRETCH + 2},}}")

Page = tuple[str, int]


class Item(NamedTuple):
    """A query and the page that is wanted. kind: headings or body. file: name of the PDF."""

    kind: str
    query: str
    file: str
    page: int

    @property
    def half(self) -> str:
        """Which half its document belongs to."""
        return "tuned" if crc32(self.file.encode()) % 2 else "shown"


def items(golds: Sequence[Path]) -> list[Item]:
    """The queries of some golds; headings of one word are none, nor those that stand at several places."""
    headings: list[Item] = []
    body: list[Item] = []
    for path in golds:
        gold = json.loads(path.read_text(encoding="utf-8"))
        headings += _headings(gold)
        body += _body(gold)
    counts = Counter(item.query.casefold() for item in headings)
    return [*(item for item in headings if counts[item.query.casefold()] == 1), *body]


def _headings(gold: dict[str, Any]) -> Iterator[Item]:
    for block in gold["blocks"]:
        if block["role"] == "heading" and not block.get("optional") and block.get("page"):
            words = _WORD.findall(block["text"])
            if len(words) > 1 or _UNSPACED.search(block["text"]):
                yield Item("headings", " ".join(words), gold["file"], block["page"])


def _body(gold: dict[str, Any]) -> list[Item]:
    chance = random.Random(gold["file"])
    found = []
    for block in gold["blocks"]:
        if block["role"] in ("paragraph", "list") and block.get("page") and not block.get("last_page"):
            for sentence in _SENTENCE_END.split(block["text"]):
                if query := _sampled(sentence, chance):
                    found.append(Item("body", query, gold["file"], block["page"]))
    return chance.sample(found, min(SENTENCES, len(found)))


def _sampled(sentence: str, chance: random.Random) -> str | None:
    """Some words of a sentence in their order; None where it has too few."""
    if run := _UNSPACED.search(sentence):
        first = chance.randrange(len(run[0]) - 2 * _STRETCH)
        second = chance.randrange(first + _STRETCH, len(run[0]) - _STRETCH + 1)
        return f"{run[0][first : first + _STRETCH]} {run[0][second : second + _STRETCH]}"
    words = _WORD.findall(sentence)
    long = [word for word in words if len(word) >= _LEAST_CHARS]
    if len(words) < _LEAST_WORDS or len(long) <= _SAMPLED[1]:
        return None
    places = sorted(chance.sample(range(len(long)), chance.randint(*_SAMPLED)))
    return " ".join(long[place] for place in places)


def plain_pages(pdfs: Sequence[Path]) -> Iterator[tuple[Page, str]]:
    """Pages as `pdftotext` gives them."""
    for pdf in pdfs:
        text = subprocess.run(["pdftotext", str(pdf), "-"], capture_output=True, check=False).stdout.decode("utf-8", "replace")
        for number, page in enumerate(text.split("\f")[:-1], start=1):
            yield (pdf.name, number), page


def plain_engine(pdfs: Sequence[Path]) -> Callable[[str], list[Page]]:
    """FTS5 as it comes, over plain pages."""
    pages = list(plain_pages(pdfs))
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
    database.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", ((number, text) for number, (_, text) in enumerate(pages)))

    def ask(query: str) -> list[Page]:
        match = " OR ".join(f'"{word}"' for word in _WORD.findall(query))
        found = database.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, HITS))
        return [pages[number][0] for (number,) in found]

    return ask


def our_engine(index: SearchIndex) -> Callable[[str], list[Page]]:
    """`pdfmill search`."""

    def ask(query: str) -> list[Page]:
        return [(hit.source_uri.rpartition("/")[2], hit.page) for hit in index.search(query, limit=HITS).hits]

    return ask


def reciprocal_rank(found: Sequence[Page], wanted: Page) -> float:
    """One over the place of the first that is wanted, 0 where none is.

    >>> reciprocal_rank([("a.pdf", 1), ("a.pdf", 2)], ("a.pdf", 2))
    0.5
    """
    return next((1 / place for place, page in enumerate(found[:HITS], start=1) if page == wanted), 0.0)


def scores(asked: Sequence[Item], ask: Callable[[str], list[Page]]) -> dict[tuple[str, str], float]:
    """MRR by kind and half, and of all."""
    ranks: dict[tuple[str, str], list[float]] = defaultdict(list)
    for item in asked:
        rank = reciprocal_rank(ask(item.query), (item.file, item.page))
        ranks[item.kind, item.half].append(rank)
        ranks[item.kind, "all"].append(rank)
    return {key: sum(each) / len(each) for key, each in ranks.items()}


def main(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_quality", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("gold", nargs="+", type=Path, metavar="GOLD", help="folder with gold/ and pdf/")
    parser.add_argument("--output", metavar="DIR", help="tables of these documents that are there already, or where they are to be kept")
    flags = parser.parse_args(argv)
    asked = items([path for folder in flags.gold for path in sorted((folder / "gold").glob("*.json"))])
    folders = [str(folder / "pdf") for folder in flags.gold]
    with tempfile.TemporaryDirectory() as scratch:
        output = flags.output or scratch
        if not Path(output, "sections").exists() and run(["index", *folders, "--output", output]) == EXIT_NOTHING_DONE:
            return EXIT_NOTHING_DONE
        pdfs = [path for folder in folders for path in sorted(Path(folder).glob("*.pdf"))]
        with open_index(output) as index:
            ours, theirs = scores(asked, our_engine(index)), scores(asked, plain_engine(pdfs))
    print(f"{'':10} {'half':6} {'queries':>8} {'pdfmill':>8} {'FTS5 over pdftotext':>20}")
    for kind, half in sorted(ours):
        count = sum(item.kind == kind and half in (item.half, "all") for item in asked)
        print(f"{kind:10} {half:6} {count:8,} {ours[kind, half]:8.3f} {theirs[kind, half]:20.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
