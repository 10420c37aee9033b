"""Roles of blocks: items only in runs, captions that are no sentences, contents, indexes, references."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from pdfmill.schemas.codes import ROLES
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.blocks.roles import PLAIN, ROLE_RULES, CodeLine, find_references, set_code
from pdfmill.transforms.layout.page.enumerators import Start, read_label, true_items
from pdfmill.transforms.layout.page.patterns import is_list_start, names_figure
from pdfmill.transforms.layout.page.text_style import is_typewriter
from tests.layout.pages import BOLD, CHAR, CODE, LARGE, SMALL, Piece, blocks_of, flow, make_page, sentence


@pytest.mark.parametrize("text", ["3.1 Overview", "0.4 % of them", "70.00", "12.10.2020 in town", "13.3.4 Cells", "\ufffdis thesis"])
def test_decimals_dates_sections_and_lost_letters_begin_no_item(text: str) -> None:
    assert not is_list_start(text)


@pytest.mark.parametrize("text", ["3. Overview", "3.Overview", "1、河", "(b) water", "① water", "[4] water", "∗ water", "\ufffd water"])
def test_what_begins_an_item(text: str) -> None:
    assert is_list_start(text)


def starts(*lines: tuple[str, float]) -> list[Start]:
    return [Start(text, inset, 10 + n) for n, (text, inset) in enumerate(lines)]


def test_a_number_counts_beside_its_neighbour() -> None:
    assert true_items(starts(("4. water", 10), ("5. silt", 10))) == [True, True]
    assert true_items(starts(("4. water", 10), ("9. silt", 10))) == [False, False]
    assert true_items(starts(("(h) water", 10), ("(i) silt", 10))) == [True, True]


def test_a_dash_counts_among_dashes_and_a_bullet_alone() -> None:
    assert true_items(starts(("– River Association –", 10))) == [False]
    assert true_items(starts(("– water", 10), ("– silt", 10))) == [True, True]
    assert true_items(starts(("∗ significant at .05", 10))) == [False]
    assert true_items(starts(("• water", 10))) == [True]


def test_a_list_may_begin_on_the_last_line_of_a_page_and_go_on_at_the_head_of_the_next() -> None:
    assert true_items([Start("1. water", 0, -1)]) == [True]
    assert true_items([Start("7. water", 0, 0)]) == [True]
    assert true_items([Start("M. Weber", 0, 0)]) == [False]


def test_letters_have_two_readings() -> None:
    assert {label.value for label in read_label("v. water")} == {5, 22}


@pytest.mark.parametrize("text", ["Table 1 gives the lengths", "Figure 3 shows that", "Table 2, which is long"])
def test_a_sentence_about_a_figure_is_no_caption(text: str) -> None:
    assert not names_figure(text)


@pytest.mark.parametrize(
    "text", ["Table 1. Rivers", "Figure 7-26. Barges", "Table 3 Rivers", "Fig. 2 (a) Rivers", "Abbildung 4: Flüsse", "Table 12", "図 3 川"]
)
def test_captions(text: str) -> None:
    assert names_figure(text)


def test_a_part_of_a_figure_named_in_its_caption_is_no_item() -> None:
    caption = [
        Piece("Figure 1. Two barges on the river that carry the barley from the fields to town,", 72, 300),
        Piece("(A) the old one, (B) the new one.", 72, 312),
    ]
    (found,) = [b for b in blocks_of([make_page(1, [*flow(sentence(150), 72, 100, 80), *caption])]) if b.role == "caption"]
    assert found.text.endswith("(B) the new one.")


def test_contents_are_a_role_and_keep_their_lines() -> None:
    entries = [
        Piece(f"{word} {'. ' * 20}{n + 3}", 72, 100 + 14 * n)
        for n, word in enumerate(("River", "Town", "Silt", "Flood", "Harvest", "Wind"))
    ]
    pages = [make_page(1, entries), *(make_page(n, flow(sentence(300, n), 72, 100, 80)) for n in (2, 3))]
    contents = [b for b in blocks_of(pages) if b.role == "contents"]
    assert sum(b.text.count("\n") + 1 for b in contents) == len(entries)


def test_entries_without_dots_are_contents_beside_those_with_dots() -> None:
    """Chapters are bold and have no dots in the tables of contents of TeX and DocBook."""
    entries = [
        piece
        for n, word in enumerate(("Rivers.", "Towns", "Floods."))
        for piece in (
            Piece(f"{n + 1} {word}", 72, 100 + 60 * n, BOLD),
            Piece(str(3 * n + 3), 500, 100 + 60 * n, BOLD),
            Piece(f"{n + 1}.1 Springs {'. ' * 30}{3 * n + 4}", 90, 122 + 60 * n),
            Piece(f"{n + 1}.2 Bridges {'. ' * 30}{3 * n + 5}", 90, 136 + 60 * n),
        )
    ]
    pages = [make_page(1, entries), *(make_page(n, flow(sentence(300, n), 72, 100, 80)) for n in (2, 3))]
    assert [b.role for b in blocks_of(pages)] == ["contents"] * 9 + ["paragraph"] * 2


def test_index_entries_are_a_role() -> None:
    words = ("barley", "barge", "flood", "harvest", "hills", "king", "letter", "plain", "river", "silt", "snow", "stone", "town", "wind")
    page = make_page(9, [Piece(f"{word}, {n + 2}, {n + 30}–{n + 33}", 72, 100 + 14 * n) for n, word in enumerate(words)])
    assert {b.role for b in blocks_of([make_page(1, flow(sentence(300), 72, 100, 80)), page]) if b.text.startswith("barley")} == {"index"}


def test_references_are_told_by_their_run() -> None:
    entries = [
        "[1] A. B. Weber, Rivers, J. Silt 12(3), 2004, 120-131.",
        "[2] C. Stone, Hills, Proc. Town, 1999, pp. 4-9.",
        "[3] D. Field, Floods, 2011, https://river.org/3.",
    ]
    assert find_references([*entries, "The town was built in 1999 by A. B. Weber."], 3) == [True] * 3 + [False]
    assert find_references(entries[:2], 3) == [False] * 2


def test_every_role_of_the_rules_is_told_to_users() -> None:
    assert {rule.role for rule in (*ROLE_RULES, PLAIN)} | {"reference"} <= set(ROLES)


def test_captions_of_figures_side_by_side_are_two() -> None:
    captions = [Piece("Figure 1. The river", 72, 300), Piece("Figure 2. The town", 320, 300)]
    found = [b.text for b in blocks_of([make_page(1, [*flow(sentence(150), 72, 100, 80), *captions])]) if b.role == "caption"]
    assert found == ["Figure 1. The river", "Figure 2. The town"]


ENTRIES = (("Preface", "v"), ("Springs and what feeds them", "3"), ("Rivers of the plain", "41"), ("Deltas", "87"), ("Index", "120"))


@pytest.mark.parametrize("head", ["CONTENTS", "Inhaltsverzeichnis", "Table des matières", "目次"])
def test_a_page_headed_contents_is_one_with_all_its_entries(head: str) -> None:
    entries = [
        [Piece(text, 120, 150 + 60 * n), Piece(number, 480, 150 + 60 * n), Piece("What stands in the chapter", 150, 180 + 60 * n)]
        for n, (text, number) in enumerate(ENTRIES)
    ]
    page = make_page(1, [Piece(head, 200, 100, LARGE), *(piece for each in entries for piece in each)])
    roles = [b.role for b in blocks_of([page, make_page(2, flow(sentence(400), 72, 100, 80))]) if b.text != head]
    assert set(roles) == {"contents", "paragraph"}
    assert roles[-1] == "paragraph"
    assert roles.count("paragraph") == 1


def test_authors_above_a_table_of_contents_are_not_in_it() -> None:
    above = [Piece("Heng Li", 72, 60), Piece("Broad Institute, Cambridge", 72, 90), Piece("April 10, 2017", 72, 120)]
    entries = [Piece(f"{text} {n}", 72, 190 + 14 * n) for n, text in enumerate(("Rain", "Wind", "Snow", "Hail", "Fog", "Dew"), start=1)]
    roles = {b.text.split(" ")[0]: b.role for b in blocks_of([make_page(1, [*above, Piece("Contents", 72, 160, BOLD), *entries])])}
    assert (roles["Heng"], roles["Broad"], roles["April"], roles["Rain"]) == ("paragraph", "paragraph", "paragraph", "contents")


def test_numbers_that_do_not_rise_are_no_contents() -> None:
    rows = [(name, number) for (name, _), number in zip(ENTRIES, ("87", "3", "120", "41", "5"), strict=True)]
    pieces = [piece for n, row in enumerate(rows) for piece in (Piece(row[0], 120, 150 + 20 * n), Piece(row[1], 480, 150 + 20 * n))]
    page = make_page(1, [Piece("Contents", 200, 100, LARGE), *pieces])
    assert "contents" not in {b.role for b in blocks_of([page, make_page(2, flow(sentence(400), 72, 100, 80))])}


def page_of_code(lead: str, code: str) -> list[PageLines]:
    """A page of prose whose last line has a lead in the body's font and goes on in a monospaced one, and a page of prose."""
    page = make_page(1, [*flow(sentence(150), 72, 100, 80), Piece(lead + code, 72, 400, CODE)])
    page.lines[-1] = replace(page.lines[-1], spans=((0, 0), (len(lead), page.lines[-1].style)))
    return [page, make_page(2, flow(sentence(300, 1), 72, 100, 80))]


@pytest.mark.parametrize(
    ("lead", "code", "role"),
    [
        ("• ", "build-essential", "list_item"),
        ("• the package ", "build-essential and fakeroot", "list_item"),
        ("Location: ", "src/ecdsa/signature.rs", "paragraph"),
        ("", "• build-essential", "code"),
        ("12 ", "dh build-essential --with silt", "code"),  # a number of a line
    ],
)
def test_a_line_led_by_a_bullet_or_words_in_another_font_is_no_code(lead: str, code: str, role: str) -> None:
    assert [b.role for b in blocks_of(page_of_code(lead, code)) if "build-essential" in b.text or "src/" in b.text] == [role]


def test_code_in_small_type_at_the_foot_of_a_page_is_no_footnote() -> None:
    code = [Piece(line, 72, 400 + 11 * n, CODE) for n, line in enumerate(("#!/bin/sh", "set -e", "dh_testdir"))]
    page = make_page(1, [*flow(sentence(150), 72, 100, 80), *code, Piece("¹It is read by the shell.", 72, 480, SMALL)])
    page.rules = np.array([[70, 388, 500, 389]], np.float32)  # the upper side of the frame of a listing
    blocks = blocks_of([page, make_page(2, flow(sentence(300, 1), 72, 100, 80))])
    assert [(b.role, b.text) for b in blocks if b.role != "paragraph"] == [
        ("code", "#!/bin/sh\nset -e\ndh_testdir"),
        ("footnote", "¹It is read by the shell."),
    ]


def test_a_note_that_is_all_code_keeps_its_raised_number() -> None:
    page = make_page(1, [*flow(sentence(150), 72, 100, 80), Piece("¹https://example.org/silt", 72, 480, CODE)])
    blocks = blocks_of([page, make_page(2, flow(sentence(300, 1), 72, 100, 80))])
    assert [b.role for b in blocks if b.text.startswith("¹")] == ["footnote"]


@pytest.mark.parametrize("font", ["SFTT1095", "SFST1095", "SFIT1000", "ECST1000", "CMITT10", "CMSLTT10", "LMMonoSlant10-Regular"])
def test_upright_and_slanted_typewriter_of_tex_are_monospaced(font: str) -> None:
    assert is_typewriter(font)


@pytest.mark.parametrize("font", ["SFTI1000", "SFSI1095", "SFSS1095", "ECTI1000", "CMTI10", "SFRM1000"])
def test_other_slanted_fonts_of_tex_are_not(font: str) -> None:
    assert not is_typewriter(font)


def test_words_in_another_font_may_lead_code_of_several_lines() -> None:
    page, other = page_of_code("Example: ", "dh build-essential --with silt \\")
    more = make_page(1, [*flow(sentence(150), 72, 100, 80), Piece("x", 72, 400, CODE), Piece("--with barley", 72, 411, CODE)])
    more.lines[-2] = page.lines[-1]
    (found,) = [b for b in blocks_of([more, other]) if "build-essential" in b.text]
    assert (found.role, found.text.count("\n")) == ("code", 1)


def test_code_keeps_its_blank_lines_its_indents_behind_numbers_and_wide_gaps() -> None:
    rows = ("def river(silt):", "    town  = 1", "    wheat = silt", "", "17      dh $@   # a rule", "", "", "end")
    step = CHAR * CODE.size
    pieces: list[Piece] = list(flow(sentence(150), 72, 100, 80))
    lines = []
    for n, row in enumerate(rows):
        if row:
            left = len(row) - len(row.lstrip())
            pieces.append(Piece(row.lstrip(), 72 + step * left, 400 + 11 * n, CODE))
            lines.append(row)
    page = make_page(1, pieces)
    for n, line in enumerate(page.lines):  # lines hold single spaces only; the gaps are in the boxes of words
        words = page.word_lines == n
        text = " ".join(line.text.split())
        starts = [0]
        for word in text.split(" ")[:-1]:
            starts.append(starts[-1] + len(word) + 1)
        page.lines[n] = replace(line, text=text)
        page.word_spans[words] = [(start, start + len(word)) for start, word in zip(starts, text.split(" "), strict=True)]
    (found,) = [b for b in blocks_of([page, make_page(2, flow(sentence(300, 1), 72, 100, 80))]) if b.role == "code"]
    assert found.text == "\n".join(rows)


@pytest.mark.parametrize(
    ("spacing", "heights", "text"),
    [
        (12.0, (100, 112, 136, 300), "a\nb\n\nc\n\n\nd"),
        (0.0, (100, 100, 100, 100), "a\nb\nc\nd"),  # a damaged page may have all lines at one height
    ],
)
def test_blank_lines_of_code(spacing: float, heights: tuple[float, ...], text: str) -> None:
    lines = [CodeLine(letter, 72, 78, height, 10) for letter, height in zip("abcd", heights, strict=True)]
    assert set_code(lines, spacing).text == text
