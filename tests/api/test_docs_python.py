"""What docs/python.md says is run, block after block, in a folder with the samples."""

import re
from pathlib import Path

from samples.typeset import typeset
from tests.invariants import assert_same_tables, read_tables

DOCS = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_every_block_runs(tmp_path, monkeypatch, capsys):
    typeset(tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, DOCS.name, "exec"), names)
    told = capsys.readouterr().out
    assert "The Archive in Numbers 6 en" in told
    assert "password_needed" in told
    assert (tmp_path / "page-1.png").stat().st_size > 1000
    assert (tmp_path / "tables" / "pages").is_dir()
    headings = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("headings-*"))
    assert "page 6: 4.2 A search that knows pages" in headings
    assert_same_tables(read_tables((tmp_path / "beam-tables").as_uri()), read_tables((tmp_path / "tables").as_uri()))
