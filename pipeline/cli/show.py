"""`pdfmill show`: print documents as text, Markdown, HTML or JSON to the standard output."""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from pdfmill.pipeline.cli.main import complain
from pdfmill.pipeline.options.flag_values import ANY_FORMAT, CommandParser, PageSelection
from pdfmill.pipeline.render.images import Picture, cut_pictures, picture_boxes
from pdfmill.pipeline.render.joined_blocks import labels_in
from pdfmill.pipeline.render.rows import DocumentRows, text_in, whole_in
from pdfmill.pipeline.render.spreadsheets import PageTable, TableError, page_tables, to_csv, to_xlsx
from pdfmill.pipeline.render.text import render_text
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.pipeline.run.one_document import OneDocument, OneSourceError, find_one, read_one
from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.public import printable, with_name
from pdfmill.schemas.records import DocumentRef, Row
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.pdf.draw.render import render_page
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document, passwords
from pdfmill.transforms.scans.installed import ENGINES, missing
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import source_places


def _as_markdown(rows: DocumentRows, keep: bool, files: dict[int, str]) -> str:
    from pdfmill.pipeline.render.markdown import render_markdown  # each format is loaded when it is asked for

    return render_markdown(rows, keep_furniture=keep)


def _as_html(rows: DocumentRows, keep: bool, files: dict[int, str]) -> str:
    from pdfmill.pipeline.render.html import render_html

    return render_html(rows, keep_furniture=keep, files=files)


def _as_json(rows: DocumentRows, keep: bool, files: dict[int, str]) -> str:
    from pdfmill.pipeline.render.json import render_json

    return render_json(rows)


#: The function for each format that renders a document. Arguments: the rows, whether to keep running heads and page numbers, the names of
#: the files of other pages.
FORMATS: Final[dict[str, Callable[[DocumentRows, bool, dict[int, str]], str]]] = {
    "text": lambda rows, keep, files: render_text(rows),
    "markdown": _as_markdown,
    "html": _as_html,
    "json": _as_json,
}
#: The function for each format that renders tables.
TABLE_FORMATS: Final[dict[str, Callable[[Sequence[PageTable]], str | bytes]]] = {"csv": to_csv, "xlsx": to_xlsx}
#: The line that precedes each of several documents, by format; {} is the address.
_HEADS: Final = {"text": "==> {} <==\n", "markdown": "<!-- {} -->\n\n"}
_SUFFIXES: Final = {"text": "txt", "markdown": "md", "html": "html", "json": "json"}
#: Pixels per point of images: 144 per inch.
_IMAGE_SCALE: Final = 2.0


def show_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="pdfmill show",
        description=f"Print PDFs as {ANY_FORMAT}, or their tables as CSV or XLSX, to the standard output.",
        epilog=(
            "text is the column pages.text with a form feed after each page; "
            "json holds the rows of documents, pages, blocks and assets, and why lines are what they are.\n\n"
            "exit codes: 0 all read, 1 some files or pages failed (named on the standard error), 2 nothing could be read\n\n"
            "examples:\n  pdfmill show paper.pdf --format markdown --pages 1-3\n"
            "  pdfmill show book.pdf --format html --images --split pages\n"
            "  pdfmill show report.pdf --tables xlsx > tables.xlsx\n"
            "  pdfmill show s3://archive/paper.pdf --format html > paper.html"
        ),
    )
    parser.add_argument(
        "sources", metavar="FILE", nargs="+", help=f"a file, - for the standard input, or one object: {source_places('key')}"
    )
    shapes = parser.add_mutually_exclusive_group()
    shapes.add_argument("--format", choices=sorted(FORMATS), default="text", help="the output format (default: %(default)s)")
    shapes.add_argument("--tables", choices=sorted(TABLE_FORMATS), help="write only the tables; redirect xlsx to a file, or give --split")
    parser.add_argument(
        "--pages", type=pages_flag, default=PageSelection(), metavar="PAGES", help="the pages to show, e.g. 1-3,7,12- (default: all)"
    )
    add_reading_flags(parser)
    parser.add_argument("--keep_furniture", "--keep-furniture", action="store_true", help="keep running heads, footers and page numbers")
    parser.add_argument("--images", action="store_true", help="with html: include the images of the pages in the file")
    parser.add_argument(
        "--split",
        metavar="FOLDER",
        type=Path,
        help="a file for each page (or table) in this folder, e.g. page-03.html, and nothing on the standard output; several FILEs have a "
        "folder each in it",
    )
    return parser


def pages_flag(text: str) -> PageSelection:
    """Convert the value of `--pages`; raises the error that argparse prints."""
    try:
        return PageSelection.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_reading_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags for reading that `show`, `draw` and `highlight` share."""
    parser.add_argument(
        "--passwords", metavar="FILE", help="file with one password per line to try on encrypted documents; local or in a store"
    )
    parser.add_argument("--ocr", action="store_true", help="recognise the text of pages that need OCR")
    parser.add_argument("--ocr_redo", "--ocr-redo", action="store_true", help="with --ocr, also recognise pages whose OCR layer is bad")
    parser.add_argument("--recognizer", default=ReadSettings().recognizer, choices=ENGINES, help="the OCR program (default: %(default)s)")
    parser.add_argument(
        "--ocr_language",
        "--ocr-language",
        default=ReadSettings().ocr_language,
        metavar="LANGUAGE",
        help="languages by Tesseract's names, e.g. eng+deu (default: chosen from the pages)",
    )


def reading_settings(flags: argparse.Namespace) -> ReadSettings:
    """Return the settings for reading a document from these flags.

    Raises:
        OneSourceError: OCR was requested, but its program or language data are missing; or the file of passwords cannot be read.
    """
    try:
        passwords(flags.passwords)
    except SourceError as error:
        raise OneSourceError(f"--passwords: {error}") from error
    if flags.ocr and (lack := missing(flags.recognizer, flags.ocr_language)):
        raise OneSourceError(f"--ocr: {lack}")
    return ReadSettings(
        passwords_uri=flags.passwords,
        ocr=flags.ocr,
        ocr_redo=flags.ocr_redo,
        ocr_language=flags.ocr_language,
        recognizer=flags.recognizer,
    )


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 all read, 1 some pages or files failed, 2 nothing could be read."""
    parser = show_parser()
    flags = parser.parse_args(list(argv))
    if flags.images and (flags.format != "html" or flags.tables):
        parser.error("--images only works with --format html")
    if len(flags.sources) > 1 and not flags.split and (flags.tables or flags.format == "html"):
        parser.error(f"several files as {flags.tables or flags.format} cannot be written as one file: give --split FOLDER")
    if flags.tables == "xlsx" and not flags.split and sys.stdout.isatty():
        parser.error("--tables xlsx cannot be printed on a terminal: redirect it to a file, or give --split FOLDER")
    folders = split_folders(flags.split, flags.sources) if flags.split else [None] * len(flags.sources)
    codes = {_show(source, folder, flags) for source, folder in zip(flags.sources, folders, strict=True)}
    return codes.pop() if len(codes) == 1 else EXIT_SOME_FAILED


def split_folders(folder: Path, sources: Sequence[str]) -> list[Path]:
    """Return the folder for the page files of each source: `folder` for one source, else subfolders with the sources' names."""
    if len(sources) == 1:
        return [folder]
    names: list[str] = []
    for source in sources:
        stem = PurePosixPath(source).stem.strip(".-") or "document"
        names.append(next(name for name in chain([stem], (f"{stem}-{n}" for n in count(2))) if name not in names))
    return [folder / name for name in names]


def _show(source: str, folder: Path | None, flags: argparse.Namespace) -> int:
    """Show one document and return its exit code. folder: where to write a file for each page or table; None for the standard output."""
    layout = replace(LayoutSettings(), keep_furniture=flags.keep_furniture, explain=flags.format == "json" and not flags.tables)
    try:
        read = reading_settings(flags)
        ref = find_one(source)
        document = read_one(ref, read, layout, flags.pages)
        if flags.images:
            add_pictures(document, ref, read)
    except (OneSourceError, SourceError) as error:
        return complain("show", str(error))
    rows = document.rows
    if text_in(rows.document, "status") not in ("ok", "partial") and (flags.format != "json" or flags.tables):
        return complain("show", reason(rows))
    if not rows.pages and flags.pages.ranges and whole_in(rows.document, "page_count"):
        return complain("show", f"{source}: has none of the requested pages; it has pages 1 to {rows.document['page_count']}")
    try:
        if flags.tables:
            write_tables(rows, flags.tables, folder)
        elif folder:
            write_pages(rows, flags, folder)
        else:
            head = _HEADS.get(flags.format, "") if len(flags.sources) > 1 else ""
            write(head.format(printable(source)) + FORMATS[flags.format](rows, flags.keep_furniture, {}))
    except OSError as error:
        return complain("show", f"{error.filename or 'standard output'}: cannot be written: {error.strerror or error}")
    except TableError as error:
        return complain("show", f"{source}: {error}")
    for page in rows.pages:
        if text_in(page, "error_code"):
            complain("show", f"{source}: page {page['page']}: {text_in(page, 'error_code')}")
    pictures = sum(bool(page.get("needs_ocr")) for page in rows.pages)
    if pictures and not flags.ocr:
        complain("show", f"{source}: {pictures} of {len(rows.pages)} pages show text that their text layer lacks; --ocr recognises it")
    for failure in document.ocr_failures:
        complain("show", f"{source}: page {failure.page}: {failure.code}: {failure.message}")
    return exit_code(rows)


def add_pictures(document: OneDocument, ref: DocumentRef, read: ReadSettings) -> None:
    """Cut the images out of drawn pages and add them to the document; report images that cannot be drawn on the standard error.
    Where text lies on an image, the page is drawn without text, so that the image does not repeat it."""
    by_page = defaultdict[int | None, list[Row]](list)
    for block in document.rows.blocks:
        by_page[whole_in(block, "page")].append(block)
    for page in document.lines:
        boxes = picture_boxes(page)
        if not boxes:
            continue
        blocks = by_page[page.page]
        under = [box for box in boxes if labels_in(box, blocks) is None]
        found: list[Picture] = []
        for wanted, text in ((under, False), ([box for box in boxes if box not in under], True)):
            if not wanted:
                continue
            try:
                with NATIVE_LOCK:
                    pixels = render_page(get_document(ref, read, machine_fonts=True).pdfium, page.page, _IMAGE_SCALE, text=text)
            except (DocumentError, PageError) as error:
                complain("show", f"page {page.page}: its images cannot be shown: {error}")
                break
            found += cut_pictures(pixels, page, wanted)
        if found:
            document.rows.pictures[page.page] = sorted(found, key=lambda picture: boxes.index(picture.box))


def write_pages(rows: DocumentRows, flags: argparse.Namespace, folder: Path) -> None:
    """Write a file for each page, with names that sort by page."""
    digits = _digits(rows)
    files = {number: f"page-{number:0{digits}}.{_SUFFIXES[flags.format]}" for page in rows.pages if (number := whole_in(page, "page"))}
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in files.items():
        text = FORMATS[flags.format](rows.of_page(number), flags.keep_furniture, files)
        (folder / name).write_text(text, encoding="utf-8")


def write_tables(rows: DocumentRows, kind: str, folder: Path | None) -> None:
    """Write the tables of the selected pages: all to the standard output, or each to a file in the folder. kind: csv or xlsx."""
    tables = list(page_tables(rows))
    if folder is None:
        write(TABLE_FORMATS[kind](tables))
        return
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        data = TABLE_FORMATS[kind]([table])
        (folder / f"{table.name(_digits(rows))}.{kind}").write_bytes(data.encode() if isinstance(data, str) else data)


def _digits(rows: DocumentRows) -> int:
    return len(str(whole_in(rows.document, "page_count") or 1))


def exit_code(rows: DocumentRows) -> int:
    """Return the exit code for the document's status: 0 read, 1 read in part, 2 not read."""
    return {"ok": EXIT_OK, "partial": EXIT_SOME_FAILED}.get(text_in(rows.document, "status"), EXIT_NOTHING_DONE)


def reason(rows: DocumentRows) -> str:
    """Return the error code and a sentence that names the document and says why it could not be read."""
    named = with_name(text_in(rows.document, "error_message"), text_in(rows.document, "source_uri"))
    return f"{text_in(rows.document, 'error_code')}: {named}"


def write(text: str | bytes) -> None:
    """Write to the standard output; text is encoded as UTF-8, whatever the locale."""
    if isinstance(text, bytes):
        sys.stdout.buffer.write(text)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout.write(text)
    sys.stdout.flush()
