"""Fonts whose Unicode was taken away or shuffled: how much of their text is read, and is any honest font touched?

    python -m benchmarks.fonts_that_lie FOLDER [--fonts 20] [--honest 200] [--names '*-en-*.pdf'] [--language eng] [--greek TTF...]
        [--seed 7] [--keep DIR]

FOLDER holds PDFs. Of each, the embedded font of most text loses its ToUnicode map, or gets one whose texts are shuffled, by turns; a
document whose text is still right then, by the font's own program, is left out. What `--ocr` reads of such a font's characters on the first
pages is compared to what they were; where the lie is not noticed, none is right. A page that cannot be read by what was learned keeps its
lie here; in a run its picture is read.
--greek: documents of Greek sentences are set in these TrueType fonts and asked first, because few folders have any.
Honest documents are asked whether any of their fonts would be learned, which reads no picture.
--keep: what the recogniser said is kept here. Exits with 1 below a bar: 95 % of the characters, no honest font.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
import pikepdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from benchmarks.scans import Keeper
from benchmarks.to_unicode import to_cmap
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from pdfmill.transforms.pdf.fonts.fonts import FONT_FILES, base_name, fonts_of, plain_name
from pdfmill.transforms.pdf.open.document import PdfDocument, open_document
from pdfmill.transforms.pdf.open.errors import DocumentError, PageError
from pdfmill.transforms.pdf.open.objects import get, get_dict, items
from pdfmill.transforms.pdf.text.page import read_page
from pdfmill.transforms.road.document_road import read_by_learned
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.sample_pages import fonts_learned
from pdfmill.transforms.scans.installed import RECOGNIZERS
from pdfmill.transforms.scans.recognizers import Picture, Word

PAGES: Final = 4
#: A busy machine takes longer than the default allows; a page that is not read in time teaches nothing.
PAGE_SECONDS: Final = 3000.0
SEED: Final = 7
BAR: Final = 0.95
#: Characters of a font on those pages from which it is asked: fewer are a heading's.
LEAST: Final = 1500
LARGEST: Final = 20_000_000
_ALPHABETIC: Final = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u04ff]")
#: Of a font's letters that are Latin, Greek or Cyrillic, for which the bar is meant.
_ALPHABETIC_SHARE: Final = 0.95

#: What they say.
GREEK: Final = (
    "Οι επιστολές του αρχείου ήρθαν σε κουτιά που κανείς δεν είχε ανοίξει από τον πόλεμο.",
    "Κανείς δεν ήξερε πόσες ήταν και ποιος τις είχε γράψει, ώσπου άρχισε η καταγραφή τους.",
    "Οι παλαιότερες είναι σε λεπτό χαρτί, διπλωμένο δύο φορές, και το μελάνι έχει ξεθωριάσει.",
    "Καθεμία έχει τώρα έναν αριθμό, και όποιος θέλει μπορεί να τη ζητήσει στην αίθουσα ανάγνωσης.",
    "Η Βιβλιοθήκη της Θεσσαλονίκης φύλαξε έξι από τα κουτιά, χωρίς να γνωρίζει το περιεχόμενο.",
    "Ο Χρήστος και η Ζωή, που ρωτήθηκαν, θυμούνται ακόμη την ημέρα που έφτασε το φορτηγό.",
    "Πολλά γράμματα γράφτηκαν στην Αθήνα, άλλα στην Πάτρα, στο Ηράκλειο και στην Ψαθούρα.",
    "Ξεχωριστή θέση έχουν οι λογαριασμοί των εμπόρων, με ποσά, ημερομηνίες και υπογραφές.",
    "Μέσα σε έναν φάκελο βρέθηκε χάρτης της Ύδρας, σχεδιασμένος με το χέρι πριν από τον σεισμό.",
    "Για τους ερευνητές η συλλογή αυτή αξίζει περισσότερο από κάθε επίσημο έγγραφο της εποχής.",
    "Τα φύλλα καθαρίστηκαν, αριθμήθηκαν και φωτογραφήθηκαν μέσα σε δεκαοκτώ μήνες εργασίας.",
    "Λίγα μόνο χάθηκαν: όσα είχαν βραχεί όταν πλημμύρισε το υπόγειο του Δημαρχείου το χειμώνα.",
)


class Refused:
    """A recogniser that may not be asked."""

    def missing(self) -> str | None:
        """Nothing."""
        return None

    def languages(self) -> tuple[str, ...]:
        """One, so that none is looked for."""
        return ("eng",)

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        """An honest font would be learned."""
        raise AssertionError("an honest font is read from its picture")


def text_by_font(page: PageLines) -> Iterator[tuple[str, str]]:
    """Font and text of each span of a page's lines, without spaces."""
    for line in page.lines:
        for (start, style), (end, _) in zip(line.spans, [*line.spans[1:], (len(line.text), 0)], strict=True):
            yield page.styles[style].font, line.text[start:end].replace(" ", "")


def text_pages(document: PdfDocument) -> list[PageLines]:
    """The lines of the first pages."""
    return [find_lines(read_page(document.pdfium, number, document=document)) for number in range(1, min(PAGES, document.page_count) + 1)]


def main_font(document: PdfDocument) -> str | None:
    """The name of the embedded font with a map that has most of the first pages' text, where its letters are Latin, Greek or Cyrillic."""
    texts: dict[str, str] = defaultdict(str)
    for page in text_pages(document):
        for font, text in text_by_font(page):
            texts[font] += text
    mapped = {
        plain_name(base_name(font) or "") for font in fonts_of(document) if _is_embedded(font) and get(font, "/ToUnicode") is not None
    }
    font, text = max(texts.items(), key=lambda item: len(item[1]), default=("", ""))
    if font not in mapped or len(text) < LEAST or 2 * len(text) <= sum(map(len, texts.values())):
        return None
    return font if len(_ALPHABETIC.findall(text)) >= _ALPHABETIC_SHARE * sum(map(str.isalpha, text)) else None


def _is_embedded(font: object) -> bool:
    descendant = next(iter(items(get(font, "/DescendantFonts"))), None)
    return any(get(get_dict(part, "/FontDescriptor"), key) is not None for part in (font, descendant) for key in FONT_FILES)


def spoil(data: bytes, font_name: str, shuffle: bool, random: np.random.Generator) -> bytes:
    """The document with the maps of the fonts of this name taken away or shuffled."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for each in pdf.objects:
            if not isinstance(each, pikepdf.Dictionary) or each.get("/Type") != "/Font" or "/ToUnicode" not in each:
                continue
            if plain_name(base_name(each) or "") != font_name:
                continue
            if shuffle:
                texts = shuffled(to_unicode(each.ToUnicode), random)
                each.ToUnicode = pdf.make_stream(to_cmap(texts, 2 if each.Subtype == "/Type0" else 1))
            else:
                del each["/ToUnicode"]
        sink = io.BytesIO()
        pdf.save(sink)
    return sink.getvalue()


def shuffled(texts: Mapping[int, str], random: np.random.Generator) -> dict[int, str]:
    """What the codes stand for, with each other's texts."""
    targets = list(texts.values())
    return {code: targets[place] for code, place in zip(texts, random.permutation(len(targets)).tolist(), strict=True)}


def score(original: Sequence[PageLines], read: Sequence[PageLines | None], font: str) -> tuple[int, int]:
    """Characters of the font that are right, and all of them, those that are not there included."""
    right = total = 0
    for one, other in zip(original, read, strict=True):
        true = "".join(text for name, text in text_by_font(one) if name == font)
        found = "".join(text for name, text in text_by_font(other) if name == font) if other is not None else ""
        total += max(len(true), len(found))
        right += sum(size for _, _, size in SequenceMatcher(None, true, found, autojunk=False).get_matching_blocks())
    return right, total


def honest(paths: Sequence[Path], wanted: int) -> tuple[int, int]:
    """Fonts of documents as they are, and how many of them would be learned."""
    RECOGNIZERS["refused"] = Refused()
    asked = touched = 0
    for path in paths:
        if asked >= wanted:
            break
        try:
            document = open_document(path.read_bytes(), name=path.name)
            fonts = len(fonts_of(document))
        except DocumentError:
            continue
        asked += fonts
        try:
            fonts_learned(document, ReadSettings(ocr=True, recognizer="refused"))
        except AssertionError:
            touched += fonts
            print(f"{path.name}: its fonts would be learned")
    return asked, touched


def greek_document(path: Path) -> bytes:
    """Pages of Greek sentences in a TrueType font, each sentence several times."""
    pdfmetrics.registerFont(TTFont(path.stem, str(path)))
    random, sink = np.random.default_rng(SEED), io.BytesIO()
    canvas = Canvas(sink, pagesize=(595, 842), invariant=1)
    for _ in range(PAGES):
        canvas.setFont(path.stem, 10.5)
        for number, sentence in enumerate(random.permutation(np.repeat(np.arange(len(GREEK)), 3)).tolist()):
            canvas.drawString(60, 780 - 18 * number, GREEK[sentence])
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


def main(argv: Sequence[str] | None = None) -> int:
    """Print how much is right of each font, and how many honest ones are touched."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fonts", type=int, default=20)
    parser.add_argument("--honest", type=int, default=200)
    parser.add_argument("--language", default="auto")
    parser.add_argument("--names", default="*.pdf", help="which of its files, e.g. '*-en-*.pdf'")
    parser.add_argument("--greek", type=Path, nargs="*", default=[], help="TrueType fonts with Greek letters")
    parser.add_argument("--seed", type=int, default=SEED, help="another one shuffles otherwise; an even one shuffles the first font")
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args(argv)
    if args.keep:
        RECOGNIZERS.update({name: Keeper(each, args.keep) for name, each in RECOGNIZERS.items()})
    paths = [path for path in sorted(args.folder.rglob(args.names)) if path.stat().st_size <= LARGEST]
    settings = ReadSettings(ocr=True, ocr_language=args.language, seconds_per_page=PAGE_SECONDS)
    shares: list[float] = []
    for path in [*args.greek, *paths]:
        if len(shares) >= args.fonts:
            break
        data = greek_document(path) if path in args.greek else path.read_bytes()
        try:
            document = open_document(data, name=path.name)
            font, original = main_font(document), text_pages(document)
            if font is None:
                continue
            shuffle = (len(shares) + args.seed) % 2 == 0
            random = np.random.default_rng([args.seed, crc32(path.stem.encode())])  # whatever documents come before
            spoiled = open_document(spoil(data, font, shuffle, random), name=path.name)
            doubtful = text_pages(spoiled)
        except (DocumentError, PageError, pikepdf.PdfError):
            continue
        known, total = score(original, doubtful, font)
        if known >= BAR * total:
            continue
        again = [read_by_learned(spoiled, page.page, settings) for page in doubtful]
        read = again if spoiled.pictured.fonts else [None] * len(again)
        right, total = score(original, read, font)
        shares.append(right / total)
        way = "shuffled" if shuffle else "removed"
        told = sum(page is not None and page.fonts_read for page in read)
        print(f"{path.name}: {font} {way}: {right / total:.3f} of {total} characters; {told} of {len(read)} pages by the map", flush=True)
    asked, touched = honest(paths, args.honest)
    share = sum(shares) / max(1, len(shares))
    print(f"{len(shares)} fonts: {share:.3f} of their characters; {touched} of {asked} honest fonts touched")
    return 0 if share >= BAR and not touched else 1


if __name__ == "__main__":
    sys.exit(main())
