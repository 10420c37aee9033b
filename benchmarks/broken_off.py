"""Downloads that broke off: how much text do files give of which only the first part is there?

    python -m benchmarks.broken_off FOLDER [--share 0.6]

Every PDF below FOLDER is cut after this share of its bytes. Printed for pdfmill and for poppler's `pdftotext`: of how many files any text
comes, and how many words that is of those that pdfmill finds in the whole files. Of pdfmill's words also: how many the whole file has, on
pages whose text it trusts and on those that it says need OCR, because fonts did not come.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.lost_words import read_by_other
from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.road.document_road import read_document, read_pages
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.page_rows import needs_ocr
from pdfmill.transforms.storage.addresses import local_uri

#: Longer files take too long to be read twice.
MOST_PAGES: Final = 500


def words_of(path: Path) -> tuple[Counter[str], Counter[str]]:
    """The words of trusted pages, and those of pages that need OCR."""
    ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings()
    found: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    count = read_document(ref, settings).page_count
    for page in read_pages(PageRange(ref, 1, count), settings) if 0 < count <= MOST_PAGES else ():
        found[needs_ocr(page)].update(word for line in page.lines for word in line.text.split())
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=float, default=0.6)
    args = parser.parse_args(argv)
    files = ours = theirs = 0
    whole, poppler = Counter[str](), Counter[str]()
    given, right = [0, 0], [0, 0]
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(args.folder.rglob("*.pdf")):
            cut = Path(scratch) / path.name
            data = path.read_bytes()
            cut.write_bytes(data[: int(len(data) * args.share)])
            full, found, other = sum(words_of(path), Counter()), words_of(cut), Counter(" ".join(read_by_other(cut)).split())
            files, ours, theirs = files + 1, ours + any(found), theirs + bool(other)
            whole, poppler = whole + full, poppler + other
            for place, words in enumerate(found):
                given[place] += words.total()
                right[place] += (words & full).total()
            cut.unlink()
    print(f"{files} files cut to {args.share:.0%}: text of {ours} by pdfmill, of {theirs} by pdftotext")
    print(f"words, of {whole.total()}: pdfmill {sum(given) / whole.total():.3f}, pdftotext {poppler.total() / whole.total():.3f}")
    for place, pages in enumerate(("trusted pages", "pages that need OCR")):
        print(f"{pages}: {given[place]} words, {right[place] / max(1, given[place]):.3f} of them are in the whole file")
    return 0


if __name__ == "__main__":
    sys.exit(main())
