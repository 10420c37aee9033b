"""What a document states about its structure, and when it is believed: tags, article threads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import PageLines, TaggedElement
from pdfmill.schemas.statistics import DocumentStyle
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.tagged import judge_tags
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from tests.layout.pages import BODY, BOLD, LARGE, Piece, blocks_of, flow, make_page, sentence, style_of


def tagged_page(content: Sequence[tuple[str, int, Sequence[Piece]]], number: int = 1, carried: bool = False) -> PageLines:
    """A page whose elements are given in tree order: type, level, lines."""
    page = make_page(number, [piece for _, _, pieces in content for piece in pieces])
    owner = [n for n, (_, _, pieces) in enumerate(content) for _ in pieces]
    for line, n in zip(page.lines, owner, strict=True):
        line.mcid = n
    tags = tuple(TaggedElement(kind, level, n, (n,), carried and n == 0) for n, (kind, level, _) in enumerate(content))
    return replace(page, tags=tags, word_content=np.array([owner[i] for i in page.word_lines.tolist()], np.int32))


def evidence(style: DocumentStyle, source: str) -> tuple[tuple[str, ...], str]:
    (found,) = [each for each in style.evidence if each.source == source]
    return found.used_for, found.refused


def test_tags_join_what_stands_apart_and_part_what_stands_together() -> None:
    top, rest = flow(sentence(40), 72, 80, 80), flow(sentence(40, 3), 72, 250, 80)
    page = tagged_page(
        [
            ("P", 0, [*top, *rest]),
            ("P", 0, [Piece("A line of its own", 72, rest[-1].baseline + 12)]),
            ("P", 0, [Piece("and one more after it", 72, rest[-1].baseline + 24)]),
        ]
    )
    assert [b.text for b in blocks_of([page])] == [f"{sentence(40)} {sentence(40, 3)}", "A line of its own", "and one more after it"]
    assert evidence(style_of([page]), "tags") == (("blocks", "order"), "")


def test_a_paragraph_for_each_line_is_refused_with_the_reason() -> None:
    lines = flow(sentence(60), 72, 80, 80)
    page = tagged_page([("P", 0, [line]) for line in lines])
    assert [b.text for b in blocks_of([page])] == [sentence(60)]
    used, refused = evidence(style_of([page]), "tags")
    assert used == ()
    assert refused == "4 of 4 lines that end within a sentence end an element"


def test_one_element_for_the_whole_page_is_refused() -> None:
    paragraphs = [flow(sentence(30, n), 72, 80 + 70 * n, 80) for n in range(4)]
    page = tagged_page([("P", 0, [piece for lines in paragraphs for piece in lines])])
    assert len(blocks_of([page])) == 4
    assert evidence(style_of([page]), "tags")[1] == "3 of 3 wide gaps are inside an element"


def test_an_element_with_several_blocks_is_left_to_the_page() -> None:
    good = [("P", 0, flow(sentence(30, n), 72, 80 + 50 * n, 80)) for n in range(6)]
    mixed = [*flow(sentence(20), 72, 450, 80), *(Piece(f"• point {n} of it", 72, 480 + 12.0 * n) for n in range(3))]
    assert [b.role for b in blocks_of([tagged_page([*good, ("P", 0, mixed)])])][6:] == ["paragraph", *["list_item"] * 3]


def test_a_role_that_a_tag_gives_names_the_tag() -> None:
    plain = [("P", 0, flow(sentence(30, n), 72, 80 + 50 * n, 80)) for n in range(6)]
    page = tagged_page([*plain, ("Caption", 0, [Piece("Barges below the weir", 72, 420)])])
    told = structure_page(page, style_of([page]), LayoutSettings(explain=True))
    assert told.blocks[-1].role == "caption"
    assert [each.says for each in told.why if each.rule == "tag"] == ["caption: its tag is Caption"]


def test_text_outside_the_tree_is_refused() -> None:
    assert judge_tags({"chars": 100, "tagged": 20}) is not None
    assert judge_tags({}) is None
    verdict = judge_tags({"chars": 100, "tagged": 20})
    assert verdict is not None
    assert verdict.reasons == ("20 of 100 characters are in the structure tree",)


def test_the_tree_gives_the_order_of_articles() -> None:
    left, right = flow(sentence(60, 1), 50, 100, 46), flow(sentence(60, 5), 310, 100, 46)
    assert [b.text for b in blocks_of([tagged_page([("P", 0, right), ("P", 0, left)])])] == [sentence(60, 5), sentence(60, 1)]


def test_an_order_that_goes_up_the_page_is_refused_and_the_blocks_stay() -> None:
    lines = [flow(sentence(20, n), 72, 80 + 30 * n, 80) for n in range(8)]
    page = tagged_page([("P", 0, pieces) for pieces in reversed(lines)])
    assert [b.text for b in blocks_of([page])] == [sentence(20, n) for n in range(8)]
    used, refused = evidence(style_of([page]), "tags")
    assert used == ("blocks",)
    assert refused == "7 of 7 steps down the page go back in the structure tree"


def test_articles_side_by_side_are_read_in_the_order_in_which_they_are_drawn() -> None:
    title, left, right = Piece("News", 50, 80, LARGE), flow(sentence(60, 1), 50, 110, 46), flow(sentence(60, 5), 310, 110, 46)
    assert [b.text for b in blocks_of([make_page(1, [title, *right, *left])])] == ["News", sentence(60, 5), sentence(60, 1)]


def test_a_page_whose_title_is_drawn_after_the_text_below_it_is_read_by_position() -> None:
    title, left, right = Piece("News", 50, 80, LARGE), flow(sentence(60, 1), 50, 110, 46), flow(sentence(60, 5), 310, 110, 46)
    assert [b.text for b in blocks_of([make_page(1, [*right, *left, title])])] == ["News", sentence(60, 1), sentence(60, 5)]


def test_a_text_drawn_before_another_far_above_it_is_read_by_position() -> None:
    pieces = [Piece("It rains in the hills.", 50, 300), Piece("Snow fell in the north.", 50, 100), Piece("A storm came later.", 300, 200)]
    assert [b.text[:4] for b in blocks_of([make_page(1, pieces)])] == ["Snow", "A st", "It r"]


def sections(kind: str) -> PageLines:
    content: list[tuple[str, int, Sequence[Piece]]] = []
    for n in range(4):
        content.append((kind, 2 if kind == "H2" else 0, [Piece(f"About river {n}", 72, 80.0 + 120 * n, BOLD)]))
        content.append(("P", 0, flow("Bold words begin it. " + sentence(40, n), 72, 104.0 + 120 * n, 80)))
    return tagged_page([("H1", 1, [Piece("Rivers", 72, 50, LARGE)]), *content])


def test_tagged_headings_and_their_levels() -> None:
    headings = [(b.text, b.level) for b in blocks_of([sections("H2")]) if b.role in ("title", "heading")]
    assert headings == [("Rivers", 1), *((f"About river {n}", 2) for n in range(4))]


def test_headings_that_the_tags_leave_out_are_kept() -> None:
    page = sections("P")
    assert sum(b.role == "heading" for b in blocks_of([page])) == 4
    assert evidence(style_of([page]), "tags") == (
        ("blocks", "order", "headings"),
        "4 of 5 lines that look like headings are not tagged as headings",
    )


def test_headings_that_look_like_running_text_are_refused() -> None:
    page = tagged_page([("H1", 1, flow(sentence(25, n), 72, 80.0 + 24 * n, 100)) for n in range(6)])
    assert {b.role for b in blocks_of([page])} == {"paragraph"}
    assert evidence(style_of([page]), "tags")[1].endswith("headings look like running text")


def test_list_items_have_the_level_of_their_nesting() -> None:
    items = [("LI", 1 + n % 2, [Piece(f"Water of kind {n}", 90 + 20.0 * (n % 2), 150.0 + 14 * n)]) for n in range(4)]
    blocks = blocks_of([tagged_page([("P", 0, flow(sentence(60), 72, 80, 80)), *items])])
    assert [(b.role, b.level) for b in blocks[1:]] == [("list_item", 1), ("list_item", 2)] * 2


def test_a_block_carried_over_the_page() -> None:
    first = tagged_page([("P", 0, flow(sentence(60), 72, 80, 80))])
    second = tagged_page([("P", 0, flow("Rivers too. " + sentence(30), 72, 80, 80))], number=2, carried=True)
    assert [b.continues for b in blocks_of([first, second])] == [False, True]


def threads_page() -> PageLines:
    """Two articles side by side and a third below them, which the first thread carries on with; no gutter parts them all."""
    texts = [flow(sentence(40, n), x, top, width) for n, (x, top, width) in enumerate([(50, 100, 46), (310, 103, 46), (50, 300, 98)])]
    return make_page(1, [piece for pieces in texts for piece in pieces])


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2)])
def test_beads_are_read_in_the_order_of_their_thread(order: tuple[int, ...]) -> None:
    boxes = [(40, 80, 300, 250), (300, 80, 560, 250), (40, 280, 560, 400)]
    page = replace(threads_page(), beads=np.array([boxes[n] for n in order], np.float32))
    assert [b.text for b in blocks_of([page])] == [sentence(40, n) for n in order]
    assert evidence(style_of([page]), "article_threads") == (("order",), "")


def test_beads_that_cut_lines_are_refused() -> None:
    page = replace(threads_page(), beads=np.array([(150, 80, 200, 250), (40, 280, 560, 400), (300, 80, 560, 250)], np.float32))
    assert [b.text for b in blocks_of([page])] == [sentence(40, n) for n in range(3)]
    used, refused = evidence(style_of([page]), "article_threads")
    assert used == ()
    assert "extend beyond their bead" in refused


def test_lines_outside_beads_keep_their_place() -> None:
    page = threads_page()
    more = make_page(
        1, [Piece("A word before", 50, 60), *(Piece(q.text, q.x0, q.baseline, BODY) for q in page.lines), Piece("and one after", 50, 600)]
    )
    beads = np.array([(40, 280, 560, 400), (40, 80, 300, 250), (300, 80, 560, 250)], np.float32)
    texts = [b.text for b in blocks_of([replace(more, beads=beads)])]
    assert texts == ["A word before", sentence(40, 2), sentence(40, 0), sentence(40, 1), "and one after"]


def test_an_order_that_goes_back_and_forth_between_columns_is_not_taken() -> None:
    left = [flow(sentence(40, n), 50, 100 + 110 * n, 46) for n in range(4)]
    right = [flow(sentence(40, n + 4), 310, 100 + 110 * n, 46) for n in range(4)]
    page = tagged_page([("P", 0, pieces) for pair in zip(left, right, strict=True) for pieces in pair])
    assert [b.text for b in blocks_of([page])] == [sentence(40, n) for n in range(8)]


def test_an_element_that_goes_on_in_the_next_column_is_read_in_both() -> None:
    item, rest = flow(sentence(14, 5), 72, 257, 44), flow(sentence(14, 6), 310, 197, 44)
    left, right = Piece("The brooks of spring", 72, 227), Piece("Mills below the weir", 310, 227)
    last = flow(sentence(30, 2), 310, 245, 44)
    content = [flow(sentence(150), 72, 40, 90), [left], [*item, *rest], [right], last]
    blocks = blocks_of([tagged_page([("P", 0, pieces) for pieces in content])])
    texts = [sentence(150), left.text, f"{sentence(14, 5)} {sentence(14, 6)}", right.text, sentence(30, 2)]
    assert [b.text for b in blocks] == texts
