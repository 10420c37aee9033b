"""Fill HTML templates. Text from documents is escaped, and loses the characters that HTML forbids."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pdfmill.pipeline.render.joined_blocks import safe_address
from pdfmill.pipeline.render.languages import language_tag
from pdfmill.pipeline.run.summary import size_text
from pdfmill.pipeline.serve.links import document_path, page_path, with_query
from pdfmill.pipeline.serve.search_page import headings_of
from pdfmill.pipeline.serve.shown_facts import date_of, text_of
from pdfmill.schemas.version import version
from pdfmill.transforms.storage.store import shown_address

FOLDER: Final = Path(__file__).parent
#: Most rows of a list of facts (fonts, fields, scripts) on a page.
MAX_ROWS: Final = 500
#: Controls and noncharacters (HTML §13.1.4), and marks that change the direction of the following text.
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")


def clean(value: object) -> object:
    """Remove the characters that HTML forbids from a text. Markup of pdfmill, and values that are no text, are returned unchanged."""
    return _FORBIDDEN.sub("", value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def templates() -> Environment:
    """Load the templates. A template that uses an undefined name raises an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=clean,
    )
    environment.filters |= {
        "size": size_text,
        "language_tag": language_tag,
        "safe_address": safe_address,
        "number": _number,
        "told": text_of,
        "date": date_of,
        "address": shown_address,
    }
    environment.globals |= {
        "document_path": document_path,
        "page_path": page_path,
        "with_query": with_query,
        "version": version(),
        "most": MAX_ROWS,
        "headings_of": headings_of,
    }
    return environment


def _number(value: int) -> str:
    return f"{value:,}"


def render(template: str, /, **context: object) -> str:
    """Render a template as a whole page."""
    return templates().get_template(template).render(**context)
