"""Every threshold of the search for tables: name, unit, default, reason."""

from __future__ import annotations

from msgspec import Struct


class TableSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds of the search for tables. An em is the font size of the table. Shares are fractions of what the name says."""

    # Words and cells
    cell_gap: float = 0.9  # em; wider gaps between words part cells (a word space is .25 to .5, justified .8)
    region_gap: float = 0.6  # em; the same between rules or on fills, where justified prose does not stand
    same_row: float = 0.4  # em; baselines closer than that are one row: superscripts, mixed sizes

    # Columns
    column_gap: float = 0.4  # em; the narrowest white gap between columns
    gap_crossing: float = 0.13  # share of rows that may cover a column gap (spanning headers)
    overhang: float = 0.6  # em; the end of a cell far from its neighbour may reach that far over a gap: heads wider than their columns
    overhang_share: float = 0.2  # share of the cell's width; the same
    gap_step: float = 0.5  # points; resolution of the search for gaps
    span_slack: float = 1.0  # points; a cell reaches that far beyond a gap to span it

    # Rows
    numeric_share: float = 0.6  # share of a column's cells that are numbers in a column of numbers
    tight: float = 1.15  # x the least distance of baselines; lines of one cell are no further apart
    loose: float = 1.25  # x the same; rows are further apart, where lines of a cell stand tighter than rows
    loose_share: float = 0.3  # share of distances that must be loose for that
    line_space: float = 1.5  # em; lines of one cell are no further apart
    word_room: float = 0.9  # em; room beyond a word's width which tells that it would have found place at the end of the line above
    cell_rows: int = 4  # aligned baselines in all columns of a drawn cell of text that are rows; of numbers, two suffice

    # Cells that tags state

    # Drawn rules and fills
    rule_thick: float = 3.0  # points; thicker ones are bars
    joined_rules: int = 4  # rules one below the other that may be those of two tables
    band_height: float = 80.0  # points; higher fills are boxes, not rows
    stripe_gap: float = 3.0  # x height of a filled row; white space up to the next one of a striped table
    full_rule: float = 0.6  # share of the table's width that a rule between rows has
    part_rule: float = 0.9  # share of the table's width; a shorter rule under a cell tells which columns it spans
    under_cell: float = 6.0  # points; such a rule stands no further below its cell

    touch: float = 2.0  # points; type and rules that close meet: descenders reach over the rule below them
    same_end: float = 4.0  # points; ends of rules, fills and lines that close are one

    # Alignment without rules
    row_gap: float = 3.2  # em; rows further apart are not one table without rules
    run_space: float = 1.5  # x the median distance of rows; two tables may stand above and below a wider one
    single_rows: int = 3  # rows in a row with one cell that a table without rules may have: wrapped text
    table_rows: int = 3  # rows with several cells that make a table without rules
    aligned: float = 0.8  # mean share of cells aligned in their column, without rules
    aligned_ruled: float = 0.55  # the same between rules or on fills
    align_slack: float = 0.4  # em; cells that close to one line are aligned

    # What is no table
    prose_chars: float = 38.0  # median characters of a column's lines above which it is prose
    long_single: float = 1.2  # x these; a line alone in its row that long is prose
    prose_rows: float = 0.15  # share of rows that are one long line above which text between rules is prose
    text_chars: int = 12  # characters of a line of a block of text at least
    heading_size: float = 1.15  # x the table's type; a larger line among the rows is a heading: text between two rules
    pairs_rows: int = (
        6  # rows of words from which these are a table without numbers, header or rules: fewer are addresses, labels of a drawing
    )
    box_chars: float = 400.0  # characters of one cell above which a grid is such a page, where it holds half of the text
    cell_chars: float = 220.0  # mean characters of a cell above which a grid is a page laid out in boxes
