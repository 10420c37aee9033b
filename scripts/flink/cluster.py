"""A Flink session cluster on this machine, from packages: a JobManager, TaskManagers, Beam's job server.

    python scripts/flink/cluster.py up            start it and print the flags for `pdfmill index`
    python scripts/flink/cluster.py up EXTERNAL   the same with a worker pool beside each TaskManager
    python scripts/flink/cluster.py down          stop it

Flink's own jars come out of PyPI's `apache-flink-libraries`, Beam's through Maven (`pom.xml` beside this file), the boot program of the
Python workers through Go. All are installed in `.tools/flink`; the log files of a running cluster are in `.tools/flink/session`. All
processes listen on loopback only.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent.parent
TOOLS: Final = ROOT / ".tools" / "flink"
FLINK_VERSION: Final = "1.19.3"
BEAM_VERSION: Final = "2.77.0"
START_S: Final = 120.0
STOP_S: Final = 20.0
#: The host name by which each TaskManager reaches its own worker pool.
POOL_HOST: Final = "worker-pool"
#: An environment variable of every process of a cluster, by which orphans are found.
MARK: Final = "PDFMILL_FLINK_SESSION"

#: Java packages that Flink and Arrow access by reflection on Java 17 (as in flink-dist's own `config.yaml`).
_OPENS: Final = (
    *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "net", "io", "nio", "lang.reflect", "text", "time", "util")),
    *(f"--add-opens=java.base/java.util.{name}=ALL-UNNAMED" for name in ("concurrent", "concurrent.atomic", "concurrent.locks")),
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
#: For jobs of minutes, the second compiler and a parallel garbage collector cost these processes more time than they save.
_LIGHT: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_LOG4J: Final = """\
rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
appender.out.name = out
appender.out.type = Console
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1} - %m%n
"""


class ToolMissingError(RuntimeError):
    """A program that installs or runs the cluster is not on this machine."""


def missing_tools() -> list[str]:
    """Return the names of programs that must be on PATH and are not."""
    ready = (TOOLS / "boot").exists() and (TOOLS / "job-server").exists()
    return [name for name in (("java",) if ready else ("java", "mvn", "go")) if shutil.which(name) is None]


def prepare() -> None:
    """Download the files that are missing in `.tools/flink`, about 150 MB in all.

    Raises:
        ToolMissingError: Java, Maven or Go is not on PATH.
        subprocess.CalledProcessError: a package manager failed; its output is on the terminal.
    """
    if missing := missing_tools():
        raise ToolMissingError(f"Flink needs {', '.join(missing)} on PATH")
    TOOLS.mkdir(parents=True, exist_ok=True)
    for name, fetch in (("lib", _fetch_flink), ("job-server", _fetch_job_server), ("boot", _fetch_boot)):
        if not (TOOLS / name).exists():
            with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
                fetch(Path(folder)).rename(TOOLS / name)


def _fetch_flink(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:", f"--dest={folder}"]
    subprocess.run([*command, f"apache-flink-libraries=={FLINK_VERSION}"], check=True)
    (folder / "lib").mkdir()
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        for member in archive:
            name = Path(member.name).name
            if "/deps/lib/" in member.name and name.startswith(("flink-dist", "log4j")):
                source = archive.extractfile(member)
                assert source is not None
                with (folder / "lib" / name).open("wb") as sink:
                    shutil.copyfileobj(source, sink)
    return folder / "lib"


def _fetch_job_server(folder: Path) -> Path:
    copy = ["mvn", "-q", "-B", f"--file={HERE / 'pom.xml'}", "dependency:copy-dependencies", "-DincludeScope=runtime"]
    subprocess.run([*copy, f"-DoutputDirectory={folder / 'jars'}"], check=True)
    return folder / "jars"


def _fetch_boot(folder: Path) -> Path:
    package = f"github.com/apache/beam/sdks/v2/python/container@v{BEAM_VERSION}"
    subprocess.run(["go", "install", package], check=True, env={**os.environ, "GOBIN": str(folder)})
    return folder / "container"


def free_port() -> int:
    """Return a port of loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _flink_config(rpc_port: int, rest_port: int, folder: Path) -> dict[str, object]:
    """Flink's `config.yaml` (Flink 1.19 documentation, Configuration). Memory is given as totals, as its start scripts would compute
    them."""
    return {
        "jobmanager.rpc.address": "127.0.0.1",
        "jobmanager.rpc.port": rpc_port,
        "jobmanager.bind-host": "127.0.0.1",
        "rest.address": "127.0.0.1",
        "rest.bind-address": "127.0.0.1",
        "rest.port": rest_port,
        "taskmanager.host": "127.0.0.1",
        "taskmanager.bind-host": "127.0.0.1",
        "taskmanager.numberOfTaskSlots": 1,
        "taskmanager.cpu.cores": 1.0,
        "taskmanager.memory.framework.heap.size": "128m",
        "taskmanager.memory.framework.off-heap.size": "128m",
        "taskmanager.memory.task.heap.size": "384m",
        "taskmanager.memory.task.off-heap.size": "0",
        "taskmanager.memory.managed.size": "128m",
        "taskmanager.memory.network.min": "192m",  # 64 MB are too few buffers for four tables
        "taskmanager.memory.network.max": "192m",
        "taskmanager.memory.jvm-metaspace.size": "192m",
        "taskmanager.memory.jvm-overhead.min": "64m",
        "taskmanager.memory.jvm-overhead.max": "64m",
        "heartbeat.interval": 1000,
        "heartbeat.timeout": 8000,  # ms; how soon a killed TaskManager is noticed
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 10,
        "restart-strategy.fixed-delay.delay": "1 s",
        "web.refresh-interval": 500,  # ms; how old an answer of the REST API may be
        "io.tmp.dirs": str(folder / "tmp"),
        "classloader.check-leaked-classloader": False,
    }


@dataclass
class Cluster:
    """A cluster, with its configuration and logs in `folder`."""

    folder: Path
    task_managers: int = 2
    # Further environment variables of its processes, and so of the Python workers.
    environment: Mapping[str, str] = field(default_factory=dict)
    environment_type: str = "PROCESS"  # PROCESS: TaskManagers start the Python workers; EXTERNAL: each has a worker pool beside it
    pool_port: int = field(default_factory=free_port)
    rpc_port: int = field(default_factory=free_port)
    rest_port: int = field(default_factory=free_port)
    job_port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _started: int = 0

    def flags(self, environment_type: str | None = None, parallelism: int | None = None) -> list[str]:
        """Return the flags with which `pdfmill index` runs on this cluster. environment_type: a cluster with pools runs jobs of both
        types."""
        kind, process = environment_type or self.environment_type, json.dumps({"command": str(HERE / "worker.sh")})
        return [
            "--runner=FlinkRunner",
            f"--job_endpoint=127.0.0.1:{self.job_port}",
            f"--flink_master=127.0.0.1:{self.rest_port}",
            f"--environment_type={kind}",
            f"--environment_config={process if kind == 'PROCESS' else f'{POOL_HOST}:{self.pool_port}'}",
            f"--parallelism={parallelism or self.task_managers}",
            "--environment_cache_millis=30000",
        ]

    def cancel(self, job: str) -> None:
        """Cancel a job by Flink's REST API. job: its id."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.rest_port}/jobs/{job}?mode=cancel", method="PATCH")
        urllib.request.urlopen(request, timeout=10).close()

    def start(self) -> None:
        """Start all processes, and wait until all task slots are registered and the job server answers.

        Raises:
            RuntimeError: a process ended, or was not ready in time; the message has the end of its log.
        """
        for name in ("conf", "tmp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        config = _flink_config(self.rpc_port, self.rest_port, self.folder)
        (self.folder / "conf" / "config.yaml").write_text("".join(f"{key}: {value}\n" for key, value in config.items()))
        (self.folder / "conf" / "log4j.properties").write_text(_LOG4J)
        self.start_job_manager()
        for number in range(1, self.task_managers + 1):
            self.start_task_manager(number)
        server = ["--flink-master", f"127.0.0.1:{self.rest_port}", "--job-host", "127.0.0.1", "--job-port", str(self.job_port)]
        staging = ["--artifact-port", "0", "--expansion-port", "0", "--artifacts-dir", str(self.folder / "artifacts")]
        self._java("jobserver", 256, TOOLS / "job-server", "org.apache.beam.runners.flink.FlinkJobServerDriver", *server, *staging)
        self._wait("task slots", lambda: self.rest("overview")["slots-total"] == self.task_managers)
        self._wait("job server", lambda: _listening(self.job_port))

    def start_job_manager(self) -> None:
        """Start the JobManager; TaskManagers that had another one at its address register by themselves."""
        self._flink("jobmanager", 256, "runtime.entrypoint.StandaloneSessionClusterEntrypoint")

    def start_task_manager(self, number: int) -> None:
        """Start the TaskManager of this number, from 1; it registers by itself."""
        settings = self._start_pool(number) if self.environment_type == "EXTERNAL" else []
        self._started += 1
        name = f"-Dtaskmanager.resource-id=taskmanager-{number}-{self._started}"
        self._flink(f"taskmanager-{number}", 512, "runtime.taskexecutor.TaskManagerRunner", name, settings=settings)

    def _start_pool(self, number: int) -> list[str]:
        """Start the worker pool of a TaskManager, on a separate address; return the options by which the TaskManager's JVM finds it.

        With one TaskManager per machine, all could use `localhost`.
        """
        address, name = f"127.0.0.{number + 1}", f"pool-{number}"
        hosts = self.folder / "conf" / f"hosts-{number}"
        hosts.write_text(f"{address} {POOL_HOST}\n127.0.0.1 localhost {socket.gethostname()}\n")
        if name not in self.processes:
            self._start(name, [sys.executable, str(HERE / "pool.py"), f"{address}:{self.pool_port}"])
        return [f"-Djdk.net.hosts.file={hosts}"]

    def kill_task_manager(self, number: int) -> None:
        """Kill a TaskManager with SIGKILL, like a machine that fails."""
        self._kill(f"taskmanager-{number}")

    def kill_job_manager(self) -> None:
        """Kill the JobManager with SIGKILL; its information on the session's jobs is lost."""
        self._kill("jobmanager")

    def kill_workers(self) -> None:
        """Kill all Python workers, which read the documents, with SIGKILL; the processes that start them keep running."""
        for process in session_processes(self.folder):
            with suppress(OSError):  # ended meanwhile
                if b"sdk_worker_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                    os.kill(process, signal.SIGKILL)

    def _kill(self, name: str) -> None:
        process = self.processes[name]
        process.kill()
        process.wait()

    def _flink(self, name: str, heap_mb: int, main: str, *arguments: str, settings: Sequence[str] = ()) -> None:
        config = ["--configDir", str(self.folder / "conf")]
        self._java(name, heap_mb, TOOLS / "lib", f"org.apache.flink.{main}", *config, *arguments, settings=settings)

    def task_manager_at(self, job: str, step: str) -> int | None:
        """Return the number of a TaskManager on which a step of a job is running; None if it is not running."""
        for vertex in self.rest(f"jobs/{job}")["vertices"]:
            if step in vertex["name"] and vertex["status"] == "RUNNING":
                for each in self.rest(f"jobs/{job}/vertices/{vertex['id']}/taskmanagers")["taskmanagers"]:
                    if each["status"] == "RUNNING":
                        return int(each["taskmanager-id"].split("-")[1])
        return None

    def _java(self, name: str, heap_mb: int, jars: Path, main: str, *arguments: str, settings: Sequence[str] = ()) -> None:
        settings = [
            *settings,
            f"-Xmx{heap_mb}m",
            *_LIGHT,
            *_OPENS,
            f"-Dlog4j.configurationFile={self.folder / 'conf' / 'log4j.properties'}",
            f"-Djava.io.tmpdir={self.folder / 'tmp'}",
        ]
        self._start(name, ["java", *settings, "-cp", f"{jars}/*", main, *arguments])

    def _start(self, name: str, command: Sequence[str]) -> None:
        python = str(Path(sys.executable).parent)
        workers = {
            "PDFMILL_BOOT": str(TOOLS / "boot"),
            "PDFMILL_PYTHON": python,
            "PATH": f"{python}:{os.environ['PATH']}",
            "TMPDIR": str(self.folder / "tmp"),
        }
        environment = {**os.environ, **workers, **self.environment, MARK: str(self.folder)}
        with self.log(name).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
            )

    def log(self, name: str) -> Path:
        """Return the log file of a process. name: jobmanager, taskmanager-1, ..., jobserver."""
        return self.folder / f"{name}.log"

    def rest(self, path: str) -> Any:
        """Return the JSON of a response of Flink's REST API (Flink 1.19 documentation, REST API)."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.rest_port}/{path}", timeout=10) as answer:
            return json.load(answer)

    def _wait(self, what: str, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended with {process.returncode}: {self.log(name).read_text(errors='replace')[-2000:]}")
            with suppress(OSError):
                if ready():
                    return
            time.sleep(0.2)
        raise RuntimeError(f"no {what} after {START_S:.0f} s; the log files are in {self.folder}")

    def stop(self) -> None:
        """End all processes of this cluster, including the Python workers."""
        end_session(self.folder)
        for process in self.processes.values():
            process.wait()


def _listening(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


def session_processes(folder: Path) -> list[int]:
    """Return the ids of running processes that were started by the cluster in this folder, or by one of its processes."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # ended meanwhile, or another user's
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return sorted(found)


def end_session(folder: Path) -> None:
    """Ask the cluster's processes to end; kill those that have not ended after `STOP_S` seconds, and remove the folders that killed workers
    leave."""
    _signal(folder, signal.SIGTERM)
    deadline = time.monotonic() + STOP_S
    while session_processes(folder) and time.monotonic() < deadline:
        time.sleep(0.2)
    while session_processes(folder):
        _signal(folder, signal.SIGKILL)
        time.sleep(0.2)
    for left in (folder / "tmp").glob("pdfmill-worker-*"):
        shutil.rmtree(left, ignore_errors=True)


def _signal(folder: Path, number: signal.Signals) -> None:
    for process in session_processes(folder):
        with suppress(ProcessLookupError):
            os.kill(process, number)


def main(argv: list[str]) -> int:
    """Run the command line (up, up EXTERNAL, down, prepare), and return the exit code."""
    session = TOOLS / "session"
    if argv == ["prepare"]:
        prepare()
        return 0
    if argv == ["down"]:
        end_session(session)
        shutil.rmtree(session, ignore_errors=True)
        return 0
    if argv not in (["up"], ["up", "EXTERNAL"]):
        print(__doc__, file=sys.stderr)
        return 2
    if session_processes(session):
        print(f"a cluster is running in {session}: stop it first", file=sys.stderr)
        return 1
    prepare()
    cluster = Cluster(session, environment_type=argv[-1] if argv[1:] else "PROCESS", rest_port=8081, job_port=8099)
    try:
        cluster.start()
    except RuntimeError as error:
        end_session(session)
        print(error, file=sys.stderr)
        return 1
    print("Flink's page: http://127.0.0.1:8081\npdfmill index SOURCE --output DIR", *(f"\\\n    '{flag}'" for flag in cluster.flags()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
