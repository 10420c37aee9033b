"""Every threshold of the layout analysis: name, unit, default, reason.

Ratios are of the font size (em) or of the line spacing where the name says so. "Swept" means: the value at the middle of the
flat part of its curve over the gold documents (`make quality`), not its best point.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct, field

from pdfmill.transforms.layout.settings.table_settings import TableSettings


class HyphenMode(Enum):
    """off: every line end becomes a space. soft: only U+00AD is dropped. on: other hyphens too when a word results."""

    OFF = "off"
    SOFT = "soft"
    ON = "on"


class LayoutSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Defaults of the structure analysis; all lengths in points unless the name says otherwise."""

    # What stays in the text
    hyphens: HyphenMode = HyphenMode.ON  # what becomes of a hyphen at a line's end
    keep_furniture: bool = False  # running heads and page numbers stay in `pages.text`

    # What is told
    explain: bool = False  # keep with each page which rule decided what about its lines (`pdfmill.schemas.records.Decision`)

    # Lines
    same_size: float = 0.03  # relative difference of font sizes that are one size (rounding of 0.1 pt at 6 pt is 0.02)
    same_row: float = 0.5  # vertical overlap, share of the lower line, that puts two lines on one row
    same_baseline: float = 0.4  # em; baselines closer than that are one row: superscripts, mixed sizes
    near_size: float = 0.2  # points; sizes that differ by less are set as one: type scaled to fit differs by a tenth or two
    rounded_size: float = 0.1  # points; the step to which sizes are rounded
    small_caps: float = 0.3  # relative difference of sizes of small capitals and their capitals, which are .7 to .8 of them
    edge_slack: float = 1.0  # points; edges no further apart are at one place: boxes of glyphs are rounded and reach over their advance
    same_place: float = 0.3  # em; rows that begin or end no further apart do so at one place (kerning and overhang stay below)
    flush: float = 0.5  # em; the same where a sign or a number hangs before the text
    neighbour_overlap: float = 0.1  # horizontal overlap, share of the narrower line, that makes lines neighbours
    neighbour_lower: float = 0.25  # em of the smaller type; a baseline so far down is another line's, not one of the same that was raised
    column_overlap: float = 0.5  # horizontal overlap, share of the narrower line, that puts two lines into one column
    margin_share: float = 0.2  # of a column's lines that begin before its margin: hanging ones
    limit_share: float = 0.8  # of a column's lines that end before its limit: the last lines of paragraphs
    max_pairs_lines: int = 1500  # lines of a page compared pairwise, and searched for tables; beyond it slices of the page are (time n^2)

    # Statistics
    group_spacing: float = 1.9  # em; lines of one look further apart are not one group (double spacing is 2.4)
    double_lines: int = 10  # line distances on a page that can show double spacing
    double_share: float = 0.6  # share of them that must be alike
    large_size: float = 1.25  # x the page's main size; lines of such type set tight are one title wherever they begin
    tight_gap: float = 1.4  # em; set tight
    double_alike: float = 0.05  # relative difference of distances that are alike: half a point at 12
    stray_chars: int = 2  # characters of a line that is a stray mark where none is a letter or digit
    short_lines: int = 4  # lines of a group that may still be a heading
    few_lines: int = 12  # lines of a page that may be a cover at most
    cover_lines: int = 8  # the same of large type: titles of covers
    candidate_chars: int = 240  # characters of a group that may still be a heading; the longest gold heading has 190
    candidates_per_page: int = 24  # kept per page, largest and boldest first
    alone_gap: float = 1.7  # em; space above and below a line that stands alone
    impure: float = 0.15  # share of a bold line that may be plain
    heading_word_gap: float = 1.0  # em; wider gaps between words are those between cells
    wide_line: float = 0.6  # share of its column's width from which a line of a title is full, so that the next one goes on with it
    title_edge: float = 1 / 3  # em; ends or middles of a title's lines no further apart are at one place
    label_chars: int = 12  # characters of a number that stands before its title: "Chapter XVIII"
    label_size: float = 0.5  # points; the number's size is that of the title, up to rounding
    page_digits: int = 5  # digits of a page number at most, at the end of a line of contents
    label_gap: float = 1.6  # x size of the title; from the line with its number to the title under it
    number_gap: float = 4.0  # em; between a heading's number and its title on one row
    edge_rows_head: int = 4  # rows kept from the top of a page
    edge_rows_foot: int = 6  # rows kept from its bottom: footnotes stand between body and page number
    edge_chars: int = 48  # characters of an edge line kept for comparison
    spacing_step: float = 0.5  # points; resolution of the spacing histogram
    usual_spacing: float = 1.2  # em; line spacing where no lines tell it: what typesetting programs give by default
    spacing_limit: float = 3.0  # em; larger distances are no line spacing

    long_bonus: int = 0  # characters added per long group when the body look is sought
    prose_share: float = 0.15  # share of proportional text above which monospaced text is code, not body
    spacing_lines: int = 4  # line pairs of a look that make its median spacing
    tight_share: float = 0.3  # share of line distances below `group_spacing` that makes a look single-spaced
    indents_min: int = 3  # first-line indents that make a document indented
    indents_share: float = 0.02  # and their share of inner lines

    # Columns
    widest_page: float = 14_400.0  # points; what readers allow (ISO 32000-2 Annex C): text further out is no text of a column
    gutter_min: float = 6.0  # points; the narrowest newspaper gutters have 8, word spaces reach 5
    gutter_em: float = 0.55  # em; a gap in a line that may be a gutter, in the line's own type
    word_crossing: float = 0.12  # share of lines with a word across a gutter over which lines were put together
    column_share: float = 0.6  # share of such lines whose next word starts where the column does
    gutter_chars: float = 20.0  # median characters on each side of such a gutter; cells are shorter
    gutter_lines: int = 4  # lines on each side that make a gutter
    column_end: float = 0.95  # quantile of where a column's lines end that is its edge; a few stick out
    gutter_words: int = 20  # words of a page from which words tell gutters
    gutter_margin: float = 0.2  # share of the text's width, from each side, where no gutter between words is sought: columns are as wide
    gutter_place: float = 1.5  # points; words that begin no further apart begin a column
    gutter_filled: float = 0.75  # share of the gutter's width that the gap in a line must have to be cut there
    overlong_beside: float = 0.3  # share of a line's height that another one must share to stand beside it
    gutter_crossing: float = 0.2  # share of lines that may cross a gutter (titles, wide figures)
    bands_max: int = 8  # changes between lines that cross a gutter and others down a page; more of them are several articles
    column_chars: int = 12  # median characters of a line in a column of text

    # Paragraphs
    paragraph_gap: float = 1.22  # x line spacing; swept 1.1 to 1.3 flat (notes: .972 to .974)
    equal_gap: float = 1.06  # x; a gap not larger than the one before, by this much, does not break
    indent_min: float = 0.8  # em; first-line indents start at 1 em, kerning noise stays below 0.3
    short_line: float = 1.5  # em; room left at a line's end beyond what the next word needs
    last_line: float = 0.95  # x body size; smaller lines at the foot are no end of the page's text
    list_step: float = 0.6  # em; items that begin further in than that are a list in the list

    # Forced line breaks
    forced_lines: int = 3  # lines that can show a habit of ending early; two may be a paragraph in a narrower column
    forced_slack: float = 0.75  # em; room left beyond what the next word needs, whose width is estimated
    forced_share: float = 0.6  # share of lines that must have such room; overfull lines (addresses, code) give it to one in two
    verse_share: float = 0.9  # share of lines, three at least, that begin with a capital in verse; in German prose it is a third
    verse_early: float = 0.33  # share of its lines that must leave room: those of a stanza are about equally long

    # Tables
    tables: TableSettings = field(default_factory=TableSettings)  # thresholds of the search for tables, in their own folder

    # Footnotes
    footnote_size: float = 0.93  # x body size at most; 9 of 10 points is usual
    note_rule_reach: float = 2.0  # em; from that rule to the first note, down and across

    # Headings
    heading_size: float = 1.06  # x body size; swept: 1.05 best, 1.1 loses .016
    bold_size: float = 0.9  # x body size; from it bold is a heading's weight in the body's own family
    small_bold: float = 0.75  # x body size; bold in another family counts as heading down to it
    caps_size: float = 0.85  # x body size; capitals count as heading down to it: they look larger than small letters
    mono_size: float = 1.2  # x body size; typewriter type heads something only where it is clearly larger: its sizes do not fit others
    body_like: float = 0.94  # x body size; type no smaller is set like the body, the inverse of `heading_size`
    slide_share: float = 0.5  # share of a document's pages that are wider than high, in slides
    slide_lines: int = 30  # lines a page at most, on average, on landscape pages that are slides
    slide_size: float = 40.0  # body sizes that fit the height of a slide at most
    heading_gap: float = 1.12  # x line spacing; space above that sets a line apart
    least_spacing: float = 1.1  # em; line spacing that such space is measured against at least: type set solid leaves none
    plain_chars: int = 100  # characters of a heading in the body's size and weight at most; longer ones are sentences
    centred: float = 2.0  # em; room on both sides of what is centred at least, and by which they differ at most
    stack_gap: float = 3.0  # em; headings of one look no further apart are a stack, if there are three
    chapter_gap: float = 4.0  # em of the title; it stands no further below its chapter's number
    chapter_size: float = 0.8  # x the size of its chapter's number; a title is no smaller
    title_pages: int = 3  # pages from the first, on one of which a title stands, after a cover and what is behind it
    title_larger: float = 1.03  # x the largest other heading; a title is larger
    title_size: float = 1.15  # x body size; a first heading that large may be the title although another one is as large
    title_of_largest: float = 0.85  # x the largest heading; the same
    title_same: float = 0.97  # x the largest type of the first page; type of the document's title, up to rounding
    title_lines: int = 12  # lines of the first page before its title at most: a letterhead, a logo's words
    title_cover: int = 8  # lines of an upright first page at most that is a cover: the look of its title may come again as that of chapters
    title_gap: float = 1.2  # x size of a title; between its parts
    contents_share: float = 0.3  # share of contents lines that makes a contents page
    contents_lines: int = 4  # and their number
    contents_head: float = 0.35  # x page height; above it stands the heading of a table of contents, or its running head

    # Contents, indexes, references
    index_lines: int = 12  # lines that end in page numbers and make a page one of an index
    index_share: float = 0.4  # and their share; sub-entries, letters and wrapped lines are the rest
    reference_run: int = 3  # entries in a row that make a list of references

    # Tags
    tagged_share: float = 0.7  # share of the characters that must stand in the structure tree
    tag_contradictions: int = 2  # places that speak against the tags before any share counts
    tag_cuts: float = 0.15  # share of lines that run on and end an element; a paragraph for each line has 1.0, good tags 0.0
    tag_joins: float = 0.4  # share of wide gaps inside an element; verse and forms have some
    tag_steps_back: float = 0.15  # share of steps down the page that go back in the tree
    element_breaks: int = 2  # wide gaps or bullets inside an element that make it several blocks
    tag_returns: int = 2  # times that the tree goes back to an earlier column of a page before its order is not taken
    tagged_distinct: float = 0.6  # share of tagged headings that must differ from running text
    tagged_missing: float = 0.5  # share of what looks like a heading that consistent tags may leave out

    # Article threads
    bead_share: float = 0.8  # share of a line's width that its bead must hold
    bead_astray: float = 0.1  # share of the characters in beads whose lines reach out of them
    bead_pairs: int = 2_000_000  # lines times beads of a page; more are no articles (memory), newspapers have 50,000

    # Furniture
    counting_numbers: int = 4  # numbers of a line that may count the pages; more stand in no running head
    inside_share: float = 0.34  # share of a line's pages at the edge on which it stands elsewhere too, as headings do
    furniture_apart: float = 1.35  # x line spacing between a head or foot and the body
    furniture_band: float = 3.0  # points; heads on one height
    side_lines: int = 12  # lines in other directions kept per page; drawings have hundreds
    side_share: float = 0.3  # share of the pages that turned text must repeat on, at one place
    mark_share: float = 0.5  # the same for large text; titles of a chapter's pages repeat on fewer
    mark_size: float = 2.0  # x body size; watermarks across the page are larger than headings in it
    line_numbers: int = 5  # numbers before the text that may be line numbers
    line_digits: int = 4  # digits of a line number at most
    line_number_steps: tuple[int, ...] = (1, 2, 5, 10)  # what line numbers count in
    line_number_share: float = 0.8  # share of equal steps; a page with two numbered parts starts anew
    rule_length: float = 3.0  # em; a shorter rule parts nothing
    rule_slack: float = 2.0  # points; that a rule may reach into the boxes of the rows it parts
    edge_band: float = 0.2  # share of the page height, from the edge, where furniture stands


DEFAULTS = LayoutSettings()
