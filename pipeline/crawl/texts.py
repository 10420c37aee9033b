"""Find the pages and blocks whose text has changed, by hashes, and compute signatures by which similar texts are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b, sha1
from typing import Any, Final

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from numpy.typing import NDArray

from pdfmill.schemas.records import DocId
from pdfmill.transforms.delta.deletion_vectors import ShownRows
from pdfmill.transforms.delta.delta_log import PartFile
from pdfmill.transforms.storage.objects import join_uri

#: Tables whose texts are compared.
TABLES_OF_TEXT = ("pages", "blocks", "sections")
#: Bytes of a hash: among a million texts two have equal hashes with a probability of 3 in 10^8.
_DIGEST_BYTES = 8


class ChangedText(Struct, frozen=True):
    """The changed texts of a document: the numbers of its blocks with new text, by page, and the numbers of its sections with new text."""

    pages: Mapping[int, list[int]]  # for each changed page, the numbers of its blocks with new text
    sections: list[int]


ChangedTexts = Mapping[DocId, ChangedText]
#: A function that takes names of columns and yields batches of rows with these columns.
Batches = Callable[[list[str]], Iterable[pa.RecordBatch]]


class Texts(Struct):
    """Hashes of texts: of pages by (document id, page), of blocks also by block number, of sections by document id and section number."""

    pages: dict[tuple[DocId, int], bytes] = field(default_factory=dict)
    blocks: dict[tuple[DocId, int], dict[int, bytes]] = field(default_factory=dict)
    sections: dict[DocId, dict[int, bytes]] = field(default_factory=dict)

    def take(self, other: Texts) -> None:
        """Add the hashes of other documents, in place."""
        self.pages |= other.pages
        self.blocks |= other.blocks
        self.sections |= other.sections

    def add(self, table: str, rows: Batches, wanted: Collection[DocId]) -> None:
        """Hash the texts in a table's rows and add them. rows: takes column names and returns record batches. wanted: ids of the
        documents."""
        if table == "pages":
            self.pages |= {(doc_id, page): _hash(text) for doc_id, page, text in _rows(rows, ["doc_id", "page", "text"], wanted)}
        elif table == "blocks":
            for doc_id, page, block, text in _rows(rows, ["doc_id", "page", "block", "text"], wanted):
                self.blocks.setdefault((doc_id, page), {})[block] = _hash(text)
        elif table == "sections":
            for doc_id, section, text in _rows(rows, ["doc_id", "section", "text"], wanted):
                self.sections.setdefault(doc_id, {})[section] = _hash(text)


def texts_of(output: str, files: Iterable[PartFile], wanted: Collection[DocId]) -> Texts:
    """Hash the texts of the documents with ids in `wanted` in files of a snapshot, one file after the other."""
    texts = Texts()
    for file in files:
        if file.table in TABLES_OF_TEXT:
            with ShownRows(join_uri(output, file.path), file.vector) as part:
                texts.add(file.table, part.batches, wanted)
    return texts


def changed_texts(old: Texts, new: Texts, documents: Iterable[DocId]) -> ChangedTexts:
    """Return what has changed in the text of these documents, by id. Both `old` and `new` contain them."""
    pages: dict[DocId, dict[int, list[int]]] = {doc_id: {} for doc_id in documents}
    for (doc_id, page), text in new.pages.items():
        if doc_id in pages and old.pages.get((doc_id, page)) != text:
            pages[doc_id][page] = _others(old.blocks.get((doc_id, page), {}), new.blocks.get((doc_id, page), {}))
    return {
        doc_id: ChangedText(changed, _others(old.sections.get(doc_id, {}), new.sections.get(doc_id, {})))
        for doc_id, changed in pages.items()
    }


def _others(old: Mapping[int, bytes], new: Mapping[int, bytes]) -> list[int]:
    before = set(old.values())
    return sorted(number for number, key in new.items() if key not in before)


def _rows(rows: Batches, columns: list[str], wanted: Collection[DocId]) -> Iterator[tuple[Any, ...]]:
    for batch in rows(columns):
        named = batch.to_pydict()
        yield from (row for row in zip(*(named[name] for name in columns), strict=True) if row[0] in wanted)


def _hash(text: str | None) -> bytes:
    return blake2b((text or "").encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


# Signatures to find near-duplicates: MinHash (A. Z. Broder, "On the resemblance and containment of documents", 1997).
#
# The share of equal numbers in two signatures estimates the share of five-word shingles that both texts have in common. The hash functions
# are those of datasketch 2.0 (scheme `affine32`), which wrote the first crawls: signatures of old and new snapshots can be compared.


#: Number of hashes in a signature. The estimated similarity has an error of about 1/sqrt(64) = 0.125.
PLACES: Final = 64
#: Words of a shingle (overlapping sequence of words); the usual value for pages of prose (Broder takes 10 tokens, later work 4 to 8 words).
SHINGLE: Final = 5
#: Most words that are used; later words change the signature of a long text too little to be worth the time.
MAX_WORDS: Final = 20_000
#: Seed of the random permutations. Signatures with different seeds cannot be compared.
_SEED: Final = 1
_WORD: Final = re.compile(r"\w+")


def text_signature(texts: Sequence[str]) -> list[int] | None:
    """Return the MinHash signature of a text given in parts: `PLACES` numbers, of which similar texts share many. None if the text has no
    words.

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
    return minhash({" ".join(words[at : at + SHINGLE]).encode() for at in range(max(1, len(words) - SHINGLE + 1))})


def minhash(members: Collection[bytes]) -> list[int]:
    """Return the MinHash signature of a set, not empty: for each of `PLACES` permutations of the 32-bit numbers, the smallest image of a
    hash."""
    factors, summands = _permutations()
    hashes = _mixed(np.array([int.from_bytes(sha1(member, usedforsecurity=False).digest()[:4], "little") for member in members], np.uint32))
    return [int((hashes * factor + summand).min()) for factor, summand in zip(factors, summands, strict=True)]


@cache
def _permutations() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return odd factors a and summands b, uint32[PLACES] each, for permutations h -> a * h + b modulo 2^32.
    `RandomState` gives the same numbers in every version of numpy."""
    random = np.random.RandomState(_SEED)
    factors = random.randint(0, 1 << 31, PLACES, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, random.randint(0, 1 << 32, PLACES, dtype=np.uint32)


def _mixed(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Apply the last step of MurmurHash3 (A. Appleby, 2011) to hashes: a permutation in which every bit of the result depends on all
    bits."""
    hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))
