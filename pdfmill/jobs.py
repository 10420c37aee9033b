"""The function `pdfmill.index`, which does what the command `pdfmill index` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict, Unpack, overload

from pdfmill.errors import PdfmillError, missing_extra_as_error, path_text


@dataclass(frozen=True, slots=True)
class Failure:
    """A document whose status is not ok."""

    source_uri: Annotated[str, "The address of the document."]
    error_code: Annotated[str, "The reason as one word; docs/columns.md lists all."]
    error_message: Annotated[str, "The reason as a sentence."]


@dataclass(frozen=True, slots=True)
class IndexResult:
    """The result of a run of `index`."""

    output: Annotated[str, "The folder of the tables, as an address."]
    documents: Annotated[int, "The number of inputs."]
    embedded: Annotated[int, "The number of attached PDFs, which have rows of their own."]
    pages: Annotated[int, "The number of pages."]
    seconds: Annotated[float, "The wall time of the run, in seconds."]
    statuses: Annotated[Mapping[str, int], "The number of documents by status: ok, partial, failed, ..."]
    reasons: Annotated[Mapping[str, int], "The number of documents that are not ok, by error code."]
    failures: Annotated[list[Failure], "The first of the documents that are not ok; the table `documents` has all."]
    rows: Annotated[Mapping[str, int], "The number of rows, by table."]

    @property
    def ok(self) -> bool:
        """Whether every input was read without failure."""
        return not self.reasons

    def table(self, name: str) -> Any:
        """Return a table that the run wrote as a `pyarrow.Table`. name: documents, pages, blocks, sections or assets."""
        import pyarrow

        from pdfmill.transforms.storage.objects import look_up, open_file
        from pdfmill.transforms.storage.parquet import table_file
        from pdfmill.transforms.tables.output_layout import published_parts

        parts = [uri for table, uri in published_parts(self.output) if table == name]
        if not parts:
            raise PdfmillError("not_found", f"{self.output}: no table {name!r}; there are {', '.join(self.rows)}")
        found = []
        for uri in parts:
            with open_file(look_up(uri)) as file:
                found.append(table_file(uri, file).read())
        return pyarrow.concat_tables(found)


class IndexFlags(TypedDict, total=False):
    """Flags of `pdfmill index` for a run on this machine; docs/commands.md says what each does."""

    workers: int
    shards: int
    batch_documents: int
    batch_bytes: int
    max_bytes: int
    seconds_per_document: float
    seconds_per_page: float
    max_memory: int
    max_pages: int
    max_glyphs: int
    max_stream: int
    max_nesting: int
    redirects: Literal["public", "same-host", "any"]
    stores: str | None
    no_isolation: bool
    pages_per_range: int
    passwords: str | None
    attachment_depth: int
    attachment_ratio: int
    attached_documents: int
    export: str
    keep_jpeg: bool
    hyphens: Literal["on", "soft", "off"]
    ocr: bool
    ocr_redo: bool
    recognizer: Literal["tesseract", "rapidocr"]
    ocr_language: str
    fold_typography: bool
    keep_furniture: bool
    section_chars: int
    replace_anyway: bool
    waves: int


_Progress = Callable[[int, int, int], None] | None


@overload
def index(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    progress: _Progress = None,
    **flags: Unpack[IndexFlags],
) -> IndexResult: ...


@overload
def index(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    runner: str,
    progress: _Progress = None,
    **flags: object,
) -> IndexResult: ...


def index(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    progress: _Progress = None,
    **flags: object,
) -> IndexResult:
    """Read PDFs from storage and write Parquet tables, on this machine or, with `runner=`, on an engine of Beam.

    sources: files, folders, globs, addresses in stores, `@list` files; `~` is the home folder. output: a folder, here or in a store; tables
    of an earlier run there are replaced when the new ones are complete. progress: called from another thread at intervals, with the numbers
    of documents, pages and failures so far. flags: those of `pdfmill index` by name, e.g. `workers=2, ocr=True, max_bytes=1 << 24`.

    Raises:
        PdfmillError: a wrong flag (usage); nothing could be read, and the output was left as it was (kept); the output cannot be written,
            or another run writes it (locked); the engine's job failed (job_failed); an extra is missing (not_installed).
    """
    with missing_extra_as_error("pdfmill.index"):
        return _index(sources, output, progress, flags)


def _index(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    progress: _Progress,
    flags: Mapping[str, object],
) -> IndexResult:
    from pdfmill.pipeline.jobs.index_job import Watch, run_job
    from pdfmill.pipeline.options.options import INDEX_OPTIONS, WAITED_OPTIONS, UsageError, parse_index
    from pdfmill.pipeline.run.errors import JobFailedError
    from pdfmill.pipeline.run.progress import Progress
    from pdfmill.pipeline.run.staging import KeptError
    from pdfmill.transforms.storage.errors import SourceError
    from pdfmill.transforms.storage.sources import absolute_source
    from pdfmill.transforms.tables.lock import LockedError

    def show(found: Progress, ended: bool) -> None:
        if progress is not None:
            progress(found.documents, found.pages, found.failures)

    named = [path_text(each) for each in ([sources] if isinstance(sources, str | os.PathLike) else sources)]
    if not named:
        raise PdfmillError("usage", "index: sources is empty; name at least one file, folder or address")
    try:
        parsed, beam_flags = parse_index([*flag_words(flags), "--output", path_text(output), *named], (*INDEX_OPTIONS, *WAITED_OPTIONS))
        if beam_flags:
            from pdfmill.pipeline.engine.engine_flags import check_engine

            check_engine(parsed, beam_flags)
        parsed.output = absolute_source(parsed.output)
        summary, run_file = run_job(parsed, beam_flags, Watch(show=show))
    except UsageError as error:
        raise PdfmillError("usage", str(error).removeprefix("argument ")) from error
    except KeptError as error:
        raise PdfmillError("kept", "\n".join([str(error), *error.reasons])) from error
    except SourceError as error:
        raise PdfmillError(error.code, str(error)) from error
    except LockedError as error:
        raise PdfmillError("locked", str(error)) from error
    except JobFailedError as error:
        raise PdfmillError("job_failed", str(error)) from error
    return IndexResult(
        parsed.output, summary.documents, summary.embedded, summary.pages, run_file.seconds, dict(summary.statuses),
        dict(summary.reasons), [Failure(**each) for each in summary.for_json()["failures"]], dict(summary.rows),
    )  # fmt: skip


def flag_words(flags: Mapping[str, object]) -> list[str]:
    """Convert keyword arguments to the words of a command line, without those that are None or False; a list repeats the flag."""
    words: list[str] = []
    for name, value in flags.items():
        if value is True:
            words.append(f"--{name}")
        elif isinstance(value, list | tuple):
            words += [f"--{name}={each}" for each in value]
        elif value is not None and value is not False:
            words.append(f"--{name}={value}")
    return words
