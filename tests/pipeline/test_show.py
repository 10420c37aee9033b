"""`pdfmill show` and `pdfmill draw` on documents made here, by the command line."""

import io
import json
import subprocess
import sys

import pikepdf
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.cli.show import FORMATS
from pdfmill.pipeline.options.flag_values import ANY_FORMAT, FORMAT_NAMES
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK
from pdfmill.transforms.scans import recognize, tesseract
from pdfmill.transforms.scans.installed import missing
from tests.nu import errors_of

PROSE = "The archive keeps every letter that was ever sent and finds it again by a word of it"


def _letter(pages=3):
    """Prose, a heading in the middle of it at another height on each page, prose."""
    sink = io.BytesIO()
    canvas = Canvas(sink, invariant=1)
    for number, name in enumerate(["Letters", "Bridges", "Schools"][:pages]):
        canvas.setFont("Helvetica", 11)
        for line in [*range(10 + number), *range(14 + number, 30 + number)]:
            canvas.drawString(72, 760 - 14 * line, f"{PROSE} {number}.{line}")
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 760 - 14 * (12 + number), name)
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "a letter.pdf"
    path.write_bytes(_letter())
    return path


@pytest.fixture
def locked(tmp_path):
    path = tmp_path / "locked.pdf"
    with pikepdf.open(io.BytesIO(_letter(1))) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(user="sesame", owner="owner"))
    return path


@pytest.mark.parametrize(
    ("form", "told"), [("text", "\n\nBridges\n\n"), ("markdown", "# Bridges\n"), ("html", '<h1 id="bridges">'), ("json", '"Bridges"')]
)
def test_every_format(letter, capsys, form, told):
    assert run(["show", str(letter), "--format", form]) == EXIT_OK
    assert told in capsys.readouterr().out


@pytest.mark.servers
def test_the_samples_as_html_are_valid(nu_jars, samples, tmp_path, capsys):
    shown = []
    for path in samples.iterdir():
        if run(["show", str(path), "--format", "html"]) != EXIT_NOTHING_DONE:
            shown.append(tmp_path / f"{path.stem}.html")
            shown[-1].write_text(capsys.readouterr().out, encoding="utf-8")
    assert {path.stem for path in shown} >= {"paper", "report", "letter", "scan"}
    assert errors_of(nu_jars, *shown) == ""


def test_pages_are_those_of_the_whole_document(letter, capsys):
    assert run(["show", str(letter), "--format", "json"]) == EXIT_OK
    whole = json.loads(capsys.readouterr().out)
    assert run(["show", letter.as_uri(), "--format", "json", "--pages", "2-"]) == EXIT_OK
    part = json.loads(capsys.readouterr().out)
    assert part["documents"] == whole["documents"]
    assert part["pages"] == whole["pages"][1:]
    assert part["blocks"] == [block for block in whole["blocks"] if block["page"] > 1]


def test_a_password_opens(locked, tmp_path, capsys):
    (tmp_path / "words").write_text("wrong\nsesame\n")
    assert run(["show", str(locked), "--passwords", str(tmp_path / "words")]) == EXIT_OK
    assert PROSE in capsys.readouterr().out


def test_a_failed_document_as_json_is_its_row(locked, capsys):
    assert run(["show", str(locked), "--format", "json"]) == EXIT_NOTHING_DONE
    assert json.loads(capsys.readouterr().out)["documents"][0]["error_code"] == "password_needed"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("gone.pdf", None, "not_found"),
        ("empty.pdf", b"", "empty"),
        ("page.pdf", b"<html>", "not_pdf"),
        ("cut.pdf", _letter()[:60], "damaged|no_pages"),
    ],
)
def test_bad_input_names_object_and_reason(tmp_path, capsys, name, content, told):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert run(["show", str(path)]) == EXIT_NOTHING_DONE
    out, err = capsys.readouterr()
    assert out == ""
    assert name in err
    assert any(code in err for code in told.split("|"))


def test_one_document_is_needed(letter, locked, tmp_path, capsys):
    assert run(["show", str(tmp_path)]) == EXIT_NOTHING_DONE
    assert "more than one document" in capsys.readouterr().err


def test_pages_that_are_not_there(letter, capsys):
    assert run(["show", str(letter), "--pages", "9"]) == EXIT_NOTHING_DONE
    assert "pages 1 to 3" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["--pages", "3-1"], ["--format", "docx"], ["--page", "1"], []])
def test_bad_flags_end_with_2(letter, argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        run(["show", *([str(letter)] if argv else []), *argv])
    assert stopped.value.code == EXIT_NOTHING_DONE
    assert "see pdfmill show --help" in capsys.readouterr().err


def test_draw_writes_the_page_and_its_blocks(letter, tmp_path):
    picture = tmp_path / "page.png"
    assert run(["draw", str(letter), "--page", "2", "-o", str(picture), "--scale", "1", "--words"]) == EXIT_OK
    with Image.open(picture) as image:
        assert image.size[1] == 842
        colors = {color for _, color in image.getcolors(1 << 20)}
    assert (0, 114, 178) in colors  # a paragraph's frame


@pytest.mark.parametrize(("page", "target", "told"), [("9", "x.png", "pages 1 to 3"), ("1", "no/such/folder/x.png", "cannot be written")])
def test_draw_says_what_is_wrong(letter, tmp_path, capsys, page, target, told):
    assert run(["draw", str(letter), "--page", page, "-o", str(tmp_path / target)]) == EXIT_NOTHING_DONE
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "draw", "highlight"])
def test_one_document_needs_no_beam(command):
    code = f"import sys, pdfmill.pipeline.cli.{command}; sys.exit('apache_beam' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def scan(tmp_path):
    """A page that is a picture of words, and one that has them."""
    picture = Image.new("RGB", (1200, 300), "white")
    ImageDraw.Draw(picture).text((60, 100), "Letters from the archive", fill="black", font=ImageFont.load_default(size=72))
    sink = io.BytesIO()
    canvas = Canvas(sink, pagesize=(400, 300), invariant=1)
    canvas.drawImage(ImageReader(picture), 20, 150, 360, 90)
    canvas.showPage()
    canvas.drawString(20, 150, "Text of its own")
    canvas.save()
    path = tmp_path / "scan.pdf"
    path.write_bytes(sink.getvalue())
    return path


@pytest.mark.skipif(missing("tesseract") is not None, reason="tesseract is not installed")
def test_ocr_of_the_pages_asked_for(scan, tmp_path, capsys, monkeypatch):
    assert run(["show", str(scan)]) == EXIT_OK
    assert "archive" not in capsys.readouterr().out
    assert run(["show", str(scan), "--ocr"]) == EXIT_OK
    assert "Letters from the archive" in capsys.readouterr().out
    assert run(["draw", str(scan), "--page", "1", "-o", str(tmp_path / "page.png"), "--ocr"]) == EXIT_OK
    assert "1 blocks" in capsys.readouterr().err
    monkeypatch.setattr(recognize, "recognize_page", lambda *_: pytest.fail("a page that was not asked for"))
    assert run(["show", str(scan), "--ocr", "--pages", "2"]) == EXIT_OK


def test_ocr_that_fails_says_why(scan, capsys, monkeypatch):
    monkeypatch.setattr(tesseract, "COMMAND", "false")
    assert run(["show", str(scan), "--ocr"]) == EXIT_OK
    assert "page 1: ocr_failed: the command false -l eng failed with exit code 1" in capsys.readouterr().err
    monkeypatch.setattr(tesseract, "COMMAND", "tesseract-that-is-not-there")
    assert run(["show", str(scan), "--ocr"]) == EXIT_NOTHING_DONE
    assert "tesseract-that-is-not-there is not installed" in capsys.readouterr().err


@pytest.fixture
def illustrated(tmp_path):
    """Two pages; on the first an image with its caption and a link to the second."""
    path = tmp_path / "illustrated.pdf"
    canvas = Canvas(str(path), invariant=1)
    for line in range(20):
        canvas.drawString(72, 760 - 14 * line, f"{PROSE} {line}")
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 30), (200, 0, 0))), 72, 330, 160, 120)
    canvas.drawString(72, 310, "Figure 1: all red")
    canvas.linkAbsolute("see", "second", (72, 745, 500, 775))
    canvas.showPage()
    canvas.bookmarkPage("second")
    canvas.drawString(72, 400, "The second page is short.")
    canvas.save()
    return path


@pytest.mark.servers
def test_images_and_pages_of_their_own_pass_the_checker(illustrated, nu_jars, tmp_path):
    assert run(["show", str(illustrated), "--format", "html", "--images", "--split", str(tmp_path / "html")]) == EXIT_OK
    assert errors_of(nu_jars, *sorted((tmp_path / "html").iterdir())) == ""


def test_images_stand_with_their_caption(illustrated, capsys):
    assert run(["show", str(illustrated), "--format", "html", "--images"]) == EXIT_OK
    told = capsys.readouterr().out
    figure = told[told.index("<figure>") : told.index("</figure>")]
    assert 'src="data:image/' in figure
    assert "<figcaption>Figure 1: all red</figcaption>" in figure
    assert run(["show", str(illustrated), "--format", "html"]) == EXIT_OK
    assert "<img" not in capsys.readouterr().out


def test_a_file_for_each_page_with_links_between_them(illustrated, capsys, tmp_path):
    folder = tmp_path / "new" / "html"
    assert run(["show", str(illustrated), "--format", "html", "--split", str(folder)]) == EXIT_OK
    assert capsys.readouterr().out == ""
    assert sorted(path.name for path in folder.iterdir()) == ["page-1.html", "page-2.html"]
    first, second = (path.read_text() for path in sorted(folder.iterdir()))
    assert '<a rel="next" href="page-2.html">' in first
    assert '<a href="page-2.html">The archive' in first
    assert '<a rel="prev" href="page-1.html">' in second
    assert "Figure 1" not in second
    assert run(["show", str(illustrated), "--split", str(tmp_path / "text"), "--pages", "2"]) == EXIT_OK
    assert (tmp_path / "text" / "page-2.txt").read_text().startswith("The second page")


def test_pages_that_cannot_be_written(illustrated, capsys):
    assert run(["show", str(illustrated), "--split", str(illustrated)]) == EXIT_NOTHING_DONE
    assert f"{illustrated}: cannot be written: File exists" in capsys.readouterr().err


def test_images_are_for_html_only(illustrated, capsys):
    with pytest.raises(SystemExit):
        run(["show", str(illustrated), "--images"])
    assert "--images" in capsys.readouterr().err


def test_sentences_name_every_format() -> None:
    assert list(FORMAT_NAMES) == list(FORMATS)
    assert ANY_FORMAT == "text, Markdown, HTML or JSON"
