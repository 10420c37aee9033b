import os
import tempfile
from pathlib import Path

from pipeline.live import Expectation, live_progress, progress_text
from transforms.progress import FOLDER_VARIABLE, Progress, tick


def test_the_line_tells_what_is_known():
    text = progress_text(Progress(50, 200, 1), Expectation(listed=100, complete=True, started=0.0), now=10.0)
    assert text == "50/100 documents, 200 pages, 20 pages/s, 1 failed, about 10 s left"


def test_no_time_left_before_the_listing_has_ended():
    assert "left" not in progress_text(Progress(50, 200, 0), Expectation(listed=60, started=0.0), now=10.0)


def test_ticks_without_an_audience_are_nothing(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    tick(documents=1)


def test_the_environment_is_as_before():
    before = os.environ.get(FOLDER_VARIABLE)
    with live_progress(Expectation()):
        assert os.environ[FOLDER_VARIABLE]
        tick(documents=1, pages=2)
    assert os.environ.get(FOLDER_VARIABLE) == before


def test_folders_of_killed_runs_are_removed_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed, young = tmp_path / "pdfmill-progress-killed", tmp_path / "pdfmill-progress-young"
    for folder in (killed, young):
        folder.mkdir()
        (folder / "4711").write_bytes(bytes(24))
    os.utime(killed, (0, 0))
    with live_progress(Expectation()):
        running = Path(os.environ[FOLDER_VARIABLE])
        os.utime(running, (0, 0))
        assert not killed.exists()
        with live_progress(Expectation()):
            assert sorted(tmp_path.iterdir()) == sorted([young, running, Path(os.environ[FOLDER_VARIABLE])])
    assert list(tmp_path.iterdir()) == [young]
