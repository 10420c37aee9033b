"""Documents for the tests of `pdfmill serve`, indexed once: the samples, one that is hostile, and one with others in it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.serve.library import Library
from samples.typeset import typeset
from tests.pdf.make import add_annotations, annotation, embedded
from tests.pipeline.test_index import letter

#: What must never become markup, whatever it is in.
EVIL = "</title></script><script>document.documentElement.dataset.owned='1'</script><img src=x onerror=\"document.title='owned'\">"
#: A name on a disk that would end an attribute, and hold a path.
EVIL_NAME = 'quote" onload="document.title=\'owned\'" <b>&amp; 100%25.pdf'


def hostile() -> bytes:
    """A PDF whose every text is an attack on a page that shows it."""
    sink = io.BytesIO()
    canvas = Canvas(sink, invariant=1)
    canvas.setTitle(EVIL)
    canvas.setAuthor(EVIL)
    canvas.setFont("Helvetica-Bold", 15)
    canvas.drawString(72, 760, "1 <script>alert(1)</script>")
    canvas.setFont("Helvetica", 10)
    for line in range(14):
        canvas.drawString(
            72,
            700 - 14 * line,
            f"The lighthouse <img src=x onerror=alert({line})> &lt;b&gt; {{{{ 7*7 }}}} keeps its ledger in order {line}",
        )
    canvas.showPage()
    canvas.save()
    with pikepdf.open(io.BytesIO(sink.getvalue())) as pdf:
        pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=String("app.alert('owned')"))
        link = annotation("Link", A=Dictionary(S=Name.URI, URI=String("javascript:document.title='owned'")))
        add_annotations(pdf, link, annotation("Text", Contents=String(EVIL)))
        with pdf.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem(EVIL, 0))
            item = pikepdf.OutlineItem("elsewhere")
            item.action = Dictionary(S=Name.URI, URI=String("javascript:alert(2)"))
            outline.root.append(item)
        names = [embedded(pdf, b"<script>alert(3)</script>", "../../../etc/passwd\u202elmth.html"), embedded(pdf, b"\x00\x01", EVIL)]
        pdf.Root.Names = Dictionary(
            EmbeddedFiles=Dictionary(Names=Array([String("a"), names[0], String("b"), names[1]])),
        )
        saved = io.BytesIO()
        pdf.save(saved, deterministic_id=True)
    return saved.getvalue()


def binder() -> bytes:
    """A PDF in which a PDF lies in which a PDF lies."""
    data = letter(1, note="innermost")
    for note in ("inner", "outer"):
        sink = io.BytesIO()
        with pikepdf.open(io.BytesIO(letter(1, note=note))) as pdf:
            pdf.attachments["a.txt"] = pikepdf.AttachedFileSpec(pdf, b"plain", mime_type="text/plain")
            pdf.attachments["b.pdf"] = pikepdf.AttachedFileSpec(pdf, data, mime_type="application/pdf")
            pdf.save(sink, deterministic_id=True)
        data = sink.getvalue()
    return data


@dataclass(frozen=True)
class Shelf:
    """sources: the folder of the documents. output: that of their tables. ids: by file name, of those that are no attachments."""

    sources: Path
    output: str
    ids: dict[str, str]


def fill_shelf(folder: Path) -> Shelf:
    """Make the documents and index them."""
    sources, output = folder / "in", str(folder / "out")
    typeset(sources)
    (sources / EVIL_NAME).write_bytes(hostile())
    (sources / "binder.pdf").write_bytes(binder())
    assert run(["index", str(sources), "--output", output]) == 1, "some samples cannot be read"
    library = Library(output)
    rows = [library.document(str(row["doc_id"])) for row in library.listed(None, 0, 1000)[0]]
    names = {path.resolve().as_uri(): path.name for path in sources.iterdir()}
    return Shelf(
        sources,
        output,
        {names[_same(str(row["source_uri"]), names)]: str(row["doc_id"]) for row in rows if row and row["parent_doc_id"] is None},
    )


def _same(uri: str, names: dict[str, str]) -> str:
    """The address as pathlib writes it."""
    from urllib.parse import unquote

    return next(known for known in names if unquote(known) == unquote(uri))
