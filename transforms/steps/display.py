"""Show a step's settings in the user interface of Beam's engine, under the names of the flags that set them."""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar, Final

from msgspec.structs import asdict

from pdfmill.transforms.storage.access import Reach, Stores

#: The types of values that Beam's display data may have.
Shown = str | int | float | bool

#: The flag for each setting that has another name than its flag.
_FLAGS: Final = {
    "max_depth": "attachment_depth",
    "max_children": "attached_documents",
    "passwords_uri": "passwords",
    "assets_uri": "assets",
    "output_uri": "output",
    "reach": "redirects",
}


def shown(settings: Any, *names: str) -> dict[str, Shown]:
    """Return settings as Beam's display data, without those that are None. names: the fields to show; all by default.

    >>> from pdfmill.transforms.road.job_settings import WriteSettings
    >>> shown(WriteSettings("gs://b/tables", shards=8), "output_uri", "shards")
    {'output': 'gs://b/tables', 'shards': 8}
    """
    values = asdict(settings)
    return {_FLAGS.get(name, name): _plain(values[name]) for name in names or values if values[name] is not None}


def _plain(value: Any) -> Shown:
    if isinstance(value, frozenset):
        return ",".join(sorted(value)) or "none"
    if isinstance(value, Stores):
        value = tuple(each.at for each in value.known)
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Reach):
        return value.redirects
    assert isinstance(value, Shown)
    return value


class ShowsSettings:
    """A base class of DoFns that shows the fields of `_settings` in `shown_settings` (all if it is empty) in the engine's user interface.
    The display data of a composite PTransform does not reach the engine."""

    shown_settings: ClassVar[tuple[str, ...]] = ()
    _settings: Any

    def display_data(self) -> dict[str, Shown]:
        """Return the display data; Beam calls it when the job is built."""
        return shown(self._settings, *self.shown_settings)
