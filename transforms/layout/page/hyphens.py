"""Join the lines of a block to running text: decide which line-end hyphens are dropped, and compute the offset of each line.

A hyphen at a line end is either the typesetter's (drop it: `neu-`/`tral`) or the word's own (keep it: `double-`/`barrelled`).
Evidence in order: U+00AD is always the typesetter's; a form that the document itself uses elsewhere wins; else a hyphenation
pattern of the language that allows a break exactly there (Liang 1983, "Word hy-phen-a-tion by com-put-er") drops it, unless only
its two parts are words of a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from pdfmill.schemas.scripts import UNSPACED_LETTERS, UNSPACED_MARKS
from pdfmill.transforms.language.language_words import alternatives
from pdfmill.transforms.layout.settings.layout_settings import HyphenMode

SOFT_HYPHEN: Final = "\u00ad"
_HYPHENS: Final = ("-", "\u2010")
_LAST_WORD: Final = re.compile(r"(\w[\w'’]*(?:[-\u2010]\w[\w'’]*)*)[-\u2010\u00ad]$")
_FIRST_WORD: Final = re.compile(r"\w[\w'’]*(?:[-\u2010]\w[\w'’]*)*")
#: Scripts written without spaces: a line break between two of their characters is no space.
_UNSPACED: Final = re.compile(f"[{UNSPACED_LETTERS}{UNSPACED_MARKS}]")
#: Parts words by itself.
_ETHIOPIC_SPACE: Final = "\N{ETHIOPIC WORDSPACE}"

#: What a hyphen is suspended before: "Haus- und Hof". Not words that can end a broken one, as or ends color.
_SUSPENDED: Final = re.compile(rf"(?:{alternatives(lambda language: language.suspending)})\b", re.IGNORECASE)
#: Letters of a syllable that is a word by chance.
_SYLLABLE: Final = 3


class JoinedText(Struct, frozen=True):
    """The text of a block.

    starts[i]: offset in `text` at which line i begins. lengths[i]: how many characters of line i were kept, from its
    first: a dropped hyphen makes it one less than the line; so offset k of line i is `starts[i] + min(k, lengths[i])`.
    breaks: offsets in `text` at which a line began without a space before it (a hyphen dropped or kept, or unspaced script).
    """

    text: str
    starts: tuple[int, ...]
    lengths: tuple[int, ...]
    breaks: tuple[int, ...]

    def offset(self, line: int, position: int) -> int:
        """Return the offset in `text` of a position in a line; a dropped hyphen has that of the next line's beginning."""
        return self.starts[line] + min(position, self.lengths[line])


#: Says whether a word may be broken at an offset: (word without the hyphen, offset of the break) -> bool.
BreakTest = Callable[[str, int], bool]


def join_lines(
    lines: Sequence[str],
    *,
    mode: HyphenMode = HyphenMode.ON,
    words: Container[str] = frozenset(),
    may_break: BreakTest | None = None,
    forced: Collection[int] = (),
) -> JoinedText:
    """Join a block's lines with single spaces and resolve the hyphens at their ends.

    words: words that there are, case-folded, hyphenated compounds whole: the document's own, the language's.
    may_break: see `hyphenator`; None when the language has no patterns. forced: lines, from 0, that end in a line feed.

    >>> join_lines(["an upright, neu-", "tral look"], may_break=hyphenator("en")).text
    'an upright, neutral look'
    >>> join_lines(["a double-", "barrelled name"], words={"double-barrelled"}).text
    'a double-barrelled name'
    """
    parts: list[str] = []
    starts: list[int] = []
    lengths: list[int] = []
    breaks: list[int] = []
    length = 0
    for number, line in enumerate(lines):
        starts.append(length)
        following = lines[number + 1] if number + 1 < len(lines) else None
        kept, separator = (
            (line, "") if following is None else (line, "\n") if number in forced else _line_end(line, following, mode, words, may_break)
        )
        parts += kept, separator
        lengths.append(len(kept))
        length += len(kept) + len(separator)
        if following is not None and not separator:
            breaks.append(length)
    return JoinedText("".join(parts), tuple(starts), tuple(lengths), tuple(breaks))


def _line_end(line: str, following: str, mode: HyphenMode, words: Container[str], may_break: BreakTest | None) -> tuple[str, str]:
    """Return what is kept of a line, and the separator before the next."""
    if not line or not following:
        return line, ""
    if line[-1] != "-" and line[-1].isascii():  # most lines
        return line, " "
    if mode is not HyphenMode.OFF and line.endswith(SOFT_HYPHEN):
        return line[:-1], ""
    if line.endswith(_HYPHENS) and len(line) > 1 and line[-2].isalnum() and following[0].isalnum():
        if _SUSPENDED.match(following):
            return line, " "
        if mode is HyphenMode.ON and is_typesetters(line, following, words, may_break):
            return line[:-1], ""
        return line, "" if mode is HyphenMode.ON else " "
    if line[-1] == _ETHIOPIC_SPACE or (_UNSPACED.match(line[-1]) and _UNSPACED.match(following[0])):
        return line, ""
    return line, " "


def is_typesetters(line: str, following: str, words: Container[str], may_break: BreakTest | None) -> bool:
    """Return whether the typesetter put the hyphen at the end of `line`, so that it is dropped when the lines are joined."""
    before, after = _LAST_WORD.search(line), _FIRST_WORD.match(following)
    if before is None or after is None:
        return False
    left, right = before[1], after[0]
    if not right[0].islower() and not (left.isupper() and right.isupper()):
        return right[0].isalpha() and right[0].lower() == right[0].upper()  # scripts without case
    if any(character.isdigit() for character in left + right):
        return False
    joined, compound = (left + right).casefold(), f"{left}-{right}".casefold().replace("\u2010", "-")
    if joined in words:
        return True
    if compound in words:
        return False
    stem = left.rsplit("-", 1)[-1]
    head = re.split("[-\u2010]", right, maxsplit=1)[0]
    if may_break is None:
        return True
    if may_break((stem + head).casefold(), len(stem)):
        long = min(len(stem), len(head)) > _SYLLABLE or (stem, head) != (left, right)
        return not (long and stem.casefold() in words and head.casefold() in words) or line.endswith("\u2010")
    return not (stem.casefold() in words and head.casefold() in words)


@cache
def hyphenator(language: str | None) -> BreakTest | None:
    """Return a test by the hyphenation patterns of a language (ISO 639-1, `de`, `zh-cn`); None if there are none."""
    import pyphen

    if not language or (code := pyphen.language_fallback(language.replace("-", "_"))) is None:
        return None
    return lambda word, offset: offset in _patterns(code).positions(word)


@cache
def _patterns(code: str) -> Any:
    # Loaded when the first word is asked for: many documents break no word.
    import pyphen

    dictionary = pyphen.HyphDict.__new__(pyphen.HyphDict)  # without its reading of every pattern, which takes up to 0.4 s
    dictionary.patterns, dictionary.cache = _Patterns(pyphen.LANGUAGES[code]), {}
    dictionary.maxlen = max(map(len, dictionary.patterns.lines))
    hyphenation = pyphen.Pyphen.__new__(pyphen.Pyphen)
    hyphenation.left, hyphenation.right, hyphenation.hd = _LEFT, _RIGHT, dictionary
    return hyphenation


#: Letters that stay before and after a break at least.
_LEFT, _RIGHT = 2, 2
_ESCAPED: Final = re.compile(r"\^{2}([0-9a-f]{2})")
_DIGITS: Final = "0123456789"
_VALUE: Final = re.compile(r"(\d?)\D?")
#: What begins a line that is no pattern.
_NO_PATTERN: Final = ("%", "#", "LEFTHYPHENMIN", "RIGHTHYPHENMIN", "COMPOUNDLEFTHYPHENMIN", "COMPOUNDRIGHTHYPHENMIN")


class _Patterns:
    """A file of hyphenation patterns for `pyphen.HyphDict`; each pattern is parsed when it is first looked up.

    lines: each pattern by its letters. Of spellings that change with the break only the break is kept.
    """

    def __init__(self, file: Any) -> None:
        encoding, _, rest = file.read_bytes().partition(b"\n")
        text = rest.decode({"microsoft-cp1251": "cp1251"}.get(name := encoding.decode().strip().lower(), name))
        if "^^" in text:
            text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
        lines = [line.partition("/")[0] if "/" in line and "=" in line else line for line in map(str.strip, text.split("\n"))]
        lines = [line for line in lines if not line.startswith(_NO_PATTERN)]
        bare = "\n".join(lines)
        for digit in _DIGITS:
            bare = bare.replace(digit, "")
        keys = bare.split("\n")
        self.lines = {key: line for key, line in zip(keys, lines, strict=True) if len(key) < len(line)}
        self._read: dict[str, tuple[int, tuple[int, ...]]] = {}

    def get(self, key: str) -> tuple[int, tuple[int, ...]] | None:
        """Return where in a pattern's letters its values begin, and the values."""
        if (line := self.lines.get(key)) is None:
            return None
        if (known := self._read.get(key)) is None:
            values = [int(digit or 0) for digit in _VALUE.findall(line)]
            marked = [place for place, value in enumerate(values) if value]
            first, end = (marked[0], marked[-1] + 1) if marked else (0, 0)
            known = self._read[key] = (first, tuple(values[first:end]))
        return known
