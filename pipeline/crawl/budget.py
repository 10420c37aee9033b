"""Choose which part of a plan one run reads, within its budget: new and changed documents first, the others in later runs.

The documents that wait are chosen pseudo-randomly, by the run's id: so workers agree without communication, and no document waits for
ever. Rows of one archive or Parquet file are read together, so the number of documents is approximate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from zlib import crc32

from msgspec import Struct

from pdfmill.schemas.crawl import READ_KINDS, PlanEntry

_REDO: Final = "redo"
_RANKS: Final = 1 << 32


class Budget(Struct, frozen=True):
    """The budget of a run: how many documents it reads."""

    documents: int = 0  # about how many documents to read; 0: all
    redo_share: float = 0.0  # Share reserved for documents that are read again only because pdfmill's version or the settings changed.
    run: str = ""  # the id of the run

    def shares(self, kinds: Mapping[str, int]) -> tuple[float, float]:
        """Return two shares (0 to 1) of objects to read: of new, changed and failed ones, and of those to be read again because of new
        settings. kinds: number of objects by kind (`KINDS`).

        >>> Budget(100, 0.1).shares({"new": 40, "redo": 1000}), Budget(100, 0.1).shares({"new": 180, "redo": 1000})
        ((1.0, 0.06), (0.5, 0.01))
        """
        redo = kinds.get(_REDO, 0)
        first = sum(kinds.get(kind, 0) for kind in READ_KINDS) - redo
        if not self.documents or first + redo <= self.documents:
            return 1.0, 1.0
        for_redo = min(redo, max(self.documents - first, int(self.documents * self.redo_share)))
        return min(1.0, (self.documents - for_redo) / max(1, first)), for_redo / max(1, redo)

    def waits(self, entry: PlanEntry, kinds: Mapping[str, int]) -> bool:
        """Return whether the object of a plan entry is left for a later run. kinds: number of objects by kind (`KINDS`)."""
        if not entry.may_wait:
            return False
        share = self.shares(kinds)[entry.kind == _REDO]
        return crc32(f"{entry.place} {self.run}".encode("utf-8", "surrogatepass")) >= share * _RANKS

    def left(self, kinds: Mapping[str, int]) -> int:
        """Estimate how many objects are left for later runs. kinds: number of objects by kind (`KINDS`)."""
        first, redo = self.shares(kinds)
        number = kinds.get(_REDO, 0)
        return round((1 - first) * (sum(kinds.get(kind, 0) for kind in READ_KINDS) - number) + (1 - redo) * number)
