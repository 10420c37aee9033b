"""Clamp coordinates that are on no page: a matrix of 10^30 puts text beyond the precision of numbers, or to NaN."""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers = TypeVar("Numbers", bound=NDArray[np.floating])

#: Points, and factors of a matrix: 350 m. A page has 14,400 at most (ISO 32000-2 Annex C), and what single precision makes of squares of
#: this still counts.
FARTHEST: Final = 1e6


def bounded(numbers: Numbers) -> Numbers:
    """Clamp the numbers to `FARTHEST`, in place; NaN becomes 0."""
    if numbers.size and not np.abs(numbers).max() <= FARTHEST:  # also where one is no number
        np.clip(np.nan_to_num(numbers, copy=False, nan=0.0, posinf=FARTHEST, neginf=-FARTHEST), -FARTHEST, FARTHEST, out=numbers)
    return numbers
