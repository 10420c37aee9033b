"""A row is declared once; Arrow's schema, the reference's list and the dictionary follow."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pyarrow as pa
import pytest
from msgspec import Struct, field

from pdfmill.schemas import rows
from pdfmill.schemas.declare import NULLABLE, Long, StructColumns, as_row, columns
from pdfmill.schemas.rows import AssetRow, Block, DocumentRow, PageBox, PageRow, SectionRow
from pdfmill.schemas.tables import TABLES, arrow_schema, column_docs, to_batch

DECLARED: list[type[Struct]] = [DocumentRow, PageRow, Block, SectionRow, AssetRow]


class Mark(Struct, frozen=True):
    start: Annotated[int, "Where it begins."]
    note: Annotated[str | None, "What it says."]


class Sample(Struct, kw_only=True):
    name: Annotated[str, "Its name."]
    size: Annotated[Long | None, "Bytes."] = None
    marks: Annotated[list[Mark], "In order.", NULLABLE]
    first: Annotated[Mark | None, "The first."] = None
    ends: Annotated[list[Long] | tuple[int, ...], "Where parts end."] = field(default_factory=list)


def test_a_schema_follows_from_the_declaration() -> None:
    mark = pa.struct([("start", pa.int32()), ("note", pa.string())])
    expected = pa.schema(
        [
            pa.field("name", pa.string(), nullable=False, metadata={"doc": "Its name."}),
            pa.field("size", pa.int64(), metadata={"doc": "Bytes."}),
            pa.field("marks", pa.list_(mark), metadata={"doc": "In order."}),
            pa.field("first", mark, metadata={"doc": "The first."}),
            pa.field("ends", pa.list_(pa.int64()), nullable=False, metadata={"doc": "Where parts end."}),
        ],
        metadata={"table": "samples", "key": "name,size"},
    )
    assert arrow_schema("samples", Sample, ["name", "size"]).equals(expected, check_metadata=True)


def test_a_row_becomes_a_dictionary_its_structs_too() -> None:
    made = Sample(name="a", marks=[Mark(1, None), Mark(2, "b")], first=Mark(3, "c"))
    assert as_row(made) == {
        "name": "a",
        "size": None,
        "marks": [{"start": 1, "note": None}, {"start": 2, "note": "b"}],
        "first": {"start": 3, "note": "c"},
        "ends": [],
    }
    packed = StructColumns({"start": np.arange(2)})
    assert as_row(Sample(name="a", marks=packed))["marks"] is packed  # type: ignore[arg-type]
    assert as_row(Sample(name="a", marks=[{"start": 1}]))["marks"] == [{"start": 1}]  # type: ignore[list-item]


def test_a_column_that_is_not_declared_cannot_be_filled() -> None:
    with pytest.raises(TypeError, match="colour"):
        Sample(name="a", marks=[], colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="marks"):
        Sample(name="a")  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Sample(name="a", marks=[]).colour = "red"  # type: ignore[attr-defined]


@pytest.mark.parametrize("declared", [each for each in vars(rows).values() if isinstance(each, type) and each.__module__ == rows.__name__])
def test_every_column_and_field_has_its_sentence(declared: type[Struct]) -> None:
    assert [each.name for each in columns(declared) if not each.doc.endswith(".") or not each.doc[:1].strip()] == []
    assert len(declared.__struct_fields__) > 1


def test_the_tables_are_the_declared_rows() -> None:
    for declared, table in zip(DECLARED, TABLES, strict=True):
        assert [each.name for each in columns(declared)] == TABLES[table].names == [name for name, _, _ in column_docs(table)]


def test_a_block_is_spelt_once() -> None:
    block = Block(role="paragraph", text="a", boxes=[PageBox(1, 1.0, 2.0, 3.0, 4.0)], font="Times", size=10.0, bold=False, italic=False)
    stored = to_batch("blocks", [as_row(block)]).to_pylist()
    assert stored == [{**as_row(block)}]
    assert stored[0]["boxes"] == [{"page": 1, "x0": 1.0, "top": 2.0, "x1": 3.0, "bottom": 4.0}]
