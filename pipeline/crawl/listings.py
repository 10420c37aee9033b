"""Records of archives from earlier runs, so that an unchanged archive need not be read only to be listed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.crawl.crawl_parts import OWN
from pdfmill.schemas.records import DocumentRef
from pdfmill.schemas.version import version
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, read_file, write_bytes
from pdfmill.transforms.storage.warc_addresses import parse_record_uri, reference


class KeptListings(Struct, frozen=True):
    """Records of archives, a file for each in the output of a crawl. A file counts for the same etag and size, or size and time, and the
    same pdfmill, which might find other records."""

    output: str

    def recall(self, archive: DocumentRef) -> list[DocumentRef] | None:
        """Implements `pdfmill.transforms.storage.sources.Listings`."""
        try:
            kept = json.loads(gzip.decompress(read_file(self._uri(archive))))
        except SourceError as error:
            if error.code != "not_found":
                raise
            return None
        if _state(archive) != kept["archive"]:
            return None
        records = [reference(archive.address, offset, length, told) for offset, length, told in kept["records"]]
        return [replace(ref, size=size) for ref, size in zip(records, kept["sizes"], strict=True)]

    def keep(self, archive: DocumentRef, records: Sequence[DocumentRef]) -> None:
        """Implements `Listings`; nothing is kept of an archive whose store gives neither etag nor time."""
        state = _state(archive)
        if state["etag"] or (state["size"] is not None and state["modified"]):
            places, sizes = [parse_record_uri(ref.uri)[1:] for ref in records], [ref.size for ref in records]
            told = {"archive": state, "records": places, "sizes": sizes}
            write_bytes(self._uri(archive), gzip.compress(json.dumps(told).encode(), mtime=0))

    def _uri(self, archive: DocumentRef) -> str:
        return join_uri(self.output, f"{OWN}/archives/{archive.doc_id}.json.gz")


def _state(archive: DocumentRef) -> dict[str, str | int | None]:
    modified = archive.modified.isoformat() if archive.modified else None
    return {"etag": archive.etag, "size": archive.size, "modified": None if archive.etag else modified, "pdfmill": version()}
