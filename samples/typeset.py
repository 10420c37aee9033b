"""Typeset the sample documents of `make demo`: python samples/typeset.py OUT_DIR

    paper.pdf       two columns: title, authors, abstract, numbered sections, a figure with its caption, a footnote, references
    report.pdf      cover, contents, numbered headings, running heads, page numbers, a ruled table, a list, an outline, metadata
    letter.pdf      one page, embedded TrueType fonts
    scan.pdf        the letter as a picture: a page without text
    encrypted.pdf   needs a password ("halden")
    damaged.pdf     the report, broken off after two thirds
    web-page.pdf    not a PDF, whatever its name says
    empty.pdf       no bytes at all

The bytes are the same on every run with the same ReportLab.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import reportlab
from reportlab.graphics.charts.barcharts import VerticalBarChart
from reportlab.graphics.shapes import Drawing
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    ListFlowable,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

sys.path.insert(0, str(Path(__file__).parent))  # so that it also runs as `python -m samples.typeset`
import texts

WIDTH, HEIGHT = A4
MARGIN = 22 * mm
GUTTER = 7 * mm
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2
PASSWORD = "halden"


def _style(name: str, font: str, size: float, **more: object) -> ParagraphStyle:
    return ParagraphStyle(name, fontName=font, fontSize=size, **{"leading": size * 1.22, **more})


PAPER_BODY = _style("body", "Times-Roman", 10, alignment=TA_JUSTIFY, firstLineIndent=10, hyphenationLang="en_GB", embeddedHyphenation=1)
PAPER_FIRST = ParagraphStyle("first", PAPER_BODY, firstLineIndent=0)
PAPER_ABSTRACT = ParagraphStyle("abstract", PAPER_FIRST, fontName="Times-Italic", fontSize=9, leading=11)
PAPER_TITLE = _style("title", "Times-Bold", 18, alignment=TA_CENTER, spaceAfter=8)
PAPER_AUTHOR = _style("author", "Times-Roman", 11, alignment=TA_CENTER)
PAPER_HEADING = _style("heading", "Times-Bold", 12, spaceBefore=10, spaceAfter=4, keepWithNext=1)
PAPER_SMALL = _style("small", "Times-Roman", 8)

REPORT_BODY = _style("report body", "Helvetica", 10.5, leading=15, spaceAfter=8)
REPORT_ITEM = ParagraphStyle("report item", REPORT_BODY, spaceAfter=3)
REPORT_COVER = _style("cover", "Helvetica-Bold", 28, spaceAfter=12)
REPORT_SUBTITLE = _style("subtitle", "Helvetica", 14, spaceAfter=30)
REPORT_HEADINGS = [
    _style("report heading 1", "Helvetica-Bold", 18, spaceBefore=6, spaceAfter=10, keepWithNext=1),
    _style("report heading 2", "Helvetica-Bold", 13, spaceBefore=10, spaceAfter=6, keepWithNext=1),
]
REPORT_CAPTION = _style("caption", "Helvetica-Oblique", 9, spaceBefore=5, spaceAfter=12)


def _words(text: str) -> str:
    """The text on one line: the sources wrap where it suits them."""
    return " ".join(text.split())


def paper(sink: io.BytesIO) -> None:
    """A two-column paper."""

    def footnote(canvas: Canvas, _document: object) -> None:
        canvas.saveState()
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, MARGIN + 26, MARGIN + 60, MARGIN + 26)
        note = Paragraph(texts.PAPER_FOOTNOTE, PAPER_SMALL)
        _, height = note.wrap(COLUMN, 40)
        note.drawOn(canvas, MARGIN, MARGIN + 22 - height)
        canvas.restoreState()
        number(canvas, _document)

    def number(canvas: Canvas, _document: object) -> None:
        canvas.setFont("Times-Roman", 9)
        canvas.drawCentredString(WIDTH / 2, 12 * mm, str(canvas.getPageNumber()))

    head, top = 66 * mm, HEIGHT - MARGIN
    first = [
        _frame(MARGIN, top - head, WIDTH - 2 * MARGIN, head),
        _frame(MARGIN, MARGIN + 30, COLUMN, top - head - MARGIN - 30),
        _frame(MARGIN + COLUMN + GUTTER, MARGIN, COLUMN, top - head - MARGIN),
    ]
    later = [_frame(x, MARGIN, COLUMN, top - MARGIN) for x in (MARGIN, MARGIN + COLUMN + GUTTER)]
    document = BaseDocTemplate(sink, pagesize=A4, title=texts.PAPER_TITLE, author=texts.PAPER_AUTHORS, invariant=1)
    document.addPageTemplates([PageTemplate("first", first, onPage=footnote), PageTemplate("later", later, onPage=number)])
    document.build(_paper_story())


def _paper_story() -> list[Flowable]:
    story: list[Flowable] = [
        NextPageTemplate("later"),
        Paragraph(texts.PAPER_TITLE, PAPER_TITLE),
        Paragraph(texts.PAPER_AUTHORS, PAPER_AUTHOR),
        Paragraph(texts.PAPER_PLACE, PAPER_AUTHOR),
        Spacer(1, 12),
        Paragraph("Abstract", ParagraphStyle("abstract heading", PAPER_HEADING, alignment=TA_CENTER)),
        Paragraph(_words(texts.PAPER_ABSTRACT), PAPER_ABSTRACT),
        FrameBreak(),
    ]
    for heading, paragraphs in texts.PAPER:
        story.append(Paragraph(heading, PAPER_HEADING))
        story += [Paragraph(_words(text), PAPER_BODY if place else PAPER_FIRST) for place, text in enumerate(paragraphs)]
        if heading.startswith("4"):
            story.insert(-1, KeepTogether([Spacer(1, 6), _figure(), Paragraph(texts.PAPER_CAPTION, PAPER_SMALL), Spacer(1, 8)]))
    story.append(Paragraph("References", PAPER_HEADING))
    story += [Paragraph(text, ParagraphStyle("reference", PAPER_SMALL, spaceAfter=3)) for text in texts.PAPER_REFERENCES]
    return story


def _figure() -> Drawing:
    drawing, chart = Drawing(COLUMN, 110), VerticalBarChart()
    chart.x, chart.y, chart.width, chart.height = 30, 20, COLUMN - 50, 80
    chart.data = [(41, 63, 78)]
    chart.categoryAxis.categoryNames = ["files", "pages", "paragraphs"]
    chart.valueAxis.valueMin, chart.valueAxis.valueMax, chart.valueAxis.valueStep = 0, 100, 25
    for labels in (chart.categoryAxis.labels, chart.valueAxis.labels):
        labels.fontName, labels.fontSize = "Helvetica", 7
    chart.bars[0].fillColor = colors.HexColor(0x5B7FA6)
    drawing.add(chart)
    return drawing


def _frame(x: float, y: float, width: float, height: float) -> Frame:
    return Frame(x, y, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


class _Report(BaseDocTemplate):
    """A template that tells its headings to the outline, the contents and the running head."""

    chapter = ""

    def afterFlowable(self, flowable: Flowable) -> None:
        level = next((n for n, style in enumerate(REPORT_HEADINGS) if getattr(flowable, "style", None) is style), None)
        if level is None:
            return
        text = flowable.getPlainText()
        key = f"section-{text.split()[0]}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level)
        self.notify("TOCEntry", (level, text, self.page, key))

    def running(self, canvas: Canvas, _document: object) -> None:
        """Running head, its rule, and the page number."""
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        canvas.drawString(MARGIN, HEIGHT - 14 * mm, texts.REPORT_TITLE)
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 14 * mm, texts.REPORT_SUBTITLE)
        canvas.setLineWidth(0.4)
        canvas.line(MARGIN, HEIGHT - 15.5 * mm, WIDTH - MARGIN, HEIGHT - 15.5 * mm)
        canvas.drawCentredString(WIDTH / 2, 12 * mm, f"Page {canvas.getPageNumber()}")
        canvas.restoreState()


def report(sink: io.BytesIO) -> None:
    """A report with everything a report has."""
    document = _Report(
        sink,
        pagesize=A4,
        title=texts.REPORT_TITLE,
        author="Municipal Archive of Halden",
        subject=texts.REPORT_SUBTITLE,
        keywords=["archive", "holdings", "search"],
        creator="samples/typeset.py",
        lang="en-GB",
        invariant=1,
    )
    frames = [_frame(MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN)]
    document.addPageTemplates([PageTemplate("cover", frames), PageTemplate("inside", frames, onPage=document.running)])
    document.multiBuild(_report_story())


def _report_story() -> list[Flowable]:
    contents = TableOfContents()
    contents.levelStyles = [
        _style("contents 1", "Helvetica-Bold", 10.5, spaceBefore=6),
        _style("contents 2", "Helvetica", 10.5, leftIndent=16, spaceBefore=2),
    ]
    story: list[Flowable] = [
        NextPageTemplate("inside"),
        Spacer(1, 80 * mm),
        Paragraph(texts.REPORT_TITLE, REPORT_COVER),
        Paragraph(texts.REPORT_SUBTITLE, REPORT_SUBTITLE),
        PageBreak(),
        Paragraph("Contents", ParagraphStyle("contents", REPORT_HEADINGS[0])),
        contents,
    ]
    for heading, sections in texts.REPORT:
        story += [PageBreak(), Paragraph(heading, REPORT_HEADINGS[0])]
        for title, paragraphs in sections:
            story += [Paragraph(title, REPORT_HEADINGS[1])] if title else []
            story += [Paragraph(_words(text), REPORT_BODY) for text in paragraphs]
            story += _after_section(title)
    return story


def _after_section(title: str) -> list[Flowable]:
    if title.startswith("2.2"):
        lines = TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
                ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9.5),
                ("FONT", (0, 1), (-1, -1), "Helvetica", 9.5),
                ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ]
        )
        return [Spacer(1, 6), Table(texts.REPORT_TABLE, style=lines), Paragraph(texts.REPORT_TABLE_CAPTION, REPORT_CAPTION)]
    if title.startswith("3.1"):
        items = [Paragraph(item, REPORT_ITEM) for item in texts.REPORT_LIST]
        return [ListFlowable(items, bulletType="bullet", start="•", leftIndent=18, bulletFontSize=10), Spacer(1, 8)]
    return []


def letter(sink: io.BytesIO) -> None:
    """A letter in the fonts that come with ReportLab (Bitstream Vera), embedded."""
    folder = Path(reportlab.__file__).parent / "fonts"
    for name, file in (("Vera", "Vera.ttf"), ("Vera-Bold", "VeraBd.ttf")):
        pdfmetrics.registerFont(TTFont(name, str(folder / file)))
    plain = _style("letter", "Vera", 9.5, leading=14.5, spaceAfter=9)
    block = ParagraphStyle("address", plain, spaceAfter=0)
    story: list[Flowable] = [Paragraph(line, block) for line in texts.LETTER_SENDER]
    story += [Spacer(1, 30), *(Paragraph(line, block) for line in texts.LETTER_TO), Spacer(1, 30)]
    story += [Paragraph(texts.LETTER_DATE, plain), Paragraph(texts.LETTER_SUBJECT, ParagraphStyle("subject", plain, fontName="Vera-Bold"))]
    story += [Paragraph(_words(text), plain) for text in texts.LETTER]
    document = BaseDocTemplate(sink, pagesize=A4, title="Letter to the Naval School", author=texts.LETTER[-2], invariant=1)
    document.addPageTemplates(PageTemplate("letter", [_frame(30 * mm, MARGIN, WIDTH - 60 * mm, HEIGHT - 2 * MARGIN)]))
    document.build(story)


def scan(sink: io.BytesIO) -> None:
    """The letter as a picture of 110 dots per inch."""
    original = io.BytesIO()
    letter(original)
    pdf = pypdfium2.PdfDocument(original.getvalue())
    picture = pdf[0].render(scale=110 / 72, grayscale=True).to_pil()
    pdf.close()
    canvas = Canvas(sink, pagesize=A4, invariant=1)
    canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)
    canvas.save()


def encrypted(sink: io.BytesIO) -> None:
    """One page under a password; 128-bit RC4, because AES salts would differ on every run."""
    canvas = Canvas(sink, pagesize=A4, invariant=1, encrypt=StandardEncryption(PASSWORD, ownerPassword="keeper", strength=128))
    note = Paragraph(_words(texts.SECRET), REPORT_BODY)
    _, height = note.wrap(WIDTH - 2 * MARGIN, HEIGHT)
    note.drawOn(canvas, MARGIN, HEIGHT - MARGIN - height)
    canvas.save()


def damaged(sink: io.BytesIO) -> None:
    """The report without its last third, its cross-reference table included."""
    whole = io.BytesIO()
    report(whole)
    sink.write(whole.getvalue()[: len(whole.getvalue()) * 2 // 3])


def web_page(sink: io.BytesIO) -> None:
    """What a server says in place of a document that has moved."""
    sink.write(b"<!DOCTYPE html>\n<title>Moved</title>\n<p>The document you asked for has moved to another shelf.</p>\n")


def empty(_sink: io.BytesIO) -> None:
    """Nothing."""


SAMPLES: dict[str, Callable[[io.BytesIO], None]] = {
    "paper.pdf": paper,
    "report.pdf": report,
    "letter.pdf": letter,
    "scan.pdf": scan,
    "encrypted.pdf": encrypted,
    "damaged.pdf": damaged,
    "web-page.pdf": web_page,
    "empty.pdf": empty,
}


def typeset(folder: Path) -> list[Path]:
    """Write every sample into the folder; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in SAMPLES.items():
        sink = io.BytesIO()
        make(sink)
        path = folder / name
        path.write_bytes(sink.getvalue())
        paths.append(path)
    return paths


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for written in typeset(Path(sys.argv[1])):
        print(f"{written.stat().st_size:>9,} bytes  {written}")
