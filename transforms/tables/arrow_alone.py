"""Keep Arrow from importing pandas in pdfmill's own processes, which do not use it. The import takes 40 MB and half a second."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

import pyarrow as pa

_PANDAS: Final = "pandas"


class _Refusal:
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname == _PANDAS:
            raise ModuleNotFoundError(f"{_PANDAS} is not imported", name=_PANDAS)
        return None


def probe_without_pandas() -> None:
    """Make Arrow look for pandas while pandas cannot be imported, so that Arrow never loads it. The program can import pandas later."""
    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(refusal)
