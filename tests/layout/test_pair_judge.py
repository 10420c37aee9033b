"""Each piece of evidence on two rows is read as its comment says; trees add up whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.blocks.pair_judge import EVIDENCE, Row, Trees, read_pairs, read_trees

PLAIN = Look("Times", 10.0, bold=False, italic=False, monospaced=False, caps=0, color=0)


def row(text: str, baseline: float, start: float = 72.0, *, listed: bool = False, inner: float | None = None, look: Look = PLAIN) -> Row:
    end = start + 5.0 * len(text)
    return Row([0], start, end, start if inner is None else inner, baseline, look, 12.0, text, listed)


ROWS = [
    row("1 The first one", 100.0),
    row("goes on to here.", 112.0),
    row("2 The next", 130.0, 82.0, listed=True, inner=92.0, look=PLAIN._replace(bold=True, size=12.0, family="Arial")),
    row("2 follows", 142.0, 92.0),
]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("gap", [1.0, 1.5, 1.0]),
        ("gap_usual", [0.8, 1.2, 0.8]),
        ("near_gap", [-0.5, 0.5, -0.5]),
        ("first_gap", [1.0, 1.5, 1.0]),
        ("room", [2.5, 2.0, 40 / 12]),
        ("room_before", [99.0, 2.5, 2.0]),
        ("room_next", [2.0, 40 / 12, 3.5]),
        ("room_word", [0.0, 20 / 10 - 10 / 12, 40 / 12 - 1.0]),
        ("shift", [0.0, 10 / 12, 1.0]),
        ("shift_after", [1.0, 10 / 12, 99.0]),
        ("shift_inner", [0.0, 10 / 12, 0.0]),
        ("in_b", [0.0, 10 / 12, 2.0]),
        ("middle", [0.25, 5 / 12, 0.75]),
        ("bolder", [0.0, 1.0, -1.0]),
        ("family", [1.0, 0.0, 0.0]),
        ("ends", [0.0, 1.0, 0.0]),
        ("runs_on", [1.0, 0.0, 0.0]),
        ("listed_b", [0.0, 1.0, 0.0]),
        ("same_sign", [0.0, 0.0, 1.0]),
        ("sign_rows", [0.0, 2.0, 2.0]),
        ("counts", [0.0, 1.0, 0.0]),
        ("ends_share", [0.25] * 3),
        ("lower_share", [0.25] * 3),
        ("full_share", [2 / 3] * 3),
        ("spaced_share", [1 / 3] * 3),
    ],
)
def test_evidence(name: str, values: list[float]) -> None:
    found = read_pairs(ROWS, 72.0, 172.0, 15.0)[:, EVIDENCE.index(name)]
    assert found == pytest.approx(values)


def test_trees_add_up_the_leaves_that_the_answers_lead_to() -> None:
    trees = Trees(5, np.array([[0, 1], [1, 1]]), np.array([[1.0, 2.0], [0.0, 9.0]]), np.array([[10, 20, 30, 40], [100, 200, 300, 400]]))
    evidence = np.zeros((3, len(EVIDENCE)))
    evidence[1, :2] = 1.5, 2.5
    evidence[2, :2] = 0.5, 10.0
    assert trees.odds(evidence).tolist() == [5 + 10 + 100, 5 + 40 + 300, 5 + 20 + 400]


def test_every_piece_of_evidence_is_asked() -> None:
    assert {EVIDENCE[sign] for sign in read_trees().signs.ravel()} == set(EVIDENCE)
