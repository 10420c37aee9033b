"""`pdfmill serve` as it is started by hand: in a process of its own, ended by Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def started(output: str) -> Iterator[str]:
    """Where the command says that it is; it must end by Ctrl-C with exit code 0."""
    command = [sys.executable, "-m", "pdfmill", "serve", output, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/", line)
    if found is None:
        process.kill()
        pytest.fail(f"did not start: {line} {process.communicate()[1]}")
    try:
        yield found[0].rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert process.returncode == 0, told
    assert "Traceback" not in told
