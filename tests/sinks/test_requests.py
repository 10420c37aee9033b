"""What is sent to an engine, and what its answers lead to: a server that says what it is told to."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks import bulk, engine_http
from pdfmill.transforms.tables.sinks.bulk import bulk_requests, delete_action, index_action, send
from pdfmill.transforms.tables.sinks.engine_http import Engine, SinkSettings
from pdfmill.transforms.tables.sinks.sink import SinkError, parse_target
from tests.servers import Answer, FaultyHttp
from tests.sinks.help import put

QUICK = SinkSettings(attempts=3, first_wait_s=0.01, longest_wait_s=0.02)
ROWS: list[Row] = [{"id": name, "doc_id": "d", "text": f"text {name}"} for name in "abc"]
ACTIONS = [index_action(row, row) for row in ROWS]


@pytest.fixture
def engine(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(engine_http, "SETTINGS", QUICK)
    return Engine(parse_target(f"opensearch+{faulty_http.endpoint}/index"))


def items(*statuses: int) -> Answer:
    """What `_bulk` answers. Items that failed have a reason."""
    told = [{"index": {"status": each, **({"error": {"type": "t", "reason": f"r{each}"}} if each >= 300 else {})}} for each in statuses]
    return Answer(200, json.dumps({"errors": any(each >= 300 for each in statuses), "items": told}).encode())


def bulks(faulty: FaultyHttp) -> int:
    return len([path for method, path, _ in faulty.seen if path == "/index/_bulk"])


def test_requests_are_bounded_by_bytes_and_rows():
    size = len(ACTIONS[0].data)
    by_rows = list(bulk_requests(ACTIONS, replace(QUICK, max_rows=2)))
    by_bytes = list(bulk_requests(ACTIONS, replace(QUICK, max_bytes=2 * size)))
    assert [len(each) for each in by_rows] == [len(each) for each in by_bytes] == [2, 1]
    large = index_action({"id": "x"}, {"text": "x" * 10 * size})
    assert [len(each) for each in bulk_requests([*ACTIONS[:1], large, *ACTIONS[1:]], replace(QUICK, max_bytes=2 * size))] == [1, 1, 2]
    assert all(sum(len(action.data) for action in each) <= 2 * size for each in by_bytes)


def test_only_what_the_engine_is_too_busy_for_is_sent_again(engine, faulty_http):
    faulty_http.script.extend([items(201, 429, 503), items(429, 200), items(201)])
    assert list(send(engine, "index", ACTIONS, QUICK)) == []
    sizes = [int(headers["Content-Length"]) for method, path, headers in faulty_http.seen]
    assert sizes == [sum(len(action.data) for action in part) for part in (ACTIONS, ACTIONS[1:], ACTIONS[1:2])]


def test_a_refused_row_is_not_sent_again(engine, faulty_http):
    faulty_http.script.append(items(201, 400, 409))
    told = list(send(engine, "index", ACTIONS, QUICK))
    assert [(each.row["id"], each.status, each.reason) for each in told] == [("b", 400, "t: r400"), ("c", 409, "t: r409")]
    assert bulks(faulty_http) == 1


def test_an_engine_that_stays_busy_ends_the_export(engine, faulty_http):
    faulty_http.usual = items(429)
    with pytest.raises(SinkError, match="too busy or too full for 1 rows after 3 attempts: t: r429; the next export continues"):
        list(send(engine, "index", ACTIONS[:1], QUICK))
    assert bulks(faulty_http) == 3


def test_a_request_that_is_too_large_goes_in_halves(engine, faulty_http):
    faulty_http.script.extend(
        [Answer(413, b"too large"), items(201), Answer(413, b"too large"), items(201), Answer(413, b"<html>no</html>")]
    )
    told = list(send(engine, "index", ACTIONS, QUICK))
    assert [(each.row["id"], each.status) for each in told] == [("c", 413)]


def test_a_deletion_of_what_is_gone_is_fine(engine, faulty_http):
    told = {"items": [{"delete": {"status": 404, "result": "not_found"}}]}
    faulty_http.script.append(Answer(200, json.dumps(told).encode()))
    assert list(send(engine, "index", [delete_action("a")], QUICK)) == []


def test_a_block_of_the_whole_index_is_no_refusal_of_rows(engine, faulty_http):
    faulty_http.script.append(items(403, 403, 403))
    with pytest.raises(SinkError, match="does not allow writing to index: t: r403"):
        list(send(engine, "index", ACTIONS, QUICK))


@pytest.mark.parametrize("answer", [Answer(503, b"busy"), Answer(429, b"", {"Retry-After": "0"}), Answer(502, b"<html>")])
def test_a_busy_door_is_knocked_at_again(engine, faulty_http, answer):
    faulty_http.script.extend([answer, answer, items(201, 201, 201)])
    assert list(send(engine, "index", ACTIONS, QUICK)) == []
    faulty_http.usual = answer
    with pytest.raises(SinkError, match="accepts no rows"):
        list(send(engine, "index", ACTIONS, QUICK))


def test_an_answer_that_breaks_off_is_asked_for_again(engine, faulty_http):
    faulty_http.script.extend([replace(items(201, 201, 201), cut=5), items(200, 200, 200)])
    assert list(send(engine, "index", ACTIONS, QUICK)) == []


def test_an_engine_that_is_down(monkeypatch):
    monkeypatch.setattr(engine_http, "SETTINGS", QUICK)
    with pytest.raises(SinkError, match=r"http://127\.0\.0\.1:9: the engine cannot be reached: .*Connection refused"):
        put("opensearch+http://127.0.0.1:9/index", [])


def test_who_is_not_let_in_is_told_how(faulty_http, monkeypatch):
    monkeypatch.setenv("PDFMILL_EXPORT_PASSWORD", "hush")
    faulty_http.usual = Answer(401, b"Unauthorized")
    with pytest.raises(SinkError, match="the password in PDFMILL_EXPORT_PASSWORD") as told:
        put(f"opensearch+{faulty_http.endpoint.replace('://', '://me@')}/index", [])
    assert "hush" not in str(told.value)
    assert faulty_http.seen[0][2]["Authorization"] == "Basic bWU6aHVzaA=="


def test_a_key_goes_before_a_password(faulty_http, monkeypatch):
    monkeypatch.setenv("PDFMILL_EXPORT_API_KEY", "key==")
    Engine(parse_target(f"elasticsearch+{faulty_http.endpoint}/index")).call("GET", "")
    assert faulty_http.seen[0][2]["Authorization"] == "ApiKey key=="


def test_what_is_sent_again_waits_longer_each_time(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(bulk.time, "sleep", waits.append)
    monkeypatch.setattr(bulk.random, "uniform", lambda least, most: most)

    class Busy:
        base = "http://busy"

        def call(self, *_: object) -> engine_http.Answer:
            return engine_http.Answer(200, json.loads(items(429).body))

    with pytest.raises(SinkError, match="after 6 attempts"):
        list(send(Busy(), "index", ACTIONS[:1], SinkSettings(attempts=6, first_wait_s=1.0, longest_wait_s=5.0)))  # type: ignore[arg-type]
    assert waits == [1.0, 2.0, 4.0, 5.0, 5.0]
