"""HTTP requests to a search engine, their limits, and the interpretation of its responses."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import requests
import urllib3
from msgspec import Struct

from pdfmill.transforms.storage.sessions import patient_session
from pdfmill.transforms.storage.settings import with_retries
from pdfmill.transforms.tables.sinks.sink import API_KEY, PASSWORD, SinkError, Target


class SinkSettings(Struct, frozen=True):
    """Settings for sending rows: sizes of requests, attempts, and timeouts in seconds."""

    max_bytes: int = 5 << 20  # of a bulk request; Amazon's service takes 10 MiB, the engines' manuals advise 5 to 15 MB
    max_rows: int = 1000  # of a bulk request
    attempts: int = 6  # attempts at rows that a busy engine returns (429, 5xx), including the first
    first_wait_s: float = 1.0  # seconds before the second attempt; the wait doubles before each further one
    longest_wait_s: float = 15.0  # seconds, the longest wait; all waits together are half a minute, in which an engine's queue empties
    connect_timeout_s: float = 10.0  # seconds without a connection that count as an error
    read_timeout_s: float = 120.0  # seconds without a response that count as an error; a bulk request on a busy node takes some 10 s
    page_size: int = 5000  # ids per search request; 10,000 is the most that a search returns (`index.max_result_window`)
    documents_at_once: int = 1000  # changed documents in one query; an engine takes 65,536 terms


SETTINGS: Final = SinkSettings()


#: Attempts at a connection. They are few, so that an unreachable engine is reported soon; the next run continues.
_CONNECTS: Final = 2
_JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"


class Answer(Struct, frozen=True):
    """A server's response. status: HTTP status. body: the JSON object in it, {} if there is none."""

    status: int  # HTTP status
    body: Mapping[str, Any]  # JSON object of the response, {} if it has none

    @property
    def ok(self) -> bool:
        """True if the engine accepted the request."""
        return self.status < 300

    @property
    def reason(self) -> str:
        """The reason that the engine gives for refusing the request, as text."""
        return reason_in(self.body.get("error")) or f"status {self.status}"


def reason_in(error: Any) -> str:
    """Return an engine's error as text: its type and reason, and those of its cause. error: its JSON value."""
    if not isinstance(error, Mapping):
        return str(error or "")
    told = ": ".join(str(error[name]) for name in ("type", "reason") if error.get(name))
    cause = reason_in(error.get("caused_by"))
    return f"{told}: {cause}" if cause else told


class Engine:
    """A connection to a search engine. base: URL of the engine, without the name of the index."""

    def __init__(self, target: Target) -> None:
        self.base, _, self.index = target.place.rpartition("/")
        self._session = patient_session(SETTINGS, _CONNECTS)
        key, password = os.environ.get(API_KEY), os.environ.get(PASSWORD)
        if key:
            self._session.headers["Authorization"] = f"ApiKey {key}"
        elif target.user or password:
            self._session.auth = (target.user.encode(), (password or "").encode())

    def close(self) -> None:
        self._session.close()

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        """Return the response to a request, which is repeated while the engine is busy or the connection fails. body: JSON, or JSON lines
        as bytes.

        Raises:
            SinkError: there is no response, or the engine denies access.
        """
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Content-Type": NDJSON if isinstance(body, bytes) else _JSON}
        timeout = (SETTINGS.connect_timeout_s, SETTINGS.read_timeout_s)
        request = partial(
            self._session.request, method, f"{self.base}/{path}", data=data, headers=headers, timeout=timeout, allow_redirects=False
        )
        try:
            told = with_retries(request, _breaks_off)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise SinkError(f"{self.base}: the engine cannot be reached: {_root_cause(error)}") from error
        if told.status_code in (401, 403):
            raise SinkError(
                f"{self.base}: the engine denies access (status {told.status_code}): {_answer(told).reason}; "
                f"give the user in the target and the password in {PASSWORD}, or an API key in {API_KEY}"
            )
        return _answer(told)

    def must(self, method: str, path: str, body: Any = None) -> Mapping[str, Any]:
        """Make a request that must succeed, and return the JSON of the response. Raises SinkError if the engine refuses it."""
        answer = self.call(method, path, body)
        if not answer.ok:
            raise SinkError(f"{self.base}: {method} {path}: {answer.reason}")
        return answer.body


def _breaks_off(error: Exception) -> bool:
    """Return whether a response broke off midway. Requests without any response are retried by the session itself."""
    return isinstance(error, requests.exceptions.ChunkedEncodingError)


def _root_cause(error: BaseException) -> str:
    """Return the innermost error, since the outer ones only repeat its message with their class names."""
    while isinstance(error.__context__, Exception):
        error = error.__context__
    return str(error) or type(error).__name__


def _answer(response: Any) -> Answer:
    try:
        body = response.json()
    except ValueError:
        body = {"error": " ".join(response.text.split())[:_SHOWN]}
    return Answer(response.status_code, body if isinstance(body, Mapping) else {})


#: Most characters shown of a response that is no JSON, such as a proxy's error page.
_SHOWN: Final = 200
