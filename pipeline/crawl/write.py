"""Write and record what a run adds besides the rows of the documents it reads: rows of deleted, duplicate and moved objects, rows of
`changes`, and new versions of files from which documents were removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

import pyarrow as pa

from pdfmill.pipeline.crawl.crawl_parts import (
    STALE_STEM,
    Finished,
    document_rows,
    finish_part,
    holds_any,
    mark_part,
    members_of,
    point_at,
    rewrite_part,
    rows_of,
    tombstones,
    write_table_part,
)
from pdfmill.pipeline.crawl.decide import change_rows
from pdfmill.pipeline.crawl.duplicates import Duplicate
from pdfmill.pipeline.crawl.moved import move_rows
from pdfmill.pipeline.crawl.runs import MOVED, SAME, CrawlRun, base_of, record_files, record_marks
from pdfmill.pipeline.crawl.texts import ChangedText, ChangedTexts
from pdfmill.schemas.crawl import CRAWL_TABLES, PlanEntry
from pdfmill.schemas.records import DocId, Failure, Row
from pdfmill.transforms.delta.delta_log import LOOSE, LOOSE_STEM, PartFile, Snapshot


def write_changes(crawl: CrawlRun, stem: str, rows: Iterable[Row], beside: Iterable[PartFile] = ()) -> str:
    """Write rows of the table `changes` to a file, record the file, and return `stem`, its name without suffix.
    beside: other files with this stem, recorded together with it."""
    table = pa.Table.from_pylist(list(rows), schema=CRAWL_TABLES["changes"])
    record_files(crawl, stem, [*beside, *write_table_part(crawl.output, "changes", stem, table)])
    return stem


def cut_part(crawl: CrawlRun, stem: str, files: Sequence[PartFile], gone: Sequence[DocId], *, shown: bool) -> list[str]:
    """Remove documents from the files with one stem: mark their rows as deleted, or rewrite the files. Return the names of the records.
    gone: ids of the documents. shown: a snapshot contains the files."""
    if shown and crawl.marks:
        name = f"{crawl.run}-marks-{crc32(stem.encode()):08x}"
        marked = [(file, mark_part(crawl.output, file, gone)) for file in files if file.table != "changes"]
        record_marks(crawl, name, [(file, left) for file, left in marked if left != file])
        return [name]
    if stem == LOOSE:
        return [_cut_loose(crawl, file, gone) for file in files if file.table != "changes" and holds_any(crawl.output, file, gone)]
    new_stem = f"{crawl.run}{STALE_STEM if STALE_STEM in stem else '-'}cut-{crc32(stem.encode()):08x}"
    record_files(crawl, new_stem, rewrite_part(crawl.output, files, gone, new_stem), stem)
    return [new_stem]


def _cut_loose(crawl: CrawlRun, file: PartFile, gone: Sequence[DocId]) -> str:
    """Remove documents from a file that another tool wrote, without files of the other tables beside it. Return the name of the record."""
    new_stem = f"{crawl.run}{LOOSE_STEM}{crc32(file.path.encode()):08x}"
    record_files(crawl, new_stem, rewrite_part(crawl.output, [file], gone, new_stem), file.path)
    return new_stem


def bury(crawl: CrawlRun, number: str, entries: Sequence[PlanEntry]) -> str:
    """Write the rows that mark missing objects as deleted, and those of `changes` for these and for objects whose rows are taken over from
    interrupted runs. Return the stem (name without suffix) of the files. number: makes the stem unique."""
    stem = f"{crawl.run}-gone-{number}"
    gone = tombstones((entry for entry in entries if entry.kind == "gone"), crawl.signature, crawl.started)
    rows = [row for entry in entries for row in change_rows(entry, entry.adopted, crawl.snapshot)]
    return write_changes(crawl, stem, rows, write_table_part(crawl.output, "sources", stem, gone))


def point(crawl: CrawlRun, base: Snapshot, number: str, copies: Sequence[Duplicate]) -> tuple[list[str], list[DocId]]:
    """Write rows for duplicates, copied from the rows of documents with the same bytes. Return the stems of the files, and the ids of
    objects that could not be read and keep their old rows. number: makes the stem unique."""
    stem = f"{crawl.run}{SAME}{number}"
    wanted, parts = {copy.was or copy.same_as for copy in copies}, {copy.part for copy in copies if copy.part}
    stems = base.stems() if parts else {}
    files_of = {part: [file for file in stems.get(part, ()) if file.table == "documents"] for part in sorted(parts)}
    places = [file for part, shown in files_of.items() for file in shown or [PartFile.of("documents", part, 0, 0)]]
    originals = {DocId(str(row["doc_id"])): row for row in document_rows(crawl.output, places, wanted)}
    files, stale = point_at(crawl.output, stem, copies, originals, crawl.signature, crawl.started)
    kept = {row["doc_id"] for row in stale}
    entries = [copy.entry for copy in copies if copy.entry.doc_id not in kept]
    same = {copy.entry.doc_id: copy.same_as for copy in copies if not copy.failure}
    rows = [row for entry in entries for row in change_rows(entry, [(entry.doc_id, 0)], crawl.snapshot, None, same.get(entry.doc_id))]
    done = [write_changes(crawl, stem, rows, files), *write_stale(crawl, f"{crawl.run}{STALE_STEM}same-{number}", stale)]
    return done, [DocId(str(doc_id)) for doc_id in sorted(map(str, kept))]


def move(crawl: CrawlRun, base: Snapshot, number: str, copies: Sequence[Duplicate]) -> str:
    """Write the rows of moved objects under their new addresses; return the stem (name without suffix) of the new files. number: makes it
    unique."""
    stem = f"{crawl.run}{MOVED}{number}"
    files = move_rows(crawl.output, stem, copies, base.stems())
    (sources,) = (file for file in files if file.table == "sources")
    told = rows_of(crawl.output, sources, ["doc_id", "root_doc_id", "page_count"]).to_pylist()
    rows: list[Row] = []
    for copy in copies:
        after = members_of(row for row in told if row["root_doc_id"] == copy.entry.doc_id)
        same: ChangedTexts = {doc_id: ChangedText({}, []) for doc_id, _ in after} if copy.was == copy.entry.doc_id else {}
        rows += change_rows(copy.entry, after, crawl.snapshot, same, moved_from=None if same else copy.was)
    return write_changes(crawl, stem, rows, files)


def write_stale(crawl: CrawlRun, stem: str, rows: Iterable[Row]) -> list[str]:
    """Write and record a file of the table `stale`; return its stem (name without suffix) in a list, [] without rows."""
    table = pa.Table.from_pylist(list(rows), schema=CRAWL_TABLES["stale"])
    if not table.num_rows:
        return []
    record_files(crawl, stem, write_table_part(crawl.output, "stale", stem, table))
    return [stem]


# Finish written parts of a crawl, so that a snapshot can show them: add their `sources` rows, changes and records.


def finish_stem(crawl: CrawlRun, stem: str, notes: Iterable[PlanEntry]) -> Finished:
    """Complete the files with this stem (name without suffix), and write their rows of `stale`. notes: plan entries of the objects in
    them."""
    finished = finish_part(crawl.output, base_of(crawl), stem, {note.doc_id: note for note in notes}, crawl.signature, crawl.started)
    write_stale(crawl, f"{crawl.run}{STALE_STEM}{stem.removeprefix(crawl.run).strip('-')}", finished.stale)
    return finished


def placed(finished: Finished, stem: str) -> Iterator[tuple[DocId, str | Failure]]:
    """Yield for each document its id, and the stem of its files or the failure with which it keeps its old rows."""
    yield from ((DocId(str(row["doc_id"])), stem) for row in finished.sources)
    yield from ((DocId(str(row["doc_id"])), Failure(str(row["error_code"]), str(row["error_message"]))) for row in finished.stale)


def object_changes(notes: Iterable[PlanEntry], rows: Iterable[Row], snapshot: int, texts: ChangedTexts) -> list[Row]:
    """Return the rows of `changes` for one object that was read.
    notes: its plan entry, alone in an iterable. rows: its rows of `sources`. snapshot: the version that will contain the rows. texts:
    changed texts by document id."""
    after = members_of(rows)
    return [row for note in notes for row in change_rows(note, after, snapshot, texts)]


def finish_batch(crawl: CrawlRun, prefix: str, stem: str, notes: Sequence[PlanEntry]) -> list[tuple[DocId, str | Failure]]:
    """Complete the files into which these plan entries were read, and write their rows of `changes`. Return for each document its id, and
    the stem of its files or the failure with which it keeps its old rows. prefix: of the run's files."""
    finished = finish_stem(crawl, stem, notes)
    rows: dict[DocId, list[Row]] = defaultdict(list)
    for row in finished.sources:
        rows[DocId(str(row["root_doc_id"]))].append(row)
    kept = {row["doc_id"] for row in finished.stale}
    ordered = sorted((note for note in notes if note.doc_id not in kept), key=lambda note: note.doc_id)
    changed = (row for note in ordered for row in object_changes([note], rows[note.doc_id], crawl.snapshot, finished.texts))
    write_changes(crawl, f"{prefix}-changes-00000", changed)
    return list(placed(finished, stem))
