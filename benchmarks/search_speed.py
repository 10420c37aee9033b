"""What an index of many pages costs: time to build, size, time of queries and of an update.

    python -m benchmarks.search_speed OUTPUT [--pages N] [--folder DIR]

The documents of an output of `pdfmill index` are repeated with other words in place of a tenth of theirs, until there are as many pages as
asked for; some of the words that few pages have are others in each copy, so that the vocabulary grows as that of people's texts does
(Heaps, Information Retrieval, 1978: about by the power 0.65 of the number of words). Then one of a hundred pages is changed. All times
are of the processor, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pdfmill.pipeline.search.search_index import SearchIndex, open_index
from pdfmill.schemas.records import document_id
from pdfmill.schemas.tables import TABLES, key_of
from pdfmill.transforms.tables.parts import group_bytes, text_columns

#: Share of the words that are others in each copy; as long as theirs, so that offsets stay what they are. More of them, picked at random,
#: make text that compresses worse than any that people write.
CHANGED: Final = 0.1
#: Pages up to which a word counts as rare: names, numbers, misspellings. One in so many of the rare ones is another word in each copy.
RARE_PAGES: Final = 2
RENAMED: Final = 4
#: Copies of the documents that stand in a part, as batches of a run do.
_COPIES: Final = 8
#: One of so many pages is changed for the update.
_UPDATED: Final = 100
_QUERIES: Final = 500
_WORD: Final = re.compile(r"\w+")
_SEARCHED: Final = ("documents", "pages", "blocks", "sections")


class Words:
    """Other words for words, of the same language and length: some that the documents have, and such as no other copy has."""

    def __init__(self, pages: pa.Table) -> None:
        self._alike: dict[tuple[str | None, int], list[str]] = {}
        counts: Counter[str] = Counter()
        for text, language in _texts(pages):
            words = _WORD.findall(text)
            counts.update(set(words))
            for word in words:
                self._alike.setdefault((language, len(word)), []).append(word)
        self._rare = {word for word, count in counts.items() if count <= RARE_PAGES and not crc32(word.encode()) % RENAMED}

    def changed(self, text: str, language: str | None, chance: random.Random, copy: str) -> str:
        """The text with others in place of some words; those of a copy's own have their letters in another order."""

        def other(match: re.Match[str]) -> str:
            if match[0] in self._rare:
                letters = list(match[0])
                random.Random(f"{copy}{match[0]}").shuffle(letters)
                return "".join(letters)
            return chance.choice(self._alike[language, len(match[0])]) if chance.random() < CHANGED else match[0]

        return _WORD.sub(other, text)


def _texts(pages: pa.Table) -> Iterator[tuple[str, str | None]]:
    """Text and language of each page."""
    return zip(pages["text"].to_pylist(), pages["language"].to_pylist(), strict=True)


def copies(tables: dict[str, pa.Table], first: int, count: int, words: Words, seed: str = "") -> dict[str, pa.Table]:
    """Some copies of the documents, under other addresses, each with words of its own."""
    made: dict[str, list[pa.Table]] = {table: [] for table in tables}
    for copy in range(first, first + count):
        ids = {doc_id: str(document_id(f"{doc_id}/{copy}")) for doc_id in tables["documents"]["doc_id"].to_pylist()}
        chance = random.Random(f"{copy}{seed}")
        for table, rows in tables.items():
            new = rows.set_column(0, rows.schema.field(0), pa.array([ids[each] for each in rows["doc_id"].to_pylist()]))
            if table == "pages":
                place = new.schema.get_field_index("text")
                new = new.set_column(
                    place,
                    new.schema.field(place),
                    pa.array([words.changed(*each, chance, f"{copy}{seed}") for each in _texts(rows)]),
                )
            if table == "sections":
                place = new.schema.get_field_index("text_sha256")
                new = new.set_column(
                    place, new.schema.field(place), pa.array([f"{copy}{seed}{each}" for each in rows["text_sha256"].to_pylist()])
                )
            made[table].append(new)
    keys = {table: [(name, "ascending") for name in key_of(table)] for table in tables}
    return {table: pa.concat_tables(each).sort_by(keys[table]) for table, each in made.items()}


def write(tables: dict[str, pa.Table], folder: Path, name: str) -> None:
    """A part of each table."""
    for table, rows in tables.items():
        (folder / table).mkdir(parents=True, exist_ok=True)
        size = max(1, group_bytes(table) * len(rows) // max(1, rows.nbytes))
        pq.write_table(rows, folder / table / name, row_group_size=size, compression="zstd", use_dictionary=text_columns(TABLES[table]))


def queries(texts: Sequence[str], chance: random.Random) -> Iterator[str]:
    """Words out of sentences, words of a heading's length, and single words."""
    while True:
        words = [word for word in _WORD.findall(chance.choice(texts)) if len(word) > 3]
        if len(words) > 20:
            start = chance.randrange(len(words) - 10)
            kind = chance.randrange(5)
            yield " ".join(
                words[start : start + 1]
                if kind == 0
                else words[start : start + 3]
                if kind == 1
                else chance.sample(words[start : start + 10], 5)
            )


def asked(index: SearchIndex, texts: Sequence[str], *, boxes: bool) -> list[float]:
    """Seconds of each query, ascending. boxes: with those of the words of ten hits."""
    chance = random.Random(1)
    taken = []
    for _, query in zip(range(_QUERIES), queries(texts, chance), strict=False):
        start = time.process_time()
        results = index.search(query)
        if boxes:
            for hit in results.hits:
                _ = hit.boxes
        taken.append(time.process_time() - start)
    return sorted(taken)


def update(folder: Path, tables: dict[str, pa.Table], words: Words, part: int, count: int) -> int:
    """Put other text into documents of a part with so many pages, in parts of another name as another run writes them; how many pages."""
    chance = random.Random(2)
    stem = f"part-{part:05d}.parquet"
    own = {table: pq.read_table(folder / table / stem) for table in tables}
    pages = own["pages"]
    picked = pa.array(_documents_with(Counter(pages["doc_id"].to_pylist()), count, chance))
    hit = pc.is_in(pages["doc_id"], value_set=picked).to_pylist()
    texts = [
        words.changed(text, language, chance, "changed") if is_hit else text
        for (text, language), is_hit in zip(_texts(pages), hit, strict=True)
    ]
    own["pages"] = pages.set_column(pages.schema.get_field_index("text"), pages.schema.field("text"), pa.array(texts))
    sections = own["sections"]
    marked = pc.is_in(sections["doc_id"], value_set=picked).to_pylist()
    sums = [f"new{each}" if is_hit else each for each, is_hit in zip(sections["text_sha256"].to_pylist(), marked, strict=True)]
    own["sections"] = sections.set_column(
        sections.schema.get_field_index("text_sha256"), sections.schema.field("text_sha256"), pa.array(sums)
    )
    write(own, folder, f"part-{part:05d}-again.parquet")
    for table in tables:
        (folder / table / stem).unlink()
    return sum(hit)


def _documents_with(pages: Counter[str], count: int, chance: random.Random) -> list[str]:
    """Documents at random that have so many pages together, or as near below it as they fit. pages: of each document."""
    found: list[str] = []
    for doc_id in chance.sample(sorted(pages), len(pages)):
        if pages[doc_id] <= count:
            found.append(doc_id)
            count -= pages[doc_id]
    return found


def timed(index: str, *, build: bool = False) -> tuple[SearchIndex, float]:
    """The index opened, and the seconds that it took."""
    start = time.process_time()
    found = open_index(index, build=build)
    return found, time.process_time() - start


def main(argv: Sequence[str]) -> int:
    """Print what it costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_speed")
    parser.add_argument("output", metavar="OUTPUT", type=Path, help="an output of pdfmill index")
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="pages to be indexed (default: 100000)")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where the tables are made, and used again (default: a temporary folder)"
    )
    flags = parser.parse_args(argv)
    tables = {table: pq.read_table(flags.output / table).cast(TABLES[table]) for table in _SEARCHED}
    texts = tables["pages"]["text"].to_pylist()
    words = Words(tables["pages"])
    folder = flags.folder or Path(tempfile.mkdtemp())
    try:
        if not (folder / "documents").exists():
            for number, first in enumerate(range(0, -(-flags.pages // len(texts)), _COPIES)):
                write(copies(tables, first, _COPIES, words), folder, f"part-{number:05d}.parquet")
        pages = sum(pq.read_metadata(part).num_rows for part in (folder / "pages").iterdir())
        index, seconds = timed(str(folder), build=True)
        with index:
            size = index.path.stat().st_size
            print(f"{pages:,} pages: built in {seconds:.1f} s, {seconds / pages * 1e3:.2f} ms a page; {size / pages:,.0f} bytes a page")
            for boxes in (False, True):
                taken = asked(index, texts, boxes=boxes)
                middle, high = taken[len(taken) // 2], taken[int(0.95 * len(taken))]
                print(f"queries {'with' if boxes else 'without'} boxes: median {middle * 1e3:.1f} ms, 95th percentile {high * 1e3:.1f} ms")
        parts = len(list((folder / "documents").iterdir()))
        touched = range(0, parts, _COPIES)
        changed = [update(folder, tables, words, number, pages // _UPDATED // len(touched)) for number in touched]
        index, seconds = timed(str(folder))
        index.close()
        print(f"update of {sum(changed):,} pages ({sum(changed) / pages:.1%}): {seconds:.1f} s")
    finally:
        if flags.folder is None:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
