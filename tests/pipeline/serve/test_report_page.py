"""`pdfmill report --html`: one file, of its own, in which nothing that a document says is markup. The documents are those of `serve`."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.report.gather import Gathered, Sample, gather
from pdfmill.pipeline.report.report_file import DRAWN_BYTES, MAX_BYTES, draw_sample, report_html
from pdfmill.pipeline.report.report_file import Page as ReportPage
from pdfmill.pipeline.run.summary import RunFile
from pdfmill.transforms.tables.output_layout import published_parts
from pdfmill.transforms.tables.write_summary import summarize
from tests.pipeline.serve.shelf import EVIL, Shelf


@pytest.fixture(scope="module")
def report(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert run(["report", shelf.output, "--html", str(path)]) == 0
    return path


def test_it_tells_what_the_tables_hold(shelf: Shelf, report: Path) -> None:
    found, text = gather(shelf.output), report.read_text()
    summed = summarize(published_parts(shelf.output)).summary
    assert found.summary.for_json() == {**summed.for_json(), "rows": {}, "table_bytes": {}}, "what `pdfmill report` prints"
    assert summed.bad == sum(summed.reasons.values()) == len(found.failures) > 2
    assert found.ocr_pages == 1
    assert {each.uri.rpartition("/")[2] for each in found.ocr} == {"scan.pdf"}
    run_file = RunFile.load(shelf.output)
    assert run_file is not None
    assert {each["source_uri"] for each in run_file.slowest} <= {each.uri for each in found.longest}
    seconds = [each["seconds"] for each in run_file.slowest]
    assert seconds == sorted(seconds, reverse=True)
    for word in ("password_needed", "empty", "The Archive in Numbers", "What failed", "The slowest"):
        assert word in text
    assert all(html.escape(each.message.rpartition(": ")[2][:30]) in text for each in found.failures)
    assert 2 <= text.count("<figure>") <= 8
    assert "`" not in text.partition("<body>")[2].partition("<script>")[0], "names in our sentences are code"
    for heading in ("Why documents could not be read completely", "By pages", "By bytes"):  # narrow windows show no heads of tables
        assert f"<h3>{heading}</h3>" in text


def test_nothing_is_loaded_and_no_text_is_markup(report: Path) -> None:
    text = report.read_text()
    assert EVIL not in text
    assert "&lt;/title&gt;&lt;/script&gt;" in text, "the title is there, as text"
    assert re.findall(r"<(?:img|link|iframe|object|embed|base|form)\b", text) == []
    assert re.findall(r"""\b(?:src|href|action|on\w+)\s*=\s*["']""", re.sub(r"&\w+;", "", text)) == []
    assert text.count("<script") == text.count("<style") == 1
    assert "default-src 'none'" in text


def test_drawings_are_bounded() -> None:
    words = [{"start": 0, "end": 4, "x0": 1.0, "top": 2.0 * n, "x1": 20.0, "bottom": 2.0 * n + 9} for n in range(20_000)]
    blocks = [{"role": "paragraph", "level": None, "text": "<b>" * 100, "boxes": [{"x0": 0.0, "top": 0.0, "x1": 9.0, "bottom": 9.0}]}]
    page = {"page": 1, "label": None, "width": 100.0, "height": 100.0, "text": "Lost", "words": words}
    sample = Sample("file:///a.pdf", None, page, blocks)
    drawing = draw_sample(sample)
    assert (len(drawing) < MAX_BYTES, "<b>" in drawing, drawing.count("<rect")) == (True, False, 2)
    page["words"] = words[:200]
    assert draw_sample(sample).count("Lost") == 200
    many = report_html(ReportPage("out", Gathered(samples=[sample] * 100)))
    assert 5 < many.count("<figure>") < 100
    assert len(many) < DRAWN_BYTES + 50_000


def test_a_drawing_has_words_and_blocks_where_the_page_has_them() -> None:
    words = [
        {"start": 0, "end": 3, "x0": 10.0, "top": 20.0, "x1": 40.0, "bottom": 30.0},
        {"start": 4, "end": 7, "x0": 50.0, "top": 20.0, "x1": 55.0, "bottom": 90.0},  # turned: high and narrow
        {"start": 8, "end": 9, "x0": 60.0, "top": 20.0, "x1": 64.0, "bottom": 70.0},  # a large letter is not turned
    ]
    box = {"x0": 5.0, "top": 15.0, "x1": 95.0, "bottom": 35.0}
    blocks = [{"role": "heading", "level": 2, "text": "T" * 200, "boxes": [box, {"x0": 9.0, "top": 9.0, "x1": 5.0, "bottom": 5.0}]}]
    page = {"page": 1, "label": None, "width": 100.0, "height": 200.0, "text": "one two I", "words": words}
    drawing = draw_sample(Sample("file:///a.pdf", None, page, blocks))
    assert 'viewBox="0 0 100.0 200.0"' in drawing
    assert '<g font-size="7.8"><text x="10.0" y="27.8" textLength="30.0">one</text></g>' in drawing, "a baseline below the middle"
    assert '<g font-size="39.0"><text x="60.0" y="59.0" textLength="4.0">I</text></g>' in drawing
    assert "two" not in drawing
    assert '<rect x="5.0" y="15.0" width="90.0" height="20.0"' in drawing
    assert '<rect x="9.0" y="9.0" width="0.0" height="0.0"' in drawing, "a box without area is none of negative size"
    assert f"<title>heading 2: {'T' * 80}</title>" in drawing


def test_a_crawl_has_its_history_and_its_list(shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, path = tmp_path / "crawl.toml", tmp_path / "report.html"
    config.write_text(f'sources = ["{shelf.sources}/letter.pdf"]\noutput = "{tmp_path}/out"\n')
    assert run(["crawl", str(config)]) == 0
    assert run(["report", f"{tmp_path}/out", "--html", str(path)]) == 0
    text = path.read_text()
    assert "History of the crawl" in text
    assert "new 1" in text
    assert run(["report", str(tmp_path / "nothing"), "--html", str(path)]) == 2
    assert run(["report", f"{tmp_path}/out", "--html", str(tmp_path / "no" / "folder.html")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_a_run_file_of_an_older_version_is_read() -> None:
    told = {"started": "2026-11-22", "seconds": 1.0, "version": "0.1", "runner": "local", "sources": []}
    found = RunFile.of(json.dumps(told).encode())
    assert found is not None
    assert found.slowest == []


@pytest.fixture(params=[("light", 1200), ("dark", 360)], ids=["wide and light", "narrow and dark"])
def page(request: pytest.FixtureRequest, browser: Browser, report: Path):
    """The report in a browser, and that nothing was said, asked or loaded."""
    scheme, width = request.param
    seen: list[str] = []
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", lambda dialog: seen.append(dialog.message))
    page.on("request", lambda made: seen.append(made.url) if made.url != report.as_uri() else None)
    page.goto(report.as_uri())
    yield page
    page.close()
    assert seen == []


@pytest.mark.servers
def test_in_a_browser(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window"
    assert page.evaluate("document.documentElement.dataset.owned") is None
    assert page.title().startswith("pdfmill: ")
    rows = page.locator("#failed tbody tr:visible")
    everything = rows.count()
    page.get_by_label("Reason").select_option("password_needed")
    expect(rows).to_have_count(1)
    expect(page.locator("#copied")).to_have_text(f"1 of {everything}")
    page.get_by_role("button", name="Copy as a list").click()
    assert page.locator("#list").input_value().endswith("/encrypted.pdf\n")
    page.get_by_label("Reason").select_option("")
    page.get_by_label("Words").fill("empty.pdf FILE")
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="not_pdf").click()
    page.get_by_label("Words").fill("")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("web-page.pdf")
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, part) => sum + +part, 0)")
    assert (lightness < 3 * 60) == dark
    assert page.locator("figure svg").first.bounding_box()["height"] > 100
