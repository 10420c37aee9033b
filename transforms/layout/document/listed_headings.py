"""Find the headings that the document's printed table of contents lists.
Printed page numbers differ from page numbers of the file by a constant: the one with which most entries occur on their page as a line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from pdfmill.schemas.statistics import PageNotes
from pdfmill.transforms.layout.page.patterns import entry_title, title_key

#: Smallest number of entries that one constant places on their pages, so that the table of contents is trusted; fewer may match by chance.
_MATCHES: Final = 3
#: Smallest number of letters of a title; shorter ones occur anywhere.
_LETTERS: Final = 3


def listed_headings(notes: Mapping[int, PageNotes]) -> set[tuple[int, str]]:
    """Return (page of the file, `title_key` of the title) for the entries of the printed table of contents; {} if too few are found on
    their pages."""
    entries: dict[str, set[int]] = defaultdict(set)
    for note in notes.values():
        for entry in note.contents:
            if entry.number and len(key := title_key(entry_title(entry.text))) >= _LETTERS:
                entries[key].add(entry.number)
    if not entries:
        return set()
    own = {page for page, note in notes.items() if note.contents}
    places: dict[int, set[str]] = defaultdict(set)
    for page, note in notes.items():
        for candidate in () if page in own else note.candidates:
            key = title_key(candidate.text)
            for number in entries.get(key, ()):
                places[page - number].add(key)
    if not places:
        return set()
    distance, keys = min(places.items(), key=lambda item: (-len(item[1]), abs(item[0])))
    if len(keys) < _MATCHES:
        return set()
    return {(number + distance, key) for key, numbers in entries.items() for number in numbers}
