"""Run a crawl every night for a year on a folder that changes: outages, moves, upgrades, budgets, failures, a mass delete. Each night is
checked.

    python -m tests.crawl.year_of_nights FOLDER --objects 10000 --nights 365

Planning, commits, upkeep and reports are the product's; only reading is simplified (a page with the file's text instead of a parsed PDF),
because a year of parsing would show no more. After each night the tables and the report are compared with the folder: every file is in the
tables unless the report counts it as waiting, no file of an unavailable source is lost, every number of the report is right, and the exit
code is 0 unless there is a cause. The first wrong night ends the script with the reason.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.crawl import local_run
from pdfmill.pipeline.crawl.crawl_parts import rows_of
from pdfmill.schemas.records import DocumentRef
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.delta.delta_log import load_snapshot
from pdfmill.transforms.road.document_rows import source_row
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.storage.addresses import local_uri
from pdfmill.transforms.storage.objects import read_bytes, write_bytes
from pdfmill.transforms.tables.output_layout import part_name
from pdfmill.transforms.tables.write_summary import Written

SOURCES = ("archive", "letters", "scans")
BEGIN = datetime(2026, 1, 1, 2, tzinfo=UTC)


@dataclass
class World:
    """The folder that is crawled, and the events in it."""

    root: Path
    chance: random.Random
    files: dict[str, str] = field(default_factory=dict)  # text of each file by path from the root
    had: dict[str, set[str]] = field(default_factory=dict)  # all texts that a path has had
    away: str = ""  # name of the source that cannot be listed, "" for none
    nights_away: int = 0  # number of nights for which it stays so
    faulty: set[str] = field(default_factory=set)  # paths that cannot be read this night
    signature: int = 0
    clock: int = 1_700_000_000  # modification time of the next file, seconds since 1970
    names: int = 0

    def put(self, path: str, text: str) -> None:
        """Write a file; no two files have the same modification time."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        self.clock += 1
        os.utime(place, (self.clock, self.clock))
        self._know(path, text)

    def _know(self, path: str, text: str) -> None:
        self.files[path] = text
        self.had.setdefault(path, set()).add(_sha(text))

    def add(self, count: int) -> None:
        """Add new files; one in fifty has the bytes of another file."""
        for _ in range(count):
            self.names += 1
            text = f"text {self.names}" if self.names % 50 else self.chance.choice([*self.files.values()])
            self.put(f"{self.chance.choice(self.open())}/{self.names % 40:02d}/{self.names:06d}.pdf", text)

    def open(self) -> list[str]:
        """Return the sources that can be listed; changes in others would not be visible."""
        return [each for each in SOURCES if each != self.away]

    def some(self, count: int) -> list[str]:
        """Return `count` paths of files that can change."""
        here = sorted(path for path in self.files if not self.away or not path.startswith(f"{self.away}/"))
        return self.chance.sample(here, min(count, len(here)))

    def remove(self, paths: Iterable[str]) -> None:
        """Delete files."""
        for path in paths:
            (self.root / path).unlink()
            del self.files[path]

    def move(self) -> None:
        """Rename a folder."""
        old = self.some(1)[0].rpartition("/")[0]
        self.names += 1
        new = f"{old.partition('/')[0]}/moved-{self.names}"
        (self.root / old).rename(self.root / new)
        for path in [path for path in self.files if path.startswith(f"{old}/")]:
            self._know(new + path.removeprefix(old), self.files.pop(path))

    def day(self, number: int) -> str:
        """Carry out the event of a day, and return its name."""
        few = max(1, len(self.files) // 500)
        changed = self.some(few)
        self.faulty = set(changed[:3]) if number % 13 == 7 else set()
        for path in changed:
            self.put(path, f"{self.files[path]} again {number}")
        self.add(few)
        self.remove(self.some(max(1, few // 2)))
        if self.nights_away:
            self.nights_away -= 1
            if not self.nights_away:
                (self.root / f".{self.away}").rename(self.root / self.away)
                self.away = ""
        told = ""
        if number % 17 == 5 and not self.away and number % 120 != 71:  # a mass delete is allowed that night, of a source that is away too
            self.away, self.nights_away, told = self.chance.choice(SOURCES), self.chance.randint(1, 3), "outage"
            (self.root / self.away).rename(self.root / f".{self.away}")
        if number % 29 == 11:
            self.move()
            told += " move"
        if number % 61 == 20:
            self.signature += 1
            told += " upgrade"
        if number % 120 == 70 and not self.away:
            self.remove(path for path in sorted(self.files) if path.startswith("scans/") and self.chance.random() < 0.5)
            told += " mass delete"
        return told.strip()

    def seen(self) -> dict[str, str]:
        """Return the SHA-256 by address of the files that can be listed this night."""
        return {self.uri(path): _sha(text) for path, text in self.files.items() if not self.away or not path.startswith(f"{self.away}/")}

    def uri(self, path: str) -> str:
        """Return the address of a file."""
        return local_uri(str(self.root / path))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def light_reader(world: World) -> Any:
    """Return a function that replaces `run_batch`: it makes a page of the file's text."""

    def read(documents: Iterable[DocumentRef], job: JobSettings, *_: object) -> Written:
        rows: dict[str, list[dict[str, object]]] = {table: [] for table in TABLES}
        faulty = {world.uri(path) for path in world.faulty}
        for ref in documents:
            if ref.uri in faulty:
                failed = {"status": "failed", "error_code": "store_error", "error_message": f"{ref.uri}: 503", "extractor_version": "light"}
                rows["documents"].append({**source_row(ref), **failed})
                continue
            data = read_bytes(ref)
            read = {"status": "ok", "page_count": 1, "content_sha256": hashlib.sha256(data).hexdigest(), "extractor_version": "light"}
            rows["documents"].append({**source_row(ref), **read})
            page = {"page": 1, "status": "ok", "char_count": len(data), "column_count": 1, "needs_ocr": False, "ocr": False}
            rows["pages"].append({"doc_id": ref.doc_id, "text": data.decode(), **page})
        for table, some in rows.items():
            sink = io.BytesIO()
            pq.write_table(pa.Table.from_pylist(some, schema=TABLES[table]), sink)
            write_bytes(part_name(table, 0, job.write), sink.getvalue())
        return Written()

    return read


@contextmanager
def night(world: World, number: int) -> Iterator[None]:
    """Run the block with the clock of that night, the simplified reader, and the signature of that day."""

    begin = local_run.begin
    at = BEGIN + timedelta(days=number)
    with (
        mock.patch("pdfmill.pipeline.crawl.local_run.run_batch", light_reader(world)),
        mock.patch("pdfmill.pipeline.crawl.local_run.local_workers", return_value=nullcontext()),
        mock.patch("pdfmill.pipeline.cli.crawl.begin", lambda config, documents=None: begin(config, at, documents)),
        mock.patch("pdfmill.pipeline.crawl.config.CrawlConfig.signature", return_value=f"version-{world.signature}"),
    ):
        yield


def shown(output: str) -> tuple[dict[str, str | None], dict[str, str], set[str], set[str]]:
    """Return the SHA-256 and the status by address in `sources`, the ids in it, and the ids in `documents`."""
    snapshot = load_snapshot(output)
    states = [row for file in snapshot.of("sources") for row in rows_of(output, file).to_pylist() if row["deleted_at"] is None]
    documents = {each for file in snapshot.of("documents") for each in rows_of(output, file, ["doc_id"]).column(0).to_pylist()}
    digests = {row["source_uri"]: row["content_sha256"] for row in states}
    assert len(digests) == len(states), "an object stands twice in sources"
    return digests, {row["source_uri"]: row["status"] for row in states}, {row["doc_id"] for row in states}, documents


def check(world: World, report: dict[str, Any], before: dict[str, str | None], output: str) -> dict[str, str | None]:
    """Compare a night's tables with the folder; return the SHA-256 by address in the tables. before: the same for the last night. Raises
    AssertionError with the reason."""
    digests, statuses, ids, documents = shown(output)
    seen, plan = world.seen(), report["plan"]
    assert ids == documents, f"sources and documents differ by {len(ids ^ documents)} documents"
    assert report["listed"] == len(seen), (report["listed"], len(seen))
    fresh = len(seen.keys() - before.keys())
    assert plan.get("new", 0) + plan.get("moved", 0) == fresh, (plan, fresh)
    hidden = {uri for uri in before if world.away and f"/{world.away}/" in uri}
    assert {uri: before[uri] for uri in hidden} == {uri: digests.get(uri) for uri in hidden}, "what is away has changed"
    for uri, digest in digests.items():
        path = Path(uri.removeprefix("file://")).relative_to(world.root).as_posix()
        assert digest is None or digest in world.had[path], f"{uri} shows bytes that it never had"
        assert statuses[uri] == "ok" or digest is None, (uri, statuses[uri])
    left = digests.keys() - seen.keys() - hidden
    assert not left or report["deletes_withheld"], f"{len(left)} objects are gone and shown, and the report does not say why"
    missing = {uri for uri, digest in seen.items() if digests.get(uri) != digest}
    excused = {world.uri(path) for path in world.faulty} | {uri for uri in missing if statuses.get(uri) == "failed"}
    assert report["waiting"] or missing <= excused, f"{len(missing - excused)} objects are not shown as they are, and nothing waits"
    causes = [bool(world.away), bool(report["failed_new"]), bool(report["mass_delete"])]
    assert (report["exit_code"] != 0) == any(causes), (report["exit_code"], causes)
    assert (report["exit_code"] == 4) == bool(report["mass_delete"]), report["exit_code"]
    assert bool(report["unlisted_sources"]) == bool(world.away), report["unlisted_sources"]
    return digests


def live(folder: Path, objects: int, nights: int, seed: int = 1) -> dict[str, int]:
    """Run all nights; return the number of events by name. Raises AssertionError if a check fails."""
    world = World(folder / "in", random.Random(seed))
    (folder / "in").mkdir(parents=True)
    output, report = str(folder / "out"), folder / "night.json"
    config = folder / "crawl.toml"
    sources = ", ".join(f'"in/{each}/"' for each in SOURCES)
    budget = max(20, objects // 20)
    config.write_text(f'sources = [{sources}]\noutput = "out"\n[crawl]\nmax_documents = {budget}\nkeep_days = 7\n')
    world.add(objects)
    before: dict[str, str | None] = {}
    told = dict.fromkeys(("nights", "read", "moved", "away", "withheld", "failed", "redone", "waited"), 0)
    for number in range(nights):
        what = world.day(number) if number else "first"
        flags = ["--allow-mass-delete"] if before and told["withheld"] and _withheld(report) else []
        with night(world, number):
            code = run(["crawl", str(config), "--report", str(report), *flags])
        made = json.loads(report.read_text())
        assert made["exit_code"] == code
        try:
            before = check(world, made, before, output)
        except AssertionError as error:
            raise AssertionError(f"night {number} ({what or 'plain'}): {error}") from error
        told["nights"] += 1
        told["read"] += sum(made["statuses"].values())
        told["moved"] += made["plan"].get("moved", 0)
        told["redone"] += made["plan"].get("redo", 0) > 0
        told["away"] += bool(world.away)
        told["withheld"] += bool(made["mass_delete"])
        told["failed"] += made["failed_new"]
        told["waited"] += made["waiting"] > 0
        if number % 50 == 49:
            print(json.dumps(told), file=sys.stderr, flush=True)
    return told


def _withheld(report: Path) -> bool:
    return bool(json.loads(report.read_text())["mass_delete"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args(argv)
    begun = time.process_time()
    told = live(flags.folder, flags.objects, flags.nights, flags.seed)
    print(json.dumps({**told, "objects": flags.objects, "seed": flags.seed, "cpu_s": round(time.process_time() - begun)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
