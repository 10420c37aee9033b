"""The weights that judges of layout have learned, as `weights.json` beside this file holds them.

`benchmarks/judgement/train_headings.py`, `train_levels.py` and `train_furniture.py` write it; it is not for editing by hand.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

#: The file's name; keys are judges.
FILE: Final = "weights.json"


class Weights(msgspec.Struct, frozen=True):
    """The weight of each piece of a judge's evidence, and the bias: log odds are the bias and the sum of evidence times weight."""

    bias: float
    weights: dict[str, float]


@cache
def read_weights() -> dict[str, Weights]:
    """Return the learned weights by judge: headings, related_headings, level_above, level_equal, furniture."""
    return msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes(), type=dict[str, Weights])
