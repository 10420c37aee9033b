"""pdfmill in other people's programs, each started as they start it: guarded processes must live whatever a main module holds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from samples.typeset import typeset
from tests.pdf.make import make_pdf

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Native threads, a start method of its own and a handler of forks, as programs with PyTorch have them.
THREADS = """
import multiprocessing, os, pathlib, onnxruntime, polars, rapidocr
if __name__ == '__main__': multiprocessing.set_start_method('spawn')
os.register_at_fork(after_in_child=lambda: os._exit(7))
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 4
model = next(pathlib.Path(rapidocr.__file__).parent.rglob('*.onnx'))
session = onnxruntime.InferenceSession(model, options, providers=['CPUExecutionProvider'])
assert polars.DataFrame({'a': [1, 1, 2]}).lazy().group_by('a').len().collect().height == 2
assert len(os.listdir('/proc/self/task')) > 4
"""
#: What stands at the top of a program, and what a process that imported it again would die of.
TOPS = {
    "pandas": "import pandas as pd\nassert pd.Series([1]).sum() == 1\n",
    "never imported twice": "import os\nif __name__ != '__main__': os._exit(7)\n",
    "threads": THREADS,
}
INDEX = """
import sys, pdfmill
done = pdfmill.index(sys.argv[1], sys.argv[2], workers=1)
assert done.ok and done.documents == 1, done
"""
BEAM = """
import sys, apache_beam as beam
from pdfmill.beam import ReadPdfs
with beam.Pipeline("FnApiRunner") as pipeline:
    pipeline | ReadPdfs([sys.argv[1]], columns=["page"]) | beam.Map(str) | beam.io.WriteToText(sys.argv[2] + "/pages")
"""


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    folder = tmp_path / "samples"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(make_pdf(pages=2))
    return folder


def started(*words: str, cwd: Path, **more: str) -> str:
    """What a program says; it must end well, and say nothing of tracebacks."""
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("guard", [True, False], ids=["guarded main", "bare script"])
def test_index_in_a_script(samples, tmp_path, top, guard):
    """A script without `if __name__ == "__main__":` too: none of its lines is run again."""
    body = INDEX if not guard else "if __name__ == '__main__':\n    " + INDEX.strip().replace("\n", "\n    ")
    script = tmp_path / "script.py"
    script.write_text(TOPS[top] + body + "\n", encoding="utf-8")
    started(sys.executable, str(script), str(samples), str(tmp_path / "out"), cwd=tmp_path)
    assert list((tmp_path / "out/documents").glob("*.parquet"))


def test_a_script_that_reads_ends_without_a_word(samples, tmp_path):
    """Also where the program has finalizers of its own, older than those of the parser's library."""
    script = "import sys, tempfile; folder = tempfile.TemporaryDirectory(); import pdfmill; kept = pdfmill.read(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", script, str(samples / "a.pdf")], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pipeline_in_a_script_with_pandas(samples, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TOPS["pandas"] + BEAM, encoding="utf-8")
    (tmp_path / "out").mkdir()
    started(sys.executable, str(script), str(samples), str(tmp_path / "out"), cwd=tmp_path)
    assert "".join(path.read_text() for path in (tmp_path / "out").iterdir()).count("Row(page=") == 2


def test_beams_own_program_for_yaml_reads_pdfs(samples, tmp_path):
    """By the first lines of the example; Beam's program imports pandas."""
    example = (EXAMPLES / "headings.yaml").read_text(encoding="utf-8")
    (line,) = [line for line in example.splitlines() if line.startswith("#   python -m")]
    (tmp_path / "headings.yaml").write_text(
        example.replace("out/samples/", "samples/").replace('"heading"', '"paragraph"'), encoding="utf-8"
    )
    started(sys.executable, *line.split()[2:], cwd=tmp_path)
    assert "".join(path.read_text() for path in sorted(tmp_path.glob("headings.txt*"))) == "Hello 1\nHello 2\n"


def test_a_notebook(samples, tmp_path):
    """With pandas, calls in several cells, and README's Python: run by `jupyter nbconvert --execute`."""
    typeset(tmp_path / "out" / "samples")
    (readme,) = re.findall(r"^```python\n(.*?)^```", (EXAMPLES.parent / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    cells = [
        readme,
        "import pandas as pd, pdfmill",
        "document = pdfmill.read('samples/a.pdf')\nassert len(document.pages) == 2",
        "done = pdfmill.index('samples', 'tables', workers=1)\nassert done.ok, done",
        "assert len(done.table('pages').to_pandas()) == 2",
    ]
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": kernel,
        "cells": [{**cell, "id": f"c{n}", "source": source} for n, source in enumerate(cells)],
    }
    (tmp_path / "notebook.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    started(sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "notebook.ipynb", cwd=tmp_path)
    assert list((tmp_path / "tables/documents").glob("*.parquet"))
    assert "# " in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_the_error_says_what_the_processes_die_of(tmp_path):
    """A module beside the program, found before the one that the parser needs: nothing can be read, and soon the reason is said."""
    (tmp_path / "pikepdf.py").write_text("raise ValueError('this is not the one')\n", encoding="utf-8")
    script = "from pdfmill.transforms.road.isolation import Guard; Guard(1 << 30).call('os:getpid', seconds=60)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stderr.splitlines()[-1].endswith(
        "LostError: no process that parses PDFs can start on this machine: ValueError: this is not the one"
    )


def test_a_program_may_have_processes_of_the_same_kind(samples, tmp_path):
    """One with `multiprocessing` of the same kind, whose functions are those of its main module."""
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, sys, pdfmill\n"
        "def double(number): return 2 * number\n"
        "if __name__ == '__main__':\n"
        "    assert pdfmill.index(sys.argv[1], sys.argv[2], workers=1).ok\n"
        "    with multiprocessing.get_context('forkserver').Pool(1) as pool:\n"
        "        assert pool.map(double, [1, 2]) == [2, 4]\n",
        encoding="utf-8",
    )
    started(sys.executable, str(script), str(samples), str(tmp_path / "out"), cwd=tmp_path)
