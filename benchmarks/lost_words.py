"""Words that another reader finds and the tables do not have: pages by the share that is lost.

    python -m benchmarks.lost_words PDFS [--tables DIR] [--over 0.1] [--words]

Every file goes through the main job (or its tables are there: --tables); poppler's `pdftotext` reads it too. A word of a page counts as
lost where neither the page's text, its furniture, its hidden text nor the appearances of its annotations have it so often, whole or as
part of another word: what is hyphenated, spaced out or joined differently is not lost. The other reader is wrong at times: look at the
page.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

import pyarrow.dataset as ds

#: Seconds that the other reader gets for a document.
_PATIENCE: Final = 60
#: Words of a page, fewer of which say nothing about a share.
_FEWEST: Final = 10
_WORD: Final = re.compile(r"\w+")
#: Scripts that part no words: each character is one.
_UNSPACED: Final = re.compile("([\u0e00-\u0eff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
#: Marks, and what is only sometimes drawn as a character of its own.
_MARKS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0670\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0640\u00ad]")


class Page(NamedTuple):
    """What was lost of a page. words: how many the other reader finds."""

    file: str
    number: int
    words: int
    lost: Counter[str]

    @property
    def share(self) -> float:
        return self.lost.total() / self.words


def words_of(text: str) -> list[str]:
    """Its words without case, marks and forms of letters."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return _WORD.findall(_UNSPACED.sub(r" \1 ", plain))


def lost_words(theirs: str, ours: str) -> Counter[str]:
    """Words of one text that the other has not, or less often."""
    wanted, found = words_of(theirs), words_of(ours)
    missing = Counter(map(_unordered, wanted)) - Counter(map(_unordered, found))
    if not missing:
        return missing
    solid, lost = "".join(found), Counter[str]()
    for word, count in Counter(wanted).items():
        if missing[_unordered(word)] and (had := solid.count(word)) < count:
            lost[word] = min(count - had, missing[_unordered(word)])
    return lost


def _unordered(word: str) -> str:
    """Of right-to-left scripts the letters in no order: the two readers may have one in other orders, which is no loss."""
    return "".join(sorted(word)) if _is_rtl(word) else word


def _is_rtl(word: str) -> bool:
    """It has letters of right-to-left scripts."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in word)


def read_by_other(path: Path) -> list[str]:
    """The text of each page by `pdftotext`; empty where it reads nothing."""
    try:
        done = subprocess.run(["pdftotext", "-q", "-enc", "UTF-8", str(path), "-"], capture_output=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.decode("utf-8", "replace").split("\f")[:-1]


def index(folder: Path, output: Path) -> None:
    """The main job, with its defaults; its exit code says that some documents could not be read, which is no matter here."""
    subprocess.run([sys.executable, "-m", "pdfmill", "index", str(folder), "--output", str(output)], stdout=subprocess.DEVNULL, check=False)


def read_tables(output: Path) -> dict[str, dict[int, str]]:
    """By file name and page: all text that the tables have."""
    documents = {row["doc_id"]: row for row in _rows(output, "documents", ["doc_id", "source_uri", "parent_doc_id"])}
    names = {key: Path(unquote(urlsplit(row["source_uri"]).path)).name for key, row in documents.items() if row["parent_doc_id"] is None}
    texts: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in _rows(output, "pages", ["doc_id", "page", "text", "hidden_text", "annotations"]):
        hidden = [each["text"] for each in row["hidden_text"] or ()]
        appearances = [each["appearance_text"] or "" for each in row["annotations"] or ()]
        texts[names.get(row["doc_id"], "")][row["page"]] += [row["text"], *hidden, *appearances]
    for row in _rows(output, "blocks", ["doc_id", "page", "text", "text_start"]):
        if row["text_start"] is None:
            texts[names.get(row["doc_id"], "")][row["page"]].append(row["text"])
    return {name: {page: "\n".join(parts) for page, parts in pages.items()} for name, pages in texts.items()}


def _rows(output: Path, table: str, columns: list[str]) -> Iterator[Mapping[str, Any]]:
    for batch in ds.dataset(output / table, format="parquet").to_batches(columns=columns):
        yield from batch.to_pylist()


def compare(folder: Path, tables: Path) -> list[Page]:
    """The pages of all files that the main job read, those that lost most first."""
    ours = read_tables(tables)
    found = []
    for path in sorted(folder.iterdir()):
        for number, theirs in enumerate(read_by_other(path) if path.name in ours else [], start=1):
            words = len(words_of(theirs))
            if words >= _FEWEST:
                found.append(Page(path.name, number, words, lost_words(theirs, ours[path.name].get(number, ""))))
    return sorted(found, key=lambda page: -page.share)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the pages that lose more than a share, and how many there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdfs", type=Path, help="folder of PDFs")
    parser.add_argument("--tables", type=Path, help="output of `pdfmill index` over that folder")
    parser.add_argument("--over", type=float, default=0.1, help="print pages that lose more than this share")
    parser.add_argument("--words", action="store_true", help="print some of the words too")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as scratch:
        tables = args.tables or Path(scratch) / "tables"
        if args.tables is None:
            index(args.pdfs, tables)
        pages = compare(args.pdfs, tables)
    worst = [page for page in pages if page.share > args.over]
    for page in worst:
        print(
            f"{page.share:6.1%}  {page.lost.total():5} of {page.words:5}  {page.file} p{page.number}",
            *[" ".join(w for w, _ in page.lost.most_common(12))] if args.words else [],
        )
    print(
        f"{len(pages)} pages, {len(worst)} lose over {args.over:.0%} of their words; "
        f"{sum(p.lost.total() for p in pages)} of {sum(p.words for p in pages)} words lost"
    )
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
