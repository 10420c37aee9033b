"""Cut the same documents into pieces in several ways: sections, windows of 512 words, Markdown at its headings."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from pdfmill.pipeline.render.markdown import render_markdown
from pdfmill.pipeline.render.rows import DocumentRows
from pdfmill.pipeline.search.terms import fold_text
from pdfmill.transforms.tables.sinks.shapes import passage

#: Words of a window, and those that it shares with the next one.
_WINDOW, _OVERLAP = 512, 64
_HEADING: Final = re.compile(r"^(?=#{1,6} )", re.MULTILINE)


def windows(text: str) -> list[str]:
    """Return overlapping windows of a text's words.

    >>> [len(window.split()) for window in windows("word " * 1000)]
    [512, 512, 104]
    """
    words = text.split()
    return [" ".join(words[at : at + _WINDOW]) for at in range(0, max(1, len(words) - _OVERLAP), _WINDOW - _OVERLAP)]


def at_headings(markdown: str) -> list[str]:
    """Return the pieces of Markdown, each from a heading to the next.

    >>> at_headings("Before.\\n\\n# One\\n\\nText.\\n\\n## Two\\n\\nMore.")
    ['Before.\\n\\n', '# One\\n\\nText.\\n\\n', '## Two\\n\\nMore.']
    """
    return [piece for piece in _HEADING.split(markdown) if piece.strip()]


def letters(text: str) -> str:
    """Return the normalised letters and digits of a text, so that a word cut by a hyphen at the end of a line is whole again.

    >>> letters("Two brid-\\nges, 1 café.")
    'twobridges1cafe'
    """
    return fold_text(text).replace(" ", "")


def pieces_of(output: Path) -> dict[str, list[str]]:
    """Return the pieces of the documents of an output by the name of the cut."""
    found: dict[str, list[str]] = defaultdict(list)
    for document in pq.read_table(output / "documents").to_pylist():
        of_document = [("doc_id", "=", document["doc_id"])]
        pages, blocks, assets, sections = (
            pq.read_table(output / name, filters=of_document).to_pylist() for name in ("pages", "blocks", "assets", "sections")
        )
        markdown = render_markdown(DocumentRows(document, pages, blocks, assets))
        found["sections"] += map(passage, sections)
        found["sections without the headings above"] += [section["text"] for section in sections]
        found["windows of 512 words"] += windows(markdown)
        found["Markdown at headings"] += at_headings(markdown)
    return found
