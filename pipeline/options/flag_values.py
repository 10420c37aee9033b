"""The parser of commands, and converters for flag values, which raise ArgumentTypeError with a one-sentence message."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final, NoReturn

#: Smallest and largest scale of a page's picture, in pixels per point.
PICTURE_SCALES: Final = (0.1, 20.0)


class CommandParser(argparse.ArgumentParser):
    """A parser with one-line errors, which name the nearest known flag for a misspelt one."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse like argparse. If a flag is misspelt, report that, and not the required flag that seems to be missing."""
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
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
        _check(value, self.least, self.most)
        return value


def at_least(least: int, most: int | None = None) -> WholeNumber:
    """Return a converter of text to integers within these bounds.

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
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds")
    return value


def real_number(least: float, most: float | None = None) -> Callable[[str], float]:
    """Return a converter of text to numbers within these bounds."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
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
        raise argparse.ArgumentTypeError(f"{text!r} is no day; write it as 2026-01-31") from None
