"""For tests of modules that are compiled: a call of both builds, which must give the same bits."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from pdfmill.schemas.compiled import compiled


def same_in_both(module: str, function: str, *arguments: Any) -> tuple[Any, list[Any]]:
    """The result of the source, and its arguments after the call; the compiled module, where there is one, must give the same of both."""
    found: list[tuple[Any, list[Any]]] = []
    for build in (import_module(module), compiled(module)):
        own = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        found.append((getattr(build, function)(*own), own) if build is not None else found[0])
    (result, after), (compiled_result, compiled_after) = found
    assert int(result or 0) == int(compiled_result or 0)
    for one, other in zip(after, compiled_after, strict=True):
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()
    return result, after
