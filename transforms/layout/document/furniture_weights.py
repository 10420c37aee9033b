"""Weights of the signs of furniture, written by `benchmarks/judgement/train_furniture.py`; not for editing by hand."""

from __future__ import annotations

from typing import Final

BIAS: Final = -6.362
WEIGHTS: Final[dict[str, float]] = {
    "repeats": 0.354,
    "repeats_share": 1.749,
    "near": 0.737,
    "inside": -1.626,
    "series": 0.384,
    "running_plain": 1.036,
    "every_page": 1.441,
    "heads_number": 1.334,
    "beyond_text": 1.135,
    "apart": 0.732,
    "parted": 1.234,
    "outer": 1.983,
    "margin": 0.970,
    "row": -0.430,
    "few_pages_apart": 1.322,
    "few_pages_outermost": 1.328,
    "many_pages": -1.322,
    "few_lines": -2.141,
    "size": -1.958,
    "small": 1.713,
    "large_head": -2.124,
    "italic": 1.451,
    "width": -3.302,
    "full": 1.568,
    "number_outermost": 2.458,
    "beside_number": 1.648,
    "of_pages": 2.208,
    "rights": 1.806,
    "lower": -1.464,
    "numbered": -0.873,
    "note": -0.421,
    "prose": -1.028,
}
