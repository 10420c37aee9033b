"""Sources to document references: listings run on the workers and stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import apache_beam as beam

from schemas.public import without_secrets
from schemas.records import DocumentRef
from transforms.steps.display import Shown
from transforms.steps.metrics import Measured
from transforms.steps.redistribute import Redistribute
from transforms.storage.reach import Reach
from transforms.storage.sources import expand_lists, list_source

#: Source specifications that the page of the job shows; a command line may have thousands.
SHOWN_SOURCES: Final = 20


def list_item(bound: Reach | None, item: str | DocumentRef) -> Iterator[DocumentRef]:
    """The objects of one source; a list that could not be read passes as the failure that it is."""
    if isinstance(item, DocumentRef):
        yield item
    else:
        yield from list_source(item, bound=bound)


def _item_key(item: str | DocumentRef) -> str:
    return item.doc_id if isinstance(item, DocumentRef) else item


def _once(keyed: tuple[str, Iterable[DocumentRef]]) -> list[DocumentRef]:
    """Each object once, in order. Two listings of one may differ in time: which one is taken must not depend on the workers."""
    listed = sorted(keyed[1], key=lambda ref: (ref.uri, ref.etag or "", str(ref.modified)), reverse=True)
    return list({ref.doc_id: ref for ref in listed}.values())[::-1]


class _Give(beam.DoFn):
    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = list(sources)

    def display_data(self) -> dict[str, Shown]:
        """The first of them, without the name and password that an address may hold."""
        first = [without_secrets(source) for source in self._sources[:SHOWN_SOURCES]]
        return {"sources": " ".join(first), "number_of_sources": len(self._sources)}

    def process(self, element: bytes) -> Iterator[str]:
        """All of them."""
        yield from self._sources


class Sources(beam.PTransform[Any, str]):
    """Source specifications as the job was given them."""

    def __init__(self, sources: Sequence[str]) -> None:
        super().__init__()
        self._sources = sources

    def expand(self, begin: Any) -> beam.PCollection[str]:
        """One element, a source each out of it."""
        return begin | beam.Impulse() | "Give" >> beam.ParDo(_Give(self._sources))


class FindDocuments(beam.PTransform[str, DocumentRef]):
    """Source specifications (files, folders, globs, `@list`, store prefixes) to one `DocumentRef` per object. bound: how far requests on
    the web may go."""

    def __init__(self, bound: Reach | None = None) -> None:
        super().__init__()
        self._bound = bound

    def expand(self, sources: beam.PCollection[str]) -> beam.PCollection[DocumentRef]:
        """Spread the lines of lists over the workers, list them, and bring each object together once, which redistributes them."""
        return (
            sources
            | "Expand lists" >> beam.FlatMap(expand_lists, bound=self._bound)
            | "Spread" >> Redistribute(_item_key)
            | "List" >> beam.ParDo(Measured("find_documents", partial(list_item, self._bound)))
            | "Key" >> beam.WithKeys(lambda ref: ref.place)
            | "Once" >> beam.GroupByKey()
            | "Take" >> beam.FlatMap(_once)
        )
