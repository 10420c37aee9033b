"""What is distributed: whole, told truly, and light where no more than the core is installed."""

from __future__ import annotations

import ast
import json
import runpy
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Any

import pytest
import setuptools

from pdfmill.schemas.extras import COMMAND_EXTRAS, EXTRA_OF, missing_extra
from samples.typeset import typeset
from tests.packaging.built import ROOT, Bare, Built

#: Imports of what no core has.
HEAVY = {"apache_beam", "azure", "boto3", "google", "grpc", "pandas", "pebble", "pyarrow", "requests", "smart_open", "starlette", "warcio"}
#: Bytes that `pip install pdfmill` may fetch, and what may lie on the disk then. The first is what a person waits for. numpy alone is 57 MB
#: of the second, and what pdfplumber brings 45.
DOWNLOAD, ON_DISK = 120e6, 190e6


def test_both_pass_the_checks_of_an_index(built: Built) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", built.sdist, built.wheel], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.count("PASSED")) == (0, 2), done.stdout + done.stderr


def test_the_wheel_has_every_file_of_the_packages(built: Built) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "pdfmill", "pipeline", "schemas", "transforms"], cwd=ROOT,
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    with zipfile.ZipFile(built.wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {path if path.startswith("pdfmill/") else f"pdfmill/{path}" for path in tracked if (ROOT / path).is_file()}
    assert {path for path in files if not path.endswith(".c")} == held
    assert {"pdfmill/py.typed", "pdfmill/pipeline/serve/templates/base.html"} <= held


def test_the_source_distribution_has_what_its_reader_looks_for(built: Built) -> None:
    for name in ("LICENSE", "CHANGELOG.md", "docs/python.md", "examples/crawl.toml", "samples/typeset.py", "Makefile", "constraints.txt"):
        assert (built.unpacked / name).is_file(), name
    assert not list(built.unpacked.rglob("test_*.py"))


def metadata(built: Built) -> Any:
    (folder,) = {name.partition("/")[0] for name in zipfile.ZipFile(built.wheel).namelist() if ".dist-info/" in name}
    return PathDistribution(zipfile.Path(built.wheel, folder + "/")).metadata  # type: ignore[arg-type]


def test_the_metadata_names_licence_extras_and_a_page_that_leads_nowhere_wrong(built: Built) -> None:
    told = metadata(built)
    assert (told["License-Expression"], told["Requires-Python"]) == ("Apache-2.0", ">=3.11,<3.13")
    assert set(told.get_all("Provides-Extra")) == {
        "all",
        "azure",
        "beam",
        "crawl",
        "dataflow",
        "export",
        "index",
        "otel",
        "rapidocr",
        "search",
        "serve",
        "stores",
        "xlsx",
    }
    assert {"docs/licenses.md", "LICENSE"} == set(told.get_all("License-File"))
    page = told.get_payload()
    assert page.startswith("# pdfmill")
    assert "](docs/" not in page


def test_every_extra_that_a_message_names_exists(built: Built) -> None:
    extras = set(metadata(built).get_all("Provides-Extra"))
    assert set(EXTRA_OF.values()) | COMMAND_EXTRAS <= extras
    assert (
        missing_extra(ModuleNotFoundError(name="pyarrow"), "index")
        == "index needs pyarrow, which is not installed: pip install 'pdfmill[index]'"
    )
    assert "pdfmill[beam]" in str(missing_extra(ModuleNotFoundError(name="apache_beam.io"), "index"))
    assert missing_extra(ModuleNotFoundError(name="pandas"), "index") is None


def test_every_import_beyond_the_core_has_its_extra() -> None:
    """What is imported is the standard library's, ours, of the core, the caller's own (`theirs`), or of an extra that a message names."""
    core = {
        "PIL",
        "fontTools",
        "langdetect",
        "lxml",
        "msgspec",
        "numpy",
        "pdfminer",
        "pdfplumber",
        "pikepdf",
        "pypdfium2",
        "pypdfium2_raw",
        "pyphen",
    }
    theirs = {"pandas", "polars", "bidi", "imagecodecs", "tifffile"}
    ours = {"pdfmill", "pipeline", "schemas", "transforms"}
    found = set()
    for path in (each for package in ours for each in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [each.name for each in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            found |= {name.partition(".")[0] for name in names}
    assert found - core - theirs - ours - set(sys.stdlib_module_names) - EXTRA_OF.keys() - {"markupsafe"} == set()


def test_the_core_is_light(bare: Bare, capsys: pytest.CaptureFixture[str]) -> None:
    on_disk = sum(path.stat().st_size for path in bare.packages.rglob("*") if path.is_file())
    with capsys.disabled():
        print(f"\ncore: {bare.downloaded / 1e6:.0f} MB fetched, {on_disk / 1e6:.0f} MB on the disk", end=" ")
    assert bare.downloaded < DOWNLOAD
    assert on_disk < ON_DISK
    assert not {path.name for path in bare.packages.iterdir()} & HEAVY


def test_the_core_reads_and_shows(bare: Bare, tmp_path: Path) -> None:
    typeset(tmp_path)
    code = (
        "import sys, time; began = time.perf_counter(); import pdfmill; took = time.perf_counter() - began; import json\n"
        "loaded = sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))\n"
        "document = pdfmill.read('report.pdf'); errors = []\n"
        "for each in (document.tables[0].to_arrow, lambda: pdfmill.index('.', 'out'), lambda: pdfmill.read('s3://b/k')):\n"
        "    try: each()\n"
        "    except pdfmill.PdfmillError as error: errors.append([error.code, str(error)])\n"
        "print(json.dumps([took, loaded, document.title, len(document.sections()), len(document.to_markdown()), errors]))"
    )
    done = bare.run("python", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    took, loaded, title, sections, letters, errors = json.loads(done.stdout)
    print(f"import pdfmill: {took * 1e3:.0f} ms")
    assert set(loaded) - {"__main__", "distutils-precedence"} == {"pdfmill"}
    assert (title, sections, letters > 4500) == ("The Archive in Numbers", 10, True)
    assert [(code, told.partition(": pip install ")[2]) for code, told in errors] == [
        ("not_installed", "'pdfmill[index]'"), ("not_installed", "'pdfmill[index]'"), ("bad_source", "'pdfmill[stores]'"),
    ]  # fmt: skip
    shown = bare.run("pdfmill", "show", "report.pdf", "--format", "markdown", cwd=tmp_path)
    assert (shown.returncode, shown.stderr, "# " in shown.stdout) == (0, "", True)
    drawn = bare.run("pdfmill", "draw", "report.pdf", "--page", "1", "-o", "page.png", cwd=tmp_path)
    assert (drawn.returncode, (tmp_path / "page.png").stat().st_size > 1000) == (0, True), drawn.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("index report.pdf --output out", "index"),
        ("index --help", "index"),
        ("search out archive", "search"),
        ("report out", "index"),
        ("crawl crawl.toml", "crawl"),
        ("export out --to langchain:a.jsonl", "export"),
        ("serve out", "serve"),
        ("show s3://bucket/key.pdf", "stores"),
    ],
)
def test_what_is_missing_is_told_in_one_sentence(bare: Bare, tmp_path: Path, words: str, extra: str) -> None:
    done = bare.run("pdfmill", *words.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"pip install 'pdfmill[{extra}]'" in done.stderr


def test_the_steps_for_beam_name_their_extra(bare: Bare, tmp_path: Path) -> None:
    done = bare.run("python", "-c", "import pdfmill.beam", cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: pdfmill.beam needs apache_beam, which is not installed: pip install 'pdfmill[beam]'"
    )


def test_completion_does_without(bare: Bare, tmp_path: Path) -> None:
    done = bare.run("pdfmill", "completion", "bash", cwd=tmp_path)
    assert (done.returncode, "--format" in done.stdout) == (0, True), done.stderr


def required(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the setup.py of a folder says is required."""
    given: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", given.update)
    monkeypatch.setitem(sys.modules, "Cython", None)
    runpy.run_path(str(folder / "setup.py"))
    return list(given["install_requires"])


def test_beams_workers_install_all_that_a_job_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beam makes a source distribution for them and installs that without extras."""
    shutil.copytree(ROOT / "schemas", tmp_path / "pdfmill" / "schemas")
    for name in ("setup.py", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(sys, "path", list(sys.path))
    core = required(tmp_path, monkeypatch)
    assert not any(each.startswith(("apache-beam", "pyarrow")) for each in core)
    (tmp_path / "for-workers").touch()
    more = {each.partition(">")[0].partition("=")[0].partition("[")[0] for each in set(required(tmp_path, monkeypatch)) - set(core)}
    assert {"apache-beam", "boto3", "pebble", "pyarrow", "smart_open"} <= more
