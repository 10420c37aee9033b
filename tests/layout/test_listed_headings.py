"""What the document's own table of contents names is a heading where it says."""

from __future__ import annotations

from collections.abc import Sequence

from pdfmill.schemas.records import Block, PageLines
from pdfmill.transforms.layout.page.patterns import entry_title
from tests.layout.pages import LARGE, Piece, blocks_of, flow, make_page, sentence

TITLES = ("Springs of the hills", "Rivers of the plain", "Deltas and lagoons", "Canals")


def book(numbers: Sequence[int]) -> list[PageLines]:
    """A table of contents, and four pages whose titles look like the text and stand tight between its paragraphs."""
    entries = [Piece(f"{title} " + ". " * 20 + str(n), 72, 150 + 16 * k) for k, (title, n) in enumerate(zip(TITLES, numbers, strict=True))]
    pages = [make_page(1, [Piece("Contents", 72, 100, LARGE), *entries])]
    for n, title in enumerate(TITLES, start=2):
        above = flow(sentence(120, n), 72, 100, 80)
        at = above[-1].baseline + 24
        pages.append(make_page(n, [*above, Piece(title, 72, at), *flow(sentence(120, n + 9), 72, at + 24, 80)]))
    return pages


def headings(blocks: Sequence[Block]) -> list[str]:
    return [b.text for b in blocks if b.role == "heading" and b.text != "Contents"]


def test_entries_found_at_one_distance_are_headings() -> None:
    assert headings(blocks_of(book((11, 12, 13, 14)))) == list(TITLES)


def test_what_the_contents_name_is_no_term_although_the_text_hangs() -> None:
    pages = book((11, 12, 13, 14))
    for page in pages[1:]:
        for line in page.lines[-2:]:
            line.x0, line.x1 = line.x0 + 20, line.x1 + 20
    assert headings(blocks_of(pages)) == list(TITLES)


def test_entries_whose_pages_do_not_agree_say_nothing() -> None:
    assert headings(blocks_of(book((5, 30, 62, 90)))) == []


def test_a_row_with_two_entries_is_taken_for_one_without_trying_all_ways_to_part_its_leaders() -> None:
    row = "Locks" + " ." * 100 + " 12 and weirs"
    assert entry_title(row) == row
    assert entry_title("Locks" + " ." * 100 + " 12") == "Locks"
