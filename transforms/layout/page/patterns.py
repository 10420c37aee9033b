"""Recognise the meaning of a line by its characters: numbering, bullets, captions, lines of contents, ends of sentences.
The words of each language are in `transforms/language/languages/`."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from pdfmill.transforms.language.language_words import alternatives, languages

_CHAPTER: Final = alternatives(lambda language: language.chapter)
_NUMERALS: Final = "".join(sorted({sign for language in languages().values() for sign in language.numerals}))
#: Number of a chapter between characters: "第3章".
_AROUND: Final = "|".join(
    rf"{re.escape(before)}\s*[\d{_NUMERALS}]+\s*{re.escape(behind)}"
    for before, behind in sorted({pair for language in languages().values() for pair in language.around_chapter})
)
#: Beginning of a numbered heading: "2.3.1 Title", "2-3- Title", "A.2 Title", "Chapter 4. Title", "IV. Title", "§ 5", "第3章".
NUMBERED: Final = re.compile(
    rf"^(?:(?P<word>{_CHAPTER})\s+)?(?:§\s*)?(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{0,6}}|\d{{1,3}}(?:-\d{{1,3}}){{1,5}}(?=-\s)|[A-Z](?:\.\d{{1,3}}){{0,5}}|[IVXLC]{{1,6}})(?P<mark>[.):-]?)(?P<space>\s+|$)(?=\S|$)",
    re.IGNORECASE,
)
CHAPTER_ONLY: Final = re.compile(rf"^(?:{_CHAPTER})\s+(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})\s*[.:]?$|^(?:{_AROUND})$", re.IGNORECASE)
#: One or two words with a number, and possibly a remark: "PRINCIPLE 1", "Success criterion 1.1.1 (Level A)", "Lesson IV".
LABEL: Final = re.compile(r"^[^\W\d_]{2,}(?:\s+[^\W\d_]{2,})?\s+(?:\d{1,3}(?:\.\d{1,3}){0,4}|[IVXLC]{1,6})\s*[.:]?(?:\s*\([^()]{1,20}\))?$")
#: Bullets whose UTF-8 was decoded as Windows-1252 before the PDF was made: "â€¢", "Â·", and "ï‚·" of Symbol.
_MISREAD: Final = "|".join(re.escape(bullet.encode().decode("cp1252")) for bullet in "•◦▪▫■□‣·‧➢✓✔★☆\uf0b7\uf0a7\uf0d8\uf0fc")
#: Signs before a list item, and those of them that have no other use, after which no space is needed.
_SIGNS: Final = (
    r"•◦▪▫■□●○‣⁃∙·‧➢➤►▶▸✓✔❖◆◇★☆→⇒»–—\-*∗\ue000-\uf8ff\ufffd\u25a0-\u25ff\u26ab\u2713-\u2756\u2794-\u27be\u2b00-\u2bff\u2981\u29bf"
    r"\U0001f780-\U0001f7d8"
)
_SURE_SIGNS: Final = r"•◦▪■●○‣➢➤►❖◆→⇒\ue000-\uf8ff"
BULLET: Final = re.compile(rf"^(?:{_MISREAD})\s*\S|^[{_SIGNS}]\s+\S|^[{_SURE_SIGNS}]")
BULLET_ALONE: Final = re.compile(rf"^[{_SIGNS}]$")
#: A bullet with the space after it, in text that is known to be an item; a minus is one too.
ITEM_BULLET: Final = re.compile(rf"(?:{_MISREAD})\s*|[{_SIGNS}−]\s+|[{_SURE_SIGNS}]\s*")
ENUMERATOR: Final = re.compile(
    r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{2,5}|[IVXLC]{2,5})[.)]|\[\d{1,3}\])(?=\s+\S|$)|^(?:\d{1,2}[、．]|\d{1,2}\.(?!\d)|[①-⑳])\s*\S"
)
#: First code point of kana, after which Chinese characters follow.
_FIRST_IDEOGRAPHIC: Final = "\u3040"
#: Share of kana and Chinese characters among letters, from which a text has no spaces; it may contain names in other scripts.
_UNSPACED_SHARE: Final = 0.4
#: Bullets that are also dashes, footnote marks or other signs.
WEAK_BULLETS: Final = frozenset("-–—*∗»→⇒☆★")
CAPTION: Final = re.compile(
    rf"^(?:{alternatives(lambda language: language.caption)})\s*(?:\d|[A-Z]?[.\-–]?\d|[IVXLC]+\b)",
    re.IGNORECASE,
)
#: Rest of a caption's number after its first digit: "2.1", "7-26a", "3 (b)".
_CAPTION_NUMBER: Final = re.compile(r"[\dIVXLC]*(?:[.\-–—]\d+)*[A-Za-z]?\b\)?(?:\s?\([A-Za-z]\))?")
_CAPTION_MARK: Final = re.compile(r"\s?[.:|–—\-)．：、]|\s*$")
_DRAWN_RULE: Final = re.compile(r"^(?:[_=~*\-–—]\s?){6,}$")
#: Smallest number of dots that lead to a page number.
_LEADERS: Final = 4
#: Signs other than full stops that lead to a page number.
_OTHER_LEADERS: Final = "·…‧"
_CONTENTS_LINE: Final = re.compile(
    r"(?:[.·…‧]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,6}|[IVXLC]{1,6}|[A-Z]-?\d{1,3})$|(?:[.·‧]\s?){6,}$|…{2,}\s*\d*$"
)
_PAGE_END: Final = re.compile(r"[^\W\d]\S*\s+(?:\d{1,4}|[ivxlc]{1,6})$")
_ENDS_SENTENCE: Final = re.compile(r"[.!?:;。！？：؟۔…][)\]\"'”’»›」』]*$")
#: Last characters of texts that `_ENDS_SENTENCE` matches.
_LAST_OF_SENTENCE: Final = frozenset(".!?:;。！？：؟۔…)]\"'”’»›」』")
ENDS_STOP: Final = re.compile(r"[.。۔][)\]\"'”’»]*$")
FOOTNOTE_MARK: Final = re.compile(r"^(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z]\)|[¹²³⁴⁵⁶⁷⁸⁹⁰]+|\(\d{1,2}\)|\[\d{1,2}\])\s*\S")
_ENDING: Final = re.compile(r"(?:(?<=[\s.…])|^)(?:\d{1,4}|[ivxlc]{1,6})$")
_ENTRY_END: Final = re.compile(r"(?:\s*[.·…‧_]){2,}\s*\S*$|\s+(?:\d{1,4}|[ivxlc]{1,6})$")
_ROMAN: Final = re.compile(r"(?=.)(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
ROMAN_VALUES: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_DIGITS: Final = re.compile(r"\d+")
#: Three letters, or three characters of scripts whose vowel signs stand between letters (Devanagari to Burmese, Khmer).
_WORD: Final = re.compile("[^\\W\\d_\U0001d400-\U0001d7ff]{3,}|[\u0900-\u109f\u1780-\u17ff]{3,}")

_ABSTRACTS: Final = frozenset(
    "".join(filter(str.isalnum, word)).casefold() for language in languages().values() for word in language.abstract
)
_CONTENTS: Final = frozenset(
    "".join(filter(str.isalpha, word)).casefold() for language in languages().values() for word in language.contents
)
#: Letters of the longest heading of contents, and length of text that is examined for it.
_CONTENTS_LETTERS: Final = max(map(len, _CONTENTS))
_LONG_HEAD: Final = 2 * _CONTENTS_LETTERS
#: Page number beside a running head.
_BESIDE_HEAD: Final = re.compile(r"^(?:\d+|[ivxlc]+)\b|\b(?:\d+|[ivxlc]+)$")

#: Two letters, the second of which is in no Roman numeral. Text that begins so, as most lines do, has no enumerator.
_BEGINS_WORD: Final = re.compile("[A-Za-z](?![ivxlcIVXLC])[A-Za-z]")

#: Texts whose results are cached, because several functions are called for the same line.
_KEPT: Final = 4096


@lru_cache(_KEPT)
def numbering_depth(text: str) -> int:
    """Return the number of parts of a heading's number, 0 without one: "2.3.1 Title" -> 3, "Chapter 4 Title" -> 1, "A house" -> 0."""
    match = NUMBERED.match(text)
    if match is None:
        return 0
    number = match["number"]
    if number.isdigit() or "." in number or "-" in number:
        if not number.isdigit() or match["mark"] or match["word"] or len(number) <= 2:
            return number.count(".") + number.count("-") + 1
        return 0
    if match["word"] or (match["mark"] and number.isupper()):
        return 1
    return 0


def is_abstract(text: str) -> bool:
    """Return whether the text is the heading of an abstract or a summary: "Abstract", "A B S T R A C T", "Zusammenfassung:"."""
    return "".join(filter(str.isalnum, text)).casefold() in _ABSTRACTS


def names_contents(text: str) -> bool:
    """Return whether the text is the heading of a table of contents, or the running head above one.

    >>> names_contents("C O N T E N T S"), names_contents("iv Contents"), names_contents("Contents of the box")
    (True, True, False)
    """
    text = text.strip()
    if sum(map(str.isalpha, text.strip("ivxlc")[:_LONG_HEAD])) > _CONTENTS_LETTERS:  # most lines are longer
        return False
    return "".join(filter(str.isalpha, _BESIDE_HEAD.sub("", text))).casefold() in _CONTENTS


def is_contents_line(text: str) -> bool:
    """Return whether the text leads to a page number by dots, or ends in such dots."""
    if text.count(".") < _LEADERS and (text.isascii() or not any(sign in text for sign in _OTHER_LEADERS)):
        return False
    return bool(_CONTENTS_LINE.search(text))


def ends_in_page_number(text: str) -> bool:
    """Return whether the text has words and then a number that may be a page number: "Holdings 4", "Preface xii"."""
    return bool(_PAGE_END.search(text))


def ending_number(text: str) -> tuple[int, bool] | None:
    """Return the page number at the end of an entry of a table of contents, and whether it is Roman; None if there is none.

    >>> ending_number("Holdings 14"), ending_number("xii"), ending_number("in 2014.")
    ((14, False), (12, True), None)
    """
    match = _ENDING.search(text)
    if match is None:
        return None
    number = match[0]
    return (int(number), False) if number.isdecimal() else (roman_value(number.upper()), True)


def entry_title(text: str) -> str:
    """Return the title of an entry in a table of contents, without leader dots and page number.

    >>> entry_title("2.1 The Flood . . . . . 14"), entry_title("Holdings 4")
    ('2.1 The Flood', 'Holdings')
    """
    return _ENTRY_END.sub("", text).strip()


@lru_cache(_KEPT)
def title_key(text: str) -> str:
    """Return the letters and digits of a title without its number, case-folded: "2.1 The Flood" and "The flood" have the same key."""
    match = NUMBERED.match(text)
    rest = text[match.end() :] if match and numbering_depth(text) else text
    return "".join(filter(str.isalnum, rest.casefold()))


@lru_cache(_KEPT)
def mask_digits(text: str) -> str:
    """Replace each run of digits by `#`, and fold case: "Page 12 of 80" -> "page # of #"."""
    return _DIGITS.sub("#", text).casefold()


def ends_sentence(text: str) -> bool:
    """Return whether the text ends with the end of a sentence, or with quotation marks or brackets behind one."""
    return text[-1:] in _LAST_OF_SENTENCE and _ENDS_SENTENCE.search(text) is not None  # most lines end in a letter


def first_letter(text: str) -> str:
    """Return the first letter of the text; "" if there is none, or a digit before it."""
    for character in text:
        if character.isalpha():
            return character
        if character.isdigit():
            return ""
    return ""


def starts_lower(text: str) -> bool:
    """Return whether the first letter of the text is a small letter, with no digit before it. False for scripts without case."""
    return first_letter(text).islower()


def names_figure(text: str) -> bool:
    """Return whether the text begins as captions do, and not as sentences about figures: "Table 1. Rivers", "Table 1 Rivers", but not
    "Table 1 gives".

    >>> names_figure("Figure 7-26. A barge"), names_figure("Figure 3 shows that")
    (True, False)
    """
    match = CAPTION.match(text)
    if match is None:
        return False
    number = _CAPTION_NUMBER.match(text, match.end())
    rest = text[number.end() if number else match.end() :]
    if _CAPTION_MARK.match(rest):
        return True
    word = rest.lstrip()[:1]
    return rest[:1].isspace() and not word.islower()


@lru_cache(_KEPT)
def is_list_start(text: str) -> bool:
    """Return whether the text begins with a bullet or an enumerator."""
    return not _BEGINS_WORD.match(text) and bool(BULLET.match(text) or ENUMERATOR.match(text) or BULLET_ALONE.match(text))


def is_drawn_rule(text: str) -> bool:
    """Return whether the text is a line drawn with characters: "________", "- - - - -"."""
    return not text[:1].isalnum() and bool(_DRAWN_RULE.match(text))


def is_unspaced(text: str) -> bool:
    """Return whether the text is mostly in a script written without spaces."""
    start = text[:24]
    if start.isascii() or max(start) < _FIRST_IDEOGRAPHIC:
        return False
    letters = sum(map(str.isalpha, start))
    return sum(map(is_ideographic, start)) > _UNSPACED_SHARE * letters


def is_ideographic(character: str) -> bool:
    """Return whether the character is kana or a Chinese character."""
    return _FIRST_IDEOGRAPHIC <= character <= "\u9fff"


@lru_cache(_KEPT)
def number_of(text: str) -> tuple[int, ...]:
    """Return the parts of a heading's number in Arabic digits: "2.3.1 Title" -> (2, 3, 1); () for all other texts."""
    match = NUMBERED.match(text)
    parts = re.split("[.-]", match["number"]) if match else []
    return tuple(int(part) for part in parts) if parts and all(map(str.isdecimal, parts)) else ()


def number_kinds(text: str) -> dict[str, int]:
    """Return the possible values of a heading's number by kind (arabic, roman, letter): "V. Title" is Roman 5 or letter 22.
    {} for numbers of several parts, and for texts without a number."""
    match = NUMBERED.match(text)
    number = match["number"].upper() if match else ""
    if number.isdecimal():
        return {"arabic": int(number)}
    kinds = {"letter": ord(number) - ord("A") + 1} if len(number) == 1 else {}
    if _ROMAN.fullmatch(number):
        kinds["roman"] = roman_value(number)
    return kinds


def roman_value(number: str) -> int:
    """Return the value of a Roman numeral in capitals, even if it is irregular (IIII)."""
    values = [ROMAN_VALUES[letter] for letter in number]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def is_formula(text: str) -> bool:
    """Return whether the text has mathematical signs or letters and at most one word."""
    if text.isascii():
        return "=" in text and len(_WORD.findall(text)) < 2
    signs = any((unicodedata.category(c) == "Sm" and c not in "+|~<>") or "\U0001d400" <= c <= "\U0001d7ff" for c in set(text))
    return signs and len(_WORD.findall(text)) < 2


def count_words(text: str) -> int:
    """Return the number of words of at least three letters."""
    return len(_WORD.findall(text))


def is_open(text: str) -> bool:
    """Return whether the brackets of the text are unbalanced, because one is opened or closed on another line."""
    return text.count("(") != text.count(")") and not ENUMERATOR.match(text)
