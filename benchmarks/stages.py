"""How the time of one document is shared by the parts of its road, without Beam."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from schemas.records import DocumentRef
from schemas.statistics import DocumentStatistics
from transforms.documents import describe_document
from transforms.layout.lines import find_lines
from transforms.layout.settings import LayoutSettings
from transforms.layout.statistics import measure_page
from transforms.open_documents import get_document
from transforms.pages import page_rows
from transforms.pdf.annotations import read_annotations
from transforms.pdf.document import open_document
from transforms.pdf.errors import DocumentError, PageError
from transforms.pdf.facts import read_facts
from transforms.pdf.page import read_page
from transforms.road import read_document
from transforms.settings import ReadSettings
from transforms.storage.addresses import local_uri

Result = TypeVar("Result")


class Clock:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def time(self, stage: str, work: Callable[[], Result]) -> Result:
        """Run it on the account of a stage."""
        started = time.process_time()
        try:
            return work()
        finally:
            self.seconds[stage] += time.process_time() - started


def share_stages(paths: Iterable[Path]) -> Clock:
    """Every stage over every page of the files; files and pages that cannot be read are left out."""
    clock = Clock()
    for path in paths:
        _share_document(path, clock)
    return clock


def _share_document(path: Path, clock: Clock) -> None:
    read, layout = ReadSettings(), LayoutSettings()
    data = path.read_bytes()
    try:
        pdf = clock.time("open", lambda: open_document(data, name=str(path)))
    except DocumentError:
        return
    clock.time("facts", lambda: read_facts(pdf, data))
    statistics = DocumentStatistics()
    kept = []
    for number in range(1, pdf.page_count + 1):
        try:
            content = clock.time("glyphs and graphics", lambda number=number: read_page(pdf.pdfium, number))
        except PageError:
            continue
        lines = clock.time("lines", lambda content=content: find_lines(content))
        lines.annotations = clock.time("annotations", lambda number=number: read_annotations(pdf, number))
        statistics.add(clock.time("statistics", lambda lines=lines: measure_page(lines)))
        kept.append(lines)
    pdf.close()
    ref = DocumentRef.of_uri(local_uri(str(path)))
    reading = read_document(ref, read)
    _, style = clock.time("style, title and language", lambda: describe_document(reading, statistics, [], layout))
    for lines in kept:
        of_page = style.for_pages(lines.page, lines.page)
        clock.time("structure, language and rows", lambda lines=lines, of_page=of_page: page_rows(ref.doc_id, lines, of_page, layout))
    get_document(ref, read).pdf.close()
