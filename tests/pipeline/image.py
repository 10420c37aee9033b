"""The steps of a Dockerfile carried out without a container engine: its files below a folder, its packages in a virtual environment.

What cannot be done so (base images, Debian packages) is listed in `Image.untested`, an instruction that is not known here is an error.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

#: Minutes; the index of packages may be slow.
INSTALL_SECONDS: Final = 900.0


@dataclass(slots=True)
class Image:
    """What the last stage of a Dockerfile makes, as far as it goes. root: stands for `/`. context: the folder that COPY reads.

    user: who runs it. foreign: folders that come out of other images. untested: what was not done, in the words of the Dockerfile.
    """

    context: Path
    root: Path
    workdir: str = "/"
    arguments: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    user: str = "root"
    foreign: list[str] = field(default_factory=list)
    untested: list[str] = field(default_factory=list)

    @property
    def bin(self) -> Path:
        """Where the image's `python`, `pip` and `pdfmill` are."""
        return self.root / "usr/local/venv/bin"

    def place(self, path: str) -> Path:
        """A path of the image, relative ones from its working directory."""
        return self.root / os.path.join(self.workdir, path).lstrip("/")

    def run(self, *command: str, cwd: Path | None = None, seconds: float = 120.0) -> subprocess.CompletedProcess[str]:
        """A command of the image with the environment of the image, and nothing of the one that runs the tests but its network's."""
        ours = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.lower().endswith("_proxy")}
        environment = ours | {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.root), "LANG": "C.UTF-8"} | self.environment
        return subprocess.run(
            command, cwd=cwd or self.place("."), env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )


def instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    """(instruction, its words) without comments, continued lines as one."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, words = line.strip().partition(" ")
            yield name.upper(), words.strip()


def build(dockerfile: Path, context: Path, root: Path, **arguments: str) -> Image:
    """Carry out the last stage. arguments: as --build-arg.

    Raises:
        ValueError: an instruction or a command that is not known here.
        RuntimeError: a command failed.
    """
    image = Image(context, root)
    shared: dict[str, str] = {}
    subprocess.run([sys.executable, "-m", "venv", str(root / "usr/local/venv")], check=True)
    for name, words in instructions(dockerfile.read_text(encoding="utf-8")):
        words = _filled(words, image.arguments | image.environment if image.arguments or image.environment else shared)
        if name == "ARG":
            key, _, default = words.partition("=")
            (image.arguments if image.untested else shared)[key] = arguments.get(key, default)
        elif name == "FROM":
            image.untested.append(f"FROM {_filled(words, shared)}")
        elif name == "WORKDIR":
            image.workdir = words
            image.place(".").mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            _copy(image, shlex.split(words))
        elif name == "RUN":
            for command in words.split("&&"):
                _run(image, shlex.split(command))
        elif name == "USER":
            image.user = words
        elif name == "ENV":
            image.environment |= dict(pair.partition("=")[::2] for pair in shlex.split(words))
        elif name == "ENTRYPOINT":
            image.entrypoint = re.findall(r'"([^"]*)"', words)
        else:
            raise ValueError(f"{name}: not known here")
    return image


def _filled(words: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda match: values.get(match[1], match[0]), words)


def _copy(image: Image, words: list[str]) -> None:
    *sources, target = [word for word in words if not word.startswith("--")]
    if words[0].startswith("--from="):
        image.untested.append(f"COPY {' '.join(words)}")
        image.foreign.append(target)
        return
    folder = image.place(target)
    for source in sources:
        found = image.context / source
        if found.is_dir():  # a folder's content is copied, not the folder
            shutil.copytree(found, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, folder)


def _run(image: Image, command: list[str]) -> None:
    match command:
        case ["apt-get" | "useradd", *_]:
            image.untested.append(f"RUN {' '.join(command)}")
        case ["pip", *words]:  # with the cache: the image wants none, a test does
            done = image.run(str(image.bin / "pip"), *(word for word in words if word != "--no-cache-dir"), seconds=INSTALL_SECONDS)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
        case ["python", "-m", "venv", path]:
            subprocess.run([sys.executable, "-m", "venv", str(image.place(path))], check=True)
        case [program, *words] if program.startswith("/tmp/"):
            words = [str(image.bin / "python") if word == "/usr/local/bin/python" else word for word in words]
            done = image.run(str(image.place(program)), *(word for word in words if word != "--no-cache-dir"), seconds=INSTALL_SECONDS)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
        case ["rm", "-rf", *paths]:
            for path in paths:
                for found in image.place(".").glob(path) if not path.startswith("/") else image.root.glob(path.lstrip("/")):
                    shutil.rmtree(found)
        case _:
            raise ValueError(f"RUN {' '.join(command)}: not known here")
