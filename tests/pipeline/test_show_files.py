"""`pdfmill show` over several files, in files of its own, and its tables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.cli.show import split_folders
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.transforms.pdf.draw.render import render_page


def test_several_files_follow_each_other(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper, letter = str(samples / "paper.pdf"), str(samples / "letter.pdf")
    assert run(["show", paper, letter]) == EXIT_OK
    told = capsys.readouterr().out
    assert told.startswith(f"==> {paper} <==\nFinding a Sentence Again")
    assert f"\f==> {letter} <==\n" in told
    assert run(["show", paper, letter, "--format", "markdown"]) == EXIT_OK
    assert capsys.readouterr().out.count("<!-- ") == 2
    assert run(["show", paper, letter, "--format", "json"]) == EXIT_OK
    found: list[object] = []
    rest = capsys.readouterr().out
    while rest.strip():
        value, end = json.JSONDecoder().raw_decode(rest.lstrip())
        found, rest = [*found, value], rest.lstrip()[end:]
    assert len(found) == 2


def test_one_that_cannot_be_read_does_not_stop_the_others(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, letter = str(samples / "empty.pdf"), str(samples / "letter.pdf")
    assert run(["show", empty, letter]) == EXIT_SOME_FAILED
    told = capsys.readouterr()
    assert f"==> {letter} <==" in told.out
    assert "empty" in told.err
    assert run(["show", empty, empty]) == EXIT_NOTHING_DONE


@pytest.mark.parametrize("shape", [["--format", "html"], ["--tables", "csv"], ["--tables", "xlsx"]])
def test_what_is_no_one_file_needs_a_folder(samples: Path, shape: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["show", str(samples / "paper.pdf"), str(samples / "letter.pdf"), *shape])
    assert "--split FOLDER" in capsys.readouterr().err


def test_each_file_has_a_folder(samples: Path, tmp_path: Path) -> None:
    assert split_folders(tmp_path, ["a/x.pdf"]) == [tmp_path]
    assert split_folders(tmp_path, ["a/x.pdf", "b/x.pdf", "-", "s3://b/..", "x.pdf"]) == [
        tmp_path / name for name in ("x", "x-2", "document", "document-2", "x-3")
    ]
    assert run(["show", str(samples / "paper.pdf"), str(samples / "report.pdf"), "--split", str(tmp_path / "new")]) == EXIT_OK
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["paper", "report"]


def test_names_of_pages_sort_by_page(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "long.pdf"), invariant=1)
    for number in range(1, 12):
        canvas.drawString(72, 700, f"Page {number} of eleven pages, which are all short.")
        canvas.showPage()
    canvas.save()
    assert run(["show", str(tmp_path / "long.pdf"), "--split", str(tmp_path / "out"), "--pages", "2,10-"]) == EXIT_OK
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["page-02.txt", "page-10.txt", "page-11.txt"]


def test_tables_as_files(samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = str(samples / "report.pdf")
    assert run(["show", report, "--tables", "csv"]) == EXIT_OK
    told = capsys.readouterr().out
    assert run(["show", report, "--tables", "csv", "--split", str(tmp_path / "t")]) == EXIT_OK
    (file,) = (tmp_path / "t").iterdir()
    assert (file.suffix, file.read_text(encoding="utf-8")) == (".csv", told)
    done = subprocess.run([sys.executable, "-m", "pdfmill", "show", report, "--tables", "xlsx"], capture_output=True, check=True)
    assert done.stdout.startswith(b"PK")
    with pytest.raises(SystemExit):
        run(["show", report, "--tables", "csv", "--format", "json"])


def test_text_on_an_image_is_not_in_the_picture(tmp_path: Path) -> None:
    """Drawn without text the page keeps its image, and its text where that is asked for again."""
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 30), (200, 0, 0))), 72, 330, 160, 120)
    canvas.drawString(80, 400, "A sentence on red")
    canvas.save()
    document = pypdfium2.PdfDocument(tmp_path / "a.pdf")
    plain, full = (render_page(document, 1, 1.0, text=text) for text in (False, True))
    document.close()
    assert set(np.unique(plain.reshape(-1, 3), axis=0).sum(axis=1)) == {200, 3 * 255}
    assert len(np.unique(full.reshape(-1, 3), axis=0)) > 2
