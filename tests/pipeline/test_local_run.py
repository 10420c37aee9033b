"""The local run: the same tables whatever the number of processes and whoever runs the graph, and nobody listens."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from benchmarks.speed.made_documents import book, letters
from pdfmill.pipeline.cli import main
from pdfmill.pipeline.options.options import job_settings, parse_index
from pdfmill.pipeline.run import local
from pdfmill.pipeline.run.local import local_workers, run_batch
from pdfmill.pipeline.run.progress import Progress
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road.guarded_road import unguarded, walk_together_guarded
from pdfmill.transforms.road.isolation import LostError
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import list_sources
from pdfmill.transforms.tables.parts import read_rows
from pdfmill.transforms.tables.spool import Spool
from tests.invariants import assert_same_tables, check_invariants, read_tables

CORPUS = Path(os.environ.get("PDFMILL_CORPUS", Path(__file__).resolve().parents[3] / "shared" / "corpus"))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local") / "in"
    folder.mkdir()
    letters(folder, 10)
    book(folder / "book.pdf", 70)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    return folder


def index(source: Path, output: Path, *flags: str) -> dict:
    assert main.run(["index", str(source), "--output", str(output), *flags]) in (0, 1)
    return read_tables(output.as_uri())


@pytest.mark.parametrize(
    "flags",
    [["--workers", "2"], ["--no_isolation"], ["--pages_per_range", "1"], ["--runner", "DirectRunner", "--shards", "1"]],
    ids=" ".join,
)
def test_tables_do_not_depend_on_who_reads(source, tmp_path, flags):
    one = index(source, tmp_path / "one")
    check_invariants(one, inputs=12)
    assert_same_tables(one, index(source, tmp_path / "other", *flags))


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="no corpus beside the repository")
def test_the_corpus_gives_the_same_tables_here_and_on_beam(tmp_path):
    folder = CORPUS / "structure" / "pdf"
    here = index(folder, tmp_path / "here", "--workers", "2")
    assert_same_tables(here, index(folder, tmp_path / "beam", "--runner", "DirectRunner"))


def test_progress_counts_documents_pages_and_failures(source, tmp_path):
    flags, _ = parse_index([str(source), "--output", str(tmp_path / "out")])
    job = job_settings(flags, "part", 1)
    progress = Progress()
    with local_workers(2, job.read) as workers:
        run_batch(list_sources([str(source)]), job, workers, str(tmp_path), progress)
    assert (progress.documents, progress.pages, progress.failures) == (12, 80, 1)
    assert not list(tmp_path.glob("rows-*"))


def test_the_start_of_a_process_is_in_no_documents_time(monkeypatch):
    told = []

    def call(function, *arguments, seconds, raises=()):
        told.append(function)
        raise LostError("crashed", "")

    monkeypatch.setattr(local, "calls", lambda settings, guard: call)
    with local_workers(1, job_settings(parse_index(["a.pdf", "--output", "out"])[0], "part", 1).read) as workers:
        for _ in range(2):
            workers.submit(lambda call: told.append("a document")).result()
    assert told == ["os:getpid", "a document", "a document"]


def test_small_documents_share_a_call_and_others_do_not():
    sizes = [10_000, 20_000, 900_000, None, 5_000, *[1_000] * 25]
    refs = [replace(DocumentRef.of_uri(f"file:///{n}.pdf"), size=size) for n, size in enumerate(sizes)]
    read = job_settings(parse_index(["a.pdf", "--output", "out"])[0], "part", 1)
    assert list(map(len, local._together(refs, read))) == [2, 1, *[1] * 24, 3]
    alone = job_settings(parse_index(["a.pdf", "--output", "out", "--ocr"])[0], "part", 1)
    assert all(len(call) == 1 for call in local._together(refs, alone))


def rows_of(walks):
    """The rows of all tables but `documents`, which say when they were read."""
    packed = [rows for _, found in walks for each in found for rows in each.rows]
    return [list(read_rows(table, [data])) for (table, _), (_, data) in packed if table != "documents"]


def test_documents_whose_call_is_lost_are_read_one_by_one(source, tmp_path):
    job = job_settings(parse_index([str(source), "--output", str(tmp_path / "out")])[0], "part", 1)
    refs = [ref for ref in list_sources([str(source)]) if "letter" in ref.uri][:3]
    lost = []

    def call(function, *arguments, seconds, raises=()):
        if function == "walk_documents":
            lost.append(len(arguments[0]))
            raise LostError("crashed", "")
        return unguarded(function, *arguments, seconds=seconds, raises=raises)

    whole, parts = (walk_together_guarded(refs, job, made) for made in (unguarded, call))
    assert lost == [3]
    assert rows_of(parts) == rows_of(whole)
    assert all(seconds > 0 for seconds, _ in whole)


def test_a_part_that_cannot_be_written_ends_the_run(source, tmp_path):
    job = job_settings(parse_index([str(source), "--output", str(tmp_path / "out")])[0], "part", 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "pages").write_bytes(b"no folder")
    with local_workers(2, job.read) as workers, pytest.raises(SourceError, match="pages"):
        run_batch(list_sources([str(source)]), job, workers, str(tmp_path))


def test_nothing_listens_while_two_processes_read(source, tmp_path):
    command = [sys.executable, "-m", "pdfmill", "index", str(source), "--output", str(tmp_path / "out"), "--workers", "2"]
    seen = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            for each in family(process.pid):
                listening = [connection for connection in sockets(each) if connection.status == psutil.CONN_LISTEN]
                assert listening == [], each
                seen += each.pid != process.pid
            time.sleep(0.05)
    assert seen > 3, "it looked while parsers were there"


def family(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def sockets(process: psutil.Process) -> list:
    try:
        return process.net_connections(kind="inet")
    except psutil.Error:
        return []


def test_a_spool_gives_back_what_was_put(tmp_path):
    with Spool(str(tmp_path)) as spool:
        places = [spool.put(bytes([number]) * number) for number in range(1, 50)]
        assert [spool.get(place) for place in places] == [bytes([number]) * number for number in range(1, 50)]
        with pytest.raises(EOFError):
            spool.get(places[-1]._replace(length=1000))
    assert list(tmp_path.iterdir()) == []


def test_a_document_that_is_gone_is_a_row(tmp_path):
    job = job_settings(parse_index(["-", "--output", str(tmp_path / "out")])[0], "part", 1)
    with local_workers(1, job.read) as workers:
        run_batch([DocumentRef.of_uri((tmp_path / "gone.pdf").as_uri())], job, workers, str(tmp_path))
    (row,) = read_tables((tmp_path / "out").as_uri())["documents"].to_pylist()
    assert row["error_code"] == "not_found"
