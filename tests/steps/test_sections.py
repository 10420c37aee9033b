"""Blocks to sections: what stands under a heading, cut at paragraph ends, each word in exactly one."""

from __future__ import annotations

from typing import Any

import pytest

from pdfmill.schemas.declare import as_row
from pdfmill.schemas.records import DocId
from pdfmill.schemas.rows import Block, PageBox
from pdfmill.transforms.layout.document.sections import SectionSettings, section_rows

CHAPTER, PART = "1 Letters", "1.1 Sent"


class Pages:
    """Blocks one after the other, with the offsets that their pages' texts would have."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.blocks: list[dict[str, Any]] = []
        self._path: list[str] = []

    def add(self, role: str, text: str, *, page: int = 1, level: int | None = None, language: str | None = None, continues=False) -> Pages:
        if role == "heading":
            self._path = [*self._path[: (level or 1) - 1], text]
        before = self.texts.get(page, "")
        start = None if role.startswith("page_") else len(before) + 2 * bool(before)
        if start is not None:
            self.texts[page] = f"{before}\n\n{text}" if before else text
        block = Block(
            role=role, level=level, text=text, heading_path=list(self._path), boxes=[PageBox(page, 10.0, 20.0, 30.0, 40.0)], page=page,
            font="F", size=10.0, bold=False, italic=False, text_start=start, text_end=None if start is None else start + len(text),
            language=language, continues=continues,
        )  # fmt: skip
        self.blocks.append(as_row(block))
        return self

    def sections(self, chars: int = 2000) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = list(section_rows(DocId("d"), self.blocks, SectionSettings(chars)))
        for row in found:
            for place in row["places"]:
                stands = self.texts[place["page"]][place["start"] : place["end"]]
                assert row["text"][place["offset"] : place["offset"] + place["end"] - place["start"]] == stands
        return found


def texts(pages: Pages, chars: int = 2000) -> list[str]:
    return [row["text"] for row in pages.sections(chars)]


def test_a_heading_begins_a_section_and_one_right_under_another_stays_with_it() -> None:
    pages = (
        Pages().add("heading", CHAPTER, level=1).add("heading", PART, level=2).add("paragraph", "Ten.").add("heading", "2 Maps", level=1)
    )
    pages.add("heading", "3 Keys", level=1).add("paragraph", "None.")
    assert texts(pages) == [f"{CHAPTER}\n\n{PART}\n\nTen.", "2 Maps", "3 Keys\n\nNone."]
    assert [row["heading_path"] for row in pages.sections()] == [[CHAPTER, PART], ["2 Maps"], ["3 Keys"]]


def test_long_text_is_cut_at_paragraph_ends_and_the_heading_stays_with_what_follows() -> None:
    pages = Pages().add("heading", CHAPTER, level=1)
    for letter in "abcd":
        pages.add("paragraph", letter * 60)
    assert texts(pages, 140) == [f"{CHAPTER}\n\n{'a' * 60}\n\n{'b' * 60}", f"{'c' * 60}\n\n{'d' * 60}"]
    assert {tuple(row["heading_path"]) for row in pages.sections(140)} == {(CHAPTER,)}


def test_a_paragraph_that_is_too_long_is_cut_at_a_sentence() -> None:
    sentence = "The archive keeps every letter that was ever sent. "
    found = Pages().add("paragraph", (sentence * 10).strip()).sections(120)
    assert [row["text"] for row in found] == [(sentence * 2).strip()] * 5
    assert all(row["boxes"] == found[0]["boxes"] for row in found)


def test_text_without_a_place_to_cut_is_cut_all_the_same() -> None:
    assert texts(Pages().add("paragraph", "x" * 250), 100) == ["x" * 100, "x" * 100, "x" * 50]


def test_a_paragraph_that_goes_on_overleaf_is_one() -> None:
    pages = Pages().add("paragraph", "The archive keeps").add("page_number", "1").add("page_header", "Letters", page=2)
    pages.add("paragraph", "every letter.", page=2, continues=True)
    (row,) = pages.sections()
    assert row["text"] == "The archive keeps every letter."
    assert (row["first_page"], row["last_page"]) == (1, 2)
    assert [(place["page"], place["start"], place["offset"]) for place in row["places"]] == [(1, 0, 0), (2, 0, 18)]
    assert [box["page"] for box in row["boxes"]] == [1, 2]


def test_what_is_no_running_text_stands_apart() -> None:
    pages = Pages().add("paragraph", "Before.").add("caption", "Table 1: Years").add("table", "1901 7").add("table", "1902 8")
    pages.add("paragraph", "After.").add("code", "a = 1").add("code", "b" * 600).add("reference", "[1] A").add("contents", "Letters 7")
    assert [(row["kind"], row["text"]) for row in pages.sections()] == [
        ("text", "Before."),
        ("table", "Table 1: Years\n\n1901 7"),
        ("table", "1902 8"),
        ("text", "After.\n\na = 1"),
        ("code", "b" * 600),
        ("references", "[1] A"),
        ("contents", "Letters 7"),
    ]


def test_ids_follow_from_document_and_place_and_hashes_from_the_text() -> None:
    one, other = (Pages().add("paragraph", "Same.").add("table", text).sections() for text in ("1901 7", "1902 8"))
    assert [row["id"] for row in one] == [row["id"] for row in other]
    assert [a["text_sha256"] == b["text_sha256"] for a, b in zip(one, other, strict=True)] == [True, False]
    assert len({row["id"] for row in one}) == 2


@pytest.mark.parametrize(("languages", "wanted"), [((None, "de", "en"), "de"), ((None, None, None), None)])
def test_its_language_is_that_of_most_of_its_text(languages, wanted) -> None:
    pages = Pages()
    for length, language in zip((90, 60, 30), languages, strict=True):
        pages.add("paragraph", "x" * length, language=language)
    (row,) = pages.sections()
    assert row["language"] == wanted
