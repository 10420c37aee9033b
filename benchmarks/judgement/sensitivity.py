"""`make sensitivity`: change each numeric setting by a third, down and up, and report which rows of documents change.

    python -m benchmarks.judgement.sensitivity CORPUS... [--settings REGEX] [--documents 60]

CORPUS contains `pdf/` and `MANIFEST.tsv`. Documents are drawn by seed, equally many of each corpus; their first pages are read and laid out
anew for each value (`tests.layout.structures`), if this reads the setting at all. Integers change by at least one.

The output has a line for each setting: the number of documents whose rows change, of those that read the setting; and the number of their
repositories (so that no single publisher decides). The last lines list settings that change no rows.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from benchmarks.judgement.quality import manifest
from pdfmill.transforms import layout
from tests.layout.structures import digests


@dataclass(frozen=True)
class Setting:
    """A numeric field of a settings object that is in use."""

    holder: Any  # the settings object, shared by all that read it
    name: str

    def __str__(self) -> str:
        return f"{type(self.holder).__name__}.{self.name}"

    @property
    def value(self) -> int | float:
        """Return the present value."""
        return getattr(self.holder, self.name)

    def moved(self) -> Iterator[int | float]:
        """Yield the value a third lower and a third higher; for 0 only 1."""
        for share in (-1, 1):
            if isinstance(self.value, int):
                yield self.value + share * max(1, round(abs(self.value) / 3))
            else:
                yield self.value * (1 + share / 3)

    @contextmanager
    def at(self, value: object) -> Iterator[None]:
        """Give the setting this value while the block runs."""
        before = self.value
        force_setattr(self.holder, self.name, value)
        try:
            yield
        finally:
            force_setattr(self.holder, self.name, before)


def settings_in_use() -> list[Setting]:
    """Return every numeric field of the settings objects in the layout's modules, also of those nested in others."""
    holders: dict[int, Any] = {}

    def add(value: object) -> None:
        is_settings = isinstance(value, Struct) and type(value).__name__.endswith(("Settings", "Limits"))
        if is_settings and id(value) not in holders:
            holders[id(value)] = value
            for name in value.__struct_fields__:  # type: ignore[attr-defined]
                add(getattr(value, name))

    for module in pkgutil.walk_packages(layout.__path__, "pdfmill.transforms.layout."):
        if not module.name.rpartition(".")[2].startswith("_"):
            for value in vars(importlib.import_module(module.name)).values():
                add(value)
    found = [Setting(holder, name) for holder in holders.values() for name in holder.__struct_fields__]
    return sorted((each for each in found if type(each.value) in (int, float)), key=str)


def draw(corpora: Sequence[Path], count: int, seed: int) -> dict[Path, str]:
    """Return the repositories of `count` documents that are drawn by seed, equally many of each corpus, by path."""
    drawn: dict[Path, str] = {}
    for corpus in corpora:
        sources = {row["file"]: row.get("source") for row in manifest(corpus)}
        paths = sorted((corpus / "pdf").glob("*.pdf"))
        random.Random(seed).shuffle(paths)
        drawn |= {path: (sources.get(path.name) or path.stem).partition(" ")[0] for path in paths[: count // len(corpora)]}
    return drawn


def rows_of(path: Path) -> list[str]:
    """Return digests of what layout makes of a document, without its reasons."""
    return [digest for part, digest in digests(path).items() if part != "why"]


def fields_read(run: Callable[[], object], settings: Sequence[Setting]) -> set[str]:
    """Return the names of the settings that are read while `run` runs."""
    read: set[str] = set()
    holders = {id(each.holder): each.holder for each in settings}
    classes = {type(holder) for holder in holders.values()}

    def watch(cls: type) -> None:
        def noted(self: Any, name: str) -> Any:
            read.add(f"{cls.__name__}.{name}")
            return object.__getattribute__(self, name)

        cls.__getattribute__ = noted  # type: ignore[method-assign,assignment]

    for cls in classes:
        watch(cls)
    try:
        run()
    finally:
        for cls in classes:
            del cls.__getattribute__
    return read


@dataclass
class Moved:
    """The effect of changing one setting."""

    setting: Setting
    read: int  # number of documents whose structuring reads the setting
    documents: int  # number of documents whose rows change
    repositories: int  # number of repositories whose rows change

    def __str__(self) -> str:
        return f"{self.setting!s:45} {self.setting.value:<8} {self.documents:4} of {self.read:4}  {self.repositories:4} repositories"


def measure(settings: Sequence[Setting], documents: Mapping[Path, str], enough: int) -> Iterator[Moved]:
    """Yield the effect of each setting, changed down and up. enough: number of changed documents after which the others are skipped; 0
    skips none."""
    usual = {path: rows_of(path) for path in documents}
    reads = {path: fields_read(lambda path=path: rows_of(path), settings) for path in documents}  # type: ignore[misc]
    for setting in settings:
        readers = [path for path in documents if str(setting) in reads[path]]
        changed: set[Path] = set()
        for value in setting.moved():
            with setting.at(value):
                for path in readers:
                    if enough and len(changed) >= enough:
                        break
                    if path not in changed and rows_of(path) != usual[path]:
                        changed.add(path)
        yield Moved(setting, len(readers), len(changed), len({documents[path] for path in changed}))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.judgement.sensitivity", description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--settings", default="", help="only those whose name has this regular expression, e.g. TableSettings")
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--enough", type=int, default=0, help="stop at so many changed documents (0: go through all)")
    flags = parser.parse_args(argv)
    documents = draw(flags.corpora, flags.documents, flags.seed)
    chosen = [each for each in settings_in_use() if re.search(flags.settings, str(each))]
    print(f"{len(chosen)} settings over {len(documents)} documents of {len({*documents.values()})} repositories", flush=True)
    unnoticed: list[str] = []
    for moved in measure(chosen, documents, flags.enough):
        print(moved, flush=True)
        unnoticed += [] if moved.documents else [str(moved.setting)]
    print(f"nothing notices {len(unnoticed)} of {len(chosen)}: {', '.join(unnoticed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
