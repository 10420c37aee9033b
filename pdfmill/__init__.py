"""pdfmill for programs: PDFs to text, structure and tables.

    import pdfmill

    document = pdfmill.read("report.pdf")           # a path, bytes, a file object, or an address in a store
    document.text, document.title, document.pages[0].blocks, document.tables[0].to_pandas()

    pdfmill.index(["reports/", "s3://archive/2026/"], "out")     # what the command `pdfmill index` does
    pdfmill.search("out", "reading order").hits                  # what the command `pdfmill search` does

Boxes are in points, origin at the top left of the page as displayed; pages and heading levels count from 1; offsets count Unicode code
points from 0, the end excluded. What is not listed in `__all__` may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pdfmill.errors import PdfmillError
    from pdfmill.jobs import IndexResult, index
    from pdfmill.reading import Block, Box, Document, Page, Section, Table, Word, read
    from pdfmill.searching import search

__all__ = ["Block", "Box", "Document", "IndexResult", "Page", "PdfmillError", "Section", "Table", "Word", "index", "read", "search"]

#: The module of each public name, imported when the name is first asked for: every process imports this package before its own modules.
_MODULE_OF = dict.fromkeys(__all__, "pdfmill.reading") | {
    "IndexResult": "pdfmill.jobs",
    "PdfmillError": "pdfmill.errors",
    "index": "pdfmill.jobs",
    "search": "pdfmill.searching",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
