"""Blocks of code in the docs: where they stand, what they are, and why those that are not run are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
#: The pages whose blocks count, in the order in which they are run.
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_MARK: Final = re.compile(r"<!-- (not run|recipe)\b[ :]*(.*?) -->")
_ITEM: Final = re.compile(r"\s*(?:[-*]|\d+\.) ")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code. language: sh, python, ...; empty for an indented one. mark: what the comment above it says, empty without one."""

    line: int
    language: str
    code: str
    mark: str


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced and the indented blocks of a page."""
    lines = page.read_text(encoding="utf-8").split("\n")
    number, mark = 0, ""
    while number < len(lines):
        line = lines[number]
        first = number + 1
        if line.startswith("```"):
            number += 1
            code = []
            while not lines[number].startswith("```"):
                code.append(lines[number])
                number += 1
            yield Block(first, line.removeprefix("```"), "\n".join(code) + "\n", mark)
            mark = ""
        elif line.startswith("    ") and not lines[number - 1].strip() and not _in_list(lines, number):
            while number + 1 < len(lines) and lines[number + 1].startswith("    "):
                number += 1
            yield Block(first, "", "\n".join(each[4:] for each in lines[first - 1 : number + 1]) + "\n", mark)
            mark = ""
        elif found := _MARK.fullmatch(line):
            mark = f"{found[1]}: {found[2]}"
        elif line.strip():
            mark = ""
        number += 1


def _in_list(lines: list[str], number: int) -> bool:
    above = next((line for line in reversed(lines[:number]) if line.strip() and not line.startswith("  ")), "")
    return _ITEM.match(above) is not None
