"""The flex template and the job graph that Dataflow would get, made offline and without credentials."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_runner_api_pb2 as proto
from apache_beam.runners.dataflow.dataflow_runner import DataflowRunner

from pdfmill.pipeline.cli import submit
from pdfmill.pipeline.crawl.config import SETTINGS, load_config, parse_crawl
from pdfmill.pipeline.jobs.template import JOBS, LOCAL_ONLY, command_line, metadata, template_options
from pdfmill.pipeline.options.options import INDEX_OPTIONS, OPTIONS, PRINT_OPTIONS, UsageError, index_parser, parse_index
from pdfmill.schemas.extras import FOR_WORKERS_VARIABLE
from pdfmill.transforms.delta.delta_log import Snapshot
from pdfmill.transforms.tables.lock import Holder
from tests.servers import fetching, unavailable

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = [
    "--runner=DataflowRunner", "--dry_run=True", "--no_auth", "--project=my-project", "--region=europe-west1",
    "--temp_location=gs://pdfmill-test/temp", "--staging_location=gs://pdfmill-test/staging",
]  # fmt: skip
JOB = ["--sources=gs://archive/2026/,gs://archive/list.pdf", "--output=gs://pdfmill-test/tables", "--shards=8"]
STEPS = [
    "Sources", "FindDocuments", "WalkDocuments", "WriteDocuments", "ReadRanges", "StructureBooks", "WriteBooks", "Written", "All written",
    "Every table", "Keep record", "Publish",
]  # fmt: skip


@pytest.fixture(autouse=True)
def dataflow_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the extra `dataflow`: not in the environment of the tests, for Beam imports it in every process that finds it."""
    folder = ROOT / ".tools" / "dataflow"
    with fetching():
        if not folder.exists():
            pin = re.search(r"^google-cloud-dataflow-client==.*$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
            assert pin is not None
            with tempfile.TemporaryDirectory(dir=_made(folder.parent)) as fresh:
                install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", f"--target={fresh}/client", pin[0]]
                if subprocess.run(install, check=False).returncode:
                    unavailable(f"{pin[0]} cannot be installed")
                Path(fresh, "client").rename(folder)
    monkeypatch.syspath_prepend(folder)


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def graph_of(monkeypatch: pytest.MonkeyPatch):
    """The pipeline that Dataflow would run, for a launcher started with these parameters."""
    monkeypatch.setattr("pdfmill.pipeline.engine.engine.holder_of", lambda output: None)  # no store is asked

    def graph_of(*parameters: str) -> proto.Pipeline:
        runner = DataflowRunner()
        assert submit.run([*JOB, *OFFLINE, *parameters], runner) == 0
        graph: proto.Pipeline = runner.proto_pipeline
        return graph

    return graph_of


def parameters(command: str = "index") -> dict[str, dict[str, Any]]:
    described: Any = metadata(command)["parameters"]
    return {parameter["name"]: parameter for parameter in described}


@pytest.mark.parametrize("command", JOBS)
def test_the_metadata_file_is_what_the_options_say(command):
    told = "run python dataflow_templates/generate.py"
    assert json.loads((ROOT / "dataflow_templates" / JOBS[command].metadata_file).read_text(encoding="utf-8")) == metadata(command), told


@pytest.mark.parametrize("command", JOBS)
def test_every_flag_is_a_parameter_with_its_help(command):
    flags = {option.name: option for option in template_options(command)}
    assert set(parameters(command)) == {option.name for option in (*OPTIONS, *JOBS[command].more)} - LOCAL_ONLY | {"sources"}
    assert {option.name for option in OPTIONS} >= LOCAL_ONLY
    for name, parameter in parameters(command).items():
        assert name == "sources" or parameter["helpText"].startswith(flags[name].help), name
        assert parameter["isOptional"] == (name not in ("sources", "output"))
        assert parameter["label"]
        assert parameter["groupName"]


@pytest.mark.parametrize("command", JOBS)
def test_defaults_pass_their_own_patterns_and_the_parser(command):
    for name, parameter in parameters(command).items():
        default = parameter.get("defaultValue")
        if default is not None:
            assert all(re.match(pattern, default) for pattern in parameter.get("regexes", [])), name
            if parameter["paramType"] == "ENUM":
                assert default in [option["value"] for option in parameter["enumOptions"]]
    words = command_line(
        [*JOB[:2], *(f"--{name}={each['defaultValue']}" for name, each in parameters(command).items() if "defaultValue" in each)]
    )
    plain, more = ["gs://archive/2026/", "gs://archive/list.pdf", JOB[1]], JOBS[command].more
    assert vars(parse_index(words, more)[0]) == vars(parse_index(plain, more)[0])


def test_options_of_a_crawl_are_the_keys_of_its_configuration(tmp_path):
    (tmp_path / "c.toml").write_text(
        'sources = ["gs://a/"]\noutput = "gs://b/out"\n[crawl]\nmax_attempts = 3\nredo = false\n'
        'keep_days = 3.0\nupkeep = false\nmark_deletes = false\n[options]\nhyphens = "off"\n'
    )
    file = load_config(str(tmp_path / "c.toml"))
    switches = ("--no_redo", "--no_upkeep", "--no_mark_deletes", "--allow_mass_delete")
    config, allowed = parse_crawl(["gs://a/", "--output=gs://b/out", "--max_attempts=3", "--keep_days=3", "--hyphens=off", *switches])
    assert allowed
    assert (config.sources, config.output, config.settings) == (file.sources, file.output, file.settings)
    assert config.signature() == file.signature()
    for wrong in ("--max_attempts=0", "--max_delete_share=-1", "--max_delete_share=nan"):
        with pytest.raises(UsageError, match=wrong.partition("=")[0]):
            parse_crawl(["gs://a/", "--output=gs://b/out", wrong])


def test_a_job_has_all_settings_of_a_crawl_but_those_of_several_snapshots():
    names = {name.removeprefix("no_") for name in parameters("crawl")}
    left_out = SETTINGS.keys() - names
    assert left_out == {"max_hours", "snapshot_documents"}
    told = (ROOT / "dataflow_templates" / "README.md").read_text(encoding="utf-8")
    assert "`max_hours` and `snapshot_documents`, by which a command makes several snapshots, are no parameters" in told
    for name in left_out:
        with pytest.raises(UsageError, match=f"--{name}"):
            parse_crawl(["gs://a/", "--output=gs://b/out", f"--{name}=3"])


def test_what_is_for_a_command_that_waits_is_no_parameter_of_a_job():
    told = (ROOT / "dataflow_templates" / "README.md").read_text(encoding="utf-8")
    (line,) = (line for line in told.splitlines() if line.endswith("because no command waits for the job's end."))
    assert set(re.findall(r"`(\w+)`", line)) == {option.name for option in PRINT_OPTIONS}
    assert not {option.name for option in PRINT_OPTIONS} & parameters().keys()


def test_a_crawl_is_one_job(monkeypatch):
    monkeypatch.setattr("pdfmill.pipeline.crawl.local_run.load_snapshot", lambda output: Snapshot(version=3))  # no store is asked
    monkeypatch.setattr("pdfmill.pipeline.crawl.local_run.unlisted_before", lambda output: ())
    runner = DataflowRunner()
    assert submit.run_crawl([*JOB, *OFFLINE, "--retry_after_hours=6", "--allow_mass_delete=true"], runner) == 0
    graph = runner.proto_pipeline
    names = {
        each.unique_name.removesuffix("/ParDo(_Call)")
        for each in graph.components.transforms.values()
        if each.spec.urn == "beam:transform:pardo:v1"
    }
    assert {"find_documents", "ReadRanges/Read", "FinishParts/Write", "bury", "cut", "point", "commit"} <= names
    (root,) = (graph.components.transforms[name] for name in graph.root_transform_ids)
    last = [graph.components.transforms[each].unique_name for each in root.subtransforms[-2:]]
    assert last == ["commit", "upkeep"], "the commit comes last, and what may be left to the next run"
    assert submit.run_crawl([*JOB, *OFFLINE, "--max_attempt=6"], DataflowRunner()) == 2


def test_the_body_that_cloud_scheduler_posts():
    script = (ROOT / "examples" / "cloud-scheduler.sh").read_text(encoding="utf-8")
    body = json.loads(script.partition("<<JSON\n")[2].partition("\nJSON\n")[0])
    given = body["launchParameter"]["parameters"]
    assert set(given) <= {*parameters("crawl"), "sdk_container_image"}
    for name, value in given.items():
        for pattern in parameters("crawl").get(name, {}).get("regexes", []):
            assert re.match(pattern, value.replace("$BUCKET", "bucket")), name


@pytest.mark.parametrize(
    "source", ["gs://b/in/", "s3://b/**/*.pdf", "az://c/in/", "https://x.org/a.pdf", "@gs://b/list.txt", "gs://a/x.pdf, gs://b/y,z.pdf"]
)
def test_sources_that_the_pattern_takes(source):
    assert re.match(parameters()["sources"]["regexes"][0], source)
    assert not re.match(parameters()["sources"]["regexes"][0], "in/reports")


def test_the_command_line_of_a_launcher():
    assert command_line(["--sources=gs://a/x,1.pdf gs://b/", "--keep_furniture=FALSE", "--passwords="]) == ["gs://a/x,1.pdf", "gs://b/"]
    with pytest.raises(UsageError, match="keep_furniture must be true or false"):
        command_line(["--keep_furniture=perhaps"])


def test_a_launcher_with_a_wrong_parameter_says_so(capsys):
    assert submit.run([*JOB, "--shard=8"]) == 2
    assert "did you mean --shards" in capsys.readouterr().err


def test_a_job_into_a_folder_that_another_run_writes_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(
        "pdfmill.pipeline.engine.engine.holder_of", lambda output: Holder("there", "m", 7, "1", "2026-11-22T13:00:00+00:00")
    )
    assert submit.run([*JOB, *OFFLINE], DataflowRunner()) == 2
    assert "process 7 on there, since 2026-11-22T13:00:00+00:00" in capsys.readouterr().err


def test_the_steps_have_the_names_of_the_road(graph_of):
    graph = graph_of()
    (root,) = (graph.components.transforms[name] for name in graph.root_transform_ids)
    assert [graph.components.transforms[name].unique_name for name in root.subtransforms] == STEPS
    leaves = [each.unique_name for each in graph.components.transforms.values() if each.spec.urn == "beam:transform:pardo:v1"]
    assert {"ReadRanges/Read", "StructureBooks/Structure", "WriteBooks/Write", "WalkDocuments/Walk"} <= set(leaves)
    assert "WriteDocuments/Write/ParDo(_Write)" in leaves  # two outputs
    redistributed = [each.unique_name for each in graph.components.transforms.values() if each.spec.urn == "beam:transform:reshuffle:v1"]
    assert redistributed == [], "by key, not at random: see pdfmill.transforms.steps.redistribute"


def shown_by(graph: proto.Pipeline) -> dict[str, dict[str, object]]:
    """What the page of each step shows of it: its display data by key."""
    steps: dict[str, dict[str, object]] = {}
    for each in graph.components.transforms.values():
        items = [proto.LabelledPayload.FromString(item.payload) for item in each.display_data]
        steps[each.unique_name] = {item.key: getattr(item, item.WhichOneof("value")) for item in items}
    return steps


def test_the_pages_of_the_steps_show_the_options(graph_of):
    given = {
        "seconds_per_page": 12.5, "max_memory": 1 << 30, "pages_per_range": 4, "attachment_depth": 1, "ocr_language": "deu",
        "export": "image,xfa", "passwords": "gs://archive/secret.txt", "keep_jpeg": True, "ocr": True,
    }  # fmt: skip
    flags = [f"--{name}={str(value).lower() if value is True else value}" for name, value in given.items()]
    shown = shown_by(graph_of(*flags, "--hyphens=soft", "--keep_furniture=true", "--replace_anyway=true"))
    for step in ("WalkDocuments/Walk", "ReadRanges/Read"):
        assert given.items() <= shown[step].items(), step
    assert {"hyphens": "soft", "keep_furniture": True}.items() <= shown["WalkDocuments/Walk"].items()
    for step in ("WriteDocuments/Write/ParDo(_Write)", "WriteBooks/Write"):
        assert {"output": "gs://pdfmill-test/tables", "shards": 8}.items() <= shown[step].items(), step
    assert shown["Publish"]["replace_anyway"] is True
    assert {"sources": "gs://archive/2026/ gs://archive/list.pdf", "number_of_sources": 2}.items() <= shown["Sources/Give"].items()


def test_every_option_is_on_the_page_of_some_step(graph_of):
    shown = {key for values in shown_by(graph_of("--passwords=gs://archive/secret.txt")).values() for key in values}
    switched = {"no_isolation": "isolate"}
    assert {switched.get(option.name, option.name) for option in OPTIONS} - LOCAL_ONLY - shown == set()


def test_a_password_in_an_address_is_not_shown(graph_of):
    shown = shown_by(graph_of("--sources=https://me:hush@example.org/a.pdf"))
    assert shown["Sources/Give"]["sources"] == "https://example.org/a.pdf gs://archive/2026/ gs://archive/list.pdf"


def worker_pool(runner: DataflowRunner) -> Any:
    """The machines that the service would be asked for (Dataflow API, `Environment.workerPools`)."""
    from apache_beam.runners.dataflow.internal import apiclient

    job = runner.job
    environment = apiclient.Environment([], job.options, "8", "gs://pdfmill-test/staging/pipeline.pb", job.proto_pipeline)
    (pool,) = environment.proto.worker_pools
    return pool


def test_the_machines_are_those_asked_for(monkeypatch):
    monkeypatch.setattr("pdfmill.pipeline.engine.engine.holder_of", lambda output: None)
    image = "europe-west1-docker.pkg.dev/my-project/search/pdfmill:0.1.0"
    machines = ["--machine_type=n2-standard-2", "--disk_size_gb=30", "--max_num_workers=50", "--num_workers=5", "--no_use_public_ips"]
    runner = DataflowRunner()
    assert submit.run([*JOB, *OFFLINE, *machines, f"--sdk_container_image={image}"], runner) == 0
    pool = worker_pool(runner)
    assert (pool.machine_type, pool.disk_size_gb, pool.num_workers, pool.autoscaling_settings.max_num_workers) == (
        "n2-standard-2",
        30,
        5,
        50,
    )
    assert pool.worker_harness_container_image == image
    (container,) = pool.sdk_harness_container_images
    assert container.container_image == image
    assert container.use_single_core_per_container, "a container, and so a worker process, for each core"
    assert pool.ip_configuration.name == "WORKER_IP_PRIVATE"


def test_workers_of_a_plain_launch_run_beams_image_with_our_package(graph_of, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(FOR_WORKERS_VARIABLE, "")
    (environment,) = graph_of("--setup_file=./setup.py").components.environments.values()
    payload = proto.DockerPayload.FromString(environment.payload)
    assert "beam_python3" in payload.container_image
    staged = [proto.ArtifactStagingToRolePayload.FromString(each.role_payload).staged_name for each in environment.dependencies]
    assert "workflow.tar.gz" in staged
    assert os.environ[FOR_WORKERS_VARIABLE], "the package that is made for them requires what a job needs (tests/packaging)"


def test_workers_of_a_template_run_its_image_with_the_memory_asked_for(graph_of):
    image = "europe-west1-docker.pkg.dev/my-project/search/pdfmill:0.1.0"
    (environment,) = graph_of(f"--sdk_container_image={image}", "--resource_hints=min_ram=4GiB").components.environments.values()
    assert proto.DockerPayload.FromString(environment.payload).container_image == image
    assert dict(environment.resource_hints) == {"beam:resources:min_ram_bytes:v1": b"4294967296"}


#: Flags by the reference of the Google Cloud SDK, 2026.
GCLOUD = {
    "artifacts repositories create": {"repository-format", "location"},
    "builds submit": {"config", "substitutions"},
    "dataflow flex-template build": {"image", "sdk-language", "metadata-file"},
    "dataflow flex-template run": {
        "additional-pipeline-options", "max-workers", "num-workers", "parameters", "region", "service-account-email", "staging-location",
        "temp-location", "template-file-gcs-location", "worker-machine-type",
    },
    "dataflow jobs cancel": {"region"},
    "dataflow jobs list": {"region", "status"},
    "secrets create": {"data-file"},
}  # fmt: skip


@pytest.mark.parametrize("file", ["dataflow_templates/README.md", "docs/operators.md"])
def test_gcloud_knows_the_lines_of_the_documentation(file):
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    found = [line for line in re.findall(r"^gcloud .*|`gcloud [^`]*`", text, re.MULTILINE) if "logging read" not in line]
    assert found
    for line in found:
        command = next((each for each in GCLOUD if line.strip("`").startswith(f"gcloud {each} ")), None)
        assert command is not None, line
        assert set(re.findall(r" --([a-z-]+)", line.partition("#")[0])) <= GCLOUD[command], line


def test_what_the_readme_says_can_be_typed():
    """Every gcloud parameter and every flag of the README's command lines exists."""
    readme = (ROOT / "dataflow_templates" / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```\n(pdfmill index.*?)```", readme, re.S):
        words = block.replace("\\\n", " ").split()
        flags, beam_flags = parse_index([word.strip("'") for word in words[2:]], INDEX_OPTIONS)
        assert flags.output
        assert PipelineOptions(beam_flags)
    named = set(re.findall(r"--parameters[= ]'?([a-z_]+)=", readme))
    assert named
    assert named <= {*parameters(), *parameters("crawl"), "sdk_container_image"}  # which Dataflow itself takes
    assert index_parser().prog == "pdfmill index"
