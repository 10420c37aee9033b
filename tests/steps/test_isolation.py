"""What a guarded process survives. The poisons are the real thing: abort, endless sleep, memory without end."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from pdfmill.transforms.road import isolation
from pdfmill.transforms.road.isolation import Guard, LostError, StoppedError, all_memory


@pytest.fixture(scope="module")
def guard():
    guard = Guard(max_memory=2 << 30)
    yield guard
    guard.stop()


def eat_memory() -> int:
    return len(bytearray(8 << 30))


def die_once(marker: str, number: int) -> str:
    """Die by this signal, unless the marker says that it was done before."""
    if not os.path.exists(marker):
        with open(marker, "w"):
            pass
        os.kill(os.getpid(), number)
    return "alive"


def die_by_kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def say_who_and_hang() -> None:
    """Print the process's number, then stay in native code that holds Python's lock."""
    print(os.getpid(), flush=True)
    re.match("(a+)+b", "a" * 60)


def is_imported(module: str) -> bool:
    return module in sys.modules


def in_a_process(code: str) -> subprocess.Popen[str]:
    """A process that has a guard and runs this code."""
    head = "import os, time, wave\nfrom tests.steps.test_isolation import *\nguard = Guard(max_memory=2 << 30)\n"
    return subprocess.Popen([sys.executable, "-c", head + code], stdout=subprocess.PIPE, text=True)


def raise_value_error() -> None:
    raise ValueError("a page without sense")


@pytest.mark.parametrize(
    ("poison", "arguments", "code"),
    [
        (os.abort, (), "crashed"),
        (os._exit, (3,), "crashed"),
        (time.sleep, (60,), "timed_out"),
        (eat_memory, (), "out_of_memory"),
        (raise_value_error, (), "internal"),
    ],
)
def test_each_poison_is_told_and_the_next_call_works(guard, poison, arguments, code):
    with pytest.raises(LostError) as lost:
        guard.call(poison, *arguments, seconds=2)
    assert lost.value.code == code
    assert guard.call(os.path.basename, "a/b", seconds=20) == "b"


def test_answers_come_back(guard):
    assert guard.call(sorted, [3, 1, 2], seconds=20) == [1, 2, 3]


def test_the_first_signal_ends_a_hang_in_native_code(guard):
    """A handler in Python would wait for the end of the hang, and the pool three seconds for the handler."""
    assert guard.call(signal.getsignal, signal.SIGTERM, seconds=30) == signal.SIG_DFL


def test_a_temporary_folder_with_a_long_name_has_no_sockets(tmp_path):
    """A socket's path has 107 bytes at most."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    code = "from pdfmill.transforms.road.isolation import Guard; guard = Guard(1 << 30); "
    code += "print(guard.call('os:getpid', seconds=60)); guard.stop()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(folder)}, capture_output=True, text=True, timeout=100
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0
    assert list(folder.iterdir()) == []


def test_a_guarded_process_has_the_environment_of_its_caller_as_it_is_now(guard, monkeypatch):
    """The server that forks it was started before: a notebook may name a store's keys between two calls."""
    guard.call(os.getpid, seconds=20)
    monkeypatch.setenv("PDFMILL_TEST_KEY", "new")
    later = Guard(max_memory=2 << 30)
    assert later.call(os.getenv, "PDFMILL_TEST_KEY", seconds=60) == "new"
    monkeypatch.delenv("PDFMILL_TEST_KEY")
    later.stop()
    later = Guard(max_memory=2 << 30)
    assert later.call(os.getenv, "PDFMILL_TEST_KEY", seconds=60) is None
    later.stop()


def test_the_process_lives_from_call_to_call(guard):
    assert guard.call(os.getpid, seconds=20) == guard.call(os.getpid, seconds=20) != os.getpid()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_process_that_dies_once_costs_nothing(guard, tmp_path, number):
    assert guard.call(die_once, str(tmp_path / "marker"), number, seconds=20) == "alive"


def test_a_call_that_is_killed_again_and_again_is_given_up(guard):
    with pytest.raises(LostError, match=r"signal 9.*4 times") as lost:
        guard.call(die_by_kill, seconds=20)
    assert lost.value.code == "crashed"


def test_a_process_killed_while_idle_is_replaced(guard):
    for wait in (0.0, 0.5):
        os.kill(guard.call(os.getpid, seconds=20), signal.SIGKILL)
        time.sleep(wait)
        assert guard.call(sorted, [2, 1], seconds=20) == [1, 2]


def test_a_parser_ends_with_the_process_it_serves_even_in_native_code():
    with in_a_process("guard.call(say_who_and_hang, seconds=600)") as process:
        assert process.stdout is not None
        parser = psutil.Process(int(process.stdout.readline()))
        process.kill()
    assert psutil.wait_procs([parser], timeout=30)[1] == []


def test_a_parser_has_the_road_and_none_of_what_is_imported_here(guard):
    assert guard.call(is_imported, "pdfmill.transforms.road.document_road", seconds=60)
    assert not guard.call(is_imported, "apache_beam", seconds=60)


def test_a_function_can_be_named_so_that_the_caller_need_not_import_it(guard):
    assert guard.call("posixpath:basename", "a/b", seconds=20) == "b"


def test_what_a_function_may_raise_comes_as_it_is(guard):
    with pytest.raises(ValueError, match="without sense"):
        guard.call(raise_value_error, seconds=20, raises=(ValueError,))


def test_closing_ends_a_call_of_another_thread(guard):
    closing = Guard(max_memory=2 << 30)
    threading.Timer(2.0, closing.close).start()
    with pytest.raises(StoppedError):
        closing.call(time.sleep, 600, seconds=600)
    with pytest.raises(StoppedError):
        closing.call(sorted, [1], seconds=20)


def test_a_process_is_ended_once_whoever_ends_it(monkeypatch):
    """Two that ended it at once, a call whose process died and a run that closed, met each other in the pool."""
    ended, end, guard = [], isolation._end, Guard(max_memory=1 << 30)
    monkeypatch.setattr(isolation, "_end", lambda pool: (ended.append(pool), end(pool)))
    assert guard.call(os.getpid, seconds=60) > 0
    guard.close()
    guard.stop()
    assert len(ended) == 1


def test_a_limit_of_the_system_below_ours_is_kept():
    """A hard limit below the parser's own size plus --max_memory made every call fail without end."""
    code = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
    code += "print(guard.call(sorted, [2, 1], seconds=60))\nguard.stop()"
    with in_a_process(code) as process:
        assert process.communicate(timeout=120)[0] == "[1, 2]\n"


def memory_limit() -> int:
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def limit_for_our_own_work() -> tuple[int, int]:
    with all_memory():
        inside = memory_limit()
    return inside, memory_limit()


def test_work_that_is_no_documents_fault_has_all_memory(guard):
    inside, after = guard.call(limit_for_our_own_work, seconds=20)
    assert inside == resource.RLIM_INFINITY
    assert after == guard.call(memory_limit, seconds=20) != resource.RLIM_INFINITY
