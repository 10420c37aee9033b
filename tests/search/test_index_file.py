"""What the index keeps of pages, and what it knows of terms without reading through them."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator

import pytest

from pdfmill.pipeline.search.index_file import SAMPLED_PAGES, Codec, Writer, count_common, create, set_dictionary, stored_pages
from pdfmill.pipeline.search.read_tables import Document, Page, Section

WORDS = ["harbour", "storm", "bridge", "register", "letter", "archive", "flood", "stone", "repair", "ferry", "council", "wheat", "library"]


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    found = sqlite3.connect(":memory:", isolation_level=None)
    create(found)
    yield found
    found.close()


def text(number: int) -> str:
    chance = random.Random(number)
    return " ".join(chance.choices(WORDS, k=60)) + f" {number}"


def document(name: str, texts: list[str]) -> Document:
    pages = [Page(number, each, "en", [(0, 7)]) for number, each in enumerate(texts, start=1)]
    sections = [Section(number, "text", ["Chapter", f"Part {number}"], [(number, 0, 20)]) for number, _ in enumerate(texts, start=1)]
    return Document(name, f"file:///{name}.pdf", None, name, "en", pages, sections)


def test_pages_come_back_as_they_were_with_a_dictionary_and_without(database: sqlite3.Connection) -> None:
    texts = [text(number) for number in range(SAMPLED_PAGES.start)]
    plain = len(Codec(database).deflate(texts[0].encode()))
    set_dictionary(database, texts[:-1])
    assert len(Codec(database).deflate(texts[0].encode())) == plain, "of so few pages none is made"
    set_dictionary(database, texts)
    codec = Codec(database)
    assert len(codec.deflate(texts[0].encode())) < plain
    writer = Writer(database)
    writer.add(document("a", ["", "Größe \ud800 東京", texts[0]]), "part", "")
    writer.add(document("b", texts[1:3]), "part", "")
    found = dict(stored_pages(database, codec, range(4)))
    assert [page.text for page in found.values()] == ["Größe \ud800 東京", *texts[:3]]
    assert found[0].headings == [(0, 7)]
    assert found[0].places == [(2, 0, 20)]
    writer.remove("a")
    assert database.execute("SELECT count(*), min(id) FROM texts").fetchone() == (2, 2)
    writer.remove("b")
    assert database.execute("SELECT count(*) FROM vocabulary").fetchone() == (0,), "all terms that were put in are out"


def test_terms_that_many_pages_have_are_counted_again_when_many_came(database: sqlite3.Connection) -> None:
    def noted() -> dict[str, int]:
        return dict(database.execute("SELECT term, pages FROM common"))

    writer = Writer(database)
    writer.add(document("a", [f"harbour {number}" for number in range(30)]), "part", "")
    count_common(database)
    assert noted()["harbour"] == 30
    assert "7" not in noted(), "one page has it"
    writer.add(document("b", ["harbour"]), "part", "")
    count_common(database)
    assert noted()["harbour"] == 30, "one page more makes no difference"
    writer.add(document("c", ["storm"] * 30), "part", "")
    count_common(database)
    assert (noted()["harbour"], noted()["storm"]) == (31, 30)
