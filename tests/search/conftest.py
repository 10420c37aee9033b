"""An output of `pdfmill index` over documents that are made here."""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli import main


def write_pdf(path, pages) -> None:
    """A PDF of pages, each a heading and lines."""
    canvas = Canvas(str(path), invariant=1)
    for heading, *lines in pages:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 740, heading)
        canvas.setFont("Helvetica", 11)
        for number, line in enumerate(lines):
            canvas.drawString(72, 700 - 14 * number, line)
        canvas.showPage()
    canvas.save()


LETTERS = [
    (
        "1 Letters of the archive",
        "The archive keeps every letter that was ever sent,",
        "and the reading order of its pages is that of the sea.",
    ),
    ("2 Plans", "In the coming year the silent pages will be read,", "order follows reading in another way; a café opens."),
    ("3 Bridges", "The bridge over the river was built of grey stone,", "and nobody has written about it since the flood."),
]
SHIPS = [
    ("1 Ships", "Every ship is entered in the register of the harbour,", "with the plans of its hull and the name of its master."),
    ("2 Storms", "A storm is described by those who came through it.", "The flood is another matter, says the chronicle."),
]


def index(source, output) -> str:
    assert main.run(["index", str(source), "--output", str(output)]) == 0
    return str(output)


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search") / "in"
    folder.mkdir()
    write_pdf(folder / "letters.pdf", LETTERS)
    write_pdf(folder / "ships.pdf", SHIPS)
    return folder


@pytest.fixture(scope="session")
def tables(source, tmp_path_factory) -> str:
    return index(source, tmp_path_factory.mktemp("tables") / "out")
