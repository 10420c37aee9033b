import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pdfmill.pipeline.render.html import render_html
from pdfmill.pipeline.render.joined_blocks import without_leaders
from pdfmill.pipeline.render.markdown import render_markdown
from tests.pipeline.render.rows_for_tests import SPANNED, document, everything, link

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
#: Role, columns, and the marks of blocks that a parser may see.
_FORMS = [
    ("paragraph", {}, {"paragraph"}),
    ("paragraph", {"bold": True}, {"paragraph"}),
    ("paragraph", {"bold": True, "italic": True}, {"paragraph"}),
    ("caption", {}, {"paragraph"}),
    ("heading", {"level": 1}, {"heading"}),
]


def _md(*blocks, **columns):
    return render_markdown(document(*blocks, **columns))


def test_headings_step_down_for_a_title():
    assert _md((1, "title", "T"), (1, "heading", "H", {"level": 2})) == "# T\n\n## H\n"
    assert _md((1, "heading", "H", {"level": 2})) == "# H\n"


def test_a_page_that_begins_inside_a_chapter_keeps_the_order_of_its_levels():
    headings = [(1, "heading", f"H{level}", {"level": level}) for level in (4, 4, 3, 4, 2)]
    assert _md(*headings) == "### H4\n\n### H4\n\n## H3\n\n### H4\n\n# H2\n"


def test_lists_nest_and_stand_together():
    items = [(1, "list_item", "• a", {"level": 1}), (1, "list_item", "3) b", {"level": 2}), (1, "list_item", "(x) c", {"level": 1})]
    assert _md(*items) == "- a\n    3) b\n- (x) c\n"


def test_entries_of_contents_are_items_also_where_dots_touch_the_page_number():
    assert _md((1, "contents", "1. Setup......2"), (1, "contents", "2. Examples 3")) == "- 1\\. Setup 2\n- 2\\. Examples 3\n"


@pytest.mark.parametrize("bullet", ["• ", "•", "\ufffd ", "â€¢ ", "→ ", "\uf0d8 ", "− "])
def test_every_sign_that_makes_an_item_goes(bullet):
    assert _md((1, "list_item", f"{bullet}a", {"level": 1})) == "- a\n"


@pytest.mark.parametrize(("text", "markdown"), [("1.open the box", "1. open the box"), ("2)close", "2) close"), ("2.1 a", "- 2.1 a")])
def test_a_number_needs_no_space_before_a_letter(text, markdown):
    assert _md((1, "list_item", text, {"level": 1})) == f"{markdown}\n"


def test_text_without_a_known_character_is_left_out():
    assert (
        _md((1, "list_item", "\u2022 \ufffd\ufffd", {"level": 1}), (1, "paragraph", "\ufffd."), (1, "paragraph", "\ufffd1")) == "\ufffd1\n"
    )


def test_tables_without_spans_are_pipes():
    html = "<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td></tr></table>"
    assert _md((1, "table", "", {"html": html})) == "| a | b\\|c |\n| --- | --- |\n| 1 |  |\n"


def test_tables_with_spans_are_html():
    assert _md((1, "table", "", {"html": SPANNED})).startswith('<table>\n<tr><th colspan="2">both</th></tr>')


def test_a_fence_is_longer_than_the_code_s_own():
    assert _md((1, "code", "a\n```")) == "````\na\n```\n````\n"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("# a", "\\# a"),
        ("1. a", "1\\. a"),
        ("- a", "\\- a"),
        ("a * b_c [d] <e> `f` ~g", "a * b_c [d] \\<e> \\`f\\` ~g"),
        ("*a* _b_ __c__ ~~d~~", "\\*a\\* \\_b\\_ \\_\\_c\\_\\_ ~\\~d\\~\\~"),
        ("[a](b), [c][d]", "\\[a\\](b), \\[c\\]\\[d\\]"),
        ("[1]: see there", "\\[1\\]: see there"),
        ("[21] shows x<3 in c:\\d", "[21] shows x<3 in c:\\d"),
        ("> a", "\\> a"),
        ("a|b\n-|-", "a|b\\\n\\-|-"),
        ("R&D &amp; x", "R&D \\&amp; x"),
        ("1.5 is no item", "1.5 is no item"),
        ("---", "\\---"),
        ("Rue X 3\n1. étage\n- F-75001", "Rue X 3\\\n1\\. étage\\\n\\- F-75001"),
    ],
)
def test_text_stays_text(text, markdown):
    assert _md((1, "paragraph", text)) == markdown + "\n"


_LINES = st.lists(st.text('ab1 .\\\\`*_{}[]()<>#+-!|~&;:="/\xa0é', min_size=1, max_size=20), min_size=1, max_size=3)


@given(_LINES, st.sampled_from(_FORMS))
def test_a_reader_of_markdown_sees_the_text(texts, form):
    text = "\n".join(texts)
    parsed = _PARSER.parse(_md((1, form[0], text, form[1])))
    assert {token.type for token in parsed} <= {f"{tag}_{end}" for tag in form[2] for end in ("open", "close")} | {"inline"}
    shown = "".join(_seen(token.children) for token in parsed if token.type == "inline")
    lines = filter(None, (without_leaders(" ".join(line.split())) for line in text.split("\n")))
    assert shown == (" " if form[0] == "heading" else "\n").join(lines)


def _seen(tokens):
    assert {token.type for token in tokens} <= {"text", "text_special", "hardbreak", "strong_open", "strong_close", "em_open", "em_close"}
    return "".join("\n" if token.type == "hardbreak" else token.content for token in tokens)


def test_an_address_that_is_its_own_text_is_written_once():
    rows = document((1, "paragraph", "https://e.org ada@e.org e.org"))
    rows.pages[0]["annotations"] = [link(0, 0, uri="https://e.org"), link(1, 1, uri="mailto:ada@e.org"), link(2, 2, uri="https://e.org")]
    assert render_markdown(rows) == "<https://e.org> <ada@e.org> [e.org](<https://e.org>)\n"


def test_links_are_safe():
    rows = document((1, "paragraph", "go here or there"))
    rows.pages[0]["annotations"] = [link(1, 1, uri="https://e.org/(x) y"), link(3, 3, uri="javascript:alert(1)")]
    assert render_markdown(rows) == "go [here](<https://e.org/(x)%20y>) or there\n"


def test_nothing_gives_nothing():
    assert _md() == ""


def test_every_unit_is_there():
    markdown = render_markdown(everything())
    for text in ("Cats & \\<dogs>", "1 A note.", "interrupted by a page", "Riga\\|x", "\\# no heading"):
        assert text in markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("2 Holdings . . . . . . . 14", "2 Holdings 14"),
        ("Preface......iv", "Preface iv"),
        ("1 Summary ..... 3 2 Holdings ..... 5", "1 Summary 3 2 Holdings 5"),
        ("Name: ..........", "Name: .........."),
        ("and so on ... 3", "and so on ... 3"),
        ("Fill in ...... please", "Fill in ...... please"),
    ],
)
def test_dots_that_lead_to_a_page_number_go(text, markdown):
    assert _md((1, "paragraph", text)) == f"{markdown}\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("All ages . . . . . .", "All ages"), ("Severe ........", "Severe"), ("1 Plan .... 3", "1 Plan 3"), ("Name: .....", "Name: .....")],
)
def test_dots_that_lead_to_the_next_cell_go(text, shown):
    table = (1, "table", "", {"html": f"<table><tr><td>{text}</td><td>291</td></tr></table>"})
    assert f"| {shown} | 291 |" in _md(table)
    assert f"<td>{shown}</td>" in render_html(document(table))


@pytest.mark.parametrize(
    "text",
    [
        "{gal,brendan}@example.org",
        "ada@example.org, bea@mail.example.org",
        "https://example.org/a?b=c",
        "\u2709 ada@example.org\n\ufffd example.org/ada",
    ],
)
def test_addresses_are_no_code(text):
    assert "```" not in _md((1, "code", text))


@pytest.mark.parametrize(
    "text", ["ssh ada@example.org", "curl https://example.org/a", "a@b", "$ example.org/a", "# www.example.org", "os.path", "a.b(c)"]
)
def test_commands_with_addresses_are_code(text):
    assert _md((1, "code", text)) == f"```\n{text}\n```\n"


def test_raised_figures_refer_to_the_notes_of_their_page():
    notes = [(1, "footnote", "¹ See there."), (1, "paragraph", "² 3 of 4."), (1, "footnote", "5 Plain.")]
    text = _md((1, "paragraph", "In 2014¹, people,¹,² and there⁵"), *notes)
    assert text == "In 2014[^1], people,[^1][^2] and there[^5]\n\n[^1]: See there.\n\n[^2]: 3 of 4.\n\n[^5]: Plain.\n"


@pytest.mark.parametrize("text", ["12 m²", "x² is", "(a)² of 10², 10⁻²", "a title²–³", "to 2014³"])
def test_powers_and_marks_without_a_note_are_markup(text):
    note = (1, "footnote", "² See there.")
    assert "[^2]" not in _md((1, "paragraph", text.replace("(a)²", "")), note)
    assert "<sup>" in _md((1, "paragraph", text), note)
    assert _md((1, "paragraph", "No mark."), note).endswith("<sup>2</sup> See there.\n")  # nothing refers to it


def test_notes_of_several_pages_keep_apart():
    pages = [(1, "paragraph", "One¹"), (1, "footnote", "¹ A."), (2, "paragraph", "Three¹"), (2, "footnote", "¹ B.")]
    assert _md(*pages) == "One[^1-1]\n\n[^1-1]: A.\n\nThree[^2-1]\n\n[^2-1]: B.\n"
    assert "[^" not in _md((1, "paragraph", "One¹"), (1, "footnote", "¹ A."), (1, "footnote", "¹ B."))
    assert _md((1, "paragraph", "A [^1] here")) == "A \\[^1\\] here\n"


def test_raised_figures_in_cells_headings_and_html():
    html = "<table><tr><th>a</th></tr><tr><td>83²</td></tr></table>"
    assert _md((1, "table", "", {"html": html}), (1, "footnote", "² See.")) == "| a |\n| --- |\n| 83[^2] |\n\n[^2]: See.\n"
    assert _md((1, "heading", "Title²", {"level": 1})) == "# Title<sup>2</sup>\n"
    assert _md((1, "code", "x²")) == "```\nx²\n```\n"
    page = render_html(document((1, "heading", "A² <", {"level": 1}), (1, "table", "", {"html": html})))
    assert ">A<sup>2</sup> &lt;</h1>" in page
    assert "<td>83<sup>2</sup></td>" in page


def test_an_address_over_a_line_end_is_one_link():
    rows = document((1, "paragraph", "see https://e.org/malw are?a=b or that page"))
    target = {"uri": "https://e.org/malware?a=b"}
    rows.pages[0]["annotations"] = [
        link(1, 1, **target),
        link(2, 2, **target),
        link(4, 4, uri="https://e.org/2"),
        link(5, 5, uri="https://e.org/2"),
    ]
    assert render_markdown(rows) == "see <https://e.org/malware?a=b> or [that page](<https://e.org/2>)\n"


@pytest.mark.parametrize("mark", ["1", "¹"])
def test_the_mark_of_a_note_that_is_a_block_of_its_own_begins_its_text(mark):
    notes = [(1, "footnote", mark), (1, "footnote", "See there.")]
    assert _md((1, "paragraph", "In 2014¹"), *notes) == "In 2014[^1]\n\n[^1]: See there.\n"


def test_a_table_of_contents_is_a_list_without_leaders():
    entries = "1 Springs . . . . 3\n1.1 Rivers . 4\n1.2 Deltas and what they are made\nof 5\nAppendix ..... VI\nWhat is left . . . . . ."
    shown = _md((1, "contents", entries, {"bold": True}), (2, "contents", "Index 9"), (2, "paragraph", "Text"))
    assert shown.split("\n") == [
        "- 1 Springs 3", "- 1.1 Rivers 4", "- 1.2 Deltas and what they are made of 5", "- Appendix VI", "- What is left", "- Index 9",
        "", "Text", "",
    ]  # fmt: skip


def test_rows_and_columns_without_text_are_left_out_of_tables():
    grid = "<tr><th>City</th><th></th><th>Head</th></tr><tr><td></td><td></td><td></td></tr><tr><td>Riga</td><td></td><td>1</td></tr>"
    assert _md((1, "table", "City Head Riga 1", {"html": f"<table>{grid}</table>"})) == "| City | Head |\n| --- | --- |\n| Riga | 1 |\n"
    spans = (
        "<tr><td colspan=3>both</td><td>c</td></tr><tr><td rowspan=2>a</td><td></td><td>b</td><td>d</td></tr>"
        "<tr><td></td><td></td><td></td></tr>"
    )
    table = _md((1, "table", "both c a b d", {"html": f"<table>{spans}<tr><td>e</td><td></td><td>f</td><td>g</td></tr></table>"}))
    assert table == (
        '<table>\n<tr><td colspan="2">both</td><td>c</td></tr>\n<tr><td>a</td><td>b</td><td>d</td></tr>\n'
        "<tr><td>e</td><td>f</td><td>g</td></tr>\n</table>\n"
    )


def test_a_table_without_text_leaves_nothing():
    assert _md((1, "paragraph", "a"), (1, "table", "", {"html": "<table><tr><td></td></tr></table>"}), (1, "paragraph", "b")) == "a\n\nb\n"


def test_what_leads_to_no_page_among_contents_is_a_paragraph():
    shown = _md(
        (1, "contents", "Part One"), (1, "contents", "Edition of May\nprinted"), (1, "contents", "Springs 3"), (1, "contents", "Deltas 5")
    )
    assert shown == "Part One\n\nEdition of May\\\nprinted\n\n- Springs 3\n- Deltas 5\n"
