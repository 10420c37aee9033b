"""Each limit, with the row and the message that a user gets when it is reached."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road.guarded_road import calls_of_process, walk_together_guarded
from pdfmill.transforms.road.job_settings import ReadSettings
from tests.pdf.make import embedded, make_pdf, script
from tests.torture.reading import Outcome, endless, flate_bomb, page, read, stream
from tests.walked import job_of, walk_rows


def test_every_limit_is_reached_in_a_test_of_this_file():
    limits = [field for field in ReadSettings.__struct_fields__ if field.startswith(("max_", "seconds_")) or field.endswith("_ratio")]
    assert len(limits) >= 11
    here = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in limits if f", {name}=" not in here] == []


@pytest.fixture
def outcome(tmp_path):
    def of(data: bytes, **settings: Any) -> Outcome:
        return read(tmp_path / "hostile.pdf", data, **settings)

    return of


def test_bytes_of_an_object(outcome):
    found = outcome(make_pdf(), max_bytes=100)
    assert found.reason == ("failed", "too_large")
    assert "the limit is 100 bytes" in found.row["error_message"]


def test_pages_of_a_document(outcome):
    found = outcome(make_pdf(pages=4), max_pages=3)
    assert found.reason == ("failed", "too_large")
    assert found.row["error_message"].endswith(".pdf: the document has 4 pages; the limit is 3")


def test_glyphs_of_a_page(outcome):
    found = outcome(make_pdf(pages=3, text="x"), max_glyphs=2)
    assert found.reason == ("failed", "too_large")
    assert found.row["error_message"] == "page 1: the page has 3 characters; the limit is 2"
    assert [row["error_code"] for row in found.pages] == ["too_large"] * 3


def test_bytes_out_of_a_stream(outcome):
    def edit(pdf: Any) -> None:
        pdf.Root.Names = Dictionary(
            JavaScript=Dictionary(
                Names=Array([String("a"), script("x" * 300), String("b"), Dictionary(S=Name.JavaScript, JS=pdf.make_stream(b"y" * 5000))])
            )
        )
        embedded(pdf, b"z" * 5000, "large.bin")

    found = outcome(make_pdf(edit), max_stream=4000)
    assert found.warnings("facts_javascript") == ["javascript cannot be read: a stream inflates to more than 4000 bytes"]
    assert found.pages[0]["text"] == "Hello 1"


def test_ratio_of_a_stream(outcome):
    attached = b"/Names<</EmbeddedFiles<</Names[(bomb)<</Type/Filespec/F(bomb)/EF<</F 6 0 R>>>>"
    attached += b"(fine)<</Type/Filespec/F(fine)/EF<</F 7 0 R>>>>]>>>>"
    data = page(catalog=attached, more=[flate_bomb(40), stream(b"fine")])
    found = outcome(data)
    assert found.reason == ("ok", None)
    (message,) = found.warnings("attachment_unreadable")
    assert "inflates to more than 500 times" in message
    assert [asset["name"] for asset in found.assets] == ["fine"]
    assert outcome(data, attachment_ratio=2000).warnings("attachment_unreadable") == []


def test_nesting(outcome):
    def edit(pdf: Any) -> None:
        node = pdf.make_indirect(Dictionary(Title=String("last")))
        for level in range(8):
            node = pdf.make_indirect(Dictionary(Title=String(f"level {8 - level}"), First=node))
        pdf.Root.Outlines = Dictionary(First=node)

    found = outcome(make_pdf(edit), max_nesting=5)
    assert [item["level"] for item in found.row["outline"]] == [1, 2, 3, 4, 5]
    assert found.warnings("too_large") == ["objects are nested deeper than 5 levels; the deeper ones are left out"]


def nested(levels: int) -> bytes:
    data = make_pdf()
    for _ in range(levels):
        inner = data
        data = make_pdf(
            lambda pdf, inner=inner: pdf.Root.__setattr__(
                "Names", Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("a"), embedded(pdf, inner, "inner.pdf")])))
            )
        )
    return data


def test_depth_of_attachments(outcome):
    found = outcome(nested(4), max_depth=2)
    assert len(found.children) == 2
    assert found.children[-1].warnings("too_large") == ["PDFs attached more than 2 levels deep are not read"]
    assert [asset["child_doc_id"] for asset in found.children[-1].assets] == [None]


def test_number_of_attached_documents(outcome):
    def edit(pdf: Any) -> None:
        names = [
            part for number in range(6) for part in (String(f"{number}"), embedded(pdf, make_pdf(text=f"inner {number}"), f"{number}.pdf"))
        ]
        pdf.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Names=Array(names)))

    found = outcome(make_pdf(edit), max_children=4)
    assert len(found.children) == 4
    assert found.warnings("too_large") == ["there are more than 4 attached PDFs; the rest are not read"]
    assert sum(asset["child_doc_id"] is None for asset in found.assets) == 2


def test_time_of_a_document(outcome):
    found = outcome(endless(), seconds_per_document=2.0, seconds_per_page=2.0)
    assert found.reason == ("failed", "timed_out")
    assert found.row["error_message"].endswith("page 1: reading it took longer than the limit of 2 s")


def test_the_pages_around_a_slow_one_survive(outcome):
    found = outcome(endless(2, 1), seconds_per_document=3.0, seconds_per_page=3.0)
    assert found.reason == ("partial", "timed_out")
    assert [(row["text"], row["error_code"]) for row in found.pages] == [
        ("Hello", None),
        ("Hello", None),
        ("", "timed_out"),
        ("Hello", None),
    ]


@pytest.mark.timeout(300)
def test_a_slow_page_has_its_own_time_in_a_call_that_has_much_more(tmp_path):
    """Small documents are read in one call, with the time of a document."""
    refs = [DocumentRef.of_uri((tmp_path / f"{name}.pdf").as_uri()) for name in ("fast", "slow", "last")]
    for ref, data in zip(refs, (make_pdf(), endless(1), make_pdf()), strict=True):
        Path(urlsplit(ref.uri).path).write_bytes(data)
    job = job_of(ReadSettings(seconds_per_document=1000.0, seconds_per_page=2.0))
    walks = [found for _, walk in walk_together_guarded(refs, job, calls_of_process(job.read)) for found in walk]
    assert [(each.pages, each.failures, each.book is None) for each in walks] == [(1, 0, True), (2, 1, False), (1, 0, True)]
    (row,) = walk_rows(refs[1], job)["documents"]
    assert (row["status"], row["error_code"]) == ("partial", "timed_out")
    assert row["error_message"].endswith("slow.pdf, page 2: reading it took longer than the limit of 2 s")


@pytest.mark.timeout(300)
def test_a_slow_page_that_ocr_samples_loses_no_other_page(outcome):
    """Every page of a short document is examined for its language and fonts."""
    found = outcome(endless(1, 1), seconds_per_document=1000.0, seconds_per_page=2.0, ocr=True)
    assert found.row["status"] == "partial"
    assert [row["error_code"] for row in found.pages] == [None, "timed_out", None]


def test_memory_of_a_document(outcome):
    started = time.monotonic()
    found = outcome(page(stream(b"x" * (90 << 20))), max_memory=64 << 20)
    assert found.reason == ("failed", "out_of_memory")
    assert "needed more memory than the limit of 64 MB" in found.row["error_message"]
    assert time.monotonic() - started < 60
