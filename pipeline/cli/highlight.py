"""`pdfmill highlight`: write the boxes of a phrase or a range of offsets as JSON, as Acrobat's highlight file, and as a picture."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from msgspec.structs import replace

from pdfmill.pipeline.cli.main import complain
from pdfmill.pipeline.cli.show import add_reading_flags, reading_settings, reason, write
from pdfmill.pipeline.options.flag_values import PICTURE_SCALES, CommandParser, PageSelection, at_least, real_number
from pdfmill.pipeline.render.find_text import Hit, find_phrases, mark_page, place_hits, render_acrobat, render_hits
from pdfmill.pipeline.render.picture import save_picture
from pdfmill.pipeline.render.rows import text_in, whole_in
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.pipeline.run.one_document import OneDocument, OneSourceError, find_one, read_one
from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.pdf.draw.render import render_page
from pdfmill.transforms.pdf.text.page import read_drawn
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import source_places


def highlight_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="pdfmill highlight",
        description="Find phrases in a PDF, or take offsets into a page's text, and write where they are on the page.",
        epilog=(
            "json holds page, offsets into pages.text, text and boxes of each place, a box for each line; points from the top left.\n"
            "xml is the highlight file that Acrobat opens with FILE.pdf#xml=ADDRESS.\n\n"
            "exit codes: 0 found, 1 nothing found, 2 nothing could be read or written\n\n"
            "examples:\n  pdfmill highlight paper.pdf 'reading order' pages\n"
            "  pdfmill highlight paper.pdf --page 3 --start 120 --end 134 -o page3.png\n"
            "  pdfmill highlight paper.pdf cafe --ignore_accents --format xml > paper.xml"
        ),
    )
    parser.add_argument("source", metavar="FILE", help=f"a file, - for the standard input, or one object: {source_places('key')}")
    parser.add_argument(
        "phrases", metavar="PHRASE", nargs="*", help="phrase to find, whatever its case and the white space between its words"
    )
    parser.add_argument("--page", type=at_least(1), metavar="N", help="page number, from 1 (default: all)")
    parser.add_argument(
        "--start", type=at_least(0), metavar="OFFSET", help="instead of phrases: offset in the text of page N where the range begins"
    )
    parser.add_argument("--end", type=at_least(0), metavar="OFFSET", help="offset where the range ends")
    parser.add_argument("--format", choices=("json", "xml"), default="json", help="format of the standard output (default: %(default)s)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PICTURE",
        help="also draw page N, or the first page with a match, with the matches marked (.png, .jpg, .tiff, .webp)",
    )
    parser.add_argument(
        "--scale",
        type=real_number(*PICTURE_SCALES),
        default=2.0,
        metavar="PIXELS",
        help="pixels per point of the picture (default: %(default)g)",
    )
    parser.add_argument("--ignore_accents", "--ignore-accents", action="store_true", help="ignore accents: cafe also finds café")
    parser.add_argument("--parts", action="store_true", help="also find phrases within words")
    parser.add_argument(
        "--keep_furniture",
        "--keep-furniture",
        action="store_true",
        help="also search running heads, footers and page numbers, and count them in the offsets",
    )
    add_reading_flags(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 found, 1 nothing found, 2 nothing could be read or written."""
    flags = highlight_parser().parse_args(list(argv))
    if wrong := _wrong(flags):
        return complain("highlight", wrong)
    layout = replace(LayoutSettings(), keep_furniture=flags.keep_furniture)
    try:
        read = reading_settings(flags)
        ref = find_one(flags.source)
        document = read_one(ref, read, layout, PageSelection(((flags.page, flags.page),) if flags.page else ()))
        if text_in(document.rows.document, "status") not in ("ok", "partial"):
            return complain("highlight", reason(document.rows))
        if flags.page and not document.lines:
            return complain(
                "highlight", f"{flags.source}: no page {flags.page}; it has pages 1 to {whole_in(document.rows.document, 'page_count')}"
            )
        hits = find_hits(document, flags)
        write(_written(ref, read, document, hits, flags.format))
        drawn = _draw(ref, read, document, hits, flags) if flags.output else EXIT_OK
    except (OneSourceError, SourceError) as error:
        return complain("highlight", str(error))
    except (DocumentError, PageError) as error:
        return complain("highlight", f"{error.code}: {flags.source}: {error}")
    return drawn if drawn != EXIT_OK or hits else EXIT_SOME_FAILED


def _wrong(flags: argparse.Namespace) -> str | None:
    """Return why these flags cannot be combined; None if they can."""
    offsets = flags.start is not None or flags.end is not None
    if offsets == bool(flags.phrases):
        return "give either phrases, or --page N --start A --end B; see pdfmill highlight --help"
    if offsets and (flags.page is None or flags.start is None or flags.end is None or not flags.start < flags.end):
        return "give --page N, --start (0 or more) and an --end after it"
    return None


def find_hits(document: OneDocument, flags: argparse.Namespace) -> list[Hit]:
    """Return the hits on the document's pages that the flags request: all occurrences of phrases, or a range of offsets."""
    hits: list[Hit] = []
    for row, lines in zip(document.rows.pages, document.lines, strict=True):
        text = text_in(row, "text")
        if flags.phrases:
            spans = find_phrases(text, flags.phrases, accents=not flags.ignore_accents, parts=flags.parts)
        else:
            spans = [(flags.start, min(flags.end, len(text)))] if flags.start < len(text) else []
        hits += place_hits(row, lines, spans)
    return hits


def _written(ref: DocumentRef, read: ReadSettings, document: OneDocument, hits: Sequence[Hit], form: str) -> str:
    if form == "json":
        return render_hits(text_in(document.rows.document, "source_uri"), hits)
    return render_acrobat(hits, {page: _glyphs(ref, read, page) for page in sorted({hit.page for hit in hits})})


def _glyphs(ref: DocumentRef, read: ReadSettings, page: int) -> Glyphs:
    with NATIVE_LOCK:
        return read_drawn(get_document(ref, read), page)


def _draw(ref: DocumentRef, read: ReadSettings, document: OneDocument, hits: Sequence[Hit], flags: argparse.Namespace) -> int:
    page = flags.page or next((hit.page for hit in hits), None)
    if page is None:
        return complain("highlight", f"{flags.output}: was not written, because nothing was found") and EXIT_SOME_FAILED
    width = next(lines.width for lines in document.lines if lines.page == page)
    with NATIVE_LOCK:
        pixels = render_page(get_document(ref, read, machine_fonts=True).pdfium, page, flags.scale)
    try:
        save_picture(mark_page(pixels, width, [hit for hit in hits if hit.page == page]), flags.output)
    except OSError as error:
        return complain("highlight", f"{flags.output}: cannot be written: {error.strerror or error}") and EXIT_NOTHING_DONE
    print(f"{flags.output}: page {page}", file=sys.stderr)
    return EXIT_OK
