"""`make torture`: read thousands of broken PDFs by `pdfmill index`; every input must get its row, in time and in constant memory. `make
soak`: the same with tens of thousands of small valid PDFs.

    python -m benchmarks.robust.torture [--count 5000] [--objects 1500] [--structures 2000] [--robust FOLDER] [--mutated_only]
                                 [--seeds FOLDER ...] [--letters 20000] [--workers 2] [--again] [--keep FOLDER]

Files are mutated from the seeds, by bytes (`mutations`), by objects (`object_mutations`) and in cross references, trailers and streams
(`structure_mutations`), and read together with all of the robust corpus, under short limits. The script checks the exit code, that each
input has one row and no document took longer than its limit, the invariants of the tables, the memory of the process tree, and that no
process or temporary file is left. With `--again` the files are read once more, by one process and in reverse order: a file's rows must not
depend on what was read before it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from benchmarks.robust.mutations import mutations
from benchmarks.robust.object_mutations import object_mutations
from benchmarks.robust.structure_mutations import structure_mutations
from benchmarks.speed.made_documents import letters
from benchmarks.speed.processes import tree_bytes
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.torture.left_behind import Marked

ROOT: Final = Path(__file__).resolve().parents[2]
#: Deadlines of the run in seconds: shorter than the defaults, but long enough to tell a hang from slowness on a busy machine.
SECONDS_PER_DOCUMENT, SECONDS_PER_PAGE = 30.0, 15.0
#: Most ratio of the memory in the last quarter of a run to that in the second one, and the number of files from which it is checked: each
#: process grows until it has read the largest of them, which takes some 2,000 files (docs/measured.md).
MEMORY_GROWTH: Final = 1.25
LEVELS_OFF_AFTER: Final = 6_000
#: Error codes that mean an error of our code, not of the file.
OUR_MISTAKES: Final = frozenset({"internal"})
SAMPLE_SECONDS: Final = 0.5


@dataclass(slots=True)
class Torture:
    """The results of a run."""

    files: int
    seconds: float
    code: int
    statuses: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    memory: list[float] = field(default_factory=list)  # samples of the memory of the whole process tree, MB
    problems: list[str] = field(default_factory=list)  # the checks that failed, as sentences

    def quarters(self) -> list[float]:
        """Return the mean memory of each quarter of the run, MB."""
        size = max(1, len(self.memory) // 4)
        return [sum(part) / len(part) for part in (self.memory[start : start + size] for start in range(0, 4 * size, size)) if part]

    def lines(self) -> list[str]:
        """Return the lines of the report."""
        return [
            f"{self.files:,} files, {self.pages:,} pages in {self.seconds:,.0f} s, exit code {self.code}",
            "status  " + ", ".join(f"{word} {count:,}" for word, count in self.statuses.most_common()),
            "codes   " + ", ".join(f"{word} {count:,}" for word, count in self.codes.most_common()),
            "memory  "
            + " -> ".join(f"{value:,.0f}" for value in self.quarters())
            + f" MB by quarters, peak {max(self.memory, default=0):,.0f} MB",
            *(f"PROBLEM {problem}" for problem in self.problems),
        ]


def prepare(folder: Path, seeds: Sequence[Path], robust: Path | None, counts: Sequence[int], seed: int) -> int:
    """Fill the folder with mutated files and those of `robust`, and return their number. counts: of files mutated by bytes, by objects, in
    their structure."""
    made, count = sum(counts), max(1, counts[0])
    pool = [path for source in seeds for path in sorted(source.rglob("*.pdf"))]
    makers = (mutations, object_mutations, structure_mutations)
    for name, data in chain.from_iterable(make(pool, number, seed) for make, number in zip(makers, counts, strict=True)):
        target = folder / name[:3] / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(data)
    if robust is None:
        return made
    whole = sorted(robust.rglob("*.pdf"))
    for number, path in enumerate(whole):  # among the others, for they are larger: the quarters of the run then compare
        name = f"m{number * count // len(whole):05d}-{path.name}"
        target = folder / name[:3] / name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, target)
    return made + len(whole)


def torture(source: Path, output: Path, files: int, *, workers: int = 2, timeout: float = 14_400) -> Torture:
    """Run `pdfmill index` on the folder `source`, and check its output. files: number of files. timeout: seconds."""
    command = [sys.executable, "-m", "pdfmill", "index", str(source), "--output", str(output), "--workers", str(workers)]
    command += [
        "--seconds_per_document",
        str(SECONDS_PER_DOCUMENT),
        "--seconds_per_page",
        str(SECONDS_PER_PAGE),
        "--batch_documents",
        "250",
    ]
    started = time.monotonic()
    run = Marked(command, output.with_suffix(".log"), output.with_name("tmp"), {"PYTHONPATH": str(ROOT)})
    process = run.process
    memory, hung = _watch(process, timeout)
    result = Torture(files, time.monotonic() - started, process.returncode, memory=memory)
    if hung:
        result.problems.append(f"the job did not end in {timeout:,.0f} s")
    result.problems += [f"still runs: {each}" for each in run.stayed()]
    result.problems += [f"still there: {path}" for path in run.temporary()]
    told = run.told()
    result.problems += sorted({f"traceback: {last}" for last in re.findall(r"Traceback .*?\n(\w[^\n]*)", told, re.DOTALL)})
    if process.returncode not in (0, 1):
        result.problems.append(f"exit code {process.returncode}: {told[-1000:]}")
        return result
    _judge(result, read_tables(output.as_uri()))
    quarters = result.quarters()
    if files >= LEVELS_OFF_AFTER and quarters[3] > MEMORY_GROWTH * quarters[1]:
        result.problems.append(f"memory grew from {quarters[1]:,.0f} to {quarters[3]:,.0f} MB")
    return result


def again(source: Path, output: Path) -> list[str]:
    """Read the files of a run in reverse order, by one process; return a sentence for each file whose rows differ."""
    listed = output.with_name("reversed.txt")
    listed.write_text("\n".join(str(path) for path in sorted(source.rglob("*.pdf"), reverse=True)))
    other = output.with_name("again")
    command = [sys.executable, "-m", "pdfmill", "index", f"@{listed}", "--output", str(other), "--seconds_per_document", "300"]
    command += ["--seconds_per_page", "300"]
    run = Marked(command, other.with_suffix(".log"), output.with_name("tmp"), {"PYTHONPATH": str(ROOT)})
    if run.process.wait() not in (0, 1):
        return [run.told()[-1000:]]
    try:
        assert_same_tables(read_tables(output.as_uri()), read_tables(other.as_uri()))
    except AssertionError as error:
        return [f"in the other order: {error}"]
    return []


def _watch(process: subprocess.Popen[bytes], timeout: float) -> tuple[list[float], bool]:
    """Return samples of the memory of a process tree until its end, in MB, with shared memory counted once (private memory alone grows when
    copied pages change), and whether it was killed at the timeout (seconds)."""
    memory: list[float] = []
    deadline = time.monotonic() + timeout
    done = threading.Event()
    while process.poll() is None and time.monotonic() < deadline:
        memory.append(tree_bytes(process.pid) / 1e6)
        done.wait(SAMPLE_SECONDS)
    hung = process.poll() is None
    if hung:
        os.killpg(process.pid, 9)
    process.wait()
    return memory, hung


def _judge(result: Torture, tables: dict[str, Any]) -> None:
    try:
        check_invariants(tables, inputs=result.files)
    except AssertionError as error:
        result.problems.append(f"invariant: {str(error)[:500]}")
    for row in tables["documents"].to_pylist():
        result.statuses[row["status"]] += 1
        result.codes[row["error_code"] or "none"] += 1
        result.pages += row["page_count"]
        codes = {row["error_code"], *(warning["code"] for warning in row["warnings"])}
        if codes & OUR_MISTAKES:
            told = next((warning["message"] for warning in row["warnings"] if warning["code"] in OUR_MISTAKES), row["error_message"])
            result.problems.append(f"{row['source_uri'].rpartition('/')[2]}: {told}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code: 1 if a check failed."""
    corpus = Path(os.environ.get("PDFMILL_CORPUS") or ROOT.parent / "shared" / "corpus")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000, help="files mutated by bytes")
    parser.add_argument("--objects", type=int, default=1500, help="files mutated by objects")
    parser.add_argument("--structures", type=int, default=2000, help="files mutated in their cross references, encryption and streams")
    parser.add_argument("--mutated_only", action="store_true", help="leave out the files that are read as they are")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--robust", type=Path, default=corpus / "robust", help="folder of files that are read as they are, and mutated")
    parser.add_argument("--seeds", type=Path, nargs="*", default=[corpus / "features"], help="folders of more files to mutate")
    parser.add_argument("--letters", type=int, default=0, help="a soak instead: so many small documents, made for it")
    parser.add_argument("--again", action="store_true", help="read the files once more in the other order, and compare")
    parser.add_argument("--keep", type=Path, help="folder that keeps the files and tables")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="pdfmill-torture-") as scratch:
        work = args.keep or Path(scratch)
        source = work / "in"
        source.mkdir(parents=True)
        if args.letters:
            letters(source, files := args.letters)
        else:
            files = prepare(
                source,
                [args.robust, *args.seeds],
                None if args.mutated_only else args.robust,
                (args.count, args.objects, args.structures),
                args.seed,
            )
        result = torture(source, work / "out", files, workers=args.workers)
        result.problems += again(source, work / "out") if args.again else []
    for line in result.lines():
        print(line)
    return int(bool(result.problems))


if __name__ == "__main__":
    raise SystemExit(main())
