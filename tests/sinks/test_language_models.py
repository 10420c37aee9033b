"""Sections as LangChain, LlamaIndex and Haystack read them, by these libraries themselves, and embeddings."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.transforms.tables.sinks.shapes import passage
from tests.sinks.help import lines

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: A test must not come to the network, whatever a library would like to tell its makers.
NO_NETWORK = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "HAYSTACK_TELEMETRY_ENABLED": "False"}


@pytest.mark.parametrize("name", ["langchain", "llamaindex", "haystack"])
def test_the_example_finds_the_passage_and_its_place(tables, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert run(["export", str(tables), "--to", f"{name}:sections.jsonl"]) == 0
    command = [sys.executable, str(EXAMPLES / f"{name}_sections.py"), "sections.jsonl", "which bridges are closed for repair"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **NO_NETWORK})
    assert done.returncode == 0, done.stderr
    place, passage = done.stdout.splitlines()[:2]
    assert place.startswith(f"{tables.parent.as_uri()}/")
    assert place.endswith(" > Bridges")
    assert " page 1, " in place
    assert "bridges are closed" in passage.lower()


@pytest.mark.parametrize(("name", "beside"), [("langchain", "metadata"), ("llamaindex", "metadata"), ("haystack", "meta")])
def test_what_stands_beside_a_text_is_flat(tables, tmp_path, monkeypatch, name, beside):
    monkeypatch.chdir(tmp_path)
    assert run(["export", str(tables), "--to", f"{name}:sections.jsonl"]) == 0
    for line in lines("sections.jsonl"):
        told = line[beside]
        assert all(isinstance(value, str | int | float | bool) for value in told.values()), told
        assert {"source", "page", "last_page", "doc_id", "title", "kind", "boxes"} <= told.keys()
        assert all(len(box) == 5 and box[0] >= told["page"] for box in json.loads(told["boxes"]))


@pytest.mark.parametrize(
    ("path", "text", "given"),
    [
        (["A", "B b"], "B\nb\n\nText", "A\n\nB\nb\n\nText"),
        (["A", "B"], "A\n\nB\n\nText", "A\n\nB\n\nText"),
        (["A", "B"], "goes on", "A > B\n\ngoes on"),
        ([], "Text", "Text"),
        (None, None, ""),
    ],
)
def test_headings_above_stand_before_a_text_once(path, text, given) -> None:
    assert passage({"heading_path": path, "text": text}) == given


@pytest.fixture
def embeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module with a function that keeps what it was asked for, and fails when it is told to."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_model.py").write_text(
        "asked = []\nfails_after = None\n"
        "def embed(texts):\n"
        "    if fails_after is not None and len(asked) >= fails_after: raise RuntimeError('out of memory')\n"
        "    asked.append(list(texts))\n"
        "    return [[float(len(text)), 1.0, 0.5] for text in texts]\n"
        "def odd(texts): return [[1.0]] * (len(texts) + 1)\n"
    )
    yield tmp_path
    sys.modules.pop("own_model", None)


def test_embeddings_are_asked_for_in_batches_and_once(tables, embeds, capsys):
    command = ["export", str(tables), "--to", "haystack:sections.jsonl", "--embed", "own_model:embed", "--embed_batch", "2"]
    assert run(command) == 0
    import own_model  # type: ignore[import-not-found]

    found = list(lines("sections.jsonl"))
    assert [line["embedding"] for line in found] == [[float(len(line["content"])), 1.0, 0.5] for line in found]
    assert max(map(len, own_model.asked)) == 2
    texts = {line["content"] for line in found}
    assert sum(map(len, own_model.asked)) == len(texts) + 1, "each text once, and one call for the number of numbers"
    asked = len(own_model.asked)
    assert run(command) == 0
    assert len(own_model.asked) == asked + 1
    assert "0 embeddings were computed" in capsys.readouterr().out


def test_a_function_that_fails_loses_nothing(tables, embeds, capsys):
    command = ["export", str(tables), "--to", "ndjson:sections.jsonl", "--embed", "own_model:embed", "--embed_batch", "2"]
    import own_model

    own_model.fails_after = 3
    assert run(command) == 2
    assert (
        "--embed own_model:embed: failed with RuntimeError: out of memory; the vectors of earlier calls are kept" in capsys.readouterr().err
    )
    assert not Path("sections.jsonl").exists()
    kept = sqlite3.connect("embeddings.sqlite").execute("SELECT count(*) FROM embeddings").fetchone()[0]
    assert kept == 4
    own_model.fails_after, own_model.asked = None, []
    assert run(command) == 0
    rows = list(lines("sections.jsonl"))
    assert sum(map(len, own_model.asked)) == len({passage(row) for row in rows}) - kept + 1


@pytest.mark.parametrize(
    ("name", "says"),
    [("own_model:none", "there is no such function"), ("nowhere:embed", "no such function"), ("own_model:asked", "is not a function"),
     ("own_model:odd", "returned 2 vectors of [1] numbers for 1 texts")],
)  # fmt: skip
def test_a_function_that_is_none(tables, embeds, capsys, name, says):
    assert run(["export", str(tables), "--to", "ndjson:sections.jsonl", "--embed", name]) == 2
    assert says in capsys.readouterr().err


def test_embeddings_in_sqlite_are_32_bit_floats(tables, embeds):
    import numpy as np

    assert run(["export", str(tables), "--to", "sqlite:base.sqlite", "--embed", "own_model:embed"]) == 0
    base = sqlite3.connect("base.sqlite")
    for text, path, vector in base.execute("SELECT text, heading_path, embedding FROM sections"):
        assert np.frombuffer(vector, np.float32).tolist() == [len(passage({"text": text, "heading_path": json.loads(path)})), 1.0, 0.5]
    base.close()
