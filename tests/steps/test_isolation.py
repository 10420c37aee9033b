"""What a guarded process survives. The poisons are the real thing: abort, endless sleep, memory without end."""

from __future__ import annotations

import os
import signal
import time

import pytest

from transforms.isolation import Guard, LostError


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


def raise_value_error() -> None:
    raise ValueError("a page without sense")


@pytest.mark.parametrize(
    ("poison", "arguments", "code"),
    [(os.abort, (), "crashed"), (os._exit, (3,), "crashed"), (time.sleep, (60,), "timed_out"), (eat_memory, (), "out_of_memory"), (raise_value_error, (), "internal")],
)
def test_each_poison_is_told_and_the_next_call_works(guard, poison, arguments, code):
    with pytest.raises(LostError) as lost:
        guard.call(poison, *arguments, seconds=2)
    assert lost.value.code == code
    assert guard.call(os.path.basename, "a/b", seconds=20) == "b"


def test_answers_come_back(guard):
    assert guard.call(sorted, [3, 1, 2], seconds=20) == [1, 2, 3]


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
