"""One run at a time: exactly one of several, and a dead one in nobody's way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from pdfmill.transforms.storage.objects import delete_file, join_uri, list_files, look_up, write_bytes
from pdfmill.transforms.tables.lock import Holder, LockedError, LockSettings, OutputLock, holder_of, locked
from tests.servers import S3Server

QUICK = LockSettings(beat_s=0.1, expiry_s=3.0)


@pytest.fixture(params=["disk", "s3", "strict s3"])
def output(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "disk":
        return (tmp_path / "out").as_uri()
    server: S3Server = request.getfixturevalue("s3_server" if request.param == "s3" else "strict_s3_server")
    return f"s3://{server.make_bucket()}/out"


def put_lock(output: str, holder: Holder, number: int = 1) -> None:
    write_bytes(join_uri(output, f"_pdfmill/lock-{number:05d}.json"), json.dumps(asdict(holder)).encode())


def test_a_second_run_is_refused_until_the_first_ends(output):
    with locked(output):
        holder = holder_of(output)
        assert holder is not None
        assert holder.pid == os.getpid()
        with pytest.raises(LockedError, match=rf"another run writes into .*process {os.getpid()} on .*since 20"):
            OutputLock(output)
    assert holder_of(output) is None
    assert list_files(output, "") == []
    with locked(output) as lock:
        lock.check()


def test_of_many_that_start_at_once_one_wins(output):
    start, won, refused = threading.Barrier(8), [], []

    def take() -> None:
        start.wait()
        try:
            won.append(OutputLock(output))
        except LockedError as error:
            refused.append(error)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(refused)) == (1, 7)
    won[0].check()
    won[0].release()


def test_of_many_that_find_a_dead_lock_one_wins(output):
    put_lock(output, replace(Holder.me(), pid=2**22 - 1, began="1"))
    start, won = threading.Barrier(6), []

    def take() -> None:
        start.wait()
        try:
            won.append(OutputLock(output))
        except LockedError:
            return

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    won[0].release()
    assert list_files(output, "") == []


HOLD = "import sys, time; from pdfmill.transforms.tables.lock import OutputLock; "
HOLD += "OutputLock(sys.argv[1]); print('held', flush=True); time.sleep(60)"


def test_the_lock_of_a_killed_process_is_nobodys(tmp_path):
    output = (tmp_path / "out").as_uri()
    process = subprocess.Popen([sys.executable, "-c", HOLD, output], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(LockedError, match=f"process {process.pid}"):
            OutputLock(output)
        process.kill()
        process.wait()
        with locked(output) as lock:
            lock.check()


def test_a_process_of_the_same_number_that_started_later_is_another(tmp_path):
    output = (tmp_path / "out").as_uri()
    put_lock(output, replace(Holder.me(), began="1"))
    with locked(output):
        pass


def test_a_lock_of_another_machine_lasts_as_long_as_its_heart_beats(output):
    elsewhere = replace(Holder.me(), machine="another", host="far")
    put_lock(output, elsewhere)
    with pytest.raises(LockedError, match=r"on far"):
        OutputLock(output, QUICK)
    time.sleep(QUICK.expiry_s + 1.1)  # stores tell whole seconds
    with locked(output, QUICK):
        pass


def test_the_heart_beats(output):
    with locked(output, QUICK):
        (uri,) = list_files(output, ".json")
        before = look_up(uri).modified
        time.sleep(QUICK.expiry_s + 1.1)
        modified = look_up(uri).modified
        assert before is not None
        assert modified is not None
        assert modified > before
        assert time.time() - modified.timestamp() < QUICK.expiry_s


@pytest.mark.parametrize("how", ["a higher number", "gone"])
def test_a_run_whose_lock_was_taken_over_notices(output, how):
    lock = OutputLock(output)
    try:
        if how == "gone":
            delete_file(list_files(output, ".json")[0])
        else:
            put_lock(output, Holder.me(), 2)
        with pytest.raises(LockedError, match="taken over"):
            lock.check()
    finally:
        lock.release()
