"""A search that reads everything and finds phrases: what the pages need of `pdfmill.pipeline.search`, without an index."""

from __future__ import annotations

from collections import Counter

from pdfmill.pipeline.render.find_text import find_phrases
from pdfmill.pipeline.render.rows import text_in, whole_in
from pdfmill.pipeline.search.answers import NO_FILTERS, Box, Filters, Hit, Results, SearchError
from pdfmill.pipeline.serve.library import Library
from pdfmill.pipeline.serve.matches import boxes_between


class FakeSearch:
    def __init__(self, library: Library) -> None:
        self.library = library

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0, boxes: bool = True) -> Results:
        if query.count('"') % 2:
            raise SearchError(f"{query}: a quotation mark is not closed")
        hits = []
        for row in self.library.listed(None, 0, 10_000)[0]:
            doc_id = text_in(row, "doc_id")
            if filters.doc_id not in (None, doc_id) or filters.language not in (None, row["language"]):
                continue
            for page in self.library.rows("pages", doc_id, ["page", "text", "words"]):
                text, number = text_in(page, "text"), whole_in(page, "page")
                spans = find_phrases(text, [query.strip('"')])
                if spans:
                    start, end = spans[0]
                    snippet = [(text[max(0, start - 60) : start], False), (text[start:end], True), (text[end : end + 90], False)]
                    marked = [Box(number, *box) for span in spans for box in boxes_between(page, *span)]
                    uri, title = text_in(row, "source_uri"), text_in(row, "title")
                    hits.append(Hit(doc_id, uri, title, number, 1.0, snippet, ["A heading"], marked, "s", 0))
        counts = Counter(hit.doc_id for hit in hits)
        for hit in hits:
            hit.hits_in_document = counts[hit.doc_id]
        return Results(hits[offset : offset + limit], len(hits), len(counts), {"language": {"en": len(hits), "de": 1}})
