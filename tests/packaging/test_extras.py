"""The commands of the extra `index` alone: no client of a store, no Beam, no server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pdfmill.schemas.extras import EXTRA_OF
from tests.pdf.make import make_pdf

LACKING = sorted(name for name, extra in EXTRA_OF.items() if extra != "index")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """pdfmill in a folder with `in/a.pdf`, in processes that cannot import what the extra `index` lacks."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({LACKING}))\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(make_pdf(text="Read with little"))

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
        return subprocess.run(
            [sys.executable, "-m", "pdfmill", *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return command


def test_tables_and_their_report(run: Run) -> None:
    assert run("index", "in", "--output", "out").returncode == 0
    done = run("report", "out")
    assert (done.returncode, "documents 1 row" in done.stdout) == (0, True), done.stderr


def test_a_crawl_and_its_history(run: Run, tmp_path: Path) -> None:
    for words in (["--init", "in", "--output", "nightly"], ["--plan"], []):
        done = run("crawl", "crawl.toml", *words)
        assert done.returncode == 0, done.stderr
    assert run("report", "nightly").returncode == 0
    with (tmp_path / "crawl.toml").open("a") as config:
        config.write('[[source]]\nname = "q"\nfrom = "s3://b/in/"\nevents = "https://sqs.eu-west-1.amazonaws.com/1/q"\n')
    done = run("crawl", "crawl.toml")
    assert (done.returncode, "events needs boto3, which is not installed: pip install 'pdfmill[stores]'" in done.stderr) == (2, True)
