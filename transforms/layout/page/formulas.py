"""Detect displayed formulas by mathematical fonts, mathematical signs, and the absence of words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.transforms.layout.page.text_style import span_lengths

#: Names of mathematical fonts: those of TeX (letters, signs, large signs), and OpenType fonts with "Math" in their names.
_MATH_FONT: Final = re.compile(
    r"^(?:cm(?:mi|sy|ex|mib|bsy)|ms[ab]m|eu(?:f|r|s|ex)[mb]?\d|rsfs|stmary|wasy|esint|lm(?:mi|sy|ex)|mt(?:mi|sy|ex)|(?:rm|r)?[tp]x[bm]?(?:mi|sy|ex)|newtxmi|pazomath|zplm|fplm|mathematicalpi)|(?-i:Math(?![a-z]))",
    re.IGNORECASE,
)
_RELATION: Final = re.compile("[=≠≈≡≃≅≤≥≪≫∈∉⊂⊆⊃∝∼≺→↦⇒⇔∑∏∫√∂∇∀∃±×]")
_MATH_LETTER: Final = re.compile("[\U0001d400-\U0001d7ff]")
_WORD: Final = re.compile(r"[^\W\d_\U0001d400-\U0001d7ff]{3,}")
#: Words that formulas contain: names of functions, and words between cases.
_NAMES: Final = frozenset((
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "exp", "max", "min",
    "sup", "inf", "lim", "det", "dim", "deg", "ker", "gcd", "arg", "mod", "diag", "rank", "sgn", "span", "var", "cov", "argmax",
    "argmin", "limsup", "liminf", "for", "all", "and", "where", "with", "such", "that", "otherwise", "when", "then", "else",
    "subject",
))  # fmt: skip
_NUMBER: Final = re.compile(r"\(\s*[A-Z]?\.?\d{1,3}(?:\.\d{1,3})*[a-z]?\s*\)\s*$")


@lru_cache(maxsize=4096)
def is_math_font(font: str) -> bool:
    return bool(_MATH_FONT.search(font))


def is_displayed_formula(lines: Sequence[TextLine], styles: Sequence[FontStyle]) -> bool:
    """Return whether the lines are a displayed formula: they have no words, and are in mathematical fonts or have a relation sign."""
    text = " ".join(line.text for line in lines)
    fonts = {style for line in lines for _, style in line.spans if is_math_font(styles[style].font)}
    mathematical = sum(n for line in lines for style, n in span_lengths(line) if style in fonts) if fonts else 0
    mathematical += 0 if text.isascii() else len(_MATH_LETTER.findall(text))
    if mathematical < 2 and not (("=" in text if text.isascii() else _RELATION.search(text)) and any(map(str.isalpha, text))):
        return False
    return all(word[0].lower() in _NAMES for word in _WORD.finditer(text))


def is_numbered(text: str) -> bool:
    """Return whether the text ends in an equation number. The next line then does not belong to the same formula."""
    return bool(_NUMBER.search(text))
