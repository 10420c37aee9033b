"""What README and the docs show is run as it stands, page after page, in a folder with sample documents; what is not run says why."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, Final

import pytest

from pdfmill.pipeline.cli.completion import flags_of
from pdfmill.pipeline.cli.main import COMMANDS, run
from pdfmill.pipeline.cli.serve import serve_parser
from samples.typeset import typeset
from tests.docs_blocks import PAGES, ROOT, Block, blocks_of
from tests.invariants import assert_same_tables, read_tables

README: Final = ROOT / "README.md"
#: Samples that are read without a failure, so that commands over them end well.
GOOD: Final = ("letter.pdf", "paper.pdf", "report.pdf", "scan.pdf")
#: What must be among the output of a page.
TOLD: Final = {
    "README.md": ["# The Archive in Numbers", "2 documents", "report.pdf", "6", "Box(page="],
    "tutorial.md": ["page1.png", "heading", "bridges"],
    "howto-ocr.md": ["scan.pdf"],
    "howto-passwords.md": ["candidate"],
    "howto-tables.md": ["tables"],
    "howto-boxes.md": ['"x0"'],
    "python.md": ["The Archive in Numbers", "6 pages;", "password_needed"],
}
RUN: Final = [page for page in PAGES if any(not block.mark for block in blocks_of(page))]
_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:\d+\S*")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """out/samples/ with all, reports/ with the good ones, out/ with their tables; demo/out as `make demo` leaves it."""
    made = tmp_path_factory.mktemp("docs")
    typeset(made / "demo" / "out" / "samples")
    typeset(made / "out" / "samples")
    (made / "reports").mkdir()
    for name in GOOD:
        shutil.copy(made / "out" / "samples" / name, made / "reports")
    with redirect_stdout(StringIO()):
        assert run(["index", str(made / "reports"), "--output", str(made / "out")]) == 0
    return made


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks_of(page):
        assert block.language in ("sh", "python") or block.mark, f"{page.name}:{block.line}: neither run nor marked"
        assert not block.mark or len(block.mark) > len("not run: ab"), f"{page.name}:{block.line}: no reason"


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_every_block_runs(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    if "--ocr" in page.read_text(encoding="utf-8") and page.name.startswith("howto") and shutil.which("tesseract") is None:
        pytest.skip("no tesseract")
    monkeypatch.chdir(folder / "demo" if page == README else folder)
    names: dict[str, Any] = {}
    for block in blocks_of(page):
        if block.mark:
            continue
        if block.language == "python":
            exec(compile(block.code, f"{page.name}:{block.line}", "exec"), names)
        elif page == README:
            in_a_shell(block)
        else:
            in_this_process(block)
    told = "".join(capfd.readouterr())
    assert [each for each in TOLD.get(page.name, []) if each not in told] == []
    if page.name == "python.md":
        headings = "".join(path.read_text(encoding="utf-8") for path in folder.glob("headings-*"))
        assert "page 6: 4.2 A search that knows pages" in headings
        assert_same_tables(read_tables((folder / "beam-tables").as_uri()), read_tables((folder / "tables").as_uri()))


def test_the_notebook_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cell by cell, and what a cell shows is asked for as a notebook does; it is stored without outputs."""
    monkeypatch.chdir(folder)
    notebook = json.loads((ROOT / "examples" / "pdfmill.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], len({cell["id"] for cell in notebook["cells"]})) == (4, len(notebook["cells"]))
    names: dict[str, Any] = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            tree = ast.parse("".join(cell["source"]))
            *most, last = tree.body
            assert isinstance(last, ast.Expr), "every cell shows something"
            exec(compile(ast.Module(most, []), cell["id"], "exec"), names)
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
            shown.append(value._repr_png_()[:4] if hasattr(value, "_repr_png_") else value._repr_html_())
    assert [("The Archive in Numbers" in shown[0]), shown[1], *("<table" in each for each in shown[2:])] == [
        True,
        b"\x89PNG",
        True,
        True,
        True,
    ]


def in_a_shell(block: Block) -> None:
    """As a person types it: by the installed command, in bash. A server is looked at and stopped."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    for line in block.code.splitlines():
        if line.startswith("pdfmill serve"):
            look_at(line, environment)
        else:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (line, done.stderr)
            print(done.stdout, done.stderr)


def look_at(line: str, environment: dict[str, str]) -> None:
    """Start a server, open the page that it names, end it."""
    with subprocess.Popen(
        [*shlex.split(line), "--port", "0"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        ends = threading.Timer(60.0, server.kill)
        ends.start()
        try:
            assert server.stdout is not None
            address = next(found[0] for told in server.stdout if (found := _ADDRESS.search(told)))
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert answer.status == 200
        finally:
            ends.cancel()
            server.terminate()


def in_this_process(block: Block) -> None:
    """The same without starting Python for each command: only what a shell alone can do goes to one."""
    for line in block.code.splitlines():
        words = shlex.split(line, comments=True)
        if words[0] != "pdfmill" or ">" in words or "|" in words:
            in_a_shell(Block(block.line, "sh", line, ""))
        elif words[1] == "serve":
            assert serve_parser().parse_args(words[2:]).output == "out"
        else:
            # Beyond pytest's own: commands set the encoding of the standard output.
            with TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8") as out, redirect_stdout(out):
                assert run(words[1:]) == 0, line


def commands() -> Iterator[Any]:
    """The command lines of all blocks and their flags."""
    for page in PAGES:
        for block in blocks_of(page):
            for line in block.code.replace("\\\n", " ").splitlines():
                words = line.partition("   ")[0].split()
                if words[:1] == ["pdfmill"] and "--runner" not in words and "..." not in words:
                    yield pytest.param(words, id=f"{page.name}:{' '.join(words[1:4])}")


@pytest.mark.parametrize("words", commands())
def test_commands_and_flags_exist(words: list[str]) -> None:
    """Also of blocks that are not run."""
    assert words[1] in COMMANDS
    known = {flag.replace("-", "_") for flag in flags_of(words[1])}
    told = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z_-]+(=.*)?", word)}
    assert [flag for flag in told if flag.replace("-", "_") not in known] == []
