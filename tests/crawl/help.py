"""What the tests of crawls share: documents, runs in processes of their own, and the snapshot as a reader without our code sees it."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import deltalake
import pyarrow as pa
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli.main import run
from pdfmill.schemas.crawl import SNAPSHOT
from pdfmill.schemas.tables import TABLES, key_of

_KEYS = {table: list(key_of(table)) for table in TABLES}


def tiny(text: str, pages: int = 1) -> bytes:
    """A small PDF."""
    sink = io.BytesIO()
    canvas = Canvas(sink, invariant=1)
    for number in range(1, pages + 1):
        canvas.drawString(72, 700, f"{text}, page {number} of {pages}: the archive keeps every letter that was ever sent")
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


@dataclass
class Crawl:
    """A configuration on disk and what is run with it."""

    path: Path
    source: str
    output: str

    def command(self, *flags: str) -> list[str]:
        return [sys.executable, "-m", "pdfmill", "crawl", str(self.path), *flags]

    def report(self, *flags: str) -> dict:
        """The report of a run."""
        file = self.path.with_suffix(".json")
        file.unlink(missing_ok=True)
        code = run(["crawl", str(self.path), *flags, "--report", str(file)])
        report = json.loads(file.read_text())
        assert report["exit_code"] == code
        return report


def configure(folder: Path, source: str, output: str, *, crawl: str = "", options: str = "batch_documents = 20") -> Crawl:
    """Write a configuration; documents are read in the process itself, which tests need not protect."""
    path = folder / "crawl.toml"
    path.write_text(f'sources = ["{source}"]\noutput = "{output}"\n[crawl]\n{crawl}\n[options]\nno_isolation = true\n{options}\n')
    return Crawl(path, source, output)


def storage_options() -> dict[str, str]:
    """For delta-rs, which has names of its own for what AWS clients read."""
    return {
        "AWS_ENDPOINT_URL": os.environ.get("AWS_ENDPOINT_URL_S3", ""),
        "AWS_ACCESS_KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID", ""),
        "AWS_SECRET_ACCESS_KEY": os.environ.get("AWS_SECRET_ACCESS_KEY", ""),
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }


def open_table(output: str, version: int | None = None) -> deltalake.DeltaTable:
    """The table as any Delta reader opens it."""
    options = storage_options() if output.startswith("s3://") else {}
    return deltalake.DeltaTable(output, version=version, storage_options=options)


def one_table(output: str, table: str, version: int | None = None) -> pa.Table:
    """All columns of one table of a snapshot."""
    return scanned(output, table, version)


def scanned(output: str, table: str, version: int | None = None, columns: list[str] | None = None) -> pa.Table:
    """Rows of one table of a snapshot, by delta-rs, with the types of the schema."""
    reader = open_table(output, version).scan(columns=columns, predicate=f"table_name = '{table}'")
    rows = pa.RecordBatchReader.from_stream(reader).read_all()
    return rows.cast(pa.schema([SNAPSHOT.field(name).remove_metadata() for name in rows.column_names]))


def snapshot_tables(output: str, version: int | None = None) -> dict[str, pa.Table]:
    """The tables as `tests.invariants` wants them."""
    tables = {}
    for table, schema in TABLES.items():
        rows = scanned(output, table, version, schema.names)
        tables[table] = (
            rows.cast(pa.schema([each.with_nullable(True) for each in schema]))
            .cast(schema)
            .sort_by([(key, "ascending") for key in _KEYS[table]])
        )
    return tables


def opened(log: Path, since: int) -> list[str]:
    """Keys of PDFs whose bytes were asked for, from the server's access log."""
    lines = log.read_text().splitlines()[since:]
    return [found[1] for line in lines if (found := re.search(r" s3_GetObject (\S+\.pdf) ", line))]


def log_length(log: Path) -> int:
    """Lines so far."""
    return len(log.read_text().splitlines())
