"""Every threshold of the search for tables: name, unit, default, reason."""

from __future__ import annotations

from msgspec import Struct


class TableSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Defaults of the search for tables. em: of the type of the table. Shares are of what the name says."""

    # Words and cells
    cell_gap: float = 0.9  # em; wider gaps between words part cells (a word space is .25 to .5, justified .8)
    region_gap: float = 0.6  # em; the same between rules or on fills, where justified prose does not stand
    same_row: float = 0.4  # em; baselines closer than that are one row: superscripts, mixed sizes
    sign_chars: int = 4  # characters of what may be a sign beside a number: "CHF", "US$ "
    sign_gap: float = 6.0  # em; a currency sign stands that far from its number at most: at the left edge of its column

    # Columns
    column_gap: float = 0.4  # em; the narrowest white gap between columns
    river_rows: int = 4  # rows from which gaps between words, not only wide ones, may be column gaps: fewer rows leave rivers by chance
    gap_crossing: float = 0.13  # share of rows that may cover a column gap (spanning headers)
    overhang: float = 0.6  # em; the end of a cell far from its neighbour may reach that far over a gap: heads wider than their columns
    overhang_share: float = 0.2  # share of the cell's width; the same
    gap_step: float = 0.5  # points; resolution of the search for gaps
    parted_rows: int = 2  # rows with cells on both sides that make a gap one between columns
    span_slack: float = 1.0  # points; a cell reaches that far beyond a gap to span it
    centred: float = 0.6  # em; a heading's middle is that close to the middle of the columns that it spans

    # Rows
    numeric_share: float = 0.6  # share of a column's cells that are numbers in a column of numbers
    band_share: float = 0.15  # share of the gaps between rows that must hold a rule or a change of fill for these to part all rows
    bands: int = 2  # and their number
    tight: float = 1.15  # x the least distance of baselines; lines of one cell are no further apart
    loose: float = 1.25  # x the same; rows are further apart, where lines of a cell stand tighter than rows
    loose_share: float = 0.3  # share of distances that must be loose for that
    line_space: float = 1.5  # em; lines of one cell are no further apart
    runs_down: float = 0.75  # share of lines below the first that begin small, from which a few tight ones are one row of blocks of text
    word_space: float = 0.3  # em; room of the space before a word that would have found place at the end of the line above
    fit_slack: float = 0.6  # em; room beyond that which tells that a line was not broken for want of it
    cell_rows: int = 4  # aligned baselines in all columns of a drawn cell of text that are rows; of numbers, two suffice
    cell_grid_rows: int = 4  # drawn rows of a grid at most whose cells may hold the rows of a table: header, body, sum
    cell_rows_numbers: int = 2  # the same where they hold numbers

    # Cells that tags state
    tag_apart: float = 0.1  # share of tagged cells, of which the text stands apart, above which the tags join cells: a few hold tabs

    # Drawn rules and fills
    rule_width: float = 60.0  # points; shorter rules are underlines or fraction bars
    rule_thick: float = 3.0  # points; thicker ones are bars
    rule_piece: float = 4.0  # points; pieces of one rule are that close, and end there together
    max_regions: int = 300  # groups of rules looked at on a page; drawings have thousands of lines
    inside_region: float = 0.8  # share of a region's height that stands in a wider one, of which it is a part
    region_height: float = 12.0  # points; a region holds a row at least
    joined_rules: int = 4  # rules one below the other that may be those of two tables
    header_reach: float = 7.0  # em; header rows, of five lines at most, stand no further above the first rule
    band_height: float = 80.0  # points; higher fills are boxes, not rows
    stripe_gap: float = 3.0  # x height of a filled row; white space up to the next one of a striped table
    full_rule: float = 0.6  # share of the table's width that a rule between rows has
    header_rule: float = 0.8  # share of the table's width that the rule below its header has
    part_rule: float = 0.9  # share of the table's width; a shorter rule under a cell tells which columns it spans
    under_cell: float = 6.0  # points; such a rule stands no further below its cell
    sticks_out: float = 0.5  # share of a region's rows that go on outside it, from which its rules are not the table's

    touch: float = 2.0  # points; type and rules that close meet: descenders reach over the rule below them
    same_end: float = 4.0  # points; ends of rules, fills and lines that close are one
    row_from: float = 0.6  # share of a line's height below its top from which a rule stands under it, not through it
    row_to: float = 0.5  # the same down to which a rule stands above it
    level: float = 1.0  # points; baselines of a header's levels differ by more

    # Alignment without rules
    row_gap: float = 3.2  # em; rows further apart are not one table without rules
    pitch_slack: float = 1.5  # x the widest distance of rows so far; the next row may be that far
    run_space: float = 1.5  # x the median distance of rows; two tables may stand above and below a wider one
    single_rows: int = 3  # rows in a row with one cell that a table without rules may have: wrapped text
    table_rows: int = 3  # rows with several cells that make a table without rules
    ruled_rows: int = 2  # the same between rules or on fills
    several_share: float = 0.5  # share of rows with several cells in a table without rules
    several_ruled: float = 0.25  # the same between rules or on fills
    aligned: float = 0.8  # mean share of cells aligned in their column, without rules
    aligned_ruled: float = 0.55  # the same between rules or on fills
    align_slack: float = 0.4  # em; cells that close to one line are aligned
    single_row_columns: int = 3  # columns of a table without header that carries on a single row of the page before
    join_gap: float = 2.5  # x the distance of its rows; two tables of equal columns no further apart are one

    # What is no table
    prose_chars: float = 38.0  # median characters of a column's lines above which it is prose
    long_single: float = 1.2  # x these; a line alone in its row that long is prose
    prose_lines: int = 6  # rows from which columns filled by their lines are columns of prose
    prose_rows: float = 0.15  # share of rows that are one long line above which text between rules is prose
    begins_share: float = 0.1  # share of the rows of columns of prose, at most, in which no line runs on from the one above
    fill_width: float = 0.85  # share of the column's width that a line of prose has
    fill_share: float = 0.6  # share of a column's lines that do
    fill_lines: int = 4  # lines of a column that can tell that they fill it
    fill_chars: int = 12  # characters of a line of prose at least
    typewriter: float = 0.5  # share of cells in typewriter type above which aligned rows are code
    typewriter_ruled: float = 0.9  # the same between rules or on fills
    contents_rows: int = 5  # rows that end in page numbers which make a table of contents
    contents_share: float = 0.4  # and their share of all rows
    page_digits: int = 4  # digits of a page number at most
    contents_title: int = 12  # mean characters of what stands before the page numbers at least
    leaders_share: float = 0.3  # share of rows that end in dots and a page number
    heading_size: float = 1.15  # x the table's type; a larger line among the rows is a heading: text between two rules
    marks_share: float = 0.5  # share of first cells that are bullets or numbers of items: a list
    labels_share: float = 0.4  # share of first cells that end in a colon: a form or the head of a letter
    form_share: float = 0.25  # share of cells that hold a label with its colon, alone or before a value: a form
    pairs_rows: int = (
        6  # rows of words from which these are a table without numbers, header or rules: fewer are addresses, labels of a drawing
    )
    flow_share: float = 0.25  # share of a text column's lines beside rows that begin with a small letter where it runs on
    cell_chars: float = 220.0  # mean characters of a cell above which a grid is a page laid out in boxes
    box_chars: float = 400.0  # characters of one cell above which it is such a page, where it holds half of the text
    cut_space: float = 0.4  # em; words of one line with a cell's border between them that stand closer are no two cells
    cut_share: float = 0.3  # share of a grid's pieces of lines that are parted so above which it is a pattern behind text
    frame_cells: int = 3  # cells with text from which a grid is a table, not a frame around text
    empty_cells: float = 0.7  # share of a grid's cells without text, many of them irregular, above which it is a drawing
    irregular: float = 0.3  # share of a grid's cells that span others in a drawing
    header_figures: int = 2  # rows with numbers in columns of numbers above a rule from which it ends no header
    header_share: int = 3  # a header is no more than one row in so many
