"""Good tables stay good: what a run that fails, breaks off, is killed or meets another one does to the tables that are there."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import ANY

import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.run.local import run_batch
from pdfmill.pipeline.run.summary import RunFile
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.storage.objects import join_uri, list_files, read_file
from pdfmill.transforms.tables.lock import OutputLock, locked
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.pipeline.test_index import encrypted, letter


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.pdf").write_bytes(letter(1, note=f"of {number}"))
    return folder


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def index(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str]:
    code = run(["index", *map(str, argv)])
    told = capsys.readouterr()
    return code, told.out + told.err


def command(*argv: object) -> tuple[int, str]:
    """`pdfmill index` in a process of its own."""
    words = [sys.executable, "-m", "pdfmill", "index", *map(str, argv)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def state(output: Path) -> dict[str, bytes]:
    return {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*") if path.is_file()}


def plain(output: Path) -> set[str]:
    """What stands in the output folder besides parts."""
    return {name for name in state(output) if not name.endswith(".parquet")}


def test_the_layout_is_plain(letters, output, capsys):
    assert index(capsys, letters, "--output", output, "--batch_documents", 2)[0] == 0
    assert {path.name for path in output.iterdir()} == {*TABLES, "run.json", "_pdfmill"}
    assert plain(output) == {"run.json", "_pdfmill/manifest.json"}
    for table in TABLES:
        names = sorted(path.name for path in (output / table).iterdir())
        assert len(names) == 2
        assert all(name.startswith("part-") and name.endswith("-00000-of-00001.parquet") for name in names)


def test_the_same_run_again_gives_the_same_files(letters, output, capsys):
    index(capsys, letters, "--output", output)
    before = state(output)
    index(capsys, letters, "--output", output)
    assert {**before, "run.json": b""} == {**state(output), "run.json": b""}


@pytest.mark.parametrize("how", ["a typo", "an empty folder", "nothing readable"])
def test_a_run_that_could_read_nothing_leaves_good_tables(letters, output, tmp_path, capsys, how):
    assert index(capsys, letters, "--output", output)[0] == 0
    before = state(output)
    source = tmp_path / "other"
    if how != "a typo":
        source.mkdir()
    if how == "nothing readable":
        (source / "secret.pdf").write_bytes(encrypted("open sesame"))
    code, told = index(capsys, source, "--output", output)
    assert code == 2
    started = json.loads(before["run.json"])["started"]
    assert f"nothing could be read; the old tables are unchanged: those of the run of {started}" in told
    assert "4 documents, 4 pages" in told
    assert ("password_needed" if how == "nothing readable" else "not_found") in told
    assert state(output) == before
    code, told = index(capsys, source, "--output", output, "--replace_anyway")
    assert code == 2
    assert read_tables(output.as_uri())["documents"].num_rows == 1


def test_good_tables_in_a_bucket_stay_too_and_a_second_run_into_it_is_refused(letters, tmp_path, capsys, strict_s3_server):
    bucket = strict_s3_server.make_bucket()
    output = f"s3://{bucket}/out"
    assert index(capsys, letters, "--output", output) == (0, ANY)
    before = {uri: read_file(uri) for uri in list_files(output, "")}
    code, told = index(capsys, tmp_path / "typo", "--output", output)
    assert code == 2
    assert "nothing could be read; the old tables are unchanged" in told
    with locked(output):
        code, told = index(capsys, letters, "--output", output)
    assert code == 2
    assert f"another run writes into {output}" in told
    assert {uri: read_file(uri) for uri in list_files(output, "")} == before


def test_tables_of_an_older_pdfmill_stay_too(letters, output, tmp_path, capsys):
    index(capsys, letters, "--output", output)
    for path in list(output.glob("*/part-*.parquet")):
        path.rename(path.with_name("part-00000-00000-of-00001.parquet"))
    (output / "_pdfmill" / "manifest.json").unlink()
    before = state(output)
    assert index(capsys, tmp_path / "typo", "--output", output)[0] == 2
    assert state(output) == before
    assert index(capsys, letters / "1.pdf", "--output", output)[0] == 0
    assert read_tables(output.as_uri())["documents"].num_rows == 1


def test_no_folder_is_made_where_nothing_is_found(output, tmp_path, capsys):
    code, told = index(capsys, tmp_path / "typo", "--output", output)
    assert code == 2
    assert "not_found" in told
    assert not output.exists()


def test_a_first_run_that_could_read_nothing_leaves_the_reason(output, tmp_path, capsys):
    (tmp_path / "secret.pdf").write_bytes(encrypted("open sesame"))
    assert index(capsys, tmp_path / "secret.pdf", "--output", output)[0] == 2
    (row,) = read_tables(output.as_uri())["documents"].to_pylist()
    assert (row["status"], row["error_code"]) == ("encrypted", "password_needed")
    (tmp_path / "more.pdf").write_bytes(b"no PDF")
    assert index(capsys, tmp_path / "more.pdf", "--output", output)[0] == 2, "there is nothing good to be kept"
    (row,) = read_tables(output.as_uri())["documents"].to_pylist()
    assert row["source_uri"].endswith("more.pdf")


def test_a_run_of_which_some_fail_replaces(letters, output, capsys):
    index(capsys, letters, "--output", output)
    (letters / "secret.pdf").write_bytes(encrypted("open sesame"))
    (letters / "gone.pdf").symlink_to(letters / "nowhere.pdf")
    assert index(capsys, letters, "--output", output)[0] == 1
    check_invariants(read_tables(output.as_uri()), inputs=6)


def test_a_source_that_is_missing_among_good_ones_keeps_the_tables_unless_it_was_missing_before(letters, output, tmp_path, capsys):
    assert index(capsys, letters, "--output", output)[0] == 0
    before = state(output)
    code, told = index(capsys, letters / "1.pdf", tmp_path / "typo", "--output", output)
    assert code == 2
    assert "not every source could be listed completely; the old tables are unchanged" in told
    assert "typo" in told
    assert "continues with it (see --replace_anyway)" in told
    assert {name: data for name, data in state(output).items() if not name.startswith("_pdfmill/stage/")} == before
    assert index(capsys, letters / "1.pdf", tmp_path / "typo", "--output", output, "--replace_anyway")[0] == 1
    assert read_tables(output.as_uri())["documents"].num_rows == 2
    assert index(capsys, letters, tmp_path / "typo", "--output", output)[0] == 1, "what was missing the last time too can lose nothing"
    assert read_tables(output.as_uri())["documents"].num_rows == 5


def test_a_list_may_name_single_documents_that_are_gone(letters, output, tmp_path, capsys):
    index(capsys, letters, "--output", output)
    listing = tmp_path / "list.txt"
    listing.write_text("in/1.pdf\nin/gone.pdf\n")
    assert index(capsys, f"@{listing}", "--output", output)[0] == 1
    listing.write_text("in/1.pdf\nfolder-that-is-gone/\n")
    assert index(capsys, f"@{listing}", "--output", output)[0] == 2
    assert read_tables(output.as_uri())["documents"].num_rows == 2


def test_a_foreign_run_file_is_not_replaced(letters, output, capsys):
    output.mkdir()
    (output / "run.json").write_text('{"mine": 1}')
    code, told = index(capsys, letters, "--output", output)
    assert code == 2
    assert "run.json in it was not written by pdfmill" in told
    assert state(output) == {"run.json": b'{"mine": 1}'}


def test_a_login_does_not_stand_in_the_run_file(letters, output, capsys):
    index(capsys, letters, "https://me:hush@host.invalid/a.pdf", "--output", output)
    assert "hush" not in (output / "run.json").read_text()


def test_two_runs_into_one_output_one_is_refused(letters, output, capsys):
    index(capsys, letters, "--output", output)
    before = state(output)
    lock = OutputLock(output.as_uri())
    code, told = index(capsys, letters, "--output", output)
    lock.release()
    assert code == 2
    assert f"another run writes into {output} (process {os.getpid()} on " in told
    assert state(output) == before


def test_two_runs_at_the_same_instant(letters, output):
    words = [sys.executable, "-m", "pdfmill", "index", str(letters), "--output", str(output)]
    runs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    told = [each.communicate(timeout=200)[0] for each in runs]
    codes = sorted(each.returncode for each in runs)
    assert codes in ([0, 2], [0, 0]), told  # the second may begin when the first has ended
    assert codes == [0, 0] or any("another run" in each for each in told)
    check_invariants(read_tables(output.as_uri()), inputs=4)
    assert plain(output) == {"run.json", "_pdfmill/manifest.json"}


def test_a_run_that_lost_its_lock_replaces_nothing(letters, output, capsys, monkeypatch):
    index(capsys, letters, "--output", output)
    before = state(output)
    (letters / "new.pdf").write_bytes(letter(1))

    def take_over(*args: object, **kwargs: object) -> None:
        (lock,) = (output / "_pdfmill").glob("lock-*.json")
        lock.rename(lock.with_name("lock-00099.json"))

    monkeypatch.setattr("pdfmill.pipeline.jobs.index_job.check_replaces", take_over)
    code, told = index(capsys, letters, "--output", output)
    assert code == 2
    assert "has taken over" in told
    after = state(output)
    assert {name: after[name] for name in before} == before


READER = """
import glob, io, os, sys, time
import pyarrow.parquet as pq
output, stop = sys.argv[1:]
looks = gone = 0
while not os.path.exists(stop):
    for table in ("documents", "pages", "blocks", "assets"):
        names = glob.glob(f"{output}/{table}/*.parquet")
        assert names, f"{table} is empty"
        try:
            ids = [set(pq.read_table(name, columns=["doc_id"]).column(0).to_pylist()) for name in names]
        except FileNotFoundError:  # listed before the change, opened after it: as documented
            gone += 1
            continue
        runs = {name.rpartition("/")[2].split("-")[1] for name in names}
        assert len(runs) == 1, f"{table} of two runs: {names}"
        assert table == "assets" or len(set().union(*ids)) in (2, 4), (table, ids)
        assert table != "documents" or len(ids) == len(set().union(*ids))
    looks += 1
print(looks, gone)
"""


def test_a_reader_never_sees_a_table_of_two_runs_nor_an_empty_one(letters, output, tmp_path, capsys):
    few = [letters / "1.pdf", letters / "2.pdf"]
    index(capsys, letters, "--output", output, "--batch_documents", 1)
    stop = tmp_path / "stop"
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(output), str(stop)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        for number in range(6):
            assert index(capsys, *(few if number % 2 == 0 else [letters]), "--output", output, "--batch_documents", 1)[0] == 0
    finally:
        stop.touch()
        out, err = reader.communicate(timeout=60)
    assert reader.returncode == 0, err
    looks, _ = map(int, out.split())
    assert looks > 20


@pytest.mark.servers
def test_a_listing_that_breaks_off_leaves_good_tables(letters, output, tmp_path, s3_server):
    """The second page of a listing answers 503."""
    bucket = s3_server.make_bucket({f"in/{number}.pdf": letter(1, note=f"of {number}") for number in range(4)})
    assert command(f"s3://{bucket}/in/", "--output", output)[0] == 0
    before = state(output)
    cut = tmp_path / "cut.py"
    cut.write_text(BREAKS_OFF)
    words = [sys.executable, str(cut), "index", f"s3://{bucket}/in/", "--output", str(output), "--batch_documents", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "not every source could be listed completely; the old tables are unchanged" in done.stderr
    assert f"store_error: s3://{bucket}/in/" in done.stderr
    assert {name: data for name, data in state(output).items() if not name.startswith("_pdfmill/stage/")} == before
    code, told = command(f"s3://{bucket}/in/", "--output", output, "--batch_documents", "1")
    assert code == 0
    assert "continuing an interrupted run, which has read" in told


BREAKS_OFF = """
import sys
from botocore.exceptions import ClientError
from pdfmill.transforms.storage import s3
from pdfmill.transforms.storage.store import listed_by
from pdfmill.pipeline.cli.main import main

listing = s3._listing

def breaking_off(*args, **kwargs):
    for number, item in enumerate(listing(*args, **kwargs)):
        if number == 2:
            answer = {"Error": {"Code": "SlowDown", "Message": "busy"}, "ResponseMetadata": {"HTTPStatusCode": 503}}
            raise s3._as_source_error("s3://in", ClientError(answer, "ListObjectsV2"))
        yield item

if __name__ == "__main__":
    s3.list_objects, s3.names = listed_by(s3.head, breaking_off)
    raise SystemExit(main())
"""


# Interrupted runs


class Command:
    """`pdfmill index` in a process of its own."""

    def __init__(self, source: object, output: object, *flags: object, environment: dict[str, str] | None = None) -> None:
        words = [sys.executable, "-m", "pdfmill", "index", str(source), "--output", str(output), *map(str, flags)]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})}
        )

    def until(self, output: str, records: int) -> None:
        """Wait until so many batches are whole."""
        deadline = time.monotonic() + 120
        while len([uri for uri in list_files(join_uri(output, "_pdfmill"), ".json") if "/batches/" in uri]) < records:
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self, number: int = signal.SIGKILL) -> str:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return self.process.communicate(timeout=60)[0]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(14):
        (folder / f"{number:02d}.pdf").write_bytes(letter(2, note=f"of {number}"))
    return folder


@pytest.fixture(params=["disk", "s3"])
def place(request: pytest.FixtureRequest, output: Path) -> Iterator[str]:
    """An output folder."""
    if request.param == "disk":
        yield output.as_uri()
    else:
        server = request.getfixturevalue("strict_s3_server")
        yield f"s3://{server.make_bucket()}/out"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["Ctrl-C", "SIGTERM", "SIGKILL"])
def test_an_interrupted_run_leaves_the_tables_is_told_and_goes_on(place, letters, many, capsys, number):
    assert command(letters, "--output", place)[0] == 0
    before = read_tables(place)
    first = Command(many, place, "--batch_documents", 2)
    first.until(place, 3)
    told = first.end(number)
    assert first.process.returncode == (-number if number == signal.SIGKILL else 130), told
    if number != signal.SIGKILL:
        assert "interrupted" in told
        assert "the old tables are unchanged: those of the run of" in told
        assert "the same command continues" in told
        assert [uri for uri in list_files(place, "") if "/lock-" in uri] == []
    assert_same_tables(before, read_tables(place))
    assert run(["report", place]) == 0
    reported = capsys.readouterr().out
    assert "an interrupted run has left " in reported
    assert "4 documents, 4 pages" in reported
    code, told = command(many, "--output", place, "--batch_documents", 2)
    assert code == 0, told
    assert "continuing an interrupted run, which has read" in told
    after = read_tables(place)
    check_invariants(after, inputs=14)
    assert command(many, "--output", f"{place}-fresh", "--batch_documents", 2)[0] == 0
    assert_same_tables(after, read_tables(f"{place}-fresh"))
    ours = [uri for uri in list_files(place, "") if not uri.endswith(".parquet")]
    assert ours == [join_uri(place, "_pdfmill/manifest.json"), join_uri(place, "run.json")]


def test_what_was_read_is_not_read_again_and_what_changed_is(many, output, capsys, monkeypatch):
    read: list[str] = []

    def counting(documents, settings, **more):
        read.extend(document.uri.rpartition("/")[2] for document in documents)
        if len(read) > 10:
            raise KeyboardInterrupt
        return run_batch(documents, settings, **more)

    monkeypatch.setattr("pdfmill.pipeline.jobs.index_job.run_batch", counting)
    flags = [many, "--output", output, "--batch_documents", 5]
    assert index(capsys, *flags)[0] == 130
    assert read == [f"{number:02d}.pdf" for number in range(14)]
    (many / "07.pdf").write_bytes(letter(2, note="of another kind"))
    for number in range(10, 14):
        (many / f"{number}.pdf").unlink()
    read.clear()
    code, told = index(capsys, *flags)
    assert code == 0, told
    assert read == [f"{number:02d}.pdf" for number in range(5, 10)]
    blocks = read_tables(output.as_uri())["blocks"].to_pylist()
    assert any("another kind" in block["text"] for block in blocks)


def test_a_stage_of_other_settings_is_removed(many, letters, output, capsys):
    first = Command(many, output, "--batch_documents", 2)
    first.until(output.as_uri(), 2)
    first.end()
    code, told = index(capsys, letters, "--output", output, "--keep_furniture")
    assert code == 0, told
    assert plain(output) == {"run.json", "_pdfmill/manifest.json"}
    assert run(["report", str(output)]) == 0
    assert "interrupted" not in capsys.readouterr().out


def test_report_tells_of_an_interrupted_first_run(many, output, capsys):
    first = Command(many, output, "--batch_documents", 2)
    first.until(output.as_uri(), 2)
    first.end()
    assert run(["report", str(output)]) == 2
    told = capsys.readouterr()
    assert "an interrupted run has left" in told.out
    assert "no table documents" in told.err


def test_a_document_that_the_store_would_not_give_is_tried_again_by_the_next_run(letters, output, capsys, monkeypatch):
    """A batch with such a one is whole, but nothing to go on with."""
    (letters / "late.pdf").write_bytes(letter(1, note="late"))

    def changing(documents, settings, **more):
        (letters / "late.pdf").write_bytes(letter(1, note="later"))  # changed since it was listed
        run_batch(documents, settings, **more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("pdfmill.pipeline.jobs.index_job.run_batch", changing)
        assert index(capsys, letters, "--output", output)[0] == 130
    assert index(capsys, letters, "--output", output)[0] == 0
    assert RunFile.load(output.as_uri()) is not None


def test_the_end_of_a_run_is_told_in_files(letters: Path, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, numbers = tmp_path / "told.json", tmp_path / "index.prom"
    words = ["index", str(letters), "--output", str(output), "--report", str(told), "--metrics", str(numbers)]
    (letters / "3.pdf").write_bytes(b"no PDF")
    assert run(words) == 1
    good, run_file = json.loads(told.read_text()), json.loads((output / "run.json").read_text())
    assert (good["exit_code"], good["statuses"], good["documents"]) == (1, {"ok": 3, "not_pdf": 1}, 4)
    assert {name: run_file[name] for name in ("exit_code", "ended", "documents", "pages")} == {
        "exit_code": 1, "ended": good["ended"], "documents": 4, "pages": 3
    }  # fmt: skip
    assert run_file["statuses"] == {"not_pdf": 1, "ok": 3}
    assert {"pdfmill_index_exit_code 1", 'pdfmill_index_documents{status="ok"} 3'} <= set(numbers.read_text().splitlines())
    (last,) = (line for line in numbers.read_text().splitlines() if line.startswith("pdfmill_index_last_success_seconds"))
    with locked(str(output)):
        assert run(words) == 2
    assert (json.loads(told.read_text())["exit_code"], json.loads(told.read_text())["statuses"]) == (2, {})
    assert {last, "pdfmill_index_exit_code 2"} <= set(numbers.read_text().splitlines())

    def interrupted(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pdfmill.pipeline.jobs.index_job.run_batch", interrupted)
    (letters / "4.pdf").write_bytes(letter(1))
    assert run(words) == 130
    assert (json.loads(told.read_text())["exit_code"], json.loads(told.read_text())["message"]) == (130, "interrupted")
    assert run([*words[:4], "--report", str(tmp_path / "nowhere/told.json")]) == 2
