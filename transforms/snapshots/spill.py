"""Records on disk, apart by key, so that a join of any size needs the memory of one share of it."""

from __future__ import annotations

import pickle
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

#: Shares that a join is cut into: 1,000,000 objects are some 4,000 to a share.
SHARES: Final = 256


class Spill(AbstractContextManager["Spill"]):
    """Records by share of their key, in files of a folder of its own that goes with it."""

    def __init__(self, shares: int = SHARES) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pdfmill-plan-")
        self._files: dict[int, IO[bytes]] = {}
        self._shares = shares

    def put(self, key: str, record: object) -> None:
        """Add a record to its key's share."""
        share = zlib.crc32(key.encode()) % self._shares
        if share not in self._files:
            self._files[share] = (Path(self._folder.name) / str(share)).open("w+b")
        pickle.dump(record, self._files[share], protocol=pickle.HIGHEST_PROTOCOL)

    def shares(self) -> Iterator[list[Any]]:
        """The records, share by share, in the order they came."""
        for share in sorted(self._files):
            yield list(self._read(self._files[share]))

    def all(self) -> Iterator[Any]:
        """Every record, one at a time."""
        for share in sorted(self._files):
            yield from self._read(self._files[share])

    @staticmethod
    def _read(file: IO[bytes]) -> Iterator[Any]:
        file.flush()
        file.seek(0)
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                return

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close and delete the files."""
        for file in self._files.values():
            file.close()
        self._folder.cleanup()
