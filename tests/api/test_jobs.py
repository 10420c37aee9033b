"""`pdfmill.index`: the command as a function."""

from typing import get_args, get_type_hints

import pytest

import pdfmill
from pdfmill.jobs import IndexFlags
from pdfmill.pipeline.options.options import INDEX_OPTIONS, OPTIONS, WAITED_OPTIONS


def test_a_folder_to_tables(samples, tmp_path):
    seen: list[tuple[int, int, int]] = []
    result = pdfmill.index(samples, tmp_path / "out", workers=2, progress=lambda *done: seen.append(done))
    assert (result.documents, result.statuses["ok"], result.ok) == (8, 4, False)
    assert result.reasons["not_pdf"] == 1
    assert any(each.error_code == "not_pdf" and each.source_uri.endswith("web-page.pdf") for each in result.failures)
    assert result.table("pages").num_rows == result.rows["pages"] == result.pages
    assert seen[-1][0] == 8
    with pytest.raises(pdfmill.PdfmillError, match="no table 'leaves'"):
        result.table("leaves")


@pytest.mark.parametrize(
    ("flags", "code", "told"),
    [
        ({"wrokers": 2}, "usage", "did you mean --workers"),
        ({"workers": 0}, "usage", "less than 1"),
        ({"runner": "DirectRunner", "direct_running_mode": "multi_processing"}, "usage", "multi_processing"),
    ],
)
def test_wrong_flags_are_errors(samples, tmp_path, flags, code, told):
    with pytest.raises(pdfmill.PdfmillError, match=told) as error:
        pdfmill.index([samples], tmp_path / "out", **flags)
    assert error.value.code == code


def test_good_tables_are_kept(samples, tmp_path):
    result = pdfmill.index(samples / "letter.pdf", tmp_path / "out")
    with pytest.raises(pdfmill.PdfmillError) as error:
        pdfmill.index(tmp_path / "typo", tmp_path / "out")
    assert error.value.code == "kept"
    assert result.table("documents").num_rows == 1


def test_the_typed_flags_are_those_of_the_command():
    """With their types and choices, so that mypy refuses what the command would."""
    types = get_type_hints(IndexFlags)
    options = {option.name: option for option in (*OPTIONS, *INDEX_OPTIONS, *WAITED_OPTIONS) if option.name != "output"}
    assert types.keys() == options.keys()
    for name, option in options.items():
        if option.choices:
            assert get_args(types[name]) == option.choices
        else:
            assert option.default is None or isinstance(option.default, types[name])
