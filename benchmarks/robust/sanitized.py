"""Read mutated pages with compiled modules that AddressSanitizer and UndefinedBehaviorSanitizer check for invalid memory access and
crashes.

    python -m benchmarks.robust.sanitized SEED_FOLDER... [--count 5000]

Files are mutated by bytes and by objects, in turn. A copy of the product is built with the sanitizers of GCC, and reads the files in a
process of its own; a process that dies, or whose loop refuses an index, is replaced, and its file counts as a finding. PDFium is not
rebuilt: of its memory errors only wrong frees and copies are found.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final

from benchmarks.robust.mutations import mutations
from benchmarks.robust.object_mutations import object_mutations
from pdfmill.schemas.codes import DocumentError
from pdfmill.schemas.compiled import runs_slowly
from pdfmill.transforms.language.detect import detect_language
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.pdf.open.document import PdfDocument, open_document
from pdfmill.transforms.road.document_road import read_page_lines

ROOT: Final = Path(__file__).resolve().parents[2]
_PARTS: Final = ("pdfmill", "pipeline", "transforms", "schemas", "benchmarks", "setup.py", "docs", "README.md", "LICENSE", "pyproject.toml")
_FLAGS: Final = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"
#: Number of pages of a file that are read: mutations of later pages show no more.
_PAGES: Final = 5


def build(folder: Path) -> dict[str, str]:
    """Build a copy of the product with sanitizers in its compiled modules; return the environment variables to run it with."""
    for name in _PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    flags = os.environ | {"CFLAGS": _FLAGS, "LDFLAGS": _FLAGS}
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, env=flags, check=True)
    libraries = [_library(name) for name in ("libasan.so", "libubsan.so")]
    return os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": str(folder),
        "PYTHONMALLOC": "malloc",
    }


def _library(name: str) -> str:
    return subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()


def read_all(seeds: Sequence[Path], first: int, count: int) -> None:
    """Read `count` files from number `first` on; each number is printed before its file is read."""
    if runs_slowly():
        raise RuntimeError("the loops were not compiled")
    pairs = zip(mutations(seeds, count), object_mutations(seeds, count), strict=True)
    for number, (name, data) in enumerate(islice(chain.from_iterable(pairs), first, count), first):
        print(number, flush=True)
        try:
            document = open_document(data, name=name)
        except DocumentError:
            continue
        _measure(document)


def _measure(document: PdfDocument) -> None:
    try:
        for number in range(1, min(document.page_count, _PAGES) + 1):
            view = PageView(read_page_lines(document, number), DEFAULTS)
            detect_language(structure_page(view, decide_style(measure_page(view))).text)
    finally:
        document.close()


def run(folders: Sequence[Path], count: int) -> int:
    """Read `count` files; return the number of those that killed their process, or made a loop refuse an index."""
    seeds = [path for folder in folders for path in folder.rglob("*.pdf")]
    first = findings = 0
    with tempfile.TemporaryDirectory(prefix="pdfmill-sanitized-") as name:
        environment = build(Path(name))
        while first < count:
            command = [
                sys.executable,
                "-m",
                "benchmarks.robust.sanitized",
                *map(str, folders),
                "--count",
                str(count),
                "--first",
                str(first),
            ]
            done = subprocess.run(command, cwd=name, env=environment, capture_output=True, text=True, check=False)
            if not done.returncode:
                break
            read = done.stdout.split()
            if not read:
                raise RuntimeError(done.stderr)
            first, findings = int(read[-1]) + 1, findings + 1
            print(f"file {first - 1}, exit code {done.returncode}:\n{done.stderr[-2000:]}", flush=True)
    print(f"{count} files of {len(seeds)} seeds, {findings} findings")
    return findings


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code: 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robust.sanitized", description="Mutated pages under sanitizers.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="SEED_FOLDER", help="folders of PDFs that are mutated")
    parser.add_argument("--count", type=int, default=5000, help="files (default: 5000)")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    flags = parser.parse_args(argv)
    folders = [folder.resolve() for folder in flags.folders]
    if flags.first is None:
        return int(run(folders, flags.count) > 0)
    read_all([path for folder in folders for path in folder.rglob("*.pdf")], flags.first, flags.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
