"""Which of two builds of a module runs."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

import pdfmill.schemas.compiled as builds
from pdfmill.pipeline.cli import main
from pdfmill.schemas.compiled import COMPILED, compiled, compiled_name, fastest

NAME = COMPILED[0]


def test_a_module_that_was_made_of_another_source_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    old = ModuleType(compiled_name(NAME))
    old.SOURCE_MARK = 1  # type: ignore[attr-defined]
    monkeypatch.setattr(builds, "import_module", lambda name: old if name == compiled_name(NAME) else ModuleType(name))
    assert compiled(NAME) is None
    assert fastest(NAME).__name__ == NAME


def test_without_a_compiled_module_the_source_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> ModuleType:
        if name == compiled_name(NAME):
            raise ImportError(name)
        return ModuleType(name)

    monkeypatch.setattr(builds, "import_module", fail)
    assert fastest(NAME).__name__ == NAME


@pytest.mark.parametrize("name", COMPILED)
def test_modules_are_compiled_of_this_source_where_a_compiler_and_pythons_headers_are(name: str) -> None:
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    assert compiled(name) is not None or shutil.which("cc") is None or not headers.exists(), (
        "build them: make setup, or setup.py build_ext -i"
    )


@pytest.mark.parametrize("slow", [True, False])
def test_a_job_says_once_that_it_is_to_be_slow(slow: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(main, "runs_slowly", lambda: slow)
    monkeypatch.setattr(main, "configure_logging", lambda settings: None)
    main.run(["index"])  # without a source it does nothing more
    with pytest.raises(SystemExit):
        main.run(["show"])
    assert [record.getMessage() for record in caplog.records if record.name == "pdfmill"] == ([builds.SLOW] if slow else [])


def test_what_is_missing_makes_it_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "compiled", lambda module: None if module == NAME else ModuleType(module))
    assert builds.runs_slowly()
