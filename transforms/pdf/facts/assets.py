"""The objects embedded in a document that can be exported: attachments, images, thumbnails, XFA streams."""

from __future__ import annotations

from msgspec import Struct

from pdfmill.schemas.records import Row


class Asset(Struct):
    """One embedded thing.

    row: columns of `pdfmill.schemas.tables.ASSETS` that the document states; doc_id, asset, uri and child_doc_id are the step's.
    data: the bytes as they would be exported, None when they were not asked for or cannot be read.
    pdf_position: for an attached PDF its position among the attachments from 0, see `attachments.attachment_bytes`.
    """

    row: Row
    data: bytes | None = None
    pdf_position: int | None = None
