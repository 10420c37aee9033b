"""What Dataflow is asked for, by a stand-in of the service that keeps the request; files go to a store that runs here."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from apache_beam.portability.api import beam_runner_api_pb2 as proto
from google.protobuf.json_format import ParseError

from pdfmill.pipeline.cli import submit
from pdfmill.pipeline.jobs.template import JOBS
from pdfmill.pipeline.run.staging import interrupted_runs
from pdfmill.transforms.storage.objects import list_files, read_file
from tests.pipeline.test_dataflow import ROOT, parameters
from tests.pipeline.test_dataflow import dataflow_client as dataflow_client

pytestmark = pytest.mark.servers
IMAGE = "europe-west1-docker.pkg.dev/my-project/search/pdfmill:0.1.0"


class Service:
    """Answers as Dataflow does to a new job (REST API v1b3, `projects.locations.jobs.create`). asked: paths and bodies. refuses: a
    status."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.refuses = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((self.path, body))
                told = {**body, "id": "2026-11-23_00_00_00-1", "currentState": "JOB_STATE_PENDING"}
                answer = json.dumps(
                    {"error": {"code": service.refuses, "message": "no such machine"}} if service.refuses else told
                ).encode()
                self.send_response(service.refuses or 200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("localhost", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://localhost:{self.server.server_port}"


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.server.shutdown()
    service.server.server_close()


def launch(service: Service, bucket: str, *more: str) -> int:
    """As Google's launcher of a flex template starts ours."""
    return submit.run(
        [
            f"--sources=gs://{bucket}/in/ gs://{bucket}/more/", f"--output=gs://{bucket}/tables", "--keep_furniture=true",
            "--runner=DataflowRunner", "--no_auth", f"--dataflow_endpoint={service.endpoint}", "--project=my-project",
            "--region=europe-west1", "--job_name=pdfmill-tonight", f"--temp_location=gs://{bucket}/temp",
            f"--staging_location=gs://{bucket}/staging", f"--sdk_container_image={IMAGE}", "--machine_type=n2-standard-2",
            "--max_num_workers=50", "--disk_size_gb=30", "--service_account_email=pdfmill@my-project.iam.gserviceaccount.com",
            "--resource_hints=min_ram=6GiB", *more,
        ]
    )  # fmt: skip


@pytest.mark.parametrize("command", JOBS)
def test_the_metadata_is_a_message_of_dataflow(command):
    """As Google's own client has it, which refuses fields and kinds that Dataflow does not know."""
    from google.cloud import dataflow_v1beta3 as dataflow

    file = (ROOT / "dataflow_templates" / JOBS[command].metadata_file).read_text(encoding="utf-8")
    described = dataflow.TemplateMetadata.from_json(file, ignore_unknown_fields=False)
    assert [each.name for each in described.parameters] == [*parameters(command)]
    assert all(each.param_type in dataflow.ParameterType for each in described.parameters)
    with pytest.raises(ParseError):
        dataflow.TemplateMetadata.from_json(file.replace('"helpText"', '"helptext"'), ignore_unknown_fields=False)


def test_a_launch_asks_the_service_for_one_batch_job(service, gcs_server):
    bucket = gcs_server.make_bucket({"in/a.pdf": b"not read here"})
    assert launch(service, bucket) == 0
    ((path, job),) = service.asked
    assert path.partition("?")[0] == "/v1b3/projects/my-project/locations/europe-west1/jobs"
    assert (job["name"], job["type"]) in (("pdfmill-tonight", "JOB_TYPE_BATCH"), ("pdfmill-tonight", 1))
    environment = job["environment"]
    assert environment["serviceAccountEmail"] == "pdfmill@my-project.iam.gserviceaccount.com"
    (pool,) = environment["workerPools"]
    assert (pool["machineType"], pool["diskSizeGb"], pool["autoscalingSettings"]["maxNumWorkers"]) == ("n2-standard-2", 30, 50)
    assert [each["containerImage"] for each in pool["sdkHarnessContainerImages"]] == [IMAGE]
    options = environment["sdkPipelineOptions"]["options"]
    staged = [uri for uri in list_files(f"gs://{bucket}/staging", "") if uri.endswith("pipeline.pb")]
    assert options["pipelineUrl"] == staged[0]
    graph = proto.Pipeline.FromString(read_file(staged[0]))
    assert {"CountShards/Sample", "WalkDocuments/Walk", "Publish"} <= {each.unique_name for each in graph.components.transforms.values()}
    (left,) = interrupted_runs(f"gs://{bucket}/tables")
    assert left.handed_over, "`pdfmill report` tells of the job from now on"


def test_a_job_that_the_service_refuses_leaves_nothing(service, gcs_server, capsys):
    bucket = gcs_server.make_bucket()
    service.refuses = 400
    assert launch(service, bucket) == 2
    assert "the engine did not accept the job" in capsys.readouterr().err
    assert interrupted_runs(f"gs://{bucket}/tables") == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("--max_pages=2.5", "--max-pages: '2.5' is not a whole number"),
        ("--max_pages=0", "--max-pages: 0 is less than 1"),
        ("--seconds_per_page=-1", "--seconds-per-page: '-1' is not a time in seconds"),
        ("--section_chars=99", "99 is less than 100"),
        ("--passwords=secret.txt", "the workers of Dataflow cannot see the files of this machine"),
        ("--output=tables", "the workers of Dataflow cannot write to this machine"),
        ("--environment_type=DOCKER", "--environment_type only has an effect with"),
    ],
)
def test_the_launcher_checks_what_the_command_checks(service, wrong, told, capsys):
    assert launch(service, "no-such-bucket", wrong) == 2
    assert told in capsys.readouterr().err
    assert service.asked == []


def test_a_launcher_without_an_engine_says_so(capsys):
    assert submit.run(["--sources=gs://archive/in/", "--output=gs://archive/tables"]) == 2
    assert "give --runner" in capsys.readouterr().err
