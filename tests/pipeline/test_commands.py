"""What the commands have in common."""

import subprocess
import sys

import pytest

FORKED = """
import os, sys, threading
import pipeline.commands.{command}
from pipeline import embedded, main

def fork_from_here():
    opened = [os.readlink(f"/proc/self/fd/{{number}}") for number in range(3, 100) if os.path.exists(f"/proc/self/fd/{{number}}")]
    print("threads", threading.active_count(), "sockets", sum(name.startswith("socket:") for name in opened))
    sys.exit()

embedded.fork_from_here = fork_from_here
sys.argv = ["pdfmill", "{command}", *{words}]
main.main()
"""


@pytest.mark.parametrize(("command", "words"), [("index", ["none.pdf", "--output=none"]), ("crawl", ["none.toml"])])
def test_workers_and_parsers_are_copies_of_a_command_that_has_begun_nothing(command, words):
    """They start at once then; a copy would miss threads of ours and share connections."""
    done = subprocess.run([sys.executable, "-c", FORKED.format(command=command, words=words)], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "threads 1 sockets 0\n", done.stderr
