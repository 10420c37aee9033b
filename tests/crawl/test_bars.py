"""A crawl of an S3 server: only what changed is read, the tables are those of a full run, and nothing is read twice."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pdfmill.pipeline.crawl.decide import Policy, Rules
from pdfmill.pipeline.crawl.listings import KeptListings
from pdfmill.pipeline.crawl.plan import expand, list_named
from pdfmill.transforms.delta.delta_log import load_snapshot
from pdfmill.transforms.storage.sessions import forget_clients
from tests.crawl.conftest import LoggingServer
from tests.crawl.help import configure, log_length, one_table, opened, snapshot_tables, tiny
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.servers import GcsServer

pytestmark = [pytest.mark.servers, pytest.mark.slow]

#: 10,000 in `make test-crawl`.
OBJECTS = int(os.environ.get("PDFMILL_CRAWL_OBJECTS", "200"))


def put_all(server: LoggingServer, bucket: str, objects: dict[str, bytes]) -> None:
    client = server.client()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda item: client.put_object(Bucket=bucket, Key=item[0], Body=item[1]), objects.items()))


def test_one_percent_changed_half_a_percent_removed(crawl_server: LoggingServer, tmp_path: Path) -> None:
    keys = [f"in/{number // 1000:02d}/{number:05d}.pdf" for number in range(OBJECTS)]
    source, out = crawl_server.make_bucket(), crawl_server.make_bucket()
    put_all(crawl_server, source, {key: tiny(key, 1 + number % 2) for number, key in enumerate(keys)})
    crawl = configure(tmp_path, f"s3://{source}/in/", f"s3://{out}/tables", options="batch_documents = 1000")
    first = crawl.report()
    assert (first["outcome"], first["plan"]) == ("committed", {"new": OBJECTS})

    changed, removed = keys[5::100], keys[7::200]
    put_all(crawl_server, source, {key: tiny(f"{key} again", 1) for key in changed})
    for key in removed:
        crawl_server.client().delete_object(Bucket=source, Key=key)
    since = log_length(crawl_server.log)
    second = crawl.report()
    assert second["plan"] == {"changed": len(changed), "gone": len(removed), "unchanged": OBJECTS - len(changed) - len(removed)}
    assert sorted(opened(crawl_server.log, since)) == changed

    before, after = load_snapshot(crawl.output, 0), load_snapshot(crawl.output)
    assert before.files.keys() <= after.files.keys(), "no part is written again"
    written = sum(file.size for path, file in after.files.items() if path not in before.files)
    share = written / sum(file.size for file in before.files.values())
    print(f"{share:.1%} of the table's bytes written")
    assert OBJECTS < 10_000 or share < 0.05  # of few documents the footers of Parquet files are the most

    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=OBJECTS - len(removed))
    full = f"s3://{out}/full"
    subprocess.run([sys.executable, "-m", "pdfmill", "index", crawl.source, "--output", full], check=True, capture_output=True)
    assert_same_tables(tables, read_tables(full))

    since = log_length(crawl_server.log)
    third = crawl.report()
    assert (third["outcome"], third["version"], opened(crawl_server.log, since)) == ("unchanged", 1, [])
    seconds = [sum(report["seconds"].values()) for report in (first, second, third)]
    print(f"{OBJECTS} objects: first run {seconds[0]:.1f} s, second {seconds[1]:.1f} s, third {seconds[2]:.2f} s")

    tombs = [row for row in one_table(crawl.output, "sources").to_pylist() if row["deleted_at"]]
    assert sorted(row["source_uri"].partition(f"{source}/")[2] for row in tombs) == removed
    assert snapshot_tables(crawl.output, 0)["documents"].num_rows == OBJECTS


def test_from_gcs_into_gcs(strict_gcs_server: GcsServer, tmp_path: Path) -> None:
    source, out = (
        strict_gcs_server.make_bucket({f"in/{number}.pdf": tiny(f"object {number}") for number in range(6)}),
        strict_gcs_server.make_bucket(),
    )
    crawl = configure(tmp_path, f"gs://{source}/in/", f"gs://{out}/tables")
    assert crawl.report()["plan"] == {"new": 6}
    strict_gcs_server.put(source, "in/0.pdf", tiny("again"))
    strict_gcs_server.client().bucket(source).blob("in/1.pdf").delete()
    assert crawl.report()["plan"] == {"changed": 1, "gone": 1, "unchanged": 4}
    snapshot = load_snapshot(crawl.output)
    assert (snapshot.version, sum(file.shown for file in snapshot.of("documents"))) == (1, 5)
    assert crawl.report()["outcome"] == "unchanged"


def test_workers_list_ranges_of_keys_side_by_side(crawl_server: LoggingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they list together is what one would, by the rules of the source; a range that fails hides no more than its source."""
    monkeypatch.setattr("pdfmill.transforms.storage.ranges.CUT_ABOVE", 5)
    bucket = crawl_server.make_bucket()
    put_all(crawl_server, bucket, {f"in/{letter}{number}.pdf": b"%PDF" for letter in "abc" for number in range(3)})
    source = f"s3://{bucket}/in/"
    policy = Policy("sig", datetime.now(UTC), sources={"minutes": Rules(exclude=("b*",))})
    items = [value for _, _, value in expand(policy, "minutes", source, cut=True)]
    assert len(items) > 2
    assert len({str(each) for each in items}) == len(items), "each goes its own way"
    listed = [ref.uri for named in items for tag, _, ref in list_named(policy, KeptListings("x"), "", named) if tag == "listed"]
    assert listed == [f"{source}{letter}{number}.pdf" for letter in "ac" for number in range(3)]
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    forget_clients()
    (failed,) = {unlisted.hides for named in items for _, _, unlisted in list_named(policy, KeptListings("x"), "", named)}
    assert failed == source
