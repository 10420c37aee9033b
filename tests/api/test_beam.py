"""`pdfmill.beam` refuses what cannot work when the pipeline is made; docs/python.md runs the rest."""

import apache_beam as beam
import pytest

import pdfmill
from pdfmill.beam import FindPdfs, ReadPdfs, StructurePdfs, TableRows, WriteParquet


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: StructurePdfs(max_page=1), "there is no flag 'max_page'; did you mean max_pages?"),
        (lambda: StructurePdfs(nope=1), "there is no flag 'nope'$"),
        (lambda: StructurePdfs(output="out"), "output is a flag of pdfmill index"),
        (lambda: ReadPdfs(["in/"], workers=3), "workers is a flag of pdfmill index"),
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


def test_a_pipeline_may_take_the_rows_of_several_tables():
    packed = beam.Pipeline() | beam.Create(["in/"]) | FindPdfs() | StructurePdfs(max_pages=3)
    taken = [packed | TableRows(table) for table in ("documents", "pages")]
    assert [each.producer.full_label for each in taken] == ["TableRows(documents)/documents", "TableRows(pages)/pages"]
