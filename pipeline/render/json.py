"""Write a document as JSON: its rows of documents, pages, blocks and assets as in the tables, and the decisions about its lines."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pdfmill.pipeline.render.rows import DocumentRows


def render_json(rows: DocumentRows) -> str:
    """Return one JSON object with a list of rows for each table, and `why`: the layout's decisions about lines, if they were requested.
    Times are in ISO 8601."""
    return json.dumps(table_rows(rows) | {"why": rows.why}, ensure_ascii=False, indent=1, default=_value, allow_nan=False) + "\n"


def table_rows(rows: DocumentRows) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table by its name, as they would be read from Parquet."""
    from pdfmill.schemas.tables import to_batch  # loads Arrow, which the other formats do without

    tables = {"documents": [rows.document], "pages": rows.pages, "blocks": rows.blocks, "assets": rows.assets}
    return {table: to_batch(table, each).to_pylist() for table, each in tables.items()}


def _value(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
