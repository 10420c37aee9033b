import json

from pdfmill.pipeline.render.json import render_json
from pdfmill.pipeline.render.text import render_text
from pdfmill.schemas.tables import TABLES
from tests.pipeline.render.rows_for_tests import everything


def test_json_has_every_column_of_every_table():
    tables = json.loads(render_json(everything()))
    assert set(tables) == {*TABLES, "why"} - {"sections"}, "of some pages they would be others than those of the whole document"
    assert list(tables["documents"][0]) == TABLES["documents"].names
    assert len(tables["pages"]) == 4


def test_text_is_the_pages_with_form_feeds():
    pages = render_text(everything()).split("\n\f")
    assert len(pages) == 5
    assert pages[2] == pages[4] == ""
