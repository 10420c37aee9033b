"""Coverage-guided fuzzing of the readers that are Python: objects, facts and strings (pages are read by native code, see `torture`).

    python -m pip install atheris        # Apache-2.0; not in requirements-dev.in, as it has wheels for few Pythons
    python -m benchmarks.fuzz [-runs=20000] [-max_len=60000] CORPUS_FOLDER

Flags are libFuzzer's; new inputs are kept in the folder. A mistake ends it with the input in a file `crash-*`.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

atheris: Any = importlib.import_module("atheris")

with atheris.instrument_imports(include=["pdfmill.transforms"]):
    from pdfmill.transforms.pdf.facts.facts import read_facts
    from pdfmill.transforms.pdf.facts.xmp import decode_packet, properties
    from pdfmill.transforms.pdf.open.document import open_document
    from pdfmill.transforms.pdf.open.errors import DocumentError
    from pdfmill.transforms.pdf.open.objects import clean, decode_text, inflate, iso_date


def read_any(data: bytes) -> None:
    """What `read_document` does with a file, and what its strings go through."""
    for written in (clean(decode_text(data)), clean(decode_packet(data))):
        written.encode("utf-8")
    iso_date(decode_text(data[:100]))
    inflate(data)
    list(properties(data))
    try:
        document = open_document(data, name="fuzzed")
    except DocumentError:
        return
    try:
        read_facts(document, data)
    finally:
        document.close()


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, read_any)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
