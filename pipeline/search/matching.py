"""Translate parsed queries to Tantivy queries, which select pages and rank them roughly; find similar words in the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Final

from msgspec.structs import replace
from rapidfuzz import process
from rapidfuzz.distance import OSA
from tantivy import FieldType, Occur, Searcher
from tantivy import Query as Matches

from pdfmill.pipeline.search.answers import Filters
from pdfmill.pipeline.search.index_file import SAMPLE, SAMPLED, SCHEMA, count_of
from pdfmill.pipeline.search.query import Leaf, Node, Query
from pdfmill.pipeline.search.word_forms import STEMMERS, forms_of, frequent

#: Share of the pages above which a word is common. If a query also has rarer words, common words only affect the ranking.
_COMMON_SHARE: Final = 0.2
#: Weights, in the choice of pages to rank, of other forms of a word and of the word outside the text, relative to the word in the text.
_WEIGHTS: Final = {"form": 0.4, "heading": 1.0, "title": 0.2, "path": 0.2}
#: Most terms of the index that are compared with a word of a query.
_COMPARED: Final = 50_000
#: Size of Unicode's blocks of letters, and the first code point behind the alphabets; Hangul has too many syllables to try each.
_LETTERS, _ALPHABETS = 0x100, 0x2000
#: Most words of a query that occur on no page for which similar words are suggested.
_SUGGESTED: Final = 4
#: For words of at most this number of letters, suggestions may differ in one letter; for longer ones in two.
_SHORT: Final = 5
_term: Final = partial(Matches.term_query, SCHEMA)
_filter: Final = partial(Matches.const_score_query, score=0.0)  # only decides whether a page matches


class Matcher:
    """Translates parsed queries to Tantivy queries, for one state of an index."""

    def __init__(self, searcher: Searcher, kind: str | None = None) -> None:
        """Make a matcher for the searcher's index. kind: only words in sections of this kind match; None for all words."""
        self._searcher = searcher
        self._kind = kind
        self.count = partial(count_of, searcher)
        self._languages = [each for each, _ in searcher.terms_with_prefix("language", "") if each in STEMMERS]
        self._standing = cache(lambda terms: self._about(_any(self._text(Leaf(terms)))))
        self.ways = cache(self._ways)

    def resolve(self, leaf: Leaf) -> Sequence[Leaf]:
        """Complete a word or phrase of the query from the index: the number of its pages, and for a word its other forms, or similar words
        if a misspelling is allowed. Words typed without spaces that occur nowhere side by side become leaves of their own."""
        if leaf.edits:
            leaf = replace(leaf, words=(leaf.text, *self.alike(leaf.text, leaf.edits)))
        elif leaf.is_phrase:
            pages = (leaf.field is None and self._standing(leaf.text)) or self.count(self.of(leaf))
            if not pages and not leaf.quoted:
                return [each for part in leaf.parts for each in self.resolve(part)]
            return [replace(leaf, pages=pages)]
        elif not (leaf.quoted or leaf.prefix or leaf.field not in (None, "text")):
            forms = forms_of(leaf.typed or leaf.text, self._languages, partial(self._searcher.terms_with_prefix, limit=_COMPARED))
            return [replace(leaf, forms=forms, pages=self._searcher.doc_freq("text", leaf.text))]
        return [replace(leaf, pages=self.count(self.of(leaf)))]

    def _about(self, query: Matches) -> int:
        """Return the number of pages that match, estimated from a sample if many do. It is 0 only if none matches."""
        sampled = self.count(_any([query, _filter(_term(*SAMPLED))], Occur.Must))
        return sampled * SAMPLE if sampled >= SAMPLE else self.count(query)

    def of(self, leaf: Leaf) -> Matches:
        """Return the Tantivy query for pages that match a word or phrase of the query."""
        return _any(self.ways(leaf))

    def _ways(self, leaf: Leaf) -> list[Matches]:
        """Return Tantivy queries for a word or phrase, of which one must match. They are not nested, because that would take twice as
        long."""
        if leaf.field is not None:
            return self._text(leaf) if leaf.field == "text" else self._in(leaf, leaf.field)
        if leaf.is_phrase:
            if self._standing(leaf.text):
                return self._text(leaf)
            return [way for name in ("turn", "title", "path") for way in self._in(leaf, name)]
        found = self._text(leaf)
        if not leaf.quoted:
            found += _weighted((_term("inner", each) for each in leaf.forms.inner), "form")
            found += _weighted([_any([_term("inner", each) for each in leaf.forms.pairs], Occur.Must)] if leaf.forms.pairs else (), "form")
            found += [way for name in ("heading", "title", "path") for way in _weighted(self._in(leaf, name), name)]
        return found

    def _text(self, leaf: Leaf) -> list[Matches]:
        if self._kind is None:
            return self._in(leaf, "text")
        whole = _any([_any(self._in(leaf, "text")), _filter(_term("only_kind", self._kind))], Occur.Must)
        return [whole, *self._in(leaf, f"text_{self._kind}")]

    def _in(self, leaf: Leaf, field: str) -> list[Matches]:
        if leaf.is_phrase:
            return [Matches.phrase_query(SCHEMA, field, [*leaf.terms])]
        if leaf.prefix:
            return [Matches.regex_query(SCHEMA, field, re.escape(leaf.text) + ".*")]
        forms = leaf.forms.words if field.startswith("text") else ()
        return [_term(field, word) for word in leaf.words or (leaf.text,)] + _weighted((_term(field, word) for word in forms), "form")

    def node(self, node: Node) -> Matches:
        """Return the Tantivy query for pages that match a node of the query's tree."""
        if isinstance(node, Leaf):
            return self.of(node)
        if node.sign == "NOT":
            return Matches.boolean_query([(Occur.Must, _filter(Matches.all_query())), (Occur.MustNot, self.node(node.parts[0]))])
        return _any([self.node(part) for part in node.parts], Occur.Must if node.sign == "AND" else Occur.Should)

    def whole(self, query: Query, filters: Filters) -> tuple[Matches, Matches | None]:
        """Return Tantivy's query for all pages that the search finds, and that for pages with all words; None if no word may be missing."""
        kept = [_filter(each) for each in _conditions(filters)]
        if query.root is not None:
            return _any([self.node(query.root), *kept], Occur.Must), None
        needed = [*(self.of(leaf) for leaf in query.leaves if leaf.is_needed), *kept]
        plain = [leaf for leaf in query.leaves if not leaf.is_needed]
        if not plain:
            return _any(needed, Occur.Must), None
        finding = self._rare(plain)
        rest = [(Occur.Should, way) for leaf in plain if len(needed) > len(kept) or leaf not in finding for way in self.ways(leaf)]
        found = [] if len(needed) > len(kept) else [_any([way for leaf in finding for way in self.ways(leaf)])]
        whole = Matches.boolean_query([*((Occur.Must, each) for each in (*found, *needed)), *rest])
        return whole, _any([*map(self.of, plain), *needed], Occur.Must) if len(query.leaves) > 1 else None

    def _rare(self, leaves: Sequence[Leaf]) -> Sequence[Leaf]:
        return [leaf for leaf in leaves if leaf.pages <= _COMMON_SHARE * self._searcher.num_docs] or leaves

    def marked(self, query: Query) -> Sequence[Leaf]:
        """Return the words and phrases to mark on a page: all but common single words, or all if the query has only such words."""
        rare = self._rare(query.leaves)
        return [leaf for leaf in query.leaves if leaf.is_phrase or leaf.quoted or leaf in rare]

    def alike(self, word: str, edits: int) -> list[str]:
        """Return words of the index within this edit distance of a word (insertions, deletions, changes and swaps), the most frequent
        first. They begin with the same two letters or, if none is near enough, differ in the second letter, but not in the next one."""
        block = ord(word[0]) // _LETTERS * _LETTERS
        letters = filter(str.isalnum, map(chr, range(block, block + _LETTERS)))
        others = {word[0] + letter + following for letter in letters for following in (word[1:2], word[2:3])}
        for begins in ([word[:2]], [word[0]] if block >= _ALPHABETS else [word[0] + word[2:3], *others]):
            known = {term: pages for begin in begins for term, pages in self._searcher.terms_with_prefix("text", begin, limit=_COMPARED)}
            near = process.extract_iter(word, known.keys(), scorer=OSA.distance, score_cutoff=edits)
            if found := frequent((term, known[term]) for term, *_ in near if term != word):
                return found
        return []

    def suggestion(self, query: Query) -> str | None:
        """Return the query with each word that occurs on no page replaced by a similar word of the index; None if there is nothing to
        replace."""
        instead: dict[Leaf, Leaf] = {}
        for leaf in [each for each in query.leaves if not each.pages][:_SUGGESTED]:
            if not leaf.is_phrase and len(leaf.text) > 2 and not self.count(self.of(leaf)):
                near = self.alike(leaf.text, 1) or (self.alike(leaf.text, 2) if len(leaf.text) > _SHORT else [])
                if near:
                    instead[leaf] = replace(leaf, text=near[0], words=())
        return " ".join(str(instead.get(leaf, leaf)) for leaf in query.leaves) if instead else None


def _conditions(filters: Filters) -> list[Matches]:
    found: list[Matches] = []
    if filters.language is not None:
        found.append(Matches.regex_query(SCHEMA, "language", re.escape(filters.language.lower()) + "(-.*)?"))
    if filters.source is not None:
        is_glob = any(sign in filters.source for sign in "*?[")
        found.append(Matches.regex_query(SCHEMA, "source", _of_glob(filters.source) if is_glob else re.escape(filters.source) + ".*"))
    if filters.date_from is not None or filters.date_to is not None:
        first, last = (None if day is None else day.toordinal() for day in (filters.date_from, filters.date_to))
        found.append(Matches.range_query(SCHEMA, "day", FieldType.Integer, first, last))
    if filters.page is not None:
        found.append(Matches.range_query(SCHEMA, "page", FieldType.Integer, filters.page, filters.page))
    exact = {"kind": filters.kind, "doc_id": filters.doc_id}
    return found + [_term(name, value) for name, value in exact.items() if value is not None]


def _of_glob(glob: str) -> str:
    """Translate a glob to a regular expression; an unclosed bracket matches itself."""
    signs = {"*": ".*", "?": "."}
    parts = re.split(r"(\*|\?|\[[^]]+\])", glob)
    parts[1::2] = [
        signs.get(part) or "[" + re.sub(r"[\\\[^&~]", r"\\\g<0>", part[1:]).replace("!", "^", part[1] == "!") for part in parts[1::2]
    ]
    parts[::2] = map(re.escape, parts[::2])
    return "".join(parts)


def _weighted(queries: Iterable[Matches], name: str) -> list[Matches]:
    return [Matches.boost_query(each, _WEIGHTS[name]) for each in queries]


def _any(parts: Sequence[Matches], occur: Occur = Occur.Should) -> Matches:
    return parts[0] if len(parts) == 1 else Matches.boolean_query([(occur, part) for part in parts])
