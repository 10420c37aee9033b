"""What a user types, to what is asked of the index.

    reading order          pages with these words, best those that have all, close together
    "reading order"        the words in this order, one right after the other
    archiv*                words that begin so
    heading:plans          in a heading of the page; title: of the document, path: the headings above, text: the page itself
    a AND (b OR c) NOT d   operators, in capitals; NOT leaves out

Whatever is typed has a meaning: signs that form nothing of the above are white space, and in a query all in capitals operators are words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.search.terms import is_unspaced, words_of

#: Fields by the names they may be typed under, and the character that begins their terms in the index: private use, so in no word.
FIELDS: Final = {"text": "", "title": "\ue001", "heading": "\ue002", "headings": "\ue002", "path": "\ue003"}
TITLE, HEADING, PATH = FIELDS["title"], FIELDS["heading"], FIELDS["path"]
#: Begins the terms that stand often on a page.
OFTEN: Final = "\ue004"

_TOKEN: Final = re.compile(
    r"(?P<field>(?:" + "|".join(FIELDS) + r'):(?=[^\s]))|"(?P<phrase>[^"]*)"|(?P<sign>[()])|(?P<word>[^\s()"]+)', re.IGNORECASE
)
_OPERATORS: Final = ("AND", "OR", "NOT")
#: Words of a query all in capitals from which it is a heading rather than an expression.
_SHOUTED: Final = 4


@dataclass(frozen=True, slots=True)
class Leaf:
    """Terms that are looked for. terms: of a phrase in this order, else one. field: the character of `FIELDS`, None for anywhere. prefix:
    the last term is the beginning of a word."""

    terms: tuple[str, ...]
    field: str | None = None
    prefix: bool = False

    @property
    def is_phrase(self) -> bool:
        """It is several terms in order."""
        return len(self.terms) > 1

    def expression(self) -> str:
        """What FTS5 is asked; a phrase is asked as its terms, the order is looked for in the text."""
        return "(" + " AND ".join(map(self._term, self.terms)) + ")"

    def _term(self, term: str) -> str:
        star = " *" if self.prefix and term == self.terms[-1] else ""
        fields = (self.field,) if self.field is not None else ("", TITLE, PATH)
        return "(" + " OR ".join(f'"{field}{term}"{star}' for field in fields) + ")"


@dataclass(frozen=True, slots=True)
class Junction:
    """Parts that must all match, or of which one must."""

    every: bool
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """What must not match."""

    part: Node


Node = Leaf | Junction | Without


@dataclass(frozen=True, slots=True)
class Query:
    """root: what must match; None for plain words, of which a page may lack some. leaves: all that is looked for, in the order typed.
    needed: of these what a page must have where there is no root: phrases and fields."""

    text: str
    root: Node | None
    leaves: tuple[Leaf, ...]

    @property
    def needed(self) -> tuple[Leaf, ...]:
        """Leaves that a page must have though the others may be missing."""
        return tuple(leaf for leaf in self.leaves if leaf.is_phrase or leaf.field is not None)


def parse_query(text: str) -> Query:
    """The query that a text means.

    Raises:
        SearchError: it has no word, or an operator that lacks its words.
    """
    tokens = list(_tokens(text))
    if any(isinstance(token, str) and token in _OPERATORS for token in tokens):
        parser = _Parser(text, tokens)
        root = parser.whole()
        leaves = tuple(_wanted(root))
        if not leaves:
            raise SearchError(f"the query {text!r} only says what is not wanted: at least one word must be")
        return Query(text, root, leaves)
    leaves = tuple(dict.fromkeys(leaf for token in tokens if not isinstance(token, str) for leaf in token))
    if not leaves:
        raise SearchError(f"the query {text!r} has no word to look for: letters or digits are needed")
    return Query(text, None, leaves)


def _tokens(text: str) -> Iterator[str | list[Leaf]]:
    """Operators and parentheses as they are, all else as what is looked for."""
    typed = text.split()
    shouted = text == text.upper() and text != text.lower() and len(typed) >= _SHOUTED
    plain = shouted or not any(each in typed for each in _OPERATORS)
    field: str | None = None
    for match in _TOKEN.finditer(text):
        if match["field"]:
            field = FIELDS[match["field"][:-1].lower()]
            continue
        if match["sign"]:
            if not plain:
                yield match["sign"]
        elif match["word"] in _OPERATORS and not plain:
            yield match["word"]
        elif match["phrase"] is not None:
            yield _phrase(match["phrase"], field)
        else:
            yield list(_words(match["word"], field))
        field = None


def _phrase(text: str, field: str | None) -> list[Leaf]:
    terms = tuple(term for word in words_of(text) for term in word.terms)
    return [Leaf(terms, field, len(terms) == 1 and is_unspaced(terms[0]))] if terms else []


def _words(text: str, field: str | None) -> Iterator[Leaf]:
    """The words of what was typed without a space: each for itself; of scripts without spaces each pair of characters."""
    words = list(words_of(text))
    for word in words:
        prefix = word.end == len(text) - 1 and text.endswith("*") and word is words[-1]
        for term in word.terms:
            alone = is_unspaced(term) and len(term) == 1
            yield Leaf((term,), field, (prefix and term == word.terms[-1] and not is_unspaced(term)) or alone)


def _wanted(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, Junction):
        for part in node.parts:
            yield from _wanted(part)


class _Parser:
    """OR of ANDs of items; items side by side must all match."""

    def __init__(self, text: str, tokens: Sequence[str | list[Leaf]]) -> None:
        self._text = text
        self._tokens = list(tokens)
        self._at = 0

    def whole(self) -> Node:
        node = self._any()
        while self._peek() is not None:  # a closing parenthesis too many
            self._at += 1
            if self._peek() is not None:
                node = Junction(True, (node, self._any()))
        return node

    def _peek(self) -> str | list[Leaf] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _any(self) -> Node:
        parts = [self._all()]
        while self._peek() == "OR":
            self._at += 1
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Junction(False, tuple(parts))

    def _all(self) -> Node:
        parts: list[Node] = []
        while (token := self._peek()) not in (None, ")", "OR"):
            if token == "AND":
                if not parts:
                    raise self._lacks("AND")
                self._at += 1
                if self._peek() in (None, ")", "OR", "AND"):
                    raise self._lacks("AND")
                continue
            parts += self._item()
        if not parts:
            raise self._lacks("OR" if "OR" in self._tokens else "a parenthesis")
        return parts[0] if len(parts) == 1 else Junction(True, tuple(parts))

    def _item(self) -> list[Node]:
        token = self._peek()
        self._at += 1
        if token == "NOT":
            if self._peek() in (None, ")", "OR", "AND"):
                raise self._lacks("NOT")
            return [Without(part) for part in self._item()]
        if token == "(":
            if self._peek() in (None, ")"):
                self._at += 1
                return []
            node = self._any()
            if self._peek() == ")":
                self._at += 1
            return [node]
        assert isinstance(token, list)
        return list(token)

    def _lacks(self, what: str) -> SearchError:
        return SearchError(f"the query {self._text!r} cannot be understood: {what} needs words beside it")


def expression(node: Node) -> str:
    """What FTS5 is asked for a tree; phrases that must not match are left to the text.

    Raises:
        SearchError: nothing in some part of it is wanted.
    """
    if isinstance(node, Leaf):
        return node.expression()
    if isinstance(node, Without):
        raise SearchError("NOT stands alone in a part of the query: there it needs a word that is wanted")
    if not node.every:
        return "(" + " OR ".join(map(expression, node.parts)) + ")"
    wanted = [expression(part) for part in node.parts if not isinstance(part, Without)]
    unwanted = [expression(part.part) for part in node.parts if isinstance(part, Without) and not has_phrase(part)]
    if not wanted:
        raise SearchError("NOT stands alone in a part of the query: there it needs a word that is wanted")
    found = "(" + " AND ".join(wanted) + ")"
    return f"({found} NOT ({' OR '.join(unwanted)}))" if unwanted else found


def has_phrase(node: Node) -> bool:
    """Whether a phrase stands in the tree, whose order the index does not know."""
    if isinstance(node, Leaf):
        return node.is_phrase
    return has_phrase(node.part) if isinstance(node, Without) else any(map(has_phrase, node.parts))
