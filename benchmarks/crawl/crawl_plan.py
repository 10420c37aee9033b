"""What the plan of a night costs, of so many objects that nearly all stay: CPU and peak memory of the process that makes it.

    python -m benchmarks.crawl.crawl_plan FOLDER --objects 10000000

The parts of `sources` are made as a crawl writes them, with signatures of texts, all alike here, that the plan does not need. A listing
is made up beside them, of which one object in a hundred has changed, half a per cent is gone and one per cent is new. Parts that are there
stay, so that it can be stopped and goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from benchmarks.speed.processes import own_peak_mb
from pdfmill.pipeline.crawl import plan as plans
from pdfmill.pipeline.crawl.crawl_parts import write_table_part
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.flow_on_disk import DiskFlow
from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.schemas.crawl import CRAWL_TABLES
from pdfmill.schemas.records import DocumentRef, object_id
from pdfmill.transforms.delta.delta_log import PartFile, load_snapshot, part_path
from pdfmill.transforms.delta.delta_log import commit as make_snapshot

_NOW: Final = datetime(2026, 11, 22, tzinfo=UTC)
_RUN: Final = "20261121T020000000000Z-00000000"
#: Objects of a part: what upkeep makes of many runs.
_OF_A_PART: Final = 50_000
_PLACES: Final = 64
_BUCKET: Final = "s3://bucket/"


def objects(first: int, end: int, changed: int = 0) -> Iterator[DocumentRef]:
    """Objects by number. changed: one in so many has another etag."""
    for number in range(first, end):
        etag = "new" if changed and number % changed == 0 else "old"
        uri = f"{_BUCKET}in/{number // 1000:05d}/{number:08d}.pdf"
        yield DocumentRef(object_id(uri), uri, etag=f"{etag}-{number:024x}", size=1000 + number)


def write_states(folder: Path, count: int) -> None:
    """Parts of `sources`, and the snapshot that shows them."""
    shape, files = CRAWL_TABLES["sources"], []
    for begin in range(0, count, _OF_A_PART):
        refs = list(objects(begin, min(begin + _OF_A_PART, count)))
        stem, size = f"{_RUN}-{begin // _OF_A_PART:05d}", len(refs)
        path = folder / part_path("sources", stem)
        if not path.exists():
            ids = pa.array([ref.doc_id for ref in refs])
            told: dict[str, Any] = {
                "doc_id": ids, "root_doc_id": ids, "source_uri": [ref.uri for ref in refs], "source_etag": [ref.etag for ref in refs],
                "source_size": [ref.size for ref in refs], "source_checksum": [ref.etag for ref in refs], "content_sha256": ids,
                "status": pa.repeat("ok", size), "page_count": pa.repeat(pa.scalar(3, pa.int32()), size),
                "attempts": pa.repeat(pa.scalar(0, pa.int32()), size), "config_signature": pa.repeat("signature", size),
                "read_at": pa.repeat(pa.scalar(_NOW, pa.timestamp("us", tz="UTC")), size),
                "minhash": pa.ListArray.from_arrays(
                    np.arange(0, (size + 1) * _PLACES, _PLACES, dtype=np.int32), np.zeros(size * _PLACES, np.int64)
                ),
            }  # fmt: skip
            columns = [pa.array(told[each.name], each.type) if each.name in told else pa.nulls(size, each.type) for each in shape]
            write_table_part(str(folder), "sources", stem, pa.table(columns, schema=shape))
        files.append(PartFile.of("sources", stem, path.stat().st_size, size))
    if load_snapshot(str(folder)).version < 0:
        make_snapshot(str(folder), load_snapshot(str(folder)), files, [], {"run": _RUN})


def plan_night(folder: Path, count: int) -> dict[str, Any]:
    """The plan over the last snapshot and a listing that is made up: kinds, seconds of CPU, peak in MB."""
    gone = count // 200
    listed = objects(gone, count + 2 * gone, changed=100)
    plans.list_item = lambda *_: listed  # type: ignore[assignment]
    crawl, policy = CrawlRun(str(folder), "20261122T020000000000Z-00000001", "signature", _NOW, 1), Policy("signature", _NOW)
    begin = time.process_time()
    with DiskFlow() as flow:
        unchanged = plans.unchanged_before(crawl, policy)
        planned = plans.plan(flow, flow.given("sources", [(_BUCKET, _BUCKET)]), crawl, policy, unchanged)
        kinds = planned.summary.value.kinds
    return {"kinds": kinds, "seconds": round(time.process_time() - begin, 1), "peak_mb": own_peak_mb()}


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.crawl.crawl_plan")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--objects", type=int, default=10_000_000)
    parser.add_argument(
        "--make", action="store_true", help="only make the parts: a plan measured in the same process counts their memory too"
    )
    flags = parser.parse_args(argv)
    if flags.make:
        write_states(flags.folder, flags.objects)
    else:
        print(json.dumps(plan_night(flags.folder, flags.objects)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
