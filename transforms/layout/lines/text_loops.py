"""Loops over the characters of a page's text.

They are compiled by Cython with the types of `text_loops.pxd`, or run as Python if nothing is compiled.
"""

from __future__ import annotations

#: Smallest number of letters of a word without a vowel, and of accented letters in a row, that are counted.
CONSONANTS, ACCENTED = 4, 3


def count_odd(text: str, signs: str) -> int:
    r"""Return the number of patterns that are frequent under a wrong character map: words of `CONSONANTS` or more small letters without a
    vowel; words with two changes from small letter to capital; strings with one of `signs` inside a word; runs of `ACCENTED` or more
    accented letters (Latin-1). Words match `\w`, strings `\S` of `re`."""
    found = 0
    plain = 0  # consonants of the word so far, while it has nothing else
    mixed = False  # it has
    turns = 0
    accents = 0
    stage = 0  # of the string: 1 behind a word's character, 2 behind a sign after that, 3 counted
    small = False  # the last character is a small letter from a to z
    for sign in text:
        if "a" <= sign <= "z" or "A" <= sign <= "Z" or "0" <= sign <= "9" or sign == "_":
            in_word = True
        else:
            in_word = sign > "\x7f" and sign.isalnum()
        if in_word:
            if "a" <= sign <= "z":
                if sign == "a" or sign == "e" or sign == "i" or sign == "o" or sign == "u" or sign == "y":
                    mixed = True
                else:
                    plain += 1
                small = True
            else:
                mixed = True
                if small and "A" <= sign <= "Z":
                    turns += 1
                small = False
            if stage == 0:
                stage = 1
            elif stage == 2:
                stage = 3
                found += 1
        else:
            if plain >= CONSONANTS and not mixed:
                found += 1
            if turns > 1:
                found += 1
            plain = turns = 0
            mixed = small = False
            if sign == " " or sign == "\n" or sign.isspace():
                stage = 0
            elif stage == 1:
                stage = 2 if sign in signs else 0
        if "\xc0" <= sign <= "\xff" and sign != "\xd7" and sign != "\xf7":
            accents += 1
        else:
            if accents >= ACCENTED:
                found += 1
            accents = 0
    if plain >= CONSONANTS and not mixed:
        found += 1
    if turns > 1:
        found += 1
    if accents >= ACCENTED:
        found += 1
    return found
