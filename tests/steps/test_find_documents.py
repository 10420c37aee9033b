import apache_beam as beam
from apache_beam.testing.test_pipeline import TestPipeline as BeamTestPipeline
from apache_beam.testing.util import assert_that, equal_to

from pdfmill.transforms.steps.find_documents import FindDocuments


def test_each_object_comes_once_whatever_names_it(tmp_path):
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-")
    (tmp_path / "list.txt").write_text(f"{tmp_path}/a.pdf\n{tmp_path}/gone.pdf\n")
    sources = [str(tmp_path), str(tmp_path / "a.pdf"), f"@{tmp_path}/list.txt", f"@{tmp_path}/no-list.txt"]
    with BeamTestPipeline("FnApiRunner") as pipeline:
        found = (
            pipeline
            | beam.Create(sources)
            | FindDocuments()
            | beam.Map(lambda ref: (ref.uri.rsplit("/", 1)[1], ref.failure and ref.failure.code))
        )
        assert_that(found, equal_to([("a.pdf", None), ("b.pdf", None), ("gone.pdf", "not_found"), ("no-list.txt", "not_found")]))
