"""Every threshold between glyphs and lines: name, unit, default, reason. An em is the font size of the glyphs at hand."""

from __future__ import annotations

from msgspec import Struct


class TextSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Defaults of the text layer."""

    baseline_drift: float = 0.08  # em; baselines of one fragment differ by less (skewed scans, hinting)
    baseline_join: float = 0.2  # em; fragments of one line differ by less; leading is 1 em and more
    backward: float = 0.6  # em; the pen going back further begins a new fragment (kerning goes back 0.3 at most)
    interleaved: float = 0.3  # em; kerning overlaps less: a fragment that begins further inside another one fills its holes
    word_gap: float = 0.12  # em; between the widest kerning (0.1) and the narrowest justified space (0.16)
    drawn_space: float = 0.05  # em; a space glyph counts when it leaves such a gap (some producers kern it away)
    letter_spacing: float = 0.04  # em; a line whose median gap is wider is spaced out, and the median comes on top of `word_gap`
    most_spacing: float = 1.2  # em; where most gaps are wider, single digits stand in columns (the widest spacing of titles is 1)
    spacing_glyphs: int = 5  # glyphs; fewer tell nothing about spacing
    unspaced_gap: float = 0.6  # em; between Chinese or Japanese characters justification leaves smaller gaps
    unspaced_share: float = 0.2  # x the pairs of them on a baseline; more gaps than this are justification, fewer are spaces
    spaced_out: float = 0.45  # em; letters spaced out within a line stand nearer than that (usual are 0.1 to 0.3)
    spaced_equal: float = 0.02  # em; and equally far apart, up to rounding
    squeezed: float = 0.3  # em; mean advance of a line, which the narrowest fonts do not go below: less is scaled
    squeezed_glyphs: int = 10  # glyphs; fewer tell no mean advance
    copy_offset: float = 0.3  # em; shadows and fake bold lie nearer to their text (bold 0.03, shadows 0.1)
    copy_share: float = 0.4  # x the text's own width and height; what is written twice in a row begins at its end
    copy_level: float = 0.02  # em; off its line by more, a letter is not the next one of a word
    copy_drift: float = 0.05  # em; all glyphs of a copy lie as far from their text, up to rounding
    copies: int = 64  # text objects of one text; more on a page are dots and rows of a table
    column_gap: float = 0.9  # em; drawn out of sequence, a wider gap is a gutter (narrowest gutters have 1.0)
    tab_gap: float = 2.5  # em; drawn in sequence, a wider gap ends the line (justified spaces reach 2)
    tab_ratio: float = 2.2  # x the line's own usual word gap, which must also be exceeded
    raised_size: float = 0.85  # x the size of the line; superscripts are smaller than it
    raised_least: float = 0.42  # x; what is smaller does not belong to a larger glyph (two-line dropped capitals are 2.6 em)
    raised_up: float = 0.65  # em of the line; superscripts stand at most so far above its baseline
    raised_down: float = 0.45  # em of the line; subscripts below
    raised_within: float = 2.0  # em of the line; so far it may reach into what it belongs to: over a letter, on both its sides
    raised_between: float = 1.2  # em; rise or fall of what was drawn between two pieces of a baseline
    formula_pieces: int = 7  # fragments between two pieces of a baseline (a sum with its limits has up to 6)
    shifted_glyphs: int = 2  # glyphs of what stands higher or lower within a word at full size (the E of TeX)
    shifted_by: float = 0.45  # em; at most so much
    dropped_size: float = 1.8  # x the size of the line; a dropped capital is at least so large
    dropped_glyphs: int = 2  # glyphs of a dropped capital at most (an opening quote may stand with it)
    dropped_top: float = 0.5  # em of the line; its top and the line's differ by less
    dropped_reach: float = 0.25  # em of the capital; the line begins so near to it
    fraction_length: float = 12.0  # x the page's largest type; longer rules part more than numerator and denominator
    fraction_stroke: float = 1.5  # points; bars are thinner
    fraction_edge: float = 0.3  # em; so far numerator and denominator may reach over their bar
    fraction_over: float = 0.7  # em; from a numerator's baseline to the bar (with a descender 0.5)
    fraction_under: tuple[float, float] = (0.4, 1.4)  # em; from the bar to a denominator's baseline (0.7 to 1.1)
    fraction_axis: tuple[float, float] = (0.1, 0.5)  # em; from the bar to the baseline of the line it is in (TeX has 0.25)
    fraction_reach: float = 1.0  # em; from the bar to the text beside it
    fraction_apart: float = 0.9  # em; glyphs of one line with baselines so far apart are numerator and denominator: words of their own
    accent_over: float = 0.5  # x the narrower one's width; so much of an accent lies over its letter (beside it, nothing does)
    mark_reach: float = 0.35  # em; the middle of a mark lies so near to the box of its letter (tanwin leans over beside its alef)
    mark_over: float = 0.1  # em; so near it lies over it, and no other letter is looked for
    mark_width: float = 0.2  # em; a narrower mark has no advance of its own (marks of text faces have none, some have their ink's)
    mark_raised: float = 0.6  # em; its pen is at most so far above or below the letter's (over capitals and tall letters)
    symbol_raised: float = 1.2  # em; the same of an arrow over a letter, which stands on a baseline of its own above it
    strange_glance: float = (
        0.04  # of a page's words; with fewer that have no vowel or several accents in a row, no font is looked at more closely
    )
    strange_words: int = 40  # distinct words of a font on a page; fewer say nothing of its map
    strange_share: float = 0.25  # of them; in no language so many are mostly accents, or have capitals inside
    strange_signs: float = 0.5  # of its strings have a sign within; of 240 honest fonts only those of program text have more than .45
    strange_turns: float = 1.15  # x chance; of 2,100 pages in 19 languages the least are 1.24, letters in place of others have 1.06
    strange_small: float = 0.5  # share of a page's characters that are small letters, from which no more is asked; of text .7 and more are
    strange_length: int = 300  # characters of a font's different strings on a page; fewer say nothing
    irregular: float = 0.5  # of these that are words or numbers; of text .9 and more are, of program text .2 to .8
    irregular_few: float = 0.2  # the same, from which program text is rare
    irregular_turns: float = 1.25  # x chance, for text with so few that are words or numbers
    irregular_few_turns: float = 1.37  # the same with hardly any; of program text it is 1.38 and more
    irregular_key: float = 0.75  # share of letters of text of one width; keys of base 64 have .81
    irregular_code: float = 0.2  # of text of one width that is words or numbers
    irregular_pieces: int = 20  # of letters in it
    irregular_kinds: int = 30  # different characters of it, capitals or not; figures of base 16 have 17
    irregular_closed: float = 0.9  # of the brackets that are opened are closed in formulas
    irregular_bare: float = 0.45  # share of letters of text with fewer, from which it is no program text
    shuffled_letters: int = 250  # of one script; fewer tell no frequencies
    shuffled_kinds: int = 12  # different ones of them
    shuffled_rarity: float = 0.3  # logarithm of places; pieces of texts in 60 languages have .27 at most, half of shuffled ones .4 and more
    shuffled_beside: float = 0.15  # the same of the other fonts of a page together, where one is by a wrong map
    shuffled_inner: float = 0.5  # of it for letters within words that only end words, where all are so (of honest ones .05 are)
    shuffled_loose: float = (
        5.0  # of it for signs without their letter, where all are so (of honest ones .01 are, of shuffled ones .02 to .2)
    )
    shuffled_most: float = 0.25  # of it for all such signs: pages whose marks are out of order have true letters
    shuffled_few: int = 8  # of such letters or signs; fewer tell no share
    capital_height: float = 0.7  # em; of capitals in most fonts
    note_mark: int = 3  # glyphs; a raised mark at the beginning of a line is a word of its own up to this length
    raised_reach: float = 0.5  # em of the line; horizontal distance to what it belongs to
