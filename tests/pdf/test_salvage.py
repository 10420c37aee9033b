from __future__ import annotations

import re

import pikepdf

from pdfmill.transforms.pdf.facts.facts import read_facts
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.open.salvage import balanced, with_new_catalog, with_room
from tests.pdf.make import make_pdf

PAGE = b"<</Parent 1 0 R/Contents 2 0 R>>"


def test_brackets_inside_strings_do_not_count() -> None:
    assert balanced(b" <</A(>>\\)<<)/B<3e3e>/C<<>>>> tail", 0) == b"<</A(>>\\)<<)/B<3e3e>/C<<>>>>"
    assert balanced(b"(no dictionary) <<>>", 0) == b""
    assert balanced(b"<< never closed", 0) == b""


def test_pages_that_stand_directly_in_their_tree() -> None:
    data = (
        b"%PDF-1.4\n1 0 obj\n<</Kids["
        + PAGE
        + PAGE
        + b"]/Resources<<>>>>\nendobj\n2 0 obj\n<<>>\nstream\nq Q\nendstream\nendobj\ntrailer\n<</Root<</Pages 1 0 R>>>>"
    )
    document = open_document(data, name="x")
    assert document.page_count == 2
    assert "repaired_page_tree" in [each.code for each in document.warnings]


def test_a_catalog_without_pages_still_gives_its_script() -> None:
    data = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<</Root<</Pages<<>>/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>>>"
    document = open_document(data, name="x")
    assert document.page_count == 0
    assert read_facts(document, data).row["javascript"] == [{"location": "open_action", "name": None, "code": "app.alert(1)"}]


def test_nothing_to_salvage() -> None:
    assert with_new_catalog(b"%PDF-1.4\ntrailer <</Root 1 0 R>>") is None
    assert with_new_catalog(b"") is None


def test_of_an_object_written_twice_the_last_counts() -> None:
    one = b"1 0 obj\n<</Type/Page>>\nendobj\n"
    found = with_new_catalog(one + b"2 0 obj\n<</Type/Page>>\nendobj\n" + one + b"2 0 obj\n<</Type/Font>>\nendobj\n")
    assert found is not None
    assert found.pages == 1


def test_a_sound_file_would_keep_its_pages() -> None:
    found = with_new_catalog(make_pdf(pages=3, object_stream_mode=pikepdf.ObjectStreamMode.disable))
    assert found is not None
    assert found.pages == 3


def test_high_object_numbers_in_a_short_file() -> None:
    data = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable)
    for number in range(1, 9):
        data = re.sub(rb"\b%d 0 (obj|R)\b" % number, rb"9%04d 0 \1" % number, data)
    document = open_document(data, name="x")
    assert read_facts(document, data).row["fonts"] is not None


def test_an_object_number_that_only_damage_makes_takes_no_room() -> None:
    sound, damaged = b"30000 0 obj\nnull\nendobj\n", b"999999999 0 obj\nnull\nendobj\n"
    assert with_room(damaged) is None
    assert with_room(sound + damaged) == (sound + damaged).ljust(4 * 30000, b"\n")
