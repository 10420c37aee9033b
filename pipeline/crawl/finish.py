"""Finish written parts of a crawl, so that a snapshot can show them: add their `sources` rows, changes and records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pdfmill.pipeline.crawl.crawl_parts import STALE_STEM, Finished, finish_part, members_of
from pdfmill.pipeline.crawl.decide import change_rows
from pdfmill.pipeline.crawl.runs import CrawlRun, base_of
from pdfmill.pipeline.crawl.texts import ChangedTexts
from pdfmill.pipeline.crawl.write import write_changes, write_stale
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import DocId, Failure, Row


def finish_stem(crawl: CrawlRun, stem: str, notes: Iterable[PlanEntry]) -> Finished:
    """Finish the part of this stem, whose tables are all written, with its part of `stale`."""
    finished = finish_part(crawl.output, base_of(crawl), stem, {note.doc_id: note for note in notes}, crawl.signature, crawl.started)
    write_stale(crawl, f"{crawl.run}{STALE_STEM}{stem.removeprefix(crawl.run).strip('-')}", finished.stale)
    return finished


def placed(finished: Finished, stem: str) -> Iterator[tuple[DocId, str | Failure]]:
    """Return the part with each document's rows, or, if it keeps its old rows, why it could not be read."""
    yield from ((DocId(str(row["doc_id"])), stem) for row in finished.sources)
    yield from ((DocId(str(row["doc_id"])), Failure(str(row["error_code"]), str(row["error_message"]))) for row in finished.stale)


def object_changes(notes: Iterable[PlanEntry], rows: Iterable[Row], snapshot: int, texts: ChangedTexts) -> list[Row]:
    """Return the rows of `changes` of one object that was read.

    rows: its `sources` rows. texts: see `Finished`, of at least its documents.
    """
    after = members_of(rows)
    return [row for note in notes for row in change_rows(note, after, snapshot, texts)]


def finish_batch(crawl: CrawlRun, prefix: str, stem: str, notes: Sequence[PlanEntry]) -> list[tuple[DocId, str | Failure]]:
    """Finish the part to which these entries were read, with its part of `changes`; see `placed`."""
    finished = finish_stem(crawl, stem, notes)
    rows: dict[DocId, list[Row]] = defaultdict(list)
    for row in finished.sources:
        rows[DocId(str(row["root_doc_id"]))].append(row)
    kept = {row["doc_id"] for row in finished.stale}
    ordered = sorted((note for note in notes if note.doc_id not in kept), key=lambda note: note.doc_id)
    changed = (row for note in ordered for row in object_changes([note], rows[note.doc_id], crawl.snapshot, finished.texts))
    write_changes(crawl, f"{prefix}-changes-00000", changed)
    return list(placed(finished, stem))
