"""The whole measurement corpus through the main job: nothing is lost, and the invariants of the contract hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE
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


#: Found in the world: fonts that are not embedded, an encrypted file, one rebuilt by the other engine, and neighbours of theirs.
ORDERED = 14


def test_the_same_file_gives_the_same_rows_whatever_was_read_before(corpus, tmp_path, capsys):
    """In one guarded process, one after the other: in order, the other way round, and some of them alone."""
    files = sorted((corpus / "features" / "pdf").iterdir(), key=lambda path: path.stat().st_size)[5 : 5 + 20 * ORDERED : 20]
    files += [path for path in sorted((corpus / "robust" / "pdf").iterdir()) if path.stat().st_size < 20_000][:ORDERED]

    def rows(name: str, sources: list[Path]) -> dict[str, list[dict]]:
        run(["index", *map(str, sources), "--output", str(tmp_path / name)])
        tables = read_tables((tmp_path / name).as_uri())
        return {row["doc_id"]: [row] for row in tables["documents"].to_pylist()} | {
            f"{row['doc_id']}/{table}": [each | {"uri": None} for each in tables[table].to_pylist() if each["doc_id"] == row["doc_id"]]
            for row in tables["documents"].to_pylist()
            for table in ("pages", "blocks", "sections", "assets")
        }

    forwards = rows("forwards", files)
    assert len([key for key in forwards if "/" not in key]) >= len(files)
    assert rows("backwards", files[::-1]) == forwards
    for number, path in enumerate(files[:: len(files) // 4]):
        alone = rows(f"alone{number}", [path])
        assert alone == {key: forwards[key] for key in alone}, path.name
