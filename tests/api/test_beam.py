"""`pdfmill.beam` refuses what cannot work when the pipeline is made; docs/python.md runs the rest."""

from pathlib import Path

import pytest
from apache_beam.yaml import main as beam_yaml

import pdfmill
from pdfmill.beam import ReadPdfs, StructurePdfs, TableRows, WriteParquet
from tests.pdf.make import make_pdf

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: StructurePdfs(max_page=1), "max_page"),
        (lambda: TableRows("page"), "no table 'page'; there are documents, pages"),
        (lambda: WriteParquet("out", shards=0), "at least 1"),
        (lambda: ReadPdfs(["in/"], "page"), "no table 'page'"),
        (lambda: ReadPdfs(["in/"], "pages", ["words"]), "pages has no column 'words' of plain values; there are doc_id, page"),
        (lambda: ReadPdfs(["in/"], max_page=1), "max_page"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_made(make, told):
    with pytest.raises(pdfmill.PdfmillError, match=told) as refused:
        make()
    assert refused.value.code == "usage"


def test_a_pipeline_in_beam_yaml_reads_pdfs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("samples").mkdir()
    Path("samples/a.pdf").write_bytes(make_pdf(pages=1))
    Path("pipeline.yaml").write_text((EXAMPLES / "headings.yaml").read_text(encoding="utf-8").replace('"heading"', '"paragraph"'))
    beam_yaml.run(["--yaml_pipeline_file=pipeline.yaml", "--runner=FnApiRunner"])
    assert [path.read_text() for path in tmp_path.glob("headings.txt*")] == ["Hello 1\n"]
