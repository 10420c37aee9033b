"""Replace old tables by new ones. The changes are first written to a file, the journal; a process that finds a journal completes them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from msgspec import Struct, field, to_builtins

from pdfmill.schemas.records import TABLE_NAMES
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.local import can_replace, delete_folder, give_back, names_in, on_one_disk, replace_folder
from pdfmill.transforms.storage.objects import delete_file, exists, join_uri, list_files, move_file, read_file, read_if_there, write_bytes
from pdfmill.transforms.tables.output_layout import INCOMING, JOURNAL, RUN_FILE, STAGES, Manifest, TablePart, claim, our_files, strangers

log = logging.getLogger("pdfmill")

T = TypeVar("T")

#: Number of parallel requests to a store: they shorten the time in which a table contains parts of two runs.
_AT_ONCE: Final = 16


class Journal(Struct, frozen=True):
    """The changes that replace the tables of an output folder. parts: the new Parquet files. stage: folder to be deleted at the end. told:
    content of `run.json`. old: paths of the files that are replaced."""

    run: str  # name of the run
    parts: list[TablePart]  # all parts of the new tables
    stage: str  # folder to be deleted at the end
    told: dict[str, Any]  # the content of `run.json`
    old: list[str] = field(default_factory=list)  # paths of pdfmill's files that are replaced

    def names(self, table: str) -> list[str]:
        """Return the file names of a table's new Parquet files."""
        return [part.name for part in self.parts if part.table == table]

    @staticmethod
    def load(output: str) -> Journal | None:
        """Load the journal of an unfinished change; None if there is none."""
        text = read_if_there(join_uri(output, JOURNAL))
        if text is None:
            return None
        found = json.loads(text)
        return Journal(**{**found, "parts": [TablePart(**part) for part in found["parts"]]})


def publish(output: str, run: str, parts: Sequence[TablePart], stage: str, run_file: dict[str, Any]) -> None:
    """Make these Parquet files the current tables, while holding the lock of the output. stage: the folder in which they were written.
    run_file: content of `run.json`.

    Raises:
        SourceError: a write failed. If the journal was already written, the next `finish_publish` makes its changes.
    """
    old = our_files(output)
    for uri in strangers(output, frozenset(old)):
        log.warning("%s was not written by pdfmill and is kept: readers of the table see its rows, too", uri)
    journal = Journal(run, list(parts), stage, run_file, old)
    claim(join_uri(output, JOURNAL), json.dumps(to_builtins(journal)).encode())
    finish_publish(output)


def finish_publish(output: str) -> Journal | None:
    """Complete the changes in a journal that another process left unfinished. Return the journal; None if there is none.

    Raises:
        SourceError: the store failed.
        OSError: the local disk failed.
    """
    journal = Journal.load(output)
    if journal is None:
        return None
    whole = [table for table in TABLE_NAMES if can_replace(join_uri(output, f"{INCOMING}/{table}"), join_uri(output, table))]
    for table in whole:
        _gather(output, table, journal)
    for table in whole:  # nothing else between them: readers see the tables of two runs for that long
        _replace(output, table, journal)
    for table in TABLE_NAMES:
        _give_back(output, table, journal) if table in whole else _move_parts(output, table, journal)
    Manifest(journal.run, {part.path: part.size for part in journal.parts}).save(output)
    write_bytes(join_uri(output, RUN_FILE), json.dumps(journal.told, indent=1).encode())
    delete_folder(join_uri(output, journal.stage))
    if not list_files(join_uri(output, STAGES), ""):  # folders of a stage that was being deleted when its run was killed
        delete_folder(join_uri(output, STAGES))
    _drop_incoming(output)
    delete_file(join_uri(output, JOURNAL))
    return journal


def _gather(output: str, table: str, journal: Journal) -> None:
    waiting = names_in(join_uri(output, f"{journal.stage}/{table}"))
    for part in journal.parts:
        if part.table == table and part.staged.rpartition("/")[2] in waiting:
            move_file(join_uri(output, part.staged), join_uri(output, f"{INCOMING}/{table}/{part.name}"))


def _replace(output: str, table: str, journal: Journal) -> None:
    incoming = join_uri(output, f"{INCOMING}/{table}")
    if names_in(incoming).issuperset(journal.names(table)) and journal.names(table):
        replace_folder(incoming, join_uri(output, table))


def _give_back(output: str, table: str, journal: Journal) -> None:
    incoming = join_uri(output, f"{INCOMING}/{table}")
    ours = {path.partition("/")[2] for path in journal.old if path.startswith(f"{table}/")}
    for uri in give_back(incoming, join_uri(output, table), ours | set(journal.names(table))):
        log.warning("%s was not written by pdfmill; it is kept there, because a new file has its name", uri)


def _drop_incoming(output: str) -> None:
    if not any(names_in(join_uri(output, f"{INCOMING}/{table}")) for table in TABLE_NAMES):
        delete_folder(join_uri(output, INCOMING))


def _move_parts(output: str, table: str, journal: Journal) -> None:
    """Move the new files into the table's folder, then delete the old ones; used where folders cannot be exchanged, as in stores."""
    new = [part for part in journal.parts if part.table == table]
    _all(lambda part: _move(output, part), new)
    gone = [path for path in journal.old if path.startswith(f"{table}/") and path not in {part.path for part in new}]
    _all(lambda path: delete_file(join_uri(output, path)), gone)


def _move(output: str, part: TablePart) -> None:
    staged, target = join_uri(output, part.staged), join_uri(output, part.path)
    try:
        if on_one_disk(staged, target):
            move_file(staged, target)
        else:
            write_bytes(target, read_file(staged))
            delete_file(staged)
    except SourceError as error:
        if error.code != "not_found" or not exists(target):
            raise  # moved before this was interrupted, if it is there


def _all(work: Callable[[T], None], items: Iterable[T]) -> None:
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for done in [threads.submit(work, item) for item in items]:
            done.result()
