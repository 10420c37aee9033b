"""The embedded runner, batch after batch.

It keeps everything between two steps in memory, so a large job is run as several small ones: documents never depend on each
other, so the tables are the same. The listing streams; a batch is all that is known of it at a time.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import multiprocessing
import os
import queue
import re
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing.process import BaseProcess
from operator import attrgetter
from typing import Any, ClassVar, Final

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability import python_urns
from apache_beam.runners.portability.fn_api_runner.worker_handlers import GrpcWorkerHandler, WorkerHandler
from apache_beam.runners.worker import sdk_worker_main
from google.protobuf import json_format, text_format

from pipeline import main
from pipeline.engine import JobFailedError
from pipeline.graph import index_documents
from pipeline.lean_beam import LeanOptions, sample_often, specs_asked_once
from pipeline.shares import SharingRunner
from schemas.records import DocumentRef
from transforms.isolation import end_with_parent, fork_from_here, name_process, rare_collections, stop_guards
from transforms.redistribute import Redistribute
from transforms.settings import JobSettings
from transforms.storage.errors import SourceError

log = logging.getLogger("pdfmill")

#: Names of Beam's in-process runners; `DirectRunner` would try to download another one first.
EMBEDDED_RUNNERS: Final = frozenset({"FnApiRunner", "DirectRunner", "BundleBasedDirectRunner", "SwitchingDirectRunner"})

#: How often a batch is begun when worker processes die under it.
_BATCH_TRIES: Final = 8


def batches(documents: Iterable[DocumentRef], max_documents: int, max_bytes: int) -> Iterator[list[DocumentRef]]:
    """Consecutive documents, bounded in number and listed size; a larger document is a batch of its own.

    >>> [len(b) for b in batches([DocumentRef.of_uri(f"file:///{i}") for i in range(5)], 2, 1000)]
    [2, 2, 1]
    """
    batch: list[DocumentRef] = []
    size = 0
    for document in documents:
        if batch and (len(batch) == max_documents or size + (document.size or 0) > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += document.size or 0
    if batch:
        yield batch


def settle_process() -> None:
    """Make this process one that workers and parsers may be copied from: before it has opened connections, with all it needs imported."""
    rare_collections()
    sample_often()
    if main.owns_process:
        fork_from_here()


def embedded_options(beam_flags: Sequence[str], workers: int) -> PipelineOptions:
    """Beam's options for one process, or for that many worker processes."""
    several = [f"--runner={SharingRunner.__module__}.{SharingRunner.__name__}", f"--direct_num_workers={workers}", "--direct_running_mode=multi_processing"]
    rest = [flag for flag in beam_flags if not flag.startswith("--runner")]
    return LeanOptions([*(several if workers > 1 else ["--runner=FnApiRunner"]), *rest])


def run_batch(documents: Sequence[DocumentRef], settings: JobSettings, options: PipelineOptions) -> None:
    """Run the whole road over these documents and wait for its end. Raises JobFailedError, see `run_to_end`."""
    run_to_end(lambda: _run_once(documents, settings, options), len(documents))


def run_to_end(run: Callable[[], None], documents: int) -> None:
    """Run a pipeline over that many documents.

    Parts have the same names and bytes whenever they are written, so that a batch whose worker died is simply run again.

    Raises:
        JobFailedError: workers died again and again, or the work itself failed (the output store, a mistake of ours).
    """
    gc.collect()  # of what the batch before left
    for left in reversed(range(_BATCH_TRIES)):
        try:
            _run_watched(run)
            break
        except WorkerDiedError as error:
            if not left:
                raise JobFailedError(f"{error}, {_BATCH_TRIES} times in one batch; what was written is whole, run it again") from error
            log.warning("%s; its batch of %d documents is run again", error, documents)


def _run_once(documents: Sequence[DocumentRef], settings: JobSettings, options: PipelineOptions) -> None:
    with specs_asked_once(), beam.Pipeline(options=options) as pipeline:
        # Redistributed: an in-memory source is one bundle, which one worker would take whole.
        refs = pipeline | "Documents" >> beam.Create(documents, reshuffle=False) | "Redistribute" >> Redistribute(attrgetter("place"), attrgetter("uri"))
        index_documents(refs, settings)


class WorkerDiedError(RuntimeError):
    """A worker process of the embedded runner ended before the batch did; the runner itself would wait for it for ever."""


@WorkerHandler.register_environment(python_urns.SUBPROCESS_SDK, bytes)
class ForkedWorker(GrpcWorkerHandler):
    """A worker process of the embedded runner, forked where Beam's own handler starts a Python that imports everything again.

    Measured: 2.6 s of CPU for each worker of each batch. See `transforms.isolation.fork_from_here`.
    """

    #: Those whose process nobody has waited for.
    running: ClassVar[set[ForkedWorker]] = set()
    #: Who is told of one that died; the runner waits for it without end.
    deaths: ClassVar[queue.SimpleQueue[BaseException | None]] = queue.SimpleQueue()

    def __init__(self, _: bytes, state: Any, provision_info: Any, grpc_server: Any) -> None:
        super().__init__(state, provision_info, grpc_server)
        self._environment = {
            **os.environ,
            "CONTROL_API_SERVICE_DESCRIPTOR": text_format.MessageToString(self.control_api_service_descriptor()),
            "PIPELINE_OPTIONS": json_format.MessageToJson(provision_info.provision_info.pipeline_options),
            "WORKER_ID": self.worker_id,
        }

    def start_worker(self) -> None:
        """Fork it, and listen for its end."""
        self._process: BaseProcess = multiprocessing.get_context("forkserver").Process(target=_work, args=[self._environment])
        self._process.start()
        self._deaths = self.deaths  # of this run; the next one listens elsewhere
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.running.add(self)

    def _listen(self) -> None:
        self._process.join()
        if self._process.exitcode:
            self._deaths.put(WorkerDiedError(f"a worker process died (exit code {self._process.exitcode})"))

    def stop_worker(self) -> None:
        """Nothing: it ends by itself, its connection is closed, while the runner closes those of others. See `join_all`."""

    @classmethod
    def join_all(cls) -> None:
        """Wait for the end of every worker."""
        while cls.running:
            cls.running.pop()._listener.join()

    @classmethod
    def kill_all(cls) -> None:
        """End every worker now."""
        while cls.running:
            worker = cls.running.pop()
            if worker._listener.is_alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker._process.pid or 0, signal.SIGKILL)


def _work(environment: Mapping[str, str]) -> None:
    """A worker process, from its fork to its end."""
    name_process("pdfmill-worker")
    end_with_parent()
    fork_from_here()
    sample_often()
    os.environ.update(environment)
    try:
        sdk_worker_main.main([])
    finally:
        stop_guards()


def _run_watched(run: Callable[[], None]) -> None:
    """Run it in a thread, and listen for the end of its workers.

    Raises:
        WorkerDiedError: see there. The thread is left behind, its other workers are ended.
        JobFailedError: the run failed.
    """
    outcome = ForkedWorker.deaths = queue.SimpleQueue()

    def work() -> None:
        try:
            run()
            ForkedWorker.join_all()
        except BaseException as error:  # handed to the thread that waits
            outcome.put(error)
        else:
            outcome.put(None)

    threading.Thread(target=work, name="pdfmill-batch", daemon=True).start()
    _raise(outcome.get())


def _raise(error: BaseException | None) -> None:
    if error is None:
        return
    if isinstance(error, WorkerDiedError):
        ForkedWorker.kill_all()
        raise error
    if not isinstance(error, Exception):
        raise error
    told = f"{error.code}: {error}" if isinstance(error, SourceError) else str(error)
    if not isinstance(error, SourceError) and SourceError.__name__ not in told:  # a mistake: it is wanted in full
        log.error("the run failed:\n%s", "".join(traceback.format_exception(error)))
    raise JobFailedError(f"the run failed: {_last_line(told) or type(error).__name__}") from error


def _last_line(told: str) -> str:
    """What the last line of a traceback says, without the name of the error's class."""
    lines = [line for line in told.splitlines() if line.strip()]
    return re.sub(r"^[\w.]+Error: ", "", lines[-1].strip()) if lines else ""
