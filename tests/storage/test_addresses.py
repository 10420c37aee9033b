"""Names of objects for people."""

from __future__ import annotations

import pytest

from pdfmill.transforms.storage.addresses import record_uri
from pdfmill.transforms.storage.parquet import row_uri
from pdfmill.transforms.storage.store import file_name


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///a%23b/R%C3%A9sume%CC%81.pdf", "Résumé.pdf"),
        ("s3://bucket/2026/a%20b?.pdf", "a%20b?.pdf"),
        ("https://host/p/a%20b.pdf?page=2/3", "a b.pdf"),
        ("https://host", "host"),
        ("nothing://known/a.pdf", None),
        ("file:///a%1Bb", "a\\x1bb"),
        (record_uri("s3://b/a.warc.gz", 7, 9, {"url": "http://x/y.pdf?z"}), "y.pdf"),
        (row_uri("s3://b/a.parquet", 0, 7, "pdf", "folder/y.pdf"), "y.pdf"),
        (row_uri("s3://b/a.parquet", 0, 7, "pdf", None), "a.parquet"),
    ],
)
def test_the_name_that_a_person_reads(uri, name):
    assert file_name(uri) == name
