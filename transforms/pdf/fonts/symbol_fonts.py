"""Symbol fonts whose encoding follows from their name: Wingdings, Webdings, Symbol, ZapfDingbats, MT Extra.

Symbol and ZapfDingbats are published in ISO 32000-2 Annex D.5 and D.6, the others by the mappings that Unicode's own documents give
(L2/11-344, L2/12-368); tables after dingbat-to-unicode 1.0.2 (BSD 2-Clause, Copyright (c) 2021 Michael Williamson) and, for
ZapfDingbats, the Adobe glyph lists; of MT Extra (MathType) what Mozilla's table for MathML has, and the harpoon of its vectors.
Such fonts come to us as Latin letters, or with F000 added as in their (3, 0) character map.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs

# Private-use characters whose meaning foundries agree on: Adobe's corporate use (Adobe Glyph List; symbol.txt of Unicode's mappings for
# the pieces of brackets) and the Thai forms of Windows fonts.


#: The part of the private area that they share.
FIRST_PRIVATE, LAST_PRIVATE = 0xF6BE, 0xF8FF
#: Pieces of brackets, arrows and signs, from U+F8E5 on.
_FIRST_PIECE, _PIECES = 0xF8E5, "‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"
#: Thai letters without their lower part, and marks moved to the left or down, from U+F700 on.
_FIRST_THAI, _THAI = (
    0xF700,
    "\u0e10\u0e34\u0e35\u0e36\u0e37\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e0d\u0e31\u0e4d\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e38\u0e39\u0e3a",
)
#: What Adobe's names say of the look: small capitals, old-style figures, raised and lowered ones, marks moved aside.
_LOOK: Final = re.compile(r"(small|oldstyle|superior|inferior|fitted|serif|(upper|low)?(left|right)(?=thai))")

_OTHERS: Final = {"registerserif": "®", "dotlessj": "ȷ", "threequartersemdash": "—"}


@cache
def private_characters() -> NDArray[np.uint32]:
    """Return uint32[FIRST_PRIVATE to LAST_PRIVATE]: the meaning of each private-use character, the character itself if unknown; small
    capitals as capitals."""
    from fontTools import agl  # slow to import, and few documents need it

    found = np.arange(FIRST_PRIVATE, LAST_PRIVATE + 1, dtype=np.uint32)
    for glyph, points in agl.LEGACY_AGL2UV.items():
        code, plain = points[0], _LOOK.sub("", glyph)
        if FIRST_PRIVATE <= code <= LAST_PRIVATE:
            said = (agl.toUnicode(plain), agl.toUnicode(plain.lower()), _OTHERS.get(glyph, ""))
            found[code - FIRST_PRIVATE] = next(
                (ord(text[0]) for text in said if text and not FIRST_PRIVATE <= ord(text[0]) <= LAST_PRIVATE), code
            )
    for first, texts in ((_FIRST_PIECE, _PIECES), (_FIRST_THAI, _THAI)):
        found[first - FIRST_PRIVATE : first - FIRST_PRIVATE + len(texts)] = [ord(character) for character in texts]
    return found


#: The font's plain name in lower case, without spaces, styles and foundries.
_NAMES: Final = re.compile(
    r"^(?:itc)?(wingdings[23]?|webdings|symbol|zapfdingbats|mtextra)(?:mt|ps|std|itc|regular|normal|roman|bold|italic|oblique|[-,])*$"
)
#: Fonts of pictures, which use the private area in their own way.
_ICONS: Final = re.compile(r"icon|awesome|emoji", re.IGNORECASE)
#: Codes of a table, and where fonts put them in the private area.
_FIRST, _LAST, _PRIVATE = 0x20, 0xFF, 0xF000
_NO_CHARACTER: Final = 0xFFFD
#: What the glyph list calls mu; Symbol's code of that number is another sign, which comes as itself.
_MICRO: Final = 0xB5


@cache
def symbol_font(name: str) -> str | None:
    """Return the table of a symbol font by its name without subset tag; None for all other fonts.

    >>> symbol_font("Wingdings-Regular"), symbol_font("Symbol,Bold"), symbol_font("SymbolNeu")
    ('wingdings', 'symbol', None)
    """
    match = _NAMES.match(name.replace(" ", "").replace("_", "").lower())
    return match[1] if match else None


def map_symbols(glyphs: Glyphs) -> None:
    """Replace, in place, the Latin characters that codes of symbol fonts come as, and private-use characters of foundries; the results are
    trusted.
    """
    if glyphs.unicode.max(initial=0) >= FIRST_PRIVATE:
        private = glyphs.unicode - np.uint32(FIRST_PRIVATE)
        known = np.flatnonzero(private <= LAST_PRIVATE - FIRST_PRIVATE)  # unsigned: below wraps round
        known = known[~np.array([bool(_ICONS.search(style.font)) for style in glyphs.styles], np.bool_)[glyphs.style[known]]]
        _put(glyphs, known, private_characters()[private[known]])
    for number in [number for number, style in enumerate(glyphs.styles) if style.font.startswith("OpenSymbol")]:
        members = np.flatnonzero(glyphs.style == number)
        _put(glyphs, members, np.array([_OPEN.get(code, code) for code in glyphs.unicode[members].tolist()], np.uint32))
    tables = [symbol_font(style.font) for style in glyphs.styles]
    for table in sorted({table for table in tables if table}):
        members = np.flatnonzero(np.array([each == table for each in tables], np.bool_)[glyphs.style])
        codes, unsure = glyphs.unicode[members], (glyphs.flags[members] & GlyphFlag.UNTRUSTED) != 0
        # Where PDFium has no mapping it gives the code itself, which in a composite font numbers a glyph.
        _put(glyphs, members, np.where(unsure & (codes < _PRIVATE), codes, _mapped(table, codes)))


def _put(glyphs: Glyphs, places: NDArray[np.intp], characters: NDArray[np.uint32]) -> None:
    changed = (characters != glyphs.unicode[places]) & (characters != _NO_CHARACTER)
    glyphs.unicode[places[changed]] = characters[changed]
    glyphs.flags[places[changed]] &= ~GlyphFlag.UNTRUSTED


def _mapped(table: str, codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Map each character by the table. Characters that are results of the table stay, so that mapping twice changes nothing."""
    known = _translation(table)
    return np.array([known.get(code, code) for code in codes.tolist()], np.uint32)


@cache
def _translation(table: str) -> dict[int, int]:
    """Return the characters by code, where codes come as private-use characters or as the Latin character of the code."""
    codes = symbol_characters(table)
    right = {*codes.values(), _MICRO}
    found = {_PRIVATE + code: character for code, character in codes.items()}
    for code, character in codes.items():
        for latin in {code, *map(ord, bytes([code]).decode("cp1252", "ignore"))} - right:
            found[latin] = character
    return found


@cache
def symbol_characters(table: str) -> dict[int, int]:
    """Return the codes of a table, 0x20 to 0xFF, and their characters; none without a table."""
    pairs = zip(range(_FIRST, _LAST + 1), map(ord, _TABLES[table]), strict=True) if table else ()
    return {code: character for code, character in pairs if character != _NO_CHARACTER}


#: MT Extra has few of them: accents, union and intersection, dots, arrows, the harpoon over vectors.
_EXTRA: Final = {
    0x20: " ", 0x23: "\u0300", 0x24: "\u0302", 0x25: "\u0303", 0x26: "\u0307", 0x43: "∐", 0x44: "ƛ", 0x49: "∩", 0x4B: "…", 0x4C: "⋯",
    0x4D: "⋮", 0x4E: "⋰", 0x4F: "⋱", 0x51: "∵", 0x55: "∪", 0x60: "‵", 0x61: "↦", 0x62: "↕", 0x63: "⇕", 0x76: "\u20d1",
}  # fmt: skip
#: Bullets of Symbol and Wingdings that LibreOffice draws in OpenSymbol, with the codes that they had; other codes are of either font.
_OPEN: Final = {0xF0A7: ord("▪"), 0xF0B7: ord("•"), 0xF0D8: ord("➢"), 0xF0FC: ord("✓")}
#: Characters of the codes 0x20 to 0xFF, U+FFFD where there is none.
_TABLES: Final[dict[str, str]] = {
    "wingdings": (
        " 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍"
        "🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉"
        "♊♋♌♍♎♏♐♑♒♓🙰🙵⚫🔾◼🞏🞐❑❒🞟⧫◆❖⬩⌧⮹⌘🏵🏶🙶🙷▯"
        "🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•"
        "⬝⭘🞆🞈🞊🞋🔿▪🞎🟁🟅★🟋🟏🟓🟑⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘"
        "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋🡨"
        "🡪🡩🡫🡬🡭🡯🡮🡸🡺🡹🡻🡼🡽🡿🡾⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭🗶✓🗷🗹\ufffd"
    ),
    "wingdings2": (
        " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙"
        "🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑🗴🗸🗵☑⮽☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺"
        "🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿\ufffd"
        "☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌"
        "🞍◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁"
        "⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺"
        "🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒✹🟃🟇✯🟍🟔⯌⯍※⁂\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    ),
    "wingdings3": (
        " ⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧"
        "⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥"
        "🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙▲▼△▽◀▶◁▷◣◢◤◥🞀🞂🞁\ufffd"
        "🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅"
        "🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽"
        "🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷"
        "🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕🢗\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    ),
    "webdings": (
        " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳"
        "🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫"
        "⮔✔🚲⬜🛡📦🛱⬛🚑🛈🛩🛰🟈🕴⬤🛥🚔🗘🗙❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲\ufffd"
        "🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻"
        "🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻"
        "🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫"
        "🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊"
    ),
    "symbol": (
        " !∀#∃%&∍()*+,−./0123456789:;<=>?"
        "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
        "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}~\ufffd"
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵"
        "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
        "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\ufffd"
    ),
    "mtextra": "".join(_EXTRA.get(code, "\ufffd") for code in range(_FIRST, _LAST + 1)),
    "zapfdingbats": (
        " ✁✂✃✄☎✆✇✈✉☛☞✌✍✎✏✐✑✒✓✔✕✖✗✘✙✚✛✜✝✞✟"
        "✠✡✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿"
        "❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❐❑❒▲▼◆❖◗❘❙❚❛❜❝❞\ufffd"
        "❨❩❪❫❬❭❮❯❰❱❲❳❴❵\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
        "\ufffd❡❢❣❤❥❦❧♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿"
        "➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔→↔↕➘➙➚➛➜➝➞➟"
        "➠➡➢➣➤➥➦➧➨➩➪➫➬➭➮➯\ufffd➱➲➳➴➵➶➷➸➹➺➻➼➽➾\ufffd"
    ),
}
