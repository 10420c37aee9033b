"""Fonts whose map says something else than the names of their glyphs."""

from __future__ import annotations

import io

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf

from pdfmill.transforms.pdf.fonts.contradictions import contradicting_fonts
from pdfmill.transforms.pdf.open.document import PdfDocument, open_document
from tests.pdf.to_unicode import to_cmap

LETTERS = "abcdefghijklmnop"


def document(says: str, names: str = LETTERS) -> PdfDocument:
    """A page with a font whose codes from 65 on have glyphs of these names, and stand for these characters by its map."""
    with Pdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(200, 100))
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type1,
            BaseFont=Name("/ABCDEF+Odd"),
            Encoding=Dictionary(Differences=Array([65, *(Name(f"/{each}") for each in names.split() or names)])),
            ToUnicode=pdf.make_stream(to_cmap(dict(enumerate(says, 65)), 1)),
        )
        page.obj.Resources = Dictionary(Font=Dictionary(F0=pdf.make_indirect(font)))
        page.obj.Contents = pdf.make_stream(b"BT /F0 10 Tf 9 9 Td (ABC) Tj ET")
        sink = io.BytesIO()
        pdf.save(sink)
    return open_document(sink.getvalue(), name="odd.pdf")


@pytest.mark.parametrize(
    ("says", "names", "contradicts"),
    [
        (LETTERS, LETTERS, False),
        (LETTERS.upper(), LETTERS, False),  # small capitals
        (LETTERS[::-1], LETTERS, True),
        (" " * 5 + "!?=+-*" + LETTERS[11:], LETTERS, True),
        (LETTERS[:8] + LETTERS[8:][::-1], LETTERS, False),  # half of them
        (LETTERS[7::-1], LETTERS[:7], False),  # too few
        ("абвгдежзийклмноп", LETTERS, False),  # Latin names for Cyrillic glyphs, as old programs have them
    ],
)
def test_fonts_that_contradict_themselves(says: str, names: str, contradicts: bool) -> None:
    assert contradicting_fonts(document(says, " ".join(names)), {"Odd"}) == ({"Odd"} if contradicts else set())


def test_only_the_named_ones_are_asked() -> None:
    assert contradicting_fonts(document(LETTERS[::-1]), {"Other"}) == set()


def test_a_document_whose_fonts_cannot_be_listed_contradicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(document: PdfDocument) -> list[object]:
        raise pikepdf.PdfError("no page tree")

    monkeypatch.setattr("pdfmill.transforms.pdf.fonts.contradictions.fonts_of", broken)
    assert contradicting_fonts(document(LETTERS), {"Odd"}) == set()
