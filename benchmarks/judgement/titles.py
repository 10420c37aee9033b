"""Count how often `documents.title` is the title that a reader would give the document: `python -m benchmarks.judgement.titles CORPUS`.

CORPUS contains `structure-wild/pdf` and `pool/pdf`. `titles.tsv` lists for each document the titles that a reader of its first page
accepted, written before the rule for titles; none if neither page nor metadata have a title (many documents are cut out of longer ones).
The rule was tuned on documents whose owner's name has an even checksum; the others are for testing.
"""

from __future__ import annotations

import argparse
import csv
import re
import unicodedata
import zlib
from collections import Counter
from pathlib import Path

import pdfmill

_LABELS = Path(__file__).with_name("titles.tsv")


def letters(text: str) -> str:
    """Return the letters of a title, by which two spellings of it are compared."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def verdict(title: str | None, accepted: list[str]) -> str:
    """Return "right", "missing", "half" (a part of an accepted title, or one with further words) or "wrong"."""
    if not title or not accepted:
        return "right" if not title and not accepted else "wrong" if title else "missing"
    got, wanted = letters(title), [letters(each) for each in accepted]
    if got in wanted:
        return "right"
    return "half" if any(each in got or (got in each and len(got) > 8) for each in wanted) else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    corpus = parser.parse_args().corpus
    found = {path.name: path for folder in ("structure-wild", "pool") for path in (corpus / folder / "pdf").glob("*.pdf")}
    counts: dict[str, Counter[str]] = {"chosen on": Counter(), "kept back": Counter()}
    with _LABELS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            accepted = [each for each in (row["titles"] or "").split(" | ") if each]
            title = pdfmill.read(found[row["file"]]).title
            judged = verdict(title, accepted)
            counts["kept back" if zlib.crc32(row["owner"].encode()) % 2 else "chosen on"][judged] += 1
            if judged != "right":
                print(f"{judged}\t{row['file']}\t{title}\t{row['titles']}")
    for name, each in counts.items():
        print(f"{name}: {each['right'] / each.total():.3f} right of {each.total()}, {dict(each)}")


if __name__ == "__main__":
    main()
