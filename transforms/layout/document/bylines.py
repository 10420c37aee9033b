"""Tell lines below a title that name authors, a date or a version from headings, by the document's own words: a name has a capital wherever
it is used, while the words of a heading also occur in sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from pdfmill.schemas.statistics import PageNotes
from pdfmill.transforms.layout.page.patterns import is_abstract, names_contents, numbering_depth

_PAGES: Final = 8  # pages at the beginning of a document whose words are kept
_LOWER: Final = re.compile(r"(?<![\w.@/])[^\W\d_]{3,}(?![\w@/])")
#: Addresses of mail, remarks in brackets, and marks of footnotes.
_BESIDE_NAMES: Final = re.compile(r"\S+@\S+|\([^)]*\)|[^\w\s.'’-]|[\d_¹²³]|[.]")
#: Words between names, and parts of names with a small letter.
_BETWEEN: Final = re.compile(
    "al|and|av|bin|by|da|de|del|della|den|der|di|do|dos|du|e|el|en|et|für|het|i|ibn|la|le|och|of|og|par|por|ten|ter|und|van|von|y"
)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_VERSION: Final = re.compile(r"[^\W\d_]+:?\s+v?\d+(?:\.\w+)+(?:\s+\w{1,3})?$")
_DATE_WORDS: Final = 6  # most words of a date


def lower_words(page: int, texts: Iterable[str]) -> frozenset[str]:
    """Return the words in small letters on one of the first pages; none on a later page. page: number from 1. texts: its lines."""
    return frozenset(word for text in texts for word in _LOWER.findall(text) if word.islower()) if page <= _PAGES else frozenset()


def names_people(text: str, lower: Collection[str]) -> bool:
    """Return whether a text has names only: two or more words with capitals, besides initials, none of which the document also
    writes in small letters. lower: the words that it does.

    >>> names_people("Rune Haubo B Christensen and Heng Li*", {"guide"}), names_people("User Guide", {"guide"}), names_people("Tig", ())
    (True, False, False)
    """
    words = _BESIDE_NAMES.sub(" ", text).split()
    names = [word for word in words if word[0].isupper()]
    if sum(len(name) > 1 for name in names) < 2 or not all(word[0].isupper() or _BETWEEN.fullmatch(word) for word in words):
        return False
    return not any(len(part) > 2 and part.lower() in lower for word in names for part in re.split(r"[-'’]", word))


def gives_date(text: str) -> bool:
    """Return whether a text is a date with its year, or a version.

    >>> gives_date("24 de octubre de 2021"), gives_date("Version 0.8 r2"), gives_date("Annual Report 2019")
    (True, True, False)
    """
    words = text.split()
    dated = _YEAR.search(text) and len(words) <= _DATE_WORDS and sum(len(word) > 2 and word[0].isalpha() for word in words) <= 1
    return bool(dated or _VERSION.fullmatch(text))


def bylines(notes: Mapping[int, PageNotes]) -> frozenset[tuple[int, ...]]:
    """Return the lines of each candidate below the title of the first page that names people or gives a date, up to the first heading that
    has a number or announces an abstract or contents. notes: facts about each page, by page number."""
    if not notes or not (first := notes[min(notes)]).candidates:
        return frozenset()
    largest = max(c.look.size for c in first.candidates)
    title = next(n for n, c in enumerate(first.candidates) if c.look.size == largest)
    lower = frozenset().union(*(note.lower for note in notes.values()))
    found: set[tuple[int, ...]] = set()
    for c in first.candidates[title + 1 :]:
        dated = gives_date(c.text)  # "3 May 2021" has no number of a heading
        if not dated and (numbering_depth(c.text) or is_abstract(c.text) or names_contents(c.text)):
            break
        if dated or names_people(c.text, lower):
            found.add(c.lines)
    return frozenset(found)
