"""`examples/kubernetes-flink.yaml` by the schemas of what takes it: Kubernetes, the Flink Kubernetes Operator, and our own command."""

from __future__ import annotations

import copy
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pdfmill.pipeline.engine.engine_flags import check_engine
from pdfmill.pipeline.options.options import INDEX_OPTIONS, parse_index
from tests.servers import TOOLS, fetching, unavailable

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "kubernetes-flink.yaml"
#: The operator's custom resource definitions of its release 1.14, as functions that check; MIT.
SCHEMAS = "@kubernetes-models/flink@1.0.1"
CHECK = r"""
import { FlinkDeployment } from "@kubernetes-models/flink/flink.apache.org/v1beta1/FlinkDeployment";
import { readFileSync } from "node:fs";
for (const each of JSON.parse(readFileSync(0))) {
  try { new FlinkDeployment(each).validate(); console.log("ok"); } catch (error) { console.log(error.message.replaceAll("\n", " ")); }
}
"""


def documents() -> dict[str, Any]:
    """By kind."""
    return {each["kind"]: each for each in yaml.safe_load_all(EXAMPLE.read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def schemas() -> Path:
    """A folder with the package of schemas, installed once into `.tools`."""
    folder = TOOLS.parent / "flink-operator"
    with fetching():
        if not (folder / "node_modules" / "@kubernetes-models" / "flink").exists():
            npm = shutil.which("npm")
            if npm is None:
                unavailable("the operator's schemas come by npm, and there is none on PATH")
                return folder
            done = subprocess.run(
                [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), SCHEMAS], capture_output=True, text=True
            )
            if done.returncode:
                unavailable(f"{SCHEMAS} could not be installed: {done.stderr.strip()[-500:]}")
    return folder


@pytest.mark.servers
def test_the_operator_takes_it(schemas):
    right = documents()["FlinkDeployment"]
    wrong = []
    for path, value in ((("flinkVersion",), "v1_99"), (("taskManager", "replicas"), "four")):
        broken = copy.deepcopy(right)
        place = broken["spec"]
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        wrong.append(broken)
    script = schemas / "check.mjs"
    script.write_text(CHECK, encoding="utf-8")
    told = subprocess.run(
        ["node", str(script)], input=json.dumps([right, *wrong]), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert told[0] == "ok"
    assert "ok" not in told[1:]
    assert len(told) >= len(wrong) + 1


@pytest.mark.parametrize("kind", ["Deployment", "Service", "Job"])
def test_kubernetes_takes_the_rest(kind):
    validator = pytest.importorskip("kubernetes_validate")
    validator.validate(documents()[kind], "1.33", strict=True)


def test_kubernetes_takes_the_pods_of_the_workers():
    """A typing error in a field would be dropped by the operator in silence. It gives its own container the image."""
    validator = pytest.importorskip("kubernetes_validate")
    pod = copy.deepcopy(documents()["FlinkDeployment"]["spec"]["taskManager"]["podTemplate"])
    flink, workers = pod["spec"]["containers"]
    assert flink == {"name": "flink-main-container"}
    validator.validate(pod, "1.33", strict=True)
    workers["comand"] = []
    with pytest.raises(validator.ValidationError):
        validator.validate(pod, "1.33", strict=True)


def test_the_command_is_one_that_the_parts_around_it_can_serve():
    found = documents()
    (container,) = found["Job"]["spec"]["template"]["spec"]["containers"]
    words = shlex.split(container["command"][2].partition(";")[0])
    assert words[:2] == ["pdfmill", "index"]
    flags, beam_flags = parse_index(words[2:], INDEX_OPTIONS)
    check_engine(flags, beam_flags)
    line = " ".join(words)
    spec, service = found["FlinkDeployment"]["spec"], found["Service"]
    assert f"--job_endpoint {service['metadata']['name']}:{service['spec']['ports'][0]['port']} " in line
    assert f"--flink_master {found['FlinkDeployment']['metadata']['name']}-rest:8081" in line, "as the operator calls it"
    pool = spec["taskManager"]["podTemplate"]["spec"]["containers"][1]["command"]
    assert f"--environment_config localhost:{pool[-1]}" in line
    slots = spec["taskManager"]["replicas"] * int(spec["flinkConfiguration"]["taskmanager.numberOfTaskSlots"])
    assert f"--parallelism {slots}" in line
    version = re.sub(r"v(\d)_(\d+)", r"\1.\2", spec["flinkVersion"])
    assert spec["image"] == f"flink:{version}"
    beam = re.search(r"^apache-beam==(.*)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert beam is not None
    (server,) = found["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert server["image"] == f"apache/beam_flink{version}_job_server:{beam[1]}"
