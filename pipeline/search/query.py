"""What a user types, to what is looked for.

    reading order          pages with these words or forms of them, best those that have all, close together
    "reading order"        these words as they are, one right after the other
    archiv*                words that begin so
    archive~ archive~2     words that differ by a letter, or by two
    heading:plans          in a heading of the page; title: of the document, path: the headings above, text: the page itself
    a AND (b OR c) NOT d   operators, in capitals; NOT, or a hyphen before the word, leaves out

Signs that form nothing of the above are white space, and in a query all in capitals operators are words. Where what was typed is not
taken as it stands, a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.search.terms import is_unspaced, words_of
from pdfmill.pipeline.search.word_forms import NO_FORMS, Forms

#: Fields of the index by the names they may be typed under.
FIELDS: Final = {"text": "text", "title": "title", "heading": "heading", "headings": "heading", "path": "path"}
#: Characters, words and parentheses within one another that a query may have.
MAX_CHARS: Final = 10_000
MAX_WORDS: Final = 64
MAX_DEPTH: Final = 20
#: Words that may end in ~: each is compared with many of the index.
MAX_ALIKE: Final = 8

_TOKEN: Final = re.compile(
    r"(?P<field>(?:"
    + "|".join(FIELDS)
    + r'):(?=[^\s]))|(?P<minus>(?<!\S)-(?=["\w]))|"(?P<phrase>[^"]*)"|(?P<sign>[()])|(?P<word>[^\s()"]+)',
    re.IGNORECASE,
)
#: What is typed like a field; an address is none, nor is a time of day.
_UNKNOWN_FIELD: Final = re.compile(r"([^\W\d]\w*):(?!//|:)(?=\w)")
_FUZZY: Final = re.compile(r"(?P<word>[^\W_]+)~(?P<edits>[12]?)\Z")
#: What parts words that are typed without a space, yet are looked for one by one: elisions.
_ELISION: Final = re.compile("['\u2019\u02bc]")
_OPERATORS: Final = ("AND", "OR", "NOT")
_MINUS: Final = "-"
#: Words of a query all in capitals from which it is a heading rather than an expression.
_SHOUTED: Final = 4


class Leaf(Struct, frozen=True):
    """Terms that are looked for. terms: in this order, or one. field: of the index, None for anywhere. prefix: the term is the beginning of
    a word. quoted: typed in quotation marks. edits: letters by which a word may differ. words: the words by which the page is found where
    no page has them: those that the index has for a word that may differ. forms: other forms of the word."""

    terms: tuple[str, ...]
    field: str | None = None
    prefix: bool = False
    quoted: bool = False
    edits: int = 0
    words: tuple[str, ...] = ()
    forms: Forms = NO_FORMS
    typed: str = ""

    @property
    def is_phrase(self) -> bool:
        """It is several terms in order."""
        return len(self.terms) > 1

    @property
    def parts(self) -> tuple[Leaf, ...]:
        """Its terms one by one."""
        return tuple(Leaf((term,), self.field) for term in dict.fromkeys(self.terms))

    def __str__(self) -> str:
        field = f"{self.field}:" if self.field else ""
        text = " ".join(written(self.terms))
        if self.quoted or self.is_phrase:
            return f'{field}"{text}"'
        return f"{field}{'|'.join(self.words) or text}{'*' if self.prefix else ''}"


def written(terms: Sequence[str]) -> list[str]:
    """Terms as words: the overlapping pairs of a run without spaces put together."""
    words: list[str] = []
    for term in terms:
        if words and is_unspaced(term) and is_unspaced(words[-1]) and words[-1][-1] == term[0] and len(term) > 1:
            words[-1] += term[1:]
        else:
            words.append(term)
    return words


class Junction(Struct, frozen=True):
    """Parts that must all match, or of which one must."""

    every: bool
    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return "(" + (" AND " if self.every else " OR ").join(map(str, self.parts)).replace("AND NOT", "NOT") + ")"


class Without(Struct, frozen=True):
    """What must not match."""

    part: Node

    def __str__(self) -> str:
        return f"NOT {self.part}"


Node = Leaf | Junction | Without


class Query(Struct, frozen=True):
    """root: what must match; None for plain words, of which a page may lack some. leaves: all that is looked for, in the order typed.
    notes: sentences on what was not taken as it was typed."""

    text: str
    root: Node | None
    leaves: tuple[Leaf, ...]
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[Leaf, ...]:
        """Leaves that a page must have though the others may be missing: what is in quotation marks or in a field."""
        return tuple(leaf for leaf in self.leaves if leaf.quoted or leaf.field is not None)

    def understood(self) -> str:
        """The query as it was taken."""
        if self.root is None:
            return " ".join(map(str, self.leaves))
        return str(self.root).removeprefix("(").removesuffix(")") if isinstance(self.root, Junction) else str(self.root)

    def resolved(self, of: Callable[[Leaf], Leaf | tuple[Leaf, ...]]) -> Query:
        """The query with other leaves in place of its own; several are looked for one by one, and in a tree must all match."""

        def node(each: Node) -> Node:
            if isinstance(each, Without):
                return Without(node(each.part))
            if isinstance(each, Junction):
                return Junction(each.every, tuple(map(node, each.parts)))
            found = of(each)
            return found if isinstance(found, Leaf) else Junction(True, found)

        if self.root is None:
            found = [of(leaf) for leaf in self.leaves]
            leaves = dict.fromkeys(leaf for each in found for leaf in ((each,) if isinstance(each, Leaf) else each))
            return replace(self, leaves=tuple(leaves))
        root = node(self.root)
        return replace(self, root=root, leaves=tuple(_wanted(root)))


def parse_query(text: str) -> Query:
    """The query that a text means.

    Raises:
        SearchError: it has no word, too many of them, or an operator that lacks its words.
    """
    if len(text) > MAX_CHARS:
        raise SearchError(f"the query has {len(text):,} characters; at most {MAX_CHARS:,} are taken")
    notes: list[str] = []
    tokens = list(_tokens(text, notes))
    count = sum(len(leaf.terms) for token in tokens if not isinstance(token, str) for leaf in token)
    is_tree = any(isinstance(token, str) for token in tokens)
    if count > MAX_WORDS and is_tree:
        raise SearchError(f"the query has {count:,} words; at most {MAX_WORDS} are looked for")
    alike = sum(leaf.edits > 0 for token in tokens if not isinstance(token, str) for leaf in token)
    if alike > MAX_ALIKE:
        raise SearchError(f"the query has {alike:,} words with ~ behind them; at most {MAX_ALIKE} are looked for")
    if not count and not is_tree:
        raise SearchError(f"the query {text[:80]!r} has no word to look for: letters or digits are needed")
    if is_tree:
        root = _Parser(text, tokens).whole()
        leaves = tuple(dict.fromkeys(_wanted(root)))
        if not leaves:
            raise SearchError(f"the query {text[:80]!r} only says what is not wanted: at least one word must be")
        return Query(text, root, leaves, tuple(notes))
    words = list(dict.fromkeys(leaf for token in tokens if not isinstance(token, str) for leaf in token))
    if count > MAX_WORDS:
        notes.append(f"the query has {count:,} words, of which the first {MAX_WORDS} are looked for")
        words = list(_first(words))
    return Query(text, None, tuple(words), tuple(notes))


def _first(leaves: Sequence[Leaf]) -> Iterator[Leaf]:
    """As many as have no more words together than are looked for; of a longer one its beginning."""
    left = MAX_WORDS
    for leaf in leaves:
        if left:
            yield replace(leaf, terms=leaf.terms[:left])
            left -= len(leaf.terms[:left])


def _tokens(text: str, notes: list[str]) -> Iterator[str | list[Leaf]]:
    """Operators, parentheses and hyphens that leave out as they are, all else as what is looked for."""
    if text.count('"') % 2:
        text += '"'
        notes.append("a quotation mark is not closed: all that follows it is taken as a phrase")
    typed = text.split()
    shouted = text == text.upper() and text != text.lower() and len(typed) >= _SHOUTED
    is_plain = shouted or not (any(each in typed for each in _OPERATORS) or any(_leaves_out(each) for each in typed))
    field: str | None = None
    for match in _TOKEN.finditer(text):
        if match["field"]:
            field = FIELDS[match["field"][:-1].lower()]
            continue
        if match["sign"]:
            if not is_plain:
                yield match["sign"]
        elif match["minus"]:
            if not is_plain and not text[match.end()].isdigit():
                yield _MINUS
        elif match["word"] in _OPERATORS and not is_plain:
            yield match["word"]
        elif match["phrase"] is not None:
            yield _phrase(match["phrase"], field)
        else:
            if unknown := _UNKNOWN_FIELD.match(match["word"]):
                notes.append(f"{unknown[1]}: is no field (those are {', '.join(dict.fromkeys(FIELDS.values()))}), so it is taken as a word")
            yield list(_words(match["word"], field))
        field = None


def _leaves_out(typed: str) -> bool:
    return typed[:1] == _MINUS and (typed[1:2].isalpha() or typed[1:2] == '"')


def _phrase(text: str, field: str | None) -> list[Leaf]:
    terms = tuple(term for word in words_of(text) for term in word.terms)
    return [Leaf(terms, field, len(terms) == 1 and is_unspaced(terms[0]) and len(terms[0]) == 1, quoted=True)] if terms else []


def _words(text: str, field: str | None) -> Iterator[Leaf]:
    """What was typed without a space: the words of an elision one by one, all else as one, such as 2.5.1, x@example.org, 東京都."""
    if fuzzy := _FUZZY.match(text):
        for word in words_of(fuzzy["word"]):
            yield Leaf(word.terms, field, edits=0 if len(word.terms) > 1 else int(fuzzy["edits"] or 1))
        return
    pieces = _ELISION.split(text)
    for piece in pieces:
        words = list(words_of(piece))
        terms = tuple(term for word in words for term in word.terms)
        if not terms:
            continue
        is_begin = piece is pieces[-1] and piece.endswith("*") and words[-1].end == len(piece) - 1 and not is_unspaced(terms[-1])
        if is_begin:
            if len(terms) > 1:
                yield Leaf(terms[:-1], field)
            yield Leaf(terms[-1:], field, True)
        else:
            alone = len(terms) == 1 and is_unspaced(terms[0]) and len(terms[0]) == 1
            yield Leaf(terms, field, alone, typed=piece[words[0].start : words[-1].end].casefold() if len(terms) == 1 else "")


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
        self._depth = 0

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
        if all(isinstance(part, Without) for part in parts):
            if len(parts) == 1 and self._depth:
                return parts[0]
            raise SearchError(
                f"the query {self._text[:80]!r} only says what is not wanted in a part of it: at least one word of it must be wanted"
            )
        return parts[0] if len(parts) == 1 else Junction(True, tuple(parts))

    def _item(self) -> list[Node]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise SearchError(f"the query {self._text[:80]!r} has parentheses or NOT more than {MAX_DEPTH} deep")
        try:
            return self._within()
        finally:
            self._depth -= 1

    def _within(self) -> list[Node]:
        token = self._peek()
        self._at += 1
        if token in ("NOT", _MINUS):
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
        return SearchError(f"the query {self._text[:80]!r} cannot be understood: {what} needs words beside it")
