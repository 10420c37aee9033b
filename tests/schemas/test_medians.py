"""Quantiles are numpy's to the last bit: gutters of old tables stay where they were."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.schemas.statistics import quantile

PLACES = st.floats(-2000, 2000, allow_nan=False, width=32)


@settings(deadline=None)  # numpy loads its own on the first call
@given(st.lists(PLACES, min_size=1, max_size=80), st.sampled_from([0.0, 0.2, 0.5, 0.9, 0.95, 1.0]))
def test_a_quantile_has_the_bits_of_numpys(values: list[float], share: float) -> None:
    assert quantile(values, share) == float(np.quantile(np.array(values), share))
