"""What a job costs on Flink beyond the same job here: CPU, bytes between vertices, peak on disk.

    python -m benchmarks.speed.flink_job PDF_OR_FOLDER... [--environment PROCESS] [--parallelism 2]

A cluster is started (`scripts/flink/cluster.py`), a job of one letter tells what any job costs, and a job over each source what its
pages cost beyond that. Bytes are those that Flink's REST API tells of each vertex, `write-bytes`; the disk is the folder of Flink's
temporary files without jars, looked at four times a second, beyond what the letter took; CPU is that of every process of the
cluster, of its Python workers and of the command, against that of `pdfmill index` with as many `--workers`. Books and shorter documents
cost different bytes: give a folder of each.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import psutil
import pyarrow.parquet as pq

from benchmarks.speed.made_documents import letters
from benchmarks.speed.processes import Cost, run_command
from pdfmill.pipeline.run.progress import alongside

SCRIPT: Final = Path(__file__).resolve().parents[2] / "scripts" / "flink" / "cluster.py"
#: Seconds between two looks at the processes and the disk.
LOOK_S: Final = 0.25
JOB_S: Final = 3600.0
#: On a busy machine a worker waits longer for its next stage than the cluster's flags keep it, and each start of one costs seconds of CPU.
WORKERS_STAY: Final = "--environment_cache_millis=600000"
#: In that folder, and not the job's data: what workers make for themselves, and the jars of each job.
_NO_SHUFFLE: Final = ("pdfmill-worker-", "blobStore-")
#: CPU of a job of 680 pages there by that of the local run, beyond the start, at most.
MOST_CPU: Final = 5.0


@dataclass(frozen=True, slots=True)
class Job:
    """cpu: seconds of all processes. seconds: wall. pages: rows of `pages`. written: bytes by vertex. disk: peak of bytes."""

    cpu: float
    seconds: float
    pages: int
    written: dict[str, int]
    disk: int

    @property
    def bytes_a_page(self) -> float:
        """Written between vertices."""
        return sum(self.written.values()) / max(1, self.pages)


def cluster_script() -> ModuleType:
    """`scripts/flink/cluster.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("flink_cluster", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


class Watch:
    """CPU seconds of some processes, and bytes below a folder, while a block runs; those of processes that end between two looks are
    lost from the last look on."""

    def __init__(self, processes: Callable[[], list[int]], folder: Path) -> None:
        self._processes, self._folder = processes, folder
        self._used: dict[tuple[int, float], float] = {}
        self.disk = 0

    def look(self) -> None:
        """Once."""
        for number in self._processes():
            with suppress(psutil.Error):
                process = psutil.Process(number)
                times = process.cpu_times()
                self._used[number, process.create_time()] = times.user + times.system
        files = (Path(folder, name) for folder, _, names in os.walk(self._folder) for name in names)  # which passes over folders that went
        self.disk = max(self.disk, sum(map(_size, files)))

    def cpu(self) -> float:
        """So far."""
        return sum(self._used.values())

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look again and again."""
        try:
            with alongside(self._look_on):
                yield
        finally:
            self.look()

    def _look_on(self, ended: threading.Event) -> None:
        while not ended.wait(LOOK_S):
            self.look()


def _size(path: Path) -> int:
    try:
        return 0 if any(each in str(path) for each in _NO_SHUFFLE) else path.stat().st_size
    except OSError:  # gone meanwhile
        return 0


def on_flink(script: ModuleType, cluster: Any, source: str, flags: Sequence[str]) -> Job:
    """The job there; CPU and disk of the cluster from before to after."""
    watch = Watch(lambda: script.session_processes(cluster.folder), cluster.folder / "tmp")
    watch.look()
    before, had = watch.cpu(), {job["jid"] for job in cluster.rest("jobs/overview")["jobs"]}
    watch.disk = 0
    with tempfile.TemporaryDirectory() as output, tempfile.NamedTemporaryFile() as log:
        with watch.watching():
            cost = _index(source, output, [*cluster.flags(), WORKERS_STAY, *flags], log)
        if cost.code not in (0, 1):
            raise RuntimeError(Path(log.name).read_text()[-3000:])
        pages = sum(pq.read_metadata(part).num_rows for part in Path(output, "pages").glob("*.parquet"))
    (job,) = {job["jid"] for job in cluster.rest("jobs/overview")["jobs"]} - had
    return Job(cost.cpu + watch.cpu() - before, cost.seconds, pages, written_between(cluster, job), watch.disk)


def written_between(cluster: Any, job: str) -> dict[str, int]:
    """Bytes that each vertex of a job has written to others."""
    written: dict[str, int] = {}
    for vertex in cluster.rest(f"jobs/{job}")["vertices"]:
        written[_short(vertex["name"])] = written.get(_short(vertex["name"]), 0) + int(vertex["metrics"]["write-bytes"])
    return written


def _short(name: str) -> str:
    return re.sub(r"\s+", " ", name)[:110]


def _index(source: str, output: str, flags: Sequence[str], log: Any = None) -> Cost:
    return run_command([sys.executable, "-m", "pdfmill", "index", source, "--output", output, *flags], log=log, timeout=JOB_S)


def lines(sources: Sequence[str], environment: str, parallelism: int, flags: Sequence[str]) -> Iterator[str]:
    """The report."""
    script = cluster_script()
    script.prepare()
    with tempfile.TemporaryDirectory() as folder:
        letters(Path(folder, "letter"), 1)
        cluster = script.Cluster(Path(folder, "cluster"), task_managers=parallelism, environment_type=environment)
        try:
            cluster.start()
            start = on_flink(script, cluster, f"{folder}/letter", flags)
            crossed = sum(start.written.values()) / 1e3
            yield f"one letter: {start.cpu:.0f} s of CPU, {start.seconds:.0f} s, {crossed:,.0f} kB between vertices"
            for source in sources:
                yield from _compared(start, on_flink(script, cluster, os.path.abspath(source), flags), source, parallelism)
        finally:
            cluster.stop()


def _compared(start: Job, job: Job, source: str, workers: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as output:
        here = _index(source, output, ["--workers", str(workers)])
    yield f"{source}: {job.pages:,} pages: {job.cpu:.0f} s of CPU, {job.seconds:.0f} s; here {here.cpu:.0f} s of CPU, {here.seconds:.0f} s"
    yield f"  beyond the start {(job.cpu - start.cpu) / here.cpu:.2f} times the CPU of the run here (the bar is {MOST_CPU:g})"
    yield f"  {job.bytes_a_page:,.0f} bytes a page between vertices, {(job.disk - start.disk) / job.pages:,.0f} at most on disk"
    for name, size in sorted(job.written.items(), key=lambda each: -each[1]):
        yield f"    {size / job.pages:8,.0f} {name}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--environment", default="PROCESS", choices=["PROCESS", "EXTERNAL"])
    parser.add_argument("--parallelism", type=int, default=2)
    args, flags = parser.parse_known_args(argv)
    for line in lines(args.sources, args.environment, args.parallelism, flags):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
