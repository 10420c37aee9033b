import numpy as np
import pytest

from pdfmill.schemas.codes import ERROR_CODES, FURNITURE_ROLES, ROLES, STATUSES
from pdfmill.schemas.records import StructColumns
from pdfmill.schemas.tables import TABLES, RowMismatchError, column_docs, to_batch

ASSET = {"doc_id": "d", "asset": 1, "kind": "xfa"}


def test_every_column_has_its_sentence():
    for table in TABLES:
        for name, _, doc in column_docs(table):
            assert doc.endswith("."), f"{table}.{name}: {doc!r}"


def test_every_code_has_its_sentence():
    for codes in (STATUSES, ERROR_CODES, ROLES):
        assert all(sentence.endswith(".") for sentence in codes.values())
    assert set(ROLES) >= FURNITURE_ROLES


def test_missing_columns_become_null():
    batch = to_batch("assets", [ASSET])
    assert batch.column("name").to_pylist() == [None]


def test_misspelt_columns_are_refused():
    with pytest.raises(RowMismatchError, match="kinds"):
        to_batch("assets", [{**ASSET, "kinds": "x"}])


def test_wrong_types_are_named():
    with pytest.raises(RowMismatchError, match="asset='one' is not of the type int32"):
        to_batch("assets", [{**ASSET, "asset": "one"}])


def test_nulls_are_refused_where_none_may_be():
    with pytest.raises(RowMismatchError, match=r"assets\.kind: 1 of 1 rows are null"):
        to_batch("assets", [{"doc_id": "d", "asset": 1}])


def test_columns_of_structs_are_the_same_as_rows():
    page = {"doc_id": "d", "status": "ok", "text": "", "char_count": 0, "column_count": 0, "needs_ocr": False, "ocr": False}
    fields = {
        "start": np.array([0, 3]),
        "end": np.array([2, 5]),
        **{side: np.array([1.5, 2.5], np.float32) for side in ("x0", "top", "x1", "bottom")},
    }
    words = StructColumns(fields)
    packed = [page | {"page": 1, "words": words}, page | {"page": 2, "words": None}, page | {"page": 3, "words": words}]
    plain = [row | {"words": row["words"] and words.rows()} for row in packed]
    assert to_batch("pages", packed).equals(to_batch("pages", plain))
    assert len(words) == 2
