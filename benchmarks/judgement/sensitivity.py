"""`make sensitivity`: change each numeric setting by a third, down and up, and report which rows of documents change.

    python -m benchmarks.judgement.sensitivity CORPUS... [--settings REGEX] [--documents 60] [--pages 4] [--cache DIR]

CORPUS contains `pdf/` and `MANIFEST.tsv`. Documents are drawn by seed, equally many of each
corpus, with a few consecutive pages of each. Their text layer is read once and stored in --cache: glyphs for the settings of lines, lines
for all others. A document is structured again only if this reads the setting at all. Integers change by at least one.

The output has a line for each setting: the number of documents whose rows change, of those that read the setting; and the number of their
repositories (so that no single publisher decides). The last lines list settings that change no rows.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import pickle
import pkgutil
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from benchmarks.judgement.quality import manifest
from pdfmill.schemas.records import DocumentRef, PageLines
from pdfmill.transforms import layout
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.layout.page.columns import split_lines
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.pdf.text.page import read_page
from pdfmill.transforms.road.document_road import finish, read_document, read_page_lines
from pdfmill.transforms.road.document_rows import DocumentReading
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import get_document
from pdfmill.transforms.storage.addresses import local_uri


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


@dataclass(frozen=True)
class Kept:
    """A document that is structured repeatedly: its facts, and the glyphs and lines of each page."""

    path: Path
    repository: str  # repository that its source comes from
    read: bytes  # facts, glyphs and lines, pickled

    def lines(self) -> tuple[DocumentReading, list[PageLines]]:
        """Return facts and lines, as new objects at each call, because structuring changes them."""
        reading, _, pages = pickle.loads(self.read)
        return reading, pages

    def line_rows(self) -> bytes:
        """Return a digest of the lines made from its glyphs."""
        _, contents, _ = pickle.loads(self.read)
        digest = hashlib.sha256()
        for content in contents:
            page = split_lines(find_lines(content))
            digest.update(repr([(line.text, line.x0, line.top, line.x1, line.bottom) for line in page.lines]).encode())
            digest.update(page.word_boxes.tobytes())
        return digest.digest()

    def block_rows(self) -> bytes:
        """Return a digest of its rows of `blocks` and `pages`."""
        found = finish(*self.lines(), DEFAULTS)
        return hashlib.sha256(repr((found.blocks, found.pages)).encode()).digest()


def keep(path: Path, repository: str, pages: int, cache: Path) -> Kept | None:
    """Read a document once; None if none of its pages can be read. pages: number of pages, taken from its middle."""
    file = cache / f"{hashlib.sha256(f'{path} {pages}'.encode()).hexdigest()[:16]}.pickle"
    if not file.exists():
        ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings()
        reading = read_document(ref, settings)
        if reading.row["status"] != "ok":
            return None
        document, count = get_document(ref, settings), reading.page_count
        first = max(1, (count - pages) // 2 + 1)
        numbers = range(first, min(count, first + pages - 1) + 1)
        lines = [read_page_lines(document, number) for number in numbers]
        read = [page for page in lines if page.failure is None]
        contents = [read_page(document.pdfium, page.page, document=document) for page in read]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps((reading, contents, lines)))
    return Kept(path, repository, file.read_bytes())


def draw(corpora: Sequence[Path], count: int, pages: int, cache: Path, seed: int) -> list[Kept]:
    """Return `count` documents drawn by seed, equally many of each corpus. pages: number of pages of each."""
    kept: list[Kept] = []
    for corpus in corpora:
        rows = {row["file"]: row for row in manifest(corpus)}
        paths = sorted((corpus / "pdf").glob("*.pdf"))
        random.Random(seed).shuffle(paths)
        for path in paths[: count // len(corpora)]:
            source = rows.get(path.name, {}).get("source") or path.stem
            found = keep(path, source.partition(" ")[0], pages, cache)
            kept += [found] if found else []
    return kept


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


def measure(settings: Sequence[Setting], kept: Sequence[Kept], digest: Callable[[Kept], bytes], enough: int) -> Iterator[Moved]:
    """Yield the effect of each setting, changed down and up. enough: number of changed documents after which the others are skipped; 0
    skips none."""
    usual = {each.path: digest(each) for each in kept}
    reads = {each.path: fields_read(lambda each=each: digest(each), settings) for each in kept}  # type: ignore[misc]
    for setting in settings:
        readers = [each for each in kept if str(setting) in reads[each.path]]
        changed: dict[Path, str] = {}
        for value in setting.moved():
            with setting.at(value):
                for each in readers:
                    if enough and len(changed) >= enough:
                        break
                    if digest(each) != usual[each.path]:
                        changed[each.path] = each.repository
        yield Moved(setting, len(readers), len(changed), len(set(changed.values())))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.judgement.sensitivity", description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--settings", default="", help="only those whose name has this regular expression, e.g. TableSettings")
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--pages", type=int, default=4, help="of each document, from its middle")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "pdfmill-sensitivity")
    parser.add_argument("--enough", type=int, default=0, help="stop at so many changed documents (0: go through all)")
    flags = parser.parse_args(argv)
    kept = draw(flags.corpora, flags.documents, flags.pages, flags.cache, flags.seed)
    chosen = [each for each in settings_in_use() if re.search(flags.settings, str(each))]
    print(f"{len(chosen)} settings over {len(kept)} documents of {len({each.repository for each in kept})} repositories", flush=True)
    unnoticed: list[str] = []
    of_lines = [each for each in chosen if type(each.holder).__name__ == "TextSettings"]
    stages = ((of_lines, Kept.line_rows), ([each for each in chosen if each not in of_lines], Kept.block_rows))
    for settings, digest in stages:
        for moved in measure(settings, kept, digest, flags.enough) if settings else ():
            print(moved, flush=True)
            unnoticed += [] if moved.documents else [str(moved.setting)]
    print(f"nothing notices {len(unnoticed)} of {len(chosen)}: {', '.join(unnoticed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
