"""Measure the index of many pages: time to build it, size, time of ten kinds of queries, of an update and of a deletion, compared with FTS5
alone.

    python -m benchmarks.search.search_speed OUTPUT [--pages N] [--folder DIR]

The documents of an output of `pdfmill index` are copied, with a tenth of their words replaced, until there are N pages; some rare words
differ in each copy, so that the vocabulary grows as in real texts (Heaps, Information Retrieval, 1978: about by the power 0.65 of the
number of words). FTS5 indexes texts and positions. All times are CPU times, so that other work on the machine has little effect; "cold" is
the first query of its kind after the index is opened. --folder keeps the indexes, and the next call only asks them.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.search.answers import Filters
from pdfmill.pipeline.search.index_file import Writer, open_folder
from pdfmill.pipeline.search.read_tables import Document, digests, read_documents, shown_tables
from pdfmill.pipeline.search.search_index import SearchIndex
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.table_reader import HeldTables

#: Share of words that are replaced in each copy, by words of the same length, so that offsets stay valid. With more random words the text
#: would compress worse than real text.
CHANGED: Final = 0.1
#: A word on at most this many pages counts as rare: names, numbers, misspellings. One in some of the rare words is replaced in each copy.
RARE_PAGES: Final = 2
RENAMED: Final = 4
#: Number of queries of a kind.
ASKED: Final = 40
_WORD: Final = re.compile(r"(\w+)")


class Words:
    """Replaces words by others of the same length: some that the documents contain, and some that no other copy contains."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = Counter(word for text in texts for word in set(_WORD.findall(text)))
        self._alike: dict[int, list[str]] = defaultdict(list)
        for word, number in self.counts.items():
            self._alike[len(word)] += [word] * min(number, 20)
        self._cut = cache(self._pieces)

    def _pieces(self, text: str) -> tuple[list[str], list[int]]:
        """Return a text as a list with words at odd indexes and the text between them at even ones, and the indexes of words that differ in
        each copy."""
        pieces = _WORD.split(text)
        rare = (at for at in range(1, len(pieces), 2) if self.counts[pieces[at]] <= RARE_PAGES)
        return pieces, [at for at in rare if not crc32(pieces[at].encode()) % RENAMED]

    def changed(self, text: str, copy: int, share: float) -> str:
        """Return the text with a share of its words replaced; words that differ in each copy get their letters in another order."""
        (known, rare), chance = self._cut(text), random.Random(copy ^ crc32(text.encode()))
        pieces = known.copy()
        for at in chance.sample(range(1, len(pieces), 2), int(share * (len(pieces) // 2))):
            pieces[at] = chance.choice(self._alike[len(pieces[at])])
        for at in rare:
            pieces[at] = "".join(random.Random(copy ^ crc32(known[at].encode())).sample(known[at], len(known[at])))
        return "".join(pieces)


def documents_of(output: str) -> tuple[HeldTables, list[Document]]:
    """Return the tables of an output of `pdfmill index`, and the documents in them."""
    shown = shown_tables(absolute_source(output))
    return shown, [each for stem in shown.stems("documents") for each in read_documents(shown, stem, digests(shown, stem))]


def copies(documents: Sequence[Document], words: Words, first: int = 0, share: float = CHANGED) -> Iterator[Document]:
    """Yield copies of the documents without end, each copy with a share of the words replaced. first: number of the first copy; copy 0 is
    unchanged."""
    for copy in count(first):
        for document in documents:
            held = [replace(page, text=words.changed(page.text, copy, share) if copy else page.text) for page in document.pages]
            yield replace(document, doc_id=f"{copy}/{document.doc_id}", source_uri=f"{document.source_uri}/{copy}", pages=held)


class Ours:
    """The index of pdfmill."""

    kinds = 10  # number of the kinds of queries that it is measured with

    def __init__(self, folder: Path, shown: HeldTables) -> None:
        self.folder = folder / "index"
        self._shown = shown
        if not self.folder.exists():
            self.folder.mkdir()
            open_folder(self.folder, is_new=True)
        self._writer: Writer | None = None
        self._opened: SearchIndex | None = None

    def add(self, document: Document) -> None:
        self._writer = self._writer or Writer(open_folder(self.folder))
        self._writer.add(document, "part", "")

    def remove(self, doc_ids: Sequence[str]) -> None:
        """Remove documents from the index."""
        self._writer = self._writer or Writer(open_folder(self.folder))
        for doc_id in doc_ids:
            self._writer.remove(doc_id)

    def end(self) -> None:
        if self._writer:
            self._writer.end(["part"])
        self._writer = None

    def size(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir())

    def ask(self, query: str, number: int) -> None:
        """Search for the best ten pages; if `number` is odd, among those in English."""
        self._opened = self._opened or SearchIndex(self.folder, self._shown)
        self._opened.search(query, filters=Filters(language="en" if number % 2 else None), boxes=False)


class Fts5:
    """SQLite's FTS5 alone: texts with their positions."""

    kinds = 7

    def __init__(self, folder: Path) -> None:
        self._file = folder / "fts5.sqlite"
        self._database = sqlite3.connect(self._file)
        self._database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS t USING fts5(text)")

    def add(self, document: Document) -> None:
        self._database.executemany("INSERT INTO t (text) VALUES (?)", ((page.text,) for page in document.pages))

    def end(self) -> None:
        self._database.commit()

    def size(self) -> int:
        return self._file.stat().st_size

    def ask(self, query: str, _: int) -> None:
        match = query if query[0] == '"' else " OR ".join(f'"{word}"' for word in query.split())
        self._database.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (match,)).fetchall()


def queries(words: Words, texts: Sequence[str], chance: random.Random) -> dict[str, Callable[[], str]]:
    """Return by name of the kind a function that makes a query."""
    known = [word for word in words.counts if len(word) > 3 and word.isalpha()]
    rare = [word for word in known if words.counts[word] <= RARE_PAGES]
    common = [word for word, _ in words.counts.most_common(40)]

    def run(count: int) -> list[str]:
        while len(found := _WORD.findall(chance.choice(texts))) <= count:
            pass
        start = chance.randrange(len(found) - count)
        return found[start : start + count]

    return {
        "a rare word": lambda: chance.choice(rare),
        "a common word": lambda: chance.choice(common),
        "three words": lambda: " ".join(chance.sample(known, 3)),
        "a question of ten words": lambda: f"what does the document say about {' '.join(run(4))}",
        "a sentence of fifteen words": lambda: " ".join(run(15)),
        "a phrase of three words": lambda: f'"{" ".join(run(3))}"',
        "a phrase of two common words": lambda: f'"{" ".join(chance.sample(common, 2))}"',
        "a beginning of three letters": lambda: f"{chance.choice(known)[:3]}*",
        "a word with a letter wrong": lambda: f"{chance.choice(known)}~",
        "operators": lambda: "{} AND ({} OR {}) NOT {}".format(*chance.sample(common, 2), *chance.sample(known, 2)),
    }


def seconds(call: Callable[..., object], *given: object, **named: object) -> float:
    """Return the CPU time of a call in seconds."""
    start = time.process_time()
    call(*given, **named)
    return time.process_time() - start


def show_queries(name: str, engine: Ours | Fts5, ways: Sequence[tuple[str, Callable[[], str]]]) -> None:
    """Run some kinds of queries and print their times."""
    every: list[float] = []
    for kind, make in ways:
        cold, *warm = (seconds(engine.ask, make(), number) for number in range(ASKED + 1))
        every += warm
        low, high = sorted(warm)[len(warm) // 2], sorted(warm)[int(0.95 * len(warm))]
        print(f"{name:10} {kind:30} cold {cold * 1e3:6.1f}  median {low * 1e3:6.1f}  95th percentile {high * 1e3:6.1f} ms", flush=True)
    print(f"{name:10} {'all':30} 95th percentile {sorted(every)[int(0.95 * len(every))] * 1e3:.1f} ms", flush=True)


class Built(Struct):
    """What an index took to build."""

    pages: int = 0
    copies: int = 0
    spent: float = 0.0  # CPU seconds


def build(engine: Ours | Fts5, state: Path, documents: Sequence[Document], words: Words, pages: int) -> Built:
    """Add complete copies of the documents to an index until it has `pages` pages. state: file that says what it took; an index that has it
    is not built again. Only one index is built at a time, because its threads go on working."""
    if state.exists():
        return msgspec.json.decode(state.read_bytes(), type=Built)
    built, start, made = Built(), time.process_time(), 0.0
    every = copies(documents, words)
    while built.pages < pages:
        for _ in documents:
            before = time.thread_time()
            document = next(every)
            made += time.thread_time() - before
            engine.add(document)
            built.pages += len(document.pages)
        built.copies += 1
    engine.end()
    built.spent = time.process_time() - start - made
    state.write_bytes(msgspec.json.encode(built))
    return built


def main(argv: Sequence[str]) -> int:
    """Run the script, print the figures, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.search_speed")
    parser.add_argument("output", metavar="OUTPUT", help="an output of pdfmill index")
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="pages to be indexed (default: 100000)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the indexes are kept (default: nowhere)")
    parser.add_argument("--engines", default="pdfmill,fts5", metavar="NAME,...", help="those that are built and asked (default: both)")
    flags = parser.parse_args(argv)
    shown, documents = documents_of(flags.output)
    texts = [page.text for document in documents for page in document.pages]
    words = Words(texts)
    with tempfile.TemporaryDirectory() as scratch:
        folder = flags.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        ours = Ours(folder, shown)
        both: dict[str, Ours | Fts5] = {"pdfmill": ours, "fts5": Fts5(folder)}
        engines = {name: engine for name, engine in both.items() if name in flags.engines.split(",")}
        for name, engine in engines.items():
            built = build(engine, folder / f"{name}.json", documents, words, flags.pages)
            each, size = built.spent / built.pages * 1e3, engine.size() / built.pages
            print(
                f"{name:10} {built.pages:,} pages built in {built.spent:.0f} s, {each:.3f} ms a page; {size:,.0f} bytes a page", flush=True
            )
        for name, engine in engines.items():
            show_queries(name, engine, [*queries(words, texts, random.Random(1)).items()][: engine.kinds])
        if "pdfmill" in engines:
            for copy, what in ((1, "update of one document"), (built.copies // 10, "deletion of a tenth")):
                gone = [f"{number}/{document.doc_id}" for number in range(copy) for document in documents][-1 if copy == 1 else 0 :]
                print(f"{what}: {seconds(change, ours, gone, documents[-1:] if copy == 1 else []):.2f} s", flush=True)
    return 0


def change(index: Ours, gone: Sequence[str], come: Sequence[Document]) -> None:
    """Remove documents from an index, and add others."""
    index.remove(gone)
    for document in come:
        index.add(document)
    index.end()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
