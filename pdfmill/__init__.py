"""Read PDFs in a Python program: their text, structure and tables.

    import pdfmill

    document = pdfmill.read("report.pdf")           # a path, bytes, a file object, or an address in a store
    document.title, document.author, document.created, len(document)
    for page in document: page.text, page.blocks, page.links
    document.search("bridges"), document.tables[0].to_pandas(), document.to_markdown("report.md")

    pdfmill.index(["reports/", "s3://archive/2026/"], "out")     # what the command `pdfmill index` does
    pdfmill.search("out", "reading order").hits                  # what the command `pdfmill search` does

Boxes are in points, origin at the top left of the page as displayed; pages and heading levels count from 1; offsets count Unicode code
points from 0, the end excluded. Names that `__all__` does not list may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pdfmill.errors import PdfmillError
    from pdfmill.jobs import Failure, IndexResult, index
    from pdfmill.parts import Asset, Block, Box, Image, Link, Match, Metadata, Notice, OutlineItem, Page, Section, Table, Word
    from pdfmill.reading import Document, read
    from pdfmill.schemas.version import VERSION as __version__
    from pdfmill.searching import search

__all__ = [
    "Asset", "Block", "Box", "Document", "Failure", "Image", "IndexResult", "Link", "Match", "Metadata", "Notice", "OutlineItem", "Page",
    "PdfmillError", "Section", "Table", "Word", "__version__", "index", "read", "search",
]  # fmt: skip

#: The module of each public name. It is imported when the name is first used, because every process of pdfmill imports this package.
_MODULE_OF = dict.fromkeys(__all__, "pdfmill.parts") | {
    "Document": "pdfmill.reading",
    "Failure": "pdfmill.jobs",
    "IndexResult": "pdfmill.jobs",
    "PdfmillError": "pdfmill.errors",
    "index": "pdfmill.jobs",
    "read": "pdfmill.reading",
    "search": "pdfmill.searching",
}


def __getattr__(name: str) -> Any:
    """Return a public name, imported from its module at first use. `__version__` comes from the code, because reading the metadata of the
    installed package takes 20 ms."""
    if name == "__version__":
        return import_module("pdfmill.schemas.version").VERSION
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
