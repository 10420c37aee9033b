"""Random pages through the pure layout, and random objects through the readers of them: no mistake of ours, and offsets that hold."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.robust.mutations import mutate
from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.records import FontStyle, PageLines, TextLine
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.pdf.facts.facts import read_facts
from pdfmill.transforms.pdf.facts.metadata import decode_packet, properties
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, clean, decode_text, inflate, iso_date

WORDS = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=12)
#: What real pages have, and now and then what none has.
PLACES = st.one_of(st.integers(0, 800).map(float), st.sampled_from([-5000.0, 0.0, 1e6, 306.0]))
SIZES = st.one_of(st.sampled_from([6.0, 9.0, 10.0, 12.0, 18.0]), st.sampled_from([0.0, 0.1, 900.0]))
BOXES = st.lists(st.tuples(PLACES, PLACES, PLACES, PLACES), max_size=6)
#: The same examples on every run of CI, which says whether a change is good; by hand others each time, which finds what is new.
QUICK = settings(max_examples=60, deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow])


def boxes(found: list[tuple[float, float, float, float]]) -> np.ndarray:
    return np.array([(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in found], np.float32).reshape(-1, 4)


@st.composite
def pages(draw: st.DrawFn, number: int = 1) -> PageLines:
    """Lines anywhere, of any size and script; words in their places."""
    styles = [
        FontStyle(draw(st.sampled_from(["", "Times-Roman", "Courier"])), draw(SIZES), draw(st.booleans()), draw(st.booleans()))
        for _ in range(draw(st.integers(1, 3)))
    ]
    lines: list[TextLine] = []
    spans: list[tuple[int, int]] = []
    places: list[tuple[float, float, float, float]] = []
    owners: list[int] = []
    for index in range(draw(st.integers(0, 25))):
        words = draw(st.lists(WORDS, min_size=1, max_size=8))
        written, x0, top = clean(" ".join(words)), draw(PLACES), draw(PLACES)
        style = draw(st.integers(0, len(styles) - 1))
        size = styles[style].size
        offset, x = 0, x0
        for word in written.split(" "):
            width = 0.5 * size * len(word)
            if word.strip():
                owners.append(index)
                spans.append((offset, offset + len(word)))
                places.append((x, top, x + width, top + size))
            offset, x = offset + len(word) + 1, x + width + 0.25 * size
        lines.append(
            TextLine(
                written,
                x0,
                top,
                x,
                top + size,
                top + 0.8 * size,
                style,
                ((0, style),),
                draw(st.sampled_from([0, 0, 0, 90, 180, 270, 13])),
                draw(st.booleans()),
                draw(st.integers(0, 9)) == 0,
                draw(st.integers(-1, 5)),
            )
        )
    page = PageLines(number, draw(st.sampled_from([612.0, 0.0, 1e5])), draw(st.sampled_from([792.0, 0.0, 1e5])), styles=styles, lines=lines)
    page.word_lines = np.array(owners, np.int32)
    page.word_spans = np.array(spans, np.int32).reshape(-1, 2)
    page.word_boxes = np.array(places, np.float32).reshape(-1, 4)
    page.rules, page.fills, page.images = (boxes(draw(BOXES)) for _ in range(3))
    return page


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3).flatmap(
        lambda numbers: st.tuples(*[pages(number) for number in range(1, len(numbers) + 1)])
    )
)
@QUICK
def test_any_page_can_be_measured_and_structured(found: tuple[PageLines, ...]) -> None:
    statistics = DocumentStatistics()
    for page in found:
        statistics.add(measure_page(page))
    style = decide_style(statistics, [], DEFAULTS)
    for page in found:
        structured = structure_page(page, style, DEFAULTS)
        for block in structured.blocks:
            assert (block.text_start is None) == (block.text_end is None)
            if block.text_start is not None:
                assert structured.text[block.text_start : block.text_end] == block.text
        for start, end in structured.words.tolist():
            assert 0 <= start < end <= len(structured.text)
            assert structured.text[start:end] == structured.text[start:end].strip() != ""
        assert len(structured.words) == len(structured.word_boxes)


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_can_be_decoded(raw: bytes) -> None:
    for written in (clean(decode_text(raw)), clean(decode_packet(raw))):
        assert written.encode("utf-8").decode("utf-8") == written
    iso_date(decode_text(raw))
    inflate(raw)
    list(properties(raw))


@given(st.binary(max_size=300), st.sampled_from([b"%PDF-1.7\n", b"%FDF-1.2\n", b"<?xml version='1.0'?><xfdf>", b""]))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_opened_or_refused(raw: bytes, head: bytes) -> None:
    _read(head + raw)


def _read(data: bytes) -> None:
    try:
        document = open_document(data, name="fuzzed")
    except DocumentError:
        return
    try:
        read_facts(document, data)
    finally:
        document.close()


@pytest.mark.corpus
def test_mutated_objects_are_read_or_told(corpus) -> None:
    """Facts only: they are read by our own code over qpdf. Pages go through the guarded process in `make torture`."""
    seeds = sorted(path for path in (corpus / "features" / "pdf").rglob("*.pdf") if path.stat().st_size < 60_000)
    draw = random.Random(11)
    for _ in range(150):
        data, other = draw.choice(seeds).read_bytes(), draw.choice(seeds).read_bytes()
        try:
            _read(mutate(data, other, draw))
        except (*OBJECT_ERRORS, PageError) as error:
            raise AssertionError("an object error that nobody turned into a warning") from error
