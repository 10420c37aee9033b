"""The parser of commands, and converters for flag values, which raise ArgumentTypeError with a one-sentence message."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final, NoReturn

from msgspec import Struct

#: Smallest and largest scale of a page's picture, in pixels per point.
PICTURE_SCALES: Final = (0.1, 20.0)


class CommandParser(argparse.ArgumentParser):
    """A parser with one-line errors, which name the nearest known flag for a misspelt one. Flags cannot be abbreviated. The help keeps line
    breaks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse like argparse, but report a misspelt flag first, where argparse would report that the right one is missing."""
        for word in args or ():
            flag = word.partition("=")[0]
            if word == "--":
                break
            if flag.startswith("--") and flag not in self._option_string_actions:
                import difflib  # only a typo needs it

                near = difflib.get_close_matches(flag, self._option_string_actions, n=1)
                self.error(f"unknown flag {flag}" + (f"; did you mean {near[0]}?" if near else ""))
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print the message to the standard error and exit with code 2."""
        self.exit(2, f"{self.prog}: {message.removeprefix('argument ')} (see {self.prog} --help)\n")


class WholeNumber:
    """Converts text to an integer from `least` to `most`; None means no upper bound."""

    def __init__(self, least: int, most: int | None = None) -> None:
        self.least, self.most = least, most

    def __call__(self, text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        _check(value, self.least, self.most)
        return value


def at_least(least: int, most: int | None = None) -> WholeNumber:
    """Return a converter of text to integers from `least` to `most`, both included; None for no upper bound.

    >>> at_least(1)("3")
    3
    """
    return WholeNumber(least, most)


def seconds(text: str) -> float:
    """Convert text to a positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time in seconds")
    return value


def real_number(least: float, most: float | None = None) -> Callable[[str], float]:
    """Return a converter of text to numbers from `least` to `most`, both included; None for no upper bound."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        _check(value, least, most)
        return value

    return convert


def _check(value: float, least: float, most: float | None) -> None:
    if not value >= least:
        raise argparse.ArgumentTypeError(f"{value} is less than {least}")
    if most is not None and value > most:
        raise argparse.ArgumentTypeError(f"{value} is more than {most}")


def day(text: str) -> date:
    """Convert text such as 2026-11-30 to a date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as 2026-01-31") from None


#: The formats of `pdfmill show --format`, and their names in sentences.
FORMAT_NAMES: Final = {"text": "text", "markdown": "Markdown", "html": "HTML", "json": "JSON"}
#: All formats as a part of a sentence.
ANY_FORMAT: Final = " or ".join(", ".join(FORMAT_NAMES.values()).rsplit(", ", 1))


_RANGE: Final = re.compile(r"(\d+)?(-)?(\d+)?")


class PageSelection(Struct, frozen=True):
    """Ranges of page numbers from 1, both ends included; None as an end means the last page. Without ranges all pages are selected."""

    ranges: tuple[tuple[int, int | None], ...] = ()

    @staticmethod
    def parse(text: str) -> PageSelection:
        """Parse a page selection. Raises ValueError for other text.

        >>> PageSelection.parse("1-3,7,12-").ranges
        ((1, 3), (7, 7), (12, None))
        """
        return PageSelection(tuple(_range(part.strip()) for part in text.split(",")))

    def __contains__(self, page: int) -> bool:
        return not self.ranges or any(first <= page and (last is None or page <= last) for first, last in self.ranges)


def _range(text: str) -> tuple[int, int | None]:
    found = _RANGE.fullmatch(text)
    if found is None or not (found[1] or found[3]):
        raise ValueError(f"{text!r} is not a page range; write 3, 1-3, 5- or -2")
    first = int(found[1]) if found[1] else 1
    last = int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise ValueError(f"{text!r}: pages count from 1, and a range ends after it begins")
    return first, last
