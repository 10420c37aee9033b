"""The median of a few numbers."""

from __future__ import annotations

from collections.abc import Iterable


def median(values: Iterable[float]) -> float:
    """The middle one in order, or half way between the two in the middle. numpy's own takes ten times as long for a few, and loads its
    masked arrays, which takes longer than all of a short document's statistics.

    >>> median([3.0, 1.0, 2.0, 10.0])
    2.5
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    return float(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)
