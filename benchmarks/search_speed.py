"""What an index of many pages costs: time to build beside FTS5 and Tantivy by themselves, size, time of ten kinds of queries, of an update
and of a deletion.

    python -m benchmarks.search_speed OUTPUT [--pages N] [--folder DIR [--seconds S]]

The documents of an output of `pdfmill index` are repeated with other words in place of a tenth of theirs, until there are as many pages as
asked for; some of the words that few pages have are others in each copy, so that the vocabulary grows as that of people's texts does
(Heaps, Information Retrieval, 1978: about by the power 0.65 of the number of words). FTS5 by itself holds the texts and their positions,
and in a second table, which is timed apart, Porter's stems; Tantivy holds texts and positions. All times are of the processor, so that
other work on the machine counts little; cold is the first query of its kind after the index is opened. With a folder the indexes are kept:
a call that ends after some seconds is gone on with by the next, and the one that has all pages measures.
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

import tantivy
from msgspec import Struct
from msgspec.json import decode as json_decode
from msgspec.json import encode as json_encode
from msgspec.structs import replace

from pdfmill.pipeline.search.answers import Filters
from pdfmill.pipeline.search.index_file import Writer, create, open_folder
from pdfmill.pipeline.search.read_tables import Document, document_ids, read_documents, shown_tables
from pdfmill.pipeline.search.search_index import SearchIndex
from pdfmill.transforms.storage.sources import absolute_source

#: Share of the words that are others in each copy; as long as theirs, so that offsets stay what they are. More of them, picked at random,
#: make text that compresses worse than any that people write.
CHANGED: Final = 0.1
#: Pages up to which a word counts as rare: names, numbers, misspellings. One in so many of the rare ones is another word in each copy.
RARE_PAGES: Final = 2
RENAMED: Final = 4
#: Queries of a kind.
ASKED: Final = 40
_WORD: Final = re.compile(r"(\w+)")


class Words:
    """Other words for words, of the same length: some that the documents have, and such as no other copy has."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = Counter(word for text in texts for word in set(_WORD.findall(text)))
        self._alike: dict[int, list[str]] = defaultdict(list)
        for word, number in self.counts.items():
            self._alike[len(word)] += [word] * min(number, 20)
        self._cut = cache(self._pieces)

    def _pieces(self, text: str) -> tuple[list[str], list[int]]:
        """A text as words at odd places and what stands between them; the places of words that are others in each copy."""
        pieces = _WORD.split(text)
        rare = (at for at in range(1, len(pieces), 2) if self.counts[pieces[at]] <= RARE_PAGES)
        return pieces, [at for at in rare if not crc32(pieces[at].encode()) % RENAMED]

    def changed(self, text: str, copy: int, share: float) -> str:
        """The text with others in place of a share of its words; those of a copy's own have their letters in another order."""
        (known, rare), chance = self._cut(text), random.Random(copy ^ crc32(text.encode()))
        pieces = known.copy()
        for at in chance.sample(range(1, len(pieces), 2), int(share * (len(pieces) // 2))):
            pieces[at] = chance.choice(self._alike[len(pieces[at])])
        for at in rare:
            pieces[at] = "".join(random.Random(copy ^ crc32(known[at].encode())).sample(known[at], len(known[at])))
        return "".join(pieces)


def copies(documents: Sequence[Document], words: Words, first: int = 0, share: float = CHANGED) -> Iterator[Document]:
    """The documents again and again, each time with others for a share of their words. first: copy; that of number 0 is as they are."""
    for copy in count(first):
        for document in documents:
            held = [replace(page, text=words.changed(page.text, copy, share) if copy else page.text) for page in document.pages]
            yield replace(document, doc_id=f"{copy}/{document.doc_id}", source_uri=f"{document.source_uri}/{copy}", pages=held)


class Fts5:
    """SQLite's FTS5 by itself: texts with their positions, and Porter's stems."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "fts5.sqlite"
        self._database = sqlite3.connect(self.file)
        self._database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS t USING fts5(text)")
        self._database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS stems USING fts5(text, content='', tokenize='porter unicode61')")

    def add(self, texts: Sequence[str]) -> None:
        self._database.executemany("INSERT INTO t (text) VALUES (?)", ((text,) for text in texts))

    def add_stems(self, texts: Sequence[str]) -> None:
        self._database.executemany("INSERT INTO stems (text) VALUES (?)", ((text,) for text in texts))

    def end(self) -> None:
        self._database.commit()

    def size(self) -> int:
        return self.file.stat().st_size

    def ask(self, query: str) -> None:
        """The best ten pages with any of what was typed with spaces between, or with a phrase in quotation marks."""
        match = query if query[0] == '"' else " OR ".join(f'"{word}"' for word in query.split())
        self._database.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (match,)).fetchall()


class Plain:
    """Tantivy by itself: texts with their positions."""

    def __init__(self, folder: Path) -> None:
        schema = tantivy.SchemaBuilder().add_text_field("text", stored=True).build()
        self._folder = folder / "tantivy"
        self._folder.mkdir(exist_ok=True)
        self._index = tantivy.Index(schema, path=str(self._folder))
        self._writer: tantivy.IndexWriter | None = None

    def add(self, texts: Sequence[str]) -> None:
        self._writer = self._writer or self._index.writer(200_000_000, 1)
        for text in texts:
            self._writer.add_document(tantivy.Document(text=text))

    def end(self) -> None:
        if self._writer:
            self._writer.commit()
            self._writer.wait_merging_threads()
        self._index.reload()

    def size(self) -> int:
        return sum(file.stat().st_size for file in self._folder.iterdir())

    def ask(self, query: str) -> None:
        """The best ten pages with any of the words, or with a phrase in quotation marks."""
        text = query if query[0] == '"' else re.sub(r"\W+", " ", query.lower())
        self._index.searcher().search(self._index.parse_query(text, ["text"]), 10)


def queries(words: Words, texts: Sequence[str], chance: random.Random) -> dict[str, Callable[[], str]]:
    """Ways to make a query, by the name of its kind."""
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
    """CPU time of a call."""
    start = time.process_time()
    call(*given, **named)
    return time.process_time() - start


def asked(ask: Callable[[str, int], object], make: Callable[[], str]) -> list[float]:
    """Seconds of each query of a kind, the first one apart."""
    return [seconds(ask, make(), number) for number in range(ASKED + 1)]


def show_queries(name: str, ask: Callable[[str, int], object], words: Words, texts: Sequence[str], *, plain: bool = False) -> None:
    """Ask ten kinds of queries and print their times. plain: leave out kinds that only our language of queries has."""
    every: list[float] = []
    for kind, make in queries(words, texts, random.Random(1)).items():
        if plain and kind.startswith(("a beginning", "a word with", "operators")):
            continue
        cold, *warm = asked(ask, make)
        every += warm
        low, high = sorted(warm)[len(warm) // 2], sorted(warm)[int(0.95 * len(warm))]
        print(f"{name:8} {kind:30} cold {cold * 1e3:6.1f}  median {low * 1e3:6.1f}  95th percentile {high * 1e3:6.1f} ms", flush=True)
    print(f"{name:8} {'all':30} 95th percentile {sorted(every)[int(0.95 * len(every))] * 1e3:.1f} ms", flush=True)


class Built(Struct):
    """How far the indexes are. copy: those that are whole. ours, fts5, stems (beside it), tantivy: seconds of the processor."""

    pages: int = 0
    copy: int = 0
    ours: float = 0.0
    fts5: float = 0.0
    stems: float = 0.0
    tantivy: float = 0.0


def build(folder: Path, documents: Sequence[Document], words: Words, pages: int, until: float) -> Built:
    """Take copies of the documents into the three indexes until there are so many pages or it is so late, at whole copies."""
    told = folder / "built.json"
    built = json_decode(told.read_bytes(), type=Built) if told.exists() else Built()
    if built.pages >= pages or time.monotonic() > until:
        return built
    fts5, plain, at = Fts5(folder), Plain(folder), folder / "index"
    writer = Writer(open_folder(at) if at.exists() else create(made(at)), is_build=True)
    for number, document in enumerate(copies(documents, words, built.copy), start=1):
        built.ours += seconds(writer.add, document, "part", "")
        texts = [page.text for page in document.pages]
        built.fts5 += seconds(fts5.add, texts)
        built.stems += seconds(fts5.add_stems, texts)
        built.tantivy += seconds(plain.add, texts)
        built.pages += len(texts)
        if number % len(documents) == 0:
            built.copy += 1
            if built.pages >= pages or time.monotonic() > until:
                break
    built.ours += seconds(writer.end, ["part"], -1)
    built.fts5 += seconds(fts5.end)
    built.tantivy += seconds(plain.end)
    told.write_bytes(json_encode(built))
    return built


def change(folder: Path, gone: Sequence[str], come: Sequence[Document]) -> None:
    """Take documents out of our index, and others in."""
    writer = Writer(open_folder(folder))
    for doc_id in gone:
        writer.remove(doc_id)
    for document in come:
        writer.add(document, "part", "")
    writer.end(["part"], -1)


def made(folder: Path) -> Path:
    """The folder, which is there now."""
    folder.mkdir(parents=True)
    return folder


def main(argv: Sequence[str]) -> int:
    """Print what it costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_speed")
    parser.add_argument("output", metavar="OUTPUT", help="an output of pdfmill index")
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="pages to be indexed (default: 100000)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the indexes are kept (default: nowhere)")
    parser.add_argument("--seconds", type=float, default=1e9, metavar="S", help="end building after so long, to go on in the next call")
    flags = parser.parse_args(argv)
    until = time.monotonic() + flags.seconds
    shown = shown_tables(absolute_source(flags.output))
    documents = [each for stem in shown.stems("documents") for each in read_documents(shown, stem, document_ids(shown, stem))]
    texts = [page.text for document in documents for page in document.pages]
    words = Words(texts)
    with tempfile.TemporaryDirectory() as scratch:
        folder = flags.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        built = build(folder, documents, words, flags.pages, until)
        index, fts5, plain = folder / "index", Fts5(folder), Plain(folder)
        ours = sum(file.stat().st_size for file in index.iterdir())
        print(f"{built.pages:,} pages")
        for name, spent, size in (
            ("pdfmill", built.ours, ours),
            ("FTS5", built.fts5, 0),
            ("with stems", built.fts5 + built.stems, fts5.size()),
            ("Tantivy", built.tantivy, plain.size()),
        ):
            each = spent / built.pages * 1e3
            print(f"{name:10} built in {spent:.0f} s, {each:.3f} ms a page; {size / built.pages:,.0f} bytes a page", flush=True)
        if built.pages < flags.pages:
            return 1
        with SearchIndex(index, shown) as opened:

            def ask(query: str, number: int) -> None:
                opened.search(query, filters=Filters(language="en" if number % 2 else None), boxes=False)

            show_queries("pdfmill", ask, words, texts)
        show_queries("FTS5", lambda query, _: fts5.ask(query), words, texts, plain=True)
        show_queries("Tantivy", lambda query, _: plain.ask(query), words, texts, plain=True)
        tenth = [f"{copy}/{document.doc_id}" for copy in range(built.copy // 10) for document in documents]
        for name, gone in (("update of one document", tenth[-1:]), ("deletion of a tenth", tenth)):
            print(f"{name}: {seconds(change, index, gone, documents[-1:] if len(gone) == 1 else []):.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
