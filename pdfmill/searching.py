"""`pdfmill.search`: search the tables that `pdfmill index` or `pdfmill crawl` wrote."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pdfmill.errors import PdfmillError, missing_extra_as_error

if TYPE_CHECKING:
    from pdfmill.pipeline.search.answers import Filters, Results


def search(output: str | os.PathLike[str], query: str, *, filters: Filters | None = None, limit: int = 10, offset: int = 0) -> Results:
    """Return the pages that match a query, best first, as `pdfmill search` does.

    output: the folder given to `index`, or a crawl's output; may be in a store. The first search builds the search index; later ones update
    it if the tables have changed. query: words, phrases in quotation marks, and operators (docs/search.md). filters: conditions on
    language, address, date, kind of section, page or document, as a `pipeline.search.answers.Filters`. limit: number of hits to return.
    offset: number of hits to skip before them. A hit has its page (from 1), `doc_id`, `section_id`, title, snippet and boxes (points,
    origin at the top left).

    Raises:
        PdfmillError: the folder holds no output of pdfmill, or the query cannot be parsed; the message says why.
        ValueError: limit is below 1, or offset below 0.
    """
    with missing_extra_as_error("search"):
        from pdfmill.pipeline.search.answers import NO_FILTERS, SearchError
        from pdfmill.pipeline.search.search_index import open_index
    if limit < 1 or offset < 0:
        raise ValueError(f"limit must be at least 1, and offset at least 0; they are {limit} and {offset}")
    try:
        with open_index(os.fspath(output)) as index:
            return index.search(query, filters=filters or NO_FILTERS, limit=limit, offset=offset)
    except SearchError as error:
        raise PdfmillError("usage", str(error)) from error
