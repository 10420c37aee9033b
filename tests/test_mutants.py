"""`make mutants` finds the tests near a file."""

from __future__ import annotations

from pathlib import Path

from scripts.mutants import module_of, near_tests


def test_near_tests_are_those_that_import_the_module() -> None:
    assert module_of(Path("transforms/pdf/text/page.py")) == "pdfmill.transforms.pdf.text.page"
    assert Path("tests/pdf/test_images.py") in near_tests(Path("transforms/pdf/facts/image_files.py"))
    assert module_of(Path("pdfmill/__init__.py")) == "pdfmill"
