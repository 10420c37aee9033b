"""What a run leaves behind once its snapshot is there."""

from __future__ import annotations

from pathlib import Path

from pdfmill.pipeline.crawl.crawl_parts import WHOLE, whole_parts
from tests.crawl.help import configure, tiny


def test_records_of_parts_go_with_the_snapshot_that_shows_them(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for name in "abc":
        (source / f"{name}.pdf").write_bytes(tiny(name))
    crawl = configure(tmp_path, str(source), str(tmp_path / "out"))
    assert crawl.report()["plan"] == {"new": 3}
    assert whole_parts(crawl.output) == {}
    assert list((tmp_path / "out" / WHOLE).glob("*.json")) == []
    (source / "a.pdf").write_bytes(tiny("another a"))
    assert crawl.report()["plan"] == {"changed": 1, "unchanged": 2}
    assert whole_parts(crawl.output) == {}
