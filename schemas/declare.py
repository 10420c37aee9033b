"""Declarations of rows: a `msgspec.Struct` whose fields are columns, each with a sentence that explains it.

    class PageRow(Struct, kw_only=True):
        page: Annotated[int, "Page number from 1."]

The Arrow schemas (`schemas.tables`) and docs/columns.md are made from them; `as_row` makes dictionaries. The type of a column is `str`,
`int` (32 bits), `Long`, `float` (32 bits), `bool`, `datetime`, a struct, or a list of one of these. It may be null with `| None`, or if
`NULLABLE` follows its sentence: then pdfmill itself always writes a value."""

from __future__ import annotations

import types
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from operator import methodcaller
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A row of a table, or a struct in a row, as a dictionary by column name.
Row = dict[str, object]

_WIDE: Final = "64 bits"
#: A whole number that may need more than 32 bits: sizes and offsets in bytes, flags.
Long = Annotated[int, _WIDE]
#: Follows the sentence of a column that may be null, although its type does not say so.
NULLABLE: Final = "may be null"


class StructColumns(Struct, frozen=True):
    """A list of structs, stored as one array per field: so thousands of words become a table column without a dictionary for each word."""

    fields: dict[str, NDArray[np.generic]]  # by field name, an array with one element per struct

    def rows(self) -> list[Row]:
        """Return one dictionary for each struct."""
        names = list(self.fields)
        return [dict(zip(names, values, strict=True)) for values in zip(*(self.fields[name].tolist() for name in names), strict=True)]

    def __len__(self) -> int:
        return len(next(iter(self.fields.values())))


class Column(NamedTuple):
    """The declaration of a column. kind: its Python type without `| None`. doc: the sentence that explains it."""

    name: str
    kind: Any  # its Python type without `| None`, see the module
    nullable: bool  # the column may be null
    doc: str  # the sentence that explains it

    @property
    def element(self) -> Any:
        """The type of the elements of a list column; None for other columns."""
        return get_args(self.kind)[0] if get_origin(self.kind) is list else None


def is_long(kind: Any) -> bool:
    """Return whether a column has the type `Long`. kind: its declared Python type."""
    return get_origin(kind) is Annotated and _WIDE in get_args(kind)


def is_struct(kind: Any) -> bool:
    """Return whether a column's type is a struct. kind: its declared Python type."""
    return isinstance(kind, type) and issubclass(kind, Struct)


def columns(declared: type[Struct]) -> Iterator[Column]:
    """Yield the declarations of a row's columns, or of a struct's fields, in order. declared: the class of the row or struct."""
    hints = get_type_hints(declared, include_extras=True)
    for name in declared.__struct_fields__:
        base, *notes = get_args(hints[name])
        kind, optional = _without_none(Long if _WIDE in notes else base)
        doc = next(note for note in reversed(notes) if note != NULLABLE)
        yield Column(name, kind, optional or NULLABLE in notes, doc)


def _without_none(kind: Any) -> tuple[Any, bool]:
    """Return a type without None, and whether None was one of its alternatives. Of several others the first, which the table stores,
    counts."""
    if get_origin(kind) not in (Union, types.UnionType):
        return kind, False
    members = get_args(kind)
    return members[0], type(None) in members


def as_row(value: Struct) -> Row:
    """Return a row or struct as a dictionary. Structs in it become dictionaries too."""
    found = asdict(value)
    for name in _holding_structs(value.__class__):
        found[name] = _as_value(found[name])
    return found


def _as_value(value: Any) -> Any:
    if not value or isinstance(value, StructColumns):
        return value
    return to_builtins(value, builtin_types=(bytes, datetime), enc_hook=methodcaller("item"))  # numpy's numbers become Python's


@cache
def _holding_structs(declared: type[Struct]) -> tuple[str, ...]:
    return tuple(each.name for each in columns(declared) if is_struct(each.element or each.kind))
