"""`pdfmill show`: one document as text, Markdown, HTML or JSON on the standard output, without a pipeline."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pipeline.main import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pipeline.one_document import OneDocument, OneSourceError, find_one, read_one
from pipeline.page_selection import PageSelection
from pipeline.render.html import render_html
from pipeline.render.images import cut_pictures, picture_boxes
from pipeline.render.json import render_json
from pipeline.render.markdown import render_markdown
from pipeline.render.rows import DocumentRows, text_in, whole_in
from pipeline.render.text import render_text
from schemas.public import printable
from schemas.records import DocumentRef
from transforms.layout.settings import LayoutSettings
from transforms.open_documents import NATIVE_LOCK, get_document
from transforms.pdf.errors import DocumentError, PageError
from transforms.pdf.render import render_page
from transforms.scans.installed import missing
from transforms.settings import RECOGNIZERS, ReadSettings
from transforms.storage.errors import SourceError
from transforms.storage.store import source_places

#: Format, and how a document is written in it; the flag says whether furniture stays, files are those of the other pages.
FORMATS: Final[dict[str, Callable[[DocumentRows, bool, dict[int, str]], str]]] = {
    "text": lambda rows, keep, files: render_text(rows),
    "markdown": lambda rows, keep, files: render_markdown(rows, keep_furniture=keep),
    "html": lambda rows, keep, files: render_html(rows, keep_furniture=keep, files=files),
    "json": lambda rows, keep, files: render_json(rows),
}
_SUFFIXES: Final = {"text": "txt", "markdown": "md", "html": "html", "json": "json"}
#: Pixels per point of images: 144 to the inch.
_IMAGE_SCALE: Final = 2.0


def show_parser() -> argparse.ArgumentParser:
    """The parser of `pdfmill show`."""
    parser = argparse.ArgumentParser(
        prog="pdfmill show",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Show one PDF as text, Markdown, HTML or JSON on the standard output.",
        epilog=(
            "text is the column pages.text with a form feed after each page; "
            "json holds the rows of documents, pages, blocks and assets, and why lines are what they are.\n\n"
            "exit codes: 0 all read, 1 some pages failed (named on the standard error), 2 nothing could be read\n\n"
            "examples:\n  pdfmill show paper.pdf --format markdown --pages 1-3\n"
            "  pdfmill show book.pdf --format html --images --split pages\n"
            "  pdfmill show s3://archive/paper.pdf --format html > paper.html"
        ),
    )
    parser.add_argument("source", metavar="FILE", help=f"a file, - for the standard input, or one object: {source_places('key')}")
    parser.add_argument("--format", choices=sorted(FORMATS), default="text", help="what to write (default: text)")
    parser.add_argument(
        "--pages", type=pages_flag, default=PageSelection(), metavar="PAGES", help="which pages, e.g. 1-3,7,12- (default: all)"
    )
    add_reading_flags(parser)
    parser.add_argument("--keep_furniture", "--keep-furniture", action="store_true", help="keep running heads, footers and page numbers")
    parser.add_argument("--images", action="store_true", help="with html: show the images of the pages, inside the file")
    parser.add_argument(
        "--split",
        metavar="FOLDER",
        type=Path,
        help="a file for each page in this folder, e.g. page-3.html, and nothing on the standard output",
    )
    return parser


def pages_flag(text: str) -> PageSelection:
    """The value of `--pages`, with argparse's own error."""
    try:
        return PageSelection.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_reading_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that every command on one document has."""
    parser.add_argument(
        "--passwords", metavar="FILE", help="file with one candidate password a line, for encrypted documents; local or in a store"
    )
    parser.add_argument("--ocr", action="store_true", help="recognise pages that need OCR")
    parser.add_argument("--ocr_redo", "--ocr-redo", action="store_true", help="with --ocr, recognise pages again whose OCR layer is bad")
    parser.add_argument("--recognizer", default=RECOGNIZERS[0], choices=RECOGNIZERS, help="what recognises them (default: tesseract)")
    parser.add_argument(
        "--ocr_language",
        "--ocr-language",
        default=ReadSettings().ocr_language,
        metavar="LANGUAGE",
        help="by Tesseract's names, e.g. eng+deu (default: eng)",
    )


def reading_settings(flags: argparse.Namespace) -> ReadSettings:
    """What these flags say.

    Raises:
        OneSourceError: OCR without its command.
    """
    if flags.ocr and (lack := missing(flags.recognizer)):
        raise OneSourceError(f"--ocr: {lack}")
    return ReadSettings(
        passwords_uri=flags.passwords,
        ocr=flags.ocr,
        ocr_redo=flags.ocr_redo,
        ocr_language=flags.ocr_language,
        recognizer=flags.recognizer,
    )


def run(argv: Sequence[str]) -> int:
    """The exit code: 0 all read, 1 some pages failed, 2 nothing could be read."""
    parser = show_parser()
    flags = parser.parse_args(list(argv))
    if flags.images and flags.format != "html":
        parser.error("--images needs --format html")
    layout = replace(LayoutSettings(), keep_furniture=flags.keep_furniture, explain=flags.format == "json")
    try:
        read = reading_settings(flags)
        ref = find_one(flags.source)
        document = read_one(ref, read, layout, flags.pages)
        if flags.images:
            add_pictures(document, ref, read)
    except (OneSourceError, SourceError) as error:
        return complain("show", str(error))
    rows = document.rows
    if text_in(rows.document, "status") not in ("ok", "partial") and flags.format != "json":
        return complain("show", reason(rows))
    if not rows.pages and flags.pages.ranges and whole_in(rows.document, "page_count"):
        return complain("show", f"{flags.source}: none of the pages asked for; it has pages 1 to {rows.document['page_count']}")
    try:
        if flags.split:
            write_pages(rows, flags)
        else:
            write(FORMATS[flags.format](rows, flags.keep_furniture, {}))
    except OSError as error:
        return complain("show", f"{error.filename or 'standard output'}: cannot be written: {error.strerror or error}")
    for page in rows.pages:
        if text_in(page, "error_code"):
            complain("show", f"{flags.source}: page {page['page']}: {text_in(page, 'error_code')}")
    for failure in document.ocr_failures:
        complain("show", f"{flags.source}: page {failure.page}: {failure.code}: {failure.message}")
    return exit_code(rows)


def add_pictures(document: OneDocument, ref: DocumentRef, read: ReadSettings) -> None:
    """The images of the pages that can be drawn, cut out of them; one that cannot is told on the standard error."""
    for page in document.lines:
        if not picture_boxes(page):
            continue
        try:
            with NATIVE_LOCK:
                pixels = render_page(get_document(ref, read).pdf.pdfium, page.page, _IMAGE_SCALE)
        except (DocumentError, PageError) as error:
            complain("show", f"page {page.page}: its images cannot be shown: {error}")
            continue
        document.rows.pictures[page.page] = cut_pictures(pixels, page)


def write_pages(rows: DocumentRows, flags: argparse.Namespace) -> None:
    """A file for each page."""
    files = {number: f"page-{number}.{_SUFFIXES[flags.format]}" for page in rows.pages if (number := whole_in(page, "page"))}
    flags.split.mkdir(parents=True, exist_ok=True)
    for number, name in files.items():
        text = FORMATS[flags.format](rows.of_page(number), flags.keep_furniture, files)
        (flags.split / name).write_text(text, encoding="utf-8")


def exit_code(rows: DocumentRows) -> int:
    """By the document's status."""
    return {"ok": EXIT_OK, "partial": EXIT_SOME_FAILED}.get(text_in(rows.document, "status"), EXIT_NOTHING_DONE)


def reason(rows: DocumentRows) -> str:
    """Why the document could not be read, naming it."""
    message, uri = text_in(rows.document, "error_message"), text_in(rows.document, "source_uri")
    return f"{text_in(rows.document, 'error_code')}: {message if printable(uri) in message else f'{printable(uri)}: {message}'}"


def complain(command: str, message: str) -> int:
    """Say it on the standard error; the exit code that goes with having done nothing."""
    print(f"pdfmill {command}: {message}", file=sys.stderr)
    return EXIT_NOTHING_DONE


def write(text: str) -> None:
    """To the standard output in UTF-8, whatever the locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)
    sys.stdout.flush()
