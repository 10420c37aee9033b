"""Beam imported without the clients that it imports on the chance that somebody wants them.

Two fifths of what a command takes to start, measured, are MongoDB, BigQuery, and Beam's own way to Google Storage and S3. None of
them is used where the embedded runner reads local files; imported later, they are there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any, Final

#: `bson` stands for MongoDB: Beam goes on without its connector when that is not there.
_SPARE: Final = frozenset({"bson", "apache_beam.io.gcp.bigquery", "apache_beam.io.gcp.gcsfilesystem", "apache_beam.io.aws.s3filesystem"})
#: Words of a command line that want them: another runner, whose files they carry; stores, whose clients workers then get with their fork.
_WANT_THEM: Final = ("--runner", "s3://", "gs://")


class _Absent(MetaPathFinder):
    """Says of those modules that they are not installed, which Beam is prepared for."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname in _SPARE:
            raise ModuleNotFoundError(f"{fullname} is not imported with Beam", name=fullname)


@contextmanager
def lean_import(argv: Sequence[str]) -> Iterator[None]:
    """For the imports of this command line. A crawl's is the name of a file, which may want anything."""
    lean = argv[0] == "index" and not any(word in each for each in argv for word in _WANT_THEM)
    absent = [_Absent()] if lean else []
    sys.meta_path[:0] = absent
    try:
        yield
    finally:
        for each in absent:
            sys.meta_path.remove(each)
