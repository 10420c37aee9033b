"""The main job on a real Flink cluster, S3 in and out; its tables equal the local run's, whatever happens to a TaskManager or the store.

Jobs share one cluster and run two at a time where that proves the same: most of a small job's time are the starts of its workers.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pdfmill.pipeline.crawl.report import history
from pdfmill.schemas.records import DocumentRef
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.steps.find_documents import in_wave
from pdfmill.transforms.storage.objects import list_files, read_file
from pdfmill.transforms.tables.output_layout import shard_of
from pdfmill.transforms.tables.shards import USUAL
from tests.crawl.help import Crawl, configure, snapshot_tables
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.pipeline.test_index import encrypted, letter, with_attachment
from tests.servers import S3Server, free_port
from tests.steps.test_metrics import COUNTED
from tests.torture.faults import Faults

OPERATORS = Path(__file__).resolve().parents[2] / "docs" / "operators.md"

pytestmark = [pytest.mark.flink, pytest.mark.slow, pytest.mark.timeout(3600)]

BOOK_PAGES = 200
#: Far beyond what a busy machine takes; a job that hangs is found all the same.
JOB_S = 900.0
SHARDS = ("--shards", "4")
#: As without the flag: the number follows from the pages.
PAGES_DECIDE = ("--shards", "0")
#: Written between Flink's vertices, at most, whatever the documents.
BYTES_A_PAGE = 40_000
#: The store's clients give a request up after 7 s.
OUTAGE_S = 12.0


@pytest.fixture(scope="module")
def documents() -> dict[str, bytes]:
    """Letters, a book that is shared by all workers, and what cannot be read."""
    letters = {f"in/letter-{number:02d}.pdf": letter(1 + number % 3, note=f"of {number}") for number in range(18)}
    bad = {"in/secret.pdf": encrypted("open sesame"), "in/empty.pdf": b"", "in/notes.pdf": b"no PDF at all\n" * 20}
    return {**letters, **bad, "in/cover.pdf": with_attachment(letter(3, note="inner")), "in/book.pdf": letter(BOOK_PAGES)}


@pytest.fixture(scope="module")
def bucket(moto_process: S3Server, documents: dict[str, bytes]) -> str:
    """Address of a bucket with the documents under `in/`, and the local run's tables: of all in `local/`, of the letters in `good/`."""
    address = f"s3://{moto_process.make_bucket(documents)}"
    for output, sources, code in (("local", "in/", 1), ("good", "in/letter-*.pdf", 0)):
        done = index(moto_process, address, output, sources=sources)
        assert done.returncode == code, done.stderr
    return address


@pytest.fixture(scope="module")
def corpus_bucket(moto_process: S3Server, corpus: Path) -> str:
    """Address of a bucket with documents for what a PDF can hold, and the local run's tables of them under `local/`: every fourth of the
    corpus, for time; with `PDFMILL_WHOLE_CORPUS` set, all."""
    every = 1 if os.environ.get("PDFMILL_WHOLE_CORPUS") else 4
    files = {f"in/{path.name}": path.read_bytes() for path in sorted((corpus / "features" / "pdf").iterdir())[::every]}
    address = f"s3://{moto_process.make_bucket(files)}"
    done = index(moto_process, address, "local", "--workers", "2")
    assert done.returncode == 1, done.stderr
    return address


def index(server: S3Server, bucket: str, output: str, *flags: str, sources: str = "in/") -> subprocess.CompletedProcess[str]:
    """`pdfmill index` as a user types it."""
    with started(server, bucket, output, *flags, sources=sources) as process:
        out, err = process.communicate(timeout=JOB_S)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def started(server: S3Server, bucket: str, output: str, *flags: str, sources: str = "in/") -> subprocess.Popen[str]:
    """The same under way."""
    command = [sys.executable, "-m", "pdfmill", "index", f"{bucket}/{sources}", "--output", f"{bucket}/{output}", *SHARDS, *flags]
    environment = {**os.environ, **server.environment}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def tables_of(bucket: str, output: str) -> dict[str, pa.Table]:
    tables = read_tables(f"{bucket}/{output}")
    return {**tables, "assets": tables["assets"].drop(["uri"])}  # which names the output folder


def assert_equal_tables(bucket: str, one: str, other: str) -> None:
    left, right = tables_of(bucket, one), tables_of(bucket, other)
    assert {name: table.num_rows for name, table in left.items()} == {name: table.num_rows for name, table in right.items()}
    for name, table in left.items():
        assert table.equals(right[name]), [name, *differences(table, right[name])]


def differences(one: pa.Table, other: pa.Table) -> list[tuple[str, int, str, str]]:
    """Column, row, and both values of the first place in each column where two tables differ."""
    found = []
    for column in one.column_names:
        left, right = one[column].to_pylist(), other[column].to_pylist()
        places = (number for number, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1])
        found += [(column, number, repr(left[number])[:200], repr(right[number])[:200]) for number in [*places][:1]]
    return found


def await_value(get: Callable[[], Any], seconds: float = JOB_S) -> Any:
    """The first true value of `get`; Flink's REST page may not be there yet, or lack a field."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(OSError, KeyError):
            if value := get():
                return value
        time.sleep(0.1)
    raise AssertionError("waited in vain")


def running_jobs(flink: Any) -> dict[str, str]:
    """Ids of the jobs that run, by the name that their page shows."""
    return {job["name"]: job["jid"] for job in flink.rest("jobs/overview")["jobs"] if job["state"] == "RUNNING"}


def lose_task_manager(flink: Any, number: int) -> None:
    """Kill a TaskManager, and start another one in its place."""
    flink.kill_task_manager(number)
    flink.start_task_manager(number)


def both_jobs(flink: Any) -> dict[str, str] | None:
    """The jobs that run, if there are two."""
    return found if len(found := running_jobs(flink)) == 2 else None


def failures(flink: Any, job: str) -> list[Any]:
    """What Flink noted of a job's failures."""
    noted: list[Any] = flink.rest(f"jobs/{job}/exceptions")["exceptionHistory"]["entries"]
    return noted


def state_of(server: S3Server, bucket: str, output: str) -> dict[str, str]:
    """Keys and etags of an output."""
    listed = server.client().list_objects_v2(Bucket=bucket.removeprefix("s3://"), Prefix=f"{output}/")
    return {item["Key"]: item["ETag"] for item in listed.get("Contents", [])}


def test_jobs_that_are_cancelled_or_interrupted_leave_good_tables(flink, s3_server, bucket):
    """Two jobs at once over good tables: one is cancelled on Flink's page, of the other the command is interrupted. All that a third one
    is to read fails."""
    before = {output: state_of(s3_server, bucket, output) for output in ("local", "good")}
    flags = flink.flags("PROCESS", parallelism=1)
    running = [started(s3_server, bucket, output, *flags) for output in ("local", "good")]
    cancelled, interrupted = running
    try:
        jobs = await_value(lambda: both_jobs(flink))
        assert all(name.startswith("pdfmill-index-20") for name in jobs), jobs
        interrupted.send_signal(signal.SIGINT)
        _, told = interrupted.communicate(timeout=JOB_S)
        assert interrupted.returncode == 130, told
        (left,) = await_value(lambda: None if both_jobs(flink) else [*running_jobs(flink).values()])
        flink.cancel(left)
        running.append(started(s3_server, bucket, "good", *flags, sources="in/secret.pdf"))
        _, told = cancelled.communicate(timeout=JOB_S)
        assert cancelled.returncode == 3, told
        assert "and no table was replaced" in told
        assert "CANCELLED" in told.upper()
        _, told = running[-1].communicate(timeout=JOB_S)
        assert running[-1].returncode == 2, told
        assert "nothing could be read; the old tables are unchanged" in told
    finally:
        for process in running:
            process.kill()
    for output, objects in before.items():
        left_there = state_of(s3_server, bucket, output)
        assert objects.items() <= left_there.items()
        assert {key for key in left_there.keys() - objects.keys() if not key.startswith(f"{output}/_pdfmill/")} == set()


def test_two_jobs_at_once_come_through_a_killed_task_manager_and_an_outage_of_the_store(flink, s3_server, bucket, documents, faults):
    """One has the workers that TaskManagers start, and every kind of document; the other those of the pools, and letters, whose pages
    decide about its parts. The store answers 503 while documents are read; then a TaskManager is killed while a book is."""
    both = {
        "again": started(s3_server, bucket, "again", "-v", *flink.flags("PROCESS", parallelism=1)),
        "pools": started(s3_server, bucket, "pools", *PAGES_DECIDE, *flink.flags("EXTERNAL", parallelism=1), sources="in/letter-*.pdf"),
    }
    try:
        jobs = await_value(lambda: both_jobs(flink))
        asked = faults.seen["documents"]
        await_value(lambda: faults.seen["documents"] > asked)
        faults.throttle = 1.0
        time.sleep(OUTAGE_S)
        faults.throttle = 0.0
        assert faults.seen["throttled"] > 3
        reading = await_value(lambda: [at for job in jobs.values() if (at := flink.task_manager_at(job, "ReadRanges"))])
        flink.kill_task_manager(reading[0])
        flink.start_task_manager(reading[0])
        told = {output: process.communicate(timeout=JOB_S)[1] for output, process in both.items()}
    finally:
        faults.throttle = 0.0
        for process in both.values():
            process.kill()
    assert both["again"].returncode == 1, told["again"]
    assert both["pools"].returncode == 0, told["pools"]
    assert any(failures(flink, job) for job in jobs.values()), "no job ever noticed"
    check_invariants(read_tables(f"{bucket}/again"), inputs=len(documents))
    assert_equal_tables(bucket, "local", "again")
    assert_equal_tables(bucket, "good", "pools")
    written = [uri for table in TABLES for uri in list_files(f"{bucket}/again/{table}", "")]
    shards = {shard_of(DocumentRef.of_uri(f"{bucket}/{key}").doc_id, 4) for key in documents if key != "in/book.pdf"}
    assert len(written) == len(shards) * len(TABLES) + 4, "each part once, and the book's, which has no assets; nothing beside them"
    counted = [uri for table in TABLES for uri in list_files(f"{bucket}/pools/{table}", "")]
    assert len(counted) == len(TABLES), "few pages are one part"
    of = [int(number) for number in re.findall(r"\d/(\d+) documents", told["again"])]
    assert max(of, default=0) >= len(documents), "the command tells how far the job is; what a failure has repeated counts twice"
    for path in re.findall(r"`curl HOST:8081/([\w/]+)`", OPERATORS.read_text(encoding="utf-8")):
        assert flink.rest(path.replace("JOB", next(iter(jobs.values())))), path
    of_all = max((metrics_on_the_page(flink, job) for job in jobs.values()), key=len)
    assert of_all == {step: {"in", "out", "failed", "msec"} for step in COUNTED}
    assert any("Starting worker" in flink.log(f"pool-{number}").read_text() for number in (1, 2)), "no pool had work"


def metrics_on_the_page(flink: Any, job: str) -> dict[str, set[str]]:
    """Names of our metrics by step, as Flink's page lists them under a job's accumulators."""
    (container,) = flink.rest(f"jobs/{job}/accumulators")["user-task-accumulators"]
    labels = [each["labels"] for each in json.loads(container["value"])["metrics"]["attempted"]]
    names: dict[str, set[str]] = {}
    for each in labels:
        if "NAMESPACE" in each:
            names.setdefault(each["NAMESPACE"], set()).add(each["NAME"])
    return names


def test_a_job_that_loses_the_job_manager_leaves_good_tables(flink, s3_server, bucket):
    """It is started again, as whoever looks after it does, and takes the next job, which is the next test's."""
    before = state_of(s3_server, bucket, "local")
    lost = started(s3_server, bucket, "local", *flink.flags("PROCESS", parallelism=1))
    try:
        await_value(lambda: running_jobs(flink))
        flink.kill_job_manager()
        flink.start_job_manager()
        _, told = lost.communicate(timeout=JOB_S)
        assert lost.returncode == 3, told
        assert "the job failed, and no table was replaced" in told.splitlines()[-1]
        assert "Could not find Flink job" in told.splitlines()[-1]
    finally:
        lost.kill()
    assert state_of(s3_server, bucket, "local") == before
    await_value(lambda: flink.rest("overview")["slots-available"] == 2)


def name_of(uri: str) -> str:
    return uri.rpartition("/")[2]


def let_read(faults: Faults, documents: set[str], number: int) -> None:
    """Answer so many of these documents beside those that are answered, and return when another one of them is waited for."""

    def asked_for() -> str | None:
        return min(documents & {*faults.waiting} - faults.answers, default=None)

    for _ in range(number):
        faults.answers.add(await_value(asked_for))
    await_value(asked_for)


def readers_are_gone(flink: Any, faults: Faults) -> None:
    """End the workers of a job that is lost, which read on for a while."""
    faults.hold = False
    flink.kill_workers()
    await_value(lambda: not faults.waiting)


#: The command where a job makes few documents, so that there are four.
SMALL_WAVES = """
import sys
from pdfmill.pipeline.cli import main
from pdfmill.pipeline.engine import engine
engine.WAVE_BYTES = {}
sys.exit(main.main())
"""
WAVES, OF_A_WAVE = 4, 5


@pytest.fixture(scope="module")
def empty_bucket(moto_process: S3Server) -> str:
    """Address of a bucket to which tests add their documents."""
    return f"s3://{moto_process.make_bucket()}"


@pytest.fixture(scope="module")
def even_letters(moto_process: S3Server, bucket: str) -> dict[str, bytes]:
    """Letters in the bucket, as many in each wave by their names, and the local run's tables of them in `even/`."""
    chosen: list[list[str]] = [[] for _ in range(WAVES)]
    names = (f"by-wave/letter-{number:03d}.pdf" for number in count())
    while (name := next(names)) and min(map(len, chosen)) < OF_A_WAVE:
        (wave,) = (wave for wave in range(WAVES) if in_wave(DocumentRef.of_uri(f"{bucket}/{name}"), wave, WAVES))
        chosen[wave] += [name] * (len(chosen[wave]) < OF_A_WAVE)
    letters = {name: letter(1 + number % 3, note=f"of {number}") for number, name in enumerate(sorted(chain(*chosen)))}
    for name, data in letters.items():
        moto_process.put(bucket.removeprefix("s3://"), name, data)
    done = index(moto_process, bucket, "even", sources="by-wave/")
    assert done.returncode == 0, done.stderr
    return letters


def in_waves(server: S3Server, bucket: str, letters: dict[str, bytes], flags: list[str]) -> subprocess.Popen[str]:
    """The letters to `waves/`, in as many jobs as there are waves."""
    wave_bytes = sum(map(len, letters.values())) * USUAL / (WAVES - 0.5)
    words = ["index", f"{bucket}/by-wave/", "--output", f"{bucket}/waves", *flags]
    program = [sys.executable, "-c", SMALL_WAVES.format(wave_bytes), *words]
    return subprocess.Popen(program, env={**os.environ, **server.environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_what_ends_a_job_costs_the_wave_that_it_was_in(flink, s3_server, bucket, even_letters, faults):
    """Cancelled when 30, 60 and 90 % of the documents were read; a TaskManager killed in the third wave, the JobManager in the fourth, and
    then a worker. Each time the same command again reads no whole wave again, and the tables are those of an undisturbed run."""

    def await_wave(wave: int) -> str:
        """Id of the job of a wave, from 0, once it runs."""
        end = f"-{wave + 1}-of-{WAVES}"
        return str(await_value(lambda: next((job for name, job in running_jobs(flink).items() if name.endswith(end)), None)))

    def await_read(documents: int) -> None:
        before = faults.seen["documents"]
        await_value(lambda: faults.seen["documents"] >= before + documents)

    def ended(disturb: Callable[[], object], whole: int, code: int, says: str, again: int = 0) -> None:
        """A command that is disturbed, after so many waves that are whole, reads the others, and what it repeats itself: `again`."""
        asked = faults.seen["documents"]
        command = in_waves(s3_server, bucket, even_letters, flink.flags("PROCESS", parallelism=1))
        try:
            disturb()
            _, told = command.communicate(timeout=JOB_S)
        finally:
            command.kill()
        assert command.returncode == code, told
        assert says in told
        assert faults.seen["documents"] - asked <= (WAVES - whole) * OF_A_WAVE + again

    def cancel_at(share: float) -> None:
        wave, read = divmod(round(share * len(even_letters)), OF_A_WAVE)
        job = await_wave(wave)
        await_read(read)
        flink.cancel(job)

    def lose_task_manager_and_cancel() -> None:
        job = await_wave(2)
        await_read(1)
        number = flink.task_manager_at(job, "")
        flink.kill_task_manager(number)
        flink.start_task_manager(number)
        cancel_at(0.9)
        assert failures(flink, job)

    def lose_job_manager() -> None:
        await_wave(3)
        await_read(1)
        flink.kill_job_manager()
        flink.start_job_manager()

    def lose_worker() -> None:
        job = await_wave(3)
        await_read(1)
        flink.kill_workers()
        await_value(lambda: failures(flink, job))

    ended(lambda: cancel_at(0.3), 0, 3, "continues after 1 of 4 jobs")
    ended(lambda: cancel_at(0.6), 1, 3, "continues after 2 of 4 jobs")
    ended(lose_task_manager_and_cancel, 2, 3, "continues after 3 of 4 jobs", OF_A_WAVE)
    ended(lose_job_manager, 3, 3, "continues after 3 of 4 jobs")
    await_value(lambda: flink.rest("overview")["slots-available"] == 2)
    ended(lose_worker, 3, 0, "continuing an earlier job, of which 3 of 4 waves are complete", OF_A_WAVE)
    assert_equal_tables(bucket, "even", "waves")


def crawled(folder: Path, bucket: str, output: str, beam_flags: list[str], settings: str = "") -> Crawl:
    """A crawl of the bucket's `nightly/`."""
    (folder / output).mkdir()
    crawl = configure(folder / output, f"{bucket}/nightly/", f"{bucket}/{output}", crawl=settings, options="shards = 2")
    pairs = (flag.removeprefix("--").split("=", 1) for flag in beam_flags)
    crawl.path.write_text(crawl.path.read_text() + "[beam]\n" * bool(beam_flags) + "".join(f"{key} = {value!r}\n" for key, value in pairs))
    return crawl


#: Documents of a crawl, and about how many of them its snapshots take each.
TO_CRAWL, OF_A_SNAPSHOT = 24, 8
#: Of the job of a snapshot; at a parallelism of 2 they are 80 tasks.
VERTICES = 40


@dataclass
class Nights:
    """Nights of a crawl on Flink. The store answers only so many documents until a job is disturbed: so the job is reading then, however
    slow or fast the machine is."""

    crawl: Crawl
    flink: Any
    faults: Faults
    server: S3Server
    plan: set[str] = field(default_factory=set)  # names of the documents that the last job was to read
    _plans: set[str] = field(default_factory=set)  # addresses of the files with such names

    def shown(self) -> set[str]:
        """Names of the documents in the last snapshot."""
        if not list_files(f"{self.crawl.output}/_delta_log", ".json"):
            return set()
        return {name_of(uri) for uri in snapshot_tables(self.crawl.output)["documents"]["source_uri"].to_pylist()}

    def night(self, disturb: Callable[[str], object], documents: int, code: int) -> None:
        """Run a night, in which `disturb` is called with the id of a job when so many documents in all are read or shown. The night reads
        nothing that was shown before, and only what the last job read may be missing in its snapshots."""
        shown = self.shown()
        self.faults.asked.clear()
        self.faults.hold, self.faults.answers = True, set()
        environment = {**os.environ, **self.server.environment}
        command = subprocess.Popen(self.crawl.command(), env=environment, stderr=subprocess.PIPE, text=True)
        try:
            disturb(self._reading(documents))
            _, told = command.communicate(timeout=JOB_S)
        finally:
            command.kill()
            readers_are_gone(self.flink, self.faults)
        assert command.returncode == code, told
        assert history(self.crawl.output)[-1]["exit_code"] == code
        read = {*self.faults.asked}
        assert not read & shown
        assert read - self.plan <= self.shown()

    def _reading(self, documents: int) -> str:
        """Id of the job that waits for a document when so many are read or shown. Jobs before it are left alone."""
        while True:
            run, self.plan = await_value(self._next_plan)
            left = max(0, documents - len(self.shown()))
            if left < len(self.plan):
                break
            self.faults.answers |= self.plan
        let_read(self.faults, self.plan, left)
        return str(await_value(lambda: running_jobs(self.flink).get(f"pdfmill-crawl-{run.lower()}")))

    def _next_plan(self) -> tuple[str, set[str]] | None:
        """Id of a run that is under way, and names of the documents that its job reads."""
        found = None
        for uri in set(list_files(f"{self.crawl.output}/_pdfmill/runs", ".json.gz")) - self._plans:
            self._plans.add(uri)
            found = uri.split("/")[-3], {name_of(entry["uri"]) for entry in json.loads(gzip.decompress(read_file(uri)))}
        return found


def test_what_ends_a_night_of_a_crawl_costs_the_snapshot_that_it_was_at(flink, s3_server, empty_bucket, faults, tmp_path):
    """A night is cancelled when 30 % of the documents are read, one at 60 %, one loses the JobManager at 90 %, and one all workers and
    then a TaskManager. The tables, and the next night's, are those of an undisturbed crawl."""
    for number in range(TO_CRAWL):
        s3_server.put(empty_bucket.removeprefix("s3://"), f"nightly/{number:02d}.pdf", letter(1 + number % 3, note=f"by night {number}"))
    here = crawled(tmp_path, empty_bucket, "here", [])
    there = crawled(tmp_path, empty_bucket, "there", flink.flags("PROCESS", parallelism=1), f"snapshot_documents = {OF_A_SNAPSHOT}")
    nights = Nights(there, flink, faults, s3_server)

    def cancel(job: str) -> None:
        flink.cancel(job)
        await_value(lambda: job not in running_jobs(flink).values())
        faults.hold = False

    def lose_job_manager(_: str) -> None:
        flink.kill_job_manager()
        flink.start_job_manager()

    def begins_again(job: str, lose: Callable[[], object]) -> None:
        """Return when the job has noticed the loss and asks for documents again."""
        noted, asked = len(failures(flink, job)), len(faults.asked)
        lose()
        await_value(lambda: len(failures(flink, job)) > noted and nights.plan & {*faults.asked[asked:]})

    def lose_workers_and_task_manager(job: str) -> None:
        begins_again(job, flink.kill_workers)
        begins_again(job, lambda: lose_task_manager(flink, flink.task_manager_at(job, "WalkDocuments")))
        assert len(flink.rest(f"jobs/{job}")["vertices"]) <= VERTICES
        faults.hold = False

    nights.night(cancel, round(0.3 * TO_CRAWL), 3)
    nights.night(cancel, round(0.6 * TO_CRAWL), 3)
    nights.night(lose_job_manager, round(0.9 * TO_CRAWL), 3)
    await_value(lambda: flink.rest("overview")["slots-available"] == 2)
    nights.night(lose_workers_and_task_manager, TO_CRAWL - 1, 0)
    assert len(nights.shown()) == TO_CRAWL
    assert here.report()["plan"] == {"new": TO_CRAWL}
    assert_same_tables(snapshot_tables(here.output), snapshot_tables(there.output))
    s3_server.put(empty_bucket.removeprefix("s3://"), "nightly/00.pdf", letter(2, note="another one"))
    there.path.write_text(there.path.read_text().partition("[beam]")[0])
    for crawl in (here, there):
        assert crawl.report()["plan"] == {"changed": 1, "unchanged": TO_CRAWL - 1}
    assert_same_tables(snapshot_tables(here.output), snapshot_tables(there.output))


@pytest.mark.corpus
def test_the_corpus_gives_equal_tables_here_on_beam_and_on_flink(flink, s3_server, corpus_bucket):
    for output, flags in (("direct", ["--runner", "DirectRunner"]), ("flink", flink.flags("EXTERNAL"))):
        done = index(s3_server, corpus_bucket, output, *flags)
        assert done.returncode == 1, done.stderr
        assert_equal_tables(corpus_bucket, "local", output)
    last = max(flink.rest("jobs/overview")["jobs"], key=lambda job: job["start-time"])
    written = [int(vertex["metrics"]["write-bytes"]) for vertex in flink.rest(f"jobs/{last['jid']}")["vertices"]]
    pages = tables_of(corpus_bucket, "flink")["pages"].num_rows
    assert 0 < sum(written) / pages < BYTES_A_PAGE, written


def test_a_job_that_no_server_takes_is_told_apart(s3_server, bucket):
    flags = ["--runner=FlinkRunner", "--environment_type=LOOPBACK", f"--job_endpoint=127.0.0.1:{free_port()}", "--job_server_timeout=2"]
    done = index(s3_server, bucket, "lost", *flags)
    assert done.returncode == 2
    assert "the job failed: the job server at --job_endpoint does not answer" in done.stderr
