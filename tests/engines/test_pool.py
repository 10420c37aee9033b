"""A worker pool that is killed leaves no workers behind; a stand-in of a worker shows it, without Flink."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
import psutil
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

from tests.servers import free_port

POOL = Path(__file__).resolve().parents[2] / "scripts" / "flink" / "pool.py"
#: Far beyond the 2 s that the pool's watcher takes.
WAIT_S = 60.0


def test_a_pool_that_is_killed_takes_its_workers_along(tmp_path):
    worker = tmp_path / "python"
    worker.write_text(
        f"#!/bin/sh\ntrap '' TERM\necho $$ > {tmp_path}/started.new && mv {tmp_path}/started.new {tmp_path}/started\nsleep 600\n"
    )
    worker.chmod(0o755)
    address = f"127.0.0.1:{free_port()}"
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    pool = subprocess.Popen([sys.executable, str(POOL), address], env=environment, start_new_session=True)
    try:
        with grpc.insecure_channel(address) as channel:
            grpc.channel_ready_future(channel).result(timeout=WAIT_S)
            asked = beam_fn_api_pb2.StartWorkerRequest(worker_id="1")
            assert not beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolStub(channel).StartWorker(asked, timeout=WAIT_S).error
        deadline = time.monotonic() + WAIT_S
        while not (tmp_path / "started").exists():
            assert time.monotonic() < deadline, "the pool starts no worker"
            time.sleep(0.1)
        started = psutil.Process(int((tmp_path / "started").read_text()))
        family = [started, *started.children()]
    finally:
        pool.send_signal(signal.SIGKILL)
        pool.wait()
    _, alive = psutil.wait_procs(family, timeout=WAIT_S)
    assert alive == []
