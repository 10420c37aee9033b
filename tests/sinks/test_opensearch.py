"""A real OpenSearch node: what it holds is what the tables say, whatever happens in between."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.transforms.tables.sinks.sink import SinkError
from tests.crawl.help import Crawl, configure, tiny
from tests.sinks.help import ask, compared, crawled, expected, held_by, lines, put

pytestmark = pytest.mark.servers
_NUMBERS = itertools.count(1)


@pytest.fixture
def index(opensearch: str) -> Iterator[str]:
    """A name that no other test takes; what was made under it is deleted."""
    name = f"test-{os.getpid()}-{next(_NUMBERS)}"
    yield name
    ask(opensearch, f"{name}*", method="DELETE")


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crawl:
    monkeypatch.chdir(tmp_path)
    return crawled(tmp_path, 6)


def to(opensearch: str, index: str) -> str:
    return f"{os.environ.get('PDFMILL_ENGINE', 'opensearch')}+{opensearch}/{index}"


def behind(opensearch: str, index: str) -> list[str]:
    """Indexes that an alias stands for."""
    return sorted(ask(opensearch, f"_alias/{index}"))


@pytest.mark.parametrize("table", ["sections", "pages"])
def test_a_crawl_is_followed_over_three_snapshots(opensearch, index, crawl, capsys, table):
    command = ["export", crawl.output, "--to", to(opensearch, index), "--table", table, "--follow"]
    assert run(command) == 0
    compared(held_by(opensearch, index), expected(crawl.output, table))
    (first,) = behind(opensearch, index)

    source = Path(crawl.source)
    (source / "2.pdf").write_bytes(tiny("document 2, shrunk", 1))  # it had 3 pages
    (source / "0.pdf").write_bytes(tiny("document 0, grown", 4))
    (source / "1.pdf").unlink()
    (source / "new.pdf").write_bytes(tiny("document seven", 2))
    assert crawl.report()["version"] == 1
    capsys.readouterr()
    assert run(command) == 0
    assert "of 4 changed documents" in capsys.readouterr().out
    compared(held_by(opensearch, index), expected(crawl.output, table))
    assert behind(opensearch, index) == [first], "changes go to the index that is there"

    before = held_by(opensearch, index)
    assert run(command) == 0
    assert "0 rows" in capsys.readouterr().out
    assert held_by(opensearch, index) == before

    (source / "new.pdf").unlink()
    (source / "2.pdf").write_bytes(tiny("document 2, as it was", 3))
    assert crawl.report()["version"] == 2
    assert run(command) == 0
    compared(held_by(opensearch, index), expected(crawl.output, table))
    assert run(command[:-1]) == 0, "all of it once more"
    compared(held_by(opensearch, index), expected(crawl.output, table))
    (last,) = behind(opensearch, index)
    assert last != first
    assert list(ask(opensearch, f"{index}-*/_mapping")) == [last], "the old index is gone"


def test_replay_makes_no_duplicates(opensearch, index, crawl):
    command = ["export", crawl.output, "--to", to(opensearch, index)]
    assert (run(command), run(command)) == (0, 0)
    compared(held_by(opensearch, index), expected(crawl.output))


def test_changes_that_were_broken_off_are_applied_again(opensearch, index, crawl, monkeypatch):
    """Half of them are in, the cursor is not: as if the process had been killed there."""
    command = ["export", crawl.output, "--to", to(opensearch, index), "--table", "pages", "--follow"]
    assert run(command) == 0
    for number in range(3):
        (Path(crawl.source) / f"{number}.pdf").write_bytes(tiny(f"other text {number}", 2))
    crawl.report()

    def killed(_self: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pdfmill.transforms.tables.sinks.search_engine.SearchEngine.commit", killed)
        assert run(command) == 130
    assert run(command) == 0
    compared(held_by(opensearch, index), expected(crawl.output, "pages"))


def test_a_poison_row_costs_itself_only(opensearch, index, crawl, capsys):
    """A user's own template, whose mapping one row does not fit."""
    ask(
        opensearch,
        f"_index_template/{index}-own",
        {
            "index_patterns": [f"{index}-pdfmill-*"],
            "priority": 500,
            "template": {"mappings": {"properties": {"page_count": {"type": "byte", "coerce": False}, "source_uri": {"type": "keyword"}}}},
        },
        "PUT",
    )
    (Path(crawl.source) / "long.pdf").write_bytes(tiny("a document of many pages", 130))
    crawl.report()
    code = run(["export", crawl.output, "--to", to(opensearch, index), "--refused", "letters.ndjson"])
    said = capsys.readouterr().out
    assert code == 1
    assert "were refused; they are in letters.ndjson with the reasons" in said
    assert "byte" in said
    letters = list(lines("letters.ndjson"))
    assert {letter["status"] for letter in letters} == {400}
    assert {letter["row"]["page_count"] for letter in letters} == {130}
    refused = {letter["row"]["id"] for letter in letters}
    everything = expected(crawl.output)
    compared(held_by(opensearch, index), {key: row for key, row in everything.items() if key not in refused})
    ask(opensearch, f"_index_template/{index}-own", method="DELETE")


def test_a_row_that_the_engine_refuses_a_whole_request_for_is_found(opensearch, index):
    rows = [{"id": f"{number}", "doc_id": "d", "page": number} for number in range(7)]
    rows[4]["id"] = "x" * 600
    (refusal,) = put(to(opensearch, index), rows)
    assert (refusal.row, refusal.status) == (rows[4], 400)
    assert held_by(opensearch, index).keys() == {row["id"] for row in rows} - {"x" * 600}


def test_rows_that_are_all_refused_replace_nothing(opensearch, index, crawl, capsys):
    target = to(opensearch, index)
    put(target, [{"id": "1", "doc_id": "d", "page": 1}])
    with pytest.raises(SinkError, match="refused all 1 rows"):
        put(target, [{"id": "1", "doc_id": "d", "page": "not a number"}], snapshot=1)
    assert held_by(opensearch, index)["1"]["page"] == 1


def test_hits_have_their_words_marked_in_their_language(opensearch, index):
    rows = [
        {"id": "de", "doc_id": "d", "page": 1, "text": "Die alten Häuser stehen am Fluss.", "language": "de", "title": "Stadt"},
        {"id": "en", "doc_id": "e", "page": 2, "text": "The archives were running late.", "language": "en", "title": "Archive"},
        {"id": "th", "doc_id": "f", "page": 3, "text": "ภาษาไทยเขียนติดกัน", "language": "th"},
        {"id": "xx", "doc_id": "g", "page": 4, "text": "Ĉiuj homoj", "language": None, "document_language": "en"},
    ]
    assert put(to(opensearch, index), rows) == []

    def found(words: str) -> dict[str, list[str]]:
        query = {
            "query": {"multi_match": {"query": words, "fields": ["text", "text_*", "title^3", "title_*^3"], "type": "best_fields"}},
            "highlight": {"fields": {"text": {}, "text_*": {}}, "number_of_fragments": 0, "require_field_match": True},
        }
        hits = ask(opensearch, f"{index}/_search", query)["hits"]["hits"]
        return {hit["_id"]: sorted(each for texts in hit["highlight"].values() for each in texts) for hit in hits}

    assert found("Haus") == {"de": ["Die alten <em>Häuser</em> stehen am Fluss."]}
    assert found("run") == {"en": ["The archives were <em>running</em> late."]}
    assert found("hauser") == {"de": ["Die alten <em>Häuser</em> stehen am Fluss."] * 2}, "folded, and by its language"
    assert list(found("ภาษา")) == ["th"]
    assert list(found("homoj")) == ["xx"]


def test_an_index_of_somebody_else_is_left_alone(opensearch, index, crawl, capsys):
    ask(opensearch, f"{index}/_doc/1?refresh=true", {"mine": True}, "PUT")
    assert run(["export", crawl.output, "--to", to(opensearch, index)]) == 2
    assert "there is an index of that name, which was not written by pdfmill" in capsys.readouterr().err
    ask(opensearch, "_aliases", {"actions": [{"add": {"index": index, "alias": f"{index}-alias"}}]})
    assert run(["export", crawl.output, "--to", to(opensearch, f"{index}-alias")]) == 2
    assert "was not written by pdfmill; choose another name" in capsys.readouterr().err
    with pytest.raises(SinkError, match="was not written by pdfmill"):
        put(to(opensearch, f"{index}-alias"), [])
    assert held_by(opensearch, index) == {"1": {"mine": True}}


def test_another_output_is_not_followed_into_the_same_index(opensearch, index, crawl, tmp_path, capsys):
    target = to(opensearch, index)
    assert run(["export", crawl.output, "--to", target]) == 0
    other = configure(tmp_path, crawl.source, str(tmp_path / "other"))
    other.report()
    assert run(["export", other.output, "--to", target, "--follow"]) == 2
    assert "contains rows of other tables" in capsys.readouterr().err
    assert run(["export", other.output, "--to", target]) == 0
    compared(held_by(opensearch, index), expected(other.output))


def test_a_full_engine_is_told_and_the_next_run_goes_on(opensearch, index, crawl, capsys):
    command = ["export", crawl.output, "--to", to(opensearch, index), "--table", "pages", "--follow"]
    assert run(command) == 0
    (Path(crawl.source) / "0.pdf").write_bytes(tiny("other text", 2))
    crawl.report()
    (real,) = behind(opensearch, index)
    ask(opensearch, f"{real}/_settings", {"index.blocks.write": True}, "PUT")  # as an engine does whose disk is full
    assert run(command) == 2
    assert "does not allow" in capsys.readouterr().err
    ask(opensearch, f"{real}/_settings", {"index.blocks.write": None}, "PUT")
    assert run(command) == 0
    compared(held_by(opensearch, index), expected(crawl.output, "pages"))


@pytest.mark.slow
def test_a_killed_export_goes_on(opensearch, index, tmp_path, monkeypatch):
    """Readers see the old index until the new one is whole; what was sent is not sent again."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}.pdf").write_bytes(tiny(f"document {number}", 3))
    crawl = configure(tmp_path, str(folder), str(tmp_path / "out"), options="batch_documents = 2")
    crawl.report()
    put(to(opensearch, index), [{"id": "old", "doc_id": "d", "page": 1}])
    command = [sys.executable, "-m", "pdfmill", "export", crawl.output, "--to", to(opensearch, index), "--table", "pages"]
    started = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and started.poll() is None:
        metas = [told["mappings"]["_meta"]["pdfmill"] for told in ask(opensearch, f"{index}-pdfmill-*/_mapping").values()]
        if any(meta["parts"] for meta in metas):
            break
        time.sleep(0.02)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert held_by(opensearch, index).keys() == {"old"}
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "had already been sent by an interrupted export" in done.stdout
    compared(held_by(opensearch, index), expected(crawl.output, "pages"))
    assert len(ask(opensearch, f"{index}-pdfmill-*/_mapping")) == 1


def test_the_bulk_file_is_what_the_engine_takes(opensearch, index, crawl):
    assert run(["export", crawl.output, "--to", "bulk:feed.ndjson"]) == 0
    import urllib.request

    ask(opensearch, index, {}, "PUT")
    headers = {"Content-Type": "application/x-ndjson"}
    request = urllib.request.Request(f"{opensearch}/{index}/_bulk", Path("feed.ndjson").read_bytes(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.loads(answer.read())["errors"] is False
    compared(held_by(opensearch, index), expected(crawl.output))
