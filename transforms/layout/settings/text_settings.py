"""The thresholds for building text lines from glyphs: name, default, unit and reason of each. An em is the font size."""

from __future__ import annotations

from msgspec import Struct


class TextSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds for building lines and words from glyphs."""

    baseline_drift: float = 0.08  # em; baselines of one fragment differ by less (skewed scans, hinting)
    baseline_join: float = 0.2  # em; fragments of one line differ by less; leading is 1 em and more
    backward: float = 0.6  # em; the pen going back further begins a new fragment (kerning goes back 0.3 at most)
    interleaved: float = 0.3  # em; overlap from which a fragment inside another one fills its gaps; kerning overlaps less
    word_gap: float = 0.12  # em; between the widest kerning (0.1) and the narrowest justified space (0.16)
    drawn_space: float = 0.05  # em; a space glyph counts when it leaves such a gap (some producers kern it away)
    letter_spacing: float = 0.04  # em; median gap from which a line is letterspaced; the median is then added to `word_gap`
    most_spacing: float = 1.2  # em; median gap from which single digits are in columns (the widest spacing of titles is 1)
    spacing_glyphs: int = 5  # glyphs from which letter spacing and mean advance are measured
    unspaced_share: float = 0.2  # share of pairs of them on a baseline with a gap, from which gaps are justification and not spaces
    spaced_out: float = 0.45  # em; largest gap between letters of a word that is letterspaced within a line (usual are 0.1 to 0.3)
    spaced_equal: float = 0.02  # em; largest difference of equal gaps and baselines, which is rounding
    squeezed: float = 0.3  # em; smallest mean advance of a line, as in the narrowest fonts; below it type is scaled
    copy_offset: float = 0.3  # em; shadows and fake bold lie nearer to their text (bold 0.03, shadows 0.1)
    copy_share: float = 0.4  # largest offset of a copy, share of the text's width and height; text written twice in a row begins at its end
    copies: int = 64  # text objects with one text; more on a page are dots and rows of a table
    column_gap: float = 0.75  # em; drawn out of sequence, a wider gap is a gutter (the narrowest, TeX's 10 pt in 12 pt type, have 0.83)
    margin_lines: int = 4  # smallest number of other texts that begin where a text begins, from which this is the margin of a column
    tab_gap: float = 2.5  # em; drawn in sequence, a wider gap ends the line (justified spaces reach 2)
    tab_ratio: float = 2.2  # x the line's own usual word gap, which must also be exceeded
    raised_size: float = 0.85  # x the size of the line; superscripts are smaller than it
    raised_least: float = 0.42  # smallest ratio to the size of the larger glyph beside it (two-line drop capitals are 2.6 em)
    raised_up: float = 0.65  # em of the line; largest distance of superscripts above its baseline
    raised_down: float = 0.45  # em of the line; largest distance of subscripts below it, and largest shift of glyphs within a word
    raised_within: float = 2.0  # em of the line; largest overlap with the text that it belongs to: over a letter, on both its sides
    raised_between: float = 1.2  # em; largest rise or fall of text that was drawn between two parts of a baseline
    formula_pieces: int = 7  # most fragments between two parts of a baseline (a sum with its limits has up to 6)
    few_glyphs: int = 2  # most glyphs of a drop capital, or of a piece that is set higher or lower within a word (the E of TeX)
    dropped_size: float = 1.8  # smallest ratio of a drop capital's size to that of the line
    accent_over: float = 0.5  # smallest overlap of an accent and its letter, share of the narrower one's width
    mark_reach: float = 0.35  # em; largest distance of a mark's middle from its letter's box (tanwin leans over beside its alef)
    mark_over: float = 0.1  # em; distance up to which no other letter is considered
    mark_width: float = 0.2  # em; narrower marks have no advance of their own
    mark_raised: float = 0.6  # em; largest vertical distance of its pen from the letter's (over capitals and tall letters); half an arrow's
    strange_glance: float = 0.04  # share of a page's words without a vowel or with several accents in a row, below which no font is judged
    strange_words: int = 40  # smallest number of distinct words of a font on a page from which its map is judged
    strange_share: float = 0.25  # share of words that are mostly accents or have capitals inside, from which text is in no language
    strange_turns: float = 1.15  # ratio of alternating vowels and consonants to chance; languages have 1.24 and more, wrong maps 1.06
    strange_length: int = 300  # characters in distinct strings of a font on a page from which it is judged
    irregular: float = 0.5  # share of these characters in words or numbers, below which text is irregular; most text has .9, code .2 to .8
    irregular_few: float = 0.2  # the same share, below which it is rarely program text
    irregular_turns: float = 1.25  # ratio to random order of vowels and consonants, below which irregular text is in no language
    irregular_few_turns: float = 1.37  # the same ratio below `irregular_few`; program text has 1.38 and more
    irregular_key: float = 0.75  # largest share of letters in monospaced text that is judged; base-64 keys have .81
    irregular_kinds: int = 30  # smallest number of distinct characters in it, ignoring case; hexadecimal digits have 17
    irregular_closed: float = 0.9  # share of opening brackets that are closed, from which text is formulas
    irregular_bare: float = 0.45  # share of letters below which text is not program text
    shuffled_letters: int = 250  # smallest number of letters of a script from which frequencies are judged
    shuffled_kinds: int = 12  # smallest number of distinct ones among them
    shuffled_rarity: float = 0.3  # mean log rank above the usual; texts in 60 languages have at most .27, half of shuffled ones .4
    shuffled_loose: float = 5.0  # the same for signs without a letter (.01 of them in right text, .02 to .2 in shuffled text)
    shuffled_most: float = 0.25  # most that is added for all such signs, because pages with marks out of order have right letters
    shuffled_few: int = 8  # smallest number of such letters or signs from which a share is computed
    note_mark: int = 3  # most glyphs of a raised mark at the beginning of a line that is a word of its own
    raised_reach: float = 0.5  # em of the line; largest horizontal distance to the text that it belongs to
