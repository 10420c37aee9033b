"""The staging folder of a run: the new tables are written there before they replace the old ones.
A record marks each complete batch of a local run, or job on an engine, so that the run can be continued after an interruption."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pdfmill.pipeline.run.summary import RunFile, counted, failure_lines
from pdfmill.schemas.public import public_uri
from pdfmill.schemas.records import DocumentRef
from pdfmill.schemas.version import version
from pdfmill.transforms.delta.run_ids import new_run_id, start_of
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.local import delete_folder, delete_unfinished, drop_empty
from pdfmill.transforms.storage.objects import delete_file, join_uri, list_files, look_up, read_if_there, write_bytes
from pdfmill.transforms.storage.sources import names_a_document
from pdfmill.transforms.storage.store import parse
from pdfmill.transforms.tables.lock import OutputLock, holder_of
from pdfmill.transforms.tables.output_layout import JOURNAL, OWN, RUN_FILE, STAGES, TablePart, final_name, published_parts
from pdfmill.transforms.tables.publish import finish_publish, publish
from pdfmill.transforms.tables.shards import ShardCounts, Shards
from pdfmill.transforms.tables.worker_progress import Done, read_notes
from pdfmill.transforms.tables.write_summary import Summary, Written, summarize

log = logging.getLogger("pdfmill")

#: Prefix of the name of the stage (staging folder) of a submitted job, for whose end no command waits.
_HANDED_OVER: Final = "job-"
#: Age at which the job of such a stage counts as dead: Dataflow ends batch jobs after this time (quotas and limits, 2026).
_JOB_DAYS: Final = timedelta(days=30)
#: Number of hex digits of names computed from a content; 64 bits for some thousand batches.
_DIGITS: Final = 16
#: Number of hex digits that distinguish the parts of two runs.
_RUN_DIGITS: Final = 12
#: Most bytes of a part: readers can read this at once, and its writer needs less than twice as much memory (docs/scale.md).
MAX_PART_BYTES: Final = 512 << 20
#: Seconds before each further attempt at a document whose store failed. With the client's own attempts this survives a restart or failover
#: of more than a minute; after a longer outage the document's row has the error.
AGAIN_S: Final = (5.0, 15.0, 40.0)
_RECORDS: Final = "batches"
_NOTES: Final = "progress"
#: Names of the record of a wave, from 0, and of the file with the digest of the request and with the number of waves.
_WAVE: Final = "wave-{:05d}.json.gz"
_ASKED: Final = "asked"
_WAVES: Final = "waves"
#: Age up to which the listing of an earlier job is used again.
_STILL_TRUE: Final = timedelta(days=2)
#: Error codes of a source that names no object. If the last run had the same error, no documents can be lost.
_NOT_THERE: Final = frozenset({"not_found", "no_such_bucket", "bad_source"})
#: Error codes of listings that may be incomplete.
_NOT_LISTED: Final = frozenset({"not_found", "no_such_bucket", "permission_denied", "store_error"})


class KeptError(Exception):
    """Raised when the old tables are kept because the new ones would lose data. reasons: one sentence for each source or document that
    failed."""

    def __init__(self, message: str, reasons: Iterable[str]) -> None:
        super().__init__(message)
        self.reasons = list(reasons)


class Stage(Struct):
    """A staging folder: the output of a run before it is published. name: of the folder; a run with the same name resumes the work.
    batches: records of the completed batches, in order. waves: number of engine jobs that together write the output; 0 if the first job
    determines it."""

    output: str
    name: str
    batches: list[Written] = field(default_factory=list)
    waves: int = 1

    @staticmethod
    def of_settings(output: str, settings: JobSettings) -> Stage:
        """Return the stage of a local run with these settings. A later run with the same settings gets the same stage.

        Raises:
            pdfmill.transforms.storage.errors.SourceError: the file of passwords does not exist.
        """
        return Stage(output, _settings_digest(settings))

    @staticmethod
    def of_job(output: str, *, handed_over: bool = False, waves: int = 1) -> Stage:
        """Return a stage with a unique name, for a run on an engine. handed_over: no command waits for the job. waves: number of jobs; 0 if
        the first job determines it."""
        return Stage(output, f"{_HANDED_OVER if handed_over else ''}{new_run_id(datetime.now(UTC))}", waves=waves)

    @property
    def resumable(self) -> bool:
        """Return whether a later run with the same settings finds and continues this stage, as it does for local runs."""
        return self.started is None

    @property
    def started(self) -> datetime | None:
        """The time when the run began; None for a local run, whose stage is named by its settings."""
        return _start_of(self.name)

    @property
    def job_name(self) -> str:
        """The name of the job on an engine, of letters, digits and hyphens, as Dataflow requires."""
        return f"pdfmill-index-{self.name.removeprefix(_HANDED_OVER).lower()}"

    @property
    def folder(self) -> str:
        """The path of the staging folder, relative to the output folder."""
        return f"{STAGES}/{self.name}"

    def settings(self, settings: JobSettings, part_prefix: str) -> JobSettings:
        """Return the settings for a run that writes into this stage, and fetches documents again later if fetching failed. part_prefix: of
        the files."""
        write = replace(settings.write, table_folder=f"{self.folder}/{{table}}", part_prefix=part_prefix, max_part_bytes=MAX_PART_BYTES)
        return replace(settings, write=write, read=replace(settings.read, again_s=AGAIN_S), notes_uri=self.notes_uri)

    @property
    def notes_uri(self) -> str | None:
        """The folder where an engine's workers write counts for the progress; None for a local run, whose processes report directly."""
        return None if self.resumable else join_uri(self.output, f"{self.folder}/{_NOTES}")

    def batch(
        self, documents: Sequence[DocumentRef], settings: JobSettings, work: Callable[[Sequence[DocumentRef], JobSettings], Written]
    ) -> bool:
        """Read a batch of documents with `work`, unless an earlier run has done so; return whether it was read now.

        Raises:
            pdfmill.transforms.storage.errors.SourceError: the output cannot be written or read.
        """
        name = _documents_digest(documents)
        batch = _load(self._record(f"{name}.json"))
        if batch is not None and not batch.summary.may_pass:
            self.batches.append(batch)
            return False
        batch = work(documents, self.settings(settings, f"part-{name}"))
        write_bytes(self._record(f"{name}.json"), batch.text())
        self.batches.append(batch)
        return True

    def keep(self, written: Written, wave: int = 0, counts: ShardCounts | None = None) -> None:
        """Store the record of the files that one job has written, which marks the job as complete. wave: number of the job, from 0.
        counts: the fields of `Shards`; the first job stores the number of jobs in it, if it is not yet determined."""
        if counts is not None and not self.waves and not wave:
            write_bytes(self._record(_WAVES), str(Shards(*counts).waves).encode())
        write_bytes(self._record(_WAVE.format(wave)), gzip.compress(written.text(), mtime=0))

    def asks(self, digest: str) -> None:
        """Store a digest of what this run is asked to do (from `asked_for`), so that `serves` can compare it with that of a later run."""
        write_bytes(self._record(_ASKED), digest.encode())

    def serves(self, digest: str) -> bool:
        """Return whether this earlier run can be continued: it was asked to do the same (`digest`, from `asked_for`), began at most two
        days ago, and one of its jobs is complete."""
        if self.started is None or datetime.now(UTC) - self.started > _STILL_TRUE:
            return False
        return read_if_there(self._record(_ASKED)) == digest.encode() and bool(self.whole_waves())

    def number_of_waves(self) -> int:
        """Return the number of jobs into which the run is split; 0 if it is not determined yet. Raises SourceError if it cannot be read."""
        return self.waves or int(read_if_there(self._record(_WAVES)) or 0)

    def whole_waves(self) -> list[int]:
        """Return the numbers, from 0, of the run's jobs that are complete. Raises SourceError if the records cannot be listed."""
        there = set(list_files(self._record(""), ""))
        return [wave for wave in range(self.number_of_waves()) if self._record(_WAVE.format(wave)) in there]

    def is_whole(self) -> bool:
        """Return whether all jobs of the run are complete. Raises SourceError if the records cannot be listed."""
        return 0 < len(self.whole_waves()) == self.number_of_waves()

    def whole(self) -> None:
        """Load the records of all jobs as this stage's batches; the Parquet files themselves are not read.

        Raises:
            pdfmill.transforms.storage.errors.SourceError: a record is missing, or cannot be read.
        """
        self.batches = []
        for wave in range(self.number_of_waves()):
            text = read_if_there(record := self._record(_WAVE.format(wave)))
            if text is None:
                raise SourceError("not_found", f"{record}: the record is missing, although the job has ended")
            self.batches.append(Written.of_text(gzip.decompress(text)))

    def _record(self, name: str) -> str:
        return join_uri(self.output, f"{self.folder}/{_RECORDS}/{name}")

    def summary(self) -> Summary:
        """Return the sum of the summaries of all completed batches."""
        total = Summary()
        for batch in self.batches:
            total.add(batch.summary)
        return total

    def parts(self) -> list[TablePart]:
        """Return the Parquet files with their final names, which contain a digest of the content. So a reader who listed the old files gets
        an error for a missing file, and never a mixture of old and new rows."""
        contents = [part.content for batch in self.batches for part in batch.parts]
        run = hashlib.sha256("".join([version(), *contents]).encode()).hexdigest()[:_RUN_DIGITS]
        several = len(self.batches) > 1
        return [
            TablePart(
                part.table, _path_in(self.output, part.uri), final_name(part.uri, run, number if several else None), part.size, part.rows
            )
            for number, batch in enumerate(self.batches)
            for part in batch.parts
        ]

    def publish(self, lock: OutputLock, run_file: RunFile) -> None:
        """Replace the old tables by the new ones. lock: the output's lock, held by this run. run_file: the record of the run.

        Raises:
            pdfmill.transforms.tables.lock.LockedError: another run has taken over.
            pdfmill.transforms.storage.errors.SourceError: the output cannot be written.
        """
        lock.check()
        publish(self.output, self.name, self.parts(), self.folder, run_file.for_json())

    def drop_incomplete(self) -> None:
        """Delete the files of incomplete batches of a local run; without complete batches, the whole stage. Raises SourceError."""
        records = list_files(self._record(""), "")
        if not records:
            self.drop()
            return
        whole = {part.uri for record in records if (batch := _load(record)) is not None for part in batch.parts}
        for uri in list_files(join_uri(self.output, self.folder), ""):
            if uri not in whole and uri not in records:
                delete_file(uri)

    def drop(self) -> None:
        """Delete the stage, its records first, so that no record names a missing file."""
        delete_folder(join_uri(self.output, f"{self.folder}/{_RECORDS}"))
        delete_folder(join_uri(self.output, self.folder))
        drop_empty(join_uri(self.output, STAGES))


def _start_of(stage: str) -> datetime | None:
    """Return the time when the run with the staging folder of this name began; None for a local run."""
    return start_of(stage.removeprefix(_HANDED_OVER))


def asked_for(sources: Iterable[str], settings: JobSettings, waves: int = 1) -> str:
    """Return a digest of what a run is asked to do: its sources, settings and number of jobs (`waves`).

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the file of passwords does not exist.
    """
    return hashlib.sha256(json.dumps([_settings_digest(settings), waves, *sources]).encode()).hexdigest()


def _settings_digest(settings: JobSettings) -> str:
    passwords = look_up(settings.read.passwords_uri) if settings.read.passwords_uri else None
    matters = {
        "version": version(),
        "read": to_builtins(settings.read, order="deterministic"),
        "layout": to_builtins(settings.layout),
        "sections": to_builtins(settings.sections),
        "shards": settings.write.shards,
        "passwords": passwords and (passwords.size, passwords.modified),
    }
    return hashlib.sha256(json.dumps(matters, sort_keys=True, default=str).encode()).hexdigest()[:_DIGITS]


def _documents_digest(documents: Iterable[DocumentRef]) -> str:
    digest = hashlib.sha256()
    for document in documents:
        digest.update(
            repr((document.uri, document.etag, document.size, document.modified, document.checksum, document.failure)).encode(
                "utf-8", "surrogatepass"
            )
        )
    return digest.hexdigest()[:_DIGITS]


def _path_in(output: str, uri: str) -> str:
    return uri.removeprefix(join_uri(output, "")).lstrip("/")


def _load(record_uri: str) -> Written | None:
    text = read_if_there(record_uri)
    return None if text is None else Written.of_text(text)


class Interrupted(Struct, frozen=True):
    """A run that has not published its tables. name: of its staging folder. done: counts of its finished work."""

    name: str
    done: Done

    @property
    def handed_over(self) -> bool:
        """Whether a submitted job, for which no command waits, may still write into the staging folder."""
        started = _start_of(self.name)
        return self.name.startswith(_HANDED_OVER) and (started is None or datetime.now(UTC) - started < _JOB_DAYS)


def interrupted_runs(output: str) -> list[Interrupted]:
    """List the runs that have not published their tables, by the name of their staging folder.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the folder cannot be read.
    """
    stages: dict[str, list[str]] = {}
    base = join_uri(output, STAGES) + "/"
    for uri in list_files(join_uri(output, STAGES), ""):
        stages.setdefault(uri.removeprefix(base).partition("/")[0], []).append(uri)
    return [_interrupted(Stage(output, name), files) for name, files in sorted(stages.items())]


def _interrupted(stage: Stage, files: Iterable[str]) -> Interrupted:
    if stage.notes_uri is not None:
        return Interrupted(stage.name, read_notes(stage.notes_uri))
    batches = [batch for uri in files if uri.endswith(".json") and (batch := _load(uri)) is not None]
    documents, pages = (sum(getattr(batch.summary, name) for batch in batches) for name in ("documents", "pages"))
    return Interrupted(stage.name, Done(documents=documents, pages=pages))


def is_publishing(output: str) -> bool:
    """Return whether the replacement of the tables is in progress or was interrupted. Raises SourceError if the folder cannot be read."""
    return read_if_there(join_uri(output, JOURNAL)) is not None


def unfinished_lines(output: str) -> Iterator[str]:
    """Yield messages about unfinished runs and how to continue them.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the output cannot be read.
    """
    if is_publishing(output):
        yield ("a run was interrupted while it published its tables; run `pdfmill index` again, which completes that first")
    holder = holder_of(output)
    for left in interrupted_runs(output):
        of = f" of {left.done.listed:,}" if left.done.listed else ""
        had = f"{left.done.documents:,}{of} documents, {left.done.pages:,} pages"
        goes_on = f"has left {had}; the same command continues with them" if left.done.documents else "has completed no batch"
        if left.handed_over:
            failed = f", {left.done.failures:,} failed"
            yield f"a submitted job is in progress or has failed: so far {had}{failed}; its files are in {left.name}"
        elif holder is not None:
            yield f"a run is in progress ({holder.describe()}): so far {had}"
        else:
            yield f"an interrupted run {goes_on}"


def settle_output(output: str, stage: Stage, asked: str | None = None) -> Stage:
    """Finish an interrupted publication, and delete staging folders of interrupted runs, except those of submitted jobs. Return the stage
    to use: that of an earlier run that this one can continue, else `stage`. The caller must have the output's lock.
    asked: digest of what this run is asked to do (`asked_for`); None for a local run.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the output cannot be read or written.
    """
    if finish_publish(output) is not None:
        log.info("an earlier run was interrupted while it published its tables; that is completed now")
    for folder in (output, join_uri(output, OWN)):
        delete_unfinished(folder)
    interrupted = interrupted_runs(output)
    if asked is not None:
        stage = earlier_stage(stage, interrupted, asked) or stage
    for left in interrupted:
        if left.name == stage.name:
            log.info("continuing an interrupted run, which has read %s documents", f"{left.done.documents:,}")
        elif not left.handed_over:
            log.info(
                "deleting the output of an interrupted run with other settings, which had read %s documents", f"{left.done.documents:,}"
            )
            Stage(output, left.name).drop()
    return stage


def earlier_stage(stage: Stage, interrupted: Iterable[Interrupted], asked: str) -> Stage | None:
    """Return the stage of the last interrupted run that a new run can continue, or None. stage: that of the new run. asked: from
    `asked_for`.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: a record of a run cannot be read.
    """
    earlier = [Stage(stage.output, left.name, waves=stage.waves) for left in interrupted]
    return next((each for each in reversed(earlier) if each.serves(asked)), None)


def check_run_file(output: str) -> None:
    """Raise SourceError(bad_source) if the output folder has a `run.json` that pdfmill did not write, because it would be replaced."""
    text = read_if_there(join_uri(output, RUN_FILE))
    if text is not None and RunFile.of(text) is None:
        raise SourceError(
            "bad_source",
            f"--output {output}: the file {RUN_FILE} in it was not written by pdfmill and would be replaced; give another folder",
        )


def old_tables(output: str) -> Summary:
    """Return the summary of the published table `documents`.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: it cannot be read.
    """
    return summarize([(table, uri) for table, uri in published_parts(output) if table == "documents"]).summary


def check_replaces(new: Summary, sources: Iterable[str], output: str) -> None:
    """Check that replacing the old tables loses no documents because a source was unavailable. new: summary of the new tables.

    Raises:
        KeptError: nothing could be read, or a source could not be listed completely, and the old tables contain documents.
        pdfmill.transforms.storage.errors.SourceError: the old tables cannot be read.
    """
    missing = not_listed(new, sources)
    if new.readable and not missing:
        return
    old = old_tables(output)
    told_before = {each for each in old.unlisted if each[1] in _NOT_THERE}
    if not old.readable or (new.readable and told_before.issuperset(missing)):
        return
    if new.readable:
        raise KeptError(
            f"not every source could be listed completely; {left_line(output, old)}", [f"  {code}: {uri}" for uri, code in sorted(missing)]
        )
    raise KeptError(f"nothing could be read; {left_line(output, old)}", failure_lines(new))


def left_line(output: str, old: Summary) -> str:
    """Return a sentence that names the old tables, which were not replaced."""
    run_file = RunFile.load(output)
    of = f" of the run of {run_file.started}" if run_file else ""
    return f"the old tables are unchanged: those{of} in {output}, {counted(old.documents, 'document')}, {counted(old.pages, 'page')}"


def not_listed(summary: Summary, sources: Iterable[str]) -> list[tuple[str, str]]:
    """Return (address, error code) of the failures in the summary that may hide more than one document: those of sources, folders or
    prefixes.
    sources: as given by the user."""
    given = {_uri(source.removeprefix("@")) for source in sources}
    return [(uri, code) for uri, code in summary.unlisted if uri in given or (code in _NOT_LISTED and not names_a_document(uri))]


def _uri(spec: str) -> str:
    try:
        return public_uri(parse(spec).uri)
    except SourceError:
        return public_uri(spec)
