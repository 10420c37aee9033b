"""What the commands have in common."""

import ast
import importlib.util
import subprocess
import sys

import pytest

from pdfmill.pipeline.cli import main
from pdfmill.pipeline.cli.main import COMMANDS
from pdfmill.schemas.extras import EXTRA_OF
from tests.pipeline.test_index import letter

#: What a command line that does not want it must not load: each takes longer to import than a small document takes to read.
HEAVY = (
    "apache_beam",
    "pyarrow",
    "pandas",
    "boto3",
    "google.cloud.storage",
    "azure",
    "pikepdf",
    "pypdfium2",
    "pdfplumber",
    "fontTools",
    "langdetect",
    "lxml",
)
#: What of these a page of plain text needs.
NEEDED = {"pikepdf", "pypdfium2", "lxml"}
#: All that pdfmill is given by others, by the names that are imported.
OTHERS = (
    *EXTRA_OF,
    "PIL",
    "fontTools",
    "langdetect",
    "lxml",
    "numpy",
    "pdfminer",
    "pdfplumber",
    "pikepdf",
    "pypdfium2",
    "pyphen",
    "cryptography",
)
_READS = {"lxml", "numpy", "pikepdf", "pypdfium2"}
_TABLES = {"pyarrow", "pyroaring", "numpy", "tantivy"}
_SNAPSHOTS = _TABLES | {"pebble"}
#: What each command may load before it knows what it has to do.
MAY_LOAD = {
    "index": {"pebble"},
    "show": _READS,
    "draw": _READS | {"PIL"},
    "highlight": _READS | {"PIL"},
    "crawl": _SNAPSHOTS,
    "search": _TABLES | {"rapidfuzz"},
    "export": _TABLES,
    "serve": set(),
    "report": _SNAPSHOTS,
    "completion": set(),
}
LOADED = """
import importlib, sys
{before}
print([name for name in {heavy} if name in sys.modules])
"""


def loaded(code: str, heavy: tuple[str, ...] = HEAVY) -> list[str]:
    """Which of the heavy modules a process has loaded after this code."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(before=code, heavy=heavy)], capture_output=True, text=True, check=True, timeout=120
    )
    found = ast.literal_eval(done.stdout.splitlines()[-1])
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_loads_no_more_than_is_listed(command):
    code = f"from pdfmill.pipeline.cli import main\ntry: main.run([{command!r}, '--help'])\nexcept SystemExit: pass"
    assert set(loaded(code, OTHERS)) <= MAY_LOAD[command]


@pytest.mark.parametrize("module", ["pdfmill.pipeline.cli.main", "pdfmill.pipeline.run.local", "pdfmill.pipeline.options.options"])
def test_what_collects_rows_loads_no_parser_no_arrow_and_no_beam(module):
    assert loaded(f"importlib.import_module({module!r})") == []


def test_a_local_index_does_not_load_beam_or_parsers(tmp_path):
    (tmp_path / "a.pdf").write_bytes(letter(1))
    command = ["pdfmill", "index", str(tmp_path / "a.pdf"), "--output", str(tmp_path / "out")]
    code = f"from pdfmill.pipeline.cli import main; sys.argv = {command}; main.main()"
    assert loaded(code, (*HEAVY, "numpy")) == []


def test_arrow_loads_no_pandas_in_processes_of_pdfmills_own(tmp_path):
    """Nor in the guarded ones, which say so in a document's place: a call after a document's rows were packed."""
    (tmp_path / "a.pdf").write_bytes(letter(1))
    code = f"""
import pyarrow
from pdfmill.pipeline.cli import main
from pdfmill.pipeline.run.local import local_workers
from pdfmill.transforms.road.job_settings import ReadSettings
def said(call):
    call("pdfmill.schemas.tables:to_batch", "documents", [], seconds=60)
    return call("builtins:eval", "'pandas' in __import__('sys').modules", seconds=60)
with local_workers(1, ReadSettings()) as workers:
    assert workers.submit(said).result() is False
sys.argv = ["pdfmill", "index", {str(tmp_path / "a.pdf")!r}, "--output", {str(tmp_path / "out")!r}]
assert main.main() == 0
"""
    assert loaded(code, ("pandas",)) == []
    code = "import pdfmill, pyarrow" if importlib.util.find_spec("pdfmill") else "import pdfmill.transforms.road.document_road, pyarrow"
    assert loaded(f"{code}; pyarrow.array([1])", ("pandas",)) == (["pandas"] if importlib.util.find_spec("pandas") else [])


def test_guarded_processes_begin_with_what_most_documents_need():
    wanted = {"pikepdf", "pypdfium2", "pdfminer", "pyarrow", "lxml", "numpy"}
    others = ("PIL", "requests", "pyphen", "reportlab", "pytest")
    assert set(loaded("import pdfmill.transforms.road.preload", (*HEAVY, *wanted, *others))) == wanted


def test_show_of_plain_text_loads_only_what_reads_it(tmp_path):
    (tmp_path / "a.pdf").write_bytes(letter(1))
    heavy = (*HEAVY, "PIL", "cryptography", "pdfminer", "pebble", "requests")
    code = f"from pdfmill.pipeline.cli import main; main.run(['show', {str(tmp_path / 'a.pdf')!r}])"
    assert set(loaded(code, heavy)) == NEEDED


def test_report_names_what_fails_in_tables_of_index_and_refuses_what_is_no_output(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.pdf").write_bytes(letter(1))
    (tmp_path / "in" / "bad.pdf").write_bytes(b"no PDF at all")
    output, listed = tmp_path / "out", tmp_path / "listed"
    assert main.run(["index", str(tmp_path / "in"), "--output", str(output)]) == 1
    capsys.readouterr()
    assert main.run(["report", str(output), "--failing", "--list", str(listed)]) == 0
    assert "bad.pdf" in (said := capsys.readouterr().out)
    assert "not_pdf" in said
    assert "good.pdf" not in said
    assert listed.read_text().splitlines() == [(tmp_path / "in" / "bad.pdf").as_uri()]
    for nothing in (tmp_path / "nowhere", tmp_path / "in"):
        assert main.run(["report", str(nothing), "--failing"]) == 2
        assert "has neither a table documents nor a crawl" in capsys.readouterr().err
