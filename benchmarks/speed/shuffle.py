"""Bytes that cross between the steps, per page: what an engine's shuffle carries.

    python -m benchmarks.speed.shuffle PDF_OR_FOLDER...

Every GroupByKey of the job gets a count before it, which encodes the elements with the coder that the engine would use.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
from apache_beam import coders
from apache_beam.metrics import Metrics
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.transforms import util

from pdfmill.pipeline.engine.graph import index_documents
from pdfmill.pipeline.options.options import job_settings, parse_index
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.storage.sources import absolute_source, list_sources

_Group = beam.GroupByKey


class _Count(beam.DoFn):
    """Counts the encoded bytes of what passes, under the name of the step."""

    def __init__(self, coder: coders.Coder, step: str) -> None:
        self._coder = coder
        self._bytes = Metrics.counter("shuffle", step)

    def process(self, element: Any) -> Iterator[Any]:
        self._bytes.inc(len(self._coder.encode(element)))
        yield element


class _TappedGroup(beam.PTransform[Any, Any]):
    """A GroupByKey with a count before it."""

    def expand(self, elements: beam.PCollection[Any]) -> Any:
        step = elements.producer.full_label
        coder = coders.registry.get_coder(elements.element_type)
        return elements | "Count" >> beam.ParDo(_Count(coder, step)).with_output_types(elements.element_type) | "Group" >> _Group()


@contextmanager
def tapped() -> Iterator[None]:
    """Let every GroupByKey and CoGroupByKey built meanwhile be counted. Beam's combiner keeps its own."""
    beam.GroupByKey = util.GroupByKey = _TappedGroup
    try:
        yield
    finally:
        beam.GroupByKey = util.GroupByKey = _Group


def shuffled(documents: Iterable[DocumentRef]) -> tuple[dict[str, int], int]:
    """Bytes by step, and the number of pages."""
    with tempfile.TemporaryDirectory() as output:
        flags, _ = parse_index(["-", "--output", output])
        pipeline = beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"]))
        refs = pipeline | beam.Create(list(documents), reshuffle=False) | "Redistribute" >> Redistribute(lambda ref: str(ref.doc_id))
        index_documents(refs, job_settings(flags, "part", 1))
        counters = pipeline.run().metrics().query()["counters"]
        pages = table_rows(output, "pages")
    found = {each.key.metric.name: each.committed for each in counters if each.key.metric.namespace == "shuffle"}
    return found, pages


def table_rows(output: str, table: str) -> int:
    """Rows of a table in a local folder."""
    return sum(pq.read_metadata(part).num_rows for part in Path(output, table).glob("*.parquet"))


def main(argv: Sequence[str]) -> int:
    """Print the table."""
    with tapped():
        found, pages = shuffled(list_sources(absolute_source(source) for source in argv))
    for step, size in sorted(found.items(), key=lambda each: -each[1]):
        print(f"{size / pages:10,.0f} bytes per page  {step}")
    print(f"{sum(found.values()) / pages:10,.0f} bytes per page in all, {pages:,} pages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
