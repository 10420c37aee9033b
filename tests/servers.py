"""Real stores on loopback, started from packages; `tests/conftest.py` makes the fixtures known.

    s3_server          moto's server (PyPI): always there, takes any key
    strict_s3_server   versitygw (Go): checks signatures and If-Match as S3 does
    encrypting_s3_server  MinIO (Go) behind TLS, with a service of keys: encrypts with its keys and with the customer's
    gcs_server         gcp-storage-emulator (PyPI)
    strict_gcs_server  fake-gcs-server (Go): create-only writes answer 412 as GCS does
    azure_server       Azurite (npm): Microsoft's own emulator, checks keys, If-Match and If-None-Match
    opensearch         an OpenSearch node (Maven Central), one for the whole session: its start takes 16 s, on a busy machine 50 s
    http_server        a folder behind the standard library's server
    faulty_http        answers as it is told, in order: for throttling, resets and odd headers

Each fixture points this process' environment at its server for one test. The Go servers and Azurite are put once into `.tools/`; where
that cannot be done their tests are skipped and say why, unless CI=true: there nothing may be skipped.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import http.client
import http.server
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from azure.storage.blob import BlobServiceClient
from botocore.config import Config
from google.cloud import storage
from msgspec import Struct

from pdfmill.transforms.storage.sessions import forget_clients

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools" / "bin"
GO_TOOLS = {
    "versitygw": "github.com/versity/versitygw/cmd/versitygw@v1.8.0",
    "fake-gcs-server": "github.com/fsouza/fake-gcs-server@v1.56.1",
    "minio": "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c",
}
AZURITE = "azurite@3.37.0"
START_S = 60.0
#: Of OpenSearch on a busy machine, with room.
ENGINE_START_S = 240.0
#: The node takes the first free port behind this one, up to 9299.
ENGINE_PORTS = 9200
_NUMBERS = itertools.count(1)
#: The fixtures of stores that can be written, and the scheme of their addresses.
STORE_SERVERS = {"s3_server": "s3", "strict_s3_server": "s3", "gcs_server": "gs", "strict_gcs_server": "gs", "azure_server": "az"}
#: Headers that hold between two neighbours only, and those that are told anew.
_BETWEEN = {"connection", "transfer-encoding", "content-length", "server", "date", "keep-alive"}
#: What each store's client reads of the environment, by the beginnings of the names.
_VARIABLES = (("AWS_",), ("STORAGE_EMULATOR_HOST", "GOOGLE_APPLICATION_CREDENTIALS"), ("AZURE_",))


@dataclass(frozen=True)
class S3Server:
    """A running S3 server and the keys it was started with."""

    endpoint: str
    access_key: str = "testkey"
    secret_key: str = "testsecret12"
    certificate: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """What points every AWS client at it."""
        return {
            "AWS_ENDPOINT_URL_S3": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            **({"AWS_CA_BUNDLE": self.certificate} if self.certificate else {}),
        }

    def client(self) -> Any:
        """A client of its own, apart from the one under test."""
        config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
        keys = {"aws_access_key_id": self.access_key, "aws_secret_access_key": self.secret_key}
        return boto3.client(
            "s3", endpoint_url=self.endpoint, region_name="us-east-1", config=config, verify=self.certificate or None, **keys
        )

    def make_bucket(self, objects: dict[str, bytes] | None = None) -> str:
        """A new bucket that holds these objects; its name."""
        name = f"bucket-{os.getpid()}-{next(_NUMBERS)}"
        client = self.client()
        client.create_bucket(Bucket=name)
        for key, data in (objects or {}).items():
            client.put_object(Bucket=name, Key=key, Body=data)
        return name

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Put one object."""
        self.client().put_object(Bucket=bucket, Key=key, Body=data)


@dataclass(frozen=True)
class GcsServer:
    """A running server that speaks the JSON API of Google Cloud Storage."""

    endpoint: str

    @property
    def environment(self) -> dict[str, str]:
        """What points the Google client at it."""
        return {"STORAGE_EMULATOR_HOST": self.endpoint, "NO_GCE_CHECK": "true"}

    def client(self) -> Any:
        """A client of its own, apart from the one under test."""
        return storage.Client(
            project="test",
            client_options={"api_endpoint": self.endpoint},
            credentials=storage.Client.create_anonymous_client()._credentials,
        )

    def make_bucket(self, objects: dict[str, bytes] | None = None) -> str:
        """A new bucket that holds these objects; its name."""
        name = f"bucket-{os.getpid()}-{next(_NUMBERS)}"
        self.client().create_bucket(name)
        for key, data in (objects or {}).items():
            self.put(name, key, data)
        return name

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Put one object."""
        self.client().bucket(bucket).blob(key).upload_from_string(data, "application/octet-stream")


@dataclass(frozen=True)
class AzureServer:
    """A running server that speaks Azure's Blob service. The account and its key are Azurite's, which everybody knows."""

    endpoint: str
    account: str = "devstoreaccount1"
    key: str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    @property
    def url(self) -> str:
        """The account's address."""
        return f"{self.endpoint}/{self.account}"

    @property
    def environment(self) -> dict[str, str]:
        """What points Azure's client at it."""
        return {"AZURE_STORAGE_ACCOUNT": self.account, "AZURE_STORAGE_KEY": self.key, "AZURE_STORAGE_SERVICE_ENDPOINT": self.url}

    def client(self) -> Any:
        """A client of its own, apart from the one under test."""
        return BlobServiceClient(self.url, credential={"account_name": self.account, "account_key": self.key})

    def make_bucket(self, objects: dict[str, bytes] | None = None, *, public: bool = False) -> str:
        """A new container that holds these objects; its name."""
        name = f"bucket-{os.getpid()}-{next(_NUMBERS)}"
        self.client().create_container(name, public_access="container" if public else None)
        for key, data in (objects or {}).items():
            self.put(name, key, data)
        return name

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Put one object."""
        self.client().get_blob_client(bucket, key).upload_blob(data, overwrite=True)


class Answer(Struct):
    """What a faulty server answers once. cut: close the connection after so many bytes of the body. delay_s: wait before it."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}
    cut: int | None = None
    delay_s: float = 0.0


@dataclass
class FaultyHttp:
    """A server that gives the answers in `script`, then `usual` for ever; `seen` are the requests as (method, path, headers)."""

    endpoint: str
    usual: Answer
    script: deque[Answer] = field(default_factory=deque)
    seen: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


def free_port() -> int:
    """A port of loopback that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], port: int, log: Path, environment: dict[str, str] | None = None) -> Iterator[None]:
    """The command as a process that listens on the port, ended on the way out."""
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})
    try:
        _wait_for(port, process, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"{process.args!r} did not come up on port {port}: {log.read_text(errors='replace')[-2000:]}")


def unavailable(reason: str) -> None:
    """Skip the test with the reason; in CI, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextlib.contextmanager
def one_at_a_time(what: str) -> Iterator[None]:
    """While the block runs no other process of the tests does this."""
    TOOLS.parent.mkdir(exist_ok=True)
    with (TOOLS.parent / f"{what}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetching() -> contextlib.AbstractContextManager[None]:
    """What is put into `.tools/` is put there by one process of the tests at a time; the next one finds it."""
    return one_at_a_time("fetch")


def go_tool(name: str) -> str:
    """The path of a server written in Go: from PATH, else built into `.tools/bin`."""
    built = TOOLS / name
    with fetching():
        if not built.exists():
            elsewhere = shutil.which(name)
            if elsewhere:
                return elsewhere
            _go_install(name)
    return str(built)


def _go_install(name: str) -> None:
    go = shutil.which("go")
    if go is None:
        unavailable(f"{name} needs a Go compiler to build, and there is none on PATH")
        return
    TOOLS.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([go, "install", GO_TOOLS[name]], env={**os.environ, "GOBIN": str(TOOLS)}, capture_output=True, text=True)
    if done.returncode:
        unavailable(f"{name} could not be built: {done.stderr.strip()[-500:]}")


def azurite() -> str:
    """The path of Azurite's server of blobs: from PATH, else installed into `.tools/azurite`."""
    installed = TOOLS.parent / "azurite" / "node_modules" / ".bin" / "azurite-blob"
    with fetching():
        if not installed.exists():
            if elsewhere := shutil.which("azurite-blob"):
                return elsewhere
            npm = shutil.which("npm")
            if npm is None:
                unavailable("Azurite comes by npm, and there is none on PATH")
                return ""
            place = ["--prefix", str(TOOLS.parent / "azurite")]
            done = subprocess.run([npm, "install", "--no-audit", "--no-fund", *place, AZURITE], capture_output=True, text=True)
            if done.returncode:
                unavailable(f"Azurite could not be installed: {done.stderr.strip()[-500:]}")
    return str(installed)


def opensearch_jars() -> Path:
    """The folder of OpenSearch's jars: fetched once into `.tools/opensearch` (`scripts/opensearch/pom.xml`), 53 MB."""
    jars = TOOLS.parent / "opensearch"
    if missing := [name for name in (("java",) if jars.exists() else ("java", "mvn")) if shutil.which(name) is None]:
        unavailable(f"OpenSearch needs {', '.join(missing)} on PATH")
    with fetching():
        if jars.exists():
            return jars
        with tempfile.TemporaryDirectory(dir=TOOLS.parent) as folder:
            copy = ["mvn", "-q", "-B", f"--file={ROOT / 'scripts' / 'opensearch' / 'pom.xml'}", "dependency:copy-dependencies"]
            done = subprocess.run([*copy, "-DincludeScope=runtime", f"-DoutputDirectory={folder}/jars"], capture_output=True, text=True)
            if done.returncode:
                unavailable(f"OpenSearch could not be fetched: {(done.stdout + done.stderr).strip()[-500:]}")
            (Path(folder) / "jars").rename(jars)
    return jars


@contextlib.contextmanager
def opensearch_node(folder: Path) -> Iterator[str]:
    """A node that keeps its data in a folder; its address. The first compiler alone, and one thread of garbage collection, halve the CPU
    that a node takes which lives for some tests."""
    java = ["java", "-Xms512m", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dlog4j2.disable.jmx=true"]
    runner = ["-cp", f"{opensearch_jars()}/*", "org.codelibs.opensearch.runner.OpenSearchRunner"]
    place = ["-basePath", str(folder), "-clusterName", f"pdfmill-{os.getpid()}", "-numOfNode", "1", "-baseHttpPort", str(ENGINE_PORTS)]
    folder.mkdir(exist_ok=True)
    log = folder / "out.log"
    with one_at_a_time("start"), log.open("wb") as sink:  # two nodes that start at once take one port
        process = subprocess.Popen([*java, *runner, *place], stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT)
        try:
            address = _address_in(log, process)
        except BaseException:
            process.kill()
            raise
    try:
        yield address
    finally:
        process.kill()  # it has nothing to keep, and takes 10 s to go by itself
        process.wait()


def _address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Where a node says that it listens, once it has started."""
    deadline = time.monotonic() + ENGINE_START_S
    while process.poll() is None and time.monotonic() < deadline:
        told = log.read_text(errors="replace")
        found = re.search(r"AbstractHttpServerTransport\] publish_address \{(127\.0\.0\.1:\d+)\}", told)
        if found and re.search(r"o\.o\.n\.Node +\] started", told):
            return f"http://{found[1]}"
        time.sleep(0.1)
    raise RuntimeError(f"OpenSearch did not start: {log.read_text(errors='replace')[-2000:]}")


@contextlib.contextmanager
def environment_of(values: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The environment with these values and nothing else that this store's client reads; the other store's stay."""
    ours = next(names for names in _VARIABLES if any(name.startswith(names) for name in values))
    for name in list(os.environ):
        if name.startswith(ours):
            monkeypatch.delenv(name)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    forget_clients()
    yield
    forget_clients()


@pytest.fixture(scope="session")
def moto_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """moto's server, for the whole session."""
    port = free_port()
    with running([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port, tmp_path_factory.mktemp("moto") / "log"):
        yield S3Server(f"http://127.0.0.1:{port}")


@pytest.fixture(scope="session")
def versitygw_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """versitygw over a folder, for the whole session."""
    server, folder = S3Server(f"http://127.0.0.1:{free_port()}"), tmp_path_factory.mktemp("versitygw")
    with versitygw(server, folder):
        yield server


@contextlib.contextmanager
def versitygw(server: S3Server, folder: Path) -> Iterator[None]:
    """A server of S3 over a folder, which keeps versions where a bucket asks for them."""
    data, versions = folder / "data", folder / "versions"
    data.mkdir()
    versions.mkdir()
    port = int(server.endpoint.rpartition(":")[2])
    keys = {"ROOT_ACCESS_KEY": server.access_key, "ROOT_SECRET_KEY": server.secret_key}
    places = ["posix", "--versioning-dir", str(versions), str(data)]
    with running([go_tool("versitygw"), "--port", f"127.0.0.1:{port}", *places], port, folder / "log", keys):
        yield


@pytest.fixture(scope="session")
def minio_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """MinIO over a folder, for the whole session: with a certificate of its own, since it takes keys of customers over TLS only."""
    tool, port, folder = go_tool("minio"), free_port(), tmp_path_factory.mktemp("minio")
    certificates = folder / "certificates"
    certificates.mkdir()
    pair = ["-keyout", str(certificates / "private.key"), "-out", str(certificates / "public.crt"), "-days", "2", "-nodes"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", *pair, *names], check=True, capture_output=True)
    server = S3Server(f"https://127.0.0.1:{port}", certificate=str(certificates / "public.crt"))
    keys = {
        "MINIO_ROOT_USER": server.access_key,
        "MINIO_ROOT_PASSWORD": server.secret_key,
        "MINIO_KMS_SECRET_KEY": f"archive-key:{base64.b64encode(bytes(range(32))).decode()}",
    }
    command = [tool, "server", str(folder / "data"), "--address", f"127.0.0.1:{port}", "--certs-dir", str(certificates), "--quiet"]
    with running(command, port, folder / "log", keys):
        yield server


@pytest.fixture(scope="session")
def gcs_emulator_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GcsServer]:
    """gcp-storage-emulator, for the whole session."""
    port = free_port()
    command = [sys.executable, "-m", "gcp_storage_emulator", "start", "--host=127.0.0.1", f"--port={port}", "--in-memory"]
    with running(command, port, tmp_path_factory.mktemp("gcs") / "log"):
        yield GcsServer(f"http://127.0.0.1:{port}")


@pytest.fixture(scope="session")
def fake_gcs_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GcsServer]:
    """fake-gcs-server in memory, for the whole session."""
    tool, port = go_tool("fake-gcs-server"), free_port()
    place = ["-host", "127.0.0.1", "-port", str(port), "-public-host", f"127.0.0.1:{port}"]
    with running([tool, "-scheme", "http", "-backend", "memory", *place], port, tmp_path_factory.mktemp("fake-gcs") / "log"):
        yield GcsServer(f"http://127.0.0.1:{port}")


@pytest.fixture(scope="session")
def azurite_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AzureServer]:
    """Azurite in memory, for the whole session."""
    tool, port = azurite(), free_port()
    place = ["--blobHost", "127.0.0.1", "--blobPort", str(port), "--inMemoryPersistence", "--disableTelemetry"]
    with running([tool, "--skipApiVersionCheck", "--silent", *place], port, tmp_path_factory.mktemp("azurite") / "log"):
        yield AzureServer(f"http://127.0.0.1:{port}")


@pytest.fixture(scope="session")
def opensearch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an OpenSearch node, for the whole session; tests take indexes of their own. PDFMILL_OPENSEARCH: of one that runs."""
    if there := os.environ.get("PDFMILL_OPENSEARCH"):
        yield there
        return
    with opensearch_node(tmp_path_factory.mktemp("opensearch") / "node") as address:
        yield address


@pytest.fixture
def s3_server(moto_process: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """moto, with the environment pointing at it."""
    with environment_of(moto_process.environment, monkeypatch):
        yield moto_process


@pytest.fixture
def strict_s3_server(versitygw_process: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """versitygw, with the environment pointing at it."""
    with environment_of(versitygw_process.environment, monkeypatch):
        yield versitygw_process


@pytest.fixture
def encrypting_s3_server(minio_process: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """MinIO, with the environment pointing at it."""
    with environment_of(minio_process.environment, monkeypatch):
        yield minio_process


@pytest.fixture
def gcs_server(gcs_emulator_process: GcsServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[GcsServer]:
    """gcp-storage-emulator, with the environment pointing at it."""
    with environment_of(gcs_emulator_process.environment, monkeypatch):
        yield gcs_emulator_process


@pytest.fixture
def strict_gcs_server(fake_gcs_process: GcsServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[GcsServer]:
    """fake-gcs-server, with the environment pointing at it."""
    with environment_of(fake_gcs_process.environment, monkeypatch):
        yield fake_gcs_process


@pytest.fixture
def azure_server(azurite_process: AzureServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[AzureServer]:
    """Azurite, with the environment pointing at it."""
    with environment_of(azurite_process.environment, monkeypatch):
        yield azurite_process


class _QuietFolder(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def _serving(handler: Any) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def http_server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server, and the folder it serves."""
    folder = tmp_path / "www"
    folder.mkdir()
    with _serving(partial(_QuietFolder, directory=str(folder))) as endpoint:
        yield endpoint, folder
    forget_clients()


@dataclass
class Gate:
    """A server before another one. stops: (method, path, headers) -> what it answers by itself, None where it hands the request on;
    `seen` are those requests as (method, path)."""

    endpoint: str = ""
    stops: Callable[[str, str, Message], Answer | None] = lambda *_: None
    seen: list[tuple[str, str]] = field(default_factory=list)


@contextlib.contextmanager
def gate_before(endpoint: str) -> Iterator[Gate]:
    """What stands before a server; signatures stay good, since requests are handed on as they are."""
    gate = Gate()
    host, _, port = endpoint.partition("://")[2].partition(":")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = gate.stops(self.command, self.path, self.headers)
            if told is None:
                gate.seen.append((self.command, self.path))
                behind = http.client.HTTPConnection(host, int(port))
                behind.request(self.command, self.path, body, dict(self.headers))
                got = behind.getresponse()
                told = Answer(got.status, got.read(), dict(got.getheaders()))
                behind.close()
            self.send_response(told.status)
            length = told.headers.get("Content-Length") if self.command == "HEAD" else None
            headers = {name: value for name, value in told.headers.items() if name.lower() not in _BETWEEN}
            for name, value in {**headers, "Content-Length": length or str(len(told.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(told.body)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with _serving(Handler) as gate.endpoint:
        yield gate


@pytest.fixture
def faulty_http() -> Iterator[FaultyHttp]:
    """A server to be told what to answer."""
    state = FaultyHttp("", Answer(200, b"%PDF-1.7 whole", {"ETag": '"one"'}))

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            state.seen.append((self.command, self.path, dict(self.headers)))
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = state.script.popleft() if state.script else state.usual
            time.sleep(told.delay_s)
            self.send_response(told.status)
            for name, value in {"Content-Length": str(len(told.body)), **told.headers}.items():
                self.send_header(name, value)
            if self.command not in ("GET", "HEAD"):
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(told.body[: told.cut])
            self.close_connection = told.cut is not None or self.command not in ("GET", "HEAD")

        do_GET = do_HEAD = do_PUT = do_POST = answer

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with _serving(Handler) as endpoint:
        state.endpoint = endpoint
        yield state
    forget_clients()
