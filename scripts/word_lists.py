"""Writes the lists of words by which line-end hyphens are told, from the dictionaries of pyspellchecker (MIT licence).

    python scripts/word_lists.py            write transforms/language/words/*.txt.gz anew

A list is UTF-8 text, compressed: a word a line, in the order of code points, so that it can be searched as it is.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Final

from spellchecker import SpellChecker

from pdfmill.transforms.language.word_list import LANGUAGES

FOLDER: Final = Path(__file__).resolve().parent.parent / "transforms" / "layout" / "words"


def packed(language: str) -> bytes:
    """A language's list; the same bytes for the same words."""
    words = sorted(SpellChecker(language=language, distance=1).word_frequency.words())
    return gzip.compress("".join(f"{word}\n" for word in words).encode(), 9, mtime=0)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for code in sorted(LANGUAGES):
        (FOLDER / f"{code}.txt.gz").write_bytes(packed(code))
