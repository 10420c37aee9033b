"""What a run did, as people read it: for the end of `index`, and for `report`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct, field, to_builtins

from pdfmill.schemas.public import with_name, without_secrets
from pdfmill.transforms.storage.objects import join_uri
from pdfmill.transforms.tables.output_layout import RUN_FILE, read_if_there
from pdfmill.transforms.tables.write_summary import Summary

#: Fields that files of older versions lack.
_LATER: Final = frozenset({"slowest"})


class RunFile(Struct):
    """What only the run itself knows. seconds: wall time. version: of pdfmill. sources: as given, without logins. slowest: documents that
    took longest, with their `source_uri` and `seconds`; of a run on one machine."""

    started: str
    seconds: float
    version: str
    runner: str
    sources: list[str]
    slowest: list[dict[str, Any]] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """The content of the file: people read it, so it holds no login."""
        return {**to_builtins(self), "sources": [without_secrets(source) for source in self.sources]}

    @staticmethod
    def load(output: str) -> RunFile | None:
        """The last run's file, None where there is none, or one that pdfmill did not write."""
        text = read_if_there(join_uri(output, RUN_FILE))
        return None if text is None else RunFile.of(text)

    @staticmethod
    def of(text: bytes) -> RunFile | None:
        """The file's content; None when pdfmill did not write it."""
        try:
            found = json.loads(text)
        except ValueError:
            return None
        names = set(RunFile.__struct_fields__)
        if not isinstance(found, dict) or not found.keys() >= names - _LATER:
            return None
        return RunFile(**{name: found[name] for name in names if name in found})


def summary_lines(summary: Summary, run: RunFile | None) -> Iterator[str]:
    """The report as lines for a terminal."""
    embedded = f" and {summary.embedded:,} embedded in them" if summary.embedded else ""
    speed = f" in {run.seconds:.1f} s ({summary.pages / run.seconds:,.0f} pages/s)" if run and run.seconds else ""
    yield f"{summary.documents:,} documents{embedded}, {summary.pages:,} pages, {summary.source_bytes / 1e6:,.1f} MB{speed}"
    yield "status    " + ", ".join(f"{status} {count:,}" for status, count in sorted(summary.statuses.items()))
    if summary.reasons:
        yield "reasons   " + ", ".join(f"{code} {count:,}" for code, count in summary.reasons.most_common())
    if summary.warnings:
        yield "warnings  " + ", ".join(f"{code} {count:,}" for code, count in sorted(summary.warnings.items()))
    yield "tables    " + ", ".join(
        f"{name} {rows:,} rows ({summary.table_bytes[name] / 1e6:,.2f} MB)" for name, rows in summary.rows.items()
    )
    yield from failure_lines(summary)


def failure_lines(summary: Summary) -> Iterator[str]:
    """The first documents that are not ok, each with its reason."""
    for uri, code, message in summary.failures:
        yield f"  {code}: {with_name(message, uri)}"
    if summary.bad > len(summary.failures):
        yield f"  ... and {summary.bad - len(summary.failures):,} more: see documents where status != 'ok'"
