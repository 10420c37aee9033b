"""What is read of each document of the feature corpus: a digest of its facts, words, boxes, pages and assets is kept in `gold_rows.json`.

    python -m tests.pdf.rows CORPUS          write the digests anew

A change of reading changes some of them on purpose; then the file is written anew in the same commit, and its difference names the
documents. What layout decides of the lines, their order and blocks, is not in it (`tests/layout/gold.py` keeps that).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import local_uri
from tests.walked import job_of, walk_rows

FILE: Final = Path(__file__).parent / "gold_rows.json"
#: Columns that say where and when the file lies, and those that layout and language decide.
_LEFT_OUT: Final = {
    "doc_id", "parent_doc_id", "child_doc_id", "source_uri", "file_name", "source_modified", "source_etag", "uri", "extractor_version",
    "title", "title_source", "style", "structure_evidence", "language", "language_confidence", "column_count", "char_count", "words",
}  # fmt: skip


def documents(corpus: Path) -> list[Path]:
    return sorted((corpus / "features" / "pdf").glob("*.pdf"))


def digests(path: Path) -> dict[str, str]:
    """Digests by what they are of: facts (the row of the document), words and their boxes in no order, pages without them, assets."""
    address = local_uri(str(path))
    rows = walk_rows(DocumentRef.of_uri(address), job_of(ReadSettings()))
    pages, furniture = rows["pages"], [block for block in rows["blocks"] if block["role"].startswith("page_")]
    hidden = [each for page in pages for each in page.pop("hidden_text") or ()]
    parts = {
        "facts": rows["documents"],
        "words": [{"word": word} for row in (*pages, *hidden, *furniture) for word in (row["text"] or "").split()],
        "boxes": [{name: box[name] for name in ("x0", "top", "x1", "bottom")} for page in pages for box in page["words"] or ()],
        "pages": [{name: value for name, value in page.items() if name != "text"} for page in pages],
        "assets": rows["assets"],
    }
    return {part: digest_of(each, address, _LEFT_OUT) for part, each in parts.items()}


def digest_of(rows: Sequence[Mapping[str, Any]], address: str, without: Collection[str]) -> str:
    """A digest of the rows, whose messages name the address, and which stand in the order of ids that are made of it. without: columns
    that are left out."""
    kept = ({name: value for name, value in row.items() if name not in without} for row in rows)
    texts = sorted(json.dumps(_rounded(row), sort_keys=True, default=str, ensure_ascii=False).replace(address, "") for row in kept)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:6]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 1) + 0.0
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return {name: _rounded(each) for name, each in value.items()} if isinstance(value, dict) else value


def main(corpus: Path) -> None:
    """Write the file."""
    lines = [f"{json.dumps(path.name)}: {json.dumps(digests(path))}" for path in documents(corpus)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
