"""What is typed to what is asked: everything has a meaning or a clear reason, and nothing reaches SQLite that it cannot parse."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.search.query import HEADING, TITLE, Leaf, expression, parse_query


def leaves(text: str) -> list[Leaf]:
    return list(parse_query(text).leaves)


def test_words_phrases_beginnings_and_fields() -> None:
    assert leaves("Reading order") == [Leaf(("reading",)), Leaf(("order",))]
    assert leaves('"Reading order"') == [Leaf(("reading", "order"))]
    assert leaves("archiv*") == [Leaf(("archiv",), None, True)]
    assert leaves('heading:plans Title:"the archive"') == [Leaf(("plans",), HEADING), Leaf(("the", "archive"), TITLE)]
    assert leaves("東京都") == [Leaf(("東京",)), Leaf(("京都",))]
    assert leaves("note: this (one)") == [Leaf(("note",)), Leaf(("this",)), Leaf(("one",))]


def test_operators_make_a_tree() -> None:
    query = parse_query("a AND (b OR c) NOT d")
    assert query.root is not None
    assert [leaf.terms for leaf in query.leaves] == [("a",), ("b",), ("c",)]
    assert " NOT " in expression(query.root)


def test_a_heading_in_capitals_is_words() -> None:
    assert parse_query("TERMS AND CONDITIONS OF USE").root is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no word"), ('"..."', "no word"), ("a OR", "OR needs"), ("AND b", "AND needs"), ("a NOT", "NOT needs"),
        ("NOT a", "not wanted"), ("( ) OR a", "needs words"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_told(text, reason) -> None:
    with pytest.raises(SearchError, match=reason):
        parse_query(text)


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    found = sqlite3.connect(":memory:")
    found.execute("CREATE VIRTUAL TABLE body USING fts5(terms, content='', detail=none, columnsize=0, tokenize='ascii')")
    return found


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["AND", "OR", "NOT", "(", ")", '"', "a", "b*", "heading:", "title:x", "東京", "'", "é", "-", ":", "^"]), max_size=9
    )
)
def test_whatever_is_typed_sqlite_understands(database, words) -> None:
    try:
        query = parse_query(" ".join(words))
        asked = expression(query.root) if query.root is not None else " AND ".join(leaf.expression() for leaf in query.leaves)
    except SearchError:
        return
    database.execute("SELECT rowid FROM body WHERE body MATCH ?", (asked,)).fetchall()
