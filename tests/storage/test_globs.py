"""Globs over names with slashes."""

from __future__ import annotations

import pytest

from pdfmill.transforms.storage.addresses import fixed_prefix, glob_regex, is_flat


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("*.pdf", "a.pdf", True),
        ("*.pdf", "a/b.pdf", False),
        ("*.pdf", ".pdf", True),
        ("a?.pdf", "ab.pdf", True),
        ("a?.pdf", "a/.pdf", False),
        ("**/*.pdf", "b.pdf", True),
        ("**/*.pdf", "a/c/b.pdf", True),
        ("x/**/y/*.pdf", "x/y/b.pdf", True),
        ("x/**/y/*.pdf", "x/1/2/y/b.pdf", True),
        ("x/**/y/*.pdf", "x/1/2/y/3/b.pdf", False),
        ("x/**", "x/1/2", True),
        ("x/**", "x/", False),
        ("[ab].pdf", "a.pdf", True),
        ("[!ab].pdf", "a.pdf", False),
        ("[!ab].pdf", "c.pdf", True),
        ("[!a]b", "/b", False),
        ("[]x].pdf", "].pdf", True),
        ("[0-9]", "7", True),
        ("[9-0]", "7", False),
        ("[^a]", "^", True),
        ("[", "[", True),
        ("[a", "[a", True),
        ("a.pdf", "abpdf", False),
        ("a+(b).pdf", "a+(b).pdf", True),
        ("line\n*", "line\nbreak", True),
    ],
)
def test_glob_matches_whole_names(pattern: str, name: str, *, matches: bool) -> None:
    assert bool(glob_regex(pattern).fullmatch(name)) is matches


def test_fixed_prefix_and_flatness() -> None:
    assert fixed_prefix("a/b*/c") == "a/b"
    assert is_flat("a/b/*.pdf")
    assert is_flat("a/b")
    assert not is_flat("a/*/c.pdf")
    assert not is_flat("a/**")
