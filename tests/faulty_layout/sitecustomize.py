"""Imported by every Python whose PYTHONPATH names this folder, guarded processes and workers of engines too: layout with mistakes of ours.

It cannot measure page 2, finds no place for the first line of page 3, stumbles over page 5, and never makes the sections of a book.
"""

from __future__ import annotations

from collections.abc import Sequence

import pdfmill.transforms.road.document_road
import pdfmill.transforms.road.page_rows
from pdfmill.schemas.records import DocId, PageLines, RowsOfPart, StructuredPage
from pdfmill.schemas.statistics import DocumentStatistics, DocumentStyle
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.road.page_rows import lines_of
from pdfmill.transforms.tables.spool import Place

UNMEASURED, UNPLACED, STUMBLED = 2, 3, 5


def stumbling(page: PageLines | PageView, settings: LayoutSettings = DEFAULTS) -> DocumentStatistics:
    if lines_of(page).page == UNMEASURED:
        raise ZeroDivisionError("a mistake of ours")
    return measure_page(page, settings)


def forgetful(page: PageLines | PageView, style: DocumentStyle, settings: LayoutSettings = DEFAULTS) -> StructuredPage:
    found = structure_page(page, style, settings)
    if found.page == STUMBLED:
        raise ZeroDivisionError("a mistake of ours")
    if found.page == UNPLACED:
        found.unplaced = (0,)
    return found


def unsectioned(doc_id: DocId, path: str, places: Sequence[Place], job: JobSettings) -> list[tuple[int, RowsOfPart]]:
    raise ZeroDivisionError("another one")


pdfmill.transforms.road.page_rows.measure_page = stumbling
pdfmill.transforms.road.page_rows.structure_page = forgetful
pdfmill.transforms.road.document_road.section_book = unsectioned
