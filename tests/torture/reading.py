"""One hostile document through the guarded readers, as the main job reads it, without Beam."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road.job_settings import ReadSettings
from tests.walked import job_of, walk_rows

_NUMBERS = itertools.count(1)
#: Short, so that a hang is a failed test and not a long one.
SHORT = {"seconds_per_document": 20.0, "seconds_per_page": 10.0}


@dataclass
class Outcome:
    """The rows that a user gets of one document. children: those of the PDFs attached to it."""

    row: dict[str, Any]
    pages: list[dict[str, Any]] = field(default_factory=list)
    assets: list[dict[str, Any]] = field(default_factory=list)
    children: list[Outcome] = field(default_factory=list)

    @property
    def reason(self) -> tuple[str, str | None]:
        """Status and code."""
        return self.row["status"], self.row.get("error_code")

    def warnings(self, code: str) -> list[str]:
        """Messages of the warnings of this code."""
        return [each["message"] for each in self.row["warnings"] if each["code"] == code]


def read(path: Path, data: bytes, **settings: Any) -> Outcome:
    """What the main job would write of a file with these bytes."""
    path = path.with_stem(f"{path.stem}-{next(_NUMBERS)}")  # the guarded process keeps documents open by their address
    path.write_bytes(data)
    ref = DocumentRef.of_uri(path.as_uri())
    tables = walk_rows(ref, job_of(ReadSettings(**{**SHORT, **settings})))
    found = {row["doc_id"]: _outcome(row, tables) for row in tables["documents"]}
    first = found[ref.doc_id]
    first.children = list(_below(first, found))
    return first


def _below(outcome: Outcome, found: Mapping[str, Outcome]) -> Iterator[Outcome]:
    """The documents attached to it and to these, each before its own, in the order of their assets."""
    for asset in outcome.assets:
        if (child := found.get(asset["child_doc_id"])) is not None:
            yield child
            yield from _below(child, found)


def _outcome(row: dict[str, Any], tables: dict[str, list[dict[str, Any]]]) -> Outcome:
    pages, assets = ([each for each in tables[table] if each["doc_id"] == row["doc_id"]] for table in ("pages", "assets"))
    assert len(pages) == row["page_count"]
    return Outcome(row, pages, assets)


def raw_pdf(objects: Sequence[bytes], *, trailer: bytes = b"") -> bytes:
    """A file of these objects, numbered from 1; the first is the catalog."""
    out, offsets = b"%PDF-1.7\n", []
    for number, written in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, written)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + table + b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, len(out))


def stream(data: bytes, entries: bytes = b"") -> bytes:
    """A stream object."""
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), entries, data)


def flate_bomb(megabytes: int, fill: bytes = b" ") -> bytes:
    """A deflated stream object that inflates to so many megabytes."""
    engine = zlib.compressobj(9)
    packed = b"".join(engine.compress(fill * (1 << 20)) for _ in range(megabytes)) + engine.flush()
    return stream(packed, b"/Filter/FlateDecode")


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
PAGES = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
HELLO = b"BT /F1 12 Tf 20 50 Td (Hello) Tj ET"


def page(
    content: bytes = stream(HELLO),
    *,
    catalog: bytes = b"",
    entries: bytes = b"",
    box: bytes = b"[0 0 200 100]",
    font: bytes = FONT,
    more: Sequence[bytes] = (),
    resources: bytes = b"",
) -> bytes:
    """A file of one page. Objects: 1 catalog, 2 pages, 3 page, 4 content, 5 font, from 6 `more`."""
    leaf = b"<</Type/Page/Parent 2 0 R/MediaBox%s/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>%s>>%s>>" % (box, resources, entries)
    return raw_pdf([CATALOG.replace(b">>", catalog + b">>"), PAGES, leaf, content, font, *more])


def endless(before: int = 0, after: int = 0) -> bytes:
    """A page that shows forms which each show the next one ten times, nine deep, between pages of one word."""
    count = before + 1 + after
    first_form = 4 + count
    shown = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>/XObject<</X %d 0 R>>>>>>"
    plain, slow = first_form + 10, first_form + 11
    leaves = [shown % (slow if number == before else plain, first_form) for number in range(count)]
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<<%s>>"
    forms = [stream(b"/X Do " * 10, form % (b"/XObject<</X %d 0 R>>" % (first_form + number + 1))) for number in range(9)]
    forms.append(stream(HELLO, form % b"/Font<</F1 3 0 R>>"))
    kids = b" ".join(b"%d 0 R" % (4 + number) for number in range(count))
    pages = b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids)
    return raw_pdf([CATALOG, pages, FONT, *leaves, *forms, stream(HELLO), stream(b"/X Do")])
