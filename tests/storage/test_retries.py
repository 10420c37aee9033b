"""Bounded tries."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from pdfmill.transforms.storage.settings import StorageSettings, with_retries


def failing(times: int, calls: list[int]) -> str:
    calls.append(1)
    if len(calls) <= times:
        raise ConnectionResetError(len(calls))
    return "done"


def test_waits_double_with_jitter_up_to_their_bound() -> None:
    settings = StorageSettings(attempts=6, first_wait_s=1.0, longest_wait_s=4.0)
    calls: list[int] = []
    with patch("time.sleep") as sleep:
        assert with_retries(lambda: failing(5, calls), lambda _error: True, settings) == "done"
    waits = [call.args[0] for call in sleep.call_args_list]
    assert len(waits) == 5
    for wait, longest in zip(waits, [1, 2, 4, 4, 4], strict=True):
        assert longest / 2 <= wait <= longest


def test_the_last_error_flies() -> None:
    calls: list[int] = []
    with patch("time.sleep"), pytest.raises(ConnectionResetError, match="3"):
        with_retries(lambda: failing(9, calls), lambda _error: True, StorageSettings(attempts=3))
    assert len(calls) == 3


def test_other_errors_fly_at_once() -> None:
    calls: list[int] = []
    with pytest.raises(ConnectionResetError):
        with_retries(lambda: failing(9, calls), lambda _error: False)
    assert len(calls) == 1


def test_no_try_after_the_deadline() -> None:
    calls: list[int] = []
    with pytest.raises(ConnectionResetError):
        with_retries(lambda: failing(9, calls), lambda _error: True, StorageSettings(retry_deadline_s=-1.0))
    assert len(calls) == 1
