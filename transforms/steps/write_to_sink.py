"""Send rows from your own Beam pipeline to a search engine: exported rows (`transforms.tables.sinks.fields`), or others with `id` and
`doc_id`.

 refused = rows | WriteToSink("opensearch+https://user@host:9200/index", "sections")

Targets are the servers of `pdfmill export`. Rows go to a new index, to which the alias is switched when all are written. A repeated bundle
overwrites its own rows."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from typing import Final

import apache_beam as beam
from apache_beam.pvalue import AsIter
from msgspec import Struct

from pdfmill.schemas.records import Row
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.tables.sinks.fields import form_of
from pdfmill.transforms.tables.sinks.sink import SINKS, Cursor, Refusal, Sink, SinkError, Target, open_sink, parse_target

#: Number of rows that are passed to the sink at once; it splits them into requests by size.
BATCH_ROWS: Final = 1000


class _Place(Struct, frozen=True):
    """The target of the rows, and the cursor (state of the exported table) that it will have."""

    target: Target
    cursor: Cursor

    def begun(self) -> Sink:
        """Return the open target, ready for rows. The first worker that calls this creates the index."""
        sink = open_sink(self.target)
        sink.begin(self.cursor)
        return sink


class _Put(beam.DoFn):
    def __init__(self, place: _Place) -> None:
        self._place = place
        self._metrics = StepMetrics("write_to_sink")
        self._waiting: list[Row] = []

    def setup(self) -> None:
        self._sink = self._place.begun()

    def start_bundle(self) -> None:
        self._waiting = []

    def process(self, element: Row) -> Iterator[Refusal]:
        self._waiting.append(element)
        if len(self._waiting) == BATCH_ROWS:
            yield from self._put()

    def finish_bundle(self) -> Iterator[beam.utils.windowed_value.WindowedValue]:
        for refusal in self._put():
            yield beam.transforms.window.GlobalWindows.windowed_value(refusal)

    def _put(self) -> Iterator[Refusal]:
        rows, self._waiting = self._waiting, []
        if rows:
            yield from self._metrics.measure(self._refused(rows), taken=len(rows))

    def _refused(self, rows: list[Row]) -> Iterator[Refusal]:
        refused = self._sink.put(rows)
        self._metrics.failed(len(refused))
        yield from refused

    def teardown(self) -> None:
        self._sink.close()


class _Commit(beam.DoFn):
    def __init__(self, place: _Place) -> None:
        self._place = place

    def process(self, _element: None, refused: Iterable[int]) -> None:
        sum(refused)  # all rows are put when all refusals are known
        sink = self._place.begun()
        try:
            sink.commit()
        finally:
            sink.close()


@beam.typehints.with_input_types(Row)
@beam.typehints.with_output_types(Refusal)
class WriteToSink(beam.PTransform[Row, Refusal]):
    """Write a bounded collection of rows to a new index of a server, and return the rows that the server refused. target: the index, as
    `NAME+https://user@host:port/index`. table: the pdfmill table to which the rows belong.

    Raises:
        pdfmill.transforms.tables.sinks.sink.SinkError: the target has no valid form, or is a file, which workers do not share.
    """

    def __init__(self, target: str, table: str) -> None:
        super().__init__()
        found = parse_target(target)
        if not SINKS[found.name].server:
            raise SinkError(f"{target}: workers on other machines cannot write this file; name a server, or use `pdfmill export`")
        self._place = _Place(found, Cursor(uuid.uuid4().hex, table, -1, form_of(table)))

    def expand(self, rows: beam.PCollection[Row]) -> beam.PCollection[Refusal]:
        refused = rows | "Put" >> beam.ParDo(_Put(self._place))
        counted = refused | "Count" >> beam.combiners.Count.Globally()
        _ = rows.pipeline | beam.Create([None]) | "Commit" >> beam.ParDo(_Commit(self._place), AsIter(counted))
        return refused
