"""The source distribution and the wheel, built once, and the wheel in an environment of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
#: Runs setup.py without Cython, which the loops do without, and a compiler, which the test of the image has.
_SETUP: Final = "import runpy, sys; sys.modules['Cython'] = None; sys.argv[0] = 'setup.py'; runpy.run_path('setup.py', run_name='__main__')"
#: Seconds; the index of packages may be slow.
_INSTALL: Final = 600.0
_UNITS: Final = {"kB": 1e3, "MB": 1e6}


@dataclass(frozen=True, slots=True)
class Built:
    """The files, and the folder that the source distribution unpacks to."""

    sdist: Path
    wheel: Path
    unpacked: Path


@dataclass(frozen=True, slots=True)
class Bare:
    """An environment with the wheel and what the core requires. downloaded: bytes that pip says it fetched, or has fetched before."""

    folder: Path
    downloaded: float

    @property
    def packages(self) -> Path:
        """Where its packages are."""
        return next(self.folder.glob("lib/python*/site-packages"))

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """A command of the environment, with nothing of the one that runs the tests."""
        environment = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8"}
        return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120.0, check=False)


def set_up(folder: Path, *words: str, **environment: str) -> None:
    """Run the setup.py in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", _SETUP, "-q", *words], cwd=folder, env=os.environ | {"CC": "/bin/false"} | environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel is made of the source distribution, so that what that lacks shows."""
    folder = tmp_path_factory.mktemp("dist")
    set_up(ROOT, "egg_info", "--egg-base", str(folder), "sdist", "-d", str(folder))
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    set_up(unpacked, "bdist_wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    return Built(sdist, wheel, unpacked)


@pytest.fixture(scope="session")
def bare(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Bare:
    """The core alone, as pinned. Without pip in it and without compiled modules, which take time and prove nothing."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "install", "--no-compile", "-c", str(ROOT / "constraints.txt"), str(built.wheel)], env=os.environ | {"PYTHONPATH": ""},
        capture_output=True, text=True, timeout=_INSTALL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    fetched = re.findall(r"(?:Downloading|Using cached) .*\(([\d.]+) (kB|MB)\)", done.stdout)
    return Bare(folder, built.wheel.stat().st_size + sum(float(number) * _UNITS[unit] for number, unit in fetched))
