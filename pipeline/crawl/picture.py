"""The history of runs as an SVG picture, without scripts and without fonts from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

#: Bars from the bottom up: what a run did with the objects it did not leave alone; and their colours.
_STACK: Final = {"new": "#4c78a8", "changed": "#72b7b2", "redo": "#b8b0d8", "retry": "#eeca3b", "adopted": "#9d9d9d", "gone": "#e45756"}
_OUTCOMES: Final = {"committed": "#333", "unchanged": "#999", "conflict": "#b279a2", "error": "#e45756"}
_BAR: Final = 18
_HEIGHT: Final = 160
_LEFT: Final = 60


def history_picture(reports: Sequence[Mapping[str, Any]]) -> str:
    """Draw a bar for each run, the oldest first: objects by their planned action, and a dot in the colour of the outcome."""
    most = max((sum(each["plan"].get(kind, 0) for kind in _STACK) for each in reports), default=0) or 1
    width = _LEFT + max(len(reports), 24) * _BAR + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT + 70}" font-family="sans-serif" font-size="11">',
        f'<text x="4" y="20">{most:,}</text><text x="4" y="{_HEIGHT + 10}">0</text>',
        f'<path d="M{_LEFT - 4} 10V{_HEIGHT + 10}H{width - 6}" fill="none" stroke="#999"/>',
    ]
    for number, report in enumerate(reports):
        parts += _bar(_LEFT + number * _BAR, report, most)
    parts += _legend(_HEIGHT + 50)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bar(x: int, report: Mapping[str, Any], most: int) -> list[str]:
    failed = sum(count for status, count in report["statuses"].items() if status != "ok")
    plan = ", ".join(f"{count:,} {kind}" for kind, count in report["plan"].items())
    parts = [
        f"<g><title>{escape(report['started'])}: snapshot {report['version']}, {report['outcome']}; "
        f"{escape(plan)}; {failed:,} failed</title>"
    ]
    y = _HEIGHT + 10.0
    for kind, color in _STACK.items():
        height = report["plan"].get(kind, 0) / most * _HEIGHT
        y -= height
        if height:
            parts.append(f'<rect x="{x}" y="{y:.1f}" width="{_BAR - 4}" height="{height:.1f}" fill="{color}"/>')
    parts.append(f'<circle cx="{x + _BAR / 2 - 2}" cy="{_HEIGHT + 20}" r="4" fill="{_OUTCOMES.get(report["outcome"], "#333")}"/>')
    if failed:
        parts.append(f'<circle cx="{x + _BAR / 2 - 2}" cy="{_HEIGHT + 31}" r="3" fill="none" stroke="#e45756" stroke-width="2"/>')
    return [*parts, "</g>"]


def _legend(y: int) -> list[str]:
    parts, x = [], 4
    for name, color in [*_STACK.items(), *_OUTCOMES.items()]:
        shape = (
            f'<rect x="{x}" y="{y - 9}" width="9" height="9" fill="{color}"/>'
            if name in _STACK
            else f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{color}"/>'
        )
        parts.append(f'{shape}<text x="{x + 13}" y="{y}">{name}</text>')
        x += 20 + 7 * len(name)
    return parts
