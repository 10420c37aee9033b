"""Write the word lists that decide about hyphens at line ends, from the dictionaries of pyspellchecker (MIT licence).

    python scripts/word_lists.py            write transforms/language/words/*.txt.gz anew

A list is compressed UTF-8 text with one word per line, in order of code points, so that binary search works on it.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Final

from spellchecker import SpellChecker

from pdfmill.transforms.language.language_words import LANGUAGES

FOLDER: Final = Path(__file__).resolve().parent.parent / "transforms" / "layout" / "words"


def packed(language: str) -> bytes:
    """Return the compressed list of a language; equal words give equal bytes."""
    words = sorted(SpellChecker(language=language, distance=1).word_frequency.words())
    return gzip.compress("".join(f"{word}\n" for word in words).encode(), 9, mtime=0)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for code in sorted(LANGUAGES):
        (FOLDER / f"{code}.txt.gz").write_bytes(packed(code))
