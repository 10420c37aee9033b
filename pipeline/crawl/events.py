"""List a source from the last snapshot and from the objects that its queue of events names, instead of listing its bucket."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from itertools import chain
from types import ModuleType

from msgspec import Struct, field

from pdfmill.pipeline.crawl.crawl_parts import read_states
from pdfmill.pipeline.crawl.listings import without_container
from pdfmill.pipeline.crawl.runs import CrawlRun, base_of
from pdfmill.schemas.crawl import SourceState
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import Reach, each_reaching
from pdfmill.transforms.storage.addresses import failed
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import look_up
from pdfmill.transforms.storage.sources import Listings, inside, split_columns
from pdfmill.transforms.storage.store import matcher, module_of_client, parse

log = logging.getLogger("pdfmill")


class Taken(Struct):
    """Messages that a run has received from queues. receipts: handles for deleting them, by queue. uris: addresses of the objects that they
    name, by source. done: the snapshot contains all these objects, so that the messages can be deleted."""

    receipts: dict[str, list[str]] = field(default_factory=dict)
    uris: dict[str, tuple[str, ...]] = field(default_factory=dict)
    done: bool = False


@contextmanager
def taken_events(queues: Mapping[str, str]) -> Iterator[Taken]:
    """Receive the messages of all queues for a run. At the end of the block they are deleted if `Taken.done` is set, else given back.
    queues: address of the queue by name of the source.

    Raises:
        SourceError: with the code store_error, if a queue cannot be reached.
    """
    taken = Taken()
    try:
        for name, queue in queues.items():
            uris: set[str] = set()
            receipts, foreign = taken.receipts.setdefault(queue, []), 0
            for message in _client_of(queue).receive(queue):
                if message.uris is None:
                    foreign += 1
                else:
                    receipts.append(message.receipt)
                    uris.update(message.uris)
            taken.uris[name] = tuple(sorted(uris))
            if foreign:
                log.warning("%s: %d messages are no events of S3 and stay in the queue", queue, foreign)
        yield taken
    finally:
        for queue, receipts in taken.receipts.items():
            try:
                (_client_of(queue).delete if taken.done else _client_of(queue).give_back)(queue, receipts)
            except SourceError as error:
                log.warning("messages could not be deleted and will be delivered again: %s", error)


def _client_of(queue: str) -> ModuleType:
    return module_of_client("pdfmill.transforms.storage.bucket_events", queue, "events")


def by_events(crawl: CrawlRun, name: str, spec: str, listings: Listings, bound: Reach) -> Iterator[DocumentRef] | None:
    """Return the objects of a source by its queue of events instead of listing its bucket. Return None if it has no queue, or if the last
    snapshot has no object of it. spec: the source, a prefix or glob of S3. listings: cache of archives' records."""
    named = dict(crawl.events).get(name)
    if named is None:
        return None
    states = (state for file in base_of(crawl).of("sources") for state in read_states(crawl.output, file.stem, file.vector))
    known = (state for state in states if state.source == name)
    first = next(known, None)
    return None if first is None else _brought_up_to_date(chain([first], known), spec, set(named), listings, bound)


def _brought_up_to_date(
    known: Iterable[SourceState], spec: str, named: Set[str], listings: Listings, bound: Reach
) -> Iterator[DocumentRef]:
    for state in known:
        own = state.doc_id == state.root_doc_id and state.deleted_at is None
        if own and not {state.uri, without_container(state.uri).partition("#")[0]} & named:
            yield DocumentRef(
                state.doc_id, state.uri, state.etag, state.size, state.modified, checksum=state.checksum,
                archived=state.error_code == "archived",
            )  # fmt: skip
    source, columns = split_columns(spec)
    at = parse(source)
    is_named = matcher(at)
    for uri in sorted(named):
        address = parse(uri)
        if address.bucket == at.bucket and is_named(address.key):
            yield from each_reaching(bound, _now(uri, columns, listings))


def _now(uri: str, columns: dict[str, str], listings: Listings) -> Iterator[DocumentRef]:
    """Yield the documents that an object contains now; nothing if it no longer exists. columns: names of the columns of a Parquet file with
    the PDF (`payload`) and its `address`."""
    try:
        yield from inside(look_up(uri), columns, listings)
    except SourceError as error:
        if error.code != "not_found":
            yield failed(uri, error)
