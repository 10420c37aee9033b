"""The blocks of Unicode 16 for scripts that are written from right to left, or without spaces between words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: First and last code points of the blocks of scripts written from right to left: Hebrew to Arabic Extended-A, their presentation forms,
#: and two rows of the supplementary plane (Cypriot to Old Uyghur, Mende Kikakui to Arabic Mathematical Symbols).
RIGHT_TO_LEFT: Final = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
#: The lowest code point that is written from right to left.
FIRST_RIGHT_TO_LEFT: Final = RIGHT_TO_LEFT[0][0]

#: Letters and signs of scripts written without spaces, as ranges for a regular expression's character class: Thai, Lao, Tibetan, Burmese,
#: Khmer, kana, and Chinese with its radicals.
UNSPACED_LETTERS: Final = "\u0e00-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
#: Punctuation of Japanese and Chinese, each as wide as a letter, as ranges for a character class.
UNSPACED_MARKS: Final = "\u3000-\u303f\uff01-\uff60"

#: Radicals of Chinese characters, which some PDFs contain instead of the characters that look the same, and those characters. Kangxi
#: radicals are mapped by their compatibility decomposition, others by Unicode's EquivalentUnifiedIdeograph.txt where they are whole
#: characters.
RADICALS: dict[int, str] = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2E80, 0x2FD6)}
RADICALS |= zip(
    map(
        ord,
        "\u2ea0\u2ed1\u2ec4\u2ed8\u2edd\u2ee9\u2ee4\u2ee8\u2ee3\u2ef2\u2eeb\u2eed\u2eef\u2ec1\u2ecc"
        "\u2ec6\u2ec9\u2ec5\u2ecb\u2ed3\u2ed4\u2eda\u2edb\u2edc\u2ee2\u2ee5\u2ee6\u2ef0\u2eec\u2eee",
    ),
    "民長西青食黄鬼麦骨亀斉歯竜虎辶角贝见车长门页风飞马鱼鸟龙齐齿",
    strict=True,
)

#: The combining mark of each accent that is also a character of its own.
COMBINING_OF_ACCENT: Final = dict(
    zip(
        map(ord, "`^~¨¯´¸ˆˇ˘˙˚˛˜˝"),
        "\u0300\u0302\u0303\u0308\u0304\u0301\u0327\u0302\u030c\u0306\u0307\u030a\u0328\u0303\u030b",
        strict=True,
    )
)

_RIGHT_TO_LEFT_LETTER: Final = re.compile("[{}]".format("".join(f"{chr(first)}-{chr(last)}" for first, last in RIGHT_TO_LEFT)))


def rtl_mask(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return bool[n]: whether each of these code points belongs to a right-to-left script, including its digits and marks."""
    return _right_to_left().take(codes, mode="clip")


#: Ranges of code points, end excluded, whose text producers of PDFs often state explicitly: scripts with marks or joined letters, combining
#: marks, and Chinese characters, for which fonts may give a radical.
JOINING: Final = ((0x300, 0x370), (0x590, 0x10A0), (0x1780, 0x1800), (0x1900, 0x1D00), (0x2E80, 0xA000), (0xA800, 0xAC00))


@cache
def _right_to_left() -> NDArray[np.bool_]:
    """Return bool[n]: whether code point c belongs to a right-to-left script, up to one more than the last such code point."""
    import numpy as np  # the process that only collects rows does without

    found = np.zeros(RIGHT_TO_LEFT[-1][1] + 2, np.bool_)
    for first, last in RIGHT_TO_LEFT:
        found[first : last + 1] = True
    return found


def holds_rtl(text: str) -> bool:
    """Return whether the text contains a character of a right-to-left script.

    >>> holds_rtl("a שלום"), holds_rtl("peace")
    (True, False)
    """
    return _RIGHT_TO_LEFT_LETTER.search(text) is not None


#: Superscript figures and signs that are characters of their own.
RAISED_FIGURES: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
#: The mark of a footnote: superscript figures after a number or a word. After one or two letters they are the power of a unit or variable.
NOTE_MARK: Final = re.compile(f"(?:(?<=[0-9])|(?<=[^\\W\\d_]{{3}}))[{RAISED_FIGURES}]+(?!\\w)")
