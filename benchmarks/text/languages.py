"""Languages of known texts: `python -m benchmarks.text.languages --udhr FOLDER`, of 1, 3 and 10 lines, beside langdetect by itself.

The texts are those of `benchmarks.text.text_truth`. Texts in languages that langdetect does not know should have none.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter, defaultdict
from pathlib import Path

import langdetect

from benchmarks.text.text_truth import LANGUAGES, read_text
from pdfmill.transforms.language.detect import detect_language

#: Codes of langdetect for languages of the texts; those it does not know are left out.
KNOWN = {
    "eng": "en",
    "fra": "fr",
    "deu_1996": "de",
    "spa": "es",
    "ces": "cs",
    "pol": "pl",
    "hun": "hu",
    "tur": "tr",
    "ron_2006": "ro",
    "lit": "lt",
    "vie": "vi",
    "fin": "fi",
    "por_PT": "pt",
    "ell_monotonic": "el",
    "ell_polytonic": "el",
    "rus": "ru",
    "ukr": "uk",
    "bul": "bg",
    "arb": "ar",
    "pes_1": "fa",
    "urd": "ur",
    "heb": "he",
    "hin": "hi",
    "mar": "mr",
    "nep": "ne",
    "ben": "bn",
    "pan": "pa",
    "guj": "gu",
    "tam": "ta",
    "tel": "te",
    "kan": "kn",
    "mal": "ml",
    "tha": "th",
    "jpn": "ja",
    "kor": "ko",
    "cmn_hans": "zh-cn",
    "cmn_hant": "zh-tw",
}
_UNSPACED = ("jpn", "cmn_hans", "cmn_hant", "tha", "lao", "khm", "mya", "bod")


def lines_of(folder: Path, language: str) -> list[str]:
    """The paragraphs of a text in lines of 80 characters, of 40 where these are wide."""
    text = " ".join(each.text for each in read_text(folder, language).paragraphs if each.look not in ("h1", "h2", "h3"))
    width = 40 if language in ("jpn", "kor", "cmn_hans", "cmn_hant") else 80
    if language in _UNSPACED:
        return [text[start : start + width] for start in range(0, len(text), width)]
    return textwrap.wrap(text, width)


def alone(text: str) -> str | None:
    """What langdetect says."""
    try:
        return str(langdetect.detect(text))
    except langdetect.LangDetectException:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--udhr", type=Path, required=True)
    folder = parser.parse_args().udhr
    langdetect.DetectorFactory.seed = 0
    for who, ask in (("pdfmill", lambda text: detect_language(text)[0]), ("langdetect", alone)):
        counts: dict[tuple[bool, int], Counter[str]] = defaultdict(Counter)
        for language in LANGUAGES:
            lines, wanted = lines_of(folder, language), KNOWN.get(language)
            for count in (1, 3, 10):
                for start in range(0, len(lines) * 6 // 7, max(1, len(lines) // 7)):
                    got = ask("\n".join(lines[start : start + count]))
                    counts[wanted is not None, count]["null" if got is None else "right" if got == wanted else "wrong"] += 1
        for (known, count), each in sorted(counts.items()):
            print(f"{who}, {'known' if known else 'unknown'} languages, {count} lines: {dict(each)}")


if __name__ == "__main__":
    main()
