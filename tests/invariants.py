"""The contract's invariants, checked on an output folder."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pdfmill.schemas.codes import ERROR_CODES, FURNITURE_ROLES, ROLES, SECTION_KINDS, STATUSES
from pdfmill.schemas.tables import TABLES, key_of
from pdfmill.transforms.layout.page.patterns import mask_digits
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.storage.objects import read_file
from pdfmill.transforms.tables.output_layout import table_parts

_KEYS = {table: list(key_of(table)) for table in TABLES}


def read_tables(output: str) -> dict[str, pa.Table]:
    """Every table whole, sorted by its key, whatever parts it lies in."""
    tables = {}
    for table, schema in TABLES.items():
        parts = [pq.read_table(io.BytesIO(read_file(uri))) for uri in table_parts(output, table)]
        whole = pa.concat_tables(parts) if parts else schema.empty_table()
        tables[table] = whole.sort_by([(key, "ascending") for key in _KEYS[table]])
    return tables


def check_invariants(tables: dict[str, pa.Table], *, inputs: int | None = None) -> None:
    """Assert all of them; inputs: how many objects went in."""
    documents, pages, blocks, sections, assets = (tables[name].to_pylist() for name in TABLES)
    for name, table in tables.items():
        assert table.schema.equals(TABLES[name], check_metadata=False), name
        keys = Counter(tuple(row[key] for key in _KEYS[name]) for row in table.select(_KEYS[name]).to_pylist())
        assert not [key for key, count in keys.items() if count > 1], f"{name}: keys more than once"
    if inputs is not None:
        assert sum(row["parent_doc_id"] is None for row in documents) == inputs
    _check_documents(documents, pages, assets)
    by_page = {(row["doc_id"], row["page"]): row for row in pages}
    for row in pages:
        _check_page(row)
    for row in blocks:
        _check_block(row, by_page[row["doc_id"], row["page"]])
    _check_left_out(blocks)
    _check_sections(sections, blocks, by_page)


def _check_documents(documents: list[dict[str, Any]], pages: list[dict[str, Any]], assets: list[dict[str, Any]]) -> None:
    counted = Counter(row["doc_id"] for row in pages)
    ids = {row["doc_id"] for row in documents}
    for row in documents:
        assert counted[row["doc_id"]] == row["page_count"], row["source_uri"]
        assert row["status"] in STATUSES
        assert (row["error_code"] is None) == (row["status"] == "ok"), row["source_uri"]
        assert row["error_code"] is None or (row["error_code"] in ERROR_CODES and row["error_message"]), row["source_uri"]
        assert row["parent_doc_id"] is None or row["parent_doc_id"] in ids
    assert set(counted) <= ids
    assert {row["doc_id"] for row in assets} <= ids
    assert {row["child_doc_id"] for row in assets} - {None} <= ids


def _check_page(row: dict[str, Any]) -> None:
    text = row["text"]
    where = (row["doc_id"], row["page"])
    assert row["char_count"] == len(text)
    assert row["page"] >= 1
    for word in row["words"]:
        part = text[word["start"] : word["end"]]
        assert part, (*where, word)
        assert part == part.strip(), (*where, part)
        assert 0 <= word["start"] < word["end"] <= len(text), (*where, word)


def _check_block(row: dict[str, Any], page: dict[str, Any]) -> None:
    where = (row["doc_id"], row["page"], row["block"], row["role"])
    assert row["role"] in ROLES, where
    assert (row["text_start"] is None) == (row["text_end"] is None), where
    if row["text_start"] is not None:
        assert page["text"][row["text_start"] : row["text_end"]] == row["text"], where
    else:
        assert row["role"] in FURNITURE_ROLES, where
    assert row["role"] != "heading" or row["level"] >= 1, where
    assert all(box["page"] == row["page"] for box in row["boxes"]), where


def _check_left_out(blocks: list[dict[str, Any]]) -> None:
    """Nothing that no other page repeats leaves the text of its page."""
    pages: dict[tuple[str, str], set[int]] = defaultdict(set)
    left_out = [row for row in blocks if row["text_start"] is None]
    for row in left_out:
        pages[row["doc_id"], mask_digits(row["text"][: DEFAULTS.edge_chars])].add(row["page"])
    for row in left_out:
        key = row["doc_id"], mask_digits(row["text"][: DEFAULTS.edge_chars])
        assert len(pages[key]) > 1, (*key, row["page"])


def _check_sections(sections: list[dict[str, Any]], blocks: list[dict[str, Any]], by_page: dict[tuple[str, int], dict[str, Any]]) -> None:
    """All text but furniture stands in one section, in order and where its places say."""
    assert len({row["id"] for row in sections}) == len(sections)
    found: dict[str, list[str]] = defaultdict(list)
    for row in sections:
        where = (row["doc_id"], row["section"])
        assert row["kind"] in SECTION_KINDS, where
        assert {row["first_page"], row["last_page"]} <= {place["page"] for place in row["places"]}, where
        assert {box["page"] for box in row["boxes"]} <= {place["page"] for place in row["places"]}, where
        for place in row["places"]:
            stands = by_page[row["doc_id"], place["page"]]["text"][place["start"] : place["end"]]
            assert row["text"][place["offset"] :].startswith(stands), where
        found[row["doc_id"]] += row["text"].split()
    wanted: dict[str, list[str]] = defaultdict(list)
    for row in blocks:
        if row["role"] not in FURNITURE_ROLES:
            wanted[row["doc_id"]] += row["text"].split()
    # Characters, not words: a word longer than a section is cut within.
    assert {key: "".join(words) for key, words in found.items() if words} == {key: "".join(words) for key, words in wanted.items() if words}


def assert_known_tables(found: dict[str, pa.Table], known: Iterable[dict[str, pa.Table]], *, is_changing: bool) -> None:
    """Assert that every table is that of one of the known runs, and all are of the same one. is_changing: one run's tables are being
    exchanged for another's, so that some may be of the one and some of the other; never is one table a mixture."""
    known = list(known)
    runs = {name: {number for number, tables in enumerate(known) if table.equals(tables[name])} for name, table in found.items()}
    assert all(runs.values()), {name: table.num_rows for name, table in found.items()}
    assert is_changing or set.intersection(*runs.values()), runs


def assert_same_tables(ours: dict[str, pa.Table], theirs: dict[str, pa.Table], *, but: tuple[str, ...] = ("assets.uri",)) -> None:
    """Assert that two runs wrote the same values; `but` names columns that may differ (they name the output folder)."""
    for table in TABLES:
        for column in TABLES[table].names:
            if f"{table}.{column}" in but:
                continue
            one, other = (tables[table].column(column).to_pylist() for tables in (ours, theirs))
            assert len(one) == len(other), table
            for number, (a, b) in enumerate(zip(one, other, strict=True)):
                assert a == b, f"{table}.{column}, row {number}: {_first_difference(a, b)}"


def _first_difference(one: object, other: object) -> str:
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(f"item {place}: {a!r} is not {b!r}" for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return f"{str(one)[:300]!r} is not {str(other)[:300]!r}"
