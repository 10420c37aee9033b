"""A proxy before a store that fails as it is told: throttling, connections that break off, slow and missing answers."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_HOP: frozenset[str] = frozenset({"connection", "transfer-encoding", "keep-alive"})


@dataclass
class Faults:
    """Shares of requests, 0 to 1. throttle: 503 SlowDown. cut: the body breaks off. delay_s: before each answer.

    refuse_puts_from: after so many parts were written, every further one is refused with 403. hold: requests for documents wait,
    but for those whose names are in `answers`. asked: names of documents in the order of the requests. waiting: names of those
    that wait. seen: how often each fault was made, how often a listing was answered, and how often a document was asked for.
    """

    throttle: float = 0.0
    cut: float = 0.0
    delay_s: float = 0.0
    refuse_puts_from: int | None = None
    hold: bool = False
    answers: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    draw: random.Random = field(default_factory=lambda: random.Random(5))
    seen: Counter[str] = field(default_factory=Counter)

    def admit(self, name: str) -> None:
        """Return when the document of this name may be answered."""
        self.seen["documents"] += 1
        self.asked.append(name)
        self.waiting.append(name)
        while self.hold and name not in self.answers:
            time.sleep(0.02)
        self.waiting.remove(name)


@contextlib.contextmanager
def faulty_proxy(target: str, faults: Faults) -> Iterator[str]:
    """The address of a proxy to the store at `target` (http://host:port)."""
    host = target.removeprefix("http://")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            time.sleep(faults.delay_s)
            if self.command == "PUT" and self.path.split("?")[0].endswith(".parquet"):
                faults.seen["parts"] += 1
                if faults.refuse_puts_from is not None and faults.seen["parts"] > faults.refuse_puts_from:
                    return self._error(403, "AccessDenied")
            if self.command == "GET" and ".pdf" in self.path:
                faults.admit(self.path.partition("?")[0].rpartition("/")[2])
            if faults.draw.random() < faults.throttle:
                faults.seen["throttled"] += 1
                return self._error(503, "SlowDown")
            self._forward(body)
            faults.seen["listed"] += "list-type=2" in self.path
            return None

        def _error(self, status: int, code: str) -> None:
            told = b"" if self.command == "HEAD" else b"<Error><Code>%s</Code><Message>as told</Message></Error>" % code.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def _forward(self, body: bytes) -> None:
            connection = http.client.HTTPConnection(host, timeout=30)
            connection.request(
                self.command, self.path, body, {key: value for key, value in self.headers.items() if key.lower() not in _HOP}
            )
            reply = connection.getresponse()
            data = reply.read()
            self.send_response_only(reply.status)
            for key, value in reply.getheaders():
                if key.lower() not in _HOP | {"content-length"}:
                    self.send_header(key, value)
            length = reply.getheader("Content-Length") if self.command == "HEAD" else None
            self.send_header("Content-Length", length or str(len(data)))
            self.end_headers()
            if self.command == "GET" and len(data) > 500 and faults.draw.random() < faults.cut:
                faults.seen["cut"] += 1
                self.wfile.write(data[: len(data) // 2])
                self.close_connection = True
            else:
                self.wfile.write(data)
            connection.close()

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
