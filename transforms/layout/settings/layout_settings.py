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
    rounded_size: float = 0.1  # points; the step to which sizes are rounded
    small_caps: float = 0.3  # relative difference of sizes of small capitals and their capitals, which are .7 to .8 of them
    edge_slack: float = 1.0  # points; largest distance of edges that count as equal: boxes of glyphs are rounded
    same_place: float = 0.3  # em; largest distance of row starts or ends that count as aligned (kerning and overhang are smaller)
    flush: float = 0.5  # em; the same if a sign or a number extends to the left of the text
    neighbour_overlap: float = 0.1  # smallest horizontal overlap of neighbouring lines, share of the narrower line
    neighbour_lower: float = 0.25  # em of the smaller type; smallest distance of the baselines of two lines; a smaller one is raised text
    column_overlap: float = 0.5  # smallest horizontal overlap of two lines in one column, share of the narrower line
    margin_share: float = 0.2  # share of a column's lines that begin before its margin, because they hang out
    limit_share: float = 0.8  # share of a column's lines that end before its limit, because they are last lines of paragraphs
    max_pairs_lines: int = 1500  # lines of a page that are compared pairwise; larger pages are compared by slices (time n^2)

    # Statistics
    group_spacing: float = 1.9  # em; largest distance of baselines in a group of lines in one text style (double spacing is 2.4)
    double_lines: int = 10  # smallest number of line distances on a page that can show double spacing
    double_share: float = 0.6  # smallest share of them that must be equal
    large_size: float = 1.25  # ratio to the page's main size; closely set lines of larger type are one title wherever they begin
    tight_gap: float = 1.4  # em; largest distance of the baselines of closely set lines
    double_alike: float = 0.05  # relative difference of distances that count as equal: half a point at 12
    stray_chars: int = 2  # most characters of a stray mark, a line without letters and digits
    short_lines: int = 4  # most lines of a group that may be a heading
    few_lines: int = 12  # most lines of a page that may be a cover
    cover_lines: int = 8  # most lines of a heading in large type on such a page: titles of covers
    candidate_chars: int = 240  # most characters of a group that may be a heading; the longest annotated heading has 190
    candidates_per_page: int = 24  # kept per page, largest and boldest first
    alone_gap: float = 1.7  # em; smallest space above and below a separate line
    impure: float = 0.15  # largest share of a bold line that may be plain
    heading_word_gap: float = 1.0  # em; wider gaps between words are gaps between cells
    wide_line: float = 0.6  # share of its column's width from which a line of a title is full, so that the next line continues it
    title_edge: float = 1 / 3  # em; largest distance of ends or middles of a title's lines that count as aligned
    label_chars: int = 12  # most characters of a number that precedes its title: "Chapter XVIII"
    label_size: float = 0.5  # points; largest difference of the sizes of number and title, which is rounding
    page_digits: int = 5  # most digits of a page number at the end of a line of contents
    label_gap: float = 1.6  # sizes of the title, from the line with its number down to the title
    number_gap: float = 4.0  # em; between a heading's number and its title on one row
    edge_rows_head: int = 4  # rows kept from the top of a page
    edge_rows_foot: int = 6  # rows kept from its bottom: footnotes stand between body and page number
    edge_chars: int = 48  # characters of an edge line kept for comparison
    spacing_step: float = 0.5  # points; bin width of the histogram of line spacings
    usual_spacing: float = 1.2  # em; line spacing if it cannot be measured: the default of typesetting programs
    spacing_limit: float = 3.0  # em; larger distances are no line spacing

    long_bonus: int = 0  # characters added per long group when the body's text style is chosen
    prose_share: float = 0.15  # share of proportional text above which monospaced text is code, and not the body
    spacing_lines: int = 4  # pairs of lines in a text style from which its median spacing is taken
    tight_share: float = 0.3  # share of line distances below `group_spacing` from which a text style is single-spaced
    indents_min: int = 3  # first-line indents from which a document has indented paragraphs
    indents_share: float = 0.02  # and their smallest share of the lines at the margin

    # Columns
    gutter_min: float = 6.0  # points; the narrowest newspaper gutters have 8, word spaces reach 5
    gutter_em: float = 0.55  # em of the line's type; smallest gap in a line that may be a gutter
    gutter_chars: float = 20.0  # median characters on each side of such a gutter; cells are shorter
    gutter_lines: int = 4  # smallest number of lines on each side of a gutter
    column_end: float = 0.95  # quantile of the ends of a column's lines that is its edge; a few lines extend beyond it
    gutter_filled: float = 0.75  # share of the gutter's width that a gap in a line must have for the line to be cut there
    overlong_beside: float = 0.3  # smallest vertical overlap of lines side by side, share of the height
    gutter_crossing: float = 0.2  # largest share of lines that cross a gutter (titles, wide figures)
    bands_max: int = 8  # changes, down the page, between lines that cross a gutter and lines that do not; more are several articles
    column_chars: int = 12  # median characters of a line in a column of text

    # Paragraphs
    paragraph_gap: float = 1.22  # line spacings; larger distances separate paragraphs; swept: 1.1 to 1.3 are equally good
    equal_gap: float = 1.06  # ratio to the distance before; a smaller distance does not separate paragraphs
    indent_min: float = 0.8  # em; first-line indents start at 1 em, kerning noise stays below 0.3
    short_line: float = 1.5  # em; space at a line's end beyond what the next word needs, from which it is short
    last_line: float = 0.95  # body sizes; smaller lines at the foot of a page are not the end of its text
    list_step: float = 0.6  # em; additional indent from which an item is in a nested list

    # Forced line breaks
    forced_lines: int = 3  # lines that show a habit of ending early; two may be a paragraph in a narrower column
    word_room: float = 4.0  # em; space at a line's end that words of Thai, Lao and Burmese do not leave
    forced_slack: float = 0.75  # em; space beyond what the next word needs, whose width is estimated
    forced_share: float = 0.6  # smallest share of lines with such space; overfull lines (addresses, code) have it in one of two
    verse_share: float = 0.9  # share of at least three lines that begin with a capital in verse; in German prose it is a third
    verse_early: float = 0.33  # smallest share of lines with such space in verse, whose lines are about equally long

    # Tables
    tables: TableSettings = field(default_factory=TableSettings)  # thresholds of the search for tables, in their own folder

    # Footnotes
    footnote_size: float = 0.93  # body sizes, largest type of footnotes; 9 of 10 points is usual
    note_rule_reach: float = 2.0  # em; largest distance from a footnote rule to the first note, down and across

    # Headings
    heading_size: float = 1.06  # body sizes from which type is larger than the body; swept: 1.05 best, 1.1 loses .016
    bold_size: float = 0.9  # body sizes from which bold in the body's family may be a heading
    small_bold: float = 0.75  # body sizes from which bold in another family may be a heading
    caps_size: float = 0.85  # body sizes from which capitals may be a heading, because they look larger than small letters
    mono_size: float = 1.2  # body sizes from which monospaced type may be a heading, because its sizes are not comparable
    body_like: float = 0.94  # body sizes from which type counts as not smaller than the body, the inverse of `heading_size`
    slide_share: float = 0.5  # smallest share of landscape pages in slides
    slide_lines: int = 30  # most lines per page, on average, in slides
    slide_size: float = 40.0  # page heights in body sizes; slides have fewer
    heading_gap: float = 1.12  # line spacings; space above that separates a line from the text
    least_spacing: float = 1.1  # em; smallest line spacing to which such space is compared, because type set solid leaves none
    plain_chars: int = 100  # most characters of a heading in the body's size and weight; longer ones are sentences
    centred: float = 2.0  # em; smallest space on both sides of centred text, and largest difference of the two
    stack_gap: float = 3.0  # em; largest distance of headings of one style that form a stack of three or more
    chapter_gap: float = 4.0  # em of the title; largest distance below the chapter's number
    chapter_size: float = 0.8  # smallest ratio of a title's size to that of its chapter's number
    title_pages: int = 3  # pages from the first on which the title may be, after a cover and its reverse
    title_larger: float = 1.03  # smallest ratio of a title's size to that of the largest other heading
    title_size: float = 1.15  # body sizes from which a first heading may be the title although another one is as large
    title_of_largest: float = 0.85  # smallest ratio of its size to that of the largest heading
    title_alike: int = 2  # fewest other pages with text in a style and at a height that show that it is their heading, and no title
    title_height: float = 0.25  # em; largest difference of such heights
    title_same: float = 0.97  # smallest ratio to the largest type of the first page, because of rounding
    title_lines: int = 12  # most lines of the first page before its title: a letterhead, words of a logo
    title_cover: int = 8  # most lines of a portrait cover, on which the title may have the style of chapters
    title_gap: float = 1.2  # sizes of the title; largest distance between its parts
    contents_share: float = 0.3  # share of contents lines that makes a contents page
    contents_lines: int = 4  # and their number
    contents_head: float = 0.35  # share of the page's height in which the heading of a table of contents, or its running head, is

    # Contents, indexes, references
    index_lines: int = 12  # smallest number of lines that end in page numbers on a page of an index
    index_share: float = 0.4  # and their smallest share; others are sub-entries, letters and wrapped lines
    reference_run: int = 3  # smallest number of entries in a row in a list of references

    # Tags
    tagged_share: float = 0.7  # smallest share of the characters that are in the structure tree
    tag_contradictions: int = 2  # contradictions to the tags from which shares are tested
    tag_cuts: float = 0.15  # share of lines that run on and end an element; a paragraph for each line has 1.0, good tags 0.0
    tag_joins: float = 0.4  # largest share of wide gaps inside an element; verse and forms have some
    tag_steps_back: float = 0.15  # share of steps down the page that go back in the tree
    element_breaks: int = 2  # wide gaps or bullets inside an element that make it several blocks
    tag_returns: int = 2  # times that the tree returns to an earlier column of a page, from which its order is not used
    tagged_distinct: float = 0.6  # smallest share of tagged headings that differ from running text
    tagged_missing: float = 0.5  # largest share of probable headings that consistent tags may leave out

    # Article threads
    bead_share: float = 0.8  # smallest share of a line's width that must be in its bead
    bead_astray: float = 0.1  # largest share of the characters in beads whose lines extend beyond them
    bead_pairs: int = 2_000_000  # lines times beads of a page; more are no articles (memory), newspapers have 50,000

    # Furniture
    counting_numbers: int = 4  # numbers of a line that may count the pages; running heads do not have more
    inside_share: float = 0.34  # share of the pages of an edge line on which it also occurs inside, as headings do
    furniture_apart: float = 1.35  # x line spacing between a head or foot and the body
    furniture_band: float = 3.0  # points; largest difference of the heights of running heads on different pages
    side_lines: int = 12  # lines in other directions kept per page; drawings have hundreds
    side_share: float = 0.3  # share of the pages on which rotated text must repeat at one position
    mark_share: float = 0.5  # the same for large text; titles on a chapter's pages repeat on fewer
    mark_size: float = 2.0  # x body size; watermarks across the page are larger than headings in it
    line_numbers: int = 5  # smallest count of numbers beside the text that may be line numbers
    line_digits: int = 4  # digits of a line number at most
    line_number_steps: tuple[int, ...] = (1, 2, 5, 10)  # possible steps of line numbers
    line_number_share: float = 0.8  # smallest share of equal steps; a page with two numbered parts restarts
    rule_length: float = 3.0  # em; shorter rules separate nothing
    rule_slack: float = 2.0  # points by which a rule may overlap the boxes of the rows that it separates
    edge_band: float = 0.2  # share of the page's height, from the edge, in which running heads and feet are


DEFAULTS = LayoutSettings()
