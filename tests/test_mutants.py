"""`make mutants` finds the tests near a file."""

from __future__ import annotations

from pathlib import Path

from scripts.mutants import OF_PAGES, Bench, module_of, near_tests, written_tests


def test_near_tests_are_those_that_import_the_module() -> None:
    assert module_of(Path("transforms/pdf/text/page.py")) == "pdfmill.transforms.pdf.text.page"
    assert Path("tests/pdf/test_images.py") in near_tests(Path("transforms/pdf/facts/image_files.py"))
    assert module_of(Path("pdfmill/__init__.py")) == "pdfmill"


def test_what_is_written_about_a_file_are_near_tests() -> None:
    (near,) = written_tests(Path("pipeline/run/summary.py"))
    assert near == "tests/test_docstrings.py::test_examples_of_docstrings_hold[pdfmill.pipeline.run.summary]"
    assert written_tests(Path("pipeline/run/progress.py")) == []
    assert written_tests(Path("pipeline/cli/draw.py")) == [OF_PAGES]


def test_what_is_changed_is_what_tests_import(tmp_path: Path) -> None:
    Bench(tmp_path, 1)
    assert (tmp_path / "pdfmill/transforms/pdf/text/page.py").samefile(tmp_path / "transforms/pdf/text/page.py")
