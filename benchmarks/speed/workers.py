"""What workers and isolation bring and cost, as ratios of the whole command on this machine.

    python -m benchmarks.speed.workers speed [FOLDER] [--workers 1 2] [--rounds 2]  wall time of 1, 2, ... worker processes, and what the
                                                                             machine gives: two commands of one worker at once
    python -m benchmarks.speed.workers isolation [FOLDER] [--rounds 3]              with and without --no_isolation, wall and CPU
    python -m benchmarks.speed.workers share [--pages 5000]                             pages per worker: a book among 300 letters
    python -m benchmarks.speed.workers sick [--seconds 5]                               a document that hangs among 300 letters: two workers

FOLDER: PDFs to read; without it 2,000 mixed pages are typeset: letters, reports of 5 to 40 pages, a book. Rounds alternate: the
least of each counts where work of others adds to it, the rounds' middle where the machine itself is faster and slower.
Run it on an idle one.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest import mock

from benchmarks.speed.made_documents import book, letters
from benchmarks.speed.processes import Cost, run_command
from pdfmill.pipeline.options.options import job_settings, parse_index
from pdfmill.pipeline.run import local
from pdfmill.schemas.records import PackedRange, Walked
from pdfmill.transforms.road.guarded_road import walk_range_guarded, walk_together_guarded
from pdfmill.transforms.storage.sources import absolute_source, list_sources
from tests.invariants import read_tables
from tests.torture.reading import endless

LETTERS: Final = 300
AT_ONCE: Final = "at once"
#: Pages of each report; with the letters and the book they make 2,000.
REPORTS: Final = [5 + number % 36 for number in range(50)]


def typeset(folder: Path, pages: int = 2000) -> None:
    """Mixed documents of so many pages in all."""
    letters(folder, LETTERS)
    for number, length in enumerate(REPORTS):
        book(folder / f"report-{number:02d}.pdf", length)
    book(folder / "book.pdf", pages - LETTERS - sum(REPORTS))


def _index(folder: Path, output: Path, flags: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "pdfmill", "index", str(folder), "--output", str(output), *flags]


def measure(variants: Mapping[str, Sequence[str]], folder: Path, rounds: int, at_once: int = 0) -> dict[str, list[Cost]]:
    """Each variant of `pdfmill index`, once a round. at_once: so many commands of one worker, side by side, are a variant too."""
    found: dict[str, list[Cost]] = {}

    def keep(name: str, cost: Cost) -> None:
        print(f"  {name:12} {cost.seconds:7.1f} s {cost.cpu:7.1f} s of CPU {cost.peak_mb:7,.0f} MB", flush=True)
        found.setdefault(name, []).append(cost)

    for _ in range(rounds):
        for name, flags in variants.items():
            with tempfile.TemporaryDirectory() as output:
                cost = run_command(_index(folder, Path(output), flags))
            if cost.code not in (0, 1):
                raise RuntimeError(f"{name}: exit code {cost.code}")
            keep(name, cost)
        if at_once:
            keep(AT_ONCE, side_by_side(folder, at_once))
    return found


def ratios(first: Sequence[Cost], other: Sequence[Cost], times: int = 1) -> str:
    """How many times the work of `first` the other did in its time: by the least of each, and in each round. times: pieces of that work."""
    wall = [times * one.seconds / each.seconds for one, each in zip(first, other, strict=True)]
    least = times * min(each.seconds for each in first) / min(each.seconds for each in other)
    cpu = times * min(each.cpu for each in first) / min(each.cpu for each in other)
    return f"{least:.2f} in wall time, {cpu:.2f} in CPU by the least of each; rounds {', '.join(f'{each:.2f}' for each in wall)}"


def side_by_side(folder: Path, commands: int) -> Cost:
    """So many commands of one worker over the same folder, begun together: how much work the machine does when all of them are busy."""
    with tempfile.TemporaryDirectory() as output:
        lines = [shlex.join(_index(folder, Path(output) / str(number), ["--workers", "1"])) for number in range(commands)]
        cost = run_command(["sh", "-c", " & ".join([*lines, "wait"])])
        if len(list(Path(output).glob("*/run.json"))) != commands:
            raise RuntimeError("at once: a command failed")
        return cost


def shares(folder: Path, workers: int = 2) -> list[int]:
    """Pages that each process of one batch read: each has a thread that asks it."""
    read: Counter[int] = Counter()

    def walk_counted(*arguments: Any) -> list[tuple[float, list[Walked]]]:
        walks = walk_together_guarded(*arguments)
        read[threading.get_ident()] += sum(found.pages for _, each in walks for found in each)
        return walks

    def range_counted(*arguments: Any) -> PackedRange:
        found = walk_range_guarded(*arguments)
        read[threading.get_ident()] += found.pages.count
        return found

    with (
        tempfile.TemporaryDirectory() as output,
        mock.patch.multiple(local, walk_together_guarded=walk_counted, walk_range_guarded=range_counted),
    ):
        job = job_settings(parse_index([str(folder), "--output", output])[0], "part", 1)
        with local.local_workers(workers, job.read) as processes:
            local.run_batch(list_sources([absolute_source(str(folder))]), job, processes, output)
    return sorted(read.values())


def sick(folder: Path, seconds: float) -> list[str]:
    """What a document whose page never ends, between two good ones, costs a job of letters on two workers; it may take so many seconds."""
    flags = ["--workers", "2", "--seconds_per_document", str(seconds), "--seconds_per_page", str(seconds)]
    letters(folder, LETTERS)
    told = []
    for hostile in (False, True):
        if hostile:
            (folder / "sick.pdf").write_bytes(endless(1, 1))
        with tempfile.TemporaryDirectory() as output:
            cost = run_command(_index(folder, Path(output), flags))
            rows = read_tables(output)["pages"].to_pylist()
        well = sum(row["status"] == "ok" and bool(row["text"]) for row in rows)
        told.append(f"{'with' if hostile else 'without'} it {cost.seconds:.1f} s, {cost.cpu:.1f} s of CPU; {well} of {len(rows)} pages ok")
    return told


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "isolation", "share", "sick"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--pages", type=int, default=5000, help="of the book")
    parser.add_argument("--seconds", type=float, default=5.0, help="that the sick document and its page may take")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as made:
        folder = args.folder or Path(made)
        if args.what == "share":
            letters(Path(made), LETTERS)
            book(Path(made) / "book.pdf", args.pages)
            read = shares(Path(made))
            print(f"pages per worker {read}, the larger share {max(read) / sum(read):.1%}")
            return 0
        if args.what == "sick":
            print("\n".join(sick(Path(made), args.seconds)))
            return 0
        if args.folder is None:
            typeset(folder)
        one_by_one = {f"{count} workers": ["--workers", str(count)] for count in args.workers}
        if args.what == "speed":
            found = measure(one_by_one, folder, args.rounds, at_once=args.workers[-1])
        else:
            found = measure({"isolated": [], "in one": ["--no_isolation"]}, folder, args.rounds)
    together = found.pop(AT_ONCE, None)
    (name, first), *others = found.items()
    for other, costs in others:
        print(f"{name} / {other}: {ratios(first, costs)}")
    if together is not None:
        times = args.workers[-1]
        print(f"what the machine gives, {times} commands of one worker at once / {name}: {ratios(first, together, times)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
