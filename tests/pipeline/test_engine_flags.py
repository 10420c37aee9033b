"""Flags that only mean something beside others are refused with a reason, before anything is read or written."""

import re
import shlex
from pathlib import Path

import pytest

from pdfmill.pipeline.cli import index
from pdfmill.pipeline.crawl.config import load_config
from pdfmill.pipeline.engine.engine_flags import DATAFLOW, ENVIRONMENTS, check_engine, runner_name
from pdfmill.pipeline.options.options import UsageError, parse_index
from pdfmill.pipeline.run.local import LOCAL

ROOT = Path(__file__).resolve().parents[2]
CLOUD = ["--runner=DataflowRunner", "--project=my-project", "--region=europe-west1", "--temp_location=gs://my-search/temp"]
FLINK = ["--runner=FlinkRunner", "--job_endpoint=127.0.0.1:8099"]
PORTABLE = ["--runner=PortableRunner", "--job_endpoint=127.0.0.1:8099"]


def check(*words, source="gs://archive/", output="gs://my-search/tables"):
    check_engine(*parse_index([source, "--output", output, *words]))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--runner=Flnk"], "--runner Flnk: there is no such runner; try FlinkRunner"),
        (["--job_endpoint=127.0.0.1:8099"], "--job_endpoint only has an effect with FlinkRunner, PortableRunner, .*; no --runner is given"),
        (["--environment_type=DOCKER"], "--environment_type only has an effect with .*; no --runner is given"),
        (["--flink_master=127.0.0.1:8081"], "--flink_master only has an effect with FlinkRunner"),
        ([*CLOUD, "--flink_master=127.0.0.1:8081"], "--flink_master only has an effect with .*; the runner is DataflowRunner"),
        ([*FLINK, "--max_num_workers", "4"], "--max_num_workers only has an effect with DataflowRunner; the runner is FlinkRunner"),
        ([*FLINK, "--workers=4"], "--workers is for local runs, without --runner; FlinkRunner"),
        (["--runner=flink", "--batch_documents=4"], "--batch_documents is for local runs, without --runner; FlinkRunner"),
        (["--runner=DirectRunner", "--workers=2"], "--workers is for local runs, without --runner; DirectRunner"),
        (["--runner=DirectRunner", "--direct_running_mode=multi_processing"], "multi_processing opens ports to the network"),
        (["--temp_location=gs://b/t"], "--temp_location=gs://b/t: is an option of Apache Beam, which is only used with --runner"),
        (["--runner=PortableRunner"], "PortableRunner needs --job_endpoint HOST:PORT"),
        (["--runner=FlinkRunner", "--artifact_endpoint=127.0.0.1:8098"], "--artifact_endpoint needs --job_endpoint"),
        (["--runner=FlinkRunner", "--job_endpoint=8099"], "--job_endpoint 8099: must be HOST:PORT"),
        ([*FLINK, "--environment_config=127.0.0.1:50000"], "--environment_config needs --environment_type"),
        ([*FLINK, "--environment_type=KUBERNETES"], "--environment_type KUBERNETES: choose from DOCKER, PROCESS, EXTERNAL, LOOPBACK"),
        ([*FLINK, "--environment_type=EXTERNAL"], "EXTERNAL needs --environment_config: the HOST:PORT of the worker pool"),
        ([*FLINK, "--environment_type=EXTERNAL", "--environment_config=pool"], "--environment_config pool: .* takes the HOST:PORT"),
        ([*FLINK, "--environment_type=PROCESS"], "PROCESS needs --environment_config: JSON with the command"),
        (
            [*FLINK, "--environment_type=PROCESS", "--environment_config=/opt/worker.sh"],
            "--environment_config /opt/worker.sh: .* takes JSON",
        ),
        ([*FLINK, "--environment_type=DOCKER"], "DOCKER needs --environment_config: an image; Beam's own image does not contain pdfmill"),
        (PORTABLE, "PortableRunner without --environment_type runs containers and needs --environment_config: an image"),
        (
            ["--runner=FlinkRunner", "--flink_master=flink:8081"],
            "FlinkRunner with --flink_master without --environment_type runs containers and needs .* Beam's own image does not contain",
        ),
        (
            ["--runner=SparkRunner", "--spark_master_url=spark://host:7077"],
            "SparkRunner with --spark_master_url without .* not contain pdfmill",
        ),
        (
            [*FLINK, "--environment_type=LOOPBACK", "--environment_config=x"],
            "no effect with --environment_type LOOPBACK, which runs the workers in this process",
        ),
        ([*FLINK, "--setup_file=setup.py"], "--setup_file setup.py: there is no such file; give it with its folder"),
        ([*FLINK, "--setup_file=./none/setup.py"], "--setup_file ./none/setup.py"),
        (["--runner=DataflowRunner"], "DataflowRunner needs --project"),
        (CLOUD[:2], "DataflowRunner needs --region"),
        (CLOUD[:3], "DataflowRunner needs --temp_location"),
        ([*CLOUD[:3], "--temp_location=/tmp"], "--temp_location /tmp: Dataflow stages its files in Google Cloud Storage"),
        ([*CLOUD, "--passwords=secret.txt"], "--passwords secret.txt: the workers of Dataflow cannot see"),
        ([*CLOUD, "--environment_type=DOCKER"], "--environment_type only has an effect with .*; the runner is DataflowRunner"),
    ],
)
def test_half_a_wish_is_told(words, told):
    with pytest.raises(UsageError, match=told):
        check(*words)


@pytest.mark.parametrize("source", ["reports/", "@list.txt", "/data/a.pdf", "file:///data/a.pdf", "@file:///data/list.txt"])
def test_dataflow_does_not_see_this_machine(source):
    with pytest.raises(UsageError, match=re.escape(f"SOURCE {source}: the workers of Dataflow cannot see")):
        check(*CLOUD, source=source)
    with pytest.raises(UsageError, match="--output out: the workers of Dataflow cannot write to this machine"):
        check(*CLOUD, output="out")


@pytest.mark.parametrize(
    "words",
    [
        [], ["--workers=2"], ["--runner=DirectRunner", "--direct_num_workers=2"],
        FLINK, ["--runner=FlinkRunner", "--flink_master=[local]", "--parallelism=2"],
        ["--runner=FlinkRunner", "--flink_master=flink:8081", "--sdk_container_image=registry/pdfmill:0.1.0"],
        ["--runner=PrismRunner", "--prism_location=/opt/prism"],
        [*FLINK, "--environment_type=process", '--environment_config={"command": "/opt/worker.sh"}'],
        [*FLINK, "--environment_type=PROCESS", "--environment_options=process_command=/opt/worker.sh"],
        [*FLINK, "--environment_type=EXTERNAL", "--environment_config=worker-pool:50000"],
        [*FLINK, "--environment_type=DOCKER", "--environment_config=registry/pdfmill:0.1.0"],
        [*PORTABLE, "--environment_type=DOCKER", "--sdk_container_image=registry/pdfmill:0.1.0"],
        [*PORTABLE, "--environment_type=LOOPBACK"], ["--runner=SparkRunner", "--spark_master_url=local[2]"],
        CLOUD, [*CLOUD, "--max_num_workers=4", "--sdk_container_image=i", "--resource_hints=min_ram=4GiB"], ["--runner=my.own.Runner"],
    ],
)  # fmt: skip
def test_what_belongs_together_passes(words):
    check(*words)


def commands_of(file: str) -> list[list[str]]:
    """The `pdfmill index` command lines of a page of the documentation, without those that leave something out."""
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("pdfmill index ")]
    return [shlex.split(line)[2:] for line in lines if "..." not in line]


@pytest.mark.parametrize("file", ["docs/operators.md", "dataflow_templates/README.md"])
def test_command_lines_of_the_documentation_are_complete(file, monkeypatch):
    monkeypatch.chdir(ROOT)  # where ./setup.py is
    told = commands_of(file)
    assert told
    for words in told:
        check_engine(*parse_index(words))


def test_what_listens_is_told_of_every_engine():
    """SECURITY.md has a row for each runner that the documentation names and for each place where workers run, and for our own server."""
    told = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## What listens while a job runs")[2].partition("\n## ")[0]
    rows = [line for line in told.splitlines() if line.startswith("|")]
    runners = {name for words in commands_of("docs/operators.md") if (name := runner_name(words))}
    assert {"FlinkRunner", "PrismRunner"} <= runners
    for name in {*runners - {LOCAL}, DATAFLOW, "DirectRunner", "without `--runner`", "pdfmill serve", *ENVIRONMENTS}:
        shown = "portable runner" if name == "PortableRunner" else name.removesuffix("Runner")
        assert any(shown in row for row in rows), name


def test_runners_have_the_names_that_beam_takes():
    assert [runner_name([f"--runner={name}"]) for name in ("flink", "DATAFLOW", "PrismRunner", "my.Runner")] == [
        "FlinkRunner", "DataflowRunner", "PrismRunner", "my.Runner",
    ]  # fmt: skip


def test_the_exit_code_is_2_and_nothing_is_touched(tmp_path, capsys):
    assert index.run([str(tmp_path), "--output", str(tmp_path / "out"), "--runner", "PortableRunner"]) == 2
    assert "--job_endpoint" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_runner_that_beam_refuses_is_no_traceback(tmp_path, capsys):
    assert index.run([str(tmp_path), "--output", str(tmp_path / "out"), "--runner", "FlinkRunner", "--pickle_library=dill"]) == 2
    assert "dill" in capsys.readouterr().err


def test_a_crawl_is_told_with_file_and_line(tmp_path):
    path = tmp_path / "crawl.toml"
    path.write_text('sources = ["s3://a/"]\noutput = "s3://b/out"\n[beam]\nrunner = "FlinkRunner"\nenvironment_type = "EXTERNAL"\n')
    with pytest.raises(UsageError, match=r"crawl.toml:3: \[beam\]: --environment_type EXTERNAL needs --environment_config"):
        load_config(str(path))
