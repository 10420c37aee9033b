"""Processes killed at random while the main job runs: the tables are those of an undisturbed run, and nothing stays behind."""

from __future__ import annotations

import contextlib
import random
import signal
import sys
import time
from pathlib import Path

import psutil
import pyarrow as pa
import pytest

from benchmarks.speed.made_documents import book, letters
from tests.invariants import assert_known_tables, assert_same_tables, check_invariants, read_tables
from tests.torture.kills import KINDS as KILLED
from tests.torture.kills import Kind, Place, kill_all, make_place
from tests.torture.left_behind import Marked

KILLS = 20
#: What processes are, by their names.
KINDS = {"pdfmill-parser": "parser", "pdfmill-forks": "forkserver"}
DOCUMENTS = 48


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kills") / "in"
    folder.mkdir()
    letters(folder, DOCUMENTS - 2)
    book(folder / "book-a.pdf", 60)
    book(folder / "book-b.pdf", 90)
    return folder


class Run(Marked):
    """The main job."""

    def __init__(self, source: Path, output: Path, *flags: str) -> None:
        self.output = output
        command = [sys.executable, "-m", "pdfmill", "index", source, "--output", output, "--batch_documents", "12", *flags]
        super().__init__(command, output.with_suffix(".log"), output.with_name(f"{output.name}-tmp"))

    def victims(self) -> list[tuple[str, psutil.Process]]:
        """Parsers, and the server that forks them."""
        found = []
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                if (kind := KINDS.get(process.name())) is not None:
                    found.append((kind, process))
        return found

    def wait(self) -> int:
        try:
            return self.process.wait(400)
        finally:
            self.end()


def left_behind(run: Run) -> list[str]:
    """Processes, and files where there should be none, some time after the end."""
    alive = run.stayed()
    files = [path for path in run.scratch.rglob("*") if path.is_file()]
    files += [
        path
        for path in run.output.rglob("*")
        if path.is_file() and path.suffix != ".parquet" and path.name not in ("run.json", "manifest.json")
    ]
    return [str(each) for each in [*alive, *files]]


@pytest.fixture(scope="module")
def undisturbed(source, tmp_path_factory):
    run = Run(source, tmp_path_factory.mktemp("undisturbed") / "out", "--workers", "2")
    assert run.process.wait(300) == 0, run.told()
    assert left_behind(run) == []
    tables = read_tables(run.output.as_uri())
    check_invariants(tables, inputs=DOCUMENTS)
    return tables


def disturbed(source: Path, output: Path, kinds: dict[str, float], kills: int, draw: random.Random) -> tuple[Run, list[str], int]:
    """A run in which so many processes are killed, if it lasts; kinds: what is killed, with how often of each it may be."""
    run = Run(source, output, "--workers", "2", "--batch_documents", "6")
    done: list[str] = []
    while run.process.poll() is None and len(done) < kills:
        time.sleep(draw.uniform(0.2, 1.0))
        found = [(kind, process) for kind, process in run.victims() if kind in kinds]
        if not found:
            continue
        kind, process = draw.choices(found, [kinds[kind] for kind, _ in found])[0]
        with contextlib.suppress(psutil.Error):
            process.send_signal(signal.SIGKILL)
            done.append(kind)
    return run, done, run.process.wait(400)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [{"parser": 1}, {"parser": 3, "forkserver": 1}], ids=["parsers", "parsers and their server"])
def test_twenty_kills_change_nothing(source, undisturbed, tmp_path, kinds):
    """In as many runs as the kills take."""
    draw, left = random.Random(20), KILLS
    for number in range(KILLS):
        run, done, code = disturbed(source, tmp_path / f"out{number}", kinds, left, draw)
        assert code == 0, run.told()
        assert left_behind(run) == []
        assert_same_tables(undisturbed, read_tables(run.output.as_uri()))
        left -= len(done)
        if left <= 0:
            return
    pytest.fail(f"only {KILLS - left} kills in {KILLS} runs")


def whole_tables(output: Path, *known: dict[str, pa.Table]) -> None:
    """Assert that readers see one of the known runs."""
    assert_known_tables(read_tables(output.as_uri()), known, is_changing=(output / "_pdfmill" / "publish.json").exists())


def killed_at_random(run: Run, draw: random.Random) -> bool:
    """Kill the command: after some time, or when it puts its tables in place; whether it was still there."""
    in_place = draw.random() < 0.5
    deadline = time.monotonic() + draw.uniform(0.5, 8.0)
    signs = [run.output / "_pdfmill" / name for name in ("publish.json", "incoming")]
    while run.process.poll() is None and (in_place or time.monotonic() < deadline):
        if in_place and any(sign.exists() for sign in signs):
            time.sleep(draw.uniform(0.0, 0.03))
            break
        time.sleep(0.001)
    alive = run.process.poll() is None
    run.process.kill()
    run.process.wait()
    return alive


@pytest.mark.slow
def test_twenty_kills_of_the_command_leave_old_or_new_tables(tmp_path):
    """Two sources take turns, so that every run has something to replace; a run that was killed is run again until it ends."""
    draw, kills = random.Random(20), 0
    sources, known = [tmp_path / "few", tmp_path / "many"], []
    for folder, count in zip(sources, (3, 9), strict=True):
        folder.mkdir()
        letters(folder, count)
        fresh = Run(folder, tmp_path / folder.name[0], "--batch_documents", "3")
        assert fresh.wait() == 0, fresh.told()
        known.append(read_tables(fresh.output.as_uri()))
    output = tmp_path / "out"
    assert Run(sources[0], output).wait() == 0
    turn = 1
    for _ in range(4 * KILLS):
        run = Run(sources[turn], output, "--batch_documents", "3")
        if killed_at_random(run, draw):
            kills += 1
        elif run.process.returncode == 0:
            turn = 1 - turn
        assert [each for each in left_behind(run) if "Process" in each] == []
        whole_tables(output, *known)
        if kills >= KILLS:
            break
    assert kills >= KILLS
    (output / "_pdfmill" / ".writing-killed").write_bytes(b"half a lock")
    last = Run(sources[turn], output, "--batch_documents", "3")
    assert last.wait() == 0, last.told()
    # What rows wait in lies in the temporary folders of killed processes, which could not take it away.
    assert [each for each in left_behind(last) if "pdfmill-run" not in each] == []
    assert_same_tables(known[turn], read_tables(output.as_uri()))
    assert {path.name for path in (output / "_pdfmill").iterdir()} == {"manifest.json"}


@pytest.mark.slow
def test_a_job_killed_in_the_middle_of_its_first_run_goes_on(source, undisturbed, tmp_path):
    run = Run(source, tmp_path / "out", "--workers", "2")
    while run.process.poll() is None and not list(run.output.rglob("batches/*.json")):
        time.sleep(0.1)
    run.process.kill()
    run.process.wait()
    assert [each for each in left_behind(run) if "Process" in each] == []
    assert read_tables(run.output.as_uri())["pages"].num_rows == 0
    again = Run(source, run.output, "--workers", "2")
    assert again.wait() == 0, again.told()
    assert "continuing an interrupted run, which has read" in again.told()
    assert [each for each in left_behind(again) if "pdfmill-run" not in each] == []
    assert_same_tables(undisturbed, read_tables(run.output.as_uri()))


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Place:
    return make_place(tmp_path_factory.mktemp("place"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [kind for kind in KILLED if kind.name in ("crawl", "serve", "search --build", "export")], ids=lambda kind: kind.name
)
def test_other_commands_that_are_killed_leave_nothing_behind(place: Place, kind: Kind) -> None:
    """20 kills of each process of each command: `python -m tests.torture.kills`."""
    count = kill_all(kind, place, 1, random.Random(22))
    assert (count.kills, count.problems) == (1, False), count
