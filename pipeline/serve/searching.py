"""The site's search: the index of `pdfmill search`, shared by threads, and reopened when the tables are replaced."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from pdfmill.pipeline.search.answers import NO_FILTERS, Filters, Results
from pdfmill.pipeline.search.search_index import SearchIndex, open_index


class Searcher(Protocol):
    """The interface that the pages use for searching."""

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0, boxes: bool = True) -> Results:
        """See `pdfmill.pipeline.search.search_index.SearchIndex.search`; raises SearchError."""


class LiveIndex:
    """The index of an output folder. version: returns the version of the tables shown now."""

    def __init__(self, folder: str, version: Callable[[], str]) -> None:
        self._folder = folder
        self._version = version
        self._lock = threading.Lock()  # one thread at a time opens it again
        self._shown = version()
        self._index = open_index(folder)

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0, boxes: bool = True) -> Results:
        """Return the pages that answer, from the tables as they are now. Several threads may search at a time.

        Raises:
            pdfmill.pipeline.search.answers.SearchError: the query cannot be understood, or the index cannot be brought up to date.
        """
        return self._current().search(query, filters=filters, limit=limit, offset=offset, boxes=boxes)

    def _current(self) -> SearchIndex:
        with self._lock:
            if (now := self._version()) != self._shown:
                self._index = open_index(self._folder)  # who still asks the other one keeps it
                self._shown = now
            return self._index

    def close(self) -> None:
        """Close the index."""
        self._index.close()
