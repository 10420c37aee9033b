"""What README says is what the source says."""

import importlib.util
import re
from pathlib import Path

import pytest

from pipeline.main import COMMANDS
from pipeline.options import OPTIONS
from schemas.codes import ERROR_CODES, ROLES, STATUSES, WARNING_CODES
from schemas.tables import TABLES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_is_what_the_source_makes(generate):
    assert generate.fill(README) == README, "run: python docs/generate.py"


def test_generating_twice_changes_nothing(generate):
    once = generate.fill(README)
    assert generate.fill(once) == once


def test_a_lost_marker_is_an_error(generate):
    with pytest.raises(ValueError, match="columns of pages"):
        generate.fill(README.replace("<!-- /columns of pages -->", ""))


def test_nested_types_are_readable(generate):
    kind = "list<item: struct<title: string, beads: list<item: struct<page: int32>>>>"
    assert generate.short_type(kind) == "list<title: string, beads: list<page: int32>>"


@pytest.mark.parametrize("word", [*(option.flag for option in OPTIONS), *STATUSES, *ERROR_CODES, *WARNING_CODES, *ROLES])
def test_every_flag_and_code_is_told(word):
    assert f"`{word}`" in README


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_told(table):
    section = README.partition(f"<!-- columns of {table} -->")[2].partition("<!-- /")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == TABLES[table].names


def test_every_command_is_told():
    assert all(f"pdfmill {command}" in README for command in COMMANDS)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_and_paths_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    paths = re.findall(r"\]\(([^):]+)\)", text) + re.findall(
        r"`((?:pipeline|transforms|schemas|docs|samples|benchmarks|tests)/[\w/]*(?:\.py)?)`", text
    )
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_make_targets_that_are_told_exist():
    told = re.findall(r"^    make ([a-z-]+)|`make ([a-z-]+)", README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    made = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for pair in told for name in pair if name} - set(made) == set()
