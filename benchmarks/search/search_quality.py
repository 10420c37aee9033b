"""Measure how well pages are found: known items, harder queries, and phrases of common words with their counts.

    python -m benchmarks.search.search_quality GOLD... [--output DIR] [--most N] [--pages N]

GOLD are folders with `gold/*.json` (references) and `pdf/*.pdf`, as for `make quality`. Each query is made from a reference and has one
wanted page; MRR@10 is the mean of one over the rank of that page, 0 beyond the tenth. The comparison is SQLite's FTS5 over the pages of
`pdftotext`, matching any word, ranked by BM25, with unchanged words and with Porter's stems. Harder queries are made from the same
references: questions of eight words around a heading, words in another form that the document has, numbers and versions. Phrases of two and
three common words are searched in quotation marks; the right result is counted in the pages' texts. Documents are divided into halves:
weights are tuned on the first, the second is only reported. With `--pages N`, copies of the documents in which two of three words are
replaced are added, until there are N pages.
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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import pyarrow.parquet as pq

from benchmarks.search.search_speed import Words, copies, documents_of
from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE
from pdfmill.pipeline.search.index_file import Writer, open_folder
from pdfmill.pipeline.search.search_index import SearchIndex, open_index
from pdfmill.pipeline.search.terms import fold_text
from pdfmill.schemas.scripts import UNSPACED_LETTERS

#: Number of hits that count.
HITS: Final = 10
#: Most queries made from sentences of one document, so that a long one does not outweigh the others.
SENTENCES: Final = 40
#: Most harder queries of a kind from one document.
HARD: Final = 8
#: Words of a sentence from which it is taken, and how many of its words make a query; characters of a word from which it may be one.
_LEAST_WORDS, _SAMPLED, _LEAST_CHARS = 8, (4, 6), 4
#: Number of characters of each of the two pieces of text that make a query in scripts without spaces.
_STRETCH: Final = 4

#: Phrases of common words that are asked, and the shares of the pages on which such a word stands.
PHRASES: Final = 200
#: Share of words that are replaced in the copies of documents.
REDRAWN: Final = 0.65
_COMMON: Final = 0.1

_WORD: Final = re.compile(r"\w+")
_LETTERS: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"(?<!\S)(?:v?\d+(?:[.,:/-]\d+)+|[a-z]+-?\d+(?:\.\d+)+)(?=[\s,;)]|\.(?!\d)|$)", re.IGNORECASE)
_QUESTIONS: Final = ("how does {} work in this case", "what does the document say about {}", "where can one read more about {}")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s*")
_UNSPACED: Final = re.compile(f"[{UNSPACED_LETTERS}]{{{2 * _STRETCH + 2},}}")

Page = tuple[str, int]


class Item(NamedTuple):
    """A query and the page that should be found."""

    kind: str  # kind of the query, e.g. headings or body
    query: str
    file: str  # name of the PDF
    page: int  # the wanted page, from 1
    # Normalised sentence or block from which the query was made; another page with the same one is right, too (handbooks in several
    # languages share untranslated parts).
    passage: str = ""

    @property
    def half(self) -> str:
        """Return the half of the documents to which its document belongs: "tuned" or "shown"."""
        return "tuned" if crc32(self.file.encode()) % 2 else "shown"


def items(golds: Sequence[Path]) -> list[Item]:
    """Return the queries made from reference files. Headings of one word, and headings that occur several times, make none."""
    headings: list[Item] = []
    body: list[Item] = []
    for path in golds:
        gold = json.loads(path.read_text(encoding="utf-8"))
        headings += _headings(gold)
        body += _body(gold)
        body += _hard(gold)
    counts = Counter(item.query.casefold() for item in (*headings, *body))
    return [item for item in (*headings, *body) if counts[item.query.casefold()] == 1]


def same_passages(golds: Sequence[Path], asked: Sequence[Item]) -> dict[str, set[Page]]:
    """Return by passage the pages that contain it, for the passages of these queries."""
    found: dict[str, set[Page]] = {item.passage: set() for item in asked if item.passage}
    for path in golds:
        gold = json.loads(path.read_text(encoding="utf-8"))
        for block in gold["blocks"]:
            for text in (block["text"], *_SENTENCE_END.split(block["text"])) if block.get("page") else ():
                if (folded := fold_text(text)) in found:
                    found[folded].add((gold["file"], block["page"]))
    return found


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
                    found.append(Item("body", query, gold["file"], block["page"], fold_text(sentence)))
    return chance.sample(found, min(SENTENCES, len(found)))


def _hard(gold: dict[str, Any]) -> Iterator[Item]:
    """Yield harder queries made from one reference file, a few of each kind; numbers only if one page has them."""
    chance = random.Random(f"hard {gold['file']}")
    found: dict[str, list[Item]] = defaultdict(list)
    blocks = [block for block in gold["blocks"] if block.get("page") and not block.get("optional")]
    forms: dict[str, list[str]] = defaultdict(list)
    for word in sorted({word for block in blocks for word in _WORD.findall(block["text"].lower()) if len(word) > _LEAST_CHARS}):
        forms[word[: max(_LEAST_CHARS, len(word) - 3)]].append(word)
    numbers = Counter((number, block["page"]) for block in blocks for number in sorted(set(_NUMBER.findall(block["text"]))))
    pages = Counter(number for number, _ in numbers)
    found["numbers"] = [Item("numbers", number, gold["file"], page) for number, page in numbers if pages[number] == 1]
    for block in blocks:
        words = _WORD.findall(block["text"])
        if block["role"] == "heading" and 2 <= len(words) <= 5:
            question = _QUESTIONS[crc32(block["text"].encode()) % len(_QUESTIONS)].format(" ".join(words).lower())
            found["questions"].append(Item("questions", question, gold["file"], block["page"]))
        elif block["role"] == "paragraph" and not block.get("last_page") and len(words) > _LEAST_WORDS:
            picked = chance.sample(words, 3)
            others = [_other(word.lower(), forms) for word in picked]
            if sum(map(bool, others)) in (1, 2) and all(len(word) > 2 for word in picked):
                query = " ".join(other or word for word, other in zip(picked, others, strict=True))
                found["inflected"].append(Item("inflected", query, gold["file"], block["page"], fold_text(block["text"])))
    for kind in sorted(found):
        yield from chance.sample(found[kind], min(HARD, len(found[kind])))


def _other(word: str, forms: dict[str, list[str]]) -> str | None:
    """Return another word of the document that differs from this one only in its ending; None without one."""
    alike = [each for each in forms[word[: max(_LEAST_CHARS, len(word) - 3)]] if each != word and abs(len(each) - len(word)) <= 3]
    return alike[0] if len(word) > _LEAST_CHARS and alike else None


def phrases(texts: Sequence[str], count: int) -> list[tuple[str, int]]:
    """Return phrases of two and three common words that occur on at least one page, each with the number of its pages."""
    chance = random.Random(2)
    pages = [" ".join(map(fold_text, _LETTERS.findall(text))).split() for text in texts]  # a word may fold to two: 2014¹
    common = {word for word, number in Counter(word for words in pages for word in set(words)).items() if number > _COMMON * len(pages)}
    runs: Counter[tuple[str, ...]] = Counter()
    for words in pages:
        pieces = {tuple(words[at : at + size]) for size in (2, 3) for at in range(len(words) - size + 1)}
        runs.update([piece for piece in pieces if common.issuperset(piece) and all(each.isascii() for each in piece)])
    return [(" ".join(run), runs[run]) for run in chance.sample(sorted(runs), min(count, len(runs)))]


def phrases_found(index: SearchIndex, asked: Sequence[tuple[str, int]]) -> tuple[int, int]:
    """Return the number of phrases that are found, and the number of those whose count of pages is right."""
    totals = [(index.search(f'"{phrase}"', limit=1).total, pages) for phrase, pages in asked]
    return sum(total > 0 for total, _ in totals), sum(total == pages for total, pages in totals)


def _sampled(sentence: str, chance: random.Random) -> str | None:
    """Return some words of a sentence in their order; None if it has too few."""
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
    """Yield each page with its text by `pdftotext`."""
    for pdf in pdfs:
        text = subprocess.run(["pdftotext", str(pdf), "-"], capture_output=True, check=False).stdout.decode("utf-8", "replace")
        for number, page in enumerate(text.split("\f")[:-1], start=1):
            yield (pdf.name, number), page


def plain_engine(pages: Sequence[tuple[Page, str]], tokenizer: str = "unicode61") -> Callable[[str], list[Page]]:
    """Return a function that searches these pages by SQLite's FTS5. tokenizer: its name in FTS5."""
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE t USING fts5(text, tokenize='{tokenizer}')")
    database.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", ((number, text) for number, (_, text) in enumerate(pages)))

    def ask(query: str) -> list[Page]:
        match = " OR ".join(f'"{word}"' for word in query.replace('"', " ").split())
        found = database.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, HITS))
        return [pages[number][0] for (number,) in found]

    return ask


def among_copies(output: str, pages: int, folder: Path) -> tuple[SearchIndex, list[str]]:
    """Build an index of the documents of an output and of changed copies of them, in `folder`; return it with the texts of the copies'
    pages."""
    shown, documents = documents_of(output)
    known = [page.text for document in documents for page in document.pages]
    at, texts = folder / "crowd", list[str]()
    at.mkdir()
    writer = Writer(open_folder(at, is_new=True))
    for document in documents:
        writer.add(document, "part", "")
    for document in copies(documents, Words(known), 1, REDRAWN):
        if len(known) + len(texts) >= pages:
            break
        writer.add(document, "part", "")
        texts += [page.text for page in document.pages]
    writer.end(["part"])
    return SearchIndex(at, shown), texts


def our_engine(index: SearchIndex) -> Callable[[str], list[Page]]:
    """Return a function that searches by the index of `pdfmill search`."""

    def ask(query: str) -> list[Page]:
        return [(hit.source_uri.rpartition("/")[2], hit.page) for hit in index.search(query, limit=HITS, boxes=False).hits]

    return ask


def reciprocal_rank(found: Sequence[Page], wanted: Collection[Page]) -> float:
    """Return one over the rank of the first wanted page; 0 if none is found.

    >>> reciprocal_rank([("a.pdf", 1), ("a.pdf", 2)], [("a.pdf", 2)])
    0.5
    """
    return next((1 / place for place, page in enumerate(found[:HITS], start=1) if page in wanted), 0.0)


def scores(
    asked: Sequence[Item], same: Mapping[str, Collection[Page]], ask: Callable[[str], list[Page]]
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return (MRR, recall) by (kind of query, half of the documents), and of all. same: the pages of each passage."""
    ranks: dict[tuple[str, str], list[float]] = defaultdict(list)
    for item in asked:
        rank = reciprocal_rank(ask(item.query), {(item.file, item.page), *same.get(item.passage, ())})
        for key in product((item.kind, "every kind"), (item.half, "all")):
            ranks[key].append(rank)
    return {key: (sum(each) / len(each), sum(map(bool, each)) / len(each)) for key, each in ranks.items()}


def _pair(values: tuple[float, float]) -> str:
    return "/".join(f"{value:.3f}" for value in values)


def main(argv: Sequence[str]) -> int:
    """Run the script, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.search.search_quality", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("gold", nargs="+", type=Path, metavar="GOLD", help="folder with gold/ and pdf/")
    parser.add_argument("--output", metavar="DIR", help="tables of these documents that are there already, or where they are to be kept")
    parser.add_argument("--pages", type=int, metavar="N", help="pages among which they are looked for (default: theirs)")
    parser.add_argument("--most", type=int, metavar="N", help="queries, a sample (default: all)")
    flags = parser.parse_args(argv)
    golds = [path for folder in flags.gold for path in sorted((folder / "gold").glob("*.json"))]
    asked = items(golds)
    if flags.most is not None and flags.most < len(asked):
        asked = random.Random(1).sample(asked, flags.most)
    folders = [str(folder / "pdf") for folder in flags.gold]
    with tempfile.TemporaryDirectory() as scratch:
        output = flags.output or scratch
        if not Path(output, "sections").exists() and run(["index", *folders, "--output", output]) == EXIT_NOTHING_DONE:
            return EXIT_NOTHING_DONE
        pdfs = [path for folder in folders for path in sorted(Path(folder).glob("*.pdf"))]
        same, plain = same_passages(golds, asked), list(plain_pages(pdfs))
        with open_index(output) as alone:
            texts = pq.read_table(Path(output, "pages"), columns=["text"])["text"].to_pylist()
            index, more = among_copies(output, flags.pages, Path(scratch)) if flags.pages else (alone, [])
            crowd = [*plain, *(((f"copy {number}", 0), text) for number, text in enumerate(more))]
            engines = (our_engine(index), plain_engine(crowd), plain_engine(crowd, "porter unicode61"))
            ours, theirs, porter = (scores(asked, same, engine) for engine in engines)
            common = phrases([*texts, *more], PHRASES)
            found, right = phrases_found(index, common)
    print(f"{'':10} {'half':6} {'queries':>8} {'pdfmill':>11} {'FTS5 over pdftotext':>20} {'FTS5 porter':>12}   (MRR / recall)")
    for kind, half in sorted(ours):
        count = sum(kind in (item.kind, "every kind") and half in (item.half, "all") for item in asked)
        pairs = [_pair(each[kind, half]) for each in (ours, theirs, porter)]
        print(f"{kind:10} {half:6} {count:8,} {pairs[0]:>11} {pairs[1]:>20} {pairs[2]:>12}")
    print(f"phrases of common words: {found} of {len(common)} found, {right} with the right total")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
