"""What layout makes of some 500 documents: a digest of the style, pages, blocks and reasons of each is kept in `structures.json`.

    python -m tests.layout.structures CORPUS          write the digests anew

A change of judgement changes some of them on purpose; then the file is written anew in the same commit, and its difference names the
documents. Whether they became better or worse is not in it: `tests/layout/gold.py` and `make judge` say that.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road.document_road import finish, read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import local_uri
from tests.pdf.rows import digest_of

FILE: Final = Path(__file__).parent / "structures.json"
FOLDERS: Final = ("tables", "structure", "real", "structure-real", "structure-wild", "pool")
#: First pages of a document that are laid out: together, as a document of so many pages.
PAGES: Final = 4
_OF_DOCUMENT: Final = ("title", "title_source", "style", "language", "structure_evidence", "warnings")


def documents(corpus: Path) -> dict[str, Path]:
    """The documents by name, `FOLDER/FILE.pdf`."""
    return {f"{folder}/{path.name}": path for folder in FOLDERS for path in sorted((corpus / folder / "pdf").glob("*.pdf"))}


def digests(path: Path) -> dict[str, str]:
    """Digests by what they are of: style (with title and language), pages, blocks, and why (the reasons of what was decided)."""
    address = local_uri(str(path))
    ref, settings = DocumentRef.of_uri(address), ReadSettings()
    reading = read_document(ref, settings)
    made = finish(reading, read_pages(PageRange(ref, 1, min(reading.page_count, PAGES)), settings), replace(DEFAULTS, explain=True))
    pages = [{**page, "words": _lists(page["words"])} for page in made.pages]
    style = {name: made.document.get(name) for name in _OF_DOCUMENT}
    return {
        part: digest_of(rows, address, {"doc_id"})
        for part, rows in (("style", [style]), ("pages", pages), ("blocks", made.blocks), ("why", made.why))
    }


def _lists(columns: Any) -> Any:
    return {name: column.tolist() for name, column in columns.fields.items()} if columns is not None else None


def main(corpus: Path) -> None:
    """Write the file."""
    lines = [f"{json.dumps(name)}: {json.dumps(digests(path))}" for name, path in documents(corpus).items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
