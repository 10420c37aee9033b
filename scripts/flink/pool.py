"""A pool of Beam SDK workers for `--environment_type EXTERNAL`, on one address of this machine.

    python scripts/flink/pool.py HOST:PORT

Beam's own `python -m apache_beam.runners.worker.worker_pool_main --service_port PORT` does the same on all addresses: right where a
machine or pod has one TaskManager. TaskManagers number their workers alike, so that two of them need a pool each. The workers are
started as `python`, found on PATH, which must have pdfmill installed.
"""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from apache_beam.portability.api import beam_fn_api_pb2_grpc
from apache_beam.runners.worker.worker_pool_main import BeamFnExternalWorkerPoolServicer


def main(argv: list[str]) -> int:
    """Serve until SIGTERM or Ctrl-C."""
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
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
