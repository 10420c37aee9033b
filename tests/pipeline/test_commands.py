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


IMPORTED = """
import importlib, sys
from pipeline import main
from pipeline.lean_import import lean_import

with lean_import({words}):
    importlib.import_module("pipeline.commands.index")
print([name in sys.modules for name in ("pymongo", "google.cloud.storage", "boto3", "pipeline.lean_import")])
from apache_beam.io.filesystem import FileSystem
importlib.import_module("apache_beam.io.gcp.gcsfilesystem")
importlib.import_module("apache_beam.io.aws.s3filesystem")
print(sorted(each.__name__ for each in FileSystem.get_all_subclasses() if each.__name__[0] in "GS"))
"""


@pytest.mark.parametrize(
    ("words", "with_clients"),
    [(["index", "in", "--output=out"], False), (["index", "s3://a/b", "--output=out"], True), (["index", "in", "--runner", "FlinkRunner"], True)],
)
def test_a_command_starts_without_clients_that_it_cannot_want(words, with_clients):
    done = subprocess.run([sys.executable, "-c", IMPORTED.format(words=words)], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines() == [str([with_clients] * 3 + [True]), "['GCSFileSystem', 'S3FileSystem']"]


@pytest.mark.parametrize(("command", "words"), [("index", ["none.pdf", "--output=none"]), ("crawl", ["none.toml"])])
def test_workers_and_parsers_are_copies_of_a_command_that_has_begun_nothing(command, words):
    """They start at once then; a copy would miss threads of ours and share connections."""
    done = subprocess.run([sys.executable, "-c", FORKED.format(command=command, words=words)], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "threads 1 sockets 0\n", done.stderr
