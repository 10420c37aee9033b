"""What the evidence of levels weighs, written by `benchmarks/train_levels.py`; not for editing by hand."""

from __future__ import annotations

from typing import Final

ABOVE: Final[dict[str, float]] = {
    "larger": 1.590,
    "larger_unnumbered": 1.352,
    "larger_half": 1.193,
    "shallower": 2.486,
    "caps_one_size": 1.531,
    "italic": -1.206,
    "coloured": 1.045,
    "earlier": 1.078,
    "gap_above": 0.957,
    "followed_one_style": 1.718,
}
EQUAL: Final[dict[str, float]] = {
    "always": -3.025,
    "bold": 0.808,
    "small_caps": -2.069,
    "italic": -2.158,
    "light": -2.324,
    "gap_above": -1.550,
    "depth": -0.663,
    "one_size": 2.390,
    "one_depth": 2.304,
    "other_depth": -2.030,
    "half_one_look": 1.806,
    "kinds": 1.154,
}
