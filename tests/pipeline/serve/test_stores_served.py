"""Tables and documents in a store, and the output of a crawl."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.serve import library as library_module
from pdfmill.pipeline.serve.app import Site, make_app
from pdfmill.pipeline.serve.library import Library
from pdfmill.pipeline.serve.pictures import PictureDesk
from pdfmill.pipeline.serve.search_page import LiveIndex
from pdfmill.transforms.road.job_settings import ReadSettings
from tests.pipeline.serve.started import started
from tests.pipeline.test_index import letter
from tests.servers import S3Server

pytestmark = pytest.mark.servers


def a_client(output: str, desk: PictureDesk) -> TestClient:
    library = Library(output)
    return TestClient(make_app(Site(library, LiveIndex(output, lambda: library.version), desk)), base_url="http://127.0.0.1")


def test_tables_and_sources_in_a_store(s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # where the index of tables in a store is
    bucket = s3_server.make_bucket({"in/letter.pdf": letter(2), "in/other.pdf": letter(1, note="other")})
    output = f"s3://{bucket}/out"
    # processes of their own: guarded ones keep the environment that the first of them was started in
    index = [sys.executable, "-m", "pdfmill", "index", f"s3://{bucket}/in/", "--output", output]
    assert subprocess.run(index, env=os.environ, check=False, capture_output=True).returncode == 0
    ids = {str(row["source_uri"]).rpartition("/")[2]: row["doc_id"] for row in Library(output).listed(None, 0, 9)[0]}
    doc_id, other = ids["letter.pdf"], ids["other.pdf"]
    with started(output) as address, httpx2.Client(base_url=address, timeout=60) as client:
        assert client.get("/?q=engine").text.count("<article") == 3
        page = client.get(f"/document/{doc_id}/page/2?q=engine").text
        assert '<rect class="match' in page
        assert f"s3://{bucket}/in/letter.pdf" in page
        assert client.get(f"/document/{doc_id}/page/2/900.png").headers["content-type"] == "image/png"
        assert client.get(f"/document/{doc_id}/original").content == letter(2)
        s3_server.put(bucket, "in/other.pdf", letter(1, note="anew"))
        assert client.get(f"/document/{other}/page/1/900.png").headers["content-type"].startswith("image/svg+xml")
        changed = client.get(f"/document/{other}/page/1?q=engine").text
        assert "has changed since it was read" in changed
        assert "Letter 1 other" in changed
        assert client.get(f"/document/{other}/original").status_code == 502


def test_a_crawl_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "REFRESH_SECONDS", -1.0)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.pdf").write_bytes(letter(1, note="first"))
    (tmp_path / "crawl.toml").write_text(f'sources = ["{tmp_path}/in/"]\noutput = "{tmp_path}/out"\n')
    assert run(["crawl", str(tmp_path / "crawl.toml")]) == 0
    desk = PictureDesk(ReadSettings(), processes=1)
    try:
        client = a_client(str(tmp_path / "out"), desk)
        assert "one.pdf" in client.get("/?q=first").text
        assert "Nothing found" in client.get("/?q=second").text
        (tmp_path / "in" / "two.pdf").write_bytes(letter(1, note="second"))
        assert run(["crawl", str(tmp_path / "crawl.toml")]) == 0
        assert "two.pdf" in client.get("/?q=second").text
        assert client.get("/documents").text.count('class="to"') == 2
    finally:
        desk.close()
