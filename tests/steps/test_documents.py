"""A document's row before anything of it was read."""

from __future__ import annotations

import pytest

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road.document_rows import archived, source_row


@pytest.mark.parametrize("uri", ["file:///a.pdf", "s3://bucket/a.pdf", "https://example.org/a.pdf"])
def test_only_records_of_archives_have_a_web_column(uri: str) -> None:
    assert archived(DocumentRef.of_uri(uri)) is None
    assert source_row(DocumentRef.of_uri(uri))["web"] is None
