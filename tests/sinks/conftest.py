"""Tables to export, made once for the tests that only read them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

from pdfmill.pipeline.cli.main import run

TOPICS = {
    "Bridges": "Three bridges are closed for repair this year, and the ferry carries their traffic over the river until the autumn.",
    "Libraries": "The library lends more books than ever before, and children come to it after school on every day of the week.",
    "Harvest": "Farmers have brought in the wheat two weeks early, because the summer was dry and the rain came late.",
}
ROWS = [["Month", "Tonnage"], ["June", "1,200"], ["July", "1,450"], ["August", "990"]]


def report(title: str, *, bold: bool) -> bytes:
    """A document with headings, passages and a table. bold: its heads are."""
    sink, styles = io.BytesIO(), getSampleStyleSheet()
    parts = [Paragraph(title, styles["Title"])]
    for heading, text in TOPICS.items():
        parts += [Paragraph(heading, styles["Heading1"]), Paragraph(f"{text} " * 4, styles["BodyText"]), Spacer(1, 12)]
    heads = [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")] if bold else []
    parts.append(Table(ROWS, style=[("GRID", (0, 0), (-1, -1), 1, colors.black), *heads]))
    SimpleDocTemplate(sink, title=title, author="The Town Council", invariant=1).build(parts)
    return sink.getvalue()


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of `pdfmill index` over two reports and a page that is a picture."""
    folder = tmp_path_factory.mktemp("reports")
    for name in ("first", "second"):
        (folder / f"{name}.pdf").write_bytes(report(f"Report of the {name.title()} District", bold=name == "first"))
    (folder / "scan.pdf").write_bytes(scan())
    assert run(["index", str(folder), "--output", str(folder / "out"), "--no_isolation"]) == 0
    return folder / "out"


def scan() -> bytes:
    """A page that shows text and has none."""
    from PIL import Image, ImageDraw
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    picture = Image.new("L", (1000, 1400), 255)
    ImageDraw.Draw(picture).text((100, 100), "A letter that was scanned", fill=0)
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(500, 700), invariant=1)
    canvas.drawImage(ImageReader(picture), 0, 0, 500, 700)
    canvas.save()
    return sink.getvalue()
