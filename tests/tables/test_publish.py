"""New tables take the place of old ones: whole, from wherever that was interrupted, and nothing that is not ours is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.storage import local
from pdfmill.transforms.storage.objects import join_uri, list_files, read_file, write_bytes
from pdfmill.transforms.tables import publish as publishing
from pdfmill.transforms.tables.output_layout import Manifest, TablePart, our_files
from pdfmill.transforms.tables.publish import Journal, finish_publish, publish
from tests.servers import S3Server

OLD = "part-00000-of-00001.parquet"


class Killed(BaseException):
    """Stands for the end of the process."""


def put_tables(output: str, text: str, *names: str) -> None:
    for table in TABLES:
        for name in names:
            write_bytes(join_uri(output, f"{table}/{name}"), f"{text} {table} {name}".encode())


def stage(output: str, run: str, parts: int = 2) -> list[TablePart]:
    """Parts on the stage of a run, as the publishing takes them."""
    staged = []
    for table in TABLES:
        for number in range(parts):
            data = f"{run} {table} {number}".encode()
            path = f"_pdfmill/stage/{run}/{table}/part-x{number}.parquet"
            write_bytes(join_uri(output, path), data)
            staged.append(TablePart(table, path, f"part-{run}-{number}.parquet", len(data), 1))
    return staged


def begin(output: str, run: str, old: list[str]) -> Journal:
    journal = Journal(run, stage(output, run), f"_pdfmill/stage/{run}", {"run": run}, old)
    write_bytes(join_uri(output, "_pdfmill/publish.json"), json.dumps({**journal_fields(journal)}).encode())
    return journal


def journal_fields(journal: Journal) -> dict[str, Any]:
    parts = [
        {"table": part.table, "staged": part.staged, "name": part.name, "size": part.size, "rows": part.rows} for part in journal.parts
    ]
    return {"run": journal.run, "parts": parts, "stage": journal.stage, "told": journal.told, "old": journal.old}


def everything(output: str) -> dict[str, bytes]:
    return {uri.removeprefix(join_uri(output, "")).lstrip("/"): read_file(uri) for uri in list_files(output, "")}


def expected(run: str, **more: bytes) -> dict[str, bytes]:
    parts = {f"{table}/part-{run}-{number}.parquet": f"{run} {table} {number}".encode() for table in TABLES for number in range(2)}
    manifest = {"run": run, "files": {path: len(data) for path, data in parts.items()}}
    own = {"_pdfmill/manifest.json": json.dumps(manifest, indent=1).encode(), "run.json": json.dumps({"run": run}, indent=1).encode()}
    return {**parts, **own, **more}


@pytest.fixture(params=["disk", "disk without exchange", "linked folders", "s3"])
def output(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "s3":
        server: S3Server = request.getfixturevalue("s3_server")
        return f"s3://{server.make_bucket()}/out"
    if request.param == "disk without exchange":
        monkeypatch.setattr(local, "_renameat2", lambda: None)
    if request.param == "linked folders":
        (tmp_path / "out").mkdir()
        for table in TABLES:
            (tmp_path / "elsewhere" / table).mkdir(parents=True)
            (tmp_path / "out" / table).symlink_to(tmp_path / "elsewhere" / table)
    return (tmp_path / "out").as_uri()


def test_a_first_run_and_one_after_it(output):
    for run in ("one", "two"):
        publish(output, run, stage(output, run), f"_pdfmill/stage/{run}", {"run": run})
        assert everything(output) == expected(run)


def test_the_same_parts_again(output):
    for _ in range(2):
        publish(output, "one", stage(output, "one"), "_pdfmill/stage/one", {"run": "one"})
    assert everything(output) == expected("one")


def test_parts_of_a_pdfmill_without_a_manifest_go_and_what_is_not_ours_stays(output):
    put_tables(output, "old", OLD, "part-00007-00000-of-00001.parquet", ".writing-killed")
    foreign = {"pages/notes.txt": b"mine", "pages/part-mine.parquet": b"mine too", "pages/more/deep.parquet": b"and mine", "other/x": b"x"}
    for path, data in foreign.items():
        write_bytes(join_uri(output, path), data)
    publish(output, "one", stage(output, "one"), "_pdfmill/stage/one", {"run": "one"})
    assert everything(output) == expected("one") | foreign


def test_with_a_manifest_only_its_files_are_ours(output, caplog):
    publish(output, "one", stage(output, "one"), "_pdfmill/stage/one", {"run": "one"})
    write_bytes(join_uri(output, f"pages/{OLD}"), b"a copy that somebody has put there")
    assert f"pages/{OLD}" not in our_files(output)
    publish(output, "two", stage(output, "two"), "_pdfmill/stage/two", {"run": "two"})
    assert everything(output) == {**expected("two"), f"pages/{OLD}": b"a copy that somebody has put there"}
    assert f"pages/{OLD} was not written by pdfmill" in caplog.text


def killing(monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool) -> Iterator[int]:
    """Make the call of that number, of all that change something, the last one; counts them."""
    calls = iter(range(10_000))
    seen = [0]

    def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            number = seen[0] = next(calls)
            if number == at and not after:
                raise Killed
            done = real(*args, **kwargs)
            if number == at:
                raise Killed
            return done

        return call

    for name in ("move_file", "write_bytes", "delete_file", "delete_folder", "replace_folder"):
        monkeypatch.setattr(publishing, name, wrap(getattr(publishing, name)))
    for name in ("unlink", "rename", "rmdir"):
        monkeypatch.setattr(local.os, name, wrap(getattr(local.os, name)))
    yield seen[0]


@pytest.mark.parametrize(
    ("same", "after"), [(False, False), (False, True), (True, True)], ids=["before a step", "after a step", "the same parts"]
)
def test_a_publishing_that_is_killed_anywhere_is_finished_by_the_next_one(output, after, same):
    write_bytes(join_uri(output, "pages/notes.txt"), b"mine")
    kills = 0
    for at in range(0, 200, 5 if output.startswith("s3:") else 3):
        publish(output, "old", stage(output, "old"), "_pdfmill/stage/old", {"run": "old"})
        run = "old" if same else "new"
        begin(output, run, our_files(output))
        with pytest.MonkeyPatch.context() as patched:
            next(killing(patched, at, after=after))
            try:
                finish_publish(output)
            except Killed:
                kills += 1
            else:
                break
        finish_publish(output)
        assert everything(output) == expected(run, **{"pages/notes.txt": b"mine"}), at
        assert finish_publish(output) is None
    assert kills >= 3


def test_the_manifest_names_what_is_there(output):
    publish(output, "one", stage(output, "one"), "_pdfmill/stage/one", {"run": "one"})
    manifest = Manifest.load(output)
    assert manifest is not None
    assert manifest.files == {path: len(data) for path, data in everything(output).items() if path.endswith(".parquet")}
