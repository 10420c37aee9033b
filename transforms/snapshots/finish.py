"""Parts of a crawl that were written, to parts that a snapshot can show: their `sources` rows, their changes, their record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from schemas.crawl import PlanEntry
from schemas.records import DocId, Row
from transforms.snapshots.decide import change_rows
from transforms.snapshots.parts import finish_part, members_of
from transforms.snapshots.runs import CrawlRun
from transforms.snapshots.write import write_changes


def finish_stem(crawl: CrawlRun, stem: str, notes: Iterable[PlanEntry]) -> Iterator[tuple[DocId, Row]]:
    """Finish the part of this stem, of which all tables are written; gives its `sources` rows by the object they belong to."""
    for row in finish_part(crawl.output, stem, {note.doc_id: note for note in notes}, crawl.signature, crawl.started):
        yield DocId(str(row["root_doc_id"])), {"doc_id": row["doc_id"], "page_count": row["page_count"]}


def object_changes(notes: Iterable[PlanEntry], rows: Iterable[Row], snapshot: int) -> list[Row]:
    """The rows of `changes` of one object that was read. rows: its `sources` rows."""
    after = members_of(rows)
    return [row for note in notes for row in change_rows(note, after, snapshot)]


def finish_batch(crawl: CrawlRun, prefix: str, stem: str, notes: Sequence[PlanEntry]) -> list[tuple[DocId, str]]:
    """Finish the one part that these entries were read to, with its part of `changes`; where each document is."""
    rows: dict[DocId, list[Row]] = defaultdict(list)
    for root, row in finish_stem(crawl, stem, notes):
        rows[root].append(row)
    ordered = sorted(notes, key=lambda note: note.doc_id)
    write_changes(
        crawl, f"{prefix}-changes-00000", [row for note in ordered for row in object_changes([note], rows[note.doc_id], crawl.snapshot)]
    )
    return [(DocId(str(row["doc_id"])), stem) for of_object in rows.values() for row in of_object]
