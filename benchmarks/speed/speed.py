"""`make bench`: compare pdfmill with other tools on the same files, and measure time per page by length and memory by number of documents.

    python -m benchmarks.speed.speed [FILE or FOLDER ...] [--parts peers,lengths,memory] [--large] [--repeat 3] [--json out.json]

Without files: the variable PDFS, else the corpus beside the repository, else the sample documents that `make demo` typesets. Whole process
trees are measured, with start-up, with one worker. Tools run in turn, so that a machine that gets busier slows all of them. With several
rounds, the range of the ratios is printed; on a busy machine, a warning, because only ratios are then meaningful.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import psutil

from benchmarks.speed.blocks import page_count
from benchmarks.speed.made_documents import book, letters
from benchmarks.speed.peers import Tool, pdfmill, pdfmill_blocks, peers
from benchmarks.speed.processes import Cost, run_command

ROOT: Final = Path(__file__).resolve().parents[2]
PARTS: Final = ("peers", "lengths", "memory")
#: Tools to which the others are compared.
YARDSTICKS: Final = ("pdftotext", "PDFium", "PDFBox")
#: Share of the machine's CPU used by others from which it counts as busy, and the seconds for which this is measured.
BUSY: Final = 0.1
LOOK_SECONDS: Final = 1.0
BOOK_PAGES: Final = (10, 100, 1000, 5000)
LETTERS: Final = (500, 5000)
MORE_LETTERS: Final = (2000, 20000)


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the result."""

    what: str  # name of the tool, or of the made documents
    version: str
    documents: int
    pages: int
    cost: Cost | None  # cost of the cheapest run; None if it could not run
    reason: str | None = None  # reason why it could not run
    runs: tuple[Cost, ...] = ()  # costs of all rounds


def default_sources() -> list[Path]:
    """Return the files to measure with, if the user names none."""
    if named := os.environ.get("PDFS"):
        return [Path(part) for part in named.split()]
    corpus = Path(os.environ.get("PDFMILL_CORPUS", ROOT.parent / "shared" / "corpus")) / "structure" / "pdf"
    if corpus.is_dir():
        return [corpus]
    samples = ROOT / "out" / "samples"
    if not samples.is_dir():
        subprocess.run([sys.executable, str(ROOT / "samples" / "typeset.py"), str(samples)], check=True)
    return [samples]


def find_files(sources: Sequence[Path]) -> list[Path]:
    """Return the PDFs among these files and in these folders, sorted by name."""
    found = [path for source in sources for path in ([source] if source.is_file() else source.rglob("*.pdf"))]
    return sorted(path.resolve() for path in found)


def count_pages(files: Sequence[Path]) -> int:
    """Return the number of pages by PDFium; files that it cannot open count 0."""
    return sum(map(page_count, files))


def measure(tools: Sequence[Tool], files: Sequence[Path], pages: int, repeat: int) -> list[Measured]:
    """Run every tool on the files, in turn, `repeat` times; return a row for each tool. pages: number of pages of the files."""
    runs: dict[str, list[Cost]] = {tool.name: [] for tool in tools}
    for _ in range(repeat):
        for tool in tools:
            if not tool.missing:
                runs[tool.name].append(run_command([*tool.command, *map(str, files)]))
    return [_measured(tool, runs[tool.name], len(files), pages) for tool in tools]


def _measured(tool: Tool, runs: Sequence[Cost], files: int, pages: int) -> Measured:
    if not runs:
        return Measured(tool.name, tool.version, files, pages, None, tool.missing)
    best = min(runs, key=lambda cost: cost.cpu)
    reason = None if best.code in (0, 1) else f"exit code {best.code}"
    return Measured(tool.name, tool.version, files, pages, best, reason, tuple(runs))


def against_peers(files: Sequence[Path], folder: Path, repeat: int) -> list[Measured]:
    """Measure pdfmill and every other tool on the files."""
    return measure([pdfmill(folder / "tables"), pdfmill_blocks(), *peers(folder)], files, count_pages(files), repeat)


def _index(source: Path, folder: Path, documents: int, pages: int) -> Measured:
    (found,) = measure([pdfmill(folder / f"tables-{source.stem}")], [source], pages, 1)
    return replace(found, what=source.stem, documents=documents)


def by_length(folder: Path) -> Iterator[Measured]:
    """Yield the cost of one document of each length, after one of a single page, which shows the cost of starting."""
    for pages in (1, *BOOK_PAGES):
        path = folder / f"{pages}-pages.pdf"
        book(path, pages)
        yield _index(path, folder, 1, pages)


def by_number(folder: Path, counts: Sequence[int]) -> Iterator[Measured]:
    """Yield the cost of folders with these numbers of small documents."""
    for count in sorted(counts):
        path = folder / f"{count}-documents"
        letters(path, count)
        yield _index(path, folder, count, count)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text, with its first column aligned left, the others right."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in [head, *rows]
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def ratio(one: Measured, other: Measured | None) -> str:
    """Return the ratio of CPU times of the cheapest runs as text; with several rounds also the least and the greatest ratio."""
    if one.cost is None or other is None or other.cost is None or not other.cost.cpu:
        return "-"
    told = f"{one.cost.cpu / other.cost.cpu:.2f}"
    rounds = sorted(a.cpu / b.cpu for a, b in zip(one.runs, other.runs, strict=False) if b.cpu)
    return f"{told}({rounds[0]:.2f}-{rounds[-1]:.2f})" if len(rounds) > 1 else told


def peers_table(found: Sequence[Measured]) -> str:
    """Return a table with one row per tool, and ratios of CPU time in the last columns."""
    by_name = {each.what: each for each in found}
    rows = []
    for each in found:
        name = f"{each.what} {each.version}"
        if each.cost is None:
            rows.append([f"{name} (not run)", *["-"] * (4 + len(YARDSTICKS))])
            continue
        speed = f"{each.pages / each.cost.seconds:.0f}"
        numbers = [speed, f"{each.cost.seconds:.2f}", f"{each.cost.cpu:.2f}", f"{each.cost.peak_mb:.0f}"]
        ratios = [ratio(each, by_name.get(peer)) for peer in YARDSTICKS]
        rows.append([name, *numbers, *ratios])
    notes = [f"{each.what}: {each.reason}" for each in found if each.reason]
    return "\n".join([table(["tool", "pages/s", "wall s", "CPU s", "peak MB", *(f"CPU / {peer}" for peer in YARDSTICKS)], rows), *notes])


def lengths_table(found: Sequence[Measured]) -> str:
    """Return a table of CPU time per page by length, with and without the time of a document of one page."""
    costs = [(each.pages, each.cost) for each in found if each.cost is not None]
    start = costs[0][1].cpu
    rows = [
        [
            f"{pages:,} pages",
            f"{cost.cpu:.2f}",
            f"{1000 * cost.cpu / pages:.1f}",
            f"{1000 * (cost.cpu - start) / (pages - 1):.1f}" if pages > 1 else "-",
            f"{cost.peak_mb:.0f}",
        ]
        for pages, cost in costs
    ]
    return table(["one document", "CPU s", "ms/page", "without start", "peak MB"], rows)


def memory_table(found: Sequence[Measured]) -> str:
    """Return a table of peak memory by number of documents, with the ratio to the smallest folder."""
    costs = [(each.documents, each.cost) for each in found if each.cost is not None]
    first = costs[0][1].peak_mb
    rows = [[f"{count:,} documents", f"{cost.cpu:.1f}", f"{cost.peak_mb:.0f}", f"{cost.peak_mb / first:.2f}"] for count, cost in costs]
    return table(["of one page", "CPU s", "peak MB", "ratio"], rows)


def others_share() -> float:
    """Return the share of the machine's CPU that other processes use now."""
    return psutil.cpu_percent(LOOK_SECONDS) / 100


def busy_warning(share: float) -> str | None:
    """Return a warning if other processes use this share of the CPU; None if it is small."""
    return f"warning: others use {share:.0%} of this machine: only ratios mean much" if share > BUSY else None


def machine() -> str:
    """Return a description of the machine with its load, which shows how far wall times can be trusted."""
    system = f"{platform.system()} {platform.machine()}"
    return f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, {system}"


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.speed", description="Speed and memory of pdfmill against other tools."
    )
    parser.add_argument("sources", nargs="*", type=Path, metavar="FILE", help="PDFs or folders (default: PDFS, the corpus, or the samples)")
    parser.add_argument("--parts", default=",".join(PARTS), help="which measurements, by comma (default: all)")
    parser.add_argument(
        "--large", action="store_true", help=f"also folders of {' and '.join(f'{count:,}' for count in MORE_LETTERS)} documents"
    )
    parser.add_argument("--repeat", type=int, default=1, help="runs of each tool, of which the cheapest counts (default: 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    flags = parser.parse_args(argv)
    flags.parts = flags.parts.split(",")
    if unknown := set(flags.parts) - set(PARTS):
        parser.error(f"--parts: {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    return flags


def main(argv: Sequence[str] | None = None) -> None:
    """Run the script: measure, print, and write the JSON file."""
    flags = parse(argv)
    files = find_files(flags.sources or default_sources())
    results: dict[str, object] = {"machine": machine(), "files": len(files)}
    for package in ("pdfmill", "pipeline", "schemas", "transforms"):  # as installed; links below `pdfmill` are not followed
        compileall.compile_dir(ROOT / package, quiet=1)
    print(f"{len(files)} files; {machine()}\n", flush=True)
    if warning := busy_warning(others_share()):
        results["warning"] = warning
        print(f"{warning}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="pdfmill-bench-") as name:
        folder = Path(name)

        def show(part: str, found: Callable[[], list[Measured]], text: Callable[[Sequence[Measured]], str]) -> None:
            if part in flags.parts:
                measured = found()
                results[part] = [asdict(each) for each in measured]
                print(text(measured) + "\n", flush=True)

        show("peers", lambda: against_peers(files, folder, flags.repeat), peers_table)
        show("lengths", lambda: list(by_length(folder)), lengths_table)
        show("memory", lambda: list(by_number(folder, LETTERS + MORE_LETTERS * flags.large)), memory_table)
    if flags.json:
        flags.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
