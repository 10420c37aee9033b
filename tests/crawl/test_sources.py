"""Each source has its own rules: what is taken, how much may go, how long a dead one is waited for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pdfmill.pipeline.crawl.config import load_config
from pdfmill.pipeline.crawl.decide import Rules
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow
from pdfmill.pipeline.crawl.listings import is_wanted
from pdfmill.pipeline.crawl.local_run import by_priority
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import DocId, DocumentRef
from tests.crawl.help import Crawl, one_table, snapshot_tables, tiny
from tests.crawl.test_keep import clock


@pytest.mark.parametrize(
    ("spec", "uri", "rules", "wanted"),
    [
        ("s3://b/in/", "s3://b/in/2026/a.pdf", Rules(include=("2026/**",)), True),
        ("s3://b/in/", "s3://b/in/2025/a.pdf", Rules(include=("2026/**",)), False),
        ("s3://b/in/", "s3://b/in/2026/draft-a.pdf", Rules(include=("2026/**",), exclude=("draft-*",)), False),
        ("s3://b/in/20", "s3://b/in/2026/a.pdf", Rules(include=("2026/*.pdf",)), True),
        ("/data/in", "file:///data/in/a%20b.pdf", Rules(include=("a b.*",)), True),
        ("/data/in", "file:///data/in/x/a.pdf", Rules(exclude=("x/**",)), False),
        ("/data/*/x", "file:///data/in/x/a.pdf", Rules(include=("in/**",)), True),
        ("s3://b/*.warc.gz", "warc+s3://b/a.warc.gz#offset=7&length=9&url=http%3A%2F%2Fx%2Fy.pdf", Rules(exclude=("http://x/**",)), False),
        ("s3://b/*.parquet", "parquet+s3://b/a.parquet#group=0&row=1", Rules(include=("a.parquet",)), True),
    ],
)
def test_patterns(spec: str, uri: str, rules: Rules, wanted: bool) -> None:
    assert is_wanted(spec, DocumentRef.of_uri(uri), rules) is wanted


def test_larger_objects_are_left_out() -> None:
    ref = replace(DocumentRef.of_uri("s3://b/a.pdf"), size=11)
    assert not is_wanted("s3://b/", ref, Rules(max_bytes=10))
    assert is_wanted("s3://b/", ref, Rules(max_bytes=11))


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    """Two sources of six documents each."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for number in range(6):
            (tmp_path / folder / f"{number}.pdf").write_bytes(tiny(f"{folder} {number}"))
    path = tmp_path / "crawl.toml"
    tables = "".join(f'[[source]]\nname = "{name}"\nfrom = "{name}/"\n#{name}\n' for name in "ab")
    path.write_text(f'output = "out"\n{tables}[options]\nno_isolation = true\n')
    return Crawl(path, str(tmp_path), str(tmp_path / "out"))


def rule(crawl: Crawl, source: str, line: str) -> None:
    crawl.path.write_text(crawl.path.read_text().replace(f"#{source}\n", f"{line}\n#{source}\n"))


def names(crawl: Crawl) -> set[str]:
    return {
        row["source_uri"].split("/", 3)[-1].removeprefix(crawl.source[1:] + "/")
        for row in snapshot_tables(crawl.output)["documents"].to_pylist()
    }


def test_a_source_that_loses_much_withholds_its_own_deletes_only(crawl: Crawl, tmp_path: Path) -> None:
    crawl.report()
    assert {row["source"] for row in one_table(crawl.output, "sources").to_pylist()} == {"a", "b"}
    for number in range(4):
        (tmp_path / "a" / f"{number}.pdf").unlink()
    (tmp_path / "b" / "0.pdf").unlink()
    report = crawl.report()
    assert (report["exit_code"], report["outcome"]) == (4, "committed")
    assert report["deletes_withheld"].startswith("a: 4 of 6 objects would be deleted")
    assert names(crawl) == {f"a/{number}.pdf" for number in range(6)} | {f"b/{number}.pdf" for number in range(1, 6)}
    rule(crawl, "a", "max_delete_share = 0.7")
    assert crawl.report()["exit_code"] == 4, "a set of six is small: more than half of it is much"
    assert crawl.report("--allow-mass-delete")["exit_code"] == 0
    assert len(names(crawl)) == 7


def test_what_a_dead_source_had_goes_after_its_days(crawl: Crawl, tmp_path: Path) -> None:
    rule(crawl, "a", "dead_days = 3")
    crawl.report()
    for folder in ("a", "b"):
        (tmp_path / folder).rename(tmp_path / f"{folder} away")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "0.pdf").write_bytes((tmp_path / "b away" / "0.pdf").read_bytes())
    (tmp_path / "b" / "0.pdf").unlink()
    rule(crawl, "b", "dead_days = 0")
    begin = datetime.now(UTC)
    for days, left in ((0, 12), (2.9, 12), (3.1, 6), (400, 6)):
        with clock(begin + timedelta(days=days)):
            report = crawl.report()
        assert len(names(crawl)) == left, days
        assert {each["since"] for each in report["unlisted_sources"]} == {begin.isoformat()}
    (tmp_path / "a away").rename(tmp_path / "a")
    assert crawl.report()["plan"]["new"] == 6
    (tmp_path / "a").rename(tmp_path / "a away")
    with clock(begin + timedelta(days=500)):
        assert crawl.report()["unlisted_sources"][0]["since"] != begin.isoformat(), "it was there in between"
    assert len(names(crawl)) == 12


def test_patterns_of_a_source(crawl: Crawl) -> None:
    rule(crawl, "a", 'include = ["[0-3].pdf"]\nexclude = ["3.pdf"]')
    assert crawl.report()["plan"] == {"new": 9}


def test_what_has_more_priority_is_read_first(crawl: Crawl) -> None:
    rule(crawl, "b", "priority = 1")
    config = load_config(str(crawl.path))
    uris = [f"{name}/{number}" for name in "ab" for number in range(5)]
    entries = [(uri, PlanEntry("new", DocId(uri), uri, source=uri[0])) for uri in uris]
    with DiskFlow() as flow:
        ordered = [entry.source for entry in by_priority(flow.given("entries", entries), config)]
    assert ordered == ["b"] * 5 + ["a"] * 5
