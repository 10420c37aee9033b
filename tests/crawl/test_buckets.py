"""Crawls over real buckets: objects in archive classes, and stores that are asked in different ways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pdfmill.pipeline.crawl.config import load_config
from pdfmill.pipeline.options.options import UsageError
from pdfmill.transforms.storage.sessions import forget_clients
from tests.crawl.help import Crawl, snapshot_tables, tiny
from tests.crawl.test_keep import clock
from tests.servers import S3Server, free_port, gate_before, versitygw

pytestmark = pytest.mark.servers


def documents(crawl: Crawl) -> dict[str, tuple[str, str | None]]:
    rows = snapshot_tables(crawl.output)["documents"].to_pylist()
    return {row["file_name"]: (row["status"], row["error_code"]) for row in rows}


def test_a_night_asks_for_no_cold_object_and_reads_it_when_it_is_back(s3_server: S3Server, tmp_path: Path) -> None:
    bucket, client = s3_server.make_bucket({"in/a.pdf": tiny("warm")}), s3_server.client()
    client.put_object(Bucket=bucket, Key="in/b.pdf", Body=tiny("cold"), StorageClass="DEEP_ARCHIVE")
    path = tmp_path / "crawl.toml"
    with gate_before(s3_server.endpoint) as gate:
        store = f'[[store]]\nat = "s3://{bucket}/"\nendpoint = "{gate.endpoint}"\n'
        path.write_text(f'sources = ["s3://{bucket}/in/"]\noutput = "out"\n{store}[options]\nno_isolation = true\n')
        crawl = Crawl(path, "", str(tmp_path / "out"))
        begin = datetime.now(UTC)
        assert crawl.report()["exit_code"] == 1
        assert documents(crawl) == {"a.pdf": ("ok", None), "b.pdf": ("failed", "archived")}
        for day in (1, 2):
            with clock(begin + timedelta(day)):
                assert crawl.report()["outcome"] == "unchanged"
        assert [what for what in gate.seen if "b.pdf" in what[1]] == []
        client.copy_object(Bucket=bucket, Key="in/a.pdf", CopySource=f"{bucket}/in/a.pdf", StorageClass="GLACIER", MetadataDirective="COPY")
        client.restore_object(Bucket=bucket, Key="in/b.pdf", RestoreRequest={"Days": 1})
        client.copy_object(Bucket=bucket, Key="in/b.pdf", CopySource=f"{bucket}/in/b.pdf", StorageClass="STANDARD")
        with clock(begin + timedelta(3)):
            assert crawl.report()["exit_code"] == 0
    assert documents(crawl)["a.pdf"] == ("ok", None)
    assert documents(crawl)["b.pdf"] == ("ok", None)


def test_source_and_output_of_a_crawl_with_different_accounts(
    strict_s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = strict_s3_server.make_bucket({"a.pdf": tiny("text")})
    other = S3Server(f"http://127.0.0.1:{free_port()}", "otherkey", "othersecret12")
    with versitygw(other, tmp_path):
        out = other.make_bucket()
        for name, value in other.environment.items():
            monkeypatch.setenv(f"OTHER_{name}", value)
        path = tmp_path / "crawl.toml"
        store = f'[[store]]\nat = "s3://{out}/"\nvariables = "OTHER_"\n'
        path.write_text(f'sources = ["s3://{bucket}/"]\noutput = "s3://{out}/tables"\n{store}')
        crawl = Crawl(path, "", f"s3://{out}/tables")
        try:
            assert crawl.report()["exit_code"] == 0
            keys = [each["Key"] for each in other.client().list_objects_v2(Bucket=out)["Contents"]]
        finally:
            forget_clients()
    assert any("_delta_log" in key for key in keys)
    path.write_text(path.read_text().replace("variables", "varables"))
    with pytest.raises(UsageError, match="varables"):
        load_config(str(path))
