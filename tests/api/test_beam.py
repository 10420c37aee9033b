"""`pdfmill.beam` refuses what cannot work when the pipeline is made; docs/python.md runs the rest."""

import pytest

import pdfmill
from pdfmill.beam import ReadPdfs, StructurePdfs, TableRows, WriteParquet


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
