"""The pages as a browser gets them, without one."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from shutil import copy

import pytest
from starlette.testclient import TestClient

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.render.picture import COLORS
from pdfmill.pipeline.serve.app import Site, make_app
from pdfmill.pipeline.serve.library import Library
from pdfmill.pipeline.serve.links import document_path
from pdfmill.pipeline.serve.pictures import PictureDesk
from pdfmill.transforms.road.job_settings import ReadSettings
from samples.typeset import PASSWORD
from tests.pipeline.serve.fake_search import FakeSearch
from tests.pipeline.serve.shelf import EVIL, EVIL_NAME, Shelf
from tests.pipeline.test_index import letter

_VOID = {"meta", "link", "input", "img", "br"}


class Checked(HTMLParser):
    """Elements that are open and shut in order, ids that stand once, and no attribute that the policy refuses."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.labels: set[str] = set()
        self.fields: list[dict[str, str | None]] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        assert not [name for name in given if name.startswith("on") or name == "style"], (tag, given)
        assert tag != "style"
        assert tag != "script" or given.get("src") == "/static/pdfmill.js"
        if "id" in given:
            self.ids.append(given["id"] or "")
        for name in ("href", "src", "action"):
            if given.get(name) is not None:
                self.links.append(given[name] or "")
        if tag == "label":
            self.labels.add(given.get("for") or "")
        if tag == "input" and given.get("type") != "hidden":
            self.fields.append(given)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(client: TestClient, path: str, status: int = 200) -> Checked:
    """The page at an address, its markup checked; every link of it leads to a page of ours."""
    answer = client.get(path)
    assert answer.status_code == status, path
    page = Checked(answer.text)
    assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in page.links), page.links
    assert all(field.get("id") in page.labels for field in page.fields), "every field has its label"
    assert {"main", "header", "h1"} <= page.tags
    return page


def pages_of(shelf: Shelf, name: str) -> list[str]:
    start = f"/document/{shelf.ids[name]}"
    parts = ["", "?q=archive", "/page/1", "/page/1?q=archive", "/page/1?structure=1", "/page/1?block=1", "/tables", "/facts", "/files"]
    return [start + part for part in parts]


def test_all_pages_are_sound(client: TestClient, shelf: Shelf) -> None:
    paths = ["/", "/?q=archive", "/?q=lighthouse", "/documents", "/documents?status=failed", "/help"]
    paths += [path for name in ("report.pdf", "paper.pdf", EVIL_NAME, "scan.pdf", "binder.pdf") for path in pages_of(shelf, name)]
    paths += [f"/document/{shelf.ids[name]}" for name in ("encrypted.pdf", "empty.pdf", "web-page.pdf")]
    for path in paths:
        page = checked(client, path)
        for link in set(page.links):
            assert client.get(link).status_code in (200, 303), (path, link)


def test_dates_and_addresses_are_for_people(client: TestClient, shelf: Shelf) -> None:
    path = document_path(shelf.ids["letter.pdf"])
    created = (Library(shelf.output).document(shelf.ids["letter.pdf"]) or {})["created"]
    assert isinstance(created, datetime)
    shown = f"{created.day} {created:%B %Y}, {created:%H:%M} UTC"
    assert shown in checked(client, path).text
    assert shown in checked(client, f"{path}/facts").text
    head = checked(client, document_path(shelf.ids[EVIL_NAME])).text
    assert f"{shelf.sources}/{EVIL_NAME}" in head
    assert "%20" not in head
    assert EVIL_NAME in checked(client, "/documents?name=%22%20100%25").text, "names are found as they are read"


def test_what_a_document_says_is_never_markup(client: TestClient, shelf: Shelf) -> None:
    shown = ""
    for path in [*pages_of(shelf, EVIL_NAME), "/documents", "/?q=lighthouse", f"/document/{shelf.ids[EVIL_NAME]}/page/1?q=lighthouse"]:
        page = checked(client, path)  # no script, no handler, no link elsewhere
        assert page.tags & {"img", "script"} <= ({"img", "script"} if "/page/" in path or path == "/documents" else {"script"})
        shown += page.text
    assert EVIL in shown
    assert EVIL_NAME in shown
    assert "{{ 7*7 }}" in shown


def test_what_a_request_says_is_never_markup(client: TestClient, shelf: Shelf) -> None:
    for path in ("/", f"/document/{shelf.ids['report.pdf']}", f"/document/{shelf.ids['report.pdf']}/page/3"):
        for name in ("q", "language", "match", "leaf", "start", "structure"):
            answer = client.get(path, params={"q": "archive", name: EVIL})
            assert answer.status_code == 200
            assert "<img src=x" not in answer.text
            Checked(answer.text)


def test_hits_are_told_with_their_place(client: TestClient, shelf: Shelf) -> None:
    page = checked(client, "/?q=bridge")
    assert "Finding a Sentence Again" in page.text
    assert "Page 1" in page.text
    assert re.search(r"\d+ pages? in \d documents?", page.text)
    link = next(link for link in page.links if link.startswith(f"/document/{shelf.ids['paper.pdf']}/page/"))
    assert "q=bridge" in link
    viewer = client.get(link).text
    assert re.search(r"<mark[^>]*>Bridge</mark>", viewer)
    assert viewer.count('<rect class="match') == len(re.findall(r"<mark", viewer))


def test_a_query_that_cannot_be_read_says_so(client: TestClient, shelf: Shelf) -> None:
    for path in ("/", f"/document/{shelf.ids['report.pdf']}", f"/document/{shelf.ids['report.pdf']}/page/3"):
        answer = client.get(path, params={"q": 'an "open'})
        assert answer.status_code == 200
        assert "a quotation mark is not closed" in answer.text


def test_filters_go_along(client: TestClient) -> None:
    answer = client.get("/?q=archive&language=en")
    assert '<input type="hidden" name="language" value="en">' in answer.text
    assert 'aria-current="true"' in answer.text
    assert re.search(r'href="/document/[0-9a-f]{32}/page/\d+\?q=archive&amp;language=en', answer.text)


def test_matches_are_walked_from_page_to_page(client: TestClient, shelf: Shelf) -> None:
    path: str | None = f"/document/{shelf.ids['report.pdf']}/page/1?q=archive"
    seen = []
    while path is not None:
        text = client.get(path).text
        current = re.search(r'<rect class="match current" id="match-(\d+)"', text)
        assert current is not None
        seen.append(int(current[1]))
        following = re.search(r'href="([^"]+)" data-key="n"', text)
        path = following[1].replace("&amp;", "&") if following else None
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) >= 3


def test_outline_and_page_numbers_lead_on(client: TestClient, shelf: Shelf) -> None:
    doc_id = shelf.ids["report.pdf"]
    assert f"/document/{doc_id}/page/4" in checked(client, f"/document/{doc_id}").links
    answer = client.get(f"/document/{doc_id}/page?number=5&q=archive", follow_redirects=False)
    assert answer.headers["location"] == f"/document/{doc_id}/page/5?q=archive"


def test_a_passage_is_marked_on_the_page_and_in_the_text(client: TestClient, shelf: Shelf) -> None:
    doc_id = shelf.ids["letter.pdf"]
    row = Library(shelf.output).rows("pages", doc_id, ["text"], frozenset({1}))[0]
    text = str(row["text"])
    start = text.index("Naval School")
    end = start + len("Naval School")
    answer = client.get(f"/document/{doc_id}/page/1?start={start}&end={end}").text
    assert f"<mark>{text[start:end]}</mark>" in answer
    assert answer.count('class="passage"') == 1
    assert 'class="passage"' in client.get(f"/document/{doc_id}/page/1?block=3").text
    assert 'class="passage"' not in client.get(f"/document/{doc_id}/page/1?block=999").text


def test_tables_and_structure_are_shown(client: TestClient, shelf: Shelf) -> None:
    doc_id = shelf.ids["report.pdf"]
    assert "Roads and bridges" in checked(client, f"/document/{doc_id}/tables").text
    assert "<td" in client.get(f"/document/{doc_id}/page/4").text
    assert 'class="block role-table"' in client.get(f"/document/{doc_id}/page/4?structure=1").text
    css = (Path(__file__).parents[3] / "pipeline/serve/static/pdfmill.css").read_text()
    drawn = {role: rule[1] for role in COLORS if (rule := re.search(rf"\.role-{role}\b[^{{}}]*{{ --role: (#\w+);", css))}
    assert drawn == {role: "#{:02x}{:02x}{:02x}".format(*color) for role, color in COLORS.items()}


def test_warnings_and_facts_are_told(client: TestClient, shelf: Shelf) -> None:
    page = checked(client, f"/document/{shelf.ids['damaged.pdf']}/facts")
    assert "content_incomplete" in page.text
    assert "Municipal Archive of Halden" in checked(client, f"/document/{shelf.ids['report.pdf']}/facts").text
    assert "app.alert('owned')" in checked(client, f"/document/{shelf.ids[EVIL_NAME]}/facts").text


def test_files_are_kept_never_shown(client: TestClient, shelf: Shelf) -> None:
    path = f"/document/{shelf.ids[EVIL_NAME]}/files"
    links = [link for link in checked(client, path).links if re.fullmatch(rf"{path}/\d+", link)]
    answers = [client.get(link) for link in links]
    assert b"<script>alert(3)</script>" in [answer.content for answer in answers]
    for answer in answers:
        assert answer.headers["content-disposition"].startswith("attachment;")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert "sandbox" in answer.headers["content-security-policy"]
        assert not re.search(r"[/\\<>\u202e]", answer.headers["content-disposition"].partition("filename*")[0])
    assert client.get(f"{path}/99").status_code == 404


def test_attached_documents_have_pages_and_pictures(client: TestClient, shelf: Shelf) -> None:
    path, depth = f"/document/{shelf.ids['binder.pdf']}", 0
    while inner := [
        link for link in checked(client, f"{path}/files").links if re.fullmatch("/document/[0-9a-f]{32}", link) and link != path
    ]:
        path, depth = inner[0], depth + 1
        assert client.get(f"{path}/page/1/900.png").headers["content-type"] == "image/png"
        assert "Attached to" in checked(client, path).text
    assert depth == 2


def test_the_original_is_the_original(client: TestClient, shelf: Shelf) -> None:
    answer = client.get(f"/document/{shelf.ids['report.pdf']}/original")
    assert answer.content == (shelf.sources / "report.pdf").read_bytes()
    assert answer.headers["content-disposition"].startswith('attachment; filename="report.pdf"')
    shown = client.get(f"/document/{shelf.ids['report.pdf']}/original?page=2")
    assert (shown.content, shown.headers["content-type"]) == (answer.content, "application/pdf")
    assert shown.headers["content-disposition"] == "inline"
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert "/original?page=1#page=1" in client.get(f"/document/{shelf.ids['report.pdf']}/page/1").text


def test_words_lie_on_the_picture_to_be_selected(client: TestClient, shelf: Shelf) -> None:
    page = client.get(f"/document/{shelf.ids['report.pdf']}/page/1").text
    words = re.findall(r'<tspan x="([\d.]+)" y="[\d.]+" font-size="[\d.]+" textLength="([\d.]+)"[^>]*>([^<]+)</tspan>', page)
    (row,) = Library(shelf.output).rows("pages", shelf.ids["report.pdf"], ["text", "words"], frozenset({1}))
    assert " ".join(word for _, _, word in words).split() == html.unescape(str(row["text"])).split()
    assert all(float(width) > 0 for _, width, _ in words)


def test_hits_are_given_as_a_table(client: TestClient) -> None:
    answer = client.get("/hits.csv?q=bridges")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["content-disposition"].startswith("attachment")
    assert rows
    assert all("bridges" in row["passage"].lower() and int(row["page"]) for row in rows)
    assert not any(value.startswith(("=", "+", "@")) for row in rows for value in row.values())


def test_documents_are_put_in_order_and_found_by_name(client: TestClient) -> None:
    pages = [int(each) for each in re.findall(r'<td class="figure">(\d+) <span class="narrow">', client.get("/documents?order=pages").text)]
    assert pages == sorted(pages, reverse=True)
    assert len(pages) > 2
    found = checked(client, "/documents?name=report").text
    assert "1 document with" in found
    assert "Nothing" not in found
    checked(client, "/documents?order=colour", 404)
    assert client.get("/documents").text.count("/page/1/120.png") >= len(pages), "small pictures of first pages"


def test_documents_are_found_by_language_and_date(client: TestClient) -> None:
    def count(query: str) -> int:
        return len(re.findall(r'<tr><td class="small-picture">', client.get(f"/documents?{query}").text))

    every = count("")
    assert 0 < count("language=en") < every
    assert count("language=en&date_to=1999-12-31") == count("date_from=2999-01-01") == count("language=e") == 0
    assert count("date_from=2000-01-01") == every
    assert "is not a date" in checked(client, "/documents?date_from=x", 400).text


def test_an_empty_answer_says_what_to_try(client: TestClient) -> None:
    found = checked(client, "/?q=%22unheardof+thing%22")
    assert "/?q=unheardof+thing" in found.links
    assert "/help#queries" in found.links


def test_a_document_without_pages_says_why(client: TestClient, shelf: Shelf) -> None:
    assert "password_needed" in checked(client, f"/document/{shelf.ids['encrypted.pdf']}").text
    assert "empty" in checked(client, f"/document/{shelf.ids['empty.pdf']}").text
    assert client.get(f"/document/{shelf.ids['encrypted.pdf']}/page/1").status_code == 404


def indexed(folder: Path, *flags: str) -> Library:
    run(["index", str(folder / "in"), "--output", str(folder / "out"), *flags])
    return Library(str(folder / "out"))


def a_client(library: Library, desk: PictureDesk) -> TestClient:
    return TestClient(make_app(Site(library, FakeSearch(library), desk)), base_url="http://localhost")


def test_sources_that_went_or_changed_keep_their_text(tmp_path: Path, desk: PictureDesk) -> None:
    sources = tmp_path / "in"
    sources.mkdir()
    for name in ("gone.pdf", "changed.pdf"):
        (sources / name).write_bytes(letter(1, note=name))
    library = indexed(tmp_path)
    (sources / "gone.pdf").unlink()
    (sources / "changed.pdf").write_bytes(letter(1, note="anew"))
    client = a_client(library, desk)
    by_name = {str(row["source_uri"]).rpartition("/")[2]: row["doc_id"] for row in library.listed(None, 0, 9)[0]}
    for name, sentence in (("gone.pdf", "no longer where it was read from"), ("changed.pdf", "has changed since it was read")):
        start = f"/document/{by_name[name]}"
        page = checked(client, f"{start}/page/1?q=engine")
        assert sentence in page.text
        assert "The archive keeps every letter" in page.text
        assert "<img" not in client.get(f"{start}/page/1").text
        picture = client.get(f"{start}/page/1/900.png")
        assert picture.status_code == 200
        assert picture.headers["content-type"].startswith("image/svg+xml")
        assert client.get(f"{start}/original").status_code in (404, 502)


def test_a_password_opens_pictures_too(tmp_path: Path, shelf: Shelf) -> None:
    (tmp_path / "in").mkdir()
    copy(shelf.sources / "encrypted.pdf", tmp_path / "in")
    (tmp_path / "passwords").write_text(f"wrong\n{PASSWORD}\n")
    library = indexed(tmp_path, "--passwords", str(tmp_path / "passwords"))
    doc_id = library.listed(None, 0, 1)[0][0]["doc_id"]
    for passwords, kind in ((None, "image/svg+xml"), (str(tmp_path / "passwords"), "image/png")):
        desk = PictureDesk(ReadSettings(passwords_uri=passwords), processes=1)
        try:
            client = a_client(library, desk)
            assert client.get(f"/document/{doc_id}/page/1/900.png").headers["content-type"].startswith(kind)
            assert ("--passwords FILE" in checked(client, f"/document/{doc_id}/page/1").text) == (passwords is None)
        finally:
            desk.close()


@pytest.mark.parametrize(("leaf", "rows"), [("1", 2), ("2", 1), ("99", 1), ("x", 2)])
def test_the_list_is_leafed_through(client: TestClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, leaf: str, rows: int) -> None:
    monkeypatch.setattr("pdfmill.pipeline.serve.app.LISTED", 2)
    monkeypatch.setattr("pdfmill.pipeline.serve.library.Library.counts", lambda self: {"ok": 3})
    monkeypatch.setattr(
        "pdfmill.pipeline.serve.library.Library.listed", lambda self, status, offset, limit, *_: (_three_rows()[offset : offset + limit], 3)
    )
    text = client.get(f"/documents?leaf={leaf}").text
    assert text.count('class="to"') == rows


def _three_rows() -> list[dict[str, object]]:
    columns = {"parent_doc_id": None, "title": None, "status": "ok", "error_code": None, "page_count": 1, "language": "en"}
    columns |= {"source_size": None, "source_modified": None}
    return [{"doc_id": str(number) * 32, "source_uri": f"file:///{number}.pdf", **columns} for number in range(3)]
