"""Listings in ranges that several workers share: together they are the whole, wherever they are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pdfmill.transforms.storage import ranges
from pdfmill.transforms.storage.ranges import items_in, key_cuts, list_part, parts_of_source
from pdfmill.transforms.storage.sources import list_source
from tests.servers import GcsServer, S3Server

FLAT = [f"in/{number:03d}.pdf" for number in range(300)]
FOLDERS = [f"in/2026/{month:02d}/{day:02d}/{name}.pdf" for month in (1, 12) for day in range(1, 29) for name in ("a", "ä", "\U0001f600")]


def first_after(keys: list[str]) -> Callable[[str], str | None]:
    ordered = sorted(keys, key=lambda key: key.encode())
    return lambda after: next((key for key in ordered if key.encode() > after.encode()), None)


@pytest.mark.parametrize("keys", [FLAT, FOLDERS])
def test_cuts_make_ranges_alike(keys):
    asked = []

    def next_key(after: str) -> str | None:
        asked.append(after)
        return first_after(keys)(after)

    cuts = key_cuts("in/", next_key, ranges=16, probes=200)
    assert cuts == sorted(cuts)
    assert len(asked) <= 200
    held = [sum(low < key <= high for key in keys) for low, high in pairwise(["", *cuts, "\U0010ffff"])]
    assert sum(held) == len(keys)
    assert max(held) <= len(keys) / 6


def test_few_requests_are_few_ranges_and_no_endless_search():
    assert key_cuts("in/", first_after(FLAT), ranges=1000, probes=5) == ["in/1", "in/2"]
    assert key_cuts("in/", lambda after: "in/x", ranges=1000, probes=50) == []
    assert key_cuts("in/", first_after(["in/one.pdf"])) == []


@pytest.mark.servers
def test_the_ranges_of_a_bucket_are_the_whole(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = s3_server.make_bucket(dict.fromkeys([*FOLDERS, "in/none.txt", "other.pdf"], b""))
    spec = f"s3://{bucket}/in/"
    assert parts_of_source(spec) == [spec], "few objects are one worker's"
    assert_whole(spec, monkeypatch, len(FOLDERS))


@pytest.mark.servers
def test_the_ranges_of_a_bucket_are_the_whole_gcs(gcs_server: GcsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_whole(f"gs://{gcs_server.make_bucket(dict.fromkeys(FLAT[:60], b''))}/in/", monkeypatch, 60)


def assert_whole(spec: str, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(ranges, "CUT_ABOVE", 20)
    parts = parts_of_source(spec)
    assert len(parts) > 5
    found = [ref for part in parts if isinstance(part, ranges.PartOfSource) for ref in list_part(part)]
    assert found == list(list_source(spec))
    assert len(found) == count


@pytest.mark.servers
def test_large_sources_that_a_list_names_are_cut_too(s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = s3_server.make_bucket(dict.fromkeys([*FLAT[:60], "more/a.pdf"], b""))
    monkeypatch.setattr(ranges, "CUT_ABOVE", 20)
    lines = [f"s3://{bucket}/in/", f"s3://{bucket}/in/000.pdf", f"s3://{bucket}/more/"]
    (tmp_path / "list.txt").write_text("\n".join(lines))
    items = list(items_in(f"@{tmp_path}/list.txt"))
    parts = [item for item in items if isinstance(item, ranges.PartOfSource)]
    assert {part.spec for part in parts} == {lines[0]}
    assert items[len(parts) :] == lines[1:]
    assert len([ref for part in parts for ref in list_part(part)]) == 60
    monkeypatch.setattr(ranges, "CUT_OF_LIST", 0)
    assert list(items_in(f"@{tmp_path}/list.txt")) == lines


def test_what_cannot_be_cut_is_listed_as_it_is(tmp_path):
    for spec in (str(tmp_path), "s3://bucket/in/*.pdf", "s3://bucket/in", "nowhere://bucket/"):
        assert parts_of_source(spec) == [spec]


class _Keys:
    """A store with these keys, which can list from any key on."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = sorted(keys)

    def keys_after(self, at: object, after: str | None, at_once: int = 1000) -> Iterator[str]:
        return (key for key in self.keys if after is None or key > after)


def test_only_folders_of_stores_that_list_from_any_key_on_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "CUT_ABOVE", 20)
    monkeypatch.setattr(ranges, "cut_source_of", lambda at: _Keys(FLAT) if at.uri.startswith("s3://") else None)
    parts = parts_of_source("s3://b/in/")
    assert len(parts) > 5
    assert all(isinstance(part, ranges.PartOfSource) and part.spec == "s3://b/in/" for part in parts)
    assert parts_of_source("s3://b/in/000.pdf") == ["s3://b/in/000.pdf"], "an object"
    assert parts_of_source("file:///in/") == ["file:///in/"], "a store that lists in no order"
