"""Declarations of rows: a `msgspec.Struct` whose fields are columns, each with a sentence.

    class PageRow(Struct, kw_only=True):
        page: Annotated[int, "Page number from 1."]

From the declarations follow the Arrow schemas (`schemas.tables`), the column lists of docs/columns.md and the rows themselves: `as_row`.
A type says what a column holds: `str`, `int` (32 bits), `Long`, `float` (32 bits), `bool`, `datetime`, a struct, or a list of one of these;
`| None` says that it may be null, and so does `NULLABLE` beside the sentence, where pdfmill itself always has a value.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import asdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A row, or a struct in one, keyed by column name.
Row = dict[str, object]

_WIDE: Final = "64 bits"
#: A whole number that 32 bits may not hold: sizes and offsets in bytes, flags.
Long = Annotated[int, _WIDE]
#: Stands beside the sentence of a column that may be null, although its type does not say so.
NULLABLE: Final = "may be null"


class StructColumns(Struct, frozen=True):
    """A list of structs, stored as one array for each field, so that thousands of words need no dictionaries on their way to a table."""

    fields: dict[str, NDArray[np.generic]]

    def rows(self) -> list[Row]:
        """Return the structs as dictionaries, for readers."""
        names = list(self.fields)
        return [dict(zip(names, values, strict=True)) for values in zip(*(self.fields[name].tolist() for name in names), strict=True)]

    def __len__(self) -> int:
        return len(next(iter(self.fields.values())))


class Column(NamedTuple):
    """The declaration of a column. kind: one of the types above, without `| None`, or a list of one."""

    name: str
    kind: Any
    nullable: bool
    doc: str

    @property
    def element(self) -> Any:
        """The type of a list's elements; None for other columns."""
        return get_args(self.kind)[0] if get_origin(self.kind) is list else None


def is_long(kind: Any) -> bool:
    """Whether the type is `Long`."""
    return get_origin(kind) is Annotated and _WIDE in get_args(kind)


def is_struct(kind: Any) -> bool:
    """Whether the type is a struct."""
    return isinstance(kind, type) and issubclass(kind, Struct)


def columns(declared: type[Struct]) -> Iterator[Column]:
    """Return the columns of a row, or the fields of a struct, in order."""
    hints = get_type_hints(declared, include_extras=True)
    for name in declared.__struct_fields__:
        base, *notes = get_args(hints[name])
        kind, optional = _without_none(Long if _WIDE in notes else base)
        doc = next(note for note in reversed(notes) if note != NULLABLE)
        yield Column(name, kind, optional or NULLABLE in notes, doc)


def _without_none(kind: Any) -> tuple[Any, bool]:
    """Return the type without None. Of several types the first is that of the table; the others are forms before writing."""
    if get_origin(kind) not in (Union, types.UnionType):
        return kind, False
    members = get_args(kind)
    return members[0], type(None) in members


def as_row(value: Struct) -> Row:
    """Return a row or struct as a dictionary, structs in it too, as tables and readers have it."""
    found = asdict(value)
    for name in _holding_structs(value.__class__):
        found[name] = _as_value(found[name])
    return found


def _as_value(value: Any) -> Any:
    """Turn a struct, or a list of them, into dictionaries; dictionaries and packed columns stay as they are."""
    if isinstance(value, list | tuple):
        return value if not value or isinstance(value[0], dict) else list(map(as_row, value))
    return value if value is None or isinstance(value, dict | StructColumns) else as_row(value)


@cache
def _holding_structs(declared: type[Struct]) -> tuple[str, ...]:
    """The names of the columns that hold structs."""
    return tuple(each.name for each in columns(declared) if is_struct(each.element or each.kind))
