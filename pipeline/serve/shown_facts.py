"""Facts about a document other than its text, as lists of names and values for display."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from pdfmill.pipeline.render.rows import structs_in, text_in, whole_in
from pdfmill.pipeline.run.summary import size_text
from pdfmill.schemas.codes import ERROR_CODES, WARNING_CODES
from pdfmill.schemas.records import Row


class Fact(NamedTuple):
    """A fact about a document: its name and its value, as shown."""

    name: str
    value: str


class Notice(NamedTuple):
    """A warning: a document was repaired, or a part of it could not be read. page: None for the whole document. meaning: explains
    `code`."""

    code: str
    page: int | None
    message: str
    meaning: str


def text_of(value: object) -> str:
    """Format a value of a row for people; "" for None."""
    if value is None or value == []:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%-d %B %Y, %H:%M %Z}".rstrip()
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {told}" for name, each in value.items() if (told := text_of(each)))
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, map(text_of, value)))
    return str(value)


def date_of(text: str) -> str:
    """Format a date of ISO 8601 for people; other text is returned unchanged.

    >>> date_of("2022-03-02T02:22:38Z"), date_of("2022-03-02T02:22:38+01:00"), date_of("2022-03")
    ('2 March 2022, 02:22 UTC', '2 March 2022, 02:22 UTC+01:00', '2022-03')
    """
    try:
        return text_of(datetime.fromisoformat(text))
    except ValueError:
        return text


#: Columns of `documents` by the heading of their group.
_GROUPS = {
    "The file": [
        "source_uri", "source_size", "source_modified", "source_etag", "content_sha256", "web", "duplicate_of", "status", "error_code",
        "error_message", "format", "extractor_version",
    ],
    "The PDF": [
        "pdf_version", "header_version", "header_offset", "catalog_version", "extension_level", "linearized", "object_streams", "tagged",
        "struct_types", "structure_evidence", "revisions", "has_obsolete_content", "page_count", "encryption", "is_portfolio",
        "collection_fields", "xfa_dynamic", "inline_images", "annotation_types", "fdf_target",
    ],
    "What it is": ["title", "title_source", "language", "language_confidence", "declared_language", "style"],
}  # fmt: skip


def fact_groups(document: Row) -> Iterator[tuple[str, list[Fact]]]:
    """Yield (heading, facts) for each group of facts that the document states. document: its row of `documents`."""
    for group, columns in _GROUPS.items():
        yield group, _facts((column.replace("_", " "), document.get(column)) for column in columns)
    info = document.get("info")
    stated = [
        *(
            (name, date_of(each) if name in ("created", "modified") and isinstance(each, str) else each)
            for name, each in (info.items() if isinstance(info, dict) else ())
        ),
        *((each.get("key"), each.get("value")) for each in structs_in(document, "info_custom")),
    ]
    yield "What the document states about itself", _facts((str(name), value) for name, value in stated)
    yield "XMP", _facts((text_in(each, "name"), each.get("values")) for each in structs_in(document, "xmp_properties"))


def _facts(pairs: Iterable[tuple[str, object]]) -> list[Fact]:
    return [
        Fact(name, size_text(value) if name == "source size" and isinstance(value, int) else told)
        for name, value in pairs
        if (told := text_of(value))
    ]


def notices(document: Row) -> list[Notice]:
    """Return the document's warnings: first those of the whole document, then page by page."""
    found = [
        Notice(code, whole_in(each, "page"), text_in(each, "message"), WARNING_CODES.get(code) or ERROR_CODES.get(code, ""))
        for each in structs_in(document, "warnings")
        for code in [text_in(each, "code")]
    ]
    return sorted(found, key=lambda notice: (notice.page or 0, notice.code))
