"""Imported by every Python whose PYTHONPATH names this folder, guarded processes and workers of engines too: layout with mistakes of ours.

It cannot measure page 2, finds no place for the first line of page 3, stumbles over page 5, and never makes the sections of a book.
"""

from __future__ import annotations

from collections.abc import Sequence

import transforms.pages
import transforms.road
from schemas.records import DocId, PageLines, RowsOfPart, StructuredPage
from schemas.statistics import DocumentStatistics, DocumentStyle
from transforms.layout.settings import DEFAULTS, LayoutSettings
from transforms.layout.statistics import measure_page
from transforms.layout.structure import structure_page
from transforms.layout.view import PageView
from transforms.pages import lines_of
from transforms.settings import JobSettings
from transforms.tables.spool import Place

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


transforms.pages.measure_page = stumbling
transforms.pages.structure_page = forgetful
transforms.road.section_book = unsectioned
