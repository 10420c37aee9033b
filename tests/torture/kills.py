"""20 kills (SIGKILL) of each process of each command, at random moments, and what is there afterwards.

    python -m tests.torture.kills [--kills 20] [--kinds WORD ...] [--seed 22]

Kinds are a command and the process of it that is killed: itself, the server that forks its guarded processes, or one of these. Of a killed
command readers must see what was there before or what it was to make, and the same command again must make that and clean up. A command
whose other processes are killed must end well by itself, with what it makes undisturbed.

Counted: processes that stay; what lies in the temporary folder after the kills, and after the next run (`scratch` removes
folders that have been left for a minute: their age is set back here); files that are half written beside what readers see, at once and
after the next run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks.speed.made_documents import book, letters
from tests.invariants import assert_known_tables, assert_same_tables, read_tables
from tests.torture.left_behind import Marked

_PDFMILL: Final = (sys.executable, "-m", "pdfmill")
#: The command itself, and its other processes by the name that `ps` shows.
ITSELF, SERVER, GUARDED = "", "pdfmill-forks", "pdfmill-parser"
#: Runs for each kill that is wanted: some have ended before it comes.
_TRIES: Final = 4
#: Of processes of a command that goes on; a document whose process is killed four times in a row is given up, as it should be.
_KILLS_A_RUN: Final = 3
_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:\d+/")
_END_SECONDS: Final = 300.0
#: Seconds in which a server must say its address.
_START_SECONDS: Final = 60.0


@dataclass(slots=True)
class Place:
    """A folder with documents in two states, `few` and `many`, and tables of the first. scratch: temporary files of what runs here."""

    folder: Path
    documents: dict[str, Path] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)

    @property
    def scratch(self) -> Path:
        return self.folder / "tmp"

    @property
    def out(self) -> Path:
        return self.folder / "out"


def make_place(folder: Path) -> Place:
    """Typeset the documents, read both states."""
    place = Place(folder)
    for state, count, pages in (("few", 4, 12), ("many", 16, 60)):
        place.documents[state] = folder / state
        letters(folder / state, count)
        book(folder / state / "book.pdf", pages)
        run_whole(place, index(place, state, folder / f"{state}-tables"))
        place.tables[state] = read_tables((folder / f"{state}-tables").as_uri())
    return place


def run_whole(place: Place, command: Sequence[object], *, codes: tuple[int, ...] = (0,)) -> str:
    """Run a command to its end; what it printed."""
    run = Marked(command, place.folder / "log", place.scratch)
    code = run.process.wait(_END_SECONDS)
    assert code in codes, run.told()
    assert run.stayed() == []
    return run.told()


def index(place: Place, state: str, output: Path | None = None, *flags: str) -> list[object]:
    return [*_PDFMILL, "index", place.documents[state], "--output", output or place.out, "--batch_documents", "4", "--workers", "2", *flags]


def on_beam(place: Place, state: str) -> list[object]:
    return [*_PDFMILL, "index", place.documents[state], "--output", place.out, "--runner", "DirectRunner"]


def crawl(place: Place, state: str) -> list[object]:
    config = place.folder / f"{state}.toml"
    config.write_text(f'sources = ["{place.documents[state]}/"]\noutput = "{place.out}"\n[options]\nbatch_documents = 4\nworkers = 2\n')
    return [*_PDFMILL, "crawl", config, "--allow-mass-delete"]


def show(place: Place, state: str) -> list[object]:
    return [*_PDFMILL, "show", place.documents[state] / "book.pdf", "--format", "markdown"]


def serve(place: Place, state: str) -> list[object]:
    return [*_PDFMILL, "serve", place.folder / f"{state}-tables", "--port", "0"]


def search(place: Place, state: str, *flags: str) -> list[object]:
    return [*_PDFMILL, "search", place.folder / f"{state}-tables", "which", "--format", "json", *flags]


def build(place: Place, state: str) -> list[object]:
    return search(place, state, "--build")


def export(place: Place, state: str) -> list[object]:
    return [*_PDFMILL, "export", place.folder / f"{state}-tables", "--to", f"ndjson:{place.folder / 'rows.ndjson'}"]


def tables_are_old_or_new(place: Place) -> None:
    """What `index` leaves readers; raises AssertionError."""
    changing = (place.out / "_pdfmill" / "publish.json").exists()
    assert_known_tables(read_tables(place.out.as_uri()), place.tables.values(), is_changing=changing)


def tables_are(place: Place, state: str) -> None:
    assert_same_tables(place.tables[state], read_tables(place.out.as_uri()))


def snapshot_is_old_or_new(place: Place) -> None:
    """What a crawl leaves readers; raises AssertionError."""
    if (place.out / "_delta_log").exists():
        shown = _pages_shown(place)
        assert any(shown == _pages(tables["pages"]) for tables in place.tables.values()), len(shown)


def snapshot_is(place: Place, state: str) -> None:
    assert _pages_shown(place) == _pages(place.tables[state]["pages"])


def _pages_shown(place: Place) -> list[tuple[object, ...]]:
    import deltalake
    import pyarrow as pa

    return _pages(pa.table(deltalake.DeltaTable(place.out).scan(["doc_id", "page", "text"], "table_name = 'pages'")))


def _pages(table: Any) -> list[tuple[object, ...]]:
    """Document, number and text of each page, in order."""
    return sorted(zip(*(table[name].to_pylist() for name in ("doc_id", "page", "text")), strict=True))


def finds(place: Place, state: str = "many") -> None:
    done = subprocess.run(list(map(str, search(place, state))), capture_output=True, text=True, check=False)
    assert (done.returncode, '"source_uri"' in done.stdout) == (0, True), done.stderr


def file_is_whole(place: Place, state: str = "many") -> None:
    rows = place.folder / "rows.ndjson"
    assert not rows.exists() or len(rows.read_bytes().splitlines()) == place.tables[state]["sections"].num_rows


def nothing(place: Place, state: str = "") -> None:
    """Nobody reads what it makes."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is killed. command: for a state of the documents. victim: see ITSELF. readers: raises where they see a mixture. made: raises
    where the last run has not made what it was to make. half: patterns of files, below the place, that only stand there unfinished.
    turns: whether runs take turns in what they make, so that each has something to replace."""

    name: str
    command: Callable[[Place, str], list[object]]
    victim: str = ITSELF
    readers: Callable[[Place], None] = nothing
    made: Callable[[Place, str], None] = nothing
    half: tuple[str, ...] = ()
    turns: bool = False
    serves: bool = False


_OF_INDEX: Final = ("out/**/*.tmp", "out/_pdfmill/[!m]*")
KINDS: Final = (
    Kind("index", index, ITSELF, tables_are_old_or_new, tables_are, _OF_INDEX, turns=True),
    Kind("index, server that forks", index, SERVER, tables_are_old_or_new, tables_are, _OF_INDEX),
    Kind("index, guarded process", index, GUARDED, tables_are_old_or_new, tables_are, _OF_INDEX),
    Kind("index on Beam", on_beam, ITSELF, tables_are_old_or_new, tables_are, _OF_INDEX, turns=True),
    Kind("index on Beam, guarded process", on_beam, GUARDED, tables_are_old_or_new, tables_are, _OF_INDEX),
    Kind("crawl", crawl, ITSELF, snapshot_is_old_or_new, snapshot_is, turns=True),
    Kind("crawl, server that forks", crawl, SERVER, snapshot_is_old_or_new, snapshot_is),
    Kind("crawl, guarded process", crawl, GUARDED, snapshot_is_old_or_new, snapshot_is),
    Kind("show", show),
    Kind("serve", serve, ITSELF, serves=True),
    Kind("serve, guarded process", serve, GUARDED, serves=True),
    Kind("search --build", build, ITSELF, finds, finds, ("many-tables/_pdfmill/*.new*",)),
    Kind("export", export, ITSELF, file_is_whole, file_is_whole, ("*.unfinished",)),
)


@dataclass(slots=True)
class Count:
    """What was left behind. stayed: processes. temporary, half: after the kills and after the next run. mixed: readers that saw a mixture
    or nothing, runs that did not make what they were to make, or did not end well. names: of what is temporary, after the next run."""

    kills: int = 0
    stayed: int = 0
    temporary: tuple[int, int] = (0, 0)
    half: tuple[int, int] = (0, 0)
    mixed: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def problems(self) -> bool:
        return bool(self.stayed or self.temporary[1] or self.half[1] or self.mixed)


def kill_all(kind: Kind, place: Place, kills: int, draw: random.Random) -> Count:
    """So many kills, and a run that is let alone."""
    count, state = Count(), "many"
    for other in ("few", "many"):  # what is there before; how long a run takes
        began = time.monotonic()
        if not kind.serves:
            run_whole(place, kind.command(place, other))
    seconds = time.monotonic() - began
    for _ in range(_TRIES * kills):
        if count.kills >= kills:
            break
        if kind.turns:
            state = "few" if state == "many" else "many"
        if kind.victim != ITSELF:
            shutil.rmtree(place.out, ignore_errors=True)
        run = Marked(kind.command(place, state), place.folder / "log", place.scratch)
        killed = _kill_server(run, kind, draw) if kind.serves else _kill(run, kind, draw, seconds)
        count.kills += killed
        if kind.victim != ITSELF and not kind.serves and (code := run.process.wait(_END_SECONDS)):
            count.mixed.append(f"exit code {code}: {run.told()[-500:]}")
        count.stayed += len(run.stayed())
        run.end()
        _note(count.mixed, kind.readers, place)
    left = (len(list(place.scratch.iterdir())), _half(kind, place))
    for path in place.scratch.iterdir():
        os.utime(path, (0, 0))
    if kind.serves:
        last = Marked(kind.command(place, state), place.folder / "log", place.scratch)
        list(_links(_address(last), "href"))  # it answers, so it has swept
        last.process.terminate()
        last.process.wait(_END_SECONDS)
        count.stayed += len(last.stayed())
    else:
        run_whole(place, kind.command(place, state))
    count.names = sorted(str(path.relative_to(place.scratch)) for path in place.scratch.rglob("*"))
    count.temporary, count.half = (left[0], len(list(place.scratch.iterdir()))), (left[1], _half(kind, place))
    _note(count.mixed, kind.made, place, state)
    return count


def _note(problems: list[str], check: Callable[..., None], *arguments: object) -> None:
    try:
        check(*arguments)
    except AssertionError as error:
        problems.append(f"{check.__name__}: {str(error)[:300]}")


def _half(kind: Kind, place: Place) -> int:
    return len({path for pattern in kind.half for path in place.folder.glob(pattern) if path.is_file()})


def _kill(run: Marked, kind: Kind, draw: random.Random, seconds: float) -> int:
    """Kills while it runs: one of the command, several of other processes; how many there were."""
    if kind.victim == ITSELF:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.process.wait(draw.uniform(0.2, 1.0) * seconds)
            return 0
        run.process.kill()
        run.process.wait()
        return 1
    killed = 0
    while run.process.poll() is None:
        time.sleep(draw.uniform(0.1, 0.6))
        killed += _kill_one(run, kind, draw) if killed < _KILLS_A_RUN else 0
    return killed


def _kill_one(run: Marked, kind: Kind, draw: random.Random) -> int:
    victims = [each for each in run.processes() if _named(each) == kind.victim]
    with contextlib.suppress(psutil.Error):
        if victims:
            draw.choice(victims).kill()
            return 1
    return 0


def _named(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "gone"


def _address(run: Marked) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while (found := _ADDRESS.search(run.told())) is None:
        assert time.monotonic() < deadline, run.told()
        time.sleep(0.05)
    return found[0]


def _kill_server(run: Marked, kind: Kind, draw: random.Random) -> int:
    """A server that has begun, asked for pictures meanwhile; where its guarded process was killed, it must draw again, and is ended."""
    home = _address(run)
    page = next(_links(home, r'href="([^"]*d/[^"]+)"'), home)
    time.sleep(draw.uniform(0.0, 1.0))
    if kind.victim == ITSELF:
        run.process.kill()
        run.process.wait()
        return 1
    deadline = time.monotonic() + _START_SECONDS
    while not (killed := _kill_one(run, kind, draw)) and time.monotonic() < deadline:
        time.sleep(0.1)
    with urllib.request.urlopen(page, timeout=_START_SECONDS) as answer:
        assert answer.status == 200
    run.process.terminate()
    run.process.wait(_END_SECONDS)
    return killed


def _links(home: str, pattern: str) -> Iterator[str]:
    with urllib.request.urlopen(home, timeout=_START_SECONDS) as answer:
        for found in re.findall(pattern, answer.read().decode()):
            yield urllib.parse.urljoin(home, found)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; exit code 1 when anything was left behind or seen half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="of each process")
    parser.add_argument("--kinds", nargs="*", default=[], help="only those whose name begins so")
    parser.add_argument("--seed", type=int, default=22)
    args = parser.parse_args(argv)
    failed = False
    print("| killed | kills | processes that stay | temporary folders, after the next run | half files, after the next run | mixtures |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        first = make_place(Path(folder, "first"))
        for number, kind in enumerate(KINDS):
            if args.kinds and not any(kind.name.startswith(word) for word in args.kinds):
                continue
            place = Place(Path(folder, str(number)), first.documents, first.tables)
            shutil.copytree(first.folder, place.folder, ignore=shutil.ignore_patterns("tmp", "out"))
            count = kill_all(kind, place, args.kills, random.Random(f"{args.seed}/{kind.name}"))
            failed |= count.problems or count.kills < args.kills
            at, after = zip(count.temporary, count.half, strict=True)
            print(
                f"| {kind.name} | {count.kills} | {count.stayed} | {at[0]}, {after[0]} | {at[1]}, {after[1]} | {len(count.mixed)} |",
                flush=True,
            )
            for told in [*count.names, *count.mixed]:
                print("  ", told)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
