"""Objects at another address keep their reading: the tables are those of a crawl that reads them there, and nothing is read."""

from __future__ import annotations

import io
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.crawl.help import Crawl, configure, one_table, snapshot_tables, tiny
from tests.crawl.test_keep import clock
from tests.invariants import check_invariants
from tests.servers import S3Server


def holding(text: str, *children: bytes) -> bytes:
    """A PDF with other PDFs attached."""
    sink = io.BytesIO()
    with pikepdf.open(io.BytesIO(tiny(text))) as pdf:
        for number, child in enumerate(children):
            pdf.attachments[f"{number}.pdf"] = pikepdf.AttachedFileSpec(pdf, child, filename=f"{number}.pdf")
        pdf.save(sink, deterministic_id=True)
    return sink.getvalue()


def objects() -> dict[str, bytes]:
    """Fourteen: two with the same bytes, and one with PDFs in PDFs."""
    made = {f"{number:02d}.pdf": tiny(f"number {number}", 1 + number % 3) for number in range(12)}
    nested = holding("outer", tiny("first inside"), holding("second inside", tiny("inside the inside")))
    return made | {"same.pdf": made["03.pdf"], "nested.pdf": nested}


def rows(output: str) -> dict[str, list[dict[str, Any]]]:
    tables = snapshot_tables(output)
    check_invariants(tables)
    told = {}
    for table in ("documents", "pages", "blocks", "sections", "assets"):
        key = [name for name in ("doc_id", "page", "block", "section", "asset") if name in tables[table].column_names]
        plain = tables[table].to_pylist()
        for row in plain if table == "assets" else ():
            row["uri"] = row["uri"] and row["uri"].rpartition("/")[2]
        told[table] = sorted(plain, key=lambda row: [str(row[name]) for name in key])
    return told


def put(folder: Path, data: dict[str, bytes], mtime: float) -> None:
    folder.mkdir(parents=True)
    for name, each in data.items():
        (folder / name).write_bytes(each)
        os.utime(folder / name, (mtime, mtime))


def test_a_moved_folder_is_not_read_again(tmp_path: Path) -> None:
    put(tmp_path / "in" / "old", objects(), 1_700_000_000)
    crawl = configure(tmp_path, f"{tmp_path}/in", str(tmp_path / "out"), options="batch_documents = 5")
    assert crawl.report()["statuses"] == {"ok": 16}
    before = {row["doc_id"] for row in rows(crawl.output)["documents"]}
    (tmp_path / "in" / "old").rename(tmp_path / "in" / "new")
    report = crawl.report()
    assert (report["plan"], report["statuses"], report["exit_code"]) == ({"moved": 14}, {}, 0)
    _equals_a_fresh_crawl(crawl, tmp_path)
    changes = [row for row in one_table(crawl.output, "changes").to_pylist() if row["snapshot"] == report["version"]]
    moved = {row["doc_id"]: row["moved_from"] for row in changes if row["moved_from"]}
    assert set(moved.values()) <= before
    assert len(moved) == 13  # the one with the same bytes refers to another
    assert {row["change"] for row in changes} == {"added", "removed"}
    assert crawl.report()["outcome"] == "unchanged"
    (tmp_path / "in" / "new").rename(tmp_path / "in" / "old")
    assert crawl.report()["plan"] == {"moved": 14}
    _equals_a_fresh_crawl(crawl, tmp_path)


def _equals_a_fresh_crawl(crawl: Crawl, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    (fresh / "crawl.toml").write_text(crawl.path.read_text().replace(f'"{crawl.output}"', f'"{fresh}/out"'))
    other = Crawl(fresh / "crawl.toml", crawl.source, str(fresh / "out"))
    other.report()
    wanted, told = rows(other.output), rows(crawl.output)
    for table in wanted:
        if table == "documents":  # of objects with the same bytes either may be the one that was read
            assert {row["doc_id"] for row in told[table]} == {row["doc_id"] for row in wanted[table]}
        spared = {row["doc_id"] for each in (told, wanted) for row in each["documents"] if row["duplicate_of"]}
        spared |= {row["duplicate_of"] for each in (told, wanted) for row in each["documents"]}
        assert [row for row in told[table] if row["doc_id"] not in spared] == [row for row in wanted[table] if row["doc_id"] not in spared]


def test_a_moved_prefix_of_s3(s3_server: S3Server, tmp_path: Path) -> None:
    made = objects()
    bucket, client = s3_server.make_bucket({f"in/{name}": data for name, data in made.items()}), s3_server.client()
    crawl = configure(tmp_path, f"s3://{bucket}/", str(tmp_path / "out"))
    crawl.report()
    for name in made:
        client.copy_object(Bucket=bucket, Key=f"customer/{name}", CopySource=f"{bucket}/in/{name}")
        client.delete_object(Bucket=bucket, Key=f"in/{name}")
    client.put_object(Bucket=bucket, Key="customer/new.pdf", Body=tiny("really new"))
    report = crawl.report()
    assert (report["plan"], report["statuses"], report["exit_code"]) == ({"new": 1, "moved": 14}, {"ok": 1}, 0)
    _equals_a_fresh_crawl(crawl, tmp_path)


def test_what_only_looks_moved_is_read_and_the_old_rows_stay_a_night(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.pdf": tiny("one"), "b.pdf": tiny("two"), "c.pdf": tiny("three")}, 1_700_000_000)
    crawl = configure(tmp_path, f"{tmp_path}/in", str(tmp_path / "out"))
    crawl.report()
    (tmp_path / "in" / "a.pdf").unlink()
    (tmp_path / "in" / "d.pdf").write_bytes(tiny("one").replace(b"(opensource)", b"(OPENSOURCE)"))
    os.utime(tmp_path / "in" / "d.pdf", (1_700_000_000, 1_700_000_000))
    report = crawl.report()
    assert (report["plan"], report["statuses"]) == ({"unchanged": 2, "moved": 1}, {"ok": 1})
    assert names(crawl) == ["a.pdf", "b.pdf", "c.pdf", "d.pdf"]
    assert crawl.report()["plan"] == {"unchanged": 3, "gone": 1}
    assert names(crawl) == ["b.pdf", "c.pdf", "d.pdf"]


def names(crawl: Crawl) -> list[str]:
    return sorted(row["file_name"] for row in rows(crawl.output)["documents"])


def test_of_a_source_that_is_away_nothing_has_moved(tmp_path: Path) -> None:
    """What cannot be listed may still be there: a copy elsewhere is a copy."""
    put(tmp_path / "one", {"a.pdf": tiny("one")}, 1_700_000_000)
    put(tmp_path / "two", {"b.pdf": tiny("two")}, 1_700_000_000)
    crawl = configure(tmp_path, "", str(tmp_path / "out"))
    crawl.path.write_text(crawl.path.read_text().replace('[""]', f'["{tmp_path}/one", "{tmp_path}/two"]'))
    crawl.report()
    (tmp_path / "one").rename(tmp_path / "away")
    shutil.copy2(tmp_path / "away" / "a.pdf", tmp_path / "two" / "a.pdf")
    assert crawl.report()["plan"]["gone"] == 1
    assert names(crawl) == ["a.pdf", "a.pdf", "b.pdf"]


@pytest.mark.parametrize("marks", ["true", "false"])
def test_a_move_keeps_first_sight_and_settings_of_the_reading(tmp_path: Path, marks: str) -> None:
    put(tmp_path / "in", {"a.pdf": tiny("one")}, 1_700_000_000)
    crawl = configure(tmp_path, f"{tmp_path}/in", str(tmp_path / "out"), crawl=f"mark_deletes = {marks}")
    crawl.report()
    (before,) = one_table(crawl.output, "sources").to_pylist()
    (tmp_path / "in" / "a.pdf").rename(tmp_path / "in" / "b.pdf")
    with clock(datetime.now(UTC) + timedelta(1)):
        assert crawl.report()["plan"] == {"moved": 1}
    (after,) = [row for row in one_table(crawl.output, "sources").to_pylist() if row["deleted_at"] is None]
    told = {name for name in before if before[name] != after[name]}
    assert told == {"doc_id", "root_doc_id", "source_uri"}


def _with_base(crawl: Crawl, source: Path, id_base: Path | None) -> None:
    """The configuration with one source that has a name, at this folder."""
    head, _, rest = crawl.path.read_text().partition("[crawl]")
    told = f'\nid_base = "{id_base}/"' if id_base else ""
    output = next(line for line in head.splitlines() if line.startswith("output"))
    options = rest.partition("[[source]]")[0]
    crawl.path.write_text(f'{output}\n[crawl]{options}\n[[source]]\nname = "archive"\nfrom = "{source}"{told}\n')


def test_a_source_with_an_id_base_keeps_its_ids_where_it_moves(tmp_path: Path) -> None:
    """Nothing is read but what has changed; rows have the new addresses under the old ids, and the feed says that no text is another."""
    put(tmp_path / "old", objects(), 1_700_000_000)
    crawl = configure(tmp_path, "", str(tmp_path / "out"), options="batch_documents = 5")
    _with_base(crawl, tmp_path / "old", None)
    assert crawl.report()["statuses"] == {"ok": 16}
    before = {row["doc_id"]: row["source_uri"] for row in rows(crawl.output)["documents"]}
    sections = {row["id"] for row in rows(crawl.output)["sections"]}
    (tmp_path / "old").rename(tmp_path / "new")
    (tmp_path / "new" / "05.pdf").write_bytes(tiny("another text", 3))
    os.utime(tmp_path / "new" / "06.pdf", (1_700_000_001, 1_700_000_001))  # which may be another: only its bytes would tell
    _with_base(crawl, tmp_path / "new", tmp_path / "old")
    report = crawl.report()
    assert (report["plan"], report["statuses"], report["exit_code"]) == ({"moved": 12, "changed": 2}, {"ok": 2}, 0)
    after = {row["doc_id"]: row["source_uri"] for row in rows(crawl.output)["documents"]}
    assert after == {doc_id: uri.replace("/old/", "/new/") for doc_id, uri in before.items()}
    assert len(sections & {row["id"] for row in rows(crawl.output)["sections"]}) >= len(sections) - 2
    changes = [row for row in one_table(crawl.output, "changes").to_pylist() if row["snapshot"] == report["version"]]
    assert {row["change"] for row in changes} == {"replaced"}
    assert {row["source_uri"].rpartition("/")[2] for row in changes if row["text_changed"]} == {"05.pdf"}
    assert crawl.report()["outcome"] == "unchanged"
    for name in ("01.pdf", "02.pdf"):
        (tmp_path / "new" / name).unlink()
    assert crawl.report()["plan"] == {"unchanged": 12, "gone": 2}
    roots = {row["doc_id"]: row["root_doc_id"] for row in one_table(crawl.output, "sources").to_pylist() if not row["deleted_at"]}
    assert set(roots.values()) <= set(roots), "embedded documents belong to the object under its id"
