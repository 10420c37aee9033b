"""Line-end hyphens: typesetter's or the word's own."""

from __future__ import annotations

import pytest

from pdfmill.transforms.language.language_words import WordList
from pdfmill.transforms.layout.page.hyphens import hyphenator, join_lines
from pdfmill.transforms.layout.settings.layout_settings import HyphenMode

ENGLISH = hyphenator("en")


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["neu-", "tral"], "neutral"),
        (["neu\u2010", "tral"], "neutral"),
        (["op\u00ad", "tional"], "optional"),
        (["a", "b"], "a b"),
        (["pages 12-", "14"], "pages 12-14"),
        (["Anglo-", "American"], "Anglo-American"),
        (["Haus-", "und Hof"], "Haus- und Hof"),
        (["日本", "語"], "日本語"),
        (["a -", "b"], "a - b"),
        ([], ""),
        (["", "a"], "a"),
        (["http://", "a.org"], "http://a.org"),
        (["http://www.jstatsoft.", "org/v48/i06."], "http://www.jstatsoft.org/v48/i06."),
        (["www.rivers.org/in-", "dex.html"], "www.rivers.org/index.html"),
        (["https://a.org/find?river=", "Elbe"], "https://a.org/find?river=Elbe"),
        (["https://a.org/plan.", "pdf."], "https://a.org/plan.pdf."),
        (["see https://a.org/", "and so on"], "see https://a.org/ and so on"),
        (["see https://a.org.", "The town"], "see https://a.org. The town"),
        (["see https://a.org, the town.", "org"], "see https://a.org, the town. org"),
    ],
)
def test_joining(lines: list[str], text: str) -> None:
    assert join_lines(lines, may_break=ENGLISH).text == text


def test_a_compound_of_the_document_stays() -> None:
    assert join_lines(["double-", "barrelled"], words={"double-barrelled"}, may_break=ENGLISH).text == "double-barrelled"


def test_a_word_of_the_document_is_joined_without_a_dictionary() -> None:
    assert join_lines(["metho-", "dology"], words={"methodology"}, may_break=lambda word, at: False).text == "methodology"


def test_modes() -> None:
    lines = ["neu-", "tral op\u00ad", "tional"]
    assert join_lines(lines, mode=HyphenMode.OFF, may_break=ENGLISH).text == "neu- tral op\u00ad tional"
    assert join_lines(lines, mode=HyphenMode.SOFT, may_break=ENGLISH).text == "neu- tral optional"


def test_offsets_carry_positions_of_lines_into_the_text() -> None:
    lines = ["an upright, neu-", "tral look", "and more"]
    joined = join_lines(lines, may_break=ENGLISH)
    assert joined.text == "an upright, neutral look and more"
    for number, line in enumerate(lines):
        for position, character in enumerate(line):
            if (number, position) != (0, len(line) - 1):
                assert joined.text[joined.offset(number, position)] == character
    assert joined.breaks == (len("an upright, neu"),)


def test_a_language_without_patterns() -> None:
    assert hyphenator("ja") is None
    assert hyphenator(None) is None


@pytest.mark.parametrize(
    ("language", "lines", "text"),
    [
        ("en", ["double-", "barrelled"], "double-barrelled"),
        ("en", ["state-of-the-", "art"], "state-of-the-art"),
        ("en", ["X-", "ray"], "X-ray"),
        ("en", ["infor-", "mation"], "information"),
        ("en", ["non-", "linear"], "nonlinear"),
        ("en", ["Schwarzen-", "egger"], "Schwarzenegger"),
        ("fr", ["peut-", "être"], "peut-être"),
        ("fr", ["déve-", "loppement"], "développement"),
        ("es", ["desa-", "rrollo"], "desarrollo"),
        ("it", ["svi-", "luppo"], "sviluppo"),
        ("pt", ["guarda-", "chuva"], "guarda-chuva"),
        ("de", ["Donaudampf-", "schiff"], "Donaudampfschiff"),
        ("nl", ["ont-", "wikkeling"], "ontwikkeling"),
        ("ru", ["разви-", "тие"], "развитие"),
    ],
)
def test_compounds_keep_their_hyphen_and_broken_words_do_not(language: str, lines: list[str], text: str) -> None:
    assert join_lines(lines, words=WordList((), language), may_break=hyphenator(language)).text == text


def test_words_of_the_page_and_of_the_document_are_known() -> None:
    words = WordList({"time-out"}, "xx", ["A workflow of", "well-known over-", "laps, foo", "bar's"])
    assert [word for word in ("workflow", "well-known", "well", "over", "laps", "foo", "bar", "time-out", "work") if word in words] == [
        "workflow",
        "well-known",
        "foo",
        "bar",
        "time-out",
    ]
    assert join_lines(["work-", "flow"], words=words, may_break=ENGLISH).text == "workflow"


def test_a_list_is_searched_in_place() -> None:
    words = WordList((), "en")
    assert all(word in words for word in ("a", "zoo", "information", "it's"))
    assert not any(word in words for word in ("", "informatio", "zzzzzz", "\ud800"))


def test_a_line_that_leaves_room_for_a_word_ends_at_a_space_between_phrases() -> None:
    lines = ["ຍຸດຕິທຳ", "ແລະ", "ສິດ"]
    assert join_lines(lines).text == "ຍຸດຕິທຳແລະສິດ"
    assert join_lines(lines, is_short=lambda line: line == 0).text == "ຍຸດຕິທຳ ແລະສິດ"
    assert join_lines(["世界", "人权"], is_short=lambda _: True).text == "世界人权"
