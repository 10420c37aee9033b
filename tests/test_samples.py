"""The sample documents of `make demo`."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest

from samples.typeset import PASSWORD, SAMPLES, typeset


def test_the_bytes_are_the_same_on_every_run(tmp_path: Path) -> None:
    first, second = typeset(tmp_path / "one"), typeset(tmp_path / "two")
    assert [path.name for path in first] == list(SAMPLES)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_each_sample_is_what_its_name_says(tmp_path: Path) -> None:
    path = {path.name: path for path in typeset(tmp_path)}
    with pikepdf.open(path["report.pdf"]) as report, report.open_outline() as outline:
        assert [item.title for item in outline.root] == ["1 Summary", "2 Holdings", "3 Questions", "4 Plans"]
        assert str(report.docinfo["/Title"]) == "The Archive in Numbers"
        assert len(report.pages) == 6
    with pikepdf.open(path["scan.pdf"]) as scan:
        assert "/Font" not in scan.pages[0].resources or b"Tj" not in scan.pages[0].Contents.read_bytes()
        assert len(scan.pages[0].images) == 1
    with pytest.raises(pikepdf.PasswordError):
        pikepdf.open(path["encrypted.pdf"])
    pikepdf.open(path["encrypted.pdf"], password=PASSWORD).close()
    assert b"startxref" not in path["damaged.pdf"].read_bytes()
    assert path["report.pdf"].read_bytes().startswith(path["damaged.pdf"].read_bytes())
    assert path["empty.pdf"].read_bytes() == b""
