"""Parse the query that a user types; docs/search.md describes its syntax. Notes say which parts were not taken literally."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.search.terms import BETWEEN_PAIRS, LAST_OF_RUN, fold_text, is_unspaced, placed_terms
from pdfmill.pipeline.search.word_forms import Forms

#: Fields of the index by the names that users type before a colon.
FIELDS: Final = {"text": "text", "title": "title", "heading": "heading", "headings": "heading", "path": "path"}
#: Most characters, words and levels of parentheses of a query.
MAX_CHARS: Final = 10_000
MAX_WORDS: Final = 64
MAX_DEPTH: Final = 20
#: Most words of a query with ~ or * behind them: each is compared with many words of the index.
MAX_ALIKE: Final = 8
#: Most phrases of a query. A phrase of two common words takes some 90 ms of CPU over a million pages.
MAX_PHRASES: Final = 16

_TOKEN: Final = re.compile(
    r"(?P<field>(?:"
    + "|".join(FIELDS)
    + r'):(?=[^\s]))|(?P<minus>(?<!\S)-(?=["\w]))|"(?P<phrase>[^"]*)"|(?P<sign>[()])|(?P<word>[^\s()"]+)',
    re.IGNORECASE,
)
#: A word with a colon behind it, like a field, but no address (http://) and no time of day.
_UNKNOWN_FIELD: Final = re.compile(r"([^\W\d]\w*):(?!//|:)(?=\w)")
_FUZZY: Final = re.compile(r"(?P<word>[^\W_]+)~(?P<edits>[12]?)\Z")
#: Apostrophes of elisions (l'eau): they separate words that are searched one by one.
_ELISION: Final = re.compile("['\u2019\u02bc]")
_OPERATOR: Final = re.compile(r'(?<!\S)(?:(?:AND|OR|NOT)(?!\S)|-(?:[^\W\d_]|"))')
#: In a query all in capitals of at least this number of words, AND, OR and NOT are words: it is likely a copied heading.
_SHOUTED: Final = 4


class Leaf(Struct, frozen=True):
    """A leaf of the query's tree: a word, or several words that must occur in this order. text: normalised. field: to search; None for any.
    prefix: the last word may be the beginning of a longer one. edits: allowed edit distance. words: words of the index within it, one of
    which must occur. typed: a single word in small letters with its accents. pages: number of pages with the leaf's text, without other
    `forms`."""

    text: str
    field: str | None = None
    prefix: bool = False
    quoted: bool = False  # whether it was typed in quotation marks
    edits: int = 0
    words: tuple[str, ...] = ()
    forms: Forms = Forms()  # other forms of the word
    typed: str = ""
    pages: int = 0

    @property
    def terms(self) -> list[str]:
        """Return the terms of its text."""
        return self.text.split()

    @property
    def is_needed(self) -> bool:
        """Return whether every hit must contain this leaf, although other words may be missing: it is quoted or limited to a field."""
        return self.quoted or self.field is not None

    @property
    def is_phrase(self) -> bool:
        """Return whether this leaf has several terms."""
        return " " in self.text

    @property
    def parts(self) -> tuple[Leaf, ...]:
        """Return a leaf for each different term of this leaf."""
        return tuple(Leaf(term, self.field) for term in dict.fromkeys(self.terms))

    def __str__(self) -> str:
        field = f"{self.field}:" if self.field else ""
        if self.quoted or self.is_phrase:
            return field + BETWEEN_PAIRS.sub(r"\1", f'"{self.text}"')
        return f"{field}{'|'.join(self.words) or self.text}{'*' if self.prefix else ''}"


class Junction(Struct, frozen=True):
    """An operator in the query's tree: pages must match all parts (AND), at least one part (OR), or not match the only part (NOT)."""

    sign: str  # AND, OR or NOT
    parts: tuple[Node, ...]

    def __str__(self) -> str:
        if self.sign == "NOT":
            return f"NOT {self.parts[0]}"
        return "(" + f" {self.sign} ".join(map(str, self.parts)).replace("AND NOT", "NOT") + ")"


Node = Leaf | Junction


class Query(Struct, frozen=True):
    """A parsed query. root: the tree that must match; None for plain words, some of which a page may lack. leaves: the wanted words and
    phrases (not those after NOT), in the order typed. notes: sentences on parts that were not taken literally."""

    root: Node | None
    leaves: tuple[Leaf, ...]
    notes: tuple[str, ...] = ()

    def understood(self) -> str:
        """Return the text of the query as pdfmill interpreted it."""
        whole = " ".join(map(str, self.leaves)) if self.root is None else str(self.root)
        return whole[1:-1] if whole[0] == "(" else whole


def parse_query(text: str, resolve: Callable[[Leaf], Sequence[Leaf]] = lambda leaf: (leaf,)) -> Query:
    """Parse a query. resolve: replaces a leaf (a word or phrase of the query) by leaves of which all must match.

    Raises:
        SearchError: the text has no word or too many, or an operator lacks its words.
    """
    if len(text) > MAX_CHARS:
        raise SearchError(f"the query has {len(text):,} characters; at most {MAX_CHARS:,} are allowed")
    notes: list[str] = []
    tokens = list(_tokens(text, notes))
    typed = [leaf for token in tokens if not isinstance(token, str) for leaf in token]
    alike = sum(leaf.edits > 0 or (leaf.prefix and not is_unspaced(leaf.text)) for leaf in typed)
    count, phrases = sum(len(leaf.terms) for leaf in typed), sum(leaf.is_phrase for leaf in set(typed))
    is_tree = any(isinstance(token, str) for token in tokens)
    for number, most, of in (
        (alike, MAX_ALIKE, "words followed by ~ or *"),
        (count * is_tree, MAX_WORDS, "words"),
        (phrases * is_tree, MAX_PHRASES, "phrases"),
    ):
        if number > most:
            raise SearchError(f"the query has {number:,} {of}; at most {most} are allowed")
    if is_tree:
        root = _Parser(text[:80], [each if isinstance(each, str) else [*chain(*map(resolve, each))] for each in tokens]).whole()
        return Query(root, tuple(dict.fromkeys(_wanted(root))), tuple(notes))
    if not count:
        raise SearchError(f"the query {text[:80]!r} has no word to search for, that is no letters or digits")
    leaves = list(dict.fromkeys(typed))
    if count > MAX_WORDS or phrases > MAX_PHRASES:
        notes.append(
            f"the query has {count:,} words; only the first {MAX_WORDS} words, and at most {MAX_PHRASES} phrases, are searched for"
        )
        leaves = list(_first(leaves))
    return Query(None, tuple(dict.fromkeys(chain(*map(resolve, leaves)))), tuple(notes))


def _first(leaves: Sequence[Leaf]) -> Iterator[Leaf]:
    """Yield the first leaves (words and phrases), up to `MAX_WORDS` words and `MAX_PHRASES` phrases; the last phrase may be cut."""
    left, phrases = MAX_WORDS, MAX_PHRASES
    for leaf in leaves:
        phrases -= leaf.is_phrase
        if phrases >= 0 or not leaf.is_phrase:
            yield from (leaf,) if len(leaf.terms) <= left else leaf.parts[: max(0, left)]
            left -= len(leaf.terms)


def _tokens(text: str, notes: list[str]) -> Iterator[str | list[Leaf]]:
    """Yield operators and parentheses as text (a minus before a word as NOT), and everything else as lists of leaves.
    notes: receives sentences on what was not taken literally."""
    if text.count('"') % 2:
        text += '"'
        notes.append("a quotation mark is not closed, so everything after it is searched for as a phrase")
    shouted = text == text.upper() and text != text.lower() and len(text.split()) >= _SHOUTED
    is_tree = not shouted and _OPERATOR.search(text) is not None
    field: str | None = None
    for match in _TOKEN.finditer(text):
        kind, typed = match.lastgroup, match[0]
        if kind == "field":
            field = FIELDS[typed[:-1].lower()]
            continue
        if kind == "phrase":
            if words := LAST_OF_RUN.sub("", fold_text(match["phrase"])):
                yield [_leaf(words, field, quoted=True)]
        elif kind == "word" and not (is_tree and typed in ("AND", "OR", "NOT")):
            if unknown := _UNKNOWN_FIELD.match(typed):
                notes.append(
                    f"{unknown[1]}: is not a field (the fields are {', '.join(dict.fromkeys(FIELDS.values()))}), so it is taken as a word"
                )
            yield list(_leaves(typed, field))
        elif is_tree and not (kind == "minus" and text[match.end()].isdigit()):
            yield "NOT" if kind == "minus" else typed
        field = None


def _leaf(folded: str, field: str | None, typed: str = "", *, quoted: bool = False) -> Leaf:
    """Return the leaf (word or phrase) for a normalised text. A single character of a script without spaces is searched as a prefix,
    because pairs of characters are indexed."""
    return Leaf(folded, field, len(folded) == 1 and is_unspaced(folded), quoted, typed=typed)


def _leaves(typed: str, field: str | None) -> Iterator[Leaf]:
    """Yield the leaves (words or phrases) of a text without spaces: one for each word of an elision such as l'eau, else a single one
    (2.5.1, x@example.org)."""
    if fuzzy := _FUZZY.match(typed):
        word = LAST_OF_RUN.sub("", fold_text(fuzzy["word"]))
        yield Leaf(word, field, edits=0 if is_unspaced(word) or " " in word else int(fuzzy["edits"] or 1))
        return
    *pieces, last = _ELISION.split(typed)
    begin = ""
    if last[-1:] == "*" and last[-2:-1].isalnum() and not is_unspaced(last[-2]):
        folded, places = placed_terms(last)
        begin = folded.split()[-1]
        last = last[: places[len(folded) - len(begin)]]
    for piece in (*pieces, last):
        folded, places = placed_terms(piece)
        if folded:
            yield _leaf(LAST_OF_RUN.sub("", folded), field, "" if " " in folded else piece[places[0] : places[-1]].casefold())
    if begin:
        yield Leaf(begin, field, True)


def _wanted(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    elif node.sign != "NOT":
        yield from chain(*map(_wanted, node.parts))


def _joined(sign: str, parts: Sequence[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Junction(sign, tuple(parts))


class _Parser:
    def __init__(self, text: str, tokens: Sequence[str | list[Leaf]]) -> None:
        self._text, self._left, self._depth = text, deque(tokens), 0

    def whole(self) -> Node:
        parts = []
        while self._left:
            parts.append(self._any())
            self._take(")")  # one too many is ignored
        return _joined("AND", parts)

    def _comes(self, *signs: str) -> bool:
        """Return whether the next token is one of these; the end counts as a closing parenthesis."""
        return (self._left[0] if self._left else ")") in signs

    def _take(self, sign: str) -> bool:
        """Skip the next token if it is this sign, and return whether it was."""
        return bool(self._left) and self._comes(sign) and self._left.popleft() == sign

    def _any(self) -> Node:
        parts = [self._all()]
        while self._take("OR"):
            parts.append(self._all())
        return _joined("OR", parts)

    def _all(self) -> Node:
        parts: list[Node] = []
        while not self._comes(")", "OR"):
            if not self._take("AND"):
                parts += self._item()
            elif not parts or self._comes(")", "OR", "AND"):
                raise self._lacks("AND")
        if not parts:
            raise self._lacks("OR" if "OR" in self._text else "a parenthesis")
        if all(getattr(part, "sign", "") == "NOT" for part in parts) and not (len(parts) == 1 and self._depth):
            raise SearchError(f"the query {self._text!r} has a part with only unwanted words; add a wanted word to it")
        return _joined("AND", parts)

    def _item(self) -> Sequence[Node]:
        token = self._left.popleft()
        if isinstance(token, list):
            return token
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise SearchError(f"the query {self._text!r} has more than {MAX_DEPTH} levels of parentheses and NOT")
        if token == "(":
            found = [] if self._comes(")") else [self._any()]
            self._take(")")
        elif self._comes(")", "OR", "AND"):
            raise self._lacks("NOT")
        else:
            found = [Junction("NOT", (_joined("AND", self._item()),))]
        self._depth -= 1
        return found

    def _lacks(self, what: str) -> SearchError:
        return SearchError(f"the query {self._text!r} cannot be understood: {what} needs words around it")
