"""A document's boxes are its own, whatever was drawn before it."""

import subprocess
import sys

import pytest

CODE = """
import sys
from pdfmill.transforms.pdf.open.substitute_fonts import FACES
from pdfmill.pipeline.run.one_document import find_one
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, close_documents, get_document
from pdfmill.transforms.pdf.draw.render import render_page
from pdfmill.transforms.road.job_settings import ReadSettings

def boxes(path):
    with NATIVE_LOCK:
        page = get_document(find_one(path), ReadSettings()).pdf.pdfium[0]
        text = page.get_textpage()
        found = [text.get_charbox(number) for number in range(text.count_chars())]
        text.close()
        page.close()
        return found

if sys.argv[1] == "ours":
    FACES.take()
first = boxes(sys.argv[2])
with NATIVE_LOCK:
    render_page(get_document(find_one(sys.argv[3]), ReadSettings()).pdf.pdfium, 1)
close_documents()
print(first == boxes(sys.argv[2]))
"""


@pytest.mark.corpus
def test_what_was_drawn_before_does_not_tell(corpus):
    """Two documents found in the world, with fonts that are not embedded."""
    folder = corpus / "features" / "pdf"
    shown, drawn = folder / "playa__2023-06-20-PV__8e01f32e.pdf", folder / "pdfplumber__malformed-from-issue-932__471f16c8.pdf"
    told = {
        whose: subprocess.run([sys.executable, "-c", CODE, whose, shown, drawn], capture_output=True, text=True, check=True).stdout.split()
        for whose in ("ours", "theirs")
    }
    assert told["ours"] == ["True"]
    assert told["theirs"] == ["False"], "PDFium forgets by itself: the file can go"
