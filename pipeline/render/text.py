"""Write a document as plain text: `pages.text`, each page ended by a form feed, as `pdftotext` does."""

from __future__ import annotations

from pdfmill.pipeline.render.rows import DocumentRows, text_in

PAGE_END = "\f"


def render_text(rows: DocumentRows) -> str:
    """Return each page's text, followed by a line end and a form feed."""
    return "".join(f"{text_in(page, 'text')}\n{PAGE_END}" for page in rows.pages)
