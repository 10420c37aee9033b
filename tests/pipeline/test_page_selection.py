import pytest

from pdfmill.pipeline.options.flag_values import PageSelection


@pytest.mark.parametrize(("text", "pages"), [("3", [3]), ("1-3", [1, 2, 3]), ("-2", [1, 2]), ("5-", [5, 6]), ("1, 4-5", [1, 4, 5])])
def test_ranges(text, pages):
    selection = PageSelection.parse(text)
    assert [page for page in range(1, 7) if page in selection] == pages


def test_no_ranges_are_all_pages():
    assert 10**9 in PageSelection()


@pytest.mark.parametrize("text", ["", "-", "0", "3-1", "a", "1,,2", "1-2-3", "--2"])
def test_what_is_no_range_is_refused(text):
    with pytest.raises(ValueError, match="range"):
        PageSelection.parse(text)
