"""Bounds on what is read of a document: what reaches a bound is told, what stays just within is not."""

from __future__ import annotations

from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits


def test_the_deepest_level_is_read_and_the_next_is_told() -> None:
    limits = Limits(max_depth=3)
    assert not limits.too_deep(3)
    assert limits.reached == set()
    assert limits.too_deep(4)
    assert limits.too_deep(4)
    (told,) = limits.reached
    assert "deeper than 3 levels" in told


def test_as_many_entries_as_the_bound_are_read() -> None:
    limits = Limits(max_nodes=3)
    assert not limits.too_many(2)
    assert limits.reached == set()
    assert limits.too_many(3), "three are read already"
    (told,) = limits.reached
    assert "more than 3 entries" in told


def test_each_document_has_bounds_of_its_own() -> None:
    Limits().reach("a")
    assert (Limits().reached, DEFAULT_LIMITS.reached) == (set(), set())
