"""A misspelt flag is answered in one line, with the nearest one, by every command."""

import pytest
from PIL import Image

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.render.picture import save_picture


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["show", "--fromat", "html", "a.pdf"], "--format"),
        (["draw", "a.pdf", "--pgae", "3", "-o", "x.png"], "--page"),
        (["highlight", "a.pdf", "--start_", "3"], "--start"),
        (["search", "out", "words", "--limt=3"], "--limit"),
        (["export", "out", "--too", "ndjson:x"], "--to"),
        (["serve", "out", "--prot", "80"], "--port"),
        (["report", "out", "--htlm", "x"], "--html"),
        (["crawl", "crawl.toml", "--pln"], "--plan"),
        (["index", "a.pdf", "--output", "out", "--worker=3"], "--workers"),
    ],
)
def test_the_nearest_flag_is_named(words, near, capsys):
    try:
        code: object = run(words)
    except SystemExit as end:
        code = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2
    assert line.startswith(f"pdfmill {words[0]}: unknown flag ")
    assert f"did you mean {near}?" in line


@pytest.mark.parametrize(("name", "begin"), [("x.png", b"\x89PNG"), ("x.JPG", b"\xff\xd8\xff"), ("x.webp", b"RIFF"), ("x", b"\x89PNG")])
def test_a_picture_has_the_format_of_its_name(name, begin, tmp_path):
    picture = tmp_path / name
    save_picture(Image.new("RGB", (4, 4)), str(picture))
    assert picture.read_bytes().startswith(begin)


@pytest.mark.parametrize("name", ["x.pdf", "x.docx"])
def test_another_ending_is_refused(name, tmp_path):
    with pytest.raises(OSError, match="pictures cannot be written as"):
        save_picture(Image.new("RGB", (4, 4)), str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_read_nothing_does_not_say_written(tmp_path, capsys):
    (tmp_path / "a.pdf").write_bytes(b"<html>")
    assert run(["index", str(tmp_path / "a.pdf"), "--output", str(tmp_path / "out"), "--workers", "1"]) == 2
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"nothing could be read; the table documents in {(tmp_path / 'out').as_uri().removeprefix('file://')} says why"
