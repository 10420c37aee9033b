"""The last steps of a large job, at the size of 100 million pages: parts, memory of who writes them, what the command reads at the end.

    python -m benchmarks.last_steps PDF_OR_FOLDER... [--pages 100000000] [--shards 0]

The documents are listed and read once, and repeated. How many shards that gives is worked out as a job does it (`transforms.tables.shards`)
or given. Then the parts of a shard, one of each table, are written at their full size by a process of their own, with the parcels in memory
as Flink has them, and those of a shard `LARGER` times as large, as where the estimate is off. The record of all files, which is what the
command reads at the end of a job, is made and measured.
"""

from __future__ import annotations

import argparse
import gzip
import math
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from benchmarks.processes import own_peak_mb
from pdfmill.pipeline.options.options import job_settings, parse_index
from pdfmill.pipeline.run.staging import MAX_PART_BYTES
from pdfmill.pipeline.run.summary import RunFile
from pdfmill.schemas.records import TABLE_NAMES, PackedRows, Parcel
from pdfmill.transforms.road.guarded_road import sizes_of, unguarded, walk
from pdfmill.transforms.storage.sources import absolute_source, list_sources
from pdfmill.transforms.tables.packed_rows import parcel, write_shard
from pdfmill.transforms.tables.parts import write_part
from pdfmill.transforms.tables.shards import Listed, Listing, Sizes, count_in, shards_for, size_class
from pdfmill.transforms.tables.write_settings import WriteSettings
from pdfmill.transforms.tables.write_summary import MAX_LISTED, Part, Summary, Written

#: By how much the larger shard is larger.
LARGER: Final = 2.5
#: What a failure's message takes in the record: an address and a sentence.
MESSAGE: Final = "s3://archive/2026/11/22/a-report-of-some-length.pdf: the document is encrypted and needs a password; none of 12 opened it"


@dataclass(slots=True)
class Rows:
    """Packed rows of some documents, by table and as parcels, and their pages. listing: the documents. read: bytes of `pages` by size
    class."""

    pages: int
    packed: dict[str, list[PackedRows]]
    parcels: list[Parcel]
    listing: Listing
    read: dict[int, list[Sizes]]

    def bytes_a_page(self, table: str) -> float:
        """Packed."""
        return sum(len(data) for _, data in self.packed[table]) / self.pages

    def shards(self, pages: int) -> int:
        """Of an archive of so many pages of documents like these."""
        times = pages / self.pages
        many = {size: Listed(round(each.count * times), round(each.size * times)) for size, each in self.listing.items()}
        return shards_for(many, self.read).documents


def rows_of(sources: Sequence[str]) -> Rows:
    """The rows of documents of one range of pages; what the parts of books are made of is the same."""
    flags, _ = parse_index(["-", "--output", "memory", "--no_isolation"])
    job = job_settings(flags, "part", 1)
    packed: dict[str, list[PackedRows]] = defaultdict(list)
    parcels: list[Parcel] = []
    pages, listing, read = 0, Listing(), defaultdict[int, list[Sizes]](list)
    for ref in list_sources(absolute_source(source) for source in sources):
        count_in(listing, ref)
        walked = list(walk(ref, job, unguarded))
        read[size_class(ref)].append(sizes_of(walked))
        for found in walked:
            pages += found.pages if found.book is None else 0
            parcels += [parcel(found.rows)] if found.rows else []
            for (table, _), rows in found.rows:
                packed[table].append(rows)
    return Rows(pages, dict(packed), parcels, listing, dict(read))


def repeated(parcels: Sequence[Parcel], size: int) -> Iterator[Parcel]:
    """The parcels again and again until they are so many bytes, each a copy of its own."""
    given = 0
    while given < size:
        for doc_id, data in parcels:
            yield doc_id, bytes(bytearray(data))
            given += len(data)


def written_by_one(rows: Sequence[PackedRows], table: str, folder: str) -> Written:
    """A part of these packed rows."""
    return write_part((table, 0), rows, WriteSettings(Path(folder).as_uri(), max_part_bytes=MAX_PART_BYTES))


def in_parquet(rows: Sequence[PackedRows], table: str) -> float:
    """Bytes of a file by packed bytes, of rows once: those that are repeated take less."""
    with tempfile.TemporaryDirectory() as folder:
        size = sum(part.size for part in written_by_one(rows, table, folder).parts)
        empty = sum(part.size for part in written_by_one([], table, folder).parts)
    return (size - empty) / sum(len(data) for _, data in rows)


def record_of(files: dict[str, int], shards: int) -> int:
    """Bytes of the record of a job that has written so many files a shard of each table."""
    summary = Summary(documents=10**7, pages=10**8, statuses=Counter(ok=10**7, failed=10**4), reasons=Counter(damaged=10**4))
    summary.failures = [(MESSAGE, "password_needed", MESSAGE)] * MAX_LISTED
    stage = "s3://archive/tables/2026/_pdfmill/stage/20261122T204200000000Z-1f2e3d4c"
    parts = [
        _part(table, f"{stage}/{table}/part-{shard:05d}-of-{shards:05d}.{piece}.parquet")
        for table, pieces in files.items()
        for shard in range(shards)
        for piece in range(1, pieces + 1)
    ]
    run = RunFile("2026-11-22T20:42:00+00:00", 3600.0, "0.1.0", "FlinkRunner", ["s3://archive/2026/"])
    return len(gzip.compress(Written(summary, parts).text(), mtime=0)) + len(str(run.told()))


def _part(table: str, uri: str) -> Part:
    """One whose figures are like no other's."""
    told = sha256(uri.encode()).hexdigest()
    return Part(table, uri, int(told[:7], 16), int(told[7:11], 16), told[:16])


def _one_part(argv: Sequence[str]) -> int:
    """In a process of its own: write the parts of a shard, say how much memory that took, and the files' sizes."""
    size, *sources = argv
    group = list(repeated(rows_of(sources).parcels, int(size)))  # as Flink gives it, whole
    before = resource.getrusage(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        written = write_shard(0, group, WriteSettings(Path(folder).as_uri(), max_part_bytes=MAX_PART_BYTES))
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(own_peak_mb(), round(cpu, 1), *(part.size for part in written.parts))
    return 0


def shard_in_a_process(size: int, sources: Sequence[str]) -> tuple[int, float, list[int]]:
    """Peak of memory in MB, seconds of CPU, and bytes of each file. size: of all parcels."""
    command = [sys.executable, "-m", "benchmarks.last_steps", "--one", str(size), *sources]
    peak, cpu, *sizes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(peak), float(cpu), [int(each) for each in sizes]


def lines(rows: Rows, sources: Sequence[str], pages: int, shards: int) -> Iterator[str]:
    """The report."""
    shards = shards or rows.shards(pages)
    yield f"{pages:,} pages: {shards:,} shards"
    files: dict[str, int] = {}
    for table in TABLE_NAMES:
        a_part = rows.bytes_a_page(table) * pages / shards if table in rows.packed else 0.0
        files[table] = max(1, math.ceil(a_part / MAX_PART_BYTES))
        if a_part:
            yield f"{table:10} {rows.bytes_a_page(table):8,.0f} bytes a page packed, {a_part / 1e6:10,.1f} MB a part"
            large = a_part / files[table] * in_parquet(rows.packed[table], table)
            yield f"  files of {large / 1e6:,.0f} MB"
    a_page = sum(len(data) for _, data in rows.parcels) / rows.pages
    yield f"{'parcels':10} {a_page:8,.0f} bytes a page"
    for times in (1.0, LARGER):
        size = int(times * a_page * pages / shards)
        yield f"  a shard of {size / 1e6:,.0f} MB; {_told(shard_in_a_process(size, sources))}"
    yield f"{sum(files.values()) * shards:,} files; the command reads {record_of(files, shards) / 1e6:.2f} MB of records at the end"


def _told(written: tuple[int, float, list[int]]) -> str:
    peak, cpu, sizes = written
    return f"written in {peak} MB of memory and {cpu:.0f} s of CPU, files: {len(sizes)}"


def main(argv: Iterable[str] | None = None) -> int:
    """Print the report."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--one"]:
        return _one_part(words[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--pages", type=int, default=100_000_000)
    parser.add_argument("--shards", type=int, default=0, help="0: as a job finds them out")
    args = parser.parse_args(words)
    for line in lines(rows_of(args.sources), args.sources, args.pages, args.shards):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
