"""What the evidence of levels weighs, written by `benchmarks/judgement/train_levels.py`; not for editing by hand."""

from __future__ import annotations

from typing import Final

ABOVE: Final[dict[str, float]] = {
    "larger": 2.251,
    "shallower": 2.289,
    "caps_one_size": 1.670,
    "earlier": 1.060,
    "gap_above": 1.055,
}
EQUAL: Final[dict[str, float]] = {
    "always": -1.589,
    "bold": 0.735,
    "small_caps": -3.330,
    "italic": -1.552,
    "light": -2.349,
    "gap_above": -1.669,
    "one_size": 2.170,
    "one_depth": 3.088,
    "other_depth": -2.339,
    "half_one_look": 1.271,
}
