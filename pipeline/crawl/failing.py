"""What is not ok in the last snapshot of a crawl, and since when: for a person, as JSON, as a list that is a source again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from pipeline.crawl.report import told_of
from transforms.snapshots.decide import DELETED
from transforms.snapshots.delta_log import load_snapshot
from transforms.snapshots.parts import read_stale, read_states
from transforms.snapshots.runs import STALE, Failed

#: Begin the addresses of what lies in another file: no list of sources can name it alone.
_INSIDE = ("warc+", "parquet+")


def failing(output: str) -> list[Failed]:
    """Every document that is not ok, or stale, longest first.

    Raises:
        transforms.storage.errors.SourceError: the snapshot cannot be read.
    """
    base = load_snapshot(output)
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


def failing_lines(found: Iterable[Failed]) -> Iterator[str]:
    """A line for each document; the last one sums up."""
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
    """As JSON: a list of uri, status, error_code, since."""
    return json.dumps([told_of(each) for each in found], indent=1) + "\n"


def failing_list(found: Iterable[Failed]) -> str:
    """As a list for `@FILE`: each object once; of archives and Parquet files the file."""
    uris = {
        each.uri.removeprefix("warc+").removeprefix("parquet+").partition("#")[0] if each.uri.startswith(_INSIDE) else each.uri
        for each in found
    }
    return "".join(f"{uri}\n" for uri in sorted(uris))
