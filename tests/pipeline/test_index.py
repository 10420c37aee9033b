"""The main job on small documents made here, through the local run."""

from __future__ import annotations

import io
import json

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.run.summary import RunFile
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.tables.output_layout import published_parts
from pdfmill.transforms.tables.write_summary import summarize
from tests.invariants import assert_same_tables, check_invariants, read_tables

PROSE = "The archive keeps every letter that was ever sent, and the engine finds it again by a word that stands in it"


def letter(pages: int, *, note: str = "") -> bytes:
    """A PDF of that many pages, each with a heading and some lines of prose."""
    sink = io.BytesIO()
    canvas = Canvas(sink, invariant=1)
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 11)
        for line in range(12):
            canvas.drawString(72, 740 - 14 * line, f"{PROSE} {number} {line}")
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 540 - 20 * (number % 4), f"Letter {number} {note}".strip())
        canvas.setFont("Helvetica", 11)
        for line in range(12):
            canvas.drawString(72, 440 - 14 * line, f"{PROSE} {line} {number}")
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


def encrypted(password: str) -> bytes:
    sink = io.BytesIO()
    with pikepdf.open(io.BytesIO(letter(1))) as pdf:
        pdf.save(sink, encryption=pikepdf.Encryption(user=password, owner=password))
    return sink.getvalue()


def with_attachment(data: bytes) -> bytes:
    sink = io.BytesIO()
    with pikepdf.open(io.BytesIO(letter(1, note="cover"))) as pdf:
        pdf.attachments["inner.pdf"] = pikepdf.AttachedFileSpec(pdf, data, mime_type="application/pdf")
        pdf.save(sink)
    return sink.getvalue()


@pytest.fixture
def folder(tmp_path):
    """Good documents beside bad ones."""
    source = tmp_path / "in"
    source.mkdir()
    (source / "letter.pdf").write_bytes(letter(2))
    (source / "book.pdf").write_bytes(letter(40))
    (source / "cover.pdf").write_bytes(with_attachment(letter(3, note="inner")))
    (source / "secret.pdf").write_bytes(encrypted("open sesame"))
    (source / "empty.pdf").write_bytes(b"")
    (source / "notes.pdf").write_bytes(b"just some notes, no PDF at all\n" * 20)
    return source


def index(capsys, *argv: str) -> tuple[int, str, str]:
    code = run(["index", *argv])
    out = capsys.readouterr()
    return code, out.out, out.err


def rows_by_name(tables) -> dict[str, dict[str, object]]:
    return {str(row["source_uri"]).rsplit("/", 1)[1]: row for row in tables["documents"].to_pylist() if row["parent_doc_id"] is None}


def test_every_input_has_its_row_and_every_page_too(folder, tmp_path, capsys):
    code, out, _ = index(capsys, str(folder), "--output", str(tmp_path / "out"))
    tables = read_tables((tmp_path / "out").as_uri())
    check_invariants(tables, inputs=6)
    rows = rows_by_name(tables)
    assert {name: (row["status"], row["error_code"]) for name, row in rows.items()} == {
        "letter.pdf": ("ok", None),
        "book.pdf": ("ok", None),
        "cover.pdf": ("ok", None),
        "secret.pdf": ("encrypted", "password_needed"),
        "empty.pdf": ("failed", "empty"),
        "notes.pdf": ("not_pdf", "not_pdf"),
    }
    assert code == 1
    assert "secret.pdf" in out
    assert "password_needed" in out


def test_an_attached_pdf_is_a_document_of_its_own(folder, tmp_path, capsys):
    index(capsys, str(folder / "cover.pdf"), "--output", str(tmp_path / "out"))
    tables = read_tables((tmp_path / "out").as_uri())
    parent, child = sorted(tables["documents"].to_pylist(), key=lambda row: row["parent_doc_id"] or "")
    assert child["parent_doc_id"] == parent["doc_id"]
    assert child["page_count"] == 3
    (asset,) = tables["assets"].to_pylist()
    assert (asset["name"], asset["child_doc_id"]) == ("inner.pdf", child["doc_id"])
    assert len((tmp_path / "out" / "files" / asset["sha256"][:2] / asset["sha256"]).read_bytes()) == asset["byte_size"]


def test_headings_and_paragraphs_come_out(folder, tmp_path, capsys):
    index(capsys, str(folder / "book.pdf"), "--output", str(tmp_path / "out"))
    tables = read_tables((tmp_path / "out").as_uri())
    headings = [row["text"] for row in tables["blocks"].to_pylist() if row["role"] in ("title", "heading")]
    assert headings == [f"Letter {number}" for number in range(1, 41)]
    assert tables["documents"].to_pylist()[0]["language"] == "en"
    assert all(PROSE in row["text"].replace("\n", " ") for row in tables["pages"].to_pylist())


def test_the_tables_are_the_same_with_two_workers_and_on_a_second_run(folder, tmp_path, capsys):
    outputs = []
    for name, extra in (
        ("one", []),
        ("two", ["--workers", "2"]),
        ("one", []),
        ("small", ["--batch_documents", "1", "--pages_per_range", "16"]),
    ):
        index(capsys, str(folder), "--output", str(tmp_path / name), *extra)
        outputs.append(read_tables((tmp_path / name).as_uri()))
    for other in outputs[1:]:
        assert_same_tables(outputs[0], other)


def test_passwords_open_what_is_encrypted_and_are_told_to_nobody(folder, tmp_path, capsys, caplog):
    (tmp_path / "passwords").write_text("wrong\nopen sesame\n")
    code, out, err = index(
        capsys, str(folder / "secret.pdf"), "--output", str(tmp_path / "out"), "--passwords", str(tmp_path / "passwords")
    )
    assert code == 0
    assert "sesame" not in out + err + caplog.text
    assert rows_by_name(read_tables((tmp_path / "out").as_uri()))["secret.pdf"]["status"] == "ok"
    assert not any(b"sesame" in path.read_bytes() for path in (tmp_path / "out").rglob("*.parquet"))


def test_a_missing_source_is_a_row_and_nothing_done(tmp_path, capsys):
    code, _, err = index(capsys, str(tmp_path / "nowhere.pdf"), "--output", str(tmp_path / "out"))
    assert code == 2
    assert "not_found" in err
    assert "nowhere.pdf" in err


@pytest.mark.parametrize("argv", [["x.pdf"], ["x.pdf", "--output", "o", "--workerz", "3"], []])
def test_bad_flags_are_told_and_nothing_is_done(argv, capsys):
    code, out, err = index(capsys, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("pdfmill index: ")


def test_parts_of_an_earlier_run_do_not_stay(folder, tmp_path, capsys):
    output = tmp_path / "out"
    index(capsys, str(folder), "--output", str(output), "--batch_documents", "1")
    index(capsys, str(folder / "letter.pdf"), "--output", str(output))
    assert summarize(published_parts(output.as_uri())).summary.documents == 1


def test_a_source_named_twice_is_one_document(folder, tmp_path, capsys):
    code, _, _ = index(capsys, str(folder / "letter.pdf"), str(folder), "--output", str(tmp_path / "out"))
    assert code == 1
    check_invariants(read_tables((tmp_path / "out").as_uri()), inputs=6)


def test_report_tells_what_the_run_did(folder, tmp_path, capsys):
    output = tmp_path / "out"
    index(capsys, str(folder), "--output", str(output))
    assert run(["report", str(output)]) == 0
    out = capsys.readouterr().out
    assert "6 documents and 1 embedded" in out
    assert "encrypted 1" in out
    assert RunFile.load(output.as_uri()) is not None


def test_report_as_json_has_the_names_of_a_run_s_summary(folder, tmp_path, capsys):
    words = [str(folder), "--output", str(tmp_path / "out")]
    assert run(["index", *words, "--json"]) == 1
    summary = json.loads(capsys.readouterr().out)
    assert run(["report", words[-1], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("unfinished") == []
    assert told == summary


def test_report_of_an_empty_folder_says_so(tmp_path, capsys):
    assert run(["report", str(tmp_path)]) == 2
    assert "no table documents" in capsys.readouterr().err


def test_a_command_line_without_sense_shows_the_usage(capsys):
    assert run(["indx"]) == 2
    assert "no command 'indx'" in capsys.readouterr().err
    assert run(["--help"]) == 0
    assert "pdfmill COMMAND" in capsys.readouterr().out


def test_ids_come_from_the_address():
    assert DocumentRef.of_uri("file:///a.pdf").doc_id == DocumentRef.of_uri("file:///a.pdf").doc_id
    assert DocumentRef.of_uri("file:///a.pdf").child(0).doc_id != DocumentRef.of_uri("file:///a.pdf").child(1).doc_id
