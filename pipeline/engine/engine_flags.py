"""Check flags of Apache Beam that only work together with others, before anything is read, because Beam ignores some of them silently;
and ask the Flink master that such a flag names for its jobs: cancel them, or say why one failed."""

from __future__ import annotations

import argparse
import json
import os
import re
import urllib.request
from collections.abc import Sequence
from typing import Any, Final

from apache_beam.options.pipeline_options import (
    DirectOptions,
    FlinkRunnerOptions,
    GoogleCloudOptions,
    PipelineOptions,
    PortableOptions,
    SetupOptions,
    SparkRunnerOptions,
    StandardOptions,
    WorkerOptions,
)

from pdfmill.pipeline.options.options import OPTIONS, UsageError
from pdfmill.pipeline.run.local import LOCAL
from pdfmill.transforms.storage.sources import split_mark
from pdfmill.transforms.storage.store import is_shared, is_shared_output

#: Names of Beam's in-process runners.
IN_PROCESS: Final = frozenset({"FnApiRunner", "DirectRunner", "BundleBasedDirectRunner", "SwitchingDirectRunner"})
_KNOWN: Final = sorted(path.rpartition(".")[2] for path in StandardOptions.ALL_KNOWN_RUNNERS)
DATAFLOW: Final = "DataflowRunner"
_WITH_JOB_SERVER: Final = ("FlinkRunner", "PortableRunner", "PrismRunner", "SparkRunner")
#: Beam's types of environments of workers (Beam, Runtime environments), and the configuration that each needs.
ENVIRONMENTS: Final = {
    "DOCKER": "an image",
    "PROCESS": 'JSON with the command that starts a worker, e.g. {"command": "/opt/pdfmill/worker.sh"}',
    "EXTERNAL": "the HOST:PORT of the worker pool",
    "LOOPBACK": "",
}
#: The runners on which each flag has an effect (Beam 2.77, `pipeline_options` and the runners).
_HEEDED_BY: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("job_endpoint", "artifact_endpoint", "job_server_timeout"), _WITH_JOB_SERVER),
    **dict.fromkeys(("environment_type", "environment_config", "environment_option", "environment_options"), _WITH_JOB_SERVER),
    **dict.fromkeys(("environment_cache_millis", "sdk_worker_parallelism"), _WITH_JOB_SERVER),
    **dict.fromkeys(
        ("flink_master", "flink_version", "flink_job_server_jar", "flink_submit_uber_jar", "parallelism"), ("FlinkRunner", "PortableRunner")
    ),
    **dict.fromkeys(
        ("spark_master_url", "spark_version", "spark_job_server_jar", "spark_submit_uber_jar"), ("SparkRunner", "PortableRunner")
    ),
    **dict.fromkeys(("prism_location", "prism_log_level"), ("PrismRunner",)),
    **dict.fromkeys(("region", "num_workers", "max_num_workers", "machine_type", "worker_machine_type", "disk_size_gb"), (DATAFLOW,)),
    **dict.fromkeys(("sdk_container_image", "worker_harness_container_image"), (DATAFLOW, *_WITH_JOB_SERVER)),
    **dict.fromkeys(("direct_num_workers", "direct_running_mode"), tuple(sorted(IN_PROCESS))),
}
_OF_ONE_MACHINE: Final = ("workers", "batch_documents", "batch_bytes")


def runner_name(beam_flags: Sequence[str]) -> str:
    """Return the name of the runner that the flags give, in Beam's spelling; `LOCAL` if the flags give none.

    >>> runner_name(["--runner=flink"]), runner_name([])
    ('FlinkRunner', 'local')
    """
    given: str | None = PipelineOptions(list(beam_flags)).view_as(StandardOptions).runner
    return LOCAL if given is None else runner_called(given)


def runner_called(given: str) -> str:
    """Return Beam's spelling of a runner's name.

    >>> runner_called("flink")
    'FlinkRunner'
    """
    return next((name for name in _KNOWN if name.lower() in (given.lower(), f"{given.lower()}runner")), given)


def check_engine(flags: argparse.Namespace, beam_flags: Sequence[str]) -> None:
    """Raise an error for flags of Beam that cannot work together, or that the runner would ignore.

    Raises:
        UsageError: the message names the flag, and the reason.
    """
    runner, options = runner_name(beam_flags), PipelineOptions(list(beam_flags))
    _check_heeded(runner, beam_flags)
    if runner == LOCAL:
        if beam_flags:
            raise UsageError(f"{beam_flags[0]}: is an option of Apache Beam, which is only used with --runner, e.g. --runner DirectRunner")
        return
    if runner not in _KNOWN:
        if "." in runner:  # somebody's own, by its full name
            return
        raise UsageError(
            f"--runner {runner}: there is no such runner; try {', '.join((*_WITH_JOB_SERVER, DATAFLOW))}, or none for this machine"
        )
    _check_setup_file(options.view_as(SetupOptions).setup_file)
    for name in _OF_ONE_MACHINE:
        if getattr(flags, name) != _default(name):
            raise UsageError(f"--{name} is for local runs, without --runner; {runner} itself distributes the work")
    if runner in IN_PROCESS:
        _check_in_process(options)
        return
    if runner == DATAFLOW:
        _check_dataflow(flags, options)
    else:
        _check_portable(runner, options)


def _default(name: str) -> object:
    return next(option.default for option in OPTIONS if option.name == name)


def _check_heeded(runner: str, beam_flags: Sequence[str]) -> None:
    for word in beam_flags:
        name = word.removeprefix("--").partition("=")[0] if word.startswith("--") else ""
        heeded_by = _HEEDED_BY.get(name)
        if heeded_by and runner not in heeded_by:
            asked = "no --runner is given" if runner == LOCAL else f"the runner is {runner}"
            raise UsageError(f"--{name} only has an effect with {', '.join(heeded_by)}; {asked}")


def _check_in_process(options: PipelineOptions) -> None:
    """Raise an error for Beam's multi-process workers, whose ports listen on every network interface without authentication."""
    given = options.view_as(DirectOptions)
    if given.direct_running_mode == "multi_processing":
        raise UsageError(
            "--direct_running_mode multi_processing opens ports to the network; leave out --runner for --workers N, which opens none"
        )


def _check_setup_file(path: str | None) -> None:
    if path is not None and (not os.path.dirname(path) or not os.path.isfile(path)):
        raise UsageError(f"--setup_file {path}: there is no such file; give it with its folder, e.g. ./setup.py")


def _check_portable(runner: str, options: PipelineOptions) -> None:
    given = options.view_as(PortableOptions)
    endpoint = given.job_endpoint
    if runner == "PortableRunner" and not endpoint:
        raise UsageError("--runner PortableRunner needs --job_endpoint HOST:PORT, the address of the job server")
    if given.artifact_endpoint and not endpoint:
        raise UsageError("--artifact_endpoint needs --job_endpoint, the address of the job server for which files are staged")
    for flag, value in (("job_endpoint", endpoint), ("artifact_endpoint", given.artifact_endpoint)):
        if value and not _is_host_and_port(value):
            raise UsageError(f"--{flag} {value}: must be HOST:PORT, e.g. 127.0.0.1:8099")
    _check_environment(runner, options)


def _check_environment(runner: str, options: PipelineOptions) -> None:
    given = options.view_as(PortableOptions)
    kind, told = given.environment_type, given.environment_config
    more = {each.partition("=")[0]: each.partition("=")[2] for each in given.environment_options or []}
    if kind is None:
        if told or more:
            raise UsageError(f"--environment_config needs --environment_type, one of {', '.join(ENVIRONMENTS)}")
        if not _runs_containers(runner, options):
            return
        kind = "DOCKER"
    if kind.upper() not in ENVIRONMENTS:
        if kind.startswith("beam:env:"):
            return
        raise UsageError(f"--environment_type {kind}: choose from {', '.join(ENVIRONMENTS)}")
    kind = kind.upper()
    if kind == "LOOPBACK" and (told or more):
        raise UsageError("--environment_config has no effect with --environment_type LOOPBACK, which runs the workers in this process")
    config = told or more.get("process_command") or more.get("external_service_address") or more.get("docker_container_image")
    config = config or (
        kind == "DOCKER" and (options.view_as(WorkerOptions).sdk_container_image or options.view_as(SetupOptions).setup_file)
    )
    if not config and kind != "LOOPBACK":
        reason = "; Beam's own image does not contain pdfmill" if kind == "DOCKER" else ""
        elsewhere = {"FlinkRunner": " with --flink_master", "SparkRunner": " with --spark_master_url"}.get(runner, "")
        asked = f"--runner {runner}{elsewhere} without --environment_type runs containers and"
        asked = f"--environment_type {kind}" if given.environment_type else asked
        raise UsageError(f"{asked} needs --environment_config: {ENVIRONMENTS[kind]}{reason}")
    if kind == "PROCESS" and told and not _has_command(told):
        raise UsageError(f"--environment_config {told}: --environment_type PROCESS takes {ENVIRONMENTS[kind]}")
    if kind == "EXTERNAL" and told and not told.lstrip().startswith("{") and not _is_host_and_port(told):
        raise UsageError(f"--environment_config {told}: --environment_type EXTERNAL takes {ENVIRONMENTS[kind]}")


def _runs_containers(runner: str, options: PipelineOptions) -> bool:
    """Return whether a runner starts workers in containers by default, as `default_environment` in Beam's `flink_runner` and `spark_runner`
    (2.77) does."""
    if runner == "FlinkRunner":
        return str(options.view_as(FlinkRunnerOptions).flink_master) not in ("[local]", "[auto]")
    if runner == "SparkRunner":
        return re.match(r"local(\[.+\])?$", options.view_as(SparkRunnerOptions).spark_master_url) is None
    return runner == "PortableRunner"


def _is_host_and_port(text: str) -> bool:
    return re.fullmatch(r"embed|(\w+://)?(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d+", text) is not None


def _has_command(text: str) -> bool:
    try:
        told = json.loads(text)
    except ValueError:
        return False
    return isinstance(told, dict) and bool(told.get("command"))


def _check_dataflow(flags: argparse.Namespace, options: PipelineOptions) -> None:
    cloud = options.view_as(GoogleCloudOptions)
    for name, why in (
        ("project", "the Google Cloud project that runs and pays for the job"),
        ("region", "the region of its workers"),
        ("temp_location", "a gs:// folder for its temporary files"),
    ):
        if not getattr(cloud, name):
            raise UsageError(f"--runner {DATAFLOW} needs --{name}: {why}")
    for name in ("temp_location", "staging_location"):
        value = getattr(cloud, name)
        if value and not value.startswith("gs://"):
            raise UsageError(f"--{name} {value}: Dataflow stages its files in Google Cloud Storage, gs://bucket/folder")
    if not is_shared_output(flags.output):
        raise UsageError(f"--output {flags.output}: the workers of Dataflow cannot write to this machine; give gs://bucket/prefix")
    for source in [*flags.sources, *([flags.passwords] if flags.passwords else [])]:
        if not is_shared(split_mark(source)[1]):
            asked = "--passwords" if source == flags.passwords else "SOURCE"
            raise UsageError(f"{asked} {source}: the workers of Dataflow cannot see the files of this machine; give gs://bucket/prefix")


#: Timeout in seconds of a request to Flink's REST address, which answers at once or not at all.
ASK_S: Final = 10.0


def cancel_at(master: str, job_name: str) -> bool:
    """Cancel the running jobs of this name; return whether there were any. master: HOST:PORT, with or without http://.

    Raises:
        OSError: Flink does not answer at this address, or refuses.
    """
    jobs = [job["jid"] for job in _jobs(master, job_name) if job["end-time"] < 0]
    for job in jobs:
        urllib.request.urlopen(urllib.request.Request(f"{_base(master)}/jobs/{job}?mode=cancel", method="PATCH"), timeout=ASK_S).close()
    return bool(jobs)


def where_it_failed(master: str, job_name: str) -> str:
    """Return a sentence about the last failure of the job of this name: machine, step and message; "" if Flink knows none.
    master: HOST:PORT, with or without http://.

    Raises:
        OSError: Flink does not answer at this address.
    """
    for job in _jobs(master, job_name):
        entries = _asked(master, f"jobs/{job['jid']}/exceptions").get("exceptionHistory", {}).get("entries", [])
        for entry in entries[:1]:  # the last one stands first
            place = entry.get("endpoint") or entry.get("location") or entry.get("taskManagerId") or "an unknown machine"
            first, *more = [line.strip() for line in str(entry.get("stacktrace") or entry.get("exceptionName")).splitlines()] or [""]
            causes = [line.removeprefix("Caused by: ") for line in more if line.startswith("Caused by: ")]
            return f"the last failure was at {place}, in {entry.get('taskName') or 'no step'}: {causes[-1] if causes else first}"
    return ""


def _jobs(master: str, job_name: str) -> list[dict[str, Any]]:
    return [job for job in _asked(master, "jobs/overview")["jobs"] if job["name"] == job_name]


def _asked(master: str, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{_base(master)}/{path}", timeout=ASK_S) as answer:
        told: dict[str, Any] = json.load(answer)
    return told


def _base(master: str) -> str:
    return master if "://" in master else f"http://{master}"
