"""The last steps of a large job, at the size of 100 million pages: parts, memory of who writes them, what the command reads at the end.

    python -m benchmarks.last_steps PDF_OR_FOLDER... [--pages 100000000] [--shards 0] [--gb 2]

The rows of the documents are made once and repeated. Parts of two sizes are written, the larger with `--gb` GB of packed rows, each by a
process of its own: memory that is flat between them is flat beyond, but for the keys of the rows, which are counted. How many files a part
has, and how large they are, follows from its bytes; the record of all files, which is what the command reads, is made and measured.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.processes import own_peak_mb
from pipeline.engine import SHARDS
from pipeline.options import job_settings, parse_index
from pipeline.staging import MAX_PART_BYTES
from pipeline.summary import RunFile
from schemas.records import TABLE_NAMES, PackedRows
from transforms.settings import WriteSettings
from transforms.storage.sources import absolute_source, list_sources
from transforms.tables.parts import write_part
from transforms.tables.written import MAX_LISTED, Part, Summary, Written
from transforms.walks import calls, walk

#: The share of the larger part that the smaller one has.
SMALLER: Final = 4
#: What a failure's message takes in the record: an address and a sentence.
MESSAGE: Final = "s3://archive/2026/11/22/a-report-of-some-length.pdf: the document is encrypted and needs a password; none of 12 opened it"


@dataclass(slots=True)
class Rows:
    """Packed rows of some documents, by table, and their pages."""

    pages: int
    packed: dict[str, list[PackedRows]]

    def bytes_a_page(self, table: str) -> float:
        """Packed."""
        return sum(len(data) for _, data in self.packed[table]) / self.pages


def rows_of(sources: Sequence[str]) -> Rows:
    """The rows of documents of one range of pages; what books are made of is the same."""
    flags, _ = parse_index(["-", "--output", "memory", "--no_isolation"])
    job = job_settings(flags, "part", 1)
    packed: dict[str, list[PackedRows]] = defaultdict(list)
    pages = 0
    for ref in list_sources(absolute_source(source) for source in sources):
        for found in walk(ref, job, calls(job.read, lambda: NotImplemented)):
            pages += found.pages if found.book is None else 0
            for (table, _), rows in found.rows:
                packed[table].append(rows)
    return Rows(pages, dict(packed))


def repeated(rows: Sequence[PackedRows], size: int) -> Iterator[PackedRows]:
    """The rows again and again until they are so many bytes, each time under another document's id."""
    given = turn = 0
    while given < size:
        for (_, *key), data in rows:
            yield (f"{turn:08x}{len(data):024x}", *key), data
            given += len(data)
        turn += 1


def written_by_one(rows: Sequence[PackedRows], table: str, size: int, folder: str) -> Written:
    """A part of so many bytes of packed rows."""
    return write_part((table, 0), repeated(rows, size), WriteSettings(Path(folder).as_uri(), max_part_bytes=MAX_PART_BYTES))


def in_parquet(rows: Sequence[PackedRows], table: str) -> float:
    """Bytes of a file by packed bytes; rows that are repeated would take less."""
    with tempfile.TemporaryDirectory() as folder:
        size = sum(part.size for part in written_by_one(rows, table, 1, folder).parts)
        empty = sum(part.size for part in write_part((table, 0), [], WriteSettings(Path(folder).as_uri())).parts)
    return (size - empty) / sum(len(data) for _, data in rows)


def record_of(files: dict[str, int], shards: int) -> int:
    """Bytes of the record of a job that has written so many files a shard of each table."""
    summary = Summary(documents=10**7, pages=10**8, statuses=Counter(ok=10**7, failed=10**4), reasons=Counter(damaged=10**4))
    summary.failures = [(MESSAGE, "password_needed", MESSAGE)] * MAX_LISTED
    stage = "s3://archive/tables/2026/_pdfmill/stage/20261122T204200000000Z-1f2e3d4c"
    parts = [
        Part(table, f"{stage}/{table}/part-{shard:05d}-of-{shards:05d}.{piece}.parquet", MAX_PART_BYTES, 10**5, "0123456789abcdef")
        for table, pieces in files.items()
        for shard in range(shards)
        for piece in range(1, pieces + 1)
    ]
    run = RunFile("2026-11-22T20:42:00+00:00", 3600.0, "0.1.0", "FlinkRunner", ["s3://archive/2026/"])
    return len(Written(summary, parts).text()) + len(str(run.told()))


def _one_part(argv: Sequence[str]) -> int:
    """In a process of its own: write a part, say how much memory that took, and the files' sizes."""
    table, size, *sources = argv
    rows = rows_of(sources)
    before = resource.getrusage(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        written = written_by_one(rows.packed[table], table, int(size), folder)
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(own_peak_mb(), round(cpu, 1), *(part.size for part in written.parts))
    return 0


def part_in_a_process(table: str, size: int, sources: Sequence[str]) -> tuple[int, float, list[int]]:
    """Peak of memory in MB, seconds of CPU, and bytes of each file."""
    command = [sys.executable, "-m", "benchmarks.last_steps", "--one", table, str(size), *sources]
    peak, cpu, *sizes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(peak), float(cpu), [int(each) for each in sizes]


def lines(rows: Rows, sources: Sequence[str], pages: int, shards: int, size: int) -> Iterator[str]:
    """The report."""
    files: dict[str, int] = {}
    for table in TABLE_NAMES:
        a_part = rows.bytes_a_page(table) * pages / shards if table in rows.packed else 0.0
        files[table] = max(1, math.ceil(a_part / MAX_PART_BYTES))
        if a_part:
            told = f"{rows.bytes_a_page(table):8,.0f} bytes a page packed, {a_part / 1e6:10,.0f} MB a part"
            large = a_part / files[table] * in_parquet(rows.packed[table], table)
            yield f"{table:10} {told}, {files[table]} files of {large / 1e6:,.0f} MB"
    for each in (size // SMALLER, size):
        peak, cpu, sizes = part_in_a_process("pages", each, sources)
        told = ", ".join(f"{one / 1e6:,.0f}" for one in sorted(sizes))
        yield f"a part of `pages` of {each / 1e6:,.0f} MB packed: {peak} MB of memory, {1e9 * cpu / each:.0f} s of CPU a GB"
        yield f"  in files of {told} MB"
    yield f"{sum(files.values()) * shards:,} files; the command reads {record_of(files, shards) / 1e6:.2f} MB of records at the end"


def main(argv: Iterable[str] | None = None) -> int:
    """Print the report."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--one"]:
        return _one_part(words[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--pages", type=int, default=100_000_000)
    parser.add_argument("--shards", type=int, default=SHARDS)
    parser.add_argument("--gb", type=float, default=2.0, help="packed rows of the larger part")
    args = parser.parse_args(words)
    for line in lines(rows_of(args.sources), args.sources, args.pages, args.shards, int(args.gb * 1e9)):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
