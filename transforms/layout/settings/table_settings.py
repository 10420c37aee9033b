"""The thresholds of the search for tables: name, default, unit and reason of each."""

from __future__ import annotations

from msgspec import Struct


class TableSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds of the search for tables. An em is the font size of the table."""

    # Words and cells
    cell_gap: float = 0.9  # em; wider gaps between words separate cells, and take another word (a word space is .25 to .5, justified .8)
    region_gap: float = 0.6  # em; the same between rules or on fills, where there is no justified prose
    same_row: float = 0.4  # em; largest distance of baselines on one row: superscripts, mixed sizes

    # Columns
    column_gap: float = 0.4  # em; the narrowest white gap between columns
    gap_crossing: float = 0.13  # share of rows that may cover a column gap (spanning headers)
    overhang: float = 0.6  # em by which the end of a cell far from its neighbour may extend over a gap: heads wider than their columns
    overhang_share: float = 0.2  # and share of the cell's width
    gap_step: float = 0.5  # points; bin width in the search for gaps

    # Rows
    numeric_share: float = 0.6  # smallest share of numbers among the cells of a column of numbers
    tight: float = 1.15  # ratio to the smallest distance of baselines, up to which lines belong to one cell
    loose: float = 1.25  # ratio to the usual distance of baselines from which lines are apart: other rows, another table, a head or foot
    loose_share: float = 0.3  # smallest share of such distances for that rule
    line_space: float = 1.5  # em; largest distance of baselines of lines in one cell
    cell_rows: int = 4  # aligned baselines in a drawn cell of text from which they are rows (of numbers, two suffice); rows of a matrix

    # Drawn rules and fills
    rule_thick: float = 3.0  # points; thicker ones are bars
    joined_rules: int = 4  # rules below each other that may belong to two tables
    band_height: float = 80.0  # points; higher fills are boxes, not rows
    stripe_gap: float = 3.0  # heights of a filled row; largest white space up to the next one of a striped table
    full_rule: float = 0.6  # smallest share of the table's width of a rule between rows
    part_rule: float = 0.9  # largest share of the table's width of a rule under a cell that shows which columns it spans
    under_cell: float = 6.0  # points; largest distance of such a rule below its cell

    touch: float = 2.0  # points; distance at which type, rules and gaps touch, because descenders extend over the rule below
    same_end: float = 4.0  # points; largest distance of ends of rules, fills and lines that count as equal

    # Alignment without rules
    row_gap: float = 3.2  # em; largest distance of rows of a table without rules
    table_rows: int = 3  # smallest number of rows with several cells without rules, and most consecutive rows with one: wrapped text
    aligned: float = 0.8  # smallest mean share of cells aligned in their column, without rules
    aligned_ruled: float = 0.55  # the same between rules or on fills
    align_slack: float = 0.4  # em; largest difference of positions of aligned cells

    # What is no table
    prose_chars: float = 38.0  # median characters of a column's lines above which it is prose
    prose_rows: float = 0.15  # share of rows that are one long line above which text between rules is prose
    heading_size: float = 1.15  # ratio to the table's type; a larger line among the rows is a heading: text between two rules
    pairs_rows: int = (
        6  # rows of words from which these are a table without numbers, header or rules: fewer are addresses, labels of a drawing
    )
    cell_chars: float = 220.0  # mean characters of a cell, and half of those of one cell, above which a grid is a page laid out in boxes
