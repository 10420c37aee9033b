"""What a source that failed may hide, by its address."""

import pytest

from pdfmill.pipeline.crawl.listings import beginnings, hidden_by, is_hidden
from pdfmill.schemas.records import DocumentRef


@pytest.mark.parametrize(
    ("item", "failed_uri", "hidden", "known"),
    [
        ("s3://b/in/", None, "s3://b/in/x.pdf", "s3://b/out/x.pdf"),
        ("s3://b/in/*.warc.gz", "s3://b/in/*.warc.gz", "warc+s3://b/in/a.warc.gz#offset=7&length=9", "s3://b/x.pdf"),
        (
            "s3://b/in/*.warc.gz",
            "s3://b/in/a.warc.gz",
            "warc+s3://b/in/a.warc.gz#offset=7&length=9",
            "warc+s3://b/in/b.warc.gz#offset=7&length=9",
        ),
        (
            "s3://b/a.parquet#payload=pdf",
            "s3://b/a.parquet#payload=pdf",
            "parquet+s3://b/a.parquet#group=000000&row=1",
            "parquet+s3://b/b.parquet#group=0",
        ),
        ("/data/20*/x", "file:///data/20%2A/x", "file:///data/2026/x/a.pdf", "file:///data/19/x/a.pdf"),
        ("/data", "file:///data/locked", "file:///data/locked/a.pdf", "file:///data/open/a.pdf"),
        ("s3://b/a.cdxj", "s3://b/a.cdxj#line=7", "warc+s3://c/any.warc.gz#offset=7&length=9", "s3://b/a.pdf"),
        ("https://h/a.pdf", "https://h/a.pdf", "https://h/a.pdf", "https://h/b.pdf"),
    ],
)
def test_by_source(item, failed_uri, hidden, known):
    ordered = beginnings([hidden_by(item, failed_uri), "s3://zzz/", "aaa"])
    assert (is_hidden(hidden, ordered), is_hidden(known, ordered)) == (True, False)


def test_a_list_that_failed_may_hide_anything():
    assert is_hidden("https://h/a.pdf", beginnings(["s3://b/", hidden_by(DocumentRef.of_uri("file:///list.txt"))]))


def test_one_beginning_stands_for_those_below_it():
    assert beginnings(["s3://b/in/a", "s3://b/in/", "s3://b/in/b", "s3://c"]) == ["s3://b/in/", "s3://c"]
    assert not is_hidden("s3://b/im", beginnings([]))
