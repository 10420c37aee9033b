"""A pool of Beam SDK workers for `--environment_type EXTERNAL`, on one address of this machine.

    python scripts/flink/pool.py HOST:PORT

Beam's own `python -m apache_beam.runners.worker.worker_pool_main --service_port PORT` does the same on all addresses: right where a
machine or pod has one TaskManager. TaskManagers number their workers alike, so that two of them need a pool each. The workers are
started as `python`, found on PATH, which must have pdfmill installed. A pool that is killed takes its workers along, which Beam's own does
not: a process beside it sees its end.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import grpc
from apache_beam.portability.api import beam_fn_api_pb2_grpc
from apache_beam.runners.worker.worker_pool_main import BeamFnExternalWorkerPoolServicer

#: Seconds between asking processes to end and killing them, during which it is checked whether all have ended.
END_S: Final = 2.0
LOOK_S: Final = 0.05


def _watch_over() -> None:
    """Put this process and all that it will start into a process group, and start a watcher that ends the group when this process is gone;
    the watcher sees this by a pipe that closes."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    group, (watched, held) = os.getpgrp(), os.pipe()
    if os.fork():
        os.close(watched)
        return
    os.setpgid(0, 0)
    os.close(held)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.read(watched, 1)
    with suppress(ProcessLookupError):  # nobody is left in the group
        os.killpg(group, signal.SIGTERM)
        ends = time.monotonic() + END_S
        while time.monotonic() < ends:
            time.sleep(LOOK_S)
            os.killpg(group, 0)
        os.killpg(group, signal.SIGKILL)
    os._exit(0)


def main(argv: list[str]) -> int:
    """Serve until SIGTERM or Ctrl-C."""
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    _watch_over()
    asked_to_end = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, asked_to_end)
    server = grpc.server(ThreadPoolExecutor())
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(BeamFnExternalWorkerPoolServicer(use_process=True), server)
    server.add_insecure_port(argv[0])
    server.start()
    signal.sigwait(asked_to_end)
    server.stop(0)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
