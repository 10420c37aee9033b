"""Which lines has a small picture before them, as the items of a list whose bullets are drawn? Only where several begin at one place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.medians import median
from pdfmill.transforms.layout.page.line_frame import Floats, Frame
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings


def bulleted_lines(frame: Frame, images: Floats, settings: LayoutSettings = DEFAULTS) -> frozenset[int]:
    """Positions in the frame of such lines. images: float64[n, 4], boxes in the frame.

    >>> bulleted_lines(Frame(*[np.zeros(0)] * 7, (), 1.0, 1.0, 0, False), np.zeros((0, 4)))
    frozenset()
    """
    if not len(images) or not len(frame):
        return frozenset()
    em = median(frame.size.tolist())
    small = images[np.maximum(images[:, 2] - images[:, 0], images[:, 3] - images[:, 1]) <= settings.bullet_size * em]
    found = [k for box in _apart(small[: settings.beside_most], em, settings) for k in _line_after(frame, box, settings)]
    return frozenset(
        k for k in found if sum(abs(frame.start[k] - frame.start[m]) <= settings.edge_slack for m in set(found)) >= settings.bullet_lines
    )


def _apart(boxes: Floats, em: float, settings: LayoutSettings) -> Floats:
    """Those with no other box above or below closer than lines stand: a row of dots or dashes draws a rule, not bullets."""
    aligned = np.abs(boxes[:, None, 0] - boxes[None, :, 0]) <= settings.edge_slack
    middles = (boxes[:, 1] + boxes[:, 3]) / 2
    steps = np.abs(middles[:, None] - middles[None, :])
    in_a_row = aligned & (steps > settings.edge_slack) & (steps < settings.bullet_step * em)
    return boxes[~in_a_row.any(axis=1)]


def _line_after(frame: Frame, box: Floats, settings: LayoutSettings) -> list[int]:
    """The line that begins just after a box, on its height."""
    middle = (box[1] + box[3]) / 2
    beside: NDArray[np.bool_] = (
        (frame.top <= middle)
        & (middle <= frame.bottom)
        & (frame.start >= box[2] - settings.edge_slack)
        & (frame.start - box[2] <= settings.bullet_gap * frame.size)
    )
    return np.flatnonzero(beside).tolist()[:1]
