"""The thresholds of the layout analysis: name, default, unit and reason of each. Lengths in em are multiples of the font size.
"Swept" means that the quality on annotated documents (`make quality`) hardly changes in a range around the default."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct, field

from pdfmill.transforms.layout.settings.table_settings import TableSettings


class HyphenMode(Enum):
    """What the layout does with hyphens at line ends."""

    OFF = "off"  # every line end becomes a space
    SOFT = "soft"  # only soft hyphens (U+00AD) are dropped
    ON = "on"  # other hyphens are dropped too if that gives a word


class LayoutSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds of the layout analysis. Lengths are in points unless the comment states another unit."""

    # Text
    hyphens: HyphenMode = HyphenMode.ON  # what becomes of a hyphen at a line's end
    keep_furniture: bool = False  # running heads and page numbers stay in `pages.text`

    # Reasons
    explain: bool = False  # keep with each page which rule decided what about its lines (`pdfmill.schemas.records.Decision`)

    # Lines
    same_size: float = 0.03  # relative difference of font sizes that count as equal (rounding by 0.1 pt at 6 pt gives 0.02)
    same_row: float = 0.5  # vertical overlap, share of the lower line, that puts two lines on one row
    same_baseline: float = 0.4  # em; baselines closer than that are one row: superscripts, mixed sizes
    near_size: float = 0.2  # points; difference of sizes that count as equal in one group of lines: scaled type differs by .1 or .2
    small_caps: float = 0.3  # relative difference of sizes of small capitals and their capitals, which are .7 to .8 of them
    edge_slack: float = 1.0  # points; largest distance of edges that count as equal: boxes of glyphs are rounded
    same_place: float = 0.3  # em; largest distance of starts, ends, middles or heights that count as equal (kerning is smaller)
    neighbour_overlap: float = 0.1  # smallest horizontal overlap of neighbouring lines, share of the narrower line
    neighbour_lower: float = 0.25  # em of the smaller type; smallest distance of the baselines of two lines; a smaller one is raised text
    column_overlap: float = 0.5  # smallest horizontal overlap of two lines in one column, share of the narrower line
    margin_share: float = 0.2  # share of a column's lines that begin before its margin, because they hang out, or end after its limit
    max_pairs_lines: int = 1500  # lines of a page that are compared pairwise; larger pages are compared by slices (time n^2)

    # Statistics
    group_spacing: float = 1.9  # em; largest distance of baselines in a group of lines in one text style (double spacing is 2.4)
    double_lines: int = 10  # smallest number of line distances on a page that can show double spacing
    large_size: float = 1.25  # ratio to the main size; closely set lines of larger type are one title, monospaced type may be a heading
    tight_gap: float = 1.4  # em; largest distance of the baselines of closely set lines
    stray_chars: int = 2  # most characters of a stray mark, a line without letters and digits
    short_lines: int = 4  # most lines of a group that may be a heading
    few_lines: int = 12  # most lines of a page that may be a cover, and of a first page before its title (a letterhead, words of a logo)
    cover_lines: int = 8  # most lines of a heading in large type on such a page: titles of covers
    candidate_chars: int = 240  # most characters of a group that may be a heading; the longest annotated heading has 190
    candidates_per_page: int = 24  # kept per page, largest and boldest first
    impure: float = 0.15  # largest share of a bold line that may be plain
    wide_line: float = 0.6  # share of its column's width from which a line of a title is full, so that the next line continues it
    label_chars: int = 12  # most characters of a number that precedes its title: "Chapter XVIII"
    page_digits: int = 5  # most digits of a page number at the end of a line of contents
    label_gap: float = 1.6  # sizes of the title, from the line with its number down to the title
    number_gap: float = 4.0  # em of the title; largest distance from a heading's number to its title, across or down
    edge_rows_head: int = 4  # rows kept from the top of a page
    edge_rows_foot: int = 6  # rows kept from its bottom: footnotes stand between body and page number
    edge_chars: int = 48  # characters of an edge line kept for comparison
    tail_chars: int = 8  # characters kept of its end: a page number
    spacing_step: float = 0.5  # points; bin width of the histogram of line spacings
    usual_spacing: float = 1.2  # em; line spacing if it cannot be measured, and largest space between the parts of a title
    spacing_limit: float = 3.0  # em; larger distances are no line spacing

    prose_share: float = 0.15  # share of proportional text above which monospaced text is code, and not the body
    spacing_lines: int = 4  # pairs of lines in a text style from which its median spacing is taken
    tight_share: float = 0.3  # share of line distances below `group_spacing` from which a text style is single-spaced
    indents_min: int = 3  # first-line indents from which a document has indented paragraphs
    indents_share: float = 0.02  # and their smallest share of the lines at the margin

    # Columns
    gutter_min: float = 6.0  # points; the narrowest newspaper gutters have 8, word spaces reach 5
    gutter_em: float = 0.55  # em of the line's type; smallest gap in a line that may be a gutter
    gutter_rise: float = 0.9  # em; rise of the lines of one column over the other's, half a line spacing of 1.8 em at most
    gutter_lines: int = 4  # smallest number of lines on each side of a gutter
    column_end: float = 0.95  # quantile of the ends of a column's lines that is its edge; a few lines extend beyond it
    gutter_filled: float = 0.75  # share of the gutter's width that a gap in a line must have for the line to be cut there
    gutter_crossing: float = 0.2  # largest share of lines that cross a gutter (titles, wide figures)
    bands_max: int = 8  # changes, down the page, between lines that cross a gutter and lines that do not; more are several articles
    column_chars: int = 12  # median characters of a line in a column of text

    # Paragraphs
    indent_min: float = 0.8  # em; first-line indents start at 1 em, kerning noise stays below 0.3
    short_line: float = 1.5  # em; space at a line's end beyond what the next word needs, from which it is short

    # Forced line breaks
    forced_lines: int = 3  # lines that show a habit of ending early; two may be a paragraph in a narrower column
    word_room: float = 4.0  # em; space at a line's end that words of Thai, Lao and Burmese do not leave
    forced_slack: float = 0.75  # em; space beyond what the next word needs, whose width is estimated
    forced_share: float = 0.6  # smallest share of lines with such space; overfull lines (addresses, code) have it in one of two
    verse_share: float = 0.9  # share of at least three lines that begin with a capital in verse; in German prose it is a third

    # Tables
    tables: TableSettings = field(default_factory=TableSettings)  # thresholds of the search for tables, in their own folder

    # Footnotes
    footnote_size: float = 0.93  # body sizes, largest type of footnotes; 9 of 10 points is usual
    note_rule_reach: float = 2.0  # em; largest distance from a footnote rule to the first note, down and across

    # Headings
    heading_size: float = 1.06  # body sizes from which type is larger than the body; swept: 1.05 best, 1.1 loses .016
    bold_size: float = 0.9  # body sizes from which bold in the body's family, or capitals, may be a heading
    small_bold: float = 0.75  # body sizes from which bold in another family may be a heading
    slide_size: float = 40.0  # page heights in body sizes; slides have fewer
    heading_gap: float = 1.12  # line spacings; space above that separates a line from the text
    plain_chars: int = 100  # most characters of a heading in the body's size and weight; longer ones are sentences
    centred: float = 2.0  # em; smallest space on both sides of centred text, and largest difference of the two
    stack_gap: float = 3.0  # em; largest distance of headings of one style that form a stack of three or more
    title_pages: int = 3  # pages from the first on which the title may be, after a cover and its reverse
    title_size: float = 1.15  # body sizes from which a first heading may be the title although another one is as large
    title_of_largest: float = 0.85  # smallest ratio of its size to the largest heading's, and of a title's to its chapter number's
    contents_share: float = 0.3  # share of lines with page numbers that makes a page of contents or of an index
    contents_lines: int = 4  # and their number
    contents_head: float = 0.35  # share of the page's height in which the heading of a table of contents, or its running head, is

    # Contents, indexes, references
    index_lines: int = 12  # smallest number of lines that end in page numbers on a page of an index
    reference_run: int = 3  # smallest number of entries in a row in a list of references

    # Tags
    tagged_share: float = 0.7  # smallest share of the characters that are in the structure tree
    tag_contradictions: int = 2  # contradictions to the tags from which they count: of lines, inside an element, in the order of columns
    tag_faults: float = 0.15  # share of lines that run on and end an element, or of steps down the page that go back in the tree
    tag_joins: float = 0.4  # largest share of wide gaps inside an element; verse and forms have some

    # Article threads
    bead_share: float = 0.8  # smallest share of a line's width that must be in its bead
    bead_astray: float = 0.1  # largest share of the characters in beads whose lines extend beyond them
    bead_pairs: int = 2_000_000  # lines times beads of a page; more are no articles (memory), newspapers have 50,000

    # Furniture
    furniture_band: float = 3.0  # points; largest difference of the heights of running heads on different pages
    side_lines: int = 12  # lines in other directions kept per page; drawings have hundreds
    side_share: float = 0.3  # smallest share of pages on which rotated text must repeat, and on which a running head may also be inside
    mark_size: float = 2.0  # x body size; watermarks across the page are larger than headings in it
    line_numbers: int = 5  # smallest count of numbers beside the text that may be line numbers
    line_number_steps: tuple[int, ...] = (1, 2, 5, 10)  # possible steps of line numbers
    line_number_share: float = 0.8  # smallest share of equal steps; a page with two numbered parts restarts
    rule_length: float = 3.0  # em; shorter rules separate nothing
    edge_band: float = 0.2  # share of the page's height, from the edge, in which running heads and feet are


DEFAULTS = LayoutSettings()
