"""The benchmark of cuts: which pieces of the documents contain what is sought."""

from __future__ import annotations

from pathlib import Path

from benchmarks.search.cuts import pieces_of
from benchmarks.search.search_quality import Item, piece_ranks


def test_each_cut_has_the_text_below_its_heading(tables):
    cut = pieces_of(Path(tables))
    assert [len(cut["windows of 512 words"]), len(cut["Markdown at headings"])] == [2, 5]
    for pieces in cut.values():
        right = [piece for piece in pieces if "Bridges" in piece and "built of grey stone" in piece]
        assert right


def test_a_piece_is_right_only_with_the_sentence_below_the_heading():
    sentence = "The bridge over the river was built of grey stone."
    pieces = ["Bridges are in the list of Bridges.", f"Bridges\n\n{sentence}", "Ships"]
    asked = [
        Item("headings", "Bridges", "a.pdf", 1, below=sentence),
        Item("body", "river grey stone", "a.pdf", 1, sentence),
        Item("headings", "Ships", "a.pdf", 2),
    ]
    assert piece_ranks(asked, pieces) == {"headings": [0.5], "body": [1.0]}
