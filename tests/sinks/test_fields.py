"""What a row looks like on its way out, and what an engine is told of it: pure functions."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.tables.sinks.fields import EXPORTED, exported_fields, exported_rows, form_of, own_columns
from pdfmill.transforms.tables.sinks.mapping import ANALYSERS, embedding_field, engine_document, index_body
from pdfmill.transforms.tables.sinks.shapes import LINES, metadata, solr
from pdfmill.transforms.tables.sinks.sink import SINKS, Cursor, open_sink, parse_target, target_examples

DOCUMENT = {
    "doc_id": "d", "source_uri": "file:///a.pdf", "file_name": "a.pdf", "source_modified": datetime(2026, 11, 22, tzinfo=UTC),
    "title": "A", "page_count": 3, "language": "en", "author": "Ada", "created": datetime(2026, 2, 28, tzinfo=UTC),
}  # fmt: skip
SECTION = {
    "doc_id": "d", "section": 2, "id": "s2", "heading_path": ["One", "Two"], "text": "Two\n\nwords", "kind": "text", "language": None,
    "first_page": 1, "last_page": 2, "boxes": [{"page": 1, "x0": float("nan"), "top": 1.26, "x1": 3.0, "bottom": 4.0}], "places": [],
}  # fmt: skip


@pytest.mark.parametrize("table", EXPORTED)
def test_an_exported_row_has_the_fields_that_are_told(table):
    row = SECTION if table == "sections" else {**DOCUMENT, "page": 1}
    (made,) = exported_rows(table, [row], {"d": DOCUMENT})
    assert sorted(made) == sorted(exported_fields(table).names)
    assert set(own_columns(table)) <= set(TABLES[table].names)
    json.dumps(made, allow_nan=False)
    assert (made["title"], made["author"], made["created"]) == ("A", "Ada", "2026-02-28T00:00:00+00:00")


def test_what_json_has_no_word_for_is_null():
    (made,) = exported_rows("sections", [SECTION], {"d": DOCUMENT})
    assert made["boxes"] == [{"page": 1, "x0": None, "top": 1.26, "x1": 3.0, "bottom": 4.0}]
    assert made["source_modified"] == "2026-11-22T00:00:00+00:00"


def test_a_passage_too_short_to_tell_has_its_documents_analyser():
    (made,) = exported_rows("sections", [SECTION], {"d": DOCUMENT})
    told = engine_document(made, 7)
    assert (told["text_english"], told["heading_path_english"], told["snapshot"]) == (made["text"], ["One", "Two"], 7)
    assert "language" not in told
    assert not [
        name for name in engine_document(made | {"document_language": "pl"}, 7) if name.startswith("text_") and name != "text_sha256"
    ]


def test_the_mapping_has_every_field_that_is_sent():
    body = index_body(exported_fields("sections"), {"pdfmill": {}}, embedding_field("opensearch", 3))
    for language in [*ANALYSERS, None]:
        (made,) = exported_rows("sections", [SECTION | {"language": language}], {"d": DOCUMENT})
        assert engine_document(made | {"embedding": [0.0] * 3}, 0).keys() <= body["mappings"]["properties"].keys()
    assert body["settings"]["index"] == {"knn": True}
    assert body["mappings"]["properties"]["embedding"] == {"type": "knn_vector", "dimension": 3}
    assert embedding_field("elasticsearch", 3) == {"type": "dense_vector", "dims": 3}


def test_another_shape_has_another_form():
    forms = {form_of(table, version) for table in EXPORTED for version in ("1", "2")}
    assert len(forms) == 2 * len(EXPORTED)


def test_changes_lead_only_forward_and_within_one_form():
    at = Cursor("source", "pages", 3, "form")
    assert at.is_before(Cursor("source", "pages", 4, "form"))
    for other in [
        ("source", "pages", 2, "form"),
        ("other", "pages", 4, "form"),
        ("source", "sections", 4, "form"),
        ("source", "pages", 4, "new"),
    ]:
        assert not at.is_before(Cursor(*other))
    assert not Cursor("source", "pages", -1, "form").is_before(Cursor("source", "pages", -1, "form"))


def test_what_stands_beside_a_text_is_for_citations():
    (made,) = exported_rows(
        "sections", [SECTION | {"boxes": [{"page": 1, "x0": 72.04, "top": 1.26, "x1": 3.0, "bottom": 4.0}]}], {"d": DOCUMENT}
    )
    told = metadata(made)
    assert (told["source"], told["page"], told["last_page"], told["headings"]) == ("file:///a.pdf", 1, 2, "One > Two")
    assert json.loads(told["boxes"]) == [[1, 72.0, 1.3, 3.0, 4.0]]
    assert all(LINES[name](made) for name in LINES)


def test_solr_gets_names_that_its_default_configuration_knows():
    (made,) = exported_rows("sections", [SECTION | {"language": "cs"}], {"d": DOCUMENT})
    told = solr(made)
    ends = ("_s", "_ss", "_l", "_f", "_b", "_txt", "_txt_cz")
    assert [name for name in told if name != "id" and not name.endswith(ends)] == []
    assert told["text_txt"] == told["text_txt_cz"] == made["text"]
    assert all(not isinstance(value, dict) for value in told.values())


def test_every_target_can_be_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, example in zip(SINKS, target_examples(), strict=True):
        target = parse_target(example)
        assert target.name == name
        open_sink(target).close()
