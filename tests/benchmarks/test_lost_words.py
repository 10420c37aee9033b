"""What counts as a lost word."""

from __future__ import annotations

import pytest

from benchmarks.lost_words import lost_words


@pytest.mark.parametrize(
    ("theirs", "ours", "lost"),
    [
        ("the quick fox", "the fox", {"quick": 1}),
        ("fox fox fox", "fox", {"fox": 2}),
        ("exam- ple of line ends", "example of line ends", {}),
        ("s p a c e d", "spaced", {}),
        ("Ｆｕｌｌ ﬁne CASE", "full fine case", {}),
        ("كاال", "كالا", {}),
        ("漢字と仮名", "漢字 仮名", {"と": 1}),
    ],
)
def test_lost_words(theirs: str, ours: str, lost: dict[str, int]) -> None:
    assert dict(lost_words(theirs, ours)) == lost
