"""Known text in many scripts, through makers of PDFs that CI has, and back.

The texts are the first article of the Universal Declaration of Human Rights; `benchmarks/text/text_truth.py` has more of it, and more
makers."""

from __future__ import annotations

import csv
import html
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import pdfmill
from tests.servers import unavailable

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Known(NamedTuple):
    script: str
    language: str
    direction: str
    font: str
    text: str


with Path(__file__).with_name("round_trip.tsv").open(encoding="utf-8", newline="") as file:
    KNOWN = [Known(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
#: Steer joining, and are not drawn.
_JOINERS = str.maketrans("", "", "\u200b\u200c\u200d")


def page(known: Known) -> str:
    """Plain, bold and slanted."""
    text = html.escape(known.text)
    looks = "".join(f'<p style="{look}">{text}</p>' for look in ("", "font-weight:bold", "font-style:italic"))
    return f'<section lang="{known.language}" dir="{known.direction}" style="font-family:\'{known.font}\'">{looks}</section>'


PAGES = '<!doctype html><meta charset="utf-8"><style>section{break-after:page;font-size:12pt;line-height:1.6}</style>' + "".join(
    map(page, KNOWN)
)


#: Line breaks that a PDF does not tell from breaks within words: Hangul breaks anywhere, Burmese at spaces and elsewhere; a hyphen of its
#: own that a line ends with, in a script that is hyphenated.
_BROKEN = {"Korean", "Burmese", "Telugu"}


def misread(path: Path) -> Iterator[tuple[str, str]]:
    """The scripts whose words are not those that were written, with what was read."""
    for known, read in zip(KNOWN, pdfmill.read(path).pages, strict=True):
        written, words = (text.translate(_JOINERS).split() for text in (unicodedata.normalize("NFC", known.text), read.text))
        if known.script in _BROKEN:
            written, words = (["".join(each).replace("-", "")] for each in (written, words))
        if words != ["".join(written * 3)] and words != written * 3:
            yield known.script, read.text


@pytest.fixture(scope="module", autouse=True)
def fonts() -> None:
    for package, name in (
        ("fonts-noto-core", "truetype/noto/NotoSansThai-Regular.ttf"),
        ("fonts-noto-cjk", "opentype/noto/NotoSansCJK-Regular.ttc"),
    ):
        if not Path("/usr/share/fonts", name).exists():
            unavailable(f"no {name} (Debian: {package})")


@pytest.mark.servers
def test_chromium(browser: Browser, tmp_path: Path) -> None:
    tab = browser.new_page()
    tab.set_content(PAGES)
    tab.pdf(path=tmp_path / "known.pdf", format="A4")
    tab.close()
    assert dict(misread(tmp_path / "known.pdf")) == {}


def test_typst(tmp_path: Path) -> None:
    import typst

    pages = []
    for known in KNOWN:
        text = known.text.replace('"', '\\"')
        looks = "\n\n".join(look.format(f'#"{text}"') for look in ("{0}", "#strong[{0}]", "#emph[{0}]"))
        pages.append(
            f'#[#set text(font: "{known.font}", lang: "{known.language}", dir: {known.direction})\n{looks}\n#pagebreak(weak: true)]'
        )
    (tmp_path / "known.typ").write_text("".join(pages), "utf-8")
    typst.compile(str(tmp_path / "known.typ"), output=str(tmp_path / "known.pdf"), font_paths=["/usr/share/fonts"])
    found = dict(misread(tmp_path / "known.pdf"))
    # A raised mark is an object of its own, whose map gives the letter once more; where marks stand on both sides, too much is left.
    assert not found.keys() - {"Arabic", "Khmer", "Burmese"}, found
