"""The examples are checked as far as can be without their schedulers."""

from __future__ import annotations

import ast
import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from pipeline.commands.crawl import crawl_parser
from pipeline.crawl.config import load_config
from pipeline.crawl.report import EXIT_CONFLICT, EXIT_DELETES_WITHHELD

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_configuration_is_one():
    assert load_config(str(EXAMPLES / "crawl.toml")).settings["retry_after_hours"] == 6


def test_the_cron_job_does_not_run_twice_at_once():
    config, job = yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text())
    spec = job["spec"]
    assert spec["concurrencyPolicy"] == "Forbid"
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["volumes"][0]["configMap"]["name"] == config["metadata"]["name"]
    assert EXIT_CONFLICT in spec["jobTemplate"]["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"]


def test_the_configuration_in_the_cron_job_is_one(tmp_path):
    config, _ = yaml.safe_load_all((EXAMPLES / "kubernetes-cronjob.yaml").read_text())
    (tmp_path / "crawl.toml").write_text(config["data"]["crawl.toml"])
    assert load_config(str(tmp_path / "crawl.toml")).flags.workers == 4


@pytest.mark.parametrize("name", ["pdfmill-crawl.service", "pdfmill-crawl.timer"])
def test_units(name):
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str
    unit.read(EXAMPLES / name)
    assert {"Unit", "Install"} < set(unit.sections())
    if shutil.which("systemd-analyze"):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(EXAMPLES / name)], capture_output=True, text=True, check=False)
        assert "Unknown" not in done.stderr


def test_the_dag_is_python_and_the_script_is_bash():
    ast.parse((EXAMPLES / "airflow_crawl.py").read_text())
    subprocess.run(["bash", "-n", str(EXAMPLES / "cloud-scheduler.sh")], check=True)


def test_flags_in_examples_exist():
    known = {flag for action in crawl_parser()._actions for flag in action.option_strings}
    for path in EXAMPLES.iterdir():
        for line in path.read_text().splitlines():
            if "pdfmill crawl" in line:
                after = re.split(r"[;&>)]", line.partition("pdfmill crawl")[2])[0]
                assert set(re.findall(r"(?<= )--[a-z-]+", after)) <= known, (path.name, line)
    assert EXIT_DELETES_WITHHELD == 4
