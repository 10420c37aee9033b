"""What a scheduler, a person and Prometheus are told of what fails."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.crawl import local_run
from pdfmill.transforms.storage.sources import list_source
from pdfmill.transforms.tables.lock import locked
from tests.crawl.help import Crawl, configure, tiny
from tests.crawl.test_keep import store_away
from tests.pipeline.test_index import with_attachment


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.pdf").write_bytes(tiny(f"document {number}"))
    (folder / "empty.pdf").write_bytes(b"")
    return folder


@pytest.fixture
def crawl(source: Path, tmp_path: Path) -> Crawl:
    return configure(tmp_path, str(source), str(tmp_path / "out"), crawl="retry_after_hours = 0")


def told(report: dict) -> tuple[int, int, int, int]:
    return report["exit_code"], report["failed_new"], report["failed_again"], report["failed_left"]


def test_what_fails_as_it_did_is_no_failure_of_the_run(crawl: Crawl, source: Path) -> None:
    first = crawl.report()
    assert told(first) == (1, 1, 0, 0)
    (failure,) = first["failures"]
    assert (failure["uri"].rpartition("/")[2], failure["status"], failure["error_code"]) == ("empty.pdf", "failed", "empty")
    assert told(crawl.report()) == (0, 0, 0, 1), "left alone"
    crawl.path.write_text(crawl.path.read_text() + 'hyphens = "off"\n')
    again = crawl.report()
    assert (told(again), again["failures"]) == ((0, 0, 1, 0), []), "read again, and as it was"
    (source / "empty.pdf").write_bytes(b"<html>now something else")
    assert told(crawl.report()) == (1, 1, 0, 0)
    (source / "0.pdf").write_bytes(tiny("changed"))
    with store_away("0.pdf"):
        stale = crawl.report()
        assert (told(stale), stale["failures"][0]["status"]) == ((1, 1, 0, 1), "stale")
        assert told(crawl.report()) == (0, 0, 1, 1)
    (source / "empty.pdf").write_bytes(tiny("good"))
    assert told(crawl.report()) == (0, 0, 0, 0)


def test_the_report_names_what_fails_and_since_when(crawl: Crawl, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun = crawl.report()["started"]
    (source / "0.pdf").write_bytes(tiny("changed"))
    with store_away("0.pdf"):
        crawl.report()
    capsys.readouterr()
    assert run(["report", crawl.output, "--failing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2:4] for line in lines[:-1]] == [["failed", "empty"], ["stale", "store_error"]]
    assert lines[0].startswith(begun[:16].replace("T", " "))
    assert lines[-1] == "1 failed empty, 1 stale store_error"
    listed = tmp_path / "failing.txt"
    assert run(["report", crawl.output, "--failing", "--json", "--list", str(listed)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert (rows[0]["uri"].rpartition("/")[2], rows[0]["since"]) == ("empty.pdf", begun)
    refs = list(list_source(f"@{listed}"))
    assert [(ref.uri.rpartition("/")[2], ref.failure) for ref in refs] == [("0.pdf", None), ("empty.pdf", None)]
    assert run(["report", crawl.output, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stale"] == 1


def test_metrics_are_what_prometheus_reads(crawl: Crawl, tmp_path: Path) -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    path = tmp_path / "crawl.prom"
    report = crawl.report("--metrics", str(path))
    values = {
        (sample.name.removeprefix("pdfmill_crawl_"), *sample.labels.values()): sample.value
        for family in parser.text_string_to_metric_families(path.read_text())
        for sample in family.samples
    }
    assert values["exit_code",] == report["exit_code"] == 1
    assert values["objects", "new"] == 4
    assert (values["read_documents", "ok"], values["read_documents", "failed"]) == (3, 1)
    assert (values["failing_documents", "new"], values["failing_documents", "left"]) == (1, 0)
    assert values["run_seconds", "read"] == report["seconds"]["read"]
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("crawl.prom")] == ["crawl.prom"]


def samples(path: Path) -> dict[str, float]:
    """Numbers of a file for Prometheus that have no label."""
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#") and "{" not in line]
    return {name.removeprefix("pdfmill_crawl_"): float(number) for name, number in lines}


def test_every_end_is_told_with_the_code_that_is_returned(crawl: Crawl, source: Path, tmp_path: Path) -> None:
    path = tmp_path / "crawl.prom"
    (source / "empty.pdf").unlink()
    assert crawl.report("--metrics", str(path))["exit_code"] == 0
    good = samples(path)
    assert (good["exit_code"], good["last_success_seconds"]) == (0, good["run_end_seconds"])
    with locked(crawl.output):
        busy = crawl.report("--metrics", str(path))
    assert (busy["exit_code"], busy["run"]) == (6, "")
    assert (samples(path)["exit_code"], samples(path)["last_success_seconds"]) == (6, good["run_end_seconds"])
    config = crawl.path.read_text()
    crawl.path.write_text(config.replace(f'output = "{crawl.output}"', f'output = "{source}/0.pdf/out"'))
    away = crawl.report("--metrics", str(path))
    assert away["exit_code"] == samples(path)["exit_code"] == 2
    assert away["message"].startswith("SourceError: ")
    crawl.path.write_text("nonsense")
    assert "UsageError" in crawl.report("--metrics", str(path))["message"]
    assert samples(path)["last_success_seconds"] == good["run_end_seconds"]
    crawl.path.write_text(config)
    assert crawl.report("--metrics", str(path))["exit_code"] == 0
    assert samples(path)["last_success_seconds"] == samples(path)["run_end_seconds"] >= good["run_end_seconds"]


def test_an_interrupted_run_is_told(crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(local_run, "run_batch", interrupted)
    told = tmp_path / "told.json"
    with pytest.raises(KeyboardInterrupt):
        run(["crawl", str(crawl.path), "--report", str(told), "--metrics", str(tmp_path / "crawl.prom")])
    report = json.loads(told.read_text())
    assert (report["exit_code"], samples(tmp_path / "crawl.prom")["exit_code"]) == (130, 130)
    assert json.loads(next(Path(crawl.output, "_pdfmill/reports").glob("*.json")).read_text()) == report


def test_files_that_could_not_be_written_are_refused_at_once(crawl: Crawl, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["crawl", str(crawl.path), "--metrics", str(tmp_path / "nowhere/crawl.prom")])
    assert "there is no folder" in capsys.readouterr().err
    assert not Path(crawl.output).exists()


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportMetricsServiceRequest]]]:
    """A collector that decodes what it is sent."""
    got: list[ExportMetricsServiceRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert (self.path, self.headers["Content-Type"]) == ("/v1/metrics", "application/x-protobuf")
            got.append(ExportMetricsServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *given: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", got
        server.shutdown()


def test_metrics_are_what_a_collector_of_opentelemetry_decodes(
    crawl: Crawl,
    collector: tuple[str, list[ExportMetricsServiceRequest]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    address, got = collector
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=nightly")
    report = crawl.report("--otel")
    ((resource,),) = (each.resource_metrics for each in got)
    told = {each.key: each.value.string_value for each in resource.resource.attributes}
    assert (told["service.name"], told["deployment.environment"]) == ("pdfmill", "nightly")
    values = {
        (metric.name.removeprefix("pdfmill.crawl."), *(each.value.string_value for each in point.attributes)): point.as_int
        or point.as_double
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.gauge.data_points
    }
    assert values["exit_code",] == report["exit_code"] == 1
    assert values["objects", "new"] == 4
    assert (values["read_documents", "ok"], values["failing_documents", "new"]) == (3, 1)
    assert values["run_seconds", "read"] == report["seconds"]["read"]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    assert crawl.report("--otel")["exit_code"] == 0, "it costs a warning"
    assert "no OpenTelemetry collector accepted the metrics" in caplog.text


def test_small_parts_are_put_together_by_the_run(crawl: Crawl, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\ncompact_parts = 4"))
    for number in range(5):
        (source / "0.pdf").write_bytes(tiny(f"changed {number}"))
        crawl.report()
    assert "files were merged" in capsys.readouterr().out
    parts = {path.stem for path in Path(crawl.output).rglob("*.parquet") if "whole" in path.stem}
    assert parts
    assert crawl.report()["outcome"] == "unchanged"


def test_exported_attachments_go_with_their_last_document(crawl: Crawl, source: Path) -> None:
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nkeep_days = 0\nupkeep = false"))
    for name in ("cover 1.pdf", "cover 2.pdf"):
        (source / name).write_bytes(with_attachment(tiny("inner", 2)) + name.encode())
    crawl.report()
    exported = Path(crawl.output, "_files")
    files = [path for path in exported.rglob("*") if path.is_file()]
    assert len(files) == 1
    for name, left in (("cover 1.pdf", 1), ("cover 2.pdf", 0)):
        (source / name).unlink()
        crawl.report()
        assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
        assert len([path for path in exported.rglob("*") if path.is_file()]) == left


def test_vacuum_spares_a_run_that_writes_longer_than_files_are_kept(crawl: Crawl) -> None:
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nkeep_days = 1"))
    crawl.report()
    folder = Path(crawl.output, "table_name=pages")
    old, young = (folder / f"20200101T000000000000Z-1f2e3d4c-0000{number}.parquet" for number in range(2))
    dead = folder / "20200101T000000000000Z-00000000-00000.parquet"
    days_ago = time.time() - 3 * 86400
    for path in (old, young, dead):
        path.write_bytes(b"part")
    for path in (old, dead):
        os.utime(path, (days_ago, days_ago))
    assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
    assert (old.exists(), young.exists(), dead.exists()) == (True, True, False)
