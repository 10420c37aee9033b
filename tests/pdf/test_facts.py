from __future__ import annotations

import re
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.schemas.codes import ERROR_CODES, WARNING_CODES, DocumentError
from pdfmill.schemas.records import PageFacts
from pdfmill.schemas.tables import to_batch
from pdfmill.transforms.pdf.facts import facts as facts_module
from pdfmill.transforms.pdf.facts.annotations import read_annotations
from pdfmill.transforms.pdf.facts.facts import failed_facts, read_facts, read_page_facts
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import add_annotations, annotation, embedded, make_document, make_pdf, script

DOCUMENT = {"doc_id": "d", "source_uri": "file:///x", "status": "ok", "page_count": 0, "extractor_version": "0"}
ASSET = {"doc_id": "d", "asset": 1}


def rich(pdf: pikepdf.Pdf) -> None:
    """Something of every notion."""
    pdf.trailer["/Info"] = pdf.make_indirect(Dictionary(Title=String("T")))
    pdf.Root["/OpenAction"] = script("x()")
    pdf.Root["/Names"] = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("a"), embedded(pdf, make_pdf(), "a.pdf")])))
    pdf.Root["/AcroForm"] = Dictionary(
        Fields=Array([pdf.make_indirect(Dictionary(T=String("f"), FT=Name.Tx, V=String("v")))]), XFA=pdf.make_stream(b"<xdp/>")
    )
    pdf.Root["/Outlines"] = Dictionary(First=pdf.make_indirect(Dictionary(Title=String("one"), Dest=Array([pdf.pages[0].obj, Name.Fit]))))
    pdf.Root["/PageLabels"] = Dictionary(Nums=Array([0, Dictionary(S=Name.r)]))
    picture = pdf.make_stream(bytes(4), Subtype=Name.Image, Width=2, Height=2, BitsPerComponent=8, ColorSpace=Name.DeviceGray)
    pdf.pages[0].obj["/Resources"]["/XObject"] = Dictionary(Im=picture)
    pdf.pages[0].obj["/Thumb"] = picture
    add_annotations(pdf, annotation("Text", Contents=String("c")))


def test_rows_fit_their_tables() -> None:
    document = make_document(rich)
    found = read_facts(document, document.data, export=frozenset({"attachment", "xfa", "image", "thumbnail"}))
    assert found.warnings == []
    to_batch("documents", [DOCUMENT | found.row])
    to_batch("assets", [ASSET | asset.row for asset in found.assets])
    assert [asset.row["kind"] for asset in found.assets] == ["attachment", "xfa", "image", "thumbnail"]
    assert [asset.pdf_position for asset in found.assets] == [0, None, None, None]
    to_batch("pages", [{"doc_id": "d", "page": 1, "status": "ok", "text": "", "char_count": 0, "column_count": 1, "needs_ocr": False,
                        "ocr": False, "annotations": read_annotations(document, 1)}])  # fmt: skip


def test_images_only_when_asked_for() -> None:
    document = make_document(rich)
    assert [asset.row["kind"] for asset in read_facts(document, document.data).assets] == ["attachment", "xfa"]


def test_two_readings_are_equal() -> None:
    data = make_pdf(rich)
    first, second = (read_facts(open_document(data, name="x"), data) for _ in range(2))
    assert first == second


def test_one_failing_notion_loses_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> dict[str, object]:
        raise KeyError("/Threads")

    readers = tuple((notion, broken if notion == "threads" else read) for notion, read in facts_module._READERS)
    monkeypatch.setattr(facts_module, "_READERS", readers)
    document = make_document(rich)
    found = read_facts(document, document.data)
    assert [(each.code, each.page) for each in found.warnings] == [("facts_threads", None)]
    assert found.row["javascript"]
    assert found.row["fonts"]


@pytest.mark.parametrize(
    "junk", [7, Name.X, String("x"), Array([1, Array(), Dictionary()]), Dictionary(First=3, Kids=5, Names=Array([1]), Nums=Name.Y)]
)
def test_wrong_types_everywhere(junk: object) -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        for key in ("Names", "Outlines", "PageLabels", "Threads", "AcroForm", "OCProperties", "Metadata", "OpenAction", "AA", "Dests", "AF",
                    "Collection", "MarkInfo", "StructTreeRoot", "Extensions", "Version", "Lang"):  # fmt: skip
            pdf.Root[f"/{key}"] = junk
        for key in ("Annots", "AA", "AF", "Thumb", "Resources", "Rotate", "CropBox"):
            pdf.pages[0].obj[f"/{key}"] = junk
        pdf.trailer["/Info"] = pdf.make_indirect(Dictionary(Title=junk, CreationDate=junk, Extra=junk))

    document = make_document(edit)
    found = read_facts(document, document.data, export=frozenset({"attachment", "xfa", "image", "thumbnail"}))
    assert [each for each in found.warnings if each.code.startswith("facts_")] == []
    to_batch("documents", [DOCUMENT | found.row])
    assert read_annotations(document, 1) == []


def test_page_facts() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        rich(pdf)
        pdf.pages[1].obj["/CropBox"] = Array([10, 90, 190, 10])
        pdf.pages[1].obj["/UserUnit"] = 2

    document = make_document(edit, pages=2)
    assert read_page_facts(document, 1, []) == PageFacts("i", (0, 0, 200, 100), (0, 0, 200, 100), 1.0)
    assert read_page_facts(document, 2, []) == PageFacts("ii", (0, 0, 200, 100), (10, 90, 190, 10), 2.0)


def test_facts_of_what_does_not_open() -> None:
    assert failed_facts(b"GIF89a") == {"format": "gif", "header_version": None, "header_offset": None, "pdf_version": None}
    assert failed_facts(b"%PDF-1.5\n")["header_version"] == "1.5"


@pytest.mark.corpus
@pytest.mark.slow
def test_the_robust_corpus_opens_or_says_why(corpus: Path) -> None:
    """Smaller files only: what a native engine may do to a process is tested with processes of their own."""
    opened = 0
    refusals: dict[str, str] = {}
    for path in sorted((corpus / "robust" / "pdf").glob("format-corpus*.pdf")):
        data = path.read_bytes()
        try:
            document = open_document(data, name=path.name)
        except DocumentError as error:
            refusals[path.name] = error.message
            continue
        opened += 1
        to_batch("documents", [DOCUMENT | read_facts(document, data).row])
        document.close()
    assert opened > 5 * len(refusals)
    assert all(name in message for name, message in refusals.items())


def test_warning_codes_have_their_sentence() -> None:
    sources = [path.read_text() for path in Path(facts_module.__file__).parent.glob("*.py")]
    used = {code for source in sources for code in re.findall(r'Notice\(\s*"([a-z_]+)"', source)}
    assert used <= set(WARNING_CODES) | set(ERROR_CODES)
