"""Rows of a pipeline to a real engine."""

from __future__ import annotations

import os

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from pdfmill.transforms.steps.write_to_sink import WriteToSink
from pdfmill.transforms.tables.sinks.sink import SinkError
from tests.sinks.help import ask, held_by


@pytest.mark.servers
def test_rows_of_a_pipeline_are_shown_when_all_are_in(opensearch):
    alias = f"beam-{os.getpid()}"
    rows = [{"id": f"{number}", "doc_id": "d", "page": number, "text": f"text {number}", "language": "en"} for number in range(30)]
    for _ in range(2):
        with beam.Pipeline(runner="DirectRunner") as pipeline:
            refused = (
                pipeline
                | beam.Create([*rows, {"id": "x", "doc_id": "d", "page": "none"}])
                | WriteToSink(f"opensearch+{opensearch}/{alias}", "pages")
            )
            assert_that(refused | beam.Map(lambda each: (each.row["id"], each.status)), equal_to([("x", 400)]))
        assert {key: row["page"] for key, row in held_by(opensearch, alias).items()} == {row["id"]: row["page"] for row in rows}
    assert len(ask(opensearch, f"{alias}-*/_mapping")) == 1, "the index of the run before is gone"
    ask(opensearch, f"{alias}-*", method="DELETE")


def test_a_file_is_no_target_for_workers_elsewhere():
    with pytest.raises(SinkError, match="workers on other machines cannot write this file"):
        WriteToSink("ndjson:rows", "pages")
