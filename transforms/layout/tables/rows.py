"""Decide which rows of text form one row of a table, by rules, fills and spacing, and by whether a line was wrapped because it was full."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from pdfmill.transforms.layout.page.patterns import starts_lower
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.columns import by_column, column_of
from pdfmill.transforms.layout.tables.model import Chunk, SetRow
from pdfmill.transforms.layout.tables.words import Words, is_number, pitches, type_size


class RowContext(Struct, frozen=True):
    """Properties of a table by which its rows are judged. cuts: positions between columns. limits: right end of each column's widest cell.
    numeric: columns of numbers. em: font size. All in points."""

    cuts: list[float]  # positions between columns, points
    limits: list[float]  # right end of each column's widest cell, points
    numeric: frozenset[int]  # indices of columns of numbers
    em: float  # font size of the table, points
    words: Words
    settings: TableSettings

    def columns(self, row: Sequence[Chunk]) -> dict[int, Chunk]:
        """Return the lowest chunk (part of a line) of a row in each column, by index of the column."""
        lowest: dict[int, Chunk] = {}
        for chunk in row:
            column = column_of(self.cuts, chunk.middle)
            if column not in lowest or chunk.bottom >= lowest[column].bottom:
                lowest[column] = chunk
        return lowest

    def has_number(self, row: Sequence[Chunk]) -> bool:
        """Return whether the row has a number in a column of numbers."""
        return any(is_number(c.text) and column_of(self.cuts, c.middle) in self.numeric for c in row)


def context_of(rows: Sequence[SetRow], cuts: list[float], words: Words, settings: TableSettings) -> RowContext:
    """Return the properties of a table whose rows are divided into columns. cuts: positions between columns, points."""
    columns = by_column(rows, cuts)
    edges = [*cuts, float("inf")]
    limits = [max((c.x1 for c in column if c.x1 <= edge), default=edge) for column, edge in zip(columns, edges, strict=True)]
    numeric = frozenset(
        n for n, column in enumerate(columns) if column and sum(is_number(c.text) for c in column) >= settings.numeric_share * len(column)
    )
    return RowContext(cuts, limits, numeric, type_size(rows), words, settings)


def join_wrapped(rows: Sequence[SetRow], parted: Sequence[bool], context: RowContext) -> list[SetRow]:
    """Join rows of text to rows of the table. parted: whether a rule or a change of fill is between each row and the next."""
    if len(rows) < 2:
        return [list(row) for row in rows]
    if not 2 <= sum(parted) < len(rows) - 1:
        return _join_set(rows, parted, context)
    joined: list[SetRow] = []
    for band in _bands(rows, parted):
        several = _several_rows(band, context)
        joined += _join_set(band, [False] * (len(band) - 1), context) if several else _at_labels(band, context)
    return joined


def _at_labels(band: Sequence[SetRow], context: RowContext) -> list[SetRow]:
    """Join the rows between two drawn rules (`band`) to one row, or to several if a label is set apart from the lines above it."""
    joined = [list(band[0])]
    for row, gap in zip(band[1:], pitches(band), strict=True):
        columns = context.columns(row)
        if 0 in columns and len(columns) > 1 and gap > context.settings.line_space * context.em:
            joined.append([])
        joined[-1].extend(row)
    return joined


def _bands(rows: Sequence[SetRow], parted: Sequence[bool]) -> list[list[SetRow]]:
    bands = [[rows[0]]]
    for row, apart in zip(rows[1:], parted, strict=True):
        if apart:
            bands.append([])
        bands[-1].append(row)
    return bands


def _several_rows(band: Sequence[SetRow], context: RowContext) -> bool:
    """Return whether the rows of text between two rules are several table rows: with numbers, or with the same columns and not wrapped."""
    if len(band) < 2:
        return False
    with_numbers = sum(context.has_number(row) for row in band)
    if with_numbers >= 2:
        return True
    filled = [set(context.columns(row)) for row in band]
    full = sum(0 in columns and len(columns) > 1 for columns in filled)
    return full >= context.settings.cell_rows and sum(_fits(a, b, context) for a, b in zip(band, band[1:], strict=False)) > len(band) / 2


def _join_set(rows: Sequence[SetRow], parted: Sequence[bool], context: RowContext) -> list[SetRow]:
    """Join rows of text that are lines of the same cells to one table row. parted: whether a rule or a change of fill ends each row."""
    settings = context.settings
    apart = pitches(rows)
    least = min(apart, default=0.0)
    loose = sum(p > settings.loose * least for p in apart)
    two_gaps = least < settings.line_space * context.em and loose >= settings.loose_share * len(apart) and loose > 0
    joined = [list(rows[0])]
    for n, row in enumerate(rows[1:]):
        tight = apart[n] <= settings.tight * least
        if parted[n] or (two_gaps and not tight):
            joined.append(list(row))
        elif _wraps(joined[-1], row, context, spaced=two_gaps):
            joined[-1].extend(row)
        else:
            joined.append(list(row))
    return joined


def _wraps(current: SetRow, row: SetRow, context: RowContext, *, spaced: bool) -> bool:
    """Return whether the row of text continues the cells of the table row `current`. spaced: the small distance between the two suggests
    so."""
    above, own = context.columns(current), context.columns(row)
    if context.has_number(row) and context.has_number(current):
        return False
    if spaced:
        return not any(is_number(c.text) and column in context.numeric for column, c in own.items()) or set(above) == {0}
    if any(is_number(c.text) for c in row):
        return set(above) == {0} and 0 in own and starts_lower(own[0].text) and not _fits(current, row, context)
    if not set(own) <= set(above):
        return False
    fits, columns = _fitting(current, row, context), len(context.cuts) + 1
    if 0 not in own:
        return not all(fits) and (len(own) <= columns / 2 or any(c.text[0].islower() for c in own.values()))
    return not any(fits) and len(above) > 1 and len(own) < columns and own[0].text[0].islower()


def _fits(above: SetRow, row: SetRow, context: RowContext) -> bool:
    return any(_fitting(above, row, context))


def _fitting(above: SetRow, row: SetRow, context: RowContext) -> list[bool]:
    """Return, for each cell that is in both rows, whether its first word would have fitted in the row above, so that no line was
    wrapped."""
    last, room = context.columns(above), context.settings.cell_gap * context.em
    return [
        last[column].x1 + context.words.x1[chunk.first] - context.words.x0[chunk.first] + room < context.limits[column]
        for column, chunk in context.columns(row).items()
        if column in last
    ]
