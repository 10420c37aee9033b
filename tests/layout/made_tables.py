"""Tables of many kinds, typeset here with known cells: material to judge table finding by kinds that nobody tuned on.

    python -m tests.layout.made_tables DIR [--seeds 4]        DIR/pdf, DIR/gold and the kinds in DIR/MANIFEST.tsv
    python -m benchmarks.judgement.quality tables DIR                  scores them, with the scorer beside the measurement corpus

Every kind is drawn with other words, sizes, fonts and widths for each seed. The gold has the form of the measurement corpus.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Final

from reportlab.lib.colors import HexColor
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 72.0
FAMILIES: Final = (("Helvetica", "Helvetica-Bold"), ("Times-Roman", "Times-Bold"))
NOUNS: Final = [
    "harbour", "bridge", "river", "station", "school", "market", "forest", "railway", "museum", "library", "garden", "tower",
    "castle", "valley", "island", "factory", "hospital", "airport", "village", "cathedral", "theatre", "stadium", "windmill",
    "lighthouse", "reservoir", "quarry", "vineyard", "orchard", "monastery", "canal"
]  # fmt: skip
QUALITIES: Final = [
    "northern", "old", "upper", "great", "little", "royal", "western", "silver", "hidden", "open", "quiet", "central", "lower",
    "southern", "broad", "stony"
]  # fmt: skip
FILLERS: Final = [
    "the", "council", "decided", "that", "work", "on", "the", "eastern", "bank", "should", "begin", "before", "winter", "and", "that",
    "the", "costs", "be", "shared", "among", "the", "towns", "which", "profit", "from", "it", "although", "several", "members", "had",
    "asked", "for", "a", "second", "report", "on", "the", "soil", "and", "on", "the", "price", "of", "timber", "in", "the", "region"
]  # fmt: skip
ACCOUNTS: Final = [
    "Revenue from services", "Cost of materials", "Other operating income", "Personnel expenses", "Depreciation", "Interest income",
    "Interest expenses", "Income taxes", "Trade receivables", "Inventories", "Cash and equivalents", "Provisions", "Deferred taxes",
    "Share capital", "Retained earnings", "Lease liabilities"
]  # fmt: skip


@dataclass
class Table:
    """A table to set. rows: texts by row; "" where a span covers the place. spans: row, column, down, across."""

    rows: list[list[str]]
    header_rows: int = 1
    spans: list[tuple[int, int, int, int]] = field(default_factory=list)
    right: frozenset[int] = frozenset()
    bold_rows: frozenset[int] = frozenset()
    widths: list[float] = field(default_factory=list)


@dataclass
class Look:
    """How tables are drawn; lengths in points."""

    fonts: tuple[str, str] = FAMILIES[0]
    size: float = 10.0
    leading: float = 1.2
    pad: float = 6.0
    row_space: float = 4.0
    rules: frozenset[str] = frozenset()
    bold_header: bool = True
    middle: bool = False
    sections: frozenset[int] = frozenset()
    indent: float = 10.0
    leaders: bool = False
    currency: bool = False


class Sheet:
    """A PDF with its gold, drawn from the top down."""

    def __init__(self, rng: random.Random, look: Look) -> None:
        self.rng, self.look = rng, look
        self.data = BytesIO()
        self.canvas = Canvas(self.data, pagesize=(WIDTH, HEIGHT), invariant=1)
        self.page, self.y = 1, MARGIN
        self.tables: list[dict[str, object]] = []

    def turn(self) -> None:
        """A new page."""
        self.canvas.showPage()
        self.page, self.y = self.page + 1, MARGIN

    def text(self, x: float, baseline: float, text: str, font: str | None = None, size: float | None = None) -> None:
        """A line at its baseline, measured from the top."""
        self.canvas.setFont(font or self.look.fonts[0], size or self.look.size)
        self.canvas.drawString(x, HEIGHT - baseline, text)

    def prose(self, words: int = 60, x: float = MARGIN, width: float = WIDTH - 2 * MARGIN, size: float = 10.0) -> None:
        """A paragraph."""
        text = " ".join(self.rng.choice(FILLERS) for _ in range(words)).capitalize() + "."
        for line in wrap(text, self.look.fonts[0], size, width):
            self.y += 1.2 * size
            self.text(x, self.y, line, size=size)
        self.y += 14

    def caption(self, x: float = MARGIN) -> None:
        """A caption above a table."""
        self.y += 12
        self.text(x, self.y, f"Table {len(self.tables) + 1}. {phrase(self.rng, 3)}")
        self.y += 10

    def table(self, table: Table, x: float = MARGIN, group: str | None = None) -> None:
        """Set a table at x, from the current height down, and note its gold."""
        top = self.y
        self.y = Setter(self, table, x).draw(top)
        gold: dict[str, object] = {
            "page": self.page, "bbox": [x, top, x + sum(table.widths), self.y], "ruled": self.kind(), "cells": table.rows,
            "spans": [list(span) for span in table.spans], "header_rows": table.header_rows,
        }  # fmt: skip
        self.tables.append(gold | ({"group": group} if group else {}))
        self.y += 14

    def kind(self) -> str:
        """The scorer's name of how a table is ruled."""
        rules = self.look.rules
        return "grid" if "grid" in rules else "shaded" if "zebra" in rules else "rules" if rules else "none"

    def done(self) -> bytes:
        """The PDF's bytes."""
        self.canvas.save()
        return self.data.getvalue()


class Setter:
    """Sets one table."""

    def __init__(self, sheet: Sheet, table: Table, x: float) -> None:
        self.sheet, self.table, self.look, self.x = sheet, table, sheet.look, x
        self.edges = [x]
        for width in table.widths:
            self.edges.append(self.edges[-1] + width)

    def draw(self, top: float) -> float:
        """Draw it; the height at which it ends."""
        look, table, y = self.look, self.table, top
        tops = [y]
        for n in range(len(table.rows)):
            lines = max((len(self.lines(n, c)) for c in range(len(table.widths)) if self.span(n, c)[0] == 1), default=1)
            y += max(1, lines) * look.size * look.leading + look.row_space
            tops.append(y)
        self.paint(tops)
        for n, row in enumerate(table.rows):
            for c, text in enumerate(row):
                if text:
                    self.cell(n, c, tops)
        return y

    def span(self, n: int, c: int) -> tuple[int, int]:
        return next(((down, across) for r, k, down, across in self.table.spans if (r, k) == (n, c)), (1, 1))

    def font(self, n: int) -> str:
        bold = (n < self.table.header_rows and self.look.bold_header) or n in self.table.bold_rows
        return self.look.fonts[bold]

    def lines(self, n: int, c: int) -> list[str]:
        across = self.span(n, c)[1]
        room = self.edges[c + across] - self.edges[c] - 2 * self.look.pad
        return wrap(self.table.rows[n][c], self.font(n), self.look.size, room)

    def cell(self, n: int, c: int, tops: Sequence[float]) -> None:
        look, (down, across) = self.look, self.span(n, c)
        lines, font = self.lines(n, c), self.font(n)
        height = len(lines) * look.size * look.leading
        space = tops[n + down] - tops[n] - look.row_space - height
        y = tops[n] + look.row_space / 2 + (space / 2 if look.middle or down > 1 else 0.0)
        for k, line in enumerate(lines):
            width = stringWidth(line, font, look.size)
            left, right = self.edges[c] + look.pad, self.edges[c + across] - look.pad
            start = right - width if c in self.table.right and across == 1 else (left + right - width) / 2 if across > 1 else left
            baseline = y + (k + 0.8) * look.size * look.leading
            if c == 0 and n in look.sections:
                start += look.indent
            self.sheet.text(start, baseline, line, font)
            if look.leaders and c == 0 and k == len(lines) - 1 and n >= self.table.header_rows and any(self.table.rows[n][1:]):
                dots = int((right - start - width) / stringWidth(" .", font, look.size)) - 1
                self.sheet.text(start + width, baseline, " ." * max(0, dots), font)
            if look.currency and c in self.table.right and n == self.table.header_rows and line:
                self.sheet.text(left, baseline, "$", font)

    def paint(self, tops: Sequence[float]) -> None:
        look, table, canvas = self.look, self.table, self.sheet.canvas
        left, right, header = self.edges[0], self.edges[-1], table.header_rows
        heights: set[float] = set()
        if look.rules & {"frame", "grid", "top"}:
            heights |= {tops[0], tops[-1]}
        if look.rules & {"header", "grid"} and header:
            heights.add(tops[header])
        if look.rules & {"rows", "grid"}:
            heights |= set(tops[header or 0 : -1]) | ({tops[0]} if "grid" in look.rules else set())
        if "five" in look.rules:
            heights |= set(tops[header::5])
        if "zebra" in look.rules:
            canvas.setFillColor(HexColor(0xE4E8F0))
            for n in range(header, len(table.rows), 2):
                canvas.rect(left, HEIGHT - tops[n + 1], right - left, tops[n + 1] - tops[n], stroke=0, fill=1)
            canvas.setFillColor(HexColor(0))
        canvas.setLineWidth(0.5)
        covered = {(r + a, k + b): (r, k) for r, k, down, across in table.spans for a in range(down) for b in range(across)}
        for y in heights:
            n = list(tops).index(y)
            for c in range(len(table.widths)):
                inside = 0 < n < len(table.rows) and covered.get((n, c), 1) == covered.get((n - 1, c), 2)
                if not inside:
                    canvas.line(self.edges[c], HEIGHT - y, self.edges[c + 1], HEIGHT - y)
        if look.rules & {"grid", "columns"}:
            for n in range(len(table.rows)):
                for c in range(len(table.widths) + 1):
                    if 0 < c < len(table.widths) and covered.get((n, c), 1) == covered.get((n, c - 1), 2):
                        continue
                    canvas.line(self.edges[c], HEIGHT - tops[n], self.edges[c], HEIGHT - tops[n + 1])
        if "frame" in look.rules:
            canvas.rect(left, HEIGHT - tops[-1], right - left, tops[-1] - tops[0])
        if "spans" in look.rules:
            for r, c, down, across in table.spans:
                if across > 1 and r < header:
                    canvas.line(self.edges[c] + 3, HEIGHT - tops[r + down], self.edges[c + across] - 3, HEIGHT - tops[r + down])
        if "sums" in look.rules:
            for n in table.bold_rows:
                for c in table.right:
                    canvas.line(self.edges[c] + look.pad, HEIGHT - tops[n], self.edges[c + 1] - look.pad, HEIGHT - tops[n])


def wrap(text: str, font: str, size: float, room: float) -> list[str]:
    """The text in lines no wider than `room`, where its words allow it."""
    lines: list[str] = []
    for word in text.split():
        if lines and stringWidth(f"{lines[-1]} {word}", font, size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def phrase(rng: random.Random, words: int) -> str:
    """A few words that name something."""
    return " ".join([*(rng.choice(QUALITIES) for _ in range(words - 1)), rng.choice(NOUNS)]).capitalize()


def amount(rng: random.Random, style: int = 0) -> str:
    """A number as tables have them."""
    value = rng.randrange(10, 2_000_000)
    if style == 1:
        return f"({value:,})" if rng.random() < 0.3 else f"{value:,}"
    if style == 2:
        return f"{value % 1000 / 10:.1f}%"
    return f"{value:,}" if style == 0 else str(value % 500)


def numbers(rng: random.Random, rows: int, columns: int, style: int = 0, empty: float = 0.0) -> Table:
    """A label and columns of numbers."""
    head = (
        ["", *(str(2010 + n) for n in range(columns))]
        if style == 1
        else ["Place", *(rng.choice(NOUNS).capitalize() for _ in range(columns))]
    )
    body = [
        [phrase(rng, rng.choice([1, 2, 2])), *("" if rng.random() < empty else amount(rng, style) for _ in range(columns))]
        for _ in range(rows)
    ]
    return Table([head, *body], 1, right=frozenset(range(1, columns + 1)), widths=[130.0, *[rng.choice([62.0, 76.0])] * columns])


def texts(rng: random.Random, rows: int, lengths: Sequence[int], widths: Sequence[float]) -> Table:
    """Columns of words: so many in each cell, one more or less."""
    head = [rng.choice(NOUNS).capitalize() for _ in lengths]
    body = [[prosaic(rng, max(1, n + rng.randrange(-n // 3, n // 3 + 1))) for n in lengths] for _ in range(rows)]
    return Table([head, *body], 1, widths=list(widths))


def prosaic(rng: random.Random, words: int) -> str:
    """Words for a cell: a name when short, else running words."""
    return phrase(rng, words) if words <= 2 else " ".join(rng.choice(FILLERS) for _ in range(words)).capitalize()


def look(rng: random.Random, rules: str = "", **more: object) -> Look:
    """A look with a font, size and space of chance."""
    chosen = Look(
        rng.choice(FAMILIES),
        rng.choice([8.0, 9.0, 10.0, 11.0]),
        rng.choice([1.15, 1.25]),
        rng.choice([4.0, 7.0]),
        rng.choice([2.0, 4.0, 7.0]),
    )
    chosen.rules = frozenset(rules.split())
    for name, value in more.items():
        setattr(chosen, name, value)
    return chosen


Kind = Callable[[random.Random], Sheet]


def framed(rng: random.Random, chosen: Look, *tables: Table, caption: bool = True) -> Sheet:
    """Tables one below the other between paragraphs."""
    sheet = Sheet(rng, chosen)
    sheet.prose()
    for table in tables:
        if caption:
            sheet.caption()
        sheet.table(table)
        sheet.prose()
    return sheet


def none_numbers(rng: random.Random) -> Sheet:
    return framed(rng, look(rng), numbers(rng, rng.randrange(5, 14), rng.randrange(2, 6)))


def none_texts(rng: random.Random) -> Sheet:
    return framed(rng, look(rng), texts(rng, rng.randrange(4, 10), [2, 1, 2], [140, 110, 160]))


def none_wrapped(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, row_space=rng.choice([5.0, 8.0])), texts(rng, 7, [2, 2, 16], [110, 110, 220]))


def none_wrapped_tight(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, row_space=0.0), texts(rng, 7, [1, 1, 14], [110, 90, 220]))


def none_sparse(rng: random.Random) -> Sheet:
    return framed(rng, look(rng), numbers(rng, 10, 5, empty=0.4))


def none_plain_header(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, bold_header=False), numbers(rng, 8, 4), caption=False)


def rules_booktabs(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "top header", bold_header=rng.random() < 0.5), numbers(rng, 8, rng.randrange(3, 6)))


def spanned(rng: random.Random, levels: int = 2) -> Table:
    """Numbers under heads that span them two by two."""
    table = numbers(rng, 8, 4)
    first = ["Place", "Summer", "", "Winter", ""]
    table.rows[0] = ["", *(rng.choice(["Men", "Share", "Total"]) + f" {n}" for n in range(4))]
    table.rows.insert(0, first)
    table.header_rows, table.spans = levels, [(0, 0, 2, 1), (0, 1, 1, 2), (0, 3, 1, 2)]
    return table


def rules_spans(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "top header spans"), spanned(rng))


def none_spans(rng: random.Random) -> Sheet:
    return framed(rng, look(rng), spanned(rng))


def grid_spans(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "grid"), spanned(rng))


def rules_rows_wrapped(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "rows top header", middle=rng.random() < 0.5), texts(rng, 6, [2, 3, 14], [90, 120, 220]))


def rules_top_wrapped(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "top header", row_space=rng.choice([4.0, 6.0])), texts(rng, 6, [2, 8, 10], [100, 160, 180]))


def rules_columns(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "columns frame header"), numbers(rng, 12, 4))


def rules_frame(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "frame"), texts(rng, 8, [1, 2, 2, 1], [90, 120, 120, 90]))


def rules_five(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "top header five columns", row_space=2.0), numbers(rng, 20, 5))


def shaded_wrapped(rng: random.Random) -> Sheet:
    return framed(rng, look(rng, "zebra"), texts(rng, 7, [1, 2, 12], [90, 110, 240]))


def income(rng: random.Random) -> Table:
    """An income statement: sections, indented items, sums in bold."""
    table = Table([["", "Notes", "2019", "2018"]], 1, right=frozenset([2, 3]), widths=[210, 50, 80, 80])
    items, sums = [], []
    for _ in range(3):
        table.rows.append([rng.choice(["Operating activities", "Assets", "Current liabilities", "Equity"]) + ":", "", "", ""])
        for name in rng.sample(ACCOUNTS, rng.randrange(2, 5)):
            items.append(len(table.rows))
            table.rows.append([name, str(rng.randrange(3, 30)) if rng.random() < 0.4 else "", amount(rng, 1), amount(rng, 1)])
        sums.append(len(table.rows))
        table.rows.append([f"Total {rng.choice(ACCOUNTS).lower()}", "", amount(rng, 1), amount(rng, 1)])
    table.bold_rows = frozenset(sums)
    return table


def finance(rng: random.Random, **more: object) -> Sheet:
    table = income(rng)
    chosen = look(rng, "sums", **more)
    chosen.sections = frozenset(n for n in range(1, len(table.rows)) if n not in table.bold_rows and any(table.rows[n][1:]))
    return framed(rng, chosen, table, caption=False)


def finance_plain(rng: random.Random) -> Sheet:
    return finance(rng)


def finance_leaders(rng: random.Random) -> Sheet:
    return finance(rng, leaders=True)


def finance_currency(rng: random.Random) -> Sheet:
    sheet = finance(rng, currency=True)
    for table in sheet.tables:
        cells = table["cells"]
        assert isinstance(cells, list)
        for c in (2, 3):
            if cells[1][c]:
                cells[1][c] = f"$ {cells[1][c]}"
    return sheet


def beside(rng: random.Random, rules: str, make: Callable[[random.Random, int], Table]) -> Sheet:
    """Two tables side by side."""
    sheet = Sheet(rng, look(rng, rules, size=rng.choice([8.0, 9.0])))
    sheet.prose()
    top = sheet.y
    for x in (MARGIN, MARGIN + 240):
        sheet.y = top
        sheet.table(make(rng, rng.randrange(5, 9)), x)
    sheet.y = max(float(str(t["bbox"]).strip("[]").split(",")[3]) for t in sheet.tables) + 14
    sheet.prose()
    return sheet


def _narrow(rng: random.Random, rows: int) -> Table:
    table = numbers(rng, rows, 2)
    table.widths = [100.0, 55.0, 55.0]
    return table


def beside_none(rng: random.Random) -> Sheet:
    return beside(rng, "", _narrow)


def beside_rules(rng: random.Random) -> Sheet:
    return beside(rng, "top header", _narrow)


def beside_texts(rng: random.Random) -> Sheet:
    return beside(rng, "", lambda rng, rows: texts(rng, rows, [1, 2], [90, 120]))


def column_table(rng: random.Random, rules: str) -> Sheet:
    """A table in one column of a page of two, prose round it."""
    sheet = Sheet(rng, look(rng, rules, size=8.0, pad=3.0))
    width = (WIDTH - 2 * MARGIN - 20) / 2
    for x in (MARGIN, MARGIN + width + 20):
        sheet.y = MARGIN
        sheet.prose(80, x, width)
        if (x == MARGIN) == (rng.random() < 0.5) and not sheet.tables:
            table = texts(rng, 6, [1, 1, 6], [55, 55, 105])
            sheet.table(table, x)
        sheet.prose(160, x, width)
    if not sheet.tables:
        sheet.turn()
        sheet.table(numbers(rng, 6, 3))
    return sheet


def column_none(rng: random.Random) -> Sheet:
    return column_table(rng, "")


def column_rules(rng: random.Random) -> Sheet:
    return column_table(rng, "top header")


def pages_none(rng: random.Random) -> Sheet:
    """One table over two pages, its header repeated."""
    sheet = Sheet(rng, look(rng, rng.choice(["", "top header"]), size=9.0, row_space=4.0))
    for _ in range(4):
        sheet.prose(70)
    table = numbers(rng, 40, 3)
    first = int((HEIGHT - 60 - sheet.y) / (9 * sheet.look.leading + 4)) - 1
    for rows in (table.rows[: first + 1], [table.rows[0], *table.rows[first + 1 :]]):
        sheet.table(Table(rows, 1, right=table.right, widths=table.widths), group="a")
        if len(sheet.tables) == 1:
            sheet.turn()
    sheet.prose()
    return sheet


def notes_below(rng: random.Random) -> Sheet:
    """Title above, notes and a source below, set small and close."""
    sheet = Sheet(rng, look(rng, rng.choice(["top header", ""])))
    sheet.prose()
    sheet.y += 12
    sheet.text(MARGIN, sheet.y, f"{phrase(rng, 3)}, by year and region, selected years", sheet.look.fonts[1])
    sheet.y += 6
    sheet.table(numbers(rng, 8, 4))
    sheet.y -= 8
    for mark in ("1", "2"):
        sheet.text(MARGIN, sheet.y + 8, f"{mark} {' '.join(rng.choice(FILLERS) for _ in range(12))}.", size=7.0)
        sheet.y += 9
    sheet.text(MARGIN, sheet.y + 8, f"Source: {' '.join(rng.choice(FILLERS) for _ in range(8))}.", size=7.0)
    sheet.y += 24
    sheet.prose()
    return sheet


def sections_none(rng: random.Random) -> Sheet:
    """Groups of rows under bold labels that stand alone in their row."""
    table = numbers(rng, 3, 4)
    for _ in range(2):
        table.rows.append([phrase(rng, 2), "", "", "", ""])
        table.rows += numbers(rng, 3, 4).rows[1:]
    table.bold_rows = frozenset(n for n, row in enumerate(table.rows) if not any(row[1:]))
    return framed(rng, look(rng), table)


def ledger(rng: random.Random) -> Sheet:
    """Dates, texts and one of two amounts."""
    rows = [["Date", "Voucher", "Particulars", "Debit", "Credit", "Balance"]]
    for n in range(9):
        paid = rng.random() < 0.5
        rows.append(
            [
                f"{n + 3:02}-May-16",
                f"BP {rng.randrange(100)}",
                phrase(rng, 3),
                amount(rng) if paid else "",
                "" if paid else amount(rng),
                amount(rng),
            ]
        )
    return framed(
        rng,
        look(rng, rng.choice(["", "header"]), size=8.0),
        Table(rows, 1, right=frozenset([3, 4, 5]), widths=[65, 55, 140, 60, 60, 70]),
        caption=False,
    )


def short_none(rng: random.Random) -> Sheet:
    return framed(rng, look(rng), numbers(rng, 2, 3))


def two_columns(rng: random.Random) -> Sheet:
    table = numbers(rng, 8, 1)
    table.widths = [150, 90]
    return framed(rng, look(rng, rng.choice(["", "top header"])), table)


def matrix_marks(rng: random.Random) -> Sheet:
    """Marks in a matrix under heads that wrap."""
    table = texts(rng, 8, [2, 1, 1, 1, 1], [140, 70, 70, 70, 70])
    table.rows = [["Feature", *(f"{rng.choice(QUALITIES).capitalize()} {rng.choice(NOUNS)} edition" for _ in range(4))]] + [
        [row[0], *(rng.choice(["x", "x", "", "–"]) for _ in range(4))] for row in table.rows[1:]
    ]
    return framed(rng, look(rng, rng.choice(["", "rows", "top header"])), table)


# -- no tables ------------------------------------------------------------------------------------------------------------


def chart(rng: random.Random) -> Sheet:
    """A bar chart with its labels and axis."""
    sheet = Sheet(rng, look(rng, size=8.0))
    sheet.prose(120)
    base, left = sheet.y + 200, MARGIN + 40
    for n in range(6):
        sheet.text(left - 25, base - 30 * n, str(20 * n))
        sheet.canvas.line(left, HEIGHT - base + 30 * n, left + 360, HEIGHT - base + 30 * n)
    for n in range(7):
        height = rng.randrange(20, 150)
        sheet.canvas.rect(left + 12 + 50 * n, HEIGHT - base, 30, height, fill=1)
        sheet.text(left + 14 + 50 * n, base - height - 4, str(height))
        sheet.text(left + 12 + 50 * n, base + 12, str(2001 + n))
    sheet.y = base + 40
    sheet.prose(120)
    return sheet


def diagram(rng: random.Random) -> Sheet:
    """Boxes with labels, joined by lines."""
    sheet = Sheet(rng, look(rng, size=9.0))
    sheet.prose(100)
    for row in range(3):
        for column in range(3):
            x, y = MARGIN + 150 * column, sheet.y + 70 * row + rng.choice([0, 12])
            sheet.canvas.roundRect(x, HEIGHT - y - 40, 110, 40, 6)
            sheet.text(x + 8, y + 18, phrase(rng, 2))
            if column < 2:
                sheet.canvas.line(x + 110, HEIGHT - y - 20, x + 150, HEIGHT - y - 20)
    sheet.y += 240
    sheet.prose(100)
    return sheet


def three_columns(rng: random.Random) -> Sheet:
    """Prose in three narrow columns, hairlines between."""
    sheet = Sheet(rng, look(rng, size=9.0))
    for n in range(3):
        sheet.y = MARGIN
        for _ in range(4):
            sheet.prose(50, MARGIN + 155 * n, 140, 9.0)
    for n in (1, 2):
        sheet.canvas.line(MARGIN + 155 * n - 8, HEIGHT - MARGIN, MARGIN + 155 * n - 8, 150)
    return sheet


def addresses(rng: random.Random) -> Sheet:
    """A letter: two address blocks side by side, prose, a signature."""
    sheet = Sheet(rng, look(rng))
    for x in (MARGIN, 340.0):
        for n in range(4):
            sheet.text(
                x,
                MARGIN + 13 * n,
                [phrase(rng, 2) + " Ltd", f"{rng.randrange(90)} {phrase(rng, 1)} Road", phrase(rng, 2), f"{rng.randrange(10000, 99999)}"][
                    n
                ],
            )
    sheet.y = MARGIN + 90
    sheet.prose(90)
    sheet.prose(120)
    sheet.text(MARGIN, sheet.y + 40, "Yours sincerely,")
    sheet.text(MARGIN, sheet.y + 90, phrase(rng, 2))
    return sheet


def references(rng: random.Random) -> Sheet:
    """A list of references with hanging numbers."""
    sheet = Sheet(rng, look(rng))
    for n in range(14):
        top = sheet.y + 12
        sheet.prose(rng.randrange(18, 34), MARGIN + 26, WIDTH - 2 * MARGIN - 26)
        sheet.text(MARGIN, top, f"[{n + 1}]")
        sheet.y -= 8
    return sheet


def index(rng: random.Random) -> Sheet:
    """An index in two columns."""
    sheet = Sheet(rng, look(rng, size=9.0))
    for x in (MARGIN, 310.0):
        for n in range(45):
            pages = ", ".join(str(rng.randrange(2, 300)) for _ in range(rng.randrange(1, 4)))
            sheet.text(x + rng.choice([0, 0, 10]), MARGIN + 12 * n, f"{phrase(rng, rng.randrange(1, 3)).lower()}, {pages}")
    return sheet


def contents(rng: random.Random) -> Sheet:
    """A table of contents set with tabs."""
    sheet = Sheet(rng, look(rng))
    sheet.text(MARGIN, sheet.y, "Contents", sheet.look.fonts[1], 16)
    page = 1
    for n in range(20):
        sheet.y += 17
        page += rng.randrange(1, 9)
        sheet.text(MARGIN, sheet.y + 10, f"{n // 4 + 1}.{n % 4 + 1}")
        sheet.text(MARGIN + 30, sheet.y + 10, phrase(rng, rng.randrange(2, 5)))
        sheet.text(WIDTH - MARGIN - stringWidth(str(page), sheet.look.fonts[0], sheet.look.size), sheet.y + 10, str(page))
    return sheet


def form(rng: random.Random) -> Sheet:
    """A form: labels and single boxes to write in."""
    sheet = Sheet(rng, look(rng))
    sheet.prose(40)
    for _ in range(9):
        sheet.y += 30
        sheet.text(MARGIN, sheet.y, f"{phrase(rng, 2)}:")
        sheet.canvas.rect(MARGIN + 150, HEIGHT - sheet.y - 4, rng.choice([120, 200, 260]), 18)
    sheet.y += 30
    sheet.prose(40)
    return sheet


def equations(rng: random.Random) -> Sheet:
    """Displayed formulas with numbers at the right."""
    sheet = Sheet(rng, look(rng, fonts=FAMILIES[1], size=10.0))
    for n in range(5):
        sheet.prose(50)
        sheet.y += 12
        sheet.text(200, sheet.y, f"y{n} = a + {rng.randrange(9)} x", "Times-Italic")
        sheet.text(WIDTH - MARGIN - 16, sheet.y, f"({n + 1})")
        sheet.y += 14
    return sheet


def bullets(rng: random.Random) -> Sheet:
    """Two lists side by side."""
    sheet = Sheet(rng, look(rng))
    sheet.prose(60)
    for n in range(7):
        for x in (MARGIN, 330.0):
            sheet.text(x, sheet.y + 15 * n, "•")
            sheet.text(x + 12, sheet.y + 15 * n, prosaic(rng, rng.randrange(3, 6)))
    sheet.y += 130
    sheet.prose(60)
    return sheet


#: Kinds that rules were tried on, and kinds kept aside until the end of a change.
OPEN_KINDS: Final[dict[str, Kind]] = {
    kind.__name__: kind
    for kind in (
        none_numbers, none_wrapped, none_sparse, rules_booktabs, rules_spans, rules_rows_wrapped, rules_columns, finance_plain,
        finance_currency, beside_none, column_rules, pages_none, sections_none, shaded_wrapped, chart,
        three_columns, contents, form, addresses,
    )
}  # fmt: skip
KEPT_KINDS: Final[dict[str, Kind]] = {
    kind.__name__: kind
    for kind in (
        none_texts, none_wrapped_tight, none_plain_header, none_spans, grid_spans, rules_top_wrapped, rules_frame, rules_five,
        finance_leaders, beside_rules, beside_texts, column_none, notes_below, ledger, short_none, two_columns, matrix_marks, diagram,
        references, index, equations, bullets,
    )
}  # fmt: skip


def make(kind: str, seed: int) -> tuple[bytes, list[dict[str, object]]]:
    """A PDF of a kind, and the gold of its tables."""
    sheet = (OPEN_KINDS | KEPT_KINDS)[kind](random.Random(f"{kind} {seed}"))
    return sheet.done(), sheet.tables


def main(argv: Sequence[str] | None = None) -> int:
    """Write the documents and their gold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--seeds", type=int, default=4, metavar="N", help="documents of each kind (default: 4)")
    parser.add_argument("--kinds", choices=["open", "kept", "all"], default="all", help="which kinds (default: all)")
    flags = parser.parse_args(argv)
    kinds = {"open": OPEN_KINDS, "kept": KEPT_KINDS, "all": OPEN_KINDS | KEPT_KINDS}[flags.kinds]
    for name in ("pdf", "gold"):
        (flags.folder / name).mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        for seed in range(flags.seeds):
            data, tables = make(kind, seed)
            (flags.folder / "pdf" / f"{kind}_{seed}.pdf").write_bytes(data)
            gold = {"file": f"{kind}_{seed}.pdf", "origin": kind, "tables": tables} | ({} if tables else {"non_table": True})
            (flags.folder / "gold" / f"{kind}_{seed}.json").write_text(json.dumps(gold, indent=1))
    print(f"{flags.folder}: {len(kinds)} kinds, {flags.seeds} documents of each", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
