"""Sources to document references: listings run on the workers and stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam

from schemas.records import DocumentRef
from transforms.metrics import Measured
from transforms.redistribute import Redistribute
from transforms.storage.sources import expand_lists, list_source


def list_item(item: str | DocumentRef) -> Iterator[DocumentRef]:
    """The objects of one source; a list that could not be read passes as the failure that it is."""
    if isinstance(item, DocumentRef):
        yield item
    else:
        yield from list_source(item)


def _item_key(item: str | DocumentRef) -> str:
    return item.doc_id if isinstance(item, DocumentRef) else item


def _once(keyed: tuple[str, Iterable[DocumentRef]]) -> list[DocumentRef]:
    """Each object once, in order. Two listings of one may differ in time: which one is taken must not depend on the workers."""
    listed = sorted(keyed[1], key=lambda ref: (ref.uri, ref.etag or "", str(ref.modified)), reverse=True)
    return list({ref.doc_id: ref for ref in listed}.values())[::-1]


class FindDocuments(beam.PTransform[str, DocumentRef]):
    """Source specifications (files, folders, globs, `@list`, store prefixes) to one `DocumentRef` per object."""

    def expand(self, sources: beam.PCollection[str]) -> beam.PCollection[DocumentRef]:
        """Spread the lines of lists over the workers, list them, and bring each object together once, which redistributes them."""
        return (
            sources
            | "Expand lists" >> beam.FlatMap(expand_lists)
            | "Spread" >> Redistribute(_item_key)
            | "List" >> beam.ParDo(Measured("find_documents", list_item))
            | "Key" >> beam.WithKeys(lambda ref: ref.place)
            | "Once" >> beam.GroupByKey()
            | "Take" >> beam.FlatMap(_once)
        )
