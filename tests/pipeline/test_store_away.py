"""A store that is away for a while: what it would not give is tried again in the same run; a listing that breaks off ends a job."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NoReturn

import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.engine import engine
from pdfmill.pipeline.run import staging
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road import open_documents
from pdfmill.transforms.storage.addresses import failed
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables import worker_progress as notes
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.pipeline.test_good_tables import state
from tests.pipeline.test_index import encrypted, letter

DIRECT = ("--runner", "FnApiRunner")
RUNNERS = pytest.mark.parametrize("runner", [(), DIRECT], ids=["local", "beam"])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Four letters and a book of three ranges."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.pdf").write_bytes(letter(1, note=f"of {number}"))
    (folder / "book.pdf").write_bytes(letter(40))
    return folder


def away(monkeypatch: pytest.MonkeyPatch, times: int) -> Counter[str]:
    """Let the store refuse each of some documents so often; how often it was asked."""
    asked: Counter[str] = Counter()
    read = open_documents.read_bytes

    def refusing(ref: DocumentRef, max_bytes: int | None = None, **bound: object) -> bytes:
        name = ref.uri.rpartition("/")[2]
        asked[name] += 1
        if name in ("1.pdf", "book.pdf") and asked[name] <= times:
            raise SourceError("store_error", f"{ref.uri}: 503")
        return read(ref, max_bytes=max_bytes)

    monkeypatch.setattr(open_documents, "read_bytes", refusing)
    monkeypatch.setattr(staging, "AGAIN_S", (0.0, 0.0))
    return asked


@RUNNERS
def test_what_a_store_would_not_give_is_tried_again_in_the_same_run(source, tmp_path, monkeypatch, runner):
    assert run(["index", str(source), "--output", str(tmp_path / "calm")]) == 0
    asked = away(monkeypatch, times=2)
    assert run(["index", str(source), "--output", str(tmp_path / "out"), "--no_isolation", *runner]) == 0
    assert asked["0.pdf"] == 1
    assert asked["1.pdf"] == 3
    assert_same_tables(read_tables((tmp_path / "calm").as_uri()), read_tables((tmp_path / "out").as_uri()))


@RUNNERS
def test_who_is_away_for_longer_has_a_row_that_says_so(source, tmp_path, monkeypatch, runner):
    away(monkeypatch, times=99)
    assert run(["index", str(source), "--output", str(tmp_path / "out"), "--no_isolation", *runner]) == 1
    tables = read_tables((tmp_path / "out").as_uri())
    check_invariants(tables, inputs=5)
    assert Counter(row["error_code"] for row in tables["documents"].to_pylist()) == {None: 3, "store_error": 2}


@RUNNERS
def test_every_exit_code(source, tmp_path, monkeypatch, capsys, runner):
    def index(*words: object) -> int:
        return run(["index", *map(str, words), "--output", str(tmp_path / "out"), *runner])

    assert index(source) == 0
    (tmp_path / "secret.pdf").write_bytes(encrypted("open sesame"))
    assert index(source / "1.pdf", tmp_path / "secret.pdf") == 1
    before = state(tmp_path / "out")
    assert index(tmp_path / "typo") == 2
    with monkeypatch.context() as patched:
        broken = failed((tmp_path / "other").as_uri(), SourceError("store_error", "the second page of the listing: 503"))
        patched.setattr("pdfmill.transforms.storage.ranges.list_source", lambda spec, *_: iter([broken]))
        patched.setattr("pdfmill.pipeline.jobs.index_job.list_sources", lambda specs, _: iter([broken]))
        assert index(tmp_path / "other") == (3 if runner else 2)
        told = capsys.readouterr().err
        assert ("the job failed, and no table was replaced" if runner else "the old tables are unchanged") in told

    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("pdfmill.pipeline.engine.engine.run_to_end" if runner else "pdfmill.pipeline.jobs.index_job.run_batch", interrupt)
    assert index(source) == 130
    after = state(tmp_path / "out")
    assert {name: after[name] for name in before} == before


def test_a_job_tells_how_far_it_is(source, tmp_path, monkeypatch):
    monkeypatch.setattr(notes, "NOTE_S", 0.0)
    monkeypatch.setattr(engine, "FOLLOW_S", 0.01)
    seen: list[str] = []
    monkeypatch.setattr("pdfmill.pipeline.run.progress.log.info", lambda text, *_: seen.append(text))
    monkeypatch.setattr("pdfmill.pipeline.run.progress.LOG_SECONDS", 0.02)
    (source / "empty.pdf").write_bytes(b"")
    assert run(["index", str(source), "--output", str(tmp_path / "out"), *DIRECT]) == 1
    assert any("/6 documents" in line and "1 failed" in line for line in seen), seen
    assert {path.name for path in (tmp_path / "out" / "_pdfmill").iterdir()} == {"manifest.json"}


def test_a_note_counts_what_a_process_has_done(tmp_path, monkeypatch):
    folder = tmp_path.as_uri()
    two = [notes.Notes(folder) for _ in range(2)]
    for each in two:
        each.add(notes.Done(documents=2, pages=7))
        each.add(notes.Done(failures=1))  # not yet told
    assert notes.read_notes(folder) == notes.Done(documents=4, pages=14)
    monkeypatch.setattr(notes, "END_NOTE_S", 0.0)
    for each in two:
        each.settle()
    assert notes.read_notes(folder) == notes.Done(documents=4, pages=14, failures=2)
