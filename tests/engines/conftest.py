"""Flink session clusters for the tests of this folder: started once from packages, ended with everything they started."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.servers import S3Server, fetching, unavailable

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "flink" / "cluster.py"


def _load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("flink_cluster", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def flink(moto_process: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The running cluster: a JobManager, two TaskManagers whose workers see the S3 server, Beam's job server."""
    with _running(tmp_path_factory.mktemp("flink"), moto_process, "PROCESS") as cluster:
        yield cluster


@pytest.fixture
def flink_with_pools(moto_process: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The same with a worker pool beside each TaskManager."""
    with _running(tmp_path_factory.mktemp("pools"), moto_process, "EXTERNAL") as cluster:
        yield cluster


@contextmanager
def _running(folder: Path, server: S3Server, environment_type: str) -> Iterator[Any]:
    script = _load_script()
    if missing := script.missing_tools():
        unavailable(f"Flink needs {', '.join(missing)} on PATH")
    with fetching():
        script.prepare()
    cluster = script.Cluster(folder, environment=server.environment, environment_type=environment_type)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
    assert script.session_processes(folder) == []
    assert list((folder / "tmp").glob("pdfmill-worker-*")) == []
