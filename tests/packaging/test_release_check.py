"""`make release-check` on the built wheel, and on wheels that are not as they should be."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pdfmill.schemas.version import VERSION
from scripts.release_check import faults, main
from tests.packaging.built import Built


def test_the_built_wheel_is_what_a_release_publishes(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(faults(built.wheel)) == []
    assert main([str(built.wheel)]) == 0
    assert f"pdfmill {VERSION}, as it should be" in capsys.readouterr().out
    assert main([]) == 2


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Name: pdfmill", "Name: pdfmil", "Name is 'pdfmil'"),
        ("License-Expression: Apache-2.0", "License-Expression: MIT", "License-Expression is 'MIT'"),
        ("Provides-Extra: serve", "Provides-Extra: server", "no extra serve"),
        ("# pdfmill", "pdfmill", "not README.md"),
    ],
)
def test_what_is_wrong_is_named(built: Built, tmp_path: Path, old: str, new: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / built.wheel.name
    with zipfile.ZipFile(built.wheel) as source, zipfile.ZipFile(wrong, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith(".dist-info/METADATA"):
                assert old.encode() in data
                data = data.replace(old.encode(), new.encode(), 1)
            target.writestr(name, data)
    assert main([str(wrong)]) == 1
    assert says in capsys.readouterr().out


def test_a_wheel_of_another_version_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "pdfmill-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(other, "w") as target:
        target.writestr("pdfmill-9.9.9.dist-info/METADATA", "Name: pdfmill\nVersion: 9.9.9\n")
    assert list(faults(other)) == [f"there is no pdfmill-{VERSION}.dist-info/METADATA: the wheel is of another name or version"]
