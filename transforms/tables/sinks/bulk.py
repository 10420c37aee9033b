"""Send rows in bulk requests (`_bulk` of OpenSearch and Elasticsearch), and read from the response which rows were refused."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from pdfmill.schemas.records import Row
from pdfmill.transforms.storage.settings import BUSY
from pdfmill.transforms.tables.sinks.engine_http import SETTINGS, Engine, SinkSettings, reason_in
from pdfmill.transforms.tables.sinks.sink import Refusal, SinkError

#: HTTP statuses of a refused request that a single row may have caused: its body is too large, or its id too long.
_OF_A_ROW: Final = (400, 413)
_NOT_FOUND: Final = 404
_SERVER_ERROR: Final = 500
_NOT_ALLOWED: Final = (401, 403)


class Action(Struct, frozen=True):
    """One action of a bulk request: storing or deleting a row. data: JSON, one or two lines. row: the row; for a deletion only its id."""

    data: bytes  # JSON, one or two lines
    row: Row  # the row to index, with its id; for a deletion only the id


def index_action(row: Row, document: Row) -> Action:
    """Return the action that stores `document`, made from `row`, in the index, replacing the one with the same id."""
    return Action(_line({"index": {"_id": row["id"]}}) + _line(document), row)


def delete_action(row_id: str) -> Action:
    """Return the action that deletes the document with this id; a missing document is no error."""
    return Action(_line({"delete": {"_id": row_id}}), {"id": row_id})


def _line(value: Row) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def bulk_requests(actions: Iterable[Action], settings: SinkSettings = SETTINGS) -> Iterator[list[Action]]:
    """Group actions into requests within the limits; an action that exceeds them is alone in its request."""
    waiting: list[Action] = []
    size = 0
    for action in actions:
        if waiting and (size + len(action.data) > settings.max_bytes or len(waiting) == settings.max_rows):
            yield waiting
            waiting, size = [], 0
        waiting.append(action)
        size += len(action.data)
    if waiting:
        yield waiting


def send(engine: Engine, index: str, actions: Sequence[Action], settings: SinkSettings = SETTINGS) -> Iterator[Refusal]:
    """Send actions in one bulk request, and yield the rows that the engine refuses. Rows are sent again if it was busy.

    Raises:
        SinkError: the engine stays busy or full, or denies access.
    """
    waiting = list(actions)
    for attempt in range(settings.attempts):
        if attempt:
            time.sleep(min(settings.longest_wait_s, settings.first_wait_s * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0))
        answer = engine.call("POST", f"{index}/_bulk", b"".join(action.data for action in waiting))
        if answer.status in _OF_A_ROW:
            yield from _apart(engine, index, waiting, answer.status, answer.reason, settings)
            return
        if not answer.ok:
            raise SinkError(
                f"{engine.base}: the engine accepts no rows: {answer.reason}; the next export continues after the rows that it has accepted"
            )
        busy: list[tuple[Action, str]] = []
        for action, told in zip(waiting, answer.body["items"], strict=True):
            item = next(iter(told.values()))
            if _is_done(item):
                continue
            reason = reason_in(item.get("error")) or str(item.get("result", ""))
            if item["status"] in _NOT_ALLOWED:  # a block of the whole index, or a right that we lack: it would be said of each row
                raise SinkError(f"{engine.base}: the engine does not allow writing to {index}: {reason}")
            if item["status"] in BUSY or item["status"] >= _SERVER_ERROR:
                busy.append((action, reason))
            else:
                yield Refusal(action.row, item["status"], reason)
        if not busy:
            return
        waiting, reason = [action for action, _ in busy], busy[0][1]
    raise SinkError(
        f"{engine.base}: the engine is too busy or too full for {len(waiting):,} rows after {settings.attempts} attempts: {reason}; "
        "the next export continues after the rows that it has accepted"
    )


def _is_done(item: Mapping[str, Any]) -> bool:
    gone = item["status"] == _NOT_FOUND and item.get("result") == "not_found"  # a deletion that was done before
    return "error" not in item and (item["status"] < 300 or gone)


def _apart(engine: Engine, index: str, actions: Sequence[Action], status: int, reason: str, settings: SinkSettings) -> Iterator[Refusal]:
    """Yield the row that causes the rejection of a bulk request, by sending the request again in halves. status, reason: of the
    rejection."""
    if len(actions) == 1:
        yield Refusal(actions[0].row, status, reason)
        return
    half = len(actions) // 2
    for part in (actions[:half], actions[half:]):
        yield from send(engine, index, part, settings)
