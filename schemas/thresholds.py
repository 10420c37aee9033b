"""Classes of settings that cost little to load.

`dataclasses` compiles four methods for each class, their text as long as its fields are many: of the layout's 250 thresholds 20 ms each
time that pdfmill starts, a fiftieth of what it takes to show a letter. Settings are made a few times a process, so these methods may loop.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def settings(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, all of whose fields have defaults and are given by name.

    >>> @settings
    ... class Limits:
    ...     lines: int = 4
    ...     gap: float = 1.5
    >>> Limits(gap=2.0), Limits() == Limits(lines=4)
    (Limits(gap=2.0), True)
    """
    made: Any = dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)(cls)
    made.__init__, made.__repr__, made.__eq__, made.__hash__ = _init, _repr, _eq, _hash
    return made  # type: ignore[no-any-return]


def _init(self: Any, **given: Any) -> None:
    for each in fields(self):
        usual = each.default if each.default_factory is MISSING else each.default_factory()
        object.__setattr__(self, each.name, given.pop(each.name, usual))
    if given:
        raise TypeError(f"{type(self).__name__} has no setting {', '.join(given)}")


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, each.name) for each in fields(self))


def _repr(self: Any) -> str:
    """What differs from the defaults."""
    usual = type(self)()
    found = ((each.name, getattr(self, each.name)) for each in fields(self) if getattr(self, each.name) != getattr(usual, each.name))
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in found)})"


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))
