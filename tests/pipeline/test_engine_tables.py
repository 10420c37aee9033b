"""Good tables on an engine: a job that fails replaces nothing, one that was handed over publishes in its last step."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import apache_beam as beam
import grpc
import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.dataflow.dataflow_runner import DataflowRuntimeException
from apache_beam.runners.runner import PipelineState

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.engine import engine
from pdfmill.pipeline.engine.engine import JobFailedError, run_to_end
from pdfmill.pipeline.engine.engine_flags import where_it_failed
from pdfmill.pipeline.options.options import INDEX_OPTIONS, SUBMITTED_OPTIONS, UsageError, job_settings, parse_index
from pdfmill.pipeline.run.staging import Stage, asked_for, interrupted_runs
from pdfmill.schemas.records import DocumentRef
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.steps.find_documents import in_wave
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables.lock import OutputLock
from pdfmill.transforms.tables.output_layout import shard_of
from pdfmill.transforms.tables.shards import USUAL, ShardCounts
from pdfmill.transforms.tables.write_summary import Written
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.pipeline.test_good_tables import plain, state
from tests.pipeline.test_index import letter
from tests.servers import free_port

DIRECT = ("--runner", "FnApiRunner")


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.pdf").write_bytes(letter(1, note=f"of {number}"))
    return folder


@pytest.fixture
def good(letters: Path, tmp_path: Path) -> Path:
    """An output folder with good tables of one letter."""
    output = tmp_path / "out"
    assert run(["index", str(letters / "1.pdf"), "--output", str(output)]) == 0
    return output


def submit(*words: object) -> None:
    flags, beam_flags = parse_index([*map(str, words), "--shards=2", "--runner=FnApiRunner"], (*INDEX_OPTIONS, *SUBMITTED_OPTIONS))
    engine.submit(flags, beam_flags)


def test_a_job_that_was_handed_over_publishes_in_its_last_step(letters, good, tmp_path):
    submit(letters, "--output", good)
    tables = read_tables(good.as_uri())
    check_invariants(tables, inputs=3)
    assert plain(good) == {"run.json", "_pdfmill/manifest.json"}
    shards = {shard_of(DocumentRef.of_uri(path.as_uri()).doc_id, 2) for path in letters.iterdir()}  # by the folder's name, both or one
    assert {path.name[-len("00000-of-00002.parquet") :] for path in (good / "pages").iterdir()} == {
        f"{shard:05d}-of-00002.parquet" for shard in shards
    }
    assert run(["index", str(letters), "--output", str(tmp_path / "here")]) == 0
    assert_same_tables(tables, read_tables((tmp_path / "here").as_uri()))


def test_the_last_step_tried_again_changes_nothing(letters, good):
    submit(letters, "--output", good)
    before = state(good)
    manifest = engine.Manifest.load(good.as_uri())
    assert manifest is not None
    engine.AtEnd(manifest.run, good.as_uri(), (str(letters),), False, "x")()
    assert state(good) == before


def test_a_job_that_was_handed_over_and_could_read_nothing_leaves_good_tables(good, tmp_path):
    before = state(good)
    with pytest.raises(RuntimeError, match="nothing could be read; the old tables are unchanged"):
        submit(tmp_path / "typo", "--output", good)
    after = state(good)
    assert {name: after[name] for name in before} == before
    assert [left.handed_over for left in interrupted_runs(good.as_uri())] == [True]
    (tmp_path / "typo").mkdir()
    (tmp_path / "typo" / "0.pdf").write_bytes(letter(1))
    submit(tmp_path / "typo", "--output", good)  # the next launch lists and reads again
    check_invariants(read_tables(good.as_uri()), inputs=1)


def test_a_launch_is_refused_while_another_run_writes(letters, good):
    lock = OutputLock(good.as_uri())
    with pytest.raises(UsageError, match="another run writes into"):
        submit(letters, "--output", good)
    lock.release()


def test_the_client_publishes_when_the_job_is_done(letters, good, capsys):
    assert run(["index", str(letters), "--output", str(good), "--shards", "2", *DIRECT]) == 0
    check_invariants(read_tables(good.as_uri()), inputs=3)
    assert plain(good) == {"run.json", "_pdfmill/manifest.json"}


def test_what_a_job_has_written_survives_the_loss_of_its_last_step(letters, good, monkeypatch, caplog):
    """The store is away when the tables are to be put in place: the same command does that later, and no job runs."""
    command = ["index", str(letters), "--output", str(good), *DIRECT]
    before = state(good)

    def away(*_: object) -> None:
        raise SourceError("store_error", "the store is away")

    with monkeypatch.context() as lost:
        lost.setattr("pdfmill.pipeline.run.staging.publish", away)
        assert run(command) == 2
    after = state(good)
    assert {name: after[name] for name in before} == before
    (left,) = interrupted_runs(good.as_uri())
    assert not Stage(good.as_uri(), left.name).serves("what another command asks for")
    monkeypatch.setattr(engine, "run_on_engine", away)
    assert run(command) == 0
    assert "an earlier job had written all" in caplog.text
    check_invariants(read_tables(good.as_uri()), inputs=3)
    assert interrupted_runs(good.as_uri()) == []
    assert run(command) == 2, "once only"


@pytest.mark.parametrize("how", ["fails", "typo"])
def test_a_job_that_fails_or_reads_nothing_replaces_nothing(letters, good, tmp_path, capsys, monkeypatch, how):
    before = state(good)

    def no_memory(*_: object) -> None:
        raise RuntimeError("no memory")

    if how == "fails":
        monkeypatch.setattr(Stage, "keep", no_memory)
    code = run(["index", str(letters if how == "fails" else tmp_path / "typo"), "--output", str(good), *DIRECT])
    assert code == (3 if how == "fails" else 2)
    told = capsys.readouterr().err
    for each in (
        ["the job failed, and no table was replaced", "no memory", "starts again"] if how == "fails" else ["the old tables are unchanged"]
    ):
        assert each in told
    assert state(good) == before


def test_a_job_server_that_is_lost_is_told_in_a_line(monkeypatch):
    def run_job(*_: object, **__: object) -> None:
        with grpc.insecure_channel(f"127.0.0.1:{free_port()}") as channel:
            channel.unary_unary("/jobs/Run")(b"", timeout=60)

    monkeypatch.setattr(beam.Pipeline, "run", run_job)
    with pytest.raises(JobFailedError, match=r"no table was replaced: the call of the job server failed: .*[Ff]ailed to connect"):
        run_to_end(beam.Pipeline())


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.pdf").write_bytes(letter(1, note=f"of {number}"))
    return folder


def test_each_launch_of_a_job_in_waves_reads_one_share_and_the_last_publishes(many, good, tmp_path, monkeypatch):
    """The second launch loses its record, and the last one its publication: each costs its own work only, so that damage to documents of
    complete shares goes unnoticed."""
    assert run(["index", str(many), "--output", str(tmp_path / "here")]) == 0
    before, command = state(good), (many, "--output", good, "--waves=3")

    def damage(wave: int) -> None:
        for path in many.iterdir():
            if in_wave(DocumentRef.of_uri(path.as_uri()), wave, 3):
                path.write_bytes(b"damaged")

    submit(*command)
    damage(0)
    with monkeypatch.context() as lost:
        lost.setattr(Stage, "keep", lambda *_: (_ for _ in ()).throw(SourceError("store_error", "the store is away")))
        with pytest.raises(SourceError, match="the store is away"):
            submit(*command)
    submit(*command)
    damage(1)
    (left,) = interrupted_runs(good.as_uri())
    assert left.handed_over
    assert Stage(good.as_uri(), left.name, waves=3).whole_waves() == [0, 1]
    assert before.items() <= state(good).items()
    with monkeypatch.context() as lost:
        lost.setattr(
            "pdfmill.pipeline.run.staging.publish", lambda *_: (_ for _ in ()).throw(SourceError("store_error", "the store is away"))
        )
        with pytest.raises(SourceError, match="the store is away"):
            submit(*command)
    damage(2)
    submit(*command)
    assert_same_tables(read_tables(good.as_uri()), read_tables((tmp_path / "here").as_uri()))
    assert interrupted_runs(good.as_uri()) == []


@pytest.mark.parametrize(("flags", "dies_in"), [(["--waves=3"], 0), (["--waves=3"], 2), ([], 1), ([], 2)])
def test_a_job_that_dies_in_a_wave_costs_that_wave_only(many, tmp_path, capsys, monkeypatch, flags, dies_in):
    """Documents of whole waves are damaged before the same command runs again: it does not read them, so that the tables equal those of
    an undisturbed job, and it reads all others."""
    output, kept = tmp_path / "out", Stage.keep
    command = ["index", str(many), "--output", str(output), *flags, *DIRECT]
    size = sum(path.stat().st_size for path in many.iterdir())
    monkeypatch.setattr(engine, "WAVE_BYTES", size * USUAL / 2.5)  # three, where nothing says how many

    def dies(stage: Stage, written: Written, wave: int = 0, counts: ShardCounts | None = None) -> None:
        if wave == dies_in:
            raise RuntimeError("the machine is gone")
        kept(stage, written, wave, counts)

    assert run(["index", str(many), "--output", str(tmp_path / "undisturbed")]) == 0
    with monkeypatch.context() as dying:
        dying.setattr(Stage, "keep", dies)
        assert run(command) == 3
    again = f"running the same command again continues after {dies_in} of 3 jobs" if dies_in else "starts again"
    assert again in capsys.readouterr().err
    assert not (output / "documents").exists()
    for path in many.iterdir():
        ref = DocumentRef.of_uri(path.as_uri())
        if any(in_wave(ref, wave, 3) for wave in range(dies_in)):
            path.write_bytes(b"nothing")
    assert run(command) == 0
    assert_same_tables(read_tables((tmp_path / "undisturbed").as_uri()), read_tables(output.as_uri()))
    assert plain(output) == {"run.json", "_pdfmill/manifest.json"}


def test_whole_waves_do_not_serve_who_asks_for_something_else(tmp_path):
    stage = Stage.of_job(tmp_path.as_uri(), waves=3)
    stage.asks("asked")
    assert not stage.serves("asked"), "nothing is whole yet"
    stage.keep(Written(), 1)
    assert (stage.whole_waves(), stage.is_whole()) == ([1], False)
    assert stage.serves("asked")
    assert not stage.serves("asked for in other waves, or by other settings")
    settings = job_settings(parse_index(["in", "--output", "out"], INDEX_OPTIONS)[0], "part", 1)
    assert len({asked_for(["in"], settings, waves) for waves in (1, 2, 3)}) == 3
    old = Stage(stage.output, "20200101T000000000000Z-00000000", waves=3)
    old.asks("asked")
    old.keep(Written(), 1)
    assert not old.serves("asked"), "what it listed is no more what is there"


def test_each_document_is_in_one_wave_and_shares_are_about_equal():
    refs = [DocumentRef.of_uri(f"s3://bucket/{number}.pdf") for number in range(3000)]
    shares = [[ref for ref in refs if in_wave(ref, wave, 3)] for wave in range(3)]
    assert sum(map(len, shares)) == len(refs) == len({ref.doc_id for share in shares for ref in share})
    assert all(900 < len(share) < 1100 for share in shares)
    assert {shard_of(ref.doc_id, 3) for ref in shares[0]} == {0, 1, 2}


def test_waves_are_refused_without_an_engine(letters, tmp_path, capsys):
    assert run(["index", str(letters), "--output", str(tmp_path / "out"), "--waves=2"]) == 2
    assert "--waves is for jobs on an engine" in capsys.readouterr().err


def test_a_job_that_is_lost_when_it_had_written_all_is_not_run_again(letters, good, capsys, monkeypatch):
    """As where an engine is lost before it can say how the job ended."""
    before = state(good)
    command = ["index", str(letters), "--output", str(good), *DIRECT]
    with monkeypatch.context() as lost:
        lost.setattr(engine, "_end_of", lambda job, *_: job.wait_until_finish() and PipelineState.FAILED)
        assert run(command) == 3
    assert (
        "the job ended as FAILED, and no table was replaced; running the same command again publishes the tables" in capsys.readouterr().err
    )
    assert before.items() <= state(good).items()
    monkeypatch.setattr(engine, "run_on_engine", lambda *_: pytest.fail("the job ran again"))
    assert run(command) == 0
    check_invariants(read_tables(good.as_uri()), inputs=3)
    assert interrupted_runs(good.as_uri()) == []


def test_what_a_job_that_was_handed_over_had_written_is_put_in_place_by_the_same_command(letters, good, monkeypatch):
    def away(*_: object) -> None:
        raise SourceError("store_error", "the store is away")

    with monkeypatch.context() as lost:
        lost.setattr("pdfmill.pipeline.run.staging.publish", away)
        with pytest.raises(SourceError, match="the store is away"):
            submit(letters, "--output", good)
    monkeypatch.setattr(engine, "run_on_engine", lambda *_: pytest.fail("the job ran again"))
    assert run(["index", str(letters), "--output", str(good), "--shards", "2", *DIRECT]) == 0
    check_invariants(read_tables(good.as_uri()), inputs=3)
    assert interrupted_runs(good.as_uri()) == []


class Job:
    """What a runner gives back; its end is an error."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.cancelled = False

    def wait_until_finish(self) -> None:
        raise self.error

    def cancel(self) -> None:
        self.cancelled = True


def pipeline_that_ends_with(job: Job) -> beam.Pipeline:
    pipeline = beam.Pipeline()
    pipeline.run = lambda: job  # type: ignore[method-assign]
    return pipeline


def test_a_job_that_dataflow_gives_up_is_told():
    failure = DataflowRuntimeException("Dataflow pipeline failed. State: FAILED, Error: no quota", None)
    with pytest.raises(JobFailedError, match="the job failed, and no table was replaced: Dataflow pipeline failed"):
        run_to_end(pipeline_that_ends_with(Job(failure)))


def test_a_mistake_of_ours_is_not_taken_for_a_failed_job():
    with pytest.raises(KeyError):
        run_to_end(pipeline_that_ends_with(Job(KeyError("ours"))))


def test_an_interrupt_cancels_the_job():
    job = Job(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_to_end(pipeline_that_ends_with(job))
    assert job.cancelled


class FlinkPage(BaseHTTPRequestHandler):
    """What Flink's REST API tells of a job that failed where a worker pool was gone."""

    told: ClassVar[dict[str, object]] = {
        "/jobs/overview": {"jobs": [{"jid": "1", "name": "other", "end-time": -1}, {"jid": "7", "name": "pdfmill-index-1", "end-time": 5}]},
        "/jobs/7/exceptions": {
            "exceptionHistory": {
                "entries": [
                    {
                        "exceptionName": "java.lang.Exception",
                        "stacktrace": "java.lang.Exception: failed\n\tat x\nCaused by: io.grpc: worker-pool:50000 refused\n\tat y",
                        "taskName": "[3]WalkDocuments",
                        "endpoint": "node-12:41234",
                    },
                    {"exceptionName": "an earlier one"},
                ]
            }
        },
    }

    def do_GET(self) -> None:
        body = json.dumps(self.told[self.path]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_job_that_failed_on_flink_says_on_which_machine():
    server = ThreadingHTTPServer(("127.0.0.1", 0), FlinkPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    master = f"127.0.0.1:{server.server_port}"
    assert where_it_failed(master, "pdfmill-index-1") == (
        "the last failure was at node-12:41234, in [3]WalkDocuments: io.grpc: worker-pool:50000 refused"
    )
    assert where_it_failed(master, "pdfmill-index-2") == ""
    options = PipelineOptions(["--runner=FlinkRunner", f"--flink_master={master}", "--job_name=pdfmill-index-1"])
    pipeline = beam.Pipeline(runner="FnApiRunner", options=options)
    pipeline.run = lambda: Job(RuntimeError("Pipeline failed in state FAILED"))  # type: ignore[method-assign]
    with pytest.raises(
        JobFailedError, match="no table was replaced: Pipeline failed in state FAILED; the last failure was at node-12:41234"
    ):
        run_to_end(pipeline)
    server.shutdown()
    server.server_close()
    with pytest.raises(JobFailedError, match="Pipeline failed in state FAILED; Flink cannot be asked where it failed"):
        run_to_end(pipeline)


def test_parts_follow_from_the_pages_and_rows_of_a_document_lie_together(letters, tmp_path, monkeypatch):
    """Letters and a book, whose rows come from every step that makes some."""
    (letters / "book.pdf").write_bytes(letter(20))
    book = ("--pages_per_range", "16")
    assert run(["index", str(letters), "--output", str(tmp_path / "here"), *book]) == 0
    for shard_bytes, shards in ((1 << 30, {1}), (200, set(range(2, 200)))):
        monkeypatch.setattr("pdfmill.transforms.tables.shards.SHARD_BYTES", shard_bytes)
        output = tmp_path / str(shard_bytes)
        assert run(["index", str(letters), "--output", str(output), *book, *DIRECT]) == 0
        assert_same_tables(read_tables((tmp_path / "here").as_uri()), read_tables(output.as_uri()))
        names = {table: sorted(path.name for path in (output / table).glob("*.parquet")) for table in TABLES}
        kinds = ({name for name in names["pages"] if ("books" in name) == books} for books in (False, True))
        of_kind = [{int(name.rpartition("-of-")[2].removesuffix(".parquet")) for name in each} for each in kinds]
        assert all(len(of) == 1 and of <= shards for of in of_kind), "books have parts of their own, and a number of them"
        assert names["assets"] == [name for name in names["pages"] if "books" not in name], "where books have no rows there is no part"
        for table in ("documents", "pages", "blocks", "sections"):
            of = {name: set(pq.read_table(output / table / name)["doc_id"].to_pylist()) for name in names[table]}
            assert of == {name: set(pq.read_table(output / "documents" / name)["doc_id"].to_pylist()) for name in names[table]}
