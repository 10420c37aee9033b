"""Pictures of pages: drawn elsewhere, in time, once."""

from __future__ import annotations

import io
from concurrent.futures import Future
from pathlib import Path

import pytest
from PIL import Image

from pdfmill.pipeline.serve import pictures
from pdfmill.pipeline.serve.pictures import WIDTHS, PictureDesk, draw
from pdfmill.schemas.records import DocumentRef, Failure
from pdfmill.transforms.road.isolation import Guard, LostError
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.objects import look_up
from tests.pdf.make import make_pdf


class Guards:
    """Stands for a guarded process: answers what it is told, and counts."""

    answer: bytes | Failure | LostError = b"png"
    calls = 0

    def __init__(self, _: int) -> None:
        """Start nothing."""

    def call(self, *_: object, **__: object) -> bytes | Failure:
        Guards.calls += 1
        if isinstance(Guards.answer, LostError):
            raise Guards.answer
        return Guards.answer

    def close(self) -> None:
        """End nothing."""


@pytest.fixture
def fake_guards(monkeypatch: pytest.MonkeyPatch) -> type[Guards]:
    monkeypatch.setattr(pictures, "Guard", Guards)
    Guards.calls, Guards.answer = 0, b"png"
    return Guards


def a_ref(name: str = "a") -> DocumentRef:
    return DocumentRef.of_uri(f"file:///{name}.pdf")


def test_each_is_drawn_once(fake_guards: type[Guards]) -> None:
    desk = PictureDesk(ReadSettings())
    asked: list[Future[bytes | Failure]] = [desk.ask(a_ref(), 1, WIDTHS[0]) for _ in range(5)]
    assert [future.result(5) for future in asked] == [b"png"] * 5
    assert fake_guards.calls == 1
    desk.close()


def test_the_oldest_go_first(fake_guards: type[Guards], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "KEPT_BYTES", 9)
    desk = PictureDesk(ReadSettings())
    for page in (1, 2, 3, 4):  # 3 bytes each
        desk.ask(a_ref(), page, WIDTHS[0]).result(5)
    desk.ask(a_ref(), 4, WIDTHS[0]).result(5)
    assert fake_guards.calls == 4
    desk.ask(a_ref(), 1, WIDTHS[0]).result(5)
    assert fake_guards.calls == 5
    desk.close()


def test_a_failure_is_believed_for_a_while(fake_guards: type[Guards], monkeypatch: pytest.MonkeyPatch) -> None:
    fake_guards.answer = LostError("timed_out", "took longer than the limit of 20 s")
    desk = PictureDesk(ReadSettings())
    for _ in range(3):
        assert desk.wait(a_ref(), 2, WIDTHS[0], 5) == Failure("timed_out", "file:///a.pdf: page 2: took longer than the limit of 20 s")
    assert fake_guards.calls == 1
    fake_guards.answer = b"png"
    monkeypatch.setattr(pictures, "FAILED_SECONDS", 0.0)
    assert desk.wait(a_ref(), 2, WIDTHS[0], 5) == b"png"
    desk.close()


def test_a_page_is_drawn_as_large_as_fits(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf())  # 200 x 100 points
    ref = look_up(str(tmp_path / "a.pdf"))
    for box, size in (((900, 3600), (900, 450)), ((900, 100), (200, 100))):
        drawn = draw(ref, ReadSettings(), 1, *box)
        assert isinstance(drawn, bytes)
        assert Image.open(io.BytesIO(drawn)).size == size
    beyond = draw(ref, ReadSettings(), 2, 900, 900)
    assert isinstance(beyond, Failure)
    assert beyond.code == "page_unreadable"


def test_a_process_that_hangs_or_dies_costs_its_picture_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf())
    desk = PictureDesk(ReadSettings(), seconds=3.0, processes=1)
    real = Guard.call
    try:
        for bad, code in (("time:sleep", "timed_out"), ("os:_exit", "crashed")):
            monkeypatch.setattr(Guard, "call", lambda self, *_, bad=bad, seconds, **__: real(self, bad, 9, seconds=seconds))
            drawn = desk.wait(a_ref(code), 1, WIDTHS[0], 60)
            assert isinstance(drawn, Failure)
            assert drawn.code == code
        monkeypatch.setattr(Guard, "call", real)
        assert isinstance(desk.wait(look_up(str(tmp_path / "a.pdf")), 1, WIDTHS[0], 60), bytes)
    finally:
        desk.close()
