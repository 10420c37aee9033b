"""List the documents of a crawl's last snapshot that are not ok, and since when: for people, as JSON, or as a list of sources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

import pyarrow.parquet as pq

from pdfmill.pipeline.crawl.crawl_parts import read_stale, read_states
from pdfmill.pipeline.crawl.decide import DELETED
from pdfmill.pipeline.crawl.report import told_of
from pdfmill.pipeline.crawl.runs import STALE, Failed
from pdfmill.transforms.delta.delta_log import load_snapshot
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import look_up, open_file
from pdfmill.transforms.tables.output_layout import published_parts

#: Begin the addresses of what lies in another file: no list of sources can name it alone.
_INSIDE = ("warc+", "parquet+")


def failing(output: str) -> list[Failed]:
    """Return every document that is not ok, or stale, the longest failing first.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the snapshot cannot be read.
    """
    base = load_snapshot(output)
    if base.version < 0:
        return _failing_of_index(output)
    found = [
        Failed(state.uri, state.status, state.error_code, state.failed_since)
        for file in base.of("sources")
        for state in read_states(output, file.stem, file.vector)
        if state.status not in ("ok", DELETED)
    ]
    found += [
        Failed(each.uri, STALE, each.error_code, each.failed_since)
        for file in base.of("stale")
        for each in read_stale(output, file.stem, file.vector)
    ]
    return sorted(found, key=lambda each: (each.since is not None, each.since, each.uri))


def _failing_of_index(output: str) -> list[Failed]:
    """Return the same for tables of `pdfmill index`, which have no times. Raises SourceError if there are none."""
    parts = [uri for table, uri in published_parts(output) if table == "documents"]
    if not parts:
        raise SourceError("not_found", f"{output} holds no documents table and no crawl")
    found = []
    for uri in parts:
        with open_file(look_up(uri)) as file:
            rows = pq.read_table(file, columns=["source_uri", "status", "error_code"]).to_pylist()
        found += [Failed(row["source_uri"], row["status"], row["error_code"], None) for row in rows if row["status"] != "ok"]
    return sorted(found, key=lambda each: each.uri)


def failing_lines(found: Iterable[Failed]) -> Iterator[str]:
    """Return a line for each document, and a summary line."""
    counted: Counter[str] = Counter()
    for each in found:
        counted[f"{each.status} {each.error_code}"] += 1
        yield (
            f"{each.since:%Y-%m-%d %H:%M}  {each.status:9} {each.error_code or '':20} {each.uri}"
            if each.since
            else (f"{'':16}  {each.status:9} {each.error_code or '':20} {each.uri}")
        )
    yield ", ".join(f"{count:,} {name}" for name, count in counted.most_common()) or "nothing fails"


def failing_json(found: Iterable[Failed]) -> str:
    """Return JSON: a list of uri, status, error_code, since."""
    return json.dumps([told_of(each) for each in found], indent=1) + "\n"


def failing_list(found: Iterable[Failed]) -> str:
    """Return a list for `@FILE`, each object once; for objects in archives and Parquet files the file."""
    return "".join(f"{uri}\n" for uri in sorted({listable(each.uri) for each in found}))


def listable(uri: str) -> str:
    """Return the address of an object for a list of sources; for one in an archive or a Parquet file, that of the file.

    >>> listable("warc+s3://b/a.warc.gz#offset=7&length=9")
    's3://b/a.warc.gz'
    """
    return uri.partition("+")[2].partition("#")[0] if uri.startswith(_INSIDE) else uri
