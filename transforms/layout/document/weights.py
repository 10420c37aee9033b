"""Trained weights of headings, levels and furniture. `benchmarks/judgement/train_*.py` write `weights.json`; do not edit it by hand."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

#: Name of the file. Its keys are the names of judges.
FILE: Final = "weights.json"


class Weights(msgspec.Struct, frozen=True):
    """Trained weights of the evidence for one question. The log odds are the bias plus the sum of evidence times weight."""

    bias: float
    weights: dict[str, float]  # by name of the evidence


@cache
def read_weights() -> dict[str, Weights]:
    """Return the trained weights by question: headings, related_headings, level_above, level_equal, furniture."""
    return msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes(), type=dict[str, Weights])
