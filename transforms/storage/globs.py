"""Globs over names with slashes, the same for local paths and for keys.

`*` and `?` stay within one name, `[...]` is a set (`[!...]` its opposite), `**` as a whole name stands for any number of folders,
none included; at the end it stands for everything below. A leading dot is not special.
"""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[*?\[]")


def has_glob(text: str) -> bool:
    """Return whether the text contains a glob character."""
    return _SPECIAL.search(text) is not None


def fixed_prefix(pattern: str) -> str:
    """Return the part before the first glob character.

    >>> fixed_prefix("reports/20*/**/a?.pdf")
    'reports/20'
    """
    match = _SPECIAL.search(pattern)
    return pattern[: match.start()] if match else pattern


def is_flat(pattern: str) -> bool:
    """Return whether only the last name of the pattern is a glob, so that no deeper folder has to be read."""
    rest = pattern[len(fixed_prefix(pattern)) :]
    return "/" not in rest and "**" not in rest


def glob_regex(pattern: str) -> re.Pattern[str]:
    """Return the pattern as a regular expression for `fullmatch`."""
    names = pattern.split("/")
    parts: list[str] = []
    for number, name in enumerate(names):
        last = number == len(names) - 1
        if name == "**":
            parts.append(".+" if last else "(?:[^/]+/)*")
        else:
            parts.append(_name_regex(name) + ("" if last else "/"))
    return re.compile("".join(parts), re.DOTALL)


def _name_regex(name: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(name):
        char = name[at]
        end = _set_end(name, at) if char == "[" else -1
        if end > 0:
            out.append(_set_regex(name[at + 1 : end]))
            at = end
        elif char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        else:
            out.append(re.escape(char))
        at += 1
    return "".join(out)


def _set_end(name: str, at: int) -> int:
    """Return where the character set that opens at `at` closes; -1 if it does not. A `]` right after the opening is a member."""
    start = at + 2 if name[at + 1 : at + 2] == "!" else at + 1
    return name.find("]", start + 1)


def _set_regex(members: str) -> str:
    negated = members.startswith("!")
    body = re.sub(r"([\\\[\]^&~|])", r"\\\1", members[1:] if negated else members)
    try:
        re.compile(f"[{body}]")
    except re.error:  # a range from high to low matches nothing
        return "(?!)"
    return f"(?!/)[{'^' if negated else ''}{body}]"
