"""Boxes of a search to matches on pages and stretches of text."""

from __future__ import annotations

from typing import Any

from pdfmill.pipeline.serve.matches import Box, Placed, Span, boxes_between, matches_of, pieces_of, spans_under
from pdfmill.pipeline.serve.outlines import outline_of, tree_of

LINE = 12.0


def page(*lines: str) -> dict[str, Any]:
    """A page of lines, 6 points a character, 20 points a line."""
    text, words = "", []
    for number, line in enumerate(lines):
        position = 0
        for word in line.split(" "):
            start = len(text) + position
            words.append(
                {"start": start, "end": start + len(word), "x0": 6.0 * position, "top": 20.0 * number,
                 "x1": 6.0 * (position + len(word)), "bottom": 20.0 * number + LINE}
            )  # fmt: skip
            position += len(word) + 1
        text += line + "\n"
    return {"text": text, "words": words}


def test_words_of_a_phrase_are_one_match_and_lines_are_not() -> None:
    row = page("the old bridge stands", "the bridge fell")
    phrase = boxes_between(row, row["text"].index("old"), row["text"].index("stands") - 1)
    assert phrase == [Box(24.0, 0.0, 84.0, 12.0)]
    apart = [Box(24.0, 0.0, 42.0, 12.0), Box(48.0, 0.0, 84.0, 12.0), Box(24.0, 20.0, 60.0, 32.0)]
    found = matches_of([*(Placed(2, box) for box in apart), Placed(1, apart[0]), Placed(2, apart[0])])
    assert [(match.number, match.page, match.box) for match in found] == [
        (1, 1, apart[0]),
        (2, 2, Box(24.0, 0.0, 84.0, 12.0)),
        (3, 2, apart[2]),
    ]


def test_words_far_apart_on_a_line_are_two_matches() -> None:
    assert len(matches_of([Placed(1, Box(0, 0, 10, 12)), Placed(1, Box(40, 0, 50, 12))])) == 2


def test_boxes_lead_back_to_the_text() -> None:
    row = page("the old bridge stands", "the bridge fell")
    text = row["text"]
    spans = spans_under(row, [Box(24.0, 0.0, 84.0, 12.0), Box(24.0, 20.0, 60.0, 32.0)])
    assert [(text[span.start : span.end], span.match) for span in spans] == [("old bridge", 0), ("bridge", 1)]
    assert spans_under(row, []) == []
    assert spans_under({"text": "", "words": []}, [Box(0, 0, 9, 9)]) == []


def test_stops_around_a_word_are_not_marked() -> None:
    row = page('see "Bridge 14", or - not')
    spans = spans_under(row, [Box(24.0, 0.0, 96.0, 12.0), Box(120.0, 0.0, 126.0, 12.0)])
    assert [row["text"][span.start : span.end] for span in spans] == ["Bridge 14", "-"]


def test_a_neighbours_edge_marks_nothing() -> None:
    row = page("one two")
    assert [span.start for span in spans_under(row, [Box(0.0, 0.0, 24.6, 12.0)])] == [0]


def test_pieces_hold_every_character_once() -> None:
    for spans in ([], [Span(0, 3, 0)], [Span(4, 8, 0), Span(6, 10, 1)], [Span(-5, 2, 0), Span(9, 99, 1)]):
        pieces = pieces_of("0123456789", 0, spans)
        assert "".join(piece.text for piece in pieces) == "0123456789"
        assert all(piece.text for piece in pieces)


def test_deep_outlines_stay_flat() -> None:
    entries = tree_of((str(level), level, 1) for level in range(1, 200))
    depth = 0
    while entries:
        entries, depth = entries[0].below, depth + 1
    assert depth <= 6


class Blocks:
    """A library of one document: two headings with a paragraph and a running head."""

    def rows(self, table: str, doc_id: str, columns: list[str]) -> list[dict[str, Any]]:
        roles = [("page_header", None), ("heading", 1), ("paragraph", None), ("heading", 2)]
        return [{"role": role, "level": level, "text": f"{role} {n}", "page": n} for n, (role, level) in enumerate(roles, 1)]


def test_without_a_stated_outline_headings_make_one() -> None:
    outline = outline_of(Blocks(), {"doc_id": "d", "outline": []})  # type: ignore[arg-type]
    assert [(top.title, top.page, [each.title for each in top.below]) for top in outline.entries] == [("heading 2", 2, ["heading 4"])]
