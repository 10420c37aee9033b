"""The examples are checked by their schedulers' own validators: Debian's `crontab -n`, `systemd-analyze`, the schemas of Kubernetes, the
messages of Cloud Scheduler and Dataflow. The DAG meets a stand-in of Airflow (docs/crawl.md tells of the real one)."""

from __future__ import annotations

import configparser
import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from zoneinfo import ZoneInfo

import pytest
import yaml
from google.protobuf.json_format import ParseError

from pdfmill.pipeline.cli.crawl import crawl_parser
from pdfmill.pipeline.crawl.config import SETTINGS, load_config
from pdfmill.pipeline.run.errors import (
    EXIT_CONFLICT,
    EXIT_DELETES_WITHHELD,
    EXIT_JOB_ENDED,
    EXIT_LOCKED,
    EXIT_NOTHING_DONE,
    EXIT_OK,
    EXIT_SOME_FAILED,
)
from tests.servers import unavailable

#: Of `pdfmill crawl`; with `LOOK` a person has to look.
EXIT_CODES = (EXIT_OK, EXIT_SOME_FAILED, EXIT_NOTHING_DONE, EXIT_JOB_ENDED, EXIT_DELETES_WITHHELD, EXIT_CONFLICT, EXIT_LOCKED)
LOOK = {EXIT_NOTHING_DONE, EXIT_JOB_ENDED, EXIT_DELETES_WITHHELD}

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_configuration_is_one():
    config = load_config(str(EXAMPLES / "crawl.toml"))
    assert config.settings["retry_after_hours"] == 6
    given = tomllib.loads((EXAMPLES / "crawl.toml").read_text())["crawl"]
    assert given.keys() == SETTINGS.keys(), "every key is shown"
    others = {name: setting.default for name, setting in SETTINGS.items() if name != "retry_after_hours"}
    assert {name: given[name] for name in others} == others
    assert config.rules["minutes"].dead_for == timedelta(days=90)
    assert len(config.sources) == 4


def test_the_cron_job_does_not_run_twice_at_once():
    config, job = yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text())
    spec = job["spec"]
    assert spec["concurrencyPolicy"] == "Forbid"
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["volumes"][0]["configMap"]["name"] == config["metadata"]["name"]


def test_the_configuration_in_the_cron_job_is_one(tmp_path):
    config, _ = yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text())
    (tmp_path / "crawl.toml").write_text(config["data"]["crawl.toml"])
    assert load_config(str(tmp_path / "crawl.toml")).flags.workers == 4


def unit_of(name: str) -> configparser.ConfigParser:
    """A unit of systemd."""
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[method-assign,assignment]
    unit.read(EXAMPLES / name)
    return unit


def systemd(*words: str) -> subprocess.CompletedProcess[str]:
    """What systemd's validator says."""
    tool = shutil.which("systemd-analyze") or unavailable("no systemd-analyze on PATH")
    return subprocess.run([str(tool), *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["pdfmill-crawl.service", "pdfmill-crawl.timer"])
def test_systemd_takes_the_units(name, tmp_path):
    def told(path: Path) -> list[str]:
        lines = systemd("verify", "--man=no", str(path)).stderr.splitlines()
        return [line for line in lines if str(path) in line]  # it reads units of this machine too

    assert told(EXAMPLES / name) == []
    broken = tmp_path / name
    broken.write_text((EXAMPLES / name).read_text().replace("OnCalendar=", "OnCalender=").replace("Type=oneshot", "Type=onshot"))
    assert told(broken), "it would say so"


def test_systemd_starts_it_every_night():
    done = systemd("calendar", "--iterations=2", "--base-time=2026-11-22 12:00", unit_of("pdfmill-crawl.timer")["Timer"]["OnCalendar"])
    assert done.returncode == 0
    assert re.findall(r": (?:\w+ )?(2026-11-2\d 02:00):00", done.stdout) == ["2026-11-23 02:00", "2026-11-24 02:00"]


def crontab_takes(lines: str) -> bool:
    """Whether cron's own check passes a user's table."""
    tool = shutil.which("crontab") or unavailable("no crontab on PATH")
    done = subprocess.run([str(tool), "-n", "-"], input=lines, capture_output=True, text=True, check=False)
    return done.returncode == 0


def test_cron_takes_the_crontab_and_all_schedules(stubs, monkeypatch):
    lines = [line for line in (EXAMPLES / "crontab").read_text().splitlines() if not line.startswith("#")]
    tables = ["\t".join([*words[:5], words[6]]) for words in (line.split(None, 6) for line in lines)]  # a user's table names no user
    assert crontab_takes("\n".join(tables) + "\n")
    _, job = yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text())
    nightly = {job["spec"]["schedule"], dag_tasks(monkeypatch)[0]["schedule"], scheduler_words(stubs)["--schedule"]}
    assert nightly == {"0 2 * * *"}
    assert crontab_takes("0 2 * * *\ttrue\n")
    assert not crontab_takes("0 25 * * *\ttrue\n"), "it would say so"


@pytest.fixture
def stubs(tmp_path: Path) -> dict[str, str]:
    """An environment whose `pdfmill` ends with $CODE, whose `gcloud` prints its words, one a line."""
    for name, script in {"pdfmill": "exit ${CODE:-0}", "gcloud": 'printf "%s\\0" "$@"'}.items():
        (tmp_path / name).write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/calls\n{script}\n')
        (tmp_path / name).chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls")}


def shell(command: str, environment: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], env={**environment, **more}, capture_output=True, text=True, check=False)


def dag_tasks(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, object], dict[str, str]]:
    """What the DAG file says to Airflow: the DAG's arguments, and the command of each task."""
    dag: dict[str, object] = {}
    tasks: dict[str, str] = {}

    class Dag:
        def __init__(self, name: str, **given: object) -> None:
            dag.update(given, name=name)

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    class Operator:
        def __init__(self, *, task_id: str, bash_command: str) -> None:
            tasks[task_id] = bash_command

        def __rshift__(self, other: object) -> None: ...

    for name, given in {
        "airflow": {},
        "airflow.sdk": {"DAG": Dag},
        "airflow.providers": {},
        "airflow.providers.standard": {},
        "airflow.providers.standard.operators": {},
        "airflow.providers.standard.operators.bash": {"BashOperator": Operator},
    }.items():
        module = ModuleType(name)
        vars(module).update(given)
        monkeypatch.setitem(sys.modules, name, module)
    runpy.run_path(str(EXAMPLES / "airflow_crawl.py"))
    return dag, tasks


def test_the_dag_fails_where_a_person_has_to_look(stubs, monkeypatch):
    dag, tasks = dag_tasks(monkeypatch)
    assert (dag["catchup"], dag["max_active_runs"]) == (False, 1)
    ended = {code: shell(tasks["crawl"], stubs, CODE=str(code)).returncode for code in EXIT_CODES}
    assert ended == {code: code if code in LOOK else 0 for code in EXIT_CODES}
    Path(stubs["CALLS"]).unlink()
    assert shell(tasks["failing"], stubs).returncode == 0
    assert Path(stubs["CALLS"]).read_text().split()[1:] == ["report", "s3://search/tables", "--failing"]


def test_the_crontab_runs_what_it_says(stubs, tmp_path):
    jobs = [line for line in (EXAMPLES / "crontab").read_text().splitlines() if not line.startswith("#")]
    for job in jobs:
        *when, user, command = job.split(None, 6)
        assert len(when) == 5
        assert user == "pdfmill"
        assert shell(command.replace("/var/log/pdfmill", str(tmp_path)), stubs, CODE="4").returncode == 4
    calls = [line.split()[1:4] for line in Path(stubs["CALLS"]).read_text().splitlines()]
    assert calls == [["crawl", "/etc/pdfmill/crawl.toml", "--report"], ["report", "s3://search/tables", "--failing"]]


def test_exit_codes_mean_the_same_everywhere(stubs):
    fine = {int(code) for code in unit_of("pdfmill-crawl.service")["Service"]["SuccessExitStatus"].split()}
    assert fine == set(EXIT_CODES) - LOOK - {0}
    _, job = yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text())
    final = job["spec"]["jobTemplate"]["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"]
    assert set(final) == LOOK
    command = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["command"][2]
    ended = {code: shell(command, stubs, CODE=str(code)).returncode for code in EXIT_CODES}
    assert ended == {code: code if code in {*LOOK, EXIT_LOCKED} else 0 for code in EXIT_CODES}, "a lock is waited for"
    docs = (EXAMPLES.parent / "docs" / "crawl.md").read_text()
    assert [int(code) for code in re.findall(r"^\| (\d) \| ", docs, re.M)] == list(EXIT_CODES)


def scheduler_words(stubs: dict[str, str]) -> dict[str, str]:
    """The flags that `gcloud scheduler jobs create http NAME` is given."""
    places = {"PROJECT": "p", "REGION": "r", "BUCKET": "b", "SERVICE_ACCOUNT": "s@p.iam.gserviceaccount.com"}
    words = shell((EXAMPLES / "cloud-scheduler.sh").read_text(), stubs, **places).stdout.removesuffix("\0").split("\0")
    assert words[:5] == ["scheduler", "jobs", "create", "http", "pdfmill-crawl"]
    return dict(zip(words[5::2], words[6::2], strict=True))


def test_cloud_scheduler_and_dataflow_take_what_is_posted(stubs):
    """The job as Cloud Scheduler has it, its body as Dataflow has it: their messages refuse fields that they do not know."""
    words = scheduler_words(stubs)
    scheduler, dataflow = importlib.import_module("google.cloud.scheduler_v1"), importlib.import_module("google.cloud.dataflow_v1beta3")
    name, _, value = words.pop("--headers").partition("=")
    target = {
        "uri": words.pop("--uri"), "http_method": words.pop("--http-method"), "headers": {name: value},
        "body": (body := words.pop("--message-body")).encode(),
        "oauth_token": {"service_account_email": words.pop("--oauth-service-account-email")},
    }  # fmt: skip
    parent = f"projects/{words.pop('--project')}/locations/{words.pop('--location')}"
    job = scheduler.Job(
        name=f"{parent}/jobs/pdfmill-crawl", schedule=words.pop("--schedule"), time_zone=words.pop("--time-zone"), http_target=target
    )
    assert words == {}, "every flag has its field"
    assert (job.http_target.http_method, ZoneInfo(job.time_zone).key) == (scheduler.HttpMethod.POST, "Etc/UTC")
    assert job.http_target.uri == f"https://dataflow.googleapis.com/v1b3/{parent}/flexTemplates:launch"
    launch = dataflow.LaunchFlexTemplateRequest.from_json(body, ignore_unknown_fields=False).launch_parameter
    assert launch.container_spec_gcs_path.startswith("gs://b/")
    assert launch.environment.service_account_email == job.http_target.oauth_token.service_account_email
    with pytest.raises(ParseError):
        dataflow.LaunchFlexTemplateRequest.from_json(body.replace('"maxWorkers"', '"max_worker"'), ignore_unknown_fields=False)


def test_the_scheduler_says_what_it_is_not_told(stubs):
    assert shell((EXAMPLES / "cloud-scheduler.sh").read_text(), stubs).returncode != 0, "it says which variable is missing"


def test_flags_in_examples_exist():
    known = {flag for action in crawl_parser()._actions for flag in action.option_strings}
    for path in (each for each in EXAMPLES.iterdir() if each.is_file()):
        for line in path.read_text().splitlines():
            if "pdfmill crawl" in line:
                after = re.split(r"[;&>)]", line.partition("pdfmill crawl")[2])[0]
                assert set(re.findall(r"(?<= )--[a-z-]+", after)) <= known, (path.name, line)


@pytest.mark.parametrize("number", [0, 1])
def test_kubernetes_takes_it(number):
    validator = importlib.import_module("kubernetes_validate")
    document = list(yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text()))[number]
    validator.validate(document, "1.33", strict=True)
    broken = {**document, "kind": "CronJob", "apiVersion": "batch/v1", "spec": {"schedul": "0 2 * * *"}}
    with pytest.raises(validator.ValidationError):
        validator.validate(broken, "1.33", strict=True)
