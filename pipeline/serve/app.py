"""The Starlette application of `pdfmill serve`: the routes from URL paths to pages."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pdfmill.pipeline.render.joined_blocks import safe_address
from pdfmill.pipeline.render.languages import language_tag
from pdfmill.pipeline.render.rows import text_in, whole_in
from pdfmill.pipeline.run.summary import size_text
from pdfmill.pipeline.search.answers import SearchError
from pdfmill.pipeline.serve import document_page, downloads, search_page
from pdfmill.pipeline.serve.document_page import head_of, problem_of
from pdfmill.pipeline.serve.library import ORDERS, Among, Library
from pdfmill.pipeline.serve.links import document_path, page_path, picture_path, with_query
from pdfmill.pipeline.serve.outlines import outline_of, reference_of
from pdfmill.pipeline.serve.pictures import WIDTHS, PictureDesk
from pdfmill.pipeline.serve.safety import Safety
from pdfmill.pipeline.serve.search_page import Searcher, headings_of
from pdfmill.pipeline.serve.shown_facts import date_of, fact_groups, notices, text_of
from pdfmill.schemas.codes import ROLES, STATUSES
from pdfmill.schemas.records import Failure, Row
from pdfmill.schemas.version import version
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import shown_address

FOLDER: Final = Path(__file__).parent
#: Most rows of a list of facts (fonts, fields, scripts) on a page.
MAX_ROWS: Final = 500
#: Controls and noncharacters (HTML §13.1.4), and marks that change the direction of the following text.
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")


def clean(value: object) -> object:
    """Remove the characters that HTML forbids from a text. Markup of pdfmill, and values that are no text, are returned unchanged."""
    return _FORBIDDEN.sub("", value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def templates() -> Environment:
    """Load the templates. A template that uses an undefined name raises an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=clean,
    )
    environment.filters |= {
        "size": size_text,
        "language_tag": language_tag,
        "safe_address": safe_address,
        "number": _number,
        "told": text_of,
        "date": date_of,
        "address": shown_address,
    }
    environment.globals |= {
        "document_path": document_path,
        "page_path": page_path,
        "with_query": with_query,
        "version": version(),
        "most": MAX_ROWS,
        "headings_of": headings_of,
    }
    return environment


def _number(value: int) -> str:
    return f"{value:,}"


def render(template: str, /, **context: object) -> str:
    """Render a template as a whole page."""
    return templates().get_template(template).render(**context)


log = logging.getLogger("pdfmill")

#: Number of documents on one page of the list of documents.
LISTED: Final = 50
#: Seconds for which a response waits to learn whether the page's picture can be drawn. Then the page is shown, and its picture follows.
PROBLEM_SECONDS: Final = 1.5
_KEEP_PICTURE: Final = "private, max-age=86400, immutable"
_DOC_ID: Final = re.compile("[0-9a-f]{32}")


class _DocIdConvertor(Convertor[str]):
    """Matches a document id in a URL path: 32 hex digits."""

    regex = _DOC_ID.pattern

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _NumberConvertor(Convertor[int]):
    """Matches a number of at most nine digits in a URL path."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("doc", _DocIdConvertor())
register_url_convertor("number", _NumberConvertor())


class Site(Struct):
    """The objects that all pages of the site need."""

    library: Library
    searcher: Searcher
    desk: PictureDesk

    def document(self, request: Request) -> Row:
        """Return the row of the document in the request's path; raises HTTPException 404 if there is none."""
        doc_id = request.path_params["doc_id"]
        row = self.library.kept("document", doc_id, lambda: self.library.document(doc_id))
        if row is None:
            raise HTTPException(404, "The tables contain no document with this id.")
        return row


def make_app(site: Site, names: Iterable[str] = ()) -> Safety:
    """Make the application. names: host names by which browsers may call it, besides IP addresses and localhost."""

    def page(path: str, show: Callable[[Site, Request], Response]) -> Route:
        def endpoint(request: Request) -> Response:
            return show(site, request)

        return Route(path, endpoint)

    async def picture(request: Request) -> Response:
        return await _picture(site, request)

    app = Starlette(
        routes=[
            page("/", _search),
            page("/hits.csv", _hits),
            page("/documents", _documents),
            page("/help", _help),
            page("/document/{doc_id:doc}", _overview),
            page("/document/{doc_id:doc}/page", _to_page),
            page("/document/{doc_id:doc}/page/{page:number}", _page),
            Route("/document/{doc_id:doc}/page/{page:number}/{width:number}.png", picture),
            page("/document/{doc_id:doc}/tables", _tables),
            page("/document/{doc_id:doc}/facts", _facts),
            page("/document/{doc_id:doc}/files", _files),
            page("/document/{doc_id:doc}/files/{asset:number}", _file),
            page("/document/{doc_id:doc}/original", _original),
            Mount("/static", StaticFiles(directory=FOLDER / "static"), name="static"),
        ],
        exception_handlers={HTTPException: _refused, SearchError: _no_tables, SourceError: _no_store, Exception: _broken},
    )
    return Safety(app, names)  # around everything, also around the page that tells of an error


def _html(template: str, code: int = 200, /, **context: object) -> HTMLResponse:
    return HTMLResponse(render(template, **context), code)


def _search(site: Site, request: Request) -> Response:
    query = request.query_params
    if not query.get("q", "").strip():
        return _html("welcome.html", counts=site.library.counts(), statuses=STATUSES, query="", output=site.library.output)
    shown = search_page.find(site.library, site.searcher, query)
    return _html("search.html", shown=shown, filters=search_page.FILTERS, dates=search_page.DATES, query=shown.query)


def _hits(site: Site, request: Request) -> Response:
    text = search_page.csv_of(site.searcher, request.query_params)
    return Response(text, media_type="text/csv", headers={"content-disposition": downloads.disposition("hits.csv")})


def _documents(site: Site, request: Request) -> Response:
    asked = {
        name: request.query_params.get(name, "").strip() or None for name in ("status", "order", "name", "language", *search_page.DATES)
    }
    status, order = asked["status"], asked["order"]
    if status is not None and status not in STATUSES:
        raise HTTPException(404, "There is no such status.")
    if order is not None and order not in ORDERS:
        raise HTTPException(404, f"Documents can be sorted by {', '.join(ORDERS)}.")
    try:
        filters = search_page.filters_of({name: value for name, value in asked.items() if value})
    except SearchError as error:
        raise HTTPException(400, f"{error}.") from error
    among = Among(asked["name"] or "", filters.language, filters.date_from, filters.date_to)
    leaf = max(1, document_page.whole(request.query_params.get("leaf")) or 1)
    rows, total = site.library.listed(status, (leaf - 1) * LISTED, LISTED, order, among)
    if total and not rows:
        leaf = -(-total // LISTED)
        rows, total = site.library.listed(status, (leaf - 1) * LISTED, LISTED, order, among)
    return _html(
        "documents.html",
        rows=[(row, search_page.name_of(text_in(row, "source_uri")), picture_path(row, 1, WIDTHS[2])) for row in rows],
        counts=site.library.counts(),
        statuses=STATUSES,
        languages=site.library.languages(),
        dates={name: search_page.FILTERS[name] for name in search_page.DATES},
        asked=asked,
        leaf=leaf,
        total=total,
        size=LISTED,
        query="",
    )


def _help(site: Site, request: Request) -> Response:
    return _html("help.html", query="")


def _overview(site: Site, request: Request) -> Response:
    row = site.document(request)
    head = head_of(row, request.query_params, "overview")
    found = document_page.found_in(site.searcher, head.doc_id, head.carried.get("q", ""))
    same = text_in(row, "duplicate_of")
    parent = site.library.document(text_in(row, "parent_doc_id")) if row.get("parent_doc_id") else None
    return _html(
        "overview.html",
        head=head,
        found=found,
        outline=site.library.kept("outline", head.doc_id, lambda: outline_of(site.library, row)),
        notices=notices(row),
        same=same,
        parent=parent,
        statuses=STATUSES,
        query=head.carried.get("q", ""),
    )


def _to_page(site: Site, request: Request) -> Response:
    head = head_of(site.document(request), request.query_params, "pages")
    number = document_page.whole(request.query_params.get("number")) or 1
    return RedirectResponse(head.page(min(max(1, number), max(1, head.page_count))), 303)


def _page(site: Site, request: Request) -> Response:
    row, number = site.document(request), request.path_params["page"]
    viewer = document_page.view(site.library, site.searcher, row, number, request.query_params)
    if viewer is None:
        raise HTTPException(404, f"The document has no page {number}.")
    drawn = _asked(site, row, number)
    if isinstance(drawn, Failure):
        viewer.problem = problem_of(drawn)
    return _html("page.html", viewer=viewer, head=viewer.head, roles=ROLES, query=viewer.head.carried.get("q", ""))


def _asked(site: Site, row: Row, number: int) -> bytes | Failure | None:
    """Start drawing the page's picture. Return the picture, or why it cannot be drawn; None if it is not ready yet."""
    try:
        return site.desk.wait(reference_of(site.library, row), number, WIDTHS[0], PROBLEM_SECONDS)
    except SourceError as error:
        return error.failure


async def _picture(site: Site, request: Request) -> Response:
    number, width = request.path_params["page"], request.path_params["width"]
    if width not in WIDTHS:
        raise HTTPException(404, "Pictures are not available in this width.")
    row = await asyncio.to_thread(site.document, request)
    if not 1 <= number <= (whole_in(row, "page_count") or 0):
        raise HTTPException(404, f"The document has no page {number}.")
    try:
        ref = await asyncio.to_thread(reference_of, site.library, row)
        drawn = await asyncio.wrap_future(site.desk.ask(ref, number, width))
    except SourceError as error:
        drawn = error.failure
    if isinstance(drawn, bytes):
        return Response(drawn, media_type="image/png", headers={"cache-control": _KEEP_PICTURE})
    # 200: a browser shows what comes with an error as a broken picture
    return Response(render("no-picture.svg", code=drawn.code), media_type="image/svg+xml")


def _tables(site: Site, request: Request) -> Response:
    row = site.document(request)
    head = head_of(row, request.query_params, "tables")
    leaf = max(1, document_page.whole(request.query_params.get("leaf")) or 1)
    shown = document_page.tables_of(site.library, head, leaf)
    return _html("tables.html", head=head, shown=shown, query=head.carried.get("q", ""))


def _facts(site: Site, request: Request) -> Response:
    row = site.document(request)
    head = head_of(row, request.query_params, "facts")
    return _html("facts.html", head=head, groups=list(fact_groups(row)), notices=notices(row), row=row, query=head.carried.get("q", ""))


def _files(site: Site, request: Request) -> Response:
    head = head_of(site.document(request), request.query_params, "files")
    return _html("files.html", head=head, files=downloads.listed_files(site.library, head.doc_id), query=head.carried.get("q", ""))


def _file(site: Site, request: Request) -> Response:
    doc_id, number = request.path_params["doc_id"], request.path_params["asset"]
    asset = next((each for each in downloads.listed_files(site.library, doc_id) if each.number == number), None)
    if asset is None or asset.uri is None:
        raise HTTPException(404, "The document has no such file, or its bytes were not exported.")
    return _download(downloads.open_asset(asset.uri), _KEPT, _kept(asset.file_name))


def _original(site: Site, request: Request) -> Response:
    row = site.document(request)
    name = downloads.safe_name(search_page.name_of(text_in(row, "source_uri")), "document.pdf")
    opened = downloads.open_original(reference_of(site.library, row))
    if "page" in request.query_params:  # shown by the browser's own viewer, which a sandbox would keep away
        return _download(opened, "application/pdf", {"content-disposition": "inline", "content-security-policy": "default-src 'none'"})
    return _download(opened, _KEPT, _kept(name))


#: MIME type of downloads, which no browser displays.
_KEPT: Final = "application/octet-stream"


def _kept(name: str) -> dict[str, str]:
    return {"content-disposition": downloads.disposition(name), "content-security-policy": "sandbox; default-src 'none'"}


def _download(opened: downloads.Opened, media_type: str, headers: dict[str, str]) -> StreamingResponse:
    if opened.size is not None:
        headers["content-length"] = str(opened.size)
    return StreamingResponse(opened.pieces, media_type=media_type, headers=headers)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _html("refused.html", error.status_code, status=error.status_code, sentence=error.detail, query="")


def _no_tables(request: Request, error: Exception) -> Response:
    return _html("refused.html", 502, status=502, sentence=str(error), query="")


def _no_store(request: Request, error: Exception) -> Response:
    assert isinstance(error, SourceError)
    status = 404 if error.code in ("not_found", "no_such_bucket") else 502
    return _html("refused.html", status, status=status, sentence=f"{error.code}: {error.failure.message}", query="")


def _broken(request: Request, error: Exception) -> Response:
    log.error("%s: %s", request.url.path, error, exc_info=error)
    return _html("refused.html", 500, status=500, sentence="There was an error inside pdfmill; its log has the details.", query="")
