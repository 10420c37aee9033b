"""Measure whether wrong text is noticed, if the fonts' character maps are wrong: `python -m benchmarks.text.lies FOLDER`.

FOLDER is that of `text_truth --keep`. Each of its documents is read twice: unchanged, and with the character map of each font shuffled and
without /ActualText. It counts as noticed if a page needs OCR according to the tables. Korean, Chinese and Japanese are left out, because
the product does not judge them.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pikepdf

import pdfmill
from benchmarks.text.text_truth import LANGUAGES
from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from tests.pdf.to_unicode import to_cmap
from tests.scans.spoilt_fonts import shuffled


def lying(data: bytes, random: np.random.Generator) -> bytes:
    """Return the document with the character map of each font shuffled, and without /ActualText."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for each in pdf.objects:
            if isinstance(each, pikepdf.Dictionary) and "/ActualText" in each:
                del each["/ActualText"]
            if isinstance(each, pikepdf.Dictionary) and each.get("/Type") == "/Font" and "/ToUnicode" in each:
                texts = {code: text for code, text in to_unicode(each.ToUnicode).items() if text.strip()}
                each.ToUnicode = pdf.make_stream(to_cmap(shuffled(texts, random), 2 if each.Subtype == "/Type0" else 1))
        for page in pdf.pages:
            page.contents_coalesce()
            page.Contents = pdf.make_stream(page.Contents.read_bytes().replace(b"/ActualText", b"/Former"))
        sink = io.BytesIO()
        pdf.save(sink)
    return sink.getvalue()


def doubted(data: bytes) -> bool:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        Path(file.name).write_bytes(data)
        return any(page.needs_ocr for page in pdfmill.read(file.name).pages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    counts: dict[str, Counter[str]] = {}
    for path in sorted(parser.parse_args().folder.glob("*/*.pdf")):
        if LANGUAGES[path.stem][0] in ("Korean", "Chinese", "Japanese") or path.parent.name == "ghostscript":
            continue
        count = counts.setdefault(LANGUAGES[path.stem][0], Counter())
        data = path.read_bytes()
        count["documents"] += 1
        count["noticed"] += doubted(lying(data, np.random.default_rng(zlib.crc32(str(path).encode()))))
        if doubted(data):
            count["honest ones doubted"] += 1
            print(f"honest: {path.parent.name} {path.stem}")
    for script, count in counts.items():
        print(f"{script}: {dict(count)}")
    total = sum(counts.values(), Counter())
    print(
        f"{total['noticed'] / total['documents']:.3f} noticed of {total['documents']}; {total['honest ones doubted']} honest ones doubted"
    )


if __name__ == "__main__":
    main()
