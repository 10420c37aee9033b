"""What a night costs a crawl whose objects are nearly all as they were: bytes written, table by table, and CPU of three runs.

    python -m benchmarks.crawl_changes FOLDER --objects 10000

Small documents are made, read, one in a hundred is changed, and a last run finds nothing changed. It can be stopped at any moment and goes
on where it was: a run of the crawl goes on from what it has read, and what it cost so far counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.made_documents import letter
from benchmarks.processes import run_command
from pdfmill.transforms.delta.delta_log import Snapshot, load_snapshot, log_name

#: Pages of each document.
_PAGES: Final = 3
#: One in so many is changed.
_CHANGED: Final = 100
#: Documents of a part, as usual.
_BATCH: Final = 500


@dataclass(slots=True)
class State:
    """What is done. runs: CPU in seconds and peak in MB of each run of the crawl that came to its end; spent: CPU of one that did not."""

    path: Path
    documents: int = 0
    changed: int = 0
    runs: list[list[float]] = field(default_factory=list)
    spent: float = 0.0

    def save(self) -> None:
        """Keep it."""
        told = {"documents": self.documents, "changed": self.changed, "runs": self.runs, "spent": self.spent}
        self.path.write_text(json.dumps(told))


def measure(folder: Path, objects: int, seconds: float) -> State | None:
    """Do what is left to do; None where time is up before. seconds: of one run of the crawl."""
    path = folder / "state.json"
    folder.mkdir(parents=True, exist_ok=True)
    state = State(path, **json.loads(path.read_text())) if path.exists() else State(path)
    for number in range(state.documents, objects):
        letter(_document(folder, number), number, _PAGES)
        state.documents = number + 1
        if number % _BATCH == 0:
            state.save()
    state.save()
    config = folder / "crawl.toml"
    config.write_text(
        f'sources = ["in/"]\noutput = "out"\n[crawl]\nupkeep = false\n[options]\nno_isolation = true\nbatch_documents = {_BATCH}\n'
    )
    while len(state.runs) < 3:
        if len(state.runs) == 1 and not state.changed:
            for number in range(0, objects, _CHANGED):
                letter(_document(folder, number), objects + number, _PAGES)
            state.changed = len(range(0, objects, _CHANGED))
            state.save()
        cost = run_command([sys.executable, "-m", "pdfmill", "crawl", str(config)], timeout=seconds)
        state.spent += cost.cpu
        if cost.code == 0:
            state.runs.append([state.spent, cost.peak_mb])
            state.spent = 0.0
        state.save()
        if cost.code != 0:
            return None
    return state


def _document(folder: Path, number: int) -> Path:
    return folder / "in" / f"{number // 1000:03d}" / f"{number:06d}.pdf"


def written_bytes(output: str, version: int) -> dict[str, tuple[int, int]]:
    """By table, how many bytes a version has written, and how many the one before had; of the log how many the version's file has."""
    before, after = load_snapshot(output, version - 1), load_snapshot(output, version)
    new = _bytes(Snapshot(files={path: file for path, file in after.files.items() if path not in before.files}))
    log = Path(output, log_name(version)).stat().st_size
    return {table: (new[table], size) for table, size in _bytes(before).items()} | {"log": (log, 0)}


def _bytes(snapshot: Snapshot) -> Counter[str]:
    sizes = Counter[str]()
    for file in snapshot.files.values():
        sizes[file.table] += file.size
    return sizes


def lines(state: State, tables: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """The figures."""
    yield f"{state.documents:,} documents of {_PAGES} pages, {state.changed:,} changed"
    for table, (new, old) in tables.items():
        yield f"{table:10} {new:>12,} of {old:>13,} bytes"
    new, old = (sum(sizes) for sizes in zip(*tables.values(), strict=True))
    yield f"{'all':10} {new:>12,} of {old:>13,} bytes: {new / old:.1%}"
    for (cpu, peak), name in zip(state.runs, ("first", "second", "third"), strict=True):
        yield f"{name} run: {cpu:,.1f} s of CPU, {cpu / state.runs[0][0]:.2%} of the first, {peak:,.0f} MB at the peak"


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 1 where it must be called again to go on."""
    parser = argparse.ArgumentParser(prog="benchmarks.crawl_changes")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="that one run of the crawl may take before it is stopped")
    flags: Any = parser.parse_args(argv)
    state = measure(flags.folder, flags.objects, flags.seconds)
    if state is None:
        print("stopped; call it again to go on")
        return 1
    for line in lines(state, written_bytes(str(flags.folder / "out"), 1)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
