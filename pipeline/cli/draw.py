"""`pdfmill draw`: draw a page with its blocks, lines and reading order."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from pdfmill.pipeline.cli.main import complain
from pdfmill.pipeline.cli.show import add_reading_flags, reading_settings, reason
from pdfmill.pipeline.options.flag_values import PICTURE_SCALES, CommandParser, PageSelection, at_least, real_number
from pdfmill.pipeline.render.picture import draw_page, save_picture
from pdfmill.pipeline.render.rows import text_in, whole_in
from pdfmill.pipeline.run.errors import EXIT_OK
from pdfmill.pipeline.run.one_document import OneSourceError, find_one, read_one
from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.records import Row
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.pdf.draw.render import render_page
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import source_places

#: Most characters of a line's text in the output of `--why`.
_SHOWN: Final = 60


def draw_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="pdfmill draw",
        description="Draw a page with its text lines and its blocks, as boxes coloured by role, and their reading order.",
        epilog="exit codes: 0 drawn, 2 nothing could be drawn\n\nexample:\n  pdfmill draw paper.pdf --page 3 -o page3.png",
    )
    parser.add_argument("source", metavar="FILE", help=f"a file, - for the standard input, or one object: {source_places('key')}")
    parser.add_argument("--page", type=at_least(1), required=True, metavar="N", help="page number, from 1")
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE", help="the picture file to write: .png, .jpg, .tiff or .webp")
    parser.add_argument(
        "--scale", type=real_number(*PICTURE_SCALES), default=2.0, metavar="PIXELS", help="pixels per point (default: %(default)g)"
    )
    parser.add_argument("--words", action="store_true", help="also draw the boxes of words")
    parser.add_argument(
        "--why",
        action="store_true",
        help="print which rules decided whether lines are headings, tables, furniture or blocks of another role",
    )
    add_reading_flags(parser)
    return parser


def why_lines(why: Iterable[Row]) -> Iterator[str]:
    """Yield a line for each decision of the layout analysis about a text line: yes or no, the question, the rule, the line's text."""
    for each in why:
        text = text_in(each, "text")
        shown = f"{text[:_SHOWN]}..." if len(text) > _SHOWN else text
        yield f"{'yes' if each['taken'] else 'no ':3} {each['question']:9} {each['rule']:24} {each['says']}: {shown!r}"


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 drawn, 2 nothing could be drawn."""
    flags = draw_parser().parse_args(list(argv))
    layout = replace(LayoutSettings(), keep_furniture=True, explain=flags.why)
    try:
        read = reading_settings(flags)
        ref = find_one(flags.source)
        document = read_one(ref, read, layout, PageSelection(((flags.page, flags.page),)))
        if not document.lines:
            return complain("draw", _no_page(document.rows.document, flags.page) or reason(document.rows))
        with NATIVE_LOCK:
            pixels = render_page(get_document(ref, read, machine_fonts=True).pdfium, flags.page, flags.scale)
    except (OneSourceError, SourceError) as error:
        return complain("draw", str(error))
    except (DocumentError, PageError) as error:
        return complain("draw", f"{error.code}: {flags.source}: {error}")
    for failure in document.ocr_failures:
        complain("draw", f"{flags.source}: page {failure.page}: {failure.code}: {failure.message}")
    picture = draw_page(pixels, document.lines[0], document.rows, words=flags.words)
    try:
        save_picture(picture, flags.output)
    except OSError as error:
        return complain("draw", f"{flags.output}: cannot be written: {error.strerror or error}")
    for line in why_lines(document.rows.why):
        print(line)
    print(f"{flags.output}: {picture.width} x {picture.height} pixels, {len(document.rows.blocks)} blocks", file=sys.stderr)
    return EXIT_OK


def _no_page(row: dict[str, object], page: int) -> str | None:
    count = whole_in(row, "page_count")
    return f"{text_in(row, 'source_uri')}: no page {page}; it has pages 1 to {count}" if count else None
