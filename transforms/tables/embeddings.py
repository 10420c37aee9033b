"""Compute embeddings by a function of the user, in batches, and once for each text. An SQLite file keeps them for later exports."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import sqlite3
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.shapes import passage
from pdfmill.transforms.tables.sinks.sink import SinkError

#: The user's function: takes texts and returns one vector for each, all of equal length; numpy arrays are allowed.
Embed = Callable[[list[str]], Sequence[Sequence[float]]]
#: Number of texts in one call of the function.
BATCH: Final = 64
#: Number of texts in one query of the file; SQLite allows 32,766 parameters.
_ASKED: Final = 500
_STORE: Final = """
CREATE TABLE IF NOT EXISTS embeddings (function TEXT, text_sha256 BLOB, vector BLOB, PRIMARY KEY (function, text_sha256)) WITHOUT ROWID
"""


def load_function(name: str) -> Embed:
    """Load the function named `module:function`; modules in the working directory are found, too.

    Raises:
        SinkError: there is no such function.
    """
    module, _, function = name.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise SinkError(f"--embed {name}: there is no such function: {error}; write it as module:function") from error
    if not callable(found):
        raise SinkError(f"--embed {name}: is not a function")
    embed: Embed = found
    return embed


class Embeddings:
    """Computes embeddings of rows by a function, and stores them in an SQLite file at `path`. name: of the function. batch: number of texts
    per call. computed: number of texts for which the function was called."""

    def __init__(self, function: Embed, name: str, path: str, batch: int = BATCH) -> None:
        self._function, self._name, self._path, self._batch = function, name, path, batch
        self.computed = 0
        with self._file_errors():
            self._base = sqlite3.connect(path, isolation_level=None)
            self._base.execute(_STORE)

    @contextlib.contextmanager
    def _file_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise SinkError(f"{self._path}: the file of embeddings cannot be used: SQLite says: {error}") from error

    @cached_property
    def dimensions(self) -> int:
        """Return the length of the function's vectors; the first access calls the function once. Raises SinkError if it fails."""
        return len(vectors_of(self._function, ["How many numbers?"], self._name)[0])

    def close(self) -> None:
        self._base.close()

    def added(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows with a field `embedding` added. Raises SinkError if the function fails or returns no vectors."""
        keys = {str(row["id"]): _key(passage(row)) for row in rows}
        known: dict[bytes, bytes] = {}
        wanted = list(dict.fromkeys(keys.values()))
        for start in range(0, len(wanted), _ASKED):
            known |= self._stored(wanted[start : start + _ASKED])
        missing = {key: passage(row) for row in rows if (key := keys[str(row["id"])]) not in known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), self._batch):
            known |= self._compute(waiting[start : start + self._batch])
        return [row | {"embedding": array("f", known[keys[str(row["id"])]]).tolist()} for row in rows]

    def _stored(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        marks = ", ".join("?" for _ in keys)
        with self._file_errors():
            return dict(
                self._base.execute(
                    f"SELECT text_sha256, vector FROM embeddings WHERE function = ? AND text_sha256 IN ({marks})", [self._name, *keys]
                )
            )

    def _compute(self, texts: Sequence[tuple[bytes, str]]) -> dict[bytes, bytes]:
        vectors = vectors_of(self._function, [text for _, text in texts], self._name)
        made = {key: vector.tobytes() for (key, _), vector in zip(texts, vectors, strict=True)}
        self.computed += len(made)
        with self._file_errors():
            rows = [(self._name, key, vector) for key, vector in made.items()]
            self._base.execute("BEGIN")
            self._base.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)", rows)
            self._base.execute("COMMIT")
        return made


def vectors_of(function: Embed, texts: list[str], name: str) -> list[array[float]]:
    """Call the function with texts, and return its vectors as 32-bit floats. name: of the function, for messages.
    Raises SinkError if it fails, or returns a wrong number of vectors or vectors of different lengths."""
    try:
        vectors = [array("f", map(float, vector)) for vector in function(texts)]
    except Exception as error:  # it is the user's, and may raise whatever it likes
        raise SinkError(f"--embed {name}: failed with {type(error).__name__}: {error}; the vectors of earlier calls are kept") from error
    if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1 or not len(vectors[0]):
        sizes = sorted({len(vector) for vector in vectors})
        raise SinkError(f"--embed {name}: returned {len(vectors)} vectors of {sizes} numbers for {len(texts)} texts")
    return vectors


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
