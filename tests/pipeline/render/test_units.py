from pdfmill.pipeline.render.images import Picture
from pdfmill.pipeline.render.joined_blocks import Link, labels_in, page_links, spans, units
from tests.pipeline.render.rows_for_tests import TABLE, document, everything, link, page_row


def test_a_paragraph_over_a_page_is_one():
    (paragraph,) = units(document((1, "paragraph", "one two"), (2, "paragraph", "three", {"continues": True})))
    assert paragraph.text == "one two three"
    assert [piece.page for piece in paragraph.pieces] == [1, 2]


def test_a_table_over_pages_is_one_with_one_header():
    head = "<thead class='repeated'><tr><th>City</th><th>A &amp; B</th></tr></thead>"
    part = f"<table>{head}<tbody><tr><td>Oslo</td><td>2</td></tr></tbody></table>"
    other = part.replace("City", "Town")
    for more, shown in ((part, ["City", "Riga|x", "Oslo"]), (other, ["City", "Riga|x", "Town", "Oslo"])):
        (table,) = units(document((1, "table", "a", {"html": TABLE}), (2, "table", "b", {"html": more, "continues": True})))
        assert [row[0].text for piece in table.pieces for row in piece.rows] == shown


def test_a_picture_stands_before_what_is_under_it():
    def place(x0, top):
        return {"boxes": [{"page": 1, "x0": x0, "top": top, "x1": x0 + 80, "bottom": top + 10}]}

    rows = document(
        *((1, "paragraph", text, place(x0, top)) for text, x0, top in [("a", 0, 10), ("b", 0, 90), ("c", 100, 10), ("d", 100, 60)])
    )
    rows.pictures[1] = [Picture(1, (100, 25, 180, 55), 9, 9, "data:,"), Picture(1, (0, 120, 80, 150), 9, 9, "data:,")]
    assert [unit.text or unit.pieces[0].picture.box[1] for unit in units(rows)] == ["a", "b", "c", 25, "d", 120]


def test_a_note_may_stand_between_its_parts():
    shown = units(document((1, "paragraph", "one"), (1, "footnote", "note"), (2, "paragraph", "two", {"continues": True})))
    assert [(unit.role, unit.text) for unit in shown] == [("paragraph", "one two"), ("footnote", "note")]


def test_a_hyphen_at_the_page_end_goes():
    (paragraph,) = units(document((1, "paragraph", "inter-"), (2, "paragraph", "rupted", {"continues": True})))
    assert paragraph.text == "interrupted"


def test_a_continuation_without_a_beginning_stands_alone():
    assert [unit.text for unit in units(document((2, "paragraph", "rest", {"continues": True})))] == ["rest"]


def test_furniture_is_left_out_unless_asked_for():
    assert "page_header" not in {unit.role for unit in units(everything())}
    assert "page_header" in {unit.role for unit in units(everything(), keep_furniture=True)}


def test_list_levels_descend_one_at_a_time():
    blocks = [(1, "list_item", f"- {level}", {"level": level}) for level in (3, 3, 1, 4)]
    assert [unit.level for unit in units(document(*blocks))] == [1, 2, 1, 2]


def test_links_cover_the_words_in_their_box():
    page = page_row(1, "aa bb cc dd", annotations=[link(1, 2, uri="https://e.org"), link(3, 3, target_page=7)])
    assert page_links(page) == [Link(3, 8, "https://e.org"), Link(9, 11, 7)]


def test_spans_put_together_are_the_text():
    text = "0123456789"
    links = [Link(-3, 2, "a"), Link(1, 4, "b"), Link(8, 99, 3), Link(50, 60, "c")]
    assert "".join(part for part, _ in spans(text, links)) == text


def test_heading_levels_have_no_gaps():
    """Of the levels 1, 3, 4, 2, 4, 1, 3 each heading stands right below the one that it belongs to."""
    blocks = [(1, "heading", str(level), {"level": level}) for level in (1, 3, 4, 2, 4, 1, 3)]
    assert [unit.level for unit in units(document(*blocks))] == [1, 2, 3, 2, 3, 1, 2]
    assert [unit.level for unit in units(document((3, "heading", "deep", {"level": 4})))] == [1]


def test_labels_in_a_picture_are_its_text():
    def place(top):
        return {"boxes": [{"page": 1, "x0": 10, "top": top, "x1": 40, "bottom": top + 10}]}

    rows = document((1, "paragraph", "before", place(5)), (1, "other", "axis", place(40)), (1, "other", "outside", place(190)))
    rows.pictures[1] = [Picture(1, (0, 30, 100, 100), 9, 9, "data:,")]
    shown = units(rows)
    assert [unit.text for unit in shown if unit.role != "image"] == ["before", "outside"]
    assert [unit.pieces[0].picture.text for unit in shown if unit.role == "image"] == ["axis"]


def test_running_text_on_a_picture_stays_text():
    within = {"boxes": [{"page": 1, "x0": 10, "top": 40, "x1": 40, "bottom": 50}]}
    rows = document((1, "paragraph", "told", within))
    rows.pictures[1] = [Picture(1, (0, 30, 100, 100), 9, 9, "data:,")]
    assert labels_in((0, 30, 100, 100), rows.blocks) is None
    shown = units(rows)
    assert [unit.text for unit in shown if unit.role == "paragraph"] == ["told"]
    assert [unit.pieces[0].picture.text for unit in shown if unit.role == "image"] == [""]


def test_text_that_a_picture_would_show_a_part_of_stays_text():
    def place(x0, x1):
        return {"boxes": [{"page": 1, "x0": x0, "top": 40, "x1": x1, "bottom": 50}]}

    rows = document((1, "other", "axis", place(10, 40)), (1, "other", "a label over the edge", place(80, 140)))
    rows.pictures[1] = [Picture(1, (0, 30, 100, 100), 9, 9, "data:,")]
    assert labels_in((0, 30, 100, 100), rows.blocks) is None, "the picture is drawn without text"
    assert [unit.text for unit in units(rows) if unit.role != "image"] == ["axis", "a label over the edge"]


def test_a_document_of_one_page_keeps_its_head_and_foot_which_cannot_run_on():
    blocks = ((1, "page_header", "Abstract"), (1, "paragraph", "text"), (1, "page_footer", "Printed in May"), (1, "page_number", "1"))
    assert [unit.text for unit in units(document(*blocks))] == ["Abstract", "text", "Printed in May"]
    assert [unit.text for unit in units(document(*blocks, page_count=2))] == ["text"]


def test_a_sentence_goes_on_behind_figures_tables_and_notes_between_pages() -> None:
    between = ((1, "footnote", "note"), (2, "table", "a", {"html": TABLE}), (2, "caption", "Table 1: rivers"))
    shown = units(document((1, "paragraph", "The river and"), *between, (2, "paragraph", "its towns.")))
    assert [unit.text for unit in shown if unit.role == "paragraph"] == ["The river and its towns."]


def test_a_paragraph_that_is_complete_or_begins_anew_is_not_joined() -> None:
    table = (2, "table", "a", {"html": TABLE})
    for first, second in (("The river.", "its towns."), ("The river and", "Its towns.")):
        shown = units(document((1, "paragraph", first), table, (2, "paragraph", second)))
        assert [unit.text for unit in shown if unit.role == "paragraph"] == [first, second]
    apart = units(document((1, "paragraph", "The river and"), (2, "heading", "Towns"), (2, "paragraph", "its towns.")))
    assert [unit.text for unit in apart] == ["The river and", "Towns", "its towns."]


def linked(text: str, left: float, right: float) -> list[str]:
    """The text of the link that covers the points `left` to `right` of a page with one word, whose characters are 10 points wide, those of
    full width 20."""
    row = page_row(1, text, annotations=[{"type": "Link", "uri": "https://e.org", "x0": left, "top": 0, "x1": right, "bottom": 10}])
    width = sum(20 if character > "\u2e80" else 10 for character in text)
    row["words"] = [{"start": 0, "end": len(text), "x0": 0, "x1": width, "top": 0, "bottom": 10}]
    return [text[start:end] for start, end, _ in page_links(row)]


def test_a_link_ends_before_a_stop_and_begins_after_a_bracket() -> None:
    assert linked("(https://e.org/silt).", 9, 189) == ["https://e.org/silt"]
    assert linked("repository.", 0, 104) == ["repository"]  # a full stop is narrower than its share


def test_a_link_in_text_without_spaces_covers_its_characters() -> None:
    assert linked("毎日川を見る", 20, 62) == ["日川"]
    assert linked("は、ELF川", 38, 71) == ["ELF"]


def test_a_word_is_not_cut_between_its_letters() -> None:
    assert linked("repository", 0, 73) == ["repository"]
    assert linked("repository", 0, 31) == []
