"""A program of somebody else has modules called as our folders are: pdfmill works beside them, also in the processes that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pdf.make import make_pdf

PROGRAM = """
import sys

import pipeline, schemas, transforms

import pdfmill

if __name__ == "__main__":
    assert pdfmill.read("in/a.pdf").text.startswith("Beside others")
    assert pdfmill.index(["in"], "out", **({"runner": sys.argv[1]} if sys.argv[1:] else {})).ok
    print(pipeline.OWN, schemas.OWN, transforms.OWN)
"""


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with a PDF, a program, and its modules `pipeline`, `schemas` and `transforms`."""
    for name in ("pipeline", "schemas", "transforms"):
        (tmp_path / f"{name}.py").write_text(f'OWN = "own {name}"\n')
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(make_pdf(text="Beside others"))
    return tmp_path


@pytest.mark.parametrize("words", [[], ["DirectRunner"]], ids=["local", "DirectRunner"])
def test_a_program_with_modules_of_these_names(foreign: Path, words: list[str]) -> None:
    """They lie beside the program and on the path of every process that it starts."""
    done = subprocess.run(
        [sys.executable, "program.py", *words], cwd=foreign, env={**os.environ, "PYTHONPATH": str(foreign)}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "own pipeline own schemas own transforms"
