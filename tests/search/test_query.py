"""What is typed to what is asked: everything has a meaning or a clear reason, and nothing reaches the index that it cannot parse."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.search.query import MAX_DEPTH, MAX_PHRASES, MAX_WORDS, Leaf, parse_query
from pdfmill.pipeline.search.search_index import open_index


def leaves(text: str) -> list[Leaf]:
    return list(parse_query(text).leaves)


def test_words_phrases_beginnings_and_fields() -> None:
    assert leaves("Reading order") == [Leaf("reading", typed="reading"), Leaf("order", typed="order")]
    assert leaves('"Reading order"') == [Leaf("reading order", quoted=True)]
    assert leaves("archiv*") == [Leaf("archiv", None, True)]
    assert leaves("état-maj*") == [Leaf("etat", typed="état"), Leaf("maj", None, True)]
    assert leaves('heading:plans Title:"the archive"') == [
        Leaf("plans", "heading", typed="plans"),
        Leaf("the archive", "title", quoted=True),
    ]
    assert leaves("東京都") == [Leaf("東京 京都")]
    assert leaves("東京ab*") == [Leaf("東京"), Leaf("ab", None, True)]
    assert leaves('"東京都 文書"') == [Leaf("東京 京都 文書", quoted=True)]
    assert parse_query('"東京都 文書"').understood() == '"東京都 文書"'
    assert [leaf.text for leaf in leaves("note: this (one)")] == ["note", "this", "one"]
    assert [(leaf.text, leaf.typed) for leaf in leaves("l'été, 2.5.1 x@example.org")] == [
        ("l", "l"), ("ete", "été"), ("2 5 1", ""), ("x example org", ""),
    ]  # fmt: skip
    assert [(leaf.text, leaf.edits) for leaf in leaves("archive~ harbour~2")] == [("archive", 1), ("harbour", 2)]


def test_operators_make_a_tree() -> None:
    query = parse_query("a AND (b OR c) NOT d")
    assert query.root is not None
    assert [leaf.text for leaf in query.leaves] == ["a", "b", "c"]
    assert query.understood() == "a AND (b OR c) NOT d"
    assert parse_query("bridge -stone").understood() == "bridge NOT stone"
    assert parse_query("-5 degrees --option").root is None


def test_queries_are_bounded() -> None:
    assert len(parse_query("w " + " ".join(f"w{number}" for number in range(1500))).leaves) == MAX_WORDS
    for text in (
        "b AND " + "(" * (MAX_DEPTH + 1) + "a",
        "NOT " * 2000 + "a",
        "a AND " + " OR ".join(["b"] * 100),
        "a" * 100_000,
        "b~ " * 9,
    ):
        with pytest.raises(SearchError, match=r"levels of|at most"):
            parse_query(text)
    for sign in "~*":
        with pytest.raises(SearchError, match="9 words followed by ~ or"):
            parse_query(f"b{sign} " * 9)


def test_phrases_are_bounded() -> None:
    phrases = [f'"a b{number}"' for number in range(MAX_PHRASES + 1)]
    assert len(parse_query(" OR ".join(phrases[1:])).leaves) == MAX_PHRASES
    with pytest.raises(SearchError, match=f"{MAX_PHRASES + 1} phrases; at most {MAX_PHRASES}"):
        parse_query(" OR ".join(phrases))
    plain = parse_query(f"{' '.join(phrases)} last")
    assert [leaf.text for leaf in plain.leaves] == [*(phrase.strip('"') for phrase in phrases[:-1]), "last"]
    assert f"at most {MAX_PHRASES} phrases" in plain.notes[0]
    assert not parse_query(" ".join(phrases[1:])).notes


def test_a_heading_in_capitals_is_words() -> None:
    assert parse_query("TERMS AND CONDITIONS OF USE").root is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no word"), ('"..."', "no word"), ("a OR", "OR needs"), ("AND b", "AND needs"), ("a NOT", "NOT needs"),
        ("NOT a", "only unwanted words"), ("b (NOT a NOT c)", "only unwanted words"), ("( ) OR a", "needs words"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_told(text, reason) -> None:
    with pytest.raises(SearchError, match=reason):
        parse_query(text)


TYPED = [
    *("AND", "OR", "NOT", "(", ")", '"', "a", "b*", "c~", "-d", "heading:", "title:x", "no:x"),
    *("東京", "'", "é", "-", ":", "^", "[", "\\", "2.5"),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(TYPED), max_size=9))
def test_whatever_is_typed_is_answered_or_a_sentence(tables: str, words: list[str]) -> None:
    index = open_once(tables)
    try:
        results = index.search(" ".join(words))
    except SearchError as error:
        if "the query" not in str(error):
            raise
    else:
        assert results.understood


open_once = cache(open_index)
