"""Writes into the reference pages what the source already says: flags, columns and codes, each between two markers.

    python docs/generate.py            rewrite docs/commands.md, docs/columns.md, docs/python.md and examples/views.sql
    python docs/generate.py --check    exit 1 when that would change them

A marker pair is `<!-- NAME -->` and `<!-- /NAME -->`, each on its own line; see `SECTIONS` for the names.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

# This checkout is described, not another one that happens to be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pdfmill
from pdfmill.pipeline.cli.draw import draw_parser
from pdfmill.pipeline.cli.export import export_parser
from pdfmill.pipeline.cli.highlight import highlight_parser
from pdfmill.pipeline.cli.search import search_parser
from pdfmill.pipeline.cli.serve import serve_parser
from pdfmill.pipeline.cli.show import show_parser
from pdfmill.pipeline.options.options import INDEX_OPTIONS, OPTIONS, PRINT_OPTIONS, WAITED_OPTIONS
from pdfmill.schemas.codes import ERROR_CODES, ROLES, SECTION_KINDS, STATUSES, WARNING_CODES
from pdfmill.schemas.crawl import CRAWL_TABLES
from pdfmill.schemas.tables import TABLES, column_docs

#: The pages with markers.
PAGES: Final = tuple(Path(__file__).resolve().parent / name for name in ("commands.md", "columns.md", "python.md"))

#: The sentence about a field of a public class, which stands beside its type.
_SENTENCE: Final = re.compile(r"^Annotated\[.+?, (?P<quote>['\"])(?P<says>[^'\"].*)(?P=quote)\]$")

#: Written whole.
VIEWS: Final = Path(__file__).resolve().parents[1] / "examples" / "views.sql"

#: Flags that only `index` has.
_OF_INDEX = (*INDEX_OPTIONS, *WAITED_OPTIONS, *PRINT_OPTIONS)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells may hold code spans."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines)


def index_flags() -> str:
    """The flags of `pdfmill index`."""
    rows = [[f"`{option.flag}`", _default(option.default, option.unit), option.help] for option in (*OPTIONS, *_OF_INDEX)]
    return markdown_table(["flag", "default", "what it does"], rows)


def _default(value: object, unit: str) -> str:
    if value is None:
        return ""
    return "off" if value is False else f"{value} {unit}".strip()


def parser_flags(parser: argparse.ArgumentParser) -> str:
    """The flags of a command, from its parser."""
    rows = []
    for action in parser._actions:
        if "-h" in action.option_strings:
            continue
        values = "\\|".join(action.choices) if action.choices else action.metavar if action.nargs != 0 else ""
        names = ", ".join(f"`{name}`" for name in action.option_strings)
        rows.append([f"{names} {values}".strip().replace("\\|", "|"), (action.help or "") % vars(action)])
    return markdown_table(["flag", "what it does"], rows)


def columns(table: str) -> str:
    """The columns of a table."""
    return markdown_table(
        ["column", "type", "meaning"], ([f"`{name}`", f"`{short_type(kind)}`", doc] for name, kind, doc in column_docs(table))
    )


def short_type(kind: str) -> str:
    """An Arrow type without what a reader need not see.

    >>> short_type("list<item: struct<code: string, page: int32>>")
    'list<code: string, page: int32>'
    """
    kind = kind.replace("list<item: ", "list<").replace("timestamp[us, tz=UTC]", "timestamp, UTC")
    while (short := re.sub(r"list<struct<((?:[^<>]|<[^<>]*>)*)>>", r"list<\1>", kind)) != kind:
        kind = short
    return kind


def codes(words: dict[str, str]) -> str:
    """Words with their sentences."""
    return markdown_table(["word", "meaning"], ([f"`{word}`", sentence] for word, sentence in words.items()))


SECTIONS: Final[dict[str, Callable[[], str]]] = {
    "flags of index": index_flags,
    "flags of show": lambda: parser_flags(show_parser()),
    "flags of draw": lambda: parser_flags(draw_parser()),
    "flags of highlight": lambda: parser_flags(highlight_parser()),
    "flags of search": lambda: parser_flags(search_parser()),
    "flags of export": lambda: parser_flags(export_parser()),
    "flags of serve": lambda: parser_flags(serve_parser()),
    **{f"columns of {table}": partial(columns, table) for table in TABLES},
    "statuses": lambda: codes(STATUSES),
    "error codes": lambda: codes(ERROR_CODES),
    "warning codes": lambda: codes(WARNING_CODES),
    "roles": lambda: codes(ROLES),
    "section kinds": lambda: codes(SECTION_KINDS),
    "python classes": lambda: python_classes(),
}


def python_classes() -> str:
    """Each public class of the package `pdfmill`: its fields, else its properties and methods."""
    classes = [
        (name, each) for name in pdfmill.__all__ if inspect.isclass(each := getattr(pdfmill, name)) and each is not pdfmill.PdfmillError
    ]
    return "\n\n".join(f"### {name}\n\n{_described(each)}" for name, each in classes)


def _described(public: type) -> str:
    says = inspect.cleandoc(public.__doc__ or "")
    fields = [(name, _SENTENCE.search(kind)) for name, kind in vars(public).get("__annotations__", {}).items()]
    rows = [(f"`{name}`", sentence["says"]) for name, sentence in fields if sentence]
    own = [(name, member) for name, member in vars(public).items() if not name.startswith("_") and inspect.getdoc(member)]
    rows += [
        (f"`{name}{'()' if inspect.isfunction(member) else ''}`", " ".join((inspect.getdoc(member) or "").partition("\n\n")[0].split()))
        for name, member in own
        if inspect.isfunction(member) or not inspect.ismemberdescriptor(member)
    ]
    return f"{' '.join(says.split())}\n\n{markdown_table(['name', 'what it is'], rows)}"


def views() -> str:
    """The tables of a crawl as views of the one that readers open."""
    begin = (
        "-- The tables of a crawl, each with its own columns, over its one Delta table opened as `out` (docs/crawl.md). DuckDB, Spark.\n"
    )
    return begin + "".join(
        f"CREATE OR REPLACE TEMP VIEW {table} AS SELECT {', '.join(schema.names)} FROM out WHERE table_name = '{table}';\n"
        for table, schema in CRAWL_TABLES.items()
    )


def marked(text: str) -> set[str]:
    """The sections that a page has markers for."""
    return set(re.findall(r"^<!-- /(.+) -->$", text, re.MULTILINE))


def fill(text: str) -> str:
    """The text with every section between its markers.

    Raises:
        KeyError: markers have no section.
    """
    for name in sorted(marked(text)):
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        head, _, rest = text.partition(start)
        _, _, tail = rest.partition(end)
        text = f"{head}{start}\n{SECTIONS[name]()}\n\n{end}{tail}"
    return text


def filled() -> dict[Path, str]:
    """Each page as it should be.

    Raises:
        ValueError: a section has no markers, or stands twice.
    """
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES}
    found = sorted(name for text in texts.values() for name in marked(text))
    if found != sorted(SECTIONS):
        raise ValueError(f"the pages mark {found}; docs/generate.py makes {sorted(SECTIONS)}")
    return {page: fill(text) for page, text in texts.items()} | {VIEWS: views()}


def main() -> int:
    """Write or check."""
    changed = {page: text for page, text in filled().items() if page.read_text(encoding="utf-8") != text}
    if "--check" in sys.argv[1:]:
        return int(bool(changed))
    for page, text in changed.items():
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
