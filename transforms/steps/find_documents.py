"""The Beam step that lists sources on the workers and returns document references."""

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
from pdfmill.transforms.storage.access import Reach
from pdfmill.transforms.storage.ranges import Item, item_key, items_in, list_item
from pdfmill.transforms.storage.sources import names_a_document
from pdfmill.transforms.tables.worker_progress import note

#: Number of bytes of the digest that determines the wave (the job) of a document.
_DIGEST_BYTES: Final = 8
#: Number of sources that the page of the job shows; a command line may have thousands.
SHOWN_SOURCES: Final = 20


class StoreAwayError(RuntimeError):
    """The listing of a source was interrupted by an error of the store that may be temporary. The engine repeats the step and finally fails
    the job, because tables made from an incomplete listing would look complete."""


def list_to_the_end(item: Item, bound: Reach | None = None) -> Iterator[DocumentRef]:
    """Yield the objects of one item of a source. Raise StoreAwayError if the store fails during a listing; other errors become references
    with the `failure`. bound: which addresses on the web may be requested."""
    for ref in list_item(item, bound=bound):
        if ref.failure is not None and ref.failure.code == "store_error" and not names_a_document(ref.uri):
            raise StoreAwayError(f"the listing is incomplete: {ref.failure.message}")
        yield ref


def in_wave(ref: DocumentRef, wave: int, waves: int) -> bool:
    """Return whether a document is read by job number `wave`, from 0, of the `waves` jobs of a run, by a digest of its id. Its shard comes
    from another digest, so that each job's documents are spread over all shards."""
    return waves == 1 or int.from_bytes(hashlib.sha256(ref.doc_id.encode()).digest()[:_DIGEST_BYTES]) % waves == wave


def _once(keyed: tuple[str, Iterable[DocumentRef]], notes_uri: str | None = None) -> list[DocumentRef]:
    """Return one reference for each object in a group, in order, whatever the order of different references to it.
    keyed: the group's key and its references. notes_uri: folder of the job's progress, or None."""
    listed = sorted(keyed[1], key=lambda ref: (ref.uri, ref.etag or "", str(ref.modified)), reverse=True)
    found = list({ref.doc_id: ref for ref in listed}.values())[::-1]
    note(notes_uri, listed=len(found))
    return found


class _Give(beam.DoFn):
    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = list(sources)

    def display_data(self) -> dict[str, Shown]:
        first = [without_secrets(source) for source in self._sources[:SHOWN_SOURCES]]
        return {"sources": " ".join(first), "number_of_sources": len(self._sources)}

    def process(self, element: bytes) -> Iterator[str]:
        yield from self._sources


class Sources(beam.PTransform[beam.pvalue.PBegin, str]):
    """Return the sources of the job, as the user gave them, as a collection."""

    def __init__(self, sources: Sequence[str]) -> None:
        super().__init__()
        self._sources = sources

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        return begin | beam.Impulse() | "Give" >> beam.ParDo(_Give(self._sources))


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(DocumentRef)
class FindDocuments(beam.PTransform[str, DocumentRef]):
    """Turn sources (files, folders, globs, `@list`, store prefixes) into one `DocumentRef` for each object.
    notes_uri: folder of the job's progress (`worker_progress`), or None. whole: a store error while listing ends the job; otherwise it
    becomes a reference with a `failure`. bound: which addresses on the web may be requested. wave: (index of this job from 0, number of
    jobs) if a run is split; only documents of this job are returned."""

    def __init__(
        self, notes_uri: str | None = None, *, whole: bool = True, bound: Reach | None = None, wave: tuple[int, int] = (0, 1)
    ) -> None:
        super().__init__()
        self._wave = wave
        self._bound = bound
        self._listing = partial(list_to_the_end if whole else list_item, bound=bound)
        self._notes_uri = notes_uri

    def expand(self, sources: beam.PCollection[str]) -> beam.PCollection[DocumentRef]:
        """List the sources on the workers, and return one reference for each object. Lines of lists and key ranges are distributed first,
        objects at the end."""
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
