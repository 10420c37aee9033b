"""The whole measurement corpus through the main job: nothing is lost, and the invariants of the contract hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.main import EXIT_NOTHING_DONE, run
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.nu import errors_of

pytestmark = pytest.mark.corpus


def index(source: Path, output: Path, *flags: str) -> dict:
    """Index every file of a folder, whatever its name, and read the tables back."""
    assert run(["index", f"{source}/*", "--output", str(output), *flags]) in (0, 1)
    return read_tables(output.as_uri())


@pytest.mark.parametrize("part", ["structure", "tables", "features", "robust"])
def test_every_file_has_its_row_and_all_its_pages(corpus, part, tmp_path, capsys):
    source = corpus / part / "pdf"
    tables = index(source, tmp_path / "out", "--workers", "2")
    check_invariants(tables, inputs=len(list(source.iterdir())))
    internal = [row["source_uri"] for row in tables["documents"].to_pylist() if row["error_code"] == "internal"]
    internal += [row["doc_id"] for row in tables["pages"].to_pylist() if row["error_code"] == "internal"]
    assert not internal
    if part in ("structure", "tables"):
        assert set(tables["documents"].column("status").to_pylist()) == {"ok"}


def test_one_worker_two_workers_and_a_second_run_agree(corpus, tmp_path, capsys):
    source = corpus / "features" / "pdf"
    first = index(source, tmp_path / "one")
    for name, flags in (("two", ["--workers", "2"]), ("one", [])):
        assert_same_tables(first, index(source, tmp_path / name, *flags))


@pytest.mark.servers
@pytest.mark.parametrize("part", ["structure", "tables", "features"])
def test_the_html_of_every_document_is_valid(corpus, part, nu_jars, tmp_path, capsys):
    shown = []
    for path in sorted((corpus / part / "pdf").iterdir()):
        if run(["show", str(path), "--format", "html"]) != EXIT_NOTHING_DONE:
            shown.append(tmp_path / f"{path.name}.html")
            shown[-1].write_text(capsys.readouterr().out, encoding="utf-8")
    assert shown
    assert errors_of(nu_jars, *shown) == ""
