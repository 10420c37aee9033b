"""Arrow without pandas: it looks for pandas when it makes its first array, and loads it where it is installed.

That takes half a second and 40 MB of every process, longer than to read a letter, for what pdfmill never asks of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

_PANDAS: Final = "pandas"


class _Refusal:
    """Says of one module that it is not installed: a finder, as `importlib.abc.MetaPathFinder` is, which takes 10 ms to load."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname == _PANDAS:
            raise ModuleNotFoundError(f"pdfmill's own processes do without {_PANDAS}", name=_PANDAS)
        return None


def refuse_pandas() -> None:
    """Let nothing load pandas in this process, and those forked from it. Only for processes of pdfmill's own: programs that import pdfmill
    keep theirs."""
    if not any(isinstance(finder, _Refusal) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Refusal())
