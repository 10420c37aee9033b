import pytest

from pdfmill.pipeline.render.markdown import render_markdown
from tests.pipeline.render.rows_for_tests import SPANNED, document, everything, link


def _md(*blocks, **columns):
    return render_markdown(document(*blocks, **columns))


def test_headings_step_down_for_a_title():
    assert _md((1, "title", "T"), (1, "heading", "H", {"level": 2})) == "# T\n\n## H\n"
    assert _md((1, "heading", "H", {"level": 2})) == "# H\n"


def test_lists_nest_and_stand_together():
    items = [(1, "list_item", "• a", {"level": 1}), (1, "list_item", "3) b", {"level": 2}), (1, "list_item", "(x) c", {"level": 1})]
    assert _md(*items) == "- a\n    3) b\n- (x) c\n"


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
        ("a * b_c [d] <e> `f` ~g", "a \\* b\\_c \\[d\\] \\<e\\> \\`f\\` \\~g"),
        ("R&D &amp; x", "R&D \\&amp; x"),
        ("1.5 is no item", "1.5 is no item"),
        ("---", "\\---"),
        ("Rue X 3\n1. étage\n- F-75001", "Rue X 3\\\n1\\. étage\\\n\\- F-75001"),
    ],
)
def test_text_stays_text(text, markdown):
    assert _md((1, "paragraph", text)) == markdown + "\n"


def test_links_are_safe():
    rows = document((1, "paragraph", "go here or there"))
    rows.pages[0]["annotations"] = [link(1, 1, uri="https://e.org/(x) y"), link(3, 3, uri="javascript:alert(1)")]
    assert render_markdown(rows) == "go [here](<https://e.org/(x)%20y>) or there\n"


def test_nothing_gives_nothing():
    assert _md() == ""


def test_every_unit_is_there():
    markdown = render_markdown(everything())
    for text in ("Cats & \\<dogs\\>", "1 A note.", "interrupted by a page", "Riga\\|x", "\\# no heading"):
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


@pytest.mark.parametrize("text", ["{gal,brendan}@example.org", "ada@example.org, bea@mail.example.org", "https://example.org/a?b=c"])
def test_addresses_are_no_code(text):
    assert "```" not in _md((1, "code", text))


@pytest.mark.parametrize("text", ["ssh ada@example.org", "curl https://example.org/a", "a@b"])
def test_commands_with_addresses_are_code(text):
    assert _md((1, "code", text)) == f"```\n{text}\n```\n"
