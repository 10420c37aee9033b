"""How the time of one document is shared by the parts of its road, without Beam."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road import document_road as road
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import close_documents
from pdfmill.transforms.storage.addresses import local_uri

Result = TypeVar("Result")


class Clock:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inside: list[float] = []

    def timing(self, stage: str, work: Callable[..., Result]) -> Callable[..., Result]:
        """The function, on the account of a stage; stages that it calls have their own."""

        def timed(*arguments: object, **named: object) -> Result:
            started = time.process_time()
            self._inside.append(0.0)
            try:
                return work(*arguments, **named)
            finally:
                taken, inside = time.process_time() - started, self._inside.pop()
                self.seconds[stage] += taken - inside
                if self._inside:
                    self._inside[-1] += taken

        return timed


#: Functions that the road calls, by the stage whose account they are on; what one calls of another counts for the inner one.
STAGES: Final = {
    "open and facts": "read_document",
    "glyphs and graphics": "read_page",
    "lines": "find_lines",
    "columns of the page": "split_lines",
    "annotations": "read_annotations",
    "view and statistics": "measure_pages",
    "style, title and language": "describe_document",
    "structure, language and rows": "structure_pages",
}


def share_stages(paths: Iterable[Path]) -> Clock:
    """Every stage over every page of the files, by the road itself, whose functions are timed."""
    clock = Clock()
    with _timed(clock):
        for path in paths:
            ref = DocumentRef.of_uri(local_uri(str(path)))
            reading = road.read_document(ref, ReadSettings())
            road.finish(reading, road.read_pages(PageRange(ref, 1, reading.page_count), ReadSettings()), DEFAULTS)
            close_documents()
    return clock


@contextmanager
def _timed(clock: Clock) -> Iterator[None]:
    """Let the road's functions run on the accounts of their stages."""
    known = {name: getattr(road, name) for name in STAGES.values()}
    for stage, name in STAGES.items():
        setattr(road, name, clock.timing(stage, known[name]))
    try:
        yield
    finally:
        for name, function in known.items():
            setattr(road, name, function)
