"""Make valid language tags from those that documents declare, which are often invalid, such as "en-UK" or "english"."""

from __future__ import annotations

import re
from typing import Final

#: Languages of ISO 639-1.
_LANGUAGES: Final = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et "
    "eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk "
    "kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny "
    "oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk "
    "tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
#: Regions of ISO 3166-1, and the areas of UN M.49 that software uses.
_REGIONS: Final = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD "
    "CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF "
    "GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN "
    "KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA "
    "NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI "
    "SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI "
    "VN VU WF WS YE YT ZA ZM ZW 001 150 419"
)
#: Scripts of ISO 15924 that distinguish the forms of languages written in several.
_SCRIPTS: Final = (
    "Arab Armn Beng Cyrl Deva Geor Grek Gujr Guru Hans Hant Hebr Jpan Khmr "
    "Knda Kore Laoo Latn Mlym Mong Mymr Orya Sinh Syrc Taml Telu Tfng Thaa Thai Tibt"
)
LANGUAGES, REGIONS, SCRIPTS = (frozenset(codes.split()) for codes in (_LANGUAGES, _REGIONS, _SCRIPTS))
_RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur", "yi", "ps", "sd", "ug", "dv"})
_RIGHT_TO_LEFT_SCRIPTS: Final = frozenset({"Arab", "Hebr", "Syrc", "Thaa"})
_TAG: Final = re.compile(r"([A-Za-z]{2})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|[0-9]{3}))?(?:[-_][A-Za-z0-9-_]*)?")


def language_tag(stated: str) -> str | None:
    """Return the declared language in the usual spelling of RFC 5646, without unknown subtags; None if it names no language.

    >>> language_tag("EN-uk"), language_tag("zh_hant_tw"), language_tag("english")
    ('en', 'zh-Hant-TW', None)
    """
    match = _TAG.fullmatch(stated.strip())
    if match is None or (language := match[1].lower()) not in LANGUAGES:
        return None
    script, region = (match[2] or "").title(), (match[3] or "").upper()
    return "-".join(filter(None, (language, script if script in SCRIPTS else "", region if region in REGIONS else "")))


def runs_leftwards(tag: str) -> bool:
    """Return whether a tag from `language_tag` names a right-to-left language or script."""
    language, *rest = tag.split("-")
    script = next((part for part in rest if len(part) == 4), "")
    return script in _RIGHT_TO_LEFT_SCRIPTS if script else language in _RIGHT_TO_LEFT
