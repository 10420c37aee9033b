"""Join the lines of a block to running text: decide which hyphens at line ends are dropped, and compute the offset of each line.
A hyphen was added by the typesetter (`neu-`/`tral`, dropped) or belongs to the word (`double-`/`barrelled`, kept). In this order decide:
U+00AD; the form that the document uses elsewhere; a hyphenation pattern of the language (Liang 1983, "Word hy-phen-a-tion by com-put-er"),
unless only the two parts are in the word list."""

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
#: Characters of scripts written without spaces. A line break between two of them is no space.
_UNSPACED: Final = re.compile(f"[{UNSPACED_LETTERS}{UNSPACED_MARKS}]")
#: Letters of Thai, Lao and Burmese, which have spaces between phrases.
_PHRASES: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f]")
#: Ethiopic word separator, after which no space is needed.
_ETHIOPIC_SPACE: Final = "\N{ETHIOPIC WORDSPACE}"

#: Words before which a hyphen is suspended: "Haus- und Hof". Words that can also end a broken word, such as "or" in "color", are left out.
_SUSPENDED: Final = re.compile(rf"(?:{alternatives(lambda language: language.suspending)})\b", re.IGNORECASE)
#: The end of a line within an address, behind a sign at which addresses are broken.
_ADDRESS_END: Final = re.compile(r"(?:\w:/|www(?=\.))\S*?([/.?&=_#%~])$")
#: The beginning of a line that goes on an address behind a slash or a full stop, which could also end it.
_ADDRESS_MORE: Final = re.compile(r"[a-z\d][\w%~-]+[/._?=&#]\w|\w[\w%~-]*/\w|(?:com|edu|html?|net|org|pdf|txt|xml|zip)\b")
#: Letters of a syllable, which may be a word by chance.
_SYLLABLE: Final = 3


class JoinedText(Struct, frozen=True):
    """The joined text of a block's lines. The character at position k of line i has the offset `starts[i] + min(k, lengths[i])` in `text`.
    breaks: offsets at which a line begins without a space before it."""

    text: str
    starts: tuple[int, ...]  # offset in `text` at which each line begins
    lengths: tuple[int, ...]  # number of characters kept of each line: one less than it has if its hyphen was dropped
    #: Offsets in `text` at which a line begins without a space before it (after a hyphen, or in a script without spaces).
    breaks: tuple[int, ...]

    def offset(self, line: int, position: int) -> int:
        """Return the offset in `text` of a position in a line. A dropped hyphen has the offset of the next line's beginning."""
        return self.starts[line] + min(position, self.lengths[line])


#: A function (word without the hyphen, offset of the break) -> whether the word may be broken there.
BreakTest = Callable[[str, int], bool]


def join_lines(
    lines: Sequence[str],
    *,
    mode: HyphenMode = HyphenMode.ON,
    words: Container[str] = frozenset(),
    may_break: BreakTest | None = None,
    forced: Collection[int] = (),
    is_short: Callable[[int], bool] = lambda _: False,
) -> JoinedText:
    """Join a block's lines with single spaces and resolve the hyphens at their ends.
    words: known words, case-folded. may_break: see `hyphenator`; None without patterns. forced: lines that end in a line feed. is_short:
    returns whether a line ends early; used for scripts that have spaces between phrases.

    >>> join_lines(["an upright, neu-", "tral look"], may_break=hyphenator("en")).text
    'an upright, neutral look'
    >>> join_lines(["a double-", "barrelled name"], words={"double-barrelled"}).text
    'a double-barrelled name'
    """
    if len(lines) == 1:  # most cells of tables
        return JoinedText(lines[0], (0,), (len(lines[0]),), ())
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
        if following and not separator and _PHRASES.match(line[-1:]) and _PHRASES.match(following) and is_short(number):
            separator = " "
        parts += kept, separator
        lengths.append(len(kept))
        length += len(kept) + len(separator)
        if following is not None and not separator:
            breaks.append(length)
    return JoinedText("".join(parts), tuple(starts), tuple(lengths), tuple(breaks))


def _line_end(line: str, following: str, mode: HyphenMode, words: Container[str], may_break: BreakTest | None) -> tuple[str, str]:
    """Return the text kept of `line`, and the separator between it and the line `following`."""
    if not line or not following:
        return line, ""
    if ("://" in line or "www." in line) and _splits_address(line, following):
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


def _splits_address(line: str, following: str) -> bool:
    """Return whether `line` ends within an address (URL) that goes on in the line `following`."""
    end = _ADDRESS_END.search(line)
    return end is not None and (end[1] not in "/." or line.endswith("://") or _ADDRESS_MORE.match(following) is not None)


def is_typesetters(line: str, following: str, words: Container[str], may_break: BreakTest | None) -> bool:
    """Return whether the typesetter added the hyphen at the end of `line`, so that it is dropped.
    words: known words, case-folded. may_break: tests whether a word may be broken at an offset; None without patterns."""
    before, after = _LAST_WORD.search(line, line.rfind(" ") + 1), _FIRST_WORD.match(following)
    if before is None or after is None:
        return False
    left, right = before[1], after[0]
    if not right[0].islower() and not (left.isupper() and right.isupper()):
        return right[0].isalpha() and right[0].lower() == right[0].upper()  # scripts without case
    if any(map(str.isdigit, left + right)):
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
    """Return a function that tests whether a word may be broken at an offset; None if the language (ISO 639-1, `de`) has no patterns."""
    import pyphen

    if not language or (code := pyphen.language_fallback(language.replace("-", "_"))) is None:
        return None
    return lambda word, offset: offset in _patterns(code).positions(word)


@cache
def _patterns(code: str) -> Any:
    # Loaded when the first word is tested, because many documents break no word.
    import pyphen

    dictionary = pyphen.HyphDict.__new__(pyphen.HyphDict)  # its constructor would read every pattern, which takes up to 0.4 s
    dictionary.patterns, dictionary.cache = _Patterns(pyphen.LANGUAGES[code]), {}
    dictionary.maxlen = max(map(len, dictionary.patterns.lines))
    hyphenation = pyphen.Pyphen.__new__(pyphen.Pyphen)
    hyphenation.left, hyphenation.right, hyphenation.hd = _LEFT, _RIGHT, dictionary
    return hyphenation


#: Smallest number of letters before and after a break.
_LEFT, _RIGHT = 2, 2
_ESCAPED: Final = re.compile(r"\^{2}([0-9a-f]{2})")
_DIGITS: Final = b"0123456789"
_VALUE: Final = re.compile(r"(\d?)\D?")
#: Beginnings of lines in a pattern file that contain no pattern.
_NO_PATTERN: Final = ("%", "#", "LEFTHYPHENMIN", "RIGHTHYPHENMIN", "COMPOUNDLEFTHYPHENMIN", "COMPOUNDRIGHTHYPHENMIN")


class _Patterns:
    """A file of hyphenation patterns for `pyphen.HyphDict`. Each is parsed when it is first looked up. lines: source by the pattern's
    letters."""

    def __init__(self, file: Any) -> None:
        encoding, _, rest = file.read_bytes().partition(b"\n")
        text = rest.decode({"microsoft-cp1251": "cp1251"}.get(name := encoding.decode().strip().lower(), name))
        if "^^" in text:
            text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
        lines = [line.partition("/")[0] if "/" in line and "=" in line else line for line in map(str.strip, text.split("\n"))]
        lines = [line for line in lines if not line.startswith(_NO_PATTERN)]
        keys = "\n".join(lines).encode().translate(None, _DIGITS).decode().split("\n")
        self.lines = {key: line for key, line in zip(keys, lines, strict=True) if len(key) < len(line)}
        self._read: dict[str, tuple[int, tuple[int, ...]]] = {}

    def get(self, key: str) -> tuple[int, tuple[int, ...]] | None:
        """Return Liang's numbers between the letters `key`, which allow or forbid a break, as (offset of the first, numbers); None if there
        is no such pattern."""
        if (line := self.lines.get(key)) is None:
            return None
        if (known := self._read.get(key)) is None:
            values = [int(digit or 0) for digit in _VALUE.findall(line)]
            marked = [place for place, value in enumerate(values) if value]
            first, end = (marked[0], marked[-1] + 1) if marked else (0, 0)
            known = self._read[key] = (first, tuple(values[first:end]))
        return known
