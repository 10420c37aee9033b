"""Text of a wrong map is noticed by its words; tables of codes, program text, short texts and other languages are not taken for it."""

from __future__ import annotations

import base64
import csv
import string
from pathlib import Path

import numpy as np
import pytest

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.layout.lines.no_language import count_strange, is_irregular, is_irregular_code, is_strange, strange_fonts
from pdfmill.transforms.layout.lines.script_letters import holds_script, is_shuffled
from pdfmill.transforms.layout.settings.text_settings import TextSettings
from pdfmill.transforms.road.page_rows import needs_ocr
from tests.pdf.mapped import mapped_page
from tests.pdf.pages import read

SETTINGS = TextSettings()
ENGLISH = (
    "the river carries silt from distant hills down into every valley where patient farmers wait through winter for spring floods before they plough sow barley "
    "along lower fields while merchants bring timber copper glass between harbours whose markets open early each morning under heavy clouds with sudden wind "
    "children gather stones near bridges built long before anyone remembers until evening bells call them home across quiet squares"
)
LANGUAGES = {
    "en": ENGLISH,
    "cs": "strč prst skrz krk řeka vynáší bahno z kopců do údolí kde rolníci čekají každé jaro na povodeň než zasejí ječmen vlk zmrzl čtvrtek smrt srdce vítr plný "
    "městský úřad schválil rozpočet příští rok bude nutné opravit silnice mosty školy včetně nemocnice protože zastupitelé chtějí šetřit energii vodu teplo",
    "pl": "rzeka niesie muł ze wzgórz na równinę gdzie rolnicy czekają każdej wiosny na powódź zanim zasieją jęczmień źdźbło trawy chrząszcz brzmi w trzcinie "
    "szczebrzeszyn miasto przyjęło budżet przyszły rok drogi mosty szkoły szpital radni chcą oszczędzać energię wodę ciepło przed zimą bardzo ostrożnie",
    "cy": "mae afon yn cludo llaid o fryniau i wastadedd lle mae ffermwyr yn disgwyl llif bob gwanwyn cyn hau haidd cwm bwrdd ffrwd crwth cwrw gwrth mwnt cwrt twll trwst "
    "plentyn casglu cerrig pontydd hynafol nosweithiau clychau galw adref sgwariau tawel marchnad bore gwynt cymylau trwm sydyn",
    "vi": "dòng sông mang phù sa từ những ngọn đồi xuống đồng bằng nơi nông dân chờ đợi trận lụt mỗi mùa xuân trước khi gieo lúa mạch người dân thành phố nghiêng nghiêng "
    "thường xuyên những chiếc thuyền chở hàng hoá dưới những đám mây nặng trĩu buổi sáng tiếng chuông trường học bệnh viện đường phố",
    "ru": "река несёт ил с холмов на равнину где крестьяне ждут каждой весной разлива прежде чем посеять ячмень взгляд встреча всплеск город принял бюджет дороги мосты школы "
    "больница советники хотят беречь энергию воду тепло перед зимой очень осторожно дети собирают камни возле старых мостов вечером колокола зовут домой",
}


def shifted(text: str, by: int = 3) -> str:
    letters = string.ascii_lowercase
    return text.translate(str.maketrans(letters, letters[by:] + letters[:by]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_are_languages(language: str) -> None:
    assert not is_strange(LANGUAGES[language], SETTINGS)
    assert not is_strange(LANGUAGES[language].title(), SETTINGS)


@pytest.mark.parametrize("by", [1, 2, 3, 5, 8, 25])
def test_letters_in_place_of_others_are_not(by: int) -> None:
    assert is_strange(shifted(ENGLISH, by), SETTINGS)


SENTENCES = 'The 24 letters of 1871 (see p. 3) tell, in Harbour Street\'s own words, what the Mayor said: "bridges, boats & barley"; nobody else did! '


def scrambled(text: str, seed: int, spaces: bool) -> str:
    """The text by a map that gives each character another one that it uses."""
    used = sorted(set(text) - ({" "} if spaces else set()))
    return text.translate({ord(a): used[b] for a, b in zip(used, np.random.default_rng(seed).permutation(len(used)), strict=True)})


@pytest.mark.parametrize("language", ["en", "ru", "pl"])
@pytest.mark.parametrize("spaces", [True, False])
def test_characters_in_place_of_others_are_not(language: str, spaces: bool) -> None:
    text = LANGUAGES[language].capitalize() + " " + SENTENCES + LANGUAGES[language].title()
    assert not is_irregular(text, SETTINGS)
    assert sum(is_strange(scrambled(text, seed, spaces), SETTINGS) for seed in range(8)) >= 6


#: The same sentences in scripts that are judged by their letters, twice, so that they have letters enough.
DECLARED = {
    row["script"]: row["text"] + " " + row["text"]
    for row in csv.DictReader((Path(__file__).parents[1] / "pdf" / "round_trip.tsv").open(encoding="utf-8"), delimiter="\t", quoting=3)
    if row["script"] not in ("Latin", "Japanese", "Chinese", "Korean")
}


@pytest.mark.parametrize("script", DECLARED)
def test_letters_of_each_script_in_place_of_others_are_no_language(script: str) -> None:
    text = DECLARED[script] * 2
    assert holds_script(text)
    assert not is_shuffled(text, SETTINGS)
    wrong = [scrambled(text, seed, spaces=True) for seed in range(10)]
    noticed = sum(is_shuffled(each, SETTINGS) or is_strange(each, SETTINGS) for each in wrong)
    least = {"Greek": 6, "Cyrillic": 4}.get(script, 7)  # of pages, which have more letters, all but few
    assert noticed >= least, f"{noticed} of 10"


def test_vietnamese_is_told_by_its_own_letters() -> None:
    text = LANGUAGES["vi"] * 6
    assert holds_script(text)
    assert not is_shuffled(text, SETTINGS)
    assert not is_shuffled(text.upper(), SETTINGS)
    assert sum(is_shuffled(scrambled(text, seed, spaces=True), SETTINGS) for seed in range(10)) >= 7


def test_greek_letters_of_formulas_are_no_greek() -> None:
    assert not holds_script("where “α = β” and λ < μ; " * 300)
    assert not is_shuffled("λ ω ξ ψ ζ φ χ ρ σ β γ δ μ " * 300, SETTINGS)


def test_fonts_with_little_text_are_doubted_together_beside_one_that_is() -> None:
    """A page whose fonts are each too short to tell but the first, all by wrong maps or all but the first by right ones."""

    def count(texts: list[str]) -> int:
        looks = [FontStyle(f"F{place}", 10.0, False, False, False, 0) for place in range(len(texts))]
        lines = [TextLine(text, 0, 0, 100, 10, 8, place, ((0, place),)) for place, text in enumerate(texts)]
        return count_strange(lines, looks, SETTINGS)

    words = ENGLISH.split()
    short = [" ".join(words[first : first + 20]) for first in range(0, 60, 20)]
    strange = shifted(ENGLISH)
    assert count([strange, *map(shifted, short)]) == len(strange) + sum(map(len, short))
    assert count([strange, *short]) == len(strange)
    assert count([ENGLISH, *map(shifted, short)]) == 0


def test_few_letters_of_a_script_say_nothing() -> None:
    assert not is_shuffled(scrambled(DECLARED["Thai"][:150], 1, spaces=True), SETTINGS)
    assert not holds_script("nothing of the kind: “šķērsām”")


def test_small_letters_with_accents_in_place_of_plain_ones_are_not() -> None:
    accented = filter(str.islower, map(chr, range(0x100, 0x180)))
    text = ENGLISH.translate(dict(zip(map(ord, string.ascii_lowercase), accented, strict=False)))
    lines = [TextLine(text, 0, 0, 100, 10, 8, 0, ((0, 0),))]
    assert count_strange(lines, [FontStyle("Serif", 10.0)], SETTINGS) == len(text)


def test_pages_with_few_words_of_a_font_tell_together() -> None:
    styles = [FontStyle("Serif", 10.0), FontStyle("Odd", 10.0)]
    good, bad = ENGLISH.split(), shifted(ENGLISH).split()
    pages = [
        [TextLine(" ".join(words[first : first + 12]), 0, 0, 100, 10, 8, style, ((0, style),)) for style, words in enumerate((good, bad))]
        for first in range(0, len(good), 12)
    ]
    assert not any(count_strange(lines, styles, SETTINGS) for lines in pages)
    assert strange_fonts([(lines, styles) for lines in pages], SETTINGS) == {"Odd"}


def test_program_text_formulas_and_keys_are_regular_enough() -> None:
    code = "".join(
        f'for each_{word} in self.{word}s[{n}:]: print(f"{{{word}!r}}", file=sys.{word}, end="") # {word}()\n'
        for n, word in enumerate(ENGLISH.split())
    )
    formulas = " ".join(f"f({n},x)=a{n}*x^{n}+b_{n}/(1-x)" for n in range(80))
    random = np.random.default_rng(1)
    key = "\n".join(base64.b64encode(random.bytes(48)).decode() for _ in range(40))
    dump = "\n".join(random.bytes(16).hex(" ") + " " + random.bytes(8).hex() for _ in range(60))
    leaders = "\n".join(f"{word.title()} {'.' * 60} {n}" for n, word in enumerate(ENGLISH.split()))
    assert not any(is_strange(text, SETTINGS) for text in (code, formulas, leaders))
    assert not any(is_irregular_code(text, SETTINGS) for text in (code, formulas, key, dump, leaders))
    assert is_irregular_code(scrambled(ENGLISH.capitalize() + SENTENCES + ENGLISH.title(), 1, spaces=True), SETTINGS)


def test_lists_of_hashes_say_nothing() -> None:
    random = np.random.default_rng(2)
    hashes = [random.bytes(20).hex() for _ in range(40)]
    keys = [f"{{{one[:8]}-{one[8:12]}-{one[12:16]}-{one[16:20]}-{one[20:32]}}}".upper() for one in hashes]
    assert not any(is_strange("\n".join(f"• {each}" for each in listed), SETTINGS) for listed in (hashes, keys))


def test_other_scripts_are_not_asked() -> None:
    assert not is_irregular("接：栏从易理从：能易缺、致所：易身想易理反了接能：了从接：w接单能 " * 40, SETTINGS)


def test_russian_read_as_western_is_not() -> None:
    assert is_strange(LANGUAGES["ru"].encode("cp1251").decode("latin-1"), SETTINGS)


def test_codes_program_text_and_few_words_say_nothing() -> None:
    assert not is_strange(" ".join(f"XKCD{n:03} BRT-{n} qwrt{n}x HTMLSVG kPa mmHg" for n in range(200)), SETTINGS)
    assert not is_strange(" ".join(shifted(ENGLISH).split()[:30]), SETTINGS)
    lines = [TextLine(shifted(ENGLISH), 0, 0, 100, 10, 8, 0, ((0, 0),))]
    assert count_strange(lines, [FontStyle("Courier", 10.0, monospaced=True)], SETTINGS) == 0
    assert count_strange(lines, [FontStyle("Times", 10.0)], SETTINGS) == len(lines[0].text)


def test_only_the_font_with_the_wrong_map_counts() -> None:
    lines = [TextLine(text, 0, 0, 100, 10, 8, style, ((0, style),)) for style, text in enumerate((ENGLISH, shifted(ENGLISH)))]
    assert count_strange(lines, [FontStyle("Right", 10.0), FontStyle("Wrong", 10.0)], SETTINGS) == len(ENGLISH)


def test_a_page_of_a_wrong_map_wants_recognition() -> None:
    rows = [ENGLISH[at : at + 60] for at in range(0, len(ENGLISH), 60)]
    codes = {ord(character): shifted(character) for character in set(ENGLISH)}
    shown = " ".join(f"<{''.join(f'{ord(character):04x}' for character in row)}> Tj 0 -12 Td" for row in rows)
    page = find_lines(read(mapped_page(f"BT /F1 8 Tf 10 180 Td {shown} ET", codes)))
    assert needs_ocr(page)
    right = find_lines(read(mapped_page(f"BT /F1 8 Tf 10 180 Td {shown} ET", {code: chr(code) for code in codes})))
    assert not needs_ocr(right)
