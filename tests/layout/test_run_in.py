"""Headings in the first line of a paragraph."""

from __future__ import annotations

import pytest

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.transforms.layout.blocks.roles import run_in_heading
from tests.layout.pages import BODY, BOLD

ITALIC = FontStyle("Times-Italic", 10.0, italic=True)
CAPS = FontStyle("CMCSC10", 10.0)
STYLES = [BODY, BOLD, ITALIC, CAPS]


def line(*parts: tuple[str, FontStyle]) -> TextLine:
    spans, text = [], ""
    for part, style in parts:
        spans.append((len(text), STYLES.index(style)))
        text += part
    return TextLine(text, 0.0, 0.0, 5.0 * len(text), 10.0, 8.0, spans[-1][1], tuple(spans))


@pytest.mark.parametrize(
    ("parts", "main", "found"),
    [
        ([("Results.", BOLD), (" We found", BODY)], BODY, "Results"),
        ([("Results", BOLD), (". We found", BODY)], BODY, "Results"),
        ([("Data and code:", ITALIC), (" They are", BODY)], BODY, "Data and code"),
        ([("Proof", CAPS), (" — It holds", BODY)], BODY, "Proof"),
        ([("1.2 The ", BOLD), ("second", ITALIC), (" case. ", BOLD), ("We found", BODY)], BODY, "1.2 The second case"),
        ([("Who found it?", BOLD), (" We did", BODY)], BODY, "Who found it?"),
        ([("Results", BOLD), (" were found", BODY)], BODY, None),
        ([("Results.", BOLD), (" We found", BOLD)], BODY, None),
        ([("Results.", BOLD), (" We found", BODY)], BOLD, None),
        ([("and results.", ITALIC), (" We found", BODY)], BODY, None),
        ([("We found", BODY), (" results.", BOLD)], BODY, None),
        ([("*.", BOLD), (" We found", BODY)], BODY, None),
    ],
)
def test_run_in_headings(parts: list[tuple[str, FontStyle]], main: FontStyle, found: str | None) -> None:
    assert run_in_heading(line(*parts), STYLES, main) == found
