"""A signature by which near-duplicates are found: MinHash (A. Z. Broder, "On the resemblance and containment of documents", 1997).

Two documents' signatures agree in about that share of places in which their sets of five-word shingles agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from datasketch import MinHash

#: Places of a signature: an error of about 1/sqrt(64) = 0.125 in the likeness.
PLACES: Final = 64
#: Words of a shingle; the usual value for pages of prose (Broder takes 10 tokens, later work 4 to 8 words).
SHINGLE: Final = 5
#: Words that count; what follows them changes the signature of a book too little to be worth its time.
MAX_WORDS: Final = 20_000
_SEED: Final = 1
_WORD: Final = re.compile(r"\w+")


def text_signature(texts: Sequence[str]) -> list[int] | None:
    """The signature of a text in parts; None when it has no words.

    >>> text_signature(["One and two", "and three and four"]) == text_signature(["one, and two and three", "and FOUR"])
    True
    """
    words: list[str] = []
    for text in texts:
        words += _WORD.findall(text.lower())
        if len(words) >= MAX_WORDS:
            break
    if not words:
        return None
    words = words[:MAX_WORDS]
    shingles = {" ".join(words[at : at + SHINGLE]).encode() for at in range(max(1, len(words) - SHINGLE + 1))}
    minhash = MinHash(num_perm=PLACES, seed=_SEED)
    minhash.update_batch(sorted(shingles))
    return [int(value) for value in minhash.hashvalues]
