"""List sources to document references; listings run on the workers and stream."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import apache_beam as beam

from pdfmill.schemas.public import without_secrets
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.steps.display import Shown
from pdfmill.transforms.steps.metrics import Measured
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.storage.ranges import Item, item_key, items_in, list_item
from pdfmill.transforms.storage.reach import Reach
from pdfmill.transforms.storage.sources import names_a_document
from pdfmill.transforms.tables.worker_progress import note

#: Bytes of a digest that say a document's wave.
_DIGEST_BYTES: Final = 8
#: Source specifications that the page of the job shows; a command line may have thousands.
SHOWN_SOURCES: Final = 20


class StoreAwayError(RuntimeError):
    """A listing broke off for a reason that may pass.

    The engine tries the step again and at last fails the job, because tables of an incomplete listing would look complete.
    """


def list_to_the_end(item: Item, bound: Reach | None = None) -> Iterator[DocumentRef]:
    """Like `transforms.storage.ranges.list_item`, but raises StoreAwayError if the store did not answer for more than one document."""
    for ref in list_item(item, bound=bound):
        if ref.failure is not None and ref.failure.code == "store_error" and not names_a_document(ref.uri):
            raise StoreAwayError(f"not listed to its end: {ref.failure.message}")
        yield ref


def in_wave(ref: DocumentRef, wave: int, waves: int) -> bool:
    """Return whether a document belongs to this wave, independent of who lists it.

    Its shard comes from another digest, so that a wave's documents are spread over all shards.
    """
    return waves == 1 or int.from_bytes(hashlib.sha256(ref.doc_id.encode()).digest()[:_DIGEST_BYTES]) % waves == wave


def _once(keyed: tuple[str, Iterable[DocumentRef]], notes_uri: str | None = None) -> list[DocumentRef]:
    """Yield each object once, in order. If two listings give an object with two times, the choice does not depend on the workers."""
    listed = sorted(keyed[1], key=lambda ref: (ref.uri, ref.etag or "", str(ref.modified)), reverse=True)
    found = list({ref.doc_id: ref for ref in listed}.values())[::-1]
    note(notes_uri, listed=len(found))
    return found


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


class Sources(beam.PTransform[beam.pvalue.PBegin, str]):
    """The source specifications as the job got them."""

    def __init__(self, sources: Sequence[str]) -> None:
        super().__init__()
        self._sources = sources

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        """One element, a source each out of it."""
        return begin | beam.Impulse() | "Give" >> beam.ParDo(_Give(self._sources))


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(DocumentRef)
class FindDocuments(beam.PTransform[str, DocumentRef]):
    """Turn source specifications (files, folders, globs, `@list`, store prefixes) into one `DocumentRef` for each object.

    notes_uri: where the job's progress is noted (`worker_progress`). whole: a store that does not answer ends the job; else what
    could not be listed is one reference with its failure. bound: how far requests on the web may go. wave: a share of the documents, from
    0, and how many shares there are.
    """

    def __init__(
        self, notes_uri: str | None = None, *, whole: bool = True, bound: Reach | None = None, wave: tuple[int, int] = (0, 1)
    ) -> None:
        super().__init__()
        self._wave = wave
        self._bound = bound
        self._listing = partial(list_to_the_end if whole else list_item, bound=bound)
        self._notes_uri = notes_uri

    def expand(self, sources: beam.PCollection[str]) -> beam.PCollection[DocumentRef]:
        """Spread the lines of lists, and ranges of large sources, over the workers, list them, and bring each object together once,
        which redistributes them."""
        return (
            sources
            | "Expand" >> beam.FlatMap(items_in, bound=self._bound)
            | "Spread" >> Redistribute(item_key)
            | "List" >> beam.ParDo(Measured("find_documents", self._listing))
            | "Wave" >> beam.Filter(in_wave, *self._wave)
            | "Key" >> beam.WithKeys(lambda ref: ref.place)
            | "Once" >> beam.GroupByKey()
            | "Take" >> beam.FlatMap(_once, self._notes_uri)
        )
