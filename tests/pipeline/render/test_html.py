import re

import pytest

from pdfmill.pipeline.render.html import escape, render_html
from tests.nu import errors_of
from tests.pipeline.render.rows_for_tests import document, everything, link


@pytest.mark.servers
def test_the_checker_finds_no_error(nu_jars, tmp_path):
    (tmp_path / "all.html").write_text(render_html(everything()), encoding="utf-8")
    (tmp_path / "furniture.html").write_text(render_html(everything(), keep_furniture=True), encoding="utf-8")
    (tmp_path / "empty.html").write_text(render_html(document()), encoding="utf-8")
    assert errors_of(nu_jars, *sorted(tmp_path.glob("*.html"))) == ""


@pytest.mark.servers
def test_the_checker_would_find_one(nu_jars, tmp_path):
    (tmp_path / "bad.html").write_text("<!DOCTYPE html><title>x</title><p id=a><p id=a>")
    assert "Duplicate ID" in errors_of(nu_jars, tmp_path / "bad.html")


def test_every_page_has_its_mark_once_and_in_order():
    assert re.findall(r'id="page-(\d+)"', render_html(everything())) == ["1", "2", "3", "4"]


def test_a_mark_stands_where_the_page_turns():
    html = render_html(document((1, "paragraph", "one"), (2, "paragraph", "two", {"continues": True})))
    assert re.search(r'<p>one <span id="page-2"[^>]*></span>two</p>', html)


def test_heading_anchors_are_unique():
    html = render_html(everything())
    assert re.findall(r'<h\d id="([^"]+)"', html) == ["cats-dogs", "1-page-2", "section-page-2", "section-page-2-2"]


def test_lists_are_nested_and_keep_their_numbers():
    items = [(1, "list_item", "• a", {"level": 1}), (1, "list_item", "7. b", {"level": 2}), (1, "list_item", "(x) c", {"level": 1})]
    html = re.sub(r"<span[^>]*></span>|\n", "", render_html(document(*items)))
    assert '<ul><li>a<ol><li value="7">b</li></ol></li></ul><ul class="own"><li>(x) c</li></ul>' in html


def test_a_table_and_its_caption_are_a_figure():
    html = render_html(everything())
    assert re.search(r"<figure>\n<figcaption>Table 1: cities</figcaption>\n<table>.*</table>\n</figure>", html, re.DOTALL)


def test_links_lead_out_or_to_a_page_but_run_nothing():
    html = render_html(everything())
    assert '<a href="https://e.org/a%20b%5B1%5D">' in html
    assert '<a href="#page-2">' in html
    assert "javascript:" not in html


def test_code_keeps_its_lines():
    html = render_html(document((1, "code", "a\n  b <c>")))
    assert re.search(r"<pre><code>a\n  b &lt;c&gt;</code></pre>", html)


def test_lines_that_their_author_ended_are_shown():
    assert "1 Main St<br>\nTown &amp; Co</p>" in render_html(document((1, "paragraph", "1 Main St\nTown & Co")))


def test_emphasis_of_a_whole_paragraph():
    assert "<strong><em>x</em></strong>" in render_html(document((1, "paragraph", "x", {"bold": True, "italic": True})))


@pytest.mark.parametrize(
    ("columns", "opening"),
    [
        ({"language": "zh-cn"}, '<html lang="zh-CN">'),
        ({"language": "en", "declared_language": "de-de"}, '<html lang="de-DE">'),
        ({"language": "ar"}, '<html lang="ar" dir="rtl">'),
        ({"declared_language": "ar-Latn"}, '<html lang="ar-Latn">'),
        ({"declared_language": "az-Arab"}, '<html lang="az-Arab" dir="rtl">'),
        ({"declared_language": "en-US", "language": "ar"}, '<html lang="ar" dir="rtl">'),
        ({"declared_language": "en-UK"}, '<html lang="en">'),
        ({"declared_language": "zh_hant_tw"}, '<html lang="zh-Hant-TW">'),
        ({"declared_language": "en-US-x-twain"}, '<html lang="en-US">'),
        ({"declared_language": "english", "language": "de"}, '<html lang="de">'),
        ({"declared_language": '"><script>', "language": "en"}, '<html lang="en">'),
        ({"declared_language": "xx-XX"}, "<html>"),
        ({}, "<html>"),
    ],
)
def test_language(columns, opening):
    assert opening in render_html(document((1, "paragraph", "x"), **columns))


def test_the_file_s_name_stands_in_for_a_title():
    rows = document()
    rows.document["file_name"] = "report.pdf"
    assert "<title>report.pdf</title>" in render_html(rows)


def test_what_html_forbids_is_left_out():
    assert escape("a\x00\x1f\x85\ufffe\tb") == "a\tb"


def test_the_same_rows_give_the_same_page():
    rows = everything()
    rows.pages[0]["annotations"].append(link(0, 0, uri="https://e.org"))
    assert render_html(rows) == render_html(rows)
