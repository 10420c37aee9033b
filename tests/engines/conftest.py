"""Flink session clusters for the tests of this folder: started once from packages, ended with everything they started."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from tests.servers import S3Server, fetching, unavailable
from tests.torture.faults import Faults, faulty_proxy

SCRIPT: Final = Path(__file__).resolve().parents[2] / "scripts" / "flink" / "cluster.py"


@pytest.fixture(scope="session")
def faults() -> Faults:
    """What goes wrong between the workers and their store, which a test may change."""
    return Faults()


@pytest.fixture(scope="session")
def flink(moto_process: S3Server, faults: Faults, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The running cluster: a JobManager, two TaskManagers with a worker pool beside each, Beam's job server. Its workers, started by the
    TaskManagers or by the pools as a job wants, see the S3 server through a proxy."""
    with faulty_proxy(moto_process.endpoint, faults) as endpoint, _running(tmp_path_factory.mktemp("flink"), S3Server(endpoint)) as cluster:
        yield cluster


def cluster_script() -> ModuleType:
    """`scripts/flink/cluster.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("flink_cluster", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


@contextmanager
def _running(folder: Path, server: S3Server) -> Iterator[Any]:
    script = cluster_script()
    if missing := script.missing_tools():
        unavailable(f"Flink needs {', '.join(missing)} on PATH")
    with fetching():
        script.prepare()
    cluster = script.Cluster(folder, environment=server.environment, environment_type="EXTERNAL")
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
    assert script.session_processes(folder) == []
    assert list((folder / "tmp").glob("pdfmill-worker-*")) == []
