"""How a row is declared: a dataclass whose fields are columns, each with its sentence.

    @row
    class PageRow:
        page: int = column("Page number from 1.")

From the declarations follow the Arrow schemas (`schemas.tables`), the column lists of docs/columns.md and the rows themselves: `as_row`.
A type says what a column holds: `str`, `int` (32 bits), `Long`, `float` (32 bits), `bool`, `datetime`, a struct, or a list of one of these;
`| None` says that it may be null.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    NamedTuple,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A row, or a struct in one, keyed by column name.
Row = dict[str, object]

_WIDE: Final = "64 bits"
#: A whole number that 32 bits may not hold: sizes and offsets in bytes, flags.
Long = Annotated[int, _WIDE]

_Class = TypeVar("_Class")


@dataclass(frozen=True, slots=True)
class StructColumns:
    """A list of structs in a row, kept as one array per field: thousands of words are no dictionaries on their way to a table."""

    fields: dict[str, NDArray[np.generic]]

    def rows(self) -> list[Row]:
        """The same as dictionaries, for readers."""
        names = list(self.fields)
        return [dict(zip(names, values, strict=True)) for values in zip(*(self.fields[name].tolist() for name in names), strict=True)]

    def __len__(self) -> int:
        return len(next(iter(self.fields.values())))


def column(doc: str, *, default: Any = MISSING, default_factory: Any = MISSING, nullable: bool | None = None) -> Any:
    """A column. doc: its sentence. nullable: the column may be null; where None, as its type says."""
    return field(default=default, default_factory=default_factory, metadata={"doc": doc, "nullable": nullable})


@dataclass_transform(kw_only_default=True, field_specifiers=(column,))
def row(cls: type[_Class]) -> type[_Class]:
    """A row of a table. It is filled by the names of its columns, and on its way: what a later step knows is set by that one."""
    return dataclass(slots=True, kw_only=True)(cls)


@dataclass_transform(field_specifiers=(column,))
def struct(cls: type[_Class]) -> type[_Class]:
    """A struct in a row, or in a list of one. In a table each of its fields may be null: not every document gives all. It is not to be
    changed, though nothing holds that: a class that does takes three times as long to make an instance of."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@dataclass_transform(kw_only_default=True, field_specifiers=(column,))
def declared(cls: type[_Class]) -> type[_Class]:
    """A row or a struct of which dictionaries are made, by readers each of which gives some of its columns: the class only says what they
    hold. Without methods, which take a millisecond each time pdfmill starts."""
    return dataclass(init=False, repr=False, eq=False)(cls)


class Column(NamedTuple):
    """What is declared of a column. kind: one of the types above, without `| None`, or a list of one."""

    name: str
    kind: Any
    nullable: bool
    doc: str

    @property
    def element(self) -> Any:
        """What a list holds; None for other columns."""
        return get_args(self.kind)[0] if get_origin(self.kind) is list else None


def is_long(kind: Any) -> bool:
    """The type is `Long`."""
    return get_origin(kind) is Annotated and _WIDE in get_args(kind)


def columns(declared: type) -> Iterator[Column]:
    """The columns of a row, or the fields of a struct, in their order."""
    hints = get_type_hints(declared, include_extras=True)
    for each in fields(declared):
        kind, optional = _without_none(hints[each.name])
        nullable = each.metadata["nullable"]
        yield Column(each.name, kind, optional if nullable is None else nullable, each.metadata["doc"])


def _without_none(kind: Any) -> tuple[Any, bool]:
    """The type, of several the first, which is what a table holds; the others are forms that it takes on its way there."""
    if get_origin(kind) not in (Union, types.UnionType):
        return kind, False
    members = get_args(kind)
    return members[0], type(None) in members


def as_row(value: Any) -> Row:
    """A row or struct as its tables and readers have it: a dictionary, structs in it too."""
    dictionary, nested = _plan(value.__class__)
    found = dictionary(value)
    for name in nested:
        found[name] = _as_value(found[name])
    return found


def _as_value(value: Any) -> Any:
    """A struct, or several, as dictionaries; what is that already, or packed, stays."""
    if isinstance(value, list | tuple):
        return value if not value or isinstance(value[0], dict) else _as_rows(value)
    return value if value is None or isinstance(value, dict | StructColumns) else as_row(value)


def _as_rows(values: Sequence[Any]) -> list[Row]:
    dictionary, nested = _plan(values[0].__class__)
    return list(map(as_row if nested else dictionary, values))


@cache
def _plan(declared: Any) -> tuple[Callable[[Any], Row], tuple[str, ...]]:
    """What makes a dictionary of an instance, and the names of the columns that hold structs."""
    found = list(columns(declared))
    return _dictionary([each.name for each in found]), tuple(each.name for each in found if is_dataclass(each.element or each.kind))


def _dictionary(names: Sequence[str]) -> Callable[[Any], Row]:
    """Attributes to a dictionary, as if written by hand: compiled, as dataclasses compile their own methods, it takes a third of the time
    that a loop over the names takes, and there is a row for every block of every page."""
    made: Callable[[Any], Row] = eval(f"lambda value: {{{', '.join(f'{name!r}: value.{name}' for name in names)}}}")
    return made
