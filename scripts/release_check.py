"""Check that built wheels can be released: name, version, licence, description, command, types.

    python scripts/release_check.py dist/*.whl

It prints a line for each wheel. The exit code is 1 if a wheel has a fault, 2 without a wheel.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator, Sequence
from email.message import Message
from email.parser import Parser
from pathlib import Path

from pdfmill.schemas.version import VERSION

#: Fields of the core metadata, and their required values.
FIELDS = {"Name": "pdfmill", "Version": VERSION, "License-Expression": "Apache-2.0", "Description-Content-Type": "text/markdown"}
#: The extras that README and docs/install.md name.
EXTRAS = {"all", "index", "search", "serve", "export", "stores", "beam", "crawl"}


def faults(wheel: Path) -> Iterator[str]:
    """Yield a sentence for each fault of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        folder = f"pdfmill-{VERSION}.dist-info"
        if f"{folder}/METADATA" not in names:
            yield f"there is no {folder}/METADATA: the wheel is of another name or version"
            return
        yield from _metadata_faults(Parser().parsestr(archive.read(f"{folder}/METADATA").decode()))
        if "pdfmill = " not in archive.read(f"{folder}/entry_points.txt").decode():
            yield "there is no command `pdfmill`"
    for needed in ("pdfmill/__init__.py", "pdfmill/__main__.py", "pdfmill/py.typed"):
        if needed not in names:
            yield f"there is no {needed}"
    if not any(name.startswith(f"{folder}/licenses/") and name.endswith("LICENSE") for name in names):
        yield "the licence is not in it"


def _metadata_faults(metadata: Message) -> Iterator[str]:
    for name, wanted in FIELDS.items():
        if metadata[name] != wanted:
            yield f"{name} is {metadata[name]!r}, not {wanted!r}"
    if not (metadata["Requires-Python"] or "").startswith((">=3.11", "<3")):
        yield f"Requires-Python is {metadata['Requires-Python']!r}"
    if lacking := EXTRAS - set(metadata.get_all("Provides-Extra", [])):
        yield f"it has no extra {', '.join(sorted(lacking))}"
    text = metadata.get_payload()
    if not isinstance(text, str) or not text.startswith("# pdfmill"):
        yield "the description is not README.md"
    elif "](docs/" in text:
        yield "the description links to files that are not there on an index of packages"


def main(wheels: Sequence[str]) -> int:
    """Check each wheel, and return the exit code."""
    found = [(wheel, list(faults(Path(wheel)))) for wheel in wheels]
    for wheel, wrong in found:
        print(f"{wheel}: {'; '.join(wrong) or f'pdfmill {VERSION}, as it should be'}")
    if not found:
        print("release_check: no wheel is named", file=sys.stderr)
        return 2
    return 1 if any(wrong for _, wrong in found) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
