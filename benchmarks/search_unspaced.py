"""How scripts without spaces are best cut into terms: four ways, the same engine, the same queries.

    python -m benchmarks.search_unspaced OUTPUT

Known items over the pages of an output of `pdfmill index` in Chinese, Japanese and Thai: two words of two characters, or of four, that
stand near one another in a run of such letters, to the page that they stand on; MRR@10, and bytes of the index a page. Each way is the same
FTS5 table with its BM25, any term of the query.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from benchmarks.search_quality import reciprocal_rank
from pdfmill.pipeline.search.terms import fold_text, terms_of
from pdfmill.schemas.scripts import UNSPACED_LETTERS

LANGUAGES: Final = ("zh", "ja", "th")
#: Queries of each page and length; characters of each of the two words.
_ASKED: Final = 4
_LENGTHS: Final = (2, 4)
#: Characters of a run from which two words come.
_SPAN: Final = 16
_RUN: Final = re.compile(f"[{UNSPACED_LETTERS}]{{{_SPAN},}}")
_LETTER: Final = re.compile(f"[{UNSPACED_LETTERS}]")

Terms = Callable[[str], list[str]]


def grams(length: int) -> Terms:
    """Words, and of runs without spaces all stretches of so many characters, or the run where it is shorter."""

    def cut(text: str) -> list[str]:
        found: list[str] = []
        for piece in re.findall(f"[{UNSPACED_LETTERS}]+|(?:(?![{UNSPACED_LETTERS}])\\w)+", fold_text(text)):
            if _LETTER.match(piece):
                found += [piece[at : at + length] for at in range(max(1, len(piece) - length + 1))]
            else:
                found.append(piece)
        return found

    return cut


WAYS: Final[dict[str, Terms]] = {
    "runs as words (unicode61)": lambda text: re.findall(r"\w+", fold_text(text)),
    "characters": grams(1),
    "pairs (ours)": terms_of,
    "threes": grams(3),
}


def queries(text: str, chance: random.Random, length: int) -> Iterator[str]:
    """Some pairs of words out of the runs of a page."""
    runs = _RUN.findall(text)
    for run in chance.sample(runs, min(_ASKED, len(runs))):
        start = chance.randrange(len(run) - _SPAN + 1)
        second = chance.randrange(start + length, start + _SPAN - length + 1)
        yield f"{run[start : start + length]} {run[second : second + length]}"


def measured(texts: Sequence[str], asked: Sequence[tuple[str, int]], terms: Terms) -> tuple[float, float]:
    """MRR@10, and bytes of the index a page."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(terms, content='', tokenize='ascii')")
    database.executemany(
        "INSERT INTO t (rowid, terms) VALUES (?, ?)", ((number, " ".join(terms(text))) for number, text in enumerate(texts))
    )
    database.execute("INSERT INTO t (t) VALUES ('optimize')")
    (size,) = database.execute("SELECT sum(length(block)) FROM t_data").fetchone()
    total = 0.0
    for query, wanted in asked:
        match = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms(query)))
        found = database.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (match,))
        total += reciprocal_rank([("", number) for (number,) in found], ("", wanted))
    return total / max(1, len(asked)), size / max(1, len(texts))


def main(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_unspaced")
    parser.add_argument("output", metavar="OUTPUT", type=Path, help="an output of pdfmill index")
    pages = pq.read_table(parser.parse_args(argv).output / "pages", columns=["text", "language"]).to_pylist()
    texts = [page["text"] for page in pages if page["language"] in LANGUAGES]
    for length in _LENGTHS:
        chance = random.Random(length)
        asked = [(query, number) for number, text in enumerate(texts) for query in queries(text, chance, length)]
        print(f"{len(texts):,} pages, {len(asked):,} queries of two words of {length} characters")
        for name, terms in WAYS.items():
            rank, size = measured(texts, asked, terms)
            print(f"  {name:26} MRR@10 {rank:.3f}   {size:7,.0f} bytes a page")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
