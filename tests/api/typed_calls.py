"""Sixty calls of the public names: `tests/api/test_hands.py` has mypy --strict read them, then runs them."""

# ruff: noqa: F841
from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pdfmill


def calls(path: Path, out: Path) -> None:
    data = path.read_bytes()
    version: str = pdfmill.__version__
    document: pdfmill.Document = pdfmill.read(path)
    pdfmill.read(str(path))
    pdfmill.read(data)
    pdfmill.read(bytearray(data))
    pdfmill.read(memoryview(data))
    pdfmill.read(io.BytesIO(data), name="letter.pdf")
    pdfmill.read(path, pages=1)
    pdfmill.read(path, pages="1-2")
    pdfmill.read(path, pages=[1, 2])
    pdfmill.read(path, password="unneeded")
    pdfmill.read(path, passwords=["unneeded", "neither"])
    pdfmill.read(path, keep_furniture=True)
    with path.open("rb") as file, pdfmill.read(file) as same:
        count: int = len(same)
    status: str = document.status
    title: str | None = document.title
    author: str | None = document.author
    created: datetime | None = document.created
    modified: datetime | None = document.modified
    language: str | None = document.language
    pages: int = document.page_count
    metadata: pdfmill.Metadata = document.metadata
    keywords: str | None = metadata.keywords
    producer: str | None = metadata.producer
    facts: Mapping[str, object] = document.facts
    outline: list[pdfmill.OutlineItem] = document.outline
    levels: list[int] = [item.level for item in outline]
    warnings: list[pdfmill.Notice] = document.warnings
    codes: list[str] = [each.code for each in warnings]
    assets: list[pdfmill.Asset] = document.assets
    kinds: list[str] = [each.kind for each in assets]
    text: str = document.text
    matches: list[pdfmill.Match] = document.search("letter")
    sides: list[float] = [box.x0 for match in matches for box in match.boxes]
    found: str = document.search("LETTER", ignore_accents=True, parts=True)[0].text
    markdown: str = document.to_markdown()
    document.to_markdown(out / "letter.md", keep_furniture=True)
    document.to_html(str(out / "letter.html"))
    html: str = document.to_html()
    json: str = document.to_json()
    rows: dict[str, list[dict[str, object]]] = dict(document.to_dict())
    width: int = document.picture(1, scale=0.5).width
    sections: list[pdfmill.Section] = document.sections(max_chars=500)
    ids: list[str] = [section.id for section in sections]
    last: list[int] = [section.last_page for section in sections]
    blocks: list[pdfmill.Block] = document.blocks
    roles: list[str] = [block.role for block in blocks]
    paths: list[list[str]] = [block.heading_path for block in blocks]
    tables: list[pdfmill.Table] = document.tables
    cells: list[list[list[str]]] = [table.rows for table in tables]
    columns: list[list[str]] = [table.columns() for table in tables]
    bodies: list[list[list[str]]] = [table.body() for table in tables]
    arrow: list[object] = [table.to_arrow() for table in tables]
    for page in document:
        number: int = page.number
        size: tuple[float, float] = page.width, page.height
        label: str | None = page.label
        words: list[pdfmill.Word] = page.words
        starts: list[int] = [word.start for word in words]
        links: list[pdfmill.Link] = page.links
        uris: list[str | None] = [link.uri for link in links]
        images: list[pdfmill.Image] = page.images
        pixels: list[int | None] = [image.width for image in images]
        on_page: list[pdfmill.Match] = page.search("letter")
        page.picture(scale=0.5).save(out / f"{page.number}.png")
    result: pdfmill.IndexResult = pdfmill.index([path], out / "tables", workers=1, shards=1, progress=lambda done, read, failed: None)
    statuses: Mapping[str, int] = result.statuses
    failures: list[str] = [failure.error_code for failure in result.failures]
    fine: bool = result.ok
    table: object = result.table("pages")
    try:
        pdfmill.read(b"")
    except pdfmill.PdfmillError as error:
        code: str = error.code


if __name__ == "__main__":
    calls(Path(sys.argv[1]), Path(sys.argv[2]))
