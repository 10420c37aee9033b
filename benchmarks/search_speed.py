"""What an index of many pages costs: time to build beside FTS5, size, time of ten kinds of queries, of an update and of a deletion.

    python -m benchmarks.search_speed OUTPUT [--pages N]

The documents of an output of `pdfmill index` are repeated with other words in place of a tenth of theirs, until there are as many pages as
asked for; some of the words that few pages have are others in each copy, so that the vocabulary grows as that of people's texts does
(Heaps, Information Retrieval, 1978: about by the power 0.65 of the number of words). FTS5 indexes the same terms with their positions. All
times are of the processor, so that other work on the machine counts little; cold is the first query of its kind after the index is opened.
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
from pathlib import Path
from typing import Final
from zlib import crc32

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
_WORD: Final = re.compile(r"\w+")


class Words:
    """Other words for words, of the same length: some that the documents have, and such as no other copy has."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = Counter(word for text in texts for word in set(_WORD.findall(text)))
        self._alike: dict[int, list[str]] = defaultdict(list)
        for word, count in self.counts.items():
            self._alike[len(word)] += [word] * min(count, 20)

    def changed(self, text: str, copy: int) -> str:
        """The text with others in place of some words; those of a copy's own have their letters in another order."""
        chance = random.Random(f"{copy}{text[:100]}")

        def other(match: re.Match[str]) -> str:
            word = match[0]
            if self.counts[word] <= RARE_PAGES and not crc32(word.encode()) % RENAMED:
                return "".join(random.Random(f"{copy}{word}").sample(word, len(word)))
            return chance.choice(self._alike[len(word)]) if chance.random() < CHANGED else word

        return _WORD.sub(other, text)


def copies(documents: Sequence[Document], words: Words, pages: int) -> Iterator[Document]:
    """The documents again and again, each time with other words, until there are so many pages."""
    for copy in range(pages):
        for document in documents:
            held = [replace(page, text=words.changed(page.text, copy) if copy else page.text) for page in document.pages]
            yield replace(document, doc_id=f"{copy}/{document.doc_id}", source_uri=f"{document.source_uri}/{copy}", pages=held)
            pages -= len(held)
            if pages <= 0:
                return


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


def asked(index: SearchIndex, make: Callable[[], str]) -> list[float]:
    """Seconds of each query of a kind, the first one apart; half of them in one language only."""
    return [
        seconds(index.search, make(), filters=Filters(language="en" if number % 2 else None), boxes=False) for number in range(ASKED + 1)
    ]


def main(argv: Sequence[str]) -> int:
    """Print what it costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_speed")
    parser.add_argument("output", metavar="OUTPUT", help="an output of pdfmill index")
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="pages to be indexed (default: 100000)")
    flags = parser.parse_args(argv)
    shown = shown_tables(absolute_source(flags.output))
    documents = [each for stem in shown.stems("documents") for each in read_documents(shown, stem, document_ids(shown, stem))]
    texts = [page.text for document in documents for page in document.pages]
    words = Words(texts)
    with tempfile.TemporaryDirectory() as scratch:
        folder, database = Path(scratch, "index"), sqlite3.connect(Path(scratch, "fts5.sqlite"))
        folder.mkdir()
        database.execute("CREATE VIRTUAL TABLE t USING fts5(text, content='')")
        writer, ours, theirs, pages = Writer(create(folder), is_build=True), 0.0, 0.0, 0
        for document in copies(documents, words, flags.pages):
            ours += seconds(writer.add, document, "part", "")
            rows = [(page.text,) for page in document.pages]
            theirs += seconds(database.executemany, "INSERT INTO t (text) VALUES (?)", rows)
            pages += len(rows)
        ours += seconds(writer.end, ["part"], -1)
        theirs += seconds(database.commit)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{pages:,} pages: built in {ours:.0f} s, {ours / pages * 1e3:.2f} ms a page; {size / pages:,.0f} bytes a page", flush=True)
        print(
            f"FTS5: {theirs:.1f} s, {Path(scratch, 'fts5.sqlite').stat().st_size / pages:,.0f} bytes a page, without the text", flush=True
        )
        with SearchIndex(folder, shown) as index:
            every = []
            for name, make in queries(words, texts, random.Random(1)).items():
                cold, *warm = asked(index, make)
                every += warm
                low, high = sorted(warm)[len(warm) // 2], sorted(warm)[int(0.95 * len(warm))]
                print(f"{name:30} cold {cold * 1e3:6.1f}  median {low * 1e3:6.1f}  95th percentile {high * 1e3:6.1f} ms", flush=True)
            print(f"{'all':30} 95th percentile {sorted(every)[int(0.95 * len(every))] * 1e3:.1f} ms", flush=True)
        tenth = [f"{copy}/{document.doc_id}" for copy in range(pages // len(texts) // 10) for document in documents]
        for name, gone in (("update of one document", tenth[-1:]), ("deletion of a tenth", tenth)):
            writer = Writer(open_folder(folder))
            for doc_id in gone:
                writer.remove(doc_id)
            if len(gone) == 1:
                writer.add(documents[-1], "part", "")
            print(f"{name}: {seconds(writer.end, ['part'], -1):.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
