"""What README says is what the source says."""

import importlib.util
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from pdfmill.pipeline.cli.main import COMMANDS
from pdfmill.pipeline.options.options import OPTIONS
from pdfmill.schemas.codes import ERROR_CODES, ROLES, STATUSES, WARNING_CODES
from pdfmill.schemas.tables import TABLES
from pdfmill.schemas.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
COLUMNS_PAGE = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_source_makes(generate):
    assert [page.name for page, text in generate.filled().items() if page.read_text(encoding="utf-8") != text] == [], (
        "run: docs/generate.py"
    )


def test_generating_twice_changes_nothing(generate):
    assert all(generate.fill(text) == text for text in generate.filled().values())


def test_a_lost_marker_is_an_error(generate, tmp_path, monkeypatch):
    (tmp_path / "columns.md").write_text(COLUMNS_PAGE.replace("<!-- /columns of pages -->", ""))
    monkeypatch.setattr(generate, "PAGES", (ROOT / "docs" / "commands.md", tmp_path / "columns.md"))
    with pytest.raises(ValueError, match="columns of pages"):
        generate.filled()


def test_the_readme_fits_on_two_screens():
    """Of 50 lines each, and in a terminal no wider than 160 columns."""
    lines = README.splitlines()
    assert len(lines) <= 100
    assert max(map(len, lines)) <= 160


def test_nested_types_are_readable(generate):
    kind = "list<item: struct<title: string, beads: list<item: struct<page: int32>>>>"
    assert generate.short_type(kind) == "list<title: string, beads: list<page: int32>>"


@pytest.mark.parametrize("word", [*(option.flag for option in OPTIONS), *STATUSES, *ERROR_CODES, *WARNING_CODES, *ROLES])
def test_every_flag_and_code_is_told(word):
    assert f"`{word}`" in COMMANDS_PAGE + COLUMNS_PAGE


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_told(table):
    section = COLUMNS_PAGE.partition(f"<!-- columns of {table} -->")[2].partition("<!-- /")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == TABLES[table].names


def test_every_command_is_told():
    assert all(f"pdfmill {command}" in COMMANDS_PAGE for command in COMMANDS)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_and_paths_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    paths = re.findall(r"\]\(([^):]+)\)", text) + re.findall(
        r"`((?:pipeline|transforms|schemas|docs|samples|benchmarks|tests)/[\w/]*(?:\.py)?)`", text
    )
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_make_targets_that_are_told_exist():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    told = re.findall(r"^(?:    )?make ([a-z][a-z-]*)|`make ([a-z-]+)", text, re.MULTILINE)
    made = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for pair in told for name in pair if name} - set(made) == set()


def test_the_changelog_has_the_usual_form():
    """Keep a Changelog 1.1.0: versions with their day, newest first, and its six kinds of changes."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert first == "Unreleased"
    assert all(re.fullmatch(r"\[?\d+\.\d+\.\d+\]? - \d{4}-\d\d-\d\d", each) for each in versions)
    assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_version_stands_in_one_place():
    assert version("pdfmill") == VERSION, "the installed distribution is of another version: run `make setup`"
    places = ["schemas", "transforms", "pipeline", "pdfmill", "setup.py", "pyproject.toml"]
    tracked = subprocess.run(["git", "grep", "-lF", f'"{VERSION}"', "--", *places], cwd=ROOT, capture_output=True, text=True, check=False)
    assert tracked.stdout.split() == ["schemas/version.py"]
