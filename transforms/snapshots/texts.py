"""What really changed in documents that were read again: pages and blocks whose text is another, by its hash."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import pyarrow.parquet as pq

from schemas.records import DocId
from transforms.snapshots.delta_log import PartFile
from transforms.storage.objects import join_uri, read_file

#: Bytes of a hash: of a million texts two have the same with a probability of 3 in 10^8.
_DIGEST_BYTES = 8

#: By document, then by page that has another text than before: the numbers of its blocks whose text was not on it.
ChangedTexts = Mapping[DocId, Mapping[int, list[int]]]


@dataclass(slots=True)
class Texts:
    """Hashes of the texts of some documents. pages: by document and page. blocks: by document and page, then by block number."""

    pages: dict[tuple[DocId, int], bytes] = field(default_factory=dict)
    blocks: dict[tuple[DocId, int], dict[int, bytes]] = field(default_factory=dict)

    def take(self, other: Texts) -> None:
        """Take in those of other documents."""
        self.pages |= other.pages
        self.blocks |= other.blocks

    def add(self, pages: Iterable[bytes], blocks: Iterable[bytes], wanted: Collection[DocId]) -> None:
        """Take in Parquet files of the two tables, as bytes."""
        for data in pages:
            for doc_id, page, text in _rows(data, ["doc_id", "page", "text"], wanted):
                self.pages[doc_id, page] = _hash(text)
        for data in blocks:
            for doc_id, page, block, text in _rows(data, ["doc_id", "page", "block", "text"], wanted):
                self.blocks.setdefault((doc_id, page), {})[block] = _hash(text)


def texts_of(output: str, files: Iterable[PartFile], wanted: Collection[DocId]) -> Texts:
    """Of documents in files of a snapshot, one file after the other."""
    texts = Texts()
    for file in files:
        if file.table in ("pages", "blocks"):
            data = [read_file(join_uri(output, file.path))]
            texts.add(data if file.table == "pages" else [], data if file.table == "blocks" else [], wanted)
    return texts


def changed_texts(old: Texts, new: Texts, documents: Iterable[DocId]) -> ChangedTexts:
    """What is another text in documents that stand in both."""
    found: dict[DocId, dict[int, list[int]]] = {doc_id: {} for doc_id in documents}
    for (doc_id, page), text in new.pages.items():
        if doc_id in found and old.pages.get((doc_id, page)) != text:
            before = set(old.blocks.get((doc_id, page), {}).values())
            blocks = new.blocks.get((doc_id, page), {})
            found[doc_id][page] = sorted(number for number, key in blocks.items() if key not in before)
    return found


def _rows(data: bytes, columns: list[str], wanted: Collection[DocId]) -> Iterator[tuple[Any, ...]]:
    for batch in pq.ParquetFile(io.BytesIO(data)).iter_batches(columns=columns):
        named = batch.to_pydict()
        yield from (row for row in zip(*(named[name] for name in columns), strict=True) if row[0] in wanted)


def _hash(text: str | None) -> bytes:
    return blake2b((text or "").encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
